"""Find out which file states the timing of a form on a core, and whether it was measured there."""

from __future__ import annotations

import csv
import functools
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from neonlab.measure.cores import pipeline
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.forms.form import form_of
from neonlab.measure.silicon.timing_programs import programs_of
from neonlab.measure.silicon.timing_recipes import recipe_of
from neonlab.measure.silicon.truth import TOLERANCE, Truth

_TABLES = Path(pipeline.__file__).parent / "tables"
#: Forms that were measured; `neonlab cores --against FILE.csv --record` writes it.
PATH = _TABLES / "measured.csv"
LATENCY, ACCUMULATOR, RATE = "latency", "accumulator", "rate"
#: The figures that may be measured.
FIGURES = (LATENCY, ACCUMULATOR, RATE)
_AGREES = "agrees"
_OPENING = 48  # characters of a source that say what it is of
_ENGLISH = frozenset({"and", "b", "at"})  # mnemonics that are words, too
_OTHERS = re.compile(r"forms that the table does not have")
_GENERAL = re.compile(r"(forms\b|not measured|neon:|latencies)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A figure that was measured; `value` is None where the model's is within 5 % of it, else what was measured."""

    value: float | None


@dataclass(frozen=True, slots=True)
class CoreFile:
    """Hold what `NAME.pipeline.toml` states: the forms, the core that it is like ("" for none), and the sources."""

    forms: frozenset[str]
    like: str
    sources: tuple[str, ...]

    def source_of(self, form: str, *, measured: bool) -> str:
        """Return the source whose beginning names the mnemonic of the form, else that of the forms in general.

        `measured` says whether the form was measured: a file may have another source for those that were not.
        """
        word = re.compile(rf"(?<![\w.]){re.escape(mnemonic_of(form))}\b")
        named = [one for one in self.sources if word.search(one[:_OPENING]) and mnemonic_of(form) not in _ENGLISH]
        general = [one for one in self.sources if _GENERAL.match(one)]
        if not measured:
            general.sort(key=lambda one: not _OTHERS.match(one))
        return (named or general or list(self.sources) or [""])[0]


@functools.cache
def core_file(name: str) -> CoreFile:
    """Return what the file of the core called `name` states.  Raises KeyError for a core without a pipeline model."""
    if name not in pipeline_names():
        raise KeyError(name)
    table = tomllib.loads((_TABLES / f"{name}.pipeline.toml").read_text(encoding="utf-8"))
    forms = {form.strip() for entry in table.get("timing", ()) for form in entry["forms"].split(";")}
    return CoreFile(frozenset(forms), table.get("like", ""), tuple(table.get("sources", ())))


def stated_by(core: str, form: str) -> str:
    """Return the core whose file states the form for `core`: itself, or one that its file starts from; "" for none."""
    name = core
    while name:
        file = core_file(name)
        if form in file.forms:
            return name
        name = file.like
    return ""


Measured = Mapping[tuple[str, str, str], Measurement]


@functools.cache
def measured() -> Measured:
    """Return what was measured, by core, form and figure (LATENCY, ACCUMULATOR or RATE); empty without a record."""
    if not PATH.is_file():
        return MappingProxyType({})
    rows = csv.DictReader(io.StringIO(PATH.read_text(encoding="utf-8"), newline=""))
    found = {}
    for row in rows:
        for what in FIGURES:
            if row[what]:
                value = None if row[what] == _AGREES else float(row[what])
                found.update({(row["core"], form, what): Measurement(value) for form in row["forms"].split(";")})
    return MappingProxyType(found)


def record_text(truths: Sequence[Truth], before: Measured) -> str:
    """Return the record: that of `before`, with the cores of `truths` anew.

    Several rows of a table may be of one form.  It agrees with the model if one of them does; else the row counts that
    is nearest.
    """
    again = {truth.core for truth in truths}
    found = {key: one for key, one in before.items() if key[0] not in again}
    nearest: dict[tuple[str, str, str], float] = {}
    for truth in truths:
        for one in truth.comparisons:
            key = (truth.core, *_form_and_figure(one.form, one.what))
            if key not in nearest or abs(one.error) < nearest[key]:
                nearest[key] = abs(one.error)
                found[key] = Measurement(None if abs(one.error) <= TOLERANCE else one.measured)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["core", *FIGURES, "forms"])
    together: dict[tuple[str, ...], list[str]] = {}
    for core, form in sorted({key[:2] for key in found}):
        cells = [_cell(found.get((core, form, what))) for what in FIGURES]
        together.setdefault((core, mnemonic_of(form), *cells), []).append(form)
    for (core, _, *cells), forms in together.items():
        writer.writerow([core, *cells, ";".join(forms)])
    return out.getvalue()


def mnemonic_of(form: str) -> str:
    """Return the mnemonic of a form: `smlal` of `smlal.8b`."""
    return re.split(r"[. ]", form)[0]


def _cell(one: Measurement | None) -> str:
    return "" if one is None else _AGREES if one.value is None else f"{one.value:g}"


@functools.lru_cache(maxsize=1 << 12)
def _form_and_figure(row: str, what: str) -> tuple[str, str]:
    recipe = recipe_of(row)
    programs = programs_of(recipe)
    assert programs is not None  # it was compared
    figure = RATE if what == "rate" else ACCUMULATOR if recipe.accumulate else LATENCY
    return form_of(programs.instruction), figure
