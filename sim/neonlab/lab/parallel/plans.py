"""Plans the cases of many kernels and checks them, side by side in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from neonlab.lab.parallel.checks import check_all, fits_one_process
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.judgement import Tried, judged
from neonlab.lab.run.plan import plan_cases
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Verdict

#: Kernels per process from which on each is planned and checked at once: the last one keeps no other process waiting.
_MANY = 8

Wanted = Sequence[tuple[Kernel, Sequence[Shape]]]
#: Tells how much of which unit there is to do, and returns what is called with how much ended.
Begin = Callable[[int, str], Callable[[int], None]]


@unit
def _plan(name: KernelHandle, shapes: Sequence[Shape], options: dict[str, Any]) -> list[CaseName]:
    return plan_cases(name.open(), shapes=shapes, **options)


@unit
def _plan_and_check(
    name: KernelHandle, shapes: Sequence[Shape], options: dict[str, Any], ranges: bool
) -> Tried | list[CaseName]:
    """Return what came of a kernel's cases, or the cases where they are too many for one process."""
    from neonlab.lab.run.check import check_and_answer

    kernel = name.open()
    cases = plan_cases(kernel, shapes=shapes, **options)
    return check_and_answer(kernel, cases, ranges=ranges) if fits_one_process(cases) else cases


def plan_and_check(
    workers: Workers,
    wanted: Wanted,
    begin: Begin,
    *,
    seed: int = 1,
    fail_fast: bool = False,
    ranges: bool = False,
    **options: Any,
) -> list[Verdict]:
    """Check each kernel on the cases that `plan_cases` makes from its shapes, `seed` and `options`; see `check_all`.

    Of many kernels each is planned and checked by one process, since both need its code and the same sizes.
    """
    options["seed"] = seed
    planned: list[Tried | list[CaseName] | Died | None] = [None] * len(wanted)
    # In a shard a kernel's cases are shared out, and so they are where the first failure ends the check.
    if len(wanted) >= _MANY * workers.spread and not fail_fast and not workers.results.spread:
        advance = begin(len(wanted), "kernels")
        tasks = [(KernelHandle.of(kernel), shapes, options, ranges) for kernel, shapes in wanted]
        planned = list(workers.run(_plan_and_check, tasks, lambda _: advance(1)))
    verdicts: dict[str, Verdict] = {}
    work: dict[Kernel, list[CaseName]] = {}
    unplanned = []
    for (kernel, shapes), found in zip(wanted, planned, strict=True):
        if isinstance(found, Tried):
            verdicts[kernel.title] = judged(kernel, found, seed)
        elif isinstance(found, list):
            work[kernel] = found
        else:
            unplanned.append((kernel, shapes))
    work |= dict(_plan_all(workers, unplanned, options))
    if work:
        advance = begin(sum(map(len, work.values())), "cases")
        rest = check_all(workers, list(work.items()), seed=seed, fail_fast=fail_fast, ranges=ranges, advance=advance)
        verdicts |= {verdict.kernel: verdict for verdict in rest}
    return [verdicts[kernel.title] for kernel, _ in wanted if kernel.title in verdicts]


def _plan_all(workers: Workers, wanted: Wanted, options: dict[str, Any]) -> list[tuple[Kernel, list[CaseName]]]:
    """Return each kernel with its cases; in parallel if many."""
    if len(wanted) < 2 * workers.jobs:
        return [(kernel, plan_cases(kernel, shapes=shapes, **options)) for kernel, shapes in wanted]
    plans = workers.run(_plan, [(KernelHandle.of(kernel), shapes, options) for kernel, shapes in wanted])
    return [
        (kernel, plan_cases(kernel, shapes=shapes, **options) if isinstance(plan, Died) else plan)
        for (kernel, shapes), plan in zip(wanted, plans, strict=True)
    ]
