"""Plans the cases of many kernels, side by side in worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import plan_cases
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName


@unit
def _plan(name: KernelHandle, shapes: Sequence[Shape], options: dict[str, Any]) -> list[CaseName]:
    return plan_cases(name.open(), shapes=shapes, **options)


def plan_all(
    workers: Workers, wanted: Sequence[tuple[Kernel, Sequence[Shape]]], **options: Any
) -> list[tuple[Kernel, list[CaseName]]]:
    """Return each kernel with its cases, made by `plan_cases` from the shapes and `options`; in parallel if many."""
    if len(wanted) < 2 * workers.jobs:
        return [(kernel, plan_cases(kernel, shapes=shapes, **options)) for kernel, shapes in wanted]
    plans = workers.run(_plan, [(KernelHandle.of(kernel), shapes, options) for kernel, shapes in wanted])
    return [
        (kernel, plan_cases(kernel, shapes=shapes, **options) if isinstance(plan, Died) else plan)
        for (kernel, shapes), plan in zip(wanted, plans, strict=True)
    ]
