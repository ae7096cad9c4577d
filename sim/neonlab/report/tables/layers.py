"""Run every kernel on every layer of its operator: check it, and count in the same call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neonlab.lab.parallel.pool import KernelHandle, Workers, died
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.library import Kernel, Library
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import draw_case, layers_of
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName, Depth
from neonlab.verify.verdict import Failure

if TYPE_CHECKING:
    from neonlab.measure.profile import Profile
    from neonlab.report.tables.hot_loop_cost import HotLoopCost

#: Patterns on which results are compared; the call on the first is also counted.
PATTERNS = ("random", "extremes")

LayerWork = list[tuple[Kernel, Shape]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one kernel on one layer: a failure for each pattern that has one, the counts, and its hot loop.

    `counted` is a Failure if the kernel does not run; then, and if no loop multiplies, `hot_loop` is None.
    """

    failures: tuple[Failure, ...]
    counted: Profile | Failure
    hot_loop: HotLoopCost | None = None


def work_of_layers(library: Library) -> LayerWork:
    """Return each kernel with each layer that its contract allows, kernel by kernel."""
    return [(kernel, shape) for kernel in library.kernels for shape in layers_of(kernel)]


def see_layers(workers: Workers, work: LayerWork, advance: Callable[[int], None] = lambda _: None) -> list[Seen]:
    """Check and count each item, those with most work first; `advance` is called for each that is done.

    In a shard, only its own items are.
    """
    mine = workers.part(_see, [float(shape.work) for _, shape in work])
    order = sorted(mine, key=lambda number: work[number][1].work, reverse=True)
    tasks = [(KernelHandle.of(work[number][0]), work[number][1]) for number in order]
    found: dict[int, Seen] = {}
    for number, result in zip(order, workers.run(_see, tasks, lambda _: advance(1)), strict=True):
        if isinstance(result, Died):
            end = died(CaseName(work[number][1], PATTERNS[0], 1), result)
            found[number] = Seen((end,), end)
        else:
            found[number] = result
    return [found[number] for number in mine]


@unit
def _see(name: KernelHandle, shape: Shape) -> Seen:
    from neonlab.lab.repository.kernel_code import kernel_program
    from neonlab.lab.run.profile import counted_profile, profile
    from neonlab.report.tables.hot_loop_cost import hot_loop_cost
    from neonlab.verify.checker import Checker

    kernel = name.open()
    program = kernel_program(kernel)
    failures, counted = [], None
    with Checker(program, kernel.contract) as checker:
        for pattern in PATTERNS:
            case = draw_case(kernel, CaseName(shape, pattern, 1, Depth.QUICK))
            failure = checker.check(case, Depth.QUICK)
            if failure is not None:
                failures.append(failure)
            elif pattern == PATTERNS[0]:
                counted = counted_profile(kernel, case, checker.counts())
    # A kernel with a wrong result is counted too.
    counted = counted or profile(kernel, shape)
    hot = None if isinstance(counted, Failure) or not counted.macs else hot_loop_cost(program, counted.counts)
    return Seen(tuple(failures), counted, hot)
