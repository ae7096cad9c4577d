"""Say how long a form takes on a core, what it occupies, and how that is known."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neonlab.errors import InputError
from neonlab.isa import extensions
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.limits import PARTS
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import Timing, class_default, load_pipeline
from neonlab.measure.form_table.origin import FIGURES, LATENCY, core_file, measured, mnemonic_of, stated_by
from neonlab.measure.form_table.rate import busy_ports, is_vector, rate_of
from neonlab.measure.forms.nearest import nearest_forms
from neonlab.measure.pipeline.bounds import multiplications_of

#: How a core's figures are known.  The model's figures are the same as those of silicon where they were measured.
MEASURED = "measured"
ALIKE = "alike measured"
STATED = "by its sources"
ESTIMATE = "estimate"
_ESTIMATES = "not measured"
_WITHOUT_RESULT = frozenset(
    ("b", "b.cond", "bl", "br", "blr", "ret", "cbz", "cbnz", "tbz", "tbnz", "nop", "prfm", "bti", "dmb", "dsb", "isb")
)


@dataclass(frozen=True, slots=True)
class FormFigures:
    """The figures of one form on one core.

    `latency` is in cycles, from issue to the issue of an instruction of the same kind that needs the result; None for
    one without a result to wait for.  `to_address` is the same to an instruction that needs the result at once, such as
    a load in its address, where that is longer.  `accumulator` is that to an instruction of the same family that adds
    to the result, where there is such a path.  `rate` is in instructions a cycle.

    `evidence` is MEASURED, ALIKE, STATED or ESTIMATE.  `by` is the form whose figures these are: this one, another that
    stands for it, or a default that begins with @.  `of` is the core whose file states them.  `measured_there` says
    whether those of another core or form were measured; `alike` is a form that was, of the mnemonic and timing of `by`,
    "" for none.  `measured` has what was measured on this core, by LATENCY, ACCUMULATOR and RATE, where the model
    differs from it by more than 5 %.  `refusal` is why the core cannot execute the form, "" where it can.
    """

    core: str
    form: str
    latency: float | None
    to_address: float | None
    accumulator: float | None
    rate: float
    ports: str
    evidence: str
    by: str
    of: str
    measured_there: bool = False
    alike: str = ""
    source: str = ""
    measured: Mapping[str, float] | None = None
    refusal: str = ""

    @property
    def how(self) -> str:
        """Say how the core's tables have the form: what stands for it, and whose table states it."""
        by = "" if self.by == self.form else f"default for {self.by[1:]}" if self.by[0] == "@" else f"as {self.by}"
        of = "" if self.of == self.core else f"from {self.of}"
        there = "measured" if self.measured_there else f"as measured of {self.alike}" if of and self.alike else ""
        return ", ".join(part for part in (by, of, f"{there} there" if of and there else there) if part)

    @property
    def known(self) -> str:
        """Say how the figures are known."""
        if self.refusal:
            return self.refusal
        evidence = f"as measured of {self.alike}" if self.evidence == ALIKE else self.evidence
        off = ", ".join(f"{what} measured: {value:g}" for what, value in (self.measured or {}).items())
        return "; ".join(part for part in (evidence, self.how, off) if part)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "core": self.core,
            "executes": not self.refusal,
            "refusal": self.refusal or None,
            "latency": self.latency,
            "latency_to_address": self.to_address,
            "latency_to_accumulator": self.accumulator,
            "rate": round(self.rate, 4),
            "ports": self.ports,
            "evidence": self.evidence,
            "measured_alike": self.alike or None,
            "figures_of_form": self.by,
            "figures_of_core": self.of,
            "measured_there": self.measured_there,
            "differs": dict(self.measured or {}),
            "source": self.source,
        }


def figures_of(form: str, core: ModelledCore, instruction: Instruction | None = None) -> FormFigures:
    """Return the figures of `form` on `core`; `instruction` is one of the form, which tells what it needs.

    Raises InputError where the core has no timing for instructions of its kind.
    """
    pipeline = core.pipeline
    assert pipeline is not None  # asked for
    by = next((one for one in _nearest(form) if one in pipeline.timings), "") or _default(form, instruction)
    timing = pipeline.timings.get(by)
    if timing is None:
        raise InputError(f"{core.name}: no timing for {form} and none for {by}")
    of = stated_by(pipeline.name, by)
    found = {what: one for what in FIGURES if (one := measured().get((core.name, form, what)))}
    alike = _alike(by, of)
    was_measured = any((of, by, what) in measured() for what in FIGURES)
    chain = timing.latency - min(timing.reads, timing.forwards) + timing.latency_part / PARTS
    reach = timing.latency + timing.latency_part / PARTS
    waits = form not in _WITHOUT_RESULT and not form.startswith("st")
    added = reach - timing.late + timing.late_part / PARTS if timing.family and timing.late else None
    return FormFigures(
        core=core.name,
        form=form,
        latency=chain if waits else None,
        to_address=reach if waits and reach != chain else None,
        accumulator=added,
        rate=rate_of(form, timing, pipeline),
        ports=busy_ports(timing, pipeline),
        evidence=_evidence(bool(found), alike, by == form and of == pipeline.name == core.name, core.name),
        by=by,
        of=of,
        measured_there=was_measured and (of, by) != (core.name, form),
        alike="" if found or was_measured else alike,
        source=core_file(of).source_of(
            by, measured=any((of, by, what) in measured() for what in FIGURES) or bool(alike)
        ),
        measured={what: one.value for what, one in found.items() if one.value is not None},
        refusal=_refusal(form, core, instruction),
    )


@functools.lru_cache(maxsize=1 << 12)
def _nearest(form: str) -> tuple[str, ...]:
    return tuple(nearest_forms(form))


def _default(form: str, instruction: Instruction | None) -> str:
    """Return what a core's table has for all forms of the kind, for one that it does not name."""
    if instruction is not None:
        return class_default(instruction)
    if form.startswith("prf"):
        return "prfm"
    if form.startswith(("ld", "st")):
        return "@load" if form[0] == "l" else "@store"
    return "@multiply" if multiplications_of(form) else "@vector" if is_vector(form) else "@integer"


def _evidence(found: bool, alike: str, own: bool, core: str) -> str:
    if found:
        return MEASURED
    if alike and own:
        return ALIKE
    estimates = core in _measured_cores() or any(one.startswith(_ESTIMATES) for one in core_file(core).sources)
    return STATED if own and not estimates else ESTIMATE


@functools.cache
def _measured_cores() -> frozenset[str]:
    """Return the cores of which there is a record of what was measured."""
    return frozenset(core for core, _, _ in measured())


def _alike(form: str, core: str) -> str:
    """Return a form with the mnemonic and the timing of this one that was measured on the core; "" without one."""
    return _measured_of(core).get((mnemonic_of(form), load_pipeline(core).timings[form]), "")


@functools.cache
def _measured_of(core: str) -> Mapping[tuple[str, Timing], str]:
    """Return a measured form of the core for each mnemonic and timing."""
    found: dict[tuple[str, Timing], str] = {}
    for form, timing in load_pipeline(core).timings.items():
        if (core, form, LATENCY) in measured():
            found.setdefault((mnemonic_of(form), timing), form)
    return found


@functools.cache
def _features() -> Mapping[str, frozenset[str]]:
    """Return the features that each A64 mnemonic needs in all its forms."""
    rows: dict[str, set[str]] = {}
    for row in extensions.table(Isa.A64).rows:
        for mnemonic in row.mnemonics:
            rows.setdefault(mnemonic, set()).add(row.feature)
    return {mnemonic: frozenset(needs) for mnemonic, needs in rows.items() if len(needs) == 1}


def _refusal(form: str, core: ModelledCore, instruction: Instruction | None) -> str:
    if instruction is not None:
        return core.refusal(instruction.isa, instruction.features) or ""
    needs = _features().get(mnemonic_of(form), frozenset())
    isa = Isa.A64 if Isa.A64 in core.chip.instruction_sets else Isa.A32
    return core.refusal(isa, needs) or ""
