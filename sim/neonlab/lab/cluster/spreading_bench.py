"""Time units of work on processes of this machine, and on workers of a Dask cluster of as many processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neonlab.lab.cluster.connection import connected
from neonlab.lab.cluster.workers import ClusterWorkers
from neonlab.lab.parallel.checks import _check_chunk
from neonlab.lab.parallel.kept import Timed, timed
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import plan_cases

#: Units for each worker, of which each checks so many cases; a unit of a real command takes seconds.
_UNITS, _CASES = 24, 24


@dataclass(frozen=True, slots=True)
class SpreadTimes:
    """Units a second on so many workers, of a pool and of a cluster; and what a unit costs beside its own work.

    A busy share is how much of the workers' time went to the units themselves, from 0 to 1: what is missing from 1 is
    lost to spreading.  An overhead is the rest, in seconds of a worker for each unit.
    """

    workers: int
    units: int
    pool: float
    pool_busy: float
    pool_overhead: float
    cluster: float
    cluster_busy: float
    cluster_overhead: float

    def lines(self) -> tuple[str, str]:
        """Return the figures as text."""
        return (
            _line("pool   ", self.workers, self.pool, self.pool_busy, self.pool_overhead),
            _line("cluster", self.workers, self.cluster, self.cluster_busy, self.cluster_overhead),
        )


def _line(name: str, workers: int, rate: float, busy: float, overhead: float) -> str:
    of = f"{workers} worker{'s' * (workers != 1)}"
    return f"{name} of {of}: {rate:.2f} units/s, busy for {busy:.3f} of the time, {1e3 * overhead:.1f} ms beside a unit"


def bench_units(kernel: Kernel, workers: Sequence[int]) -> list[SpreadTimes]:
    """Time checks of the kernel on each number of workers, the pool and the cluster one after the other.

    The cluster has processes of this machine, as `local:N`.
    """
    found = []
    chunk = plan_cases(kernel)[:_CASES]
    for count in workers:
        tasks = [(_check_chunk, KernelHandle.of(kernel), chunk, False, None)] * (_UNITS * count)
        with Workers(count) as pool:
            here = _times(pool, tasks, count)
        address = f"local:{count}"
        with connected(address) as client, ClusterWorkers(client, address) as cluster:
            there = _times(cluster, tasks, count)
        found.append(SpreadTimes(count, len(tasks), *here, *there))
    return found


def _times(workers: Workers, tasks: Sequence[tuple[Any, ...]], count: int) -> tuple[float, float, float]:
    """Return units a second, the busy share and the overhead, once each worker has run one and has all in memory."""
    list(workers.run(timed, tasks[: 4 * count]))
    began = time.perf_counter()
    results = list(workers.run(timed, tasks))
    whole = time.perf_counter() - began
    own = sum(result.seconds for result in results if isinstance(result, Timed))
    return len(tasks) / whole, own / (count * whole), (count * whole - own) / len(tasks)


def figures(times: Sequence[SpreadTimes]) -> list[dict[str, Any]]:
    """Return the figures as plain values."""
    return [asdict(one) for one in times]
