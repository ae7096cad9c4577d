"""Estimate what the largest works on the library take, from a sample of their units, in processor time.

Units are drawn at equal distances from all of them in the order of their size, so a few stand for all.  Processor time
does not depend on what else the machine does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neonlab.lab.cluster.bundles import BUNDLE_MOST, BUNDLE_SECONDS
from neonlab.lab.cluster.connection import connected
from neonlab.lab.cluster.workers import ClusterWorkers
from neonlab.lab.parallel.checks import _check_chunk
from neonlab.lab.parallel.kept import timed
from neonlab.lab.parallel.mutants import _CHUNK, _judge, _trial, mutants
from neonlab.lab.parallel.pool import KernelHandle, Workers, handle_in
from neonlab.lab.parallel.profiles import _macs, _profile
from neonlab.lab.parallel.proofs import _prove
from neonlab.lab.repository.able_cores import runs_on
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import layers_of, shapes_to_prove
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.options import MemoryOptions
from neonlab.verify.cases.case import CaseName

#: Most seconds of a unit, on a machine that does other things too.
_PATIENCE = 3600.0
_SEED = 1
#: Units of no work that messages are timed by, and the cores that the table has.
_MESSAGES = 2000
_CORES = (100, 1000)
#: What the third work is called; the others are called as the commands are.
COSTS = "costs"


@dataclass(frozen=True, slots=True)
class WorkCost:
    """What a work on the whole library takes, in processor seconds: a `unit` in the mean, and all `units` of it.

    `prepared` is what a worker takes to prepare for a kernel, and `before` what the command takes before the first
    unit.  `items` counts what the units are cut from, and `sampled` the units that were run.
    """

    work: str
    items: int
    kernels: int
    units: int
    sampled: int
    unit: float
    longest: float
    prepared: float
    before: float

    @property
    def whole(self) -> float:
        """Return the processor seconds of all units."""
        return self.units * self.unit

    def line(self) -> str:
        """Return the figures as text."""
        return (
            f"{self.work}: {self.units:,} units of {self.unit:.2f} s, "
            f"the longest of {self.sampled} {self.longest:.1f} s; "
            f"{self.prepared:.2f} s to prepare for a kernel; {self.before:.0f} s before the first; "
            f"{self.whole / 3600:.1f} CPU hours"
        )


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of a work: its size, which orders them, and the function and arguments that `_seconds` is given."""

    size: float
    function: Callable[..., Any]
    task: tuple[Any, ...]


def bench_library(
    kernels: Sequence[Kernel], sample: int, begin: Callable[[str], object] = lambda _: None
) -> Iterator[WorkCost]:
    """Yield what mutation of the kernels, proofs of their layers and costs on all cores take, by a sample of each."""
    with Workers(1, _PATIENCE) as workers:
        for work in (_mutation, _proofs, _costs):
            name, items, units, before = work(kernels)
            begin(f"timing {sample} units of {name}")
            yield _measured(workers, name, items, units, before, sample)


def _measured(workers: Workers, name: str, items: int, units: Sequence[_Unit], before: float, sample: int) -> WorkCost:
    ordered = sorted(units, key=lambda one: one.size)
    count = min(sample, len(ordered))
    drawn = [ordered[(2 * place + 1) * len(ordered) // (2 * count)] for place in range(count)]
    tasks = [(one.function, *one.task) for one in drawn]
    list(workers.run(_seconds, tasks[:1]))  # the first of a process loads compiled code
    results = [one for one in workers.run(_seconds, tasks) if not isinstance(one, Died)]
    own = [seconds for _, seconds in results]
    prepared = [seconds for seconds, _ in results]
    kernels = len({handle_in(one.task) for one in units})
    mean, preparing = sum(own) / len(own), sum(prepared) / len(prepared)
    return WorkCost(name, items, kernels, len(units), len(own), mean, max(own), preparing, before)


def _seconds(function: Callable[..., Any], name: KernelHandle, *task: Any) -> tuple[float, float]:
    """Return the processor seconds of this process to prepare for a kernel, and for a unit of it."""
    began = time.process_time()
    if function is _judge:
        _trial(name)
    prepared = time.process_time()
    function(name, *task)
    return prepared - began, time.process_time() - prepared


def _mutation(kernels: Sequence[Kernel]) -> tuple[str, int, list[_Unit], float]:
    began = time.process_time()
    made = [(kernel, mutants(kernel)[1]) for kernel in kernels if kernel.operator is not None]
    before = time.process_time() - began
    units = [
        _Unit(float(len(every)), _judge, (KernelHandle.of(kernel), list(every[start : start + _CHUNK])))
        for kernel, every in made
        for start in range(0, len(every), _CHUNK)
    ]
    return "mutate", sum(len(every) for _, every in made), units, before


def _proofs(kernels: Sequence[Kernel]) -> tuple[str, int, list[_Unit], float]:
    began = time.process_time()
    work = [(kernel, shapes_to_prove(kernel, layers=True)) for kernel in kernels if layers_of(kernel)]
    units = [
        _Unit(float(shape.work), _prove, (KernelHandle.of(kernel), shape, _SEED, frozenset()))
        for kernel, shapes in work
        for shape in shapes
    ]
    return "prove --layers", len(units), units, time.process_time() - began


def _costs(kernels: Sequence[Kernel]) -> tuple[str, int, list[_Unit], float]:
    began = time.process_time()
    cores = [ModelledCore.named(name, cycles=True) for name in pipeline_names()]
    units = [
        _Unit(
            float(_macs(kernel, shape) or shape.work), _profile,
            (KernelHandle.of(kernel), CaseName(shape, "random", _SEED), MemoryOptions(core)),
        )
        for kernel in kernels
        for shape in layers_of(kernel)
        for core in cores
        if runs_on(kernel, core)
    ]  # fmt: skip
    return COSTS, len(units), units, time.process_time() - began


def message_seconds(kernel: Kernel) -> float:
    """Return the processor seconds that the command and the scheduler together take for a message there and back.

    It is measured on checks of no cases, on a cluster of one process of this machine, whose scheduler runs in this one.
    """
    task: tuple[Any, ...] = (_check_chunk, KernelHandle.of(kernel), [], False, None)
    with connected("local:1") as client:
        workers = ClusterWorkers(client, "local:1")
        with workers:
            list(workers.run(timed, [task] * 8))
            before, began = workers.messages, time.process_time()
            list(workers.run(timed, [task] * _MESSAGES))
            return (time.process_time() - began) / (workers.messages - before)


def figures(costs: Sequence[WorkCost]) -> list[dict[str, Any]]:
    """Return the figures as plain values."""
    return [{**asdict(one), "whole": one.whole} for one in costs]


def scale_table(costs: Sequence[WorkCost], message: float) -> str:
    """Return a table in Markdown: what each work takes, and how long on many cores; `message` as `message_seconds`."""
    heads = [f"{cores:,} cores" for cores in _CORES]
    rows = [
        "| work | units | seconds of one | of the longest | CPU hours | " + " | ".join(heads) + " | first limit |",
        "|---|---:|---:|---:|---:|" + "---:|" * len(heads) + "---|",
    ]
    for one in costs:
        times = [_duration(sum(_parts(one, cores, message).values())) for cores in _CORES]
        said = f"`neonlab {one.work}`" if one.work != COSTS else "all kernels on all layers and all cores that run them"
        figures_of_it = f"{one.units:,} | {one.unit:.2f} | {one.longest:.1f} | {one.whole / 3600:.1f}"
        rows.append(f"| {said} | {figures_of_it} | {' | '.join(times)} | {_limit(one, message)} |")
    told = [
        f"A message there and back takes the command and the scheduler {1e3 * message:.1f} ms.",
        *(
            f"`neonlab {one.work}` takes {one.before:.0f} s before its first unit, and a worker {one.prepared:.2f} s to"
            " prepare for a kernel."
            for one in costs
            if one.prepared >= 0.01
        ),
        f"Units that were run: {', '.join(f'{one.sampled} of {one.work}' for one in costs)}.",
    ]
    return "\n".join([*rows, "", *told]) + "\n"


def _parts(one: WorkCost, cores: int, message: float) -> dict[str, float]:
    """Return the seconds of a work on so many cores, by what they go to."""
    messages = one.units / max(1, min(BUNDLE_MOST, int(BUNDLE_SECONDS / max(one.unit, 1e-9))))
    work = (one.whole + one.prepared * (one.kernels + cores)) / cores
    return {
        "the work": work,
        "what comes before the first unit": one.before,
        "the last unit": one.longest,
        "the scheduler": max(0.0, messages * message - work),
    }


def _limit(one: WorkCost, message: float) -> str:
    """Return what takes most beside the work, and from how many cores on it takes a tenth as long as that."""
    most = max((part for part in _parts(one, _CORES[-1], message).items() if part[0] != "the work"), key=lambda p: p[1])
    cores = next(
        (cores for cores in range(1, 100_000) if _parts(one, cores, message)[most[0]] >= one.whole / cores / 10), 0
    )
    return f"{most[0]}, from {cores:,} cores on" if cores else "none"


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )
