"""Model measured functions with every combination of the numbers of their core's group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.run.ended import Died
from neonlab.lab.silicon.fit.plan import Combination, FitPlan
from neonlab.lab.silicon.table import FunctionTable, MeasuredFunction
from neonlab.lab.silicon.truth import called_with, case_of, grown, memory_of
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import PipelineCore, varied

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.shape import Shape
    from neonlab.verify.verdict import Failure

#: Seconds of one function on all cores with all combinations, at most.
TIME_LIMIT = 7200.0
Tables = Mapping[str, Mapping[Combination, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class GridRow:
    """One function on one core, in cycles per unit: measured, and modelled with each combination of its core."""

    core: str
    family: str
    function: str
    measured: float
    modelled: Mapping[Combination, float]


def model_grid(
    workers: Workers, table: FunctionTable, folder: Path, plan: FitPlan, done: Callable[[int], None] = lambda _: None
) -> list[GridRow]:
    """Return a row for each function of `table` on each core of `plan` that it was measured on, in order of core.

    Files are looked for in `folder`.  Raises InputError for a function that is in no family or cannot be modelled, and
    if nothing was measured on one of the cores.
    """
    tables: dict[str, Mapping[Combination, Mapping[str, Any]]] = {
        core: group.tables(core) for group in plan.groups for core in group.cores
    }
    wanted = [
        replace(one, measured={core: figure for core, figure in one.measured.items() if core in tables})
        for one in table.functions
    ]
    wanted = [one for one in wanted if one.measured]
    families = [plan.family_of(one.name) for one in wanted]
    for core in tables:
        if not any(core in one.measured for one in wanted):
            raise InputError(f"no function was measured on {core}, which a group of the plan has")
    rows: list[GridRow] = []
    tasks = [(one, folder, {core: tables[core] for core in one.measured}) for one in wanted]
    for one, family, result in zip(wanted, families, workers.run(_on_grid, tasks, done), strict=True):
        if isinstance(result, Died):
            raise InputError(f"{one.name}: {result.reason}")
        rows += [
            GridRow(core, family, one.name, one.measured[core].middle, modelled) for core, modelled in result.items()
        ]
    order = list(tables)
    return sorted(rows, key=lambda row: order.index(row.core))


def _on_grid(function: MeasuredFunction, folder: Path, tables: Tables) -> dict[str, dict[Combination, float]]:
    """Return the cycles of the function per unit, by core and combination; runs in a worker."""
    try:
        called, work = called_with(function, folder)
        found = {}
        for core, some in tables.items():
            known = ModelledCore.named(core, cycles=True)
            assert known.pipeline is not None
            variants = [varied(known.pipeline, table) for table in some.values()]
            by_shape = [_cycles(function, kernel, shape, known, variants) for kernel, shape in called]
            found[core] = {one: grown(cycles) / work for one, *cycles in zip(some, *by_shape, strict=True)}
        return found
    except InputError as error:
        raise InputError(f"{function.name}: {error}") from None


def _cycles(
    function: MeasuredFunction, kernel: Kernel, shape: Shape, core: ModelledCore, variants: Sequence[PipelineCore]
) -> list[float]:
    """Return the cycles of the call on each of the variants of the core."""
    from neonlab.lab.run.profile import profile_case
    from neonlab.lab.run.variants import cycles_on_variants
    from neonlab.verify.verdict import Failure

    cold = any(one.conditions.cold for one in kernel.contract.pointers)
    if function.state.warm and not function.state.calls and not cold:
        cycles = cycles_on_variants(kernel, case_of(shape), core, variants)
        if isinstance(cycles, Failure):
            raise InputError(_fault(cycles))
        return cycles
    found = []
    for one in variants:
        memory = memory_of(kernel, ModelledCore(core.name, core.chip, one), function.state)
        outcome = profile_case(kernel, case_of(shape), memory)
        if isinstance(outcome, Failure):
            raise InputError(_fault(outcome))
        assert outcome.cycles is not None  # the core has a pipeline model
        found.append(outcome.cycles.per_call)
    return found


def _fault(failure: Failure) -> str:
    return f"it faults: {failure.fault.message if failure.fault is not None else failure.identifier}"
