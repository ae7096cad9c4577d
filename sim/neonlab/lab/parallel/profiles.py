"""Profiles and compares many kernels, side by side in worker processes.

A function that runs in a worker imports the lab there: the process that waits for it needs no emulator.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from neonlab.host.interrupts import interrupts_held
from neonlab.lab.compare.comparison import Look, Side
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.shapes import integers_of
from neonlab.measure.options import COUNTS_ALONE, NOTHING_FOUND, Found, MemoryOptions
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure

if TYPE_CHECKING:
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.profile import Profile
from neonlab.lab.parallel.pool import KernelHandle, Workers, died
from neonlab.lab.parallel.unit import unit
from neonlab.lab.run.ended import Died


@unit
def _profile(kernel: KernelHandle, case: CaseName, memory: MemoryOptions) -> Profile | Failure:
    from neonlab.lab.run.profile import profile_case

    return profile_case(kernel.open(), case, memory)


def _look(
    name: KernelHandle,
    shape: Shape,
    cores: tuple[ModelledCore, ...],
    loop: bool,
    finds: Found,
    seed: int,
    revision: str | None,
) -> Side:
    from neonlab.lab.run.profile import look

    return look(name.open(), shape, cores=cores, loop=loop, finds=finds, seed=seed, revision=revision)


@unit
def _code(name: KernelHandle) -> str:
    from neonlab.lab.repository.kernel_code import code_digest

    return code_digest(name.open())


def profile_all(
    workers: Workers,
    work: Sequence[tuple[Kernel, Shape]],
    *,
    seed: int = 1,
    memory: MemoryOptions = COUNTS_ALONE,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Profile | Failure]:
    """Profile each kernel on its shape."""
    return profile_each(workers, [(kernel, shape, memory) for kernel, shape in work], seed=seed, advance=advance)


def profile_each(
    workers: Workers,
    work: Sequence[tuple[Kernel, Shape, MemoryOptions]],
    *,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Profile | Failure]:
    """Profile each kernel on its shape with its own options; in a shard, those of the shard alone."""
    mine = workers.part(_profile, [float(_macs(kernel, shape)) for kernel, shape, _ in work])
    longest_first = sorted(mine, key=lambda number: _macs(*work[number][:2]), reverse=True)
    cases = [CaseName(shape, "random", seed) for _, shape, _ in work]
    tasks = [(KernelHandle.of(work[number][0]), cases[number], work[number][2]) for number in longest_first]
    results = workers.run(_profile, tasks, lambda _: advance(1))
    with interrupts_held():  # an interrupted import would fail the thread that takes results from the workers
        importlib.import_module("neonlab.measure.profile")  # results need it; import it while the workers start
    found: dict[int, Profile | Failure] = {}
    for number, result in zip(longest_first, results, strict=True):
        found[number] = died(cases[number], result) if isinstance(result, Died) else result
    return [found[number] for number in mine]


def _macs(kernel: Kernel, shape: Shape) -> int:
    """Return the multiply-accumulates that the contract declares for the shape; 0 if none."""
    return kernel.contract.macs.evaluate(integers_of(kernel, shape)) if kernel.contract.macs else 0


def look_all(
    workers: Workers,
    plan: Sequence[tuple[Look, str | None]],
    *,
    cores: Sequence[ModelledCore] = (),
    finds: Found = NOTHING_FOUND,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Side]:
    """Examine each kernel for a comparison, labelled with its revision if one is named."""
    tasks = [(KernelHandle.of(k), shape, tuple(cores), loop, finds, seed, at) for (k, shape, loop), at in plan]
    found = []
    for ((kernel, shape, _), at), result in zip(plan, workers.run(_look, tasks, lambda _: advance(1)), strict=True):
        if isinstance(result, Died):
            failure = died(CaseName(shape, "random", seed), result)
            found.append(Side(kernel.title, kernel.isa.value, at, failure=failure, exact=False))
        else:
            found.append(result)
    return found


def code_digests(
    workers: Workers, kernels: Sequence[Kernel], advance: Callable[[int], None] = lambda _: None
) -> list[str]:
    """Return the digest of each kernel's code; for one whose assembly ends the process, the reason."""
    results = workers.run(_code, [(KernelHandle.of(kernel),) for kernel in kernels], lambda _: advance(1))
    return [result.reason if isinstance(result, Died) else result for result in results]
