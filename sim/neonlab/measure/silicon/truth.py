"""Compare the pipeline model with measured timings: run the chain and the stream of every row of a table."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.measure.cores.pipeline import PipelineCore, load_pipeline, pipeline_names
from neonlab.measure.forms.form import form_of
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.measure.silicon.measured_table import Measured, read_table
from neonlab.measure.silicon.timing_programs import TimingPrograms, less_program, programs_of
from neonlab.measure.silicon.timing_recipes import NOT_ASSEMBLED, Recipe, recipe_of

TOLERANCE = 0.05
KINDS = ("integer", "load/store", "NEON")
_KIND_OF = {"neon": "NEON", "load": "load/store", "store": "load/store"}


@dataclass(frozen=True, slots=True)
class TableComparison:
    """One figure of the table and the model's; `what` is "latency" (cycles) or "rate" (instructions a cycle)."""

    form: str
    kind: str
    what: str
    measured: float
    modelled: float

    @property
    def error(self) -> float:
        """The relative error of the model, signed."""
        return self.modelled / self.measured - 1.0


@dataclass(frozen=True, slots=True)
class Truth:
    """All figures of one core, and the rows that cannot test the model with the reason.

    `held_out` are the same figures from a model without the form that they are of.
    """

    core: str
    comparisons: tuple[TableComparison, ...]
    left_out: Mapping[str, str]
    held_out: tuple[TableComparison, ...] = ()

    def within(self, kind: str = "", what: str = "", tolerance: float = TOLERANCE) -> tuple[int, int]:
        """Return how many figures are within `tolerance`, and how many there are."""
        chosen = [one for one in self.comparisons if (not kind or one.kind == kind) and (not what or one.what == what)]
        return sum(abs(one.error) <= tolerance for one in chosen), len(chosen)

    def outside(self, tolerance: float = TOLERANCE) -> tuple[TableComparison, ...]:
        """Return the figures that are not within `tolerance`, worst first."""
        found = [one for one in self.comparisons if abs(one.error) > tolerance]

        def place(one: TableComparison) -> tuple[float, str, str]:
            return -round(abs(math.log(one.modelled / one.measured)), 9), one.form, one.what

        return tuple(sorted(found, key=place))


def against(path: str | Path) -> tuple[Truth, ...]:
    """Compare every core of the table that has a model, by its name in lower case. Raises InputError for a bad file."""
    table, known = read_table(path), pipeline_names()
    return tuple(compare(load_pipeline(core.lower()), rows) for core, rows in table.items() if core.lower() in known)


@functools.lru_cache(maxsize=1 << 12)
def _programs(form: str) -> tuple[Recipe, TimingPrograms | None]:
    recipe = recipe_of(form)
    return recipe, None if recipe.skip else programs_of(recipe)


def compare(core: PipelineCore, rows: Sequence[Measured], *, hold_out: bool = False) -> Truth:
    """Return each row's figures with the model's."""
    found: list[TableComparison] = []
    held: list[TableComparison] = []
    left_out = {}
    less: dict[str, float] = {}
    for row in rows:
        recipe, programs = _programs(row.form)
        if programs is None:
            left_out[row.form] = recipe.skip or NOT_ASSEMBLED
            continue
        found.extend(_compared(core, row, recipe, programs, less))
        if hold_out:
            form = form_of(programs.instruction)
            others = {name: timing for name, timing in core.timings.items() if name != form}
            held.extend(_compared(dataclasses.replace(core, timings=others, _found={}), row, recipe, programs, less))
    return Truth(core.name, tuple(found), left_out, tuple(held))


def _compared(
    core: PipelineCore, row: Measured, recipe: Recipe, programs: TimingPrograms, less: dict[str, float]
) -> Iterator[TableComparison]:
    kind = kind_of(programs.instruction)
    if row.per_cycle is not None and programs.streams:
        stores = any(access.kind is AccessKind.STORE for access in programs.instruction.accesses)
        there = core.storing_again() if stores else core  # the table's stores all go to one address
        rates = (counted / steady_cycles(stream, there) for stream, counted in programs.streams)
        yield TableComparison(row.form, kind, "rate", row.per_cycle, max(rates))
    if row.latency is not None and programs.chain is not None:
        if recipe.less not in less:
            less[recipe.less] = _less(recipe.less, core)
        cycles = steady_cycles(programs.chain, core) / programs.chain_length - less[recipe.less]
        yield TableComparison(row.form, kind, "latency", row.latency, max(cycles, 0.01))


def kind_of(instruction: Instruction) -> str:
    """Return the one of KINDS that the instruction belongs to."""
    return _KIND_OF.get(instruction.instruction_class.value.split()[0], "integer")


def _less(name: str, core: PipelineCore) -> float:
    """Return the part that the table subtracts from a latency, in the model's cycles.

    The rules are the table's own; the one for vector loads is a guess.
    """
    if not name:
        return 0.0
    if name == "moves":
        return steady_cycles(less_program("moves"), core) / 2
    if name == "fetch":
        simple = steady_cycles(less_program("move and add"), core)
        return math.floor(steady_cycles(less_program("move and fetch"), core) - simple / 2 + 0.5)
    return steady_cycles(less_program(name), core)
