"""Does the pipeline model give back what was measured?  Chain and stream of every form of a table, run and compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from neonlab.measure.measured_table import Measured, read_table, recipe_of
from neonlab.measure.pipeline import loop_cycles
from neonlab.measure.pipeline_core import PipelineCore, load_pipeline, pipeline_names
from neonlab.measure.timing_programs import TimingPrograms, programs_of

TOLERANCE = 0.05
_KINDS = {"neon": "NEON", "load": "load/store", "store": "load/store", "integer": "integer"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of the table beside the model's: cycles a link, or instructions a cycle."""

    form: str
    kind: str
    what: str
    measured: float
    modelled: float

    @property
    def error(self) -> float:
        """Relative, signed."""
        return self.modelled / self.measured - 1.0


@dataclass(frozen=True, slots=True)
class Truth:
    """All figures of one core, and the rows that are no test of the model with the reason."""

    core: str
    comparisons: tuple[Comparison, ...]
    left_out: Mapping[str, str]

    def within(self, kind: str = "", tolerance: float = TOLERANCE) -> tuple[int, int]:
        """How many figures lie within `tolerance`, of how many."""
        chosen = [found for found in self.comparisons if not kind or found.kind == kind]
        return sum(abs(found.error) <= tolerance for found in chosen), len(chosen)

    def outside(self, tolerance: float = TOLERANCE) -> tuple[Comparison, ...]:
        """The others, worst first."""
        found = [one for one in self.comparisons if abs(one.error) > tolerance]
        return tuple(sorted(found, key=lambda one: (-abs(one.error), one.form)))


def against(path: str | Path) -> tuple[Truth, ...]:
    """Compares every core of the table that has a model, names in lower case.  InputError for a bad file."""
    table, known = read_table(path), pipeline_names()
    return tuple(_truth(load_pipeline(core.lower()), rows) for core, rows in table.items() if core.lower() in known)


@lru_cache(maxsize=1 << 12)
def _programs(form: str) -> TimingPrograms | None:
    return programs_of(recipe_of(form))


def _truth(core: PipelineCore, rows: tuple[Measured, ...]) -> Truth:
    found: list[Comparison] = []
    left_out = {}
    for row in rows:
        reason = recipe_of(row.form).skip
        if not reason and _programs(row.form) is None:
            reason = "not taken by the assembler"
        if reason:
            left_out[row.form] = reason
        else:
            found.extend(_compared(core, row))
    return Truth(core.name, tuple(found), left_out)


def _compared(core: PipelineCore, row: Measured) -> Iterator[Comparison]:
    programs = _programs(row.form)
    if programs is None:
        return
    kind = _KINDS.get(programs.instruction.instruction_class.value.split()[0], "other")
    if row.per_cycle is not None and programs.stream:
        yield Comparison(row.form, kind, "per cycle", row.per_cycle, loop_cycles(programs.stream, core).ipc)
    if row.latency is not None and programs.chain:
        cycles = loop_cycles(programs.chain, core).total
        if len(programs.chain) > 1:  # closed by a transfer, of which the table holds so much
            cycles += core.table_transfer - core.timing(programs.chain[1]).latency
        yield Comparison(row.form, kind, "latency", row.latency, cycles)
