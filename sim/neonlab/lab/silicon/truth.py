"""Compare the cycles of whole functions measured on silicon with the models of the cores.

A function runs as the table says, on random data; the modelled cycles are reported beside the measured ones.  No
function is treated specially, and nothing is fitted.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.assemble.program import Program
from neonlab.contract.options import Given
from neonlab.contract.size_expression import SizeExpression
from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.run.ended import Died
from neonlab.lab.silicon.called import State
from neonlab.lab.silicon.table import Figure, FunctionTable, MeasuredFunction
from neonlab.measure.cores.errors import (
    CALIBRATION,
    IN_ORDER,
    OUT_OF_ORDER,
    UNSEEN,
    ModelError,
    current_tables,
)
from neonlab.measure.cores.modelled import AskedCore
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.cores.spread import Spread, spread_of
from neonlab.measure.counts import Counts
from neonlab.measure.options import MemoryOptions
from neonlab.measure.silicon.mca import answers_for, closed_loops, cycles_of
from neonlab.verify.cases.case import CaseName

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.shape import Shape

TOLERANCE = 0.05
#: Least share of a unit's instructions in one loop for llvm-mca's figure of the loop to stand for the function.
_NEARLY_ALL = 0.97
_SEED = 1


class StaleCodeError(InputError):
    """Raised where a function's code is not what was measured."""


@dataclass(frozen=True, slots=True)
class FunctionFigure:
    """One function on one core, in cycles per unit; `modelled` is None if it could not be computed, for `reason`.

    `unknown` are mnemonics of executed forms that the core's table lacks.  `mca` is llvm-mca's figure if the unit is an
    iteration of one loop and little else.  `used` tells whether the models were adjusted with the row, `stale` that
    other code was measured than is there now.
    """

    name: str
    file: str
    isa: str
    core: str
    unit: str
    source: str
    measured: Figure
    modelled: float | None = None
    mca: float | None = None
    unknown: tuple[str, ...] = ()
    reason: str = ""
    used: bool = False
    stale: bool = False

    @property
    def error(self) -> float:
        """Return the signed error relative to the middle of the measured range; NaN if there is no figure."""
        return _error(self.modelled, self.measured)

    @property
    def mca_error(self) -> float:
        """Return the same error for llvm-mca."""
        return _error(self.mca, self.measured)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of the figures of one core, or of several.

    All but `used` are of the rows that adjusted no model; `used` counts the others.  `spread` has the errors, None if
    there is no such row.  `both` holds the number of figures that llvm-mca has too, with the medians of both.
    """

    title: str
    figures: int
    used: int
    within_5: int
    within_10: int
    in_range: int
    spread: Spread | None
    both: tuple[int, float, float] | None


def measure_functions(
    workers: Workers,
    table: FunctionTable,
    folder: Path,
    *,
    cores: Sequence[str] = (),
    mca: str = "",
    done: Callable[[int], None] = lambda _: None,
) -> list[FunctionFigure]:
    """Return a figure of each function on each core that it was measured on, or only on `cores`.

    Files are looked for in `folder`.  `mca` is the program llvm-mca, to run on the same loops.  Raises InputError for a
    core that no function was measured on, and if that program cannot be run.
    """
    there = {core for one in table.functions for core in one.measured}
    for core in cores:
        if core not in there:
            raise InputError(f"no function was measured on `{core}`; the table has {', '.join(sorted(there))}")
    wanted = [
        replace(one, measured={core: figure for core, figure in one.measured.items() if not cores or core in cores})
        for one in table.functions
    ]
    wanted = [one for one in wanted if one.measured]
    found = []
    tasks = [(one, folder, mca) for one in wanted]
    for one, result in zip(wanted, workers.run(_on_all, tasks, done), strict=True):
        found += _none(one, result.reason) if isinstance(result, Died) else result
    return found


def summaries(figures: Sequence[FunctionFigure]) -> list[Summary]:
    """Return a summary for each core, in order of name, then one for all in-order cores and one for the others."""
    compared = [one for one in figures if one.modelled is not None]
    found = [_summary(core, [one for one in compared if one.core == core]) for core in _names(compared)]
    for title, in_order in ((IN_ORDER, True), (OUT_OF_ORDER, False)):
        chosen = [one for one in compared if load_pipeline(one.core).in_order is in_order]
        if chosen:
            found.append(_summary(title, chosen))
    return found


def check_recordable(table: FunctionTable) -> None:
    """Raise InputError if the table does not say what its functions were used for, or where its figures are from.

    Without this, calibration could be reported as an error on unseen functions.  Rows may be marked one by one besides.
    """
    if table.calibration is None or not table.origin:
        raise InputError(
            "--record: the table must say at its top whether these functions were used to adjust the models, "
            '`calibration = true` or `calibration = false`, and where the figures are from, `origin = "..."`'
        )


def errors_by_core(figures: Sequence[FunctionFigure], table: FunctionTable) -> list[tuple[str, ModelError]]:
    """Return the errors to record for each core, and for cores together on rows that adjusted no model."""
    found: list[tuple[str, ModelError]] = []
    for against, used in ((UNSEEN, False), (CALIBRATION, True)):
        chosen = [replace(one, used=False) for one in figures if one.used is used]
        for one in summaries(chosen):
            if one.spread is not None and (one.title in pipeline_names() or against == UNSEEN):
                tables = current_tables(one.title)
                found.append((one.title, one.spread.as_error(against, tables, table.origin, within=one.within_5)))
    return found


def _names(figures: Sequence[FunctionFigure]) -> list[str]:
    return sorted({one.core for one in figures})


def _summary(title: str, figures: Sequence[FunctionFigure]) -> Summary:
    blind = [one for one in figures if not one.used]
    errors = [abs(one.error) for one in blind]
    both = [one for one in blind if one.mca is not None]
    return Summary(
        title,
        len(errors),
        len(figures) - len(blind),
        sum(error <= TOLERANCE for error in errors),
        sum(error <= 2 * TOLERANCE for error in errors),
        sum(one.measured.lowest <= (one.modelled or 0.0) <= one.measured.highest for one in blind),
        spread_of([1 + one.error for one in blind]) if blind else None,
        (
            len(both),
            statistics.median(abs(one.error) for one in both),
            statistics.median(abs(one.mca_error) for one in both),
        )
        if both
        else None,
    )


def _error(figure: float | None, measured: Figure) -> float:
    return math.nan if figure is None else figure / measured.middle - 1.0


def _none(function: MeasuredFunction, reason: str, *, stale: bool = False) -> list[FunctionFigure]:
    return [replace(_figure(function, core, reason=reason), stale=stale) for core in function.measured]


def _figure(function: MeasuredFunction, core: str, *, reason: str = "") -> FunctionFigure:
    measured = function.measured[core]
    return FunctionFigure(
        function.name, function.file, "", core, function.unit, function.source, measured, reason=reason,
        used=function.used,
    )  # fmt: skip


def _on_all(function: MeasuredFunction, folder: Path, mca: str) -> list[FunctionFigure]:
    """Return the figures of the function on each core, or why there are none; runs in a worker."""
    from neonlab.lab.repository.kernel_code import kernel_program

    try:
        called, work = called_with(function, folder)
        kernel, _ = called[-1]
        program = kernel_program(kernel)
    except InputError as error:
        return _none(function, str(error), stale=isinstance(error, StaleCodeError))
    found = []
    for core in function.measured:
        try:
            counts, cycles, unknown = _run(called, core, function.state)
        except InputError as error:
            found.append(_figure(function, core, reason=str(error)))
            continue
        figure = replace(
            _figure(function, core), isa=kernel.isa.value, modelled=grown(cycles) / work, unknown=tuple(unknown)
        )
        if mca and answers_for(core, kernel.isa):
            figure = replace(figure, mca=_by_mca(mca, core, program, counts, work))
        found.append(figure)
    return found


def called_with(function: MeasuredFunction, folder: Path) -> tuple[list[tuple[Kernel, Shape]], int]:
    """Return the function as it is called with each of its shapes, and the units of work that its figure is of.

    Raises InputError for a file that is not in `folder`, or that has no such function, and for a bad shape;
    StaleCodeError if the row says that other code was measured.
    """
    from neonlab.lab.repository.kernel_code import kernel_program, program_digest
    from neonlab.lab.repository.library import open_kernel
    from neonlab.lab.run.plan import parse_shape
    from neonlab.lab.run.shapes import integers_of

    given, units = _placed(function.given, folder), []
    called: list[tuple[Kernel, Shape]] = []
    for one in function.shapes:
        own = replace(given, settings=(*given.settings, *one.settings))
        kernel = open_kernel(folder / function.files[0], own)
        if function.code and not program_digest(kernel_program(kernel)).startswith(function.code):
            raise StaleCodeError("its code here is not what was measured: measure it again")
        shape = parse_shape(kernel, one.text)
        integers = integers_of(kernel, shape)
        kernel.contract.check_values(integers)
        units.append(_units(function.per, integers))
        called.append((kernel, shape))
    work = units[-1] - (units[0] if len(units) > 1 else 0)
    if work <= 0:
        raise InputError(f"`per` counts {' and '.join(map(str, units))} units: it must grow with the shape")
    return called, work


def _units(per: str, integers: Mapping[str, int]) -> int:
    """Return the units of work of a call.  Raises InputError if `per` names what is no integer argument."""
    expression = SizeExpression(per)
    if unknown := sorted(expression.names - set(integers)):
        have = ", ".join(integers) or "none"
        raise InputError(f"`per = {per}`: `{unknown[0]}` is no integer argument; the function has: {have}")
    return expression.evaluate(integers)


def case_of(shape: Shape) -> CaseName:
    """Return the case that functions run on."""
    return CaseName(shape, "random", _SEED)


def memory_of(kernel: Kernel, core: AskedCore, state: State) -> MemoryOptions:
    """Return how calls that find `state` are measured on `core`."""
    cold = state.warm and any(one.conditions.cold for one in kernel.contract.pointers)
    return MemoryOptions(core, state.warm and not state.calls, cold_weights=cold, calls=state.calls)


def _placed(given: Given, folder: Path) -> Given:
    """Return `given` with its paths below `folder`."""
    include, link = (tuple(str(folder / one) for one in some) for some in (given.build.include, given.build.link))
    build = replace(given.build, include=include, link=link)
    return replace(given, contract=str(folder / given.contract) if given.contract else "", build=build)


def _run(
    called: Sequence[tuple[Kernel, Shape]], core: str, state: State
) -> tuple[list[Counts], list[float], list[str]]:
    """Return counts and cycles of the call with each shape, and the forms that the core's table does not have."""
    from neonlab.lab.run.profile import profile_case
    from neonlab.verify.verdict import Failure

    if core not in pipeline_names():
        raise InputError(f"there is no model of `{core}`")
    counts: list[Counts] = []
    cycles: list[float] = []
    unknown: list[str] = []
    for kernel, shape in called:
        outcome = profile_case(kernel, case_of(shape), memory_of(kernel, core, state))
        if isinstance(outcome, Failure):
            fault = outcome.fault
            raise InputError(f"{outcome.identifier} at {shape}: {fault.message if fault is not None else ''}")
        assert outcome.cycles is not None  # the core has a pipeline model
        counts.append(outcome.counts)
        cycles.append(outcome.cycles.per_call)
        unknown = sorted({text.partition(" ")[0] for text in outcome.cycles.unknown})
    return counts, cycles, unknown


def grown(figures: Sequence[float]) -> float:
    """Return the figure of the one shape, or the difference of the second and the first."""
    return figures[-1] - (figures[0] if len(figures) > 1 else 0)


def _by_mca(mca: str, core: str, program: Program, counts: Sequence[Counts], work: int) -> float | None:
    """Return cycles per unit by llvm-mca, if nearly all instructions of a unit are in one loop; else None."""
    executed = counts[-1].executions - (counts[0].executions if len(counts) > 1 else 0)
    times = dict(zip(counts[-1].addresses.tolist(), executed.tolist(), strict=True))
    for loop in closed_loops(program):
        iterations = times[loop[-1].address]
        if iterations * len(loop) >= _NEARLY_ALL * sum(times.values()):
            (cycles,) = cycles_of(mca, core, [loop])
            return None if cycles is None else cycles * iterations / work
    return None
