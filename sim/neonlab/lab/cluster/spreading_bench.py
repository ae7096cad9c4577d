"""Time units of work on processes of this machine, and on workers of a Dask cluster of as many processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neonlab.lab.cluster.connection import connected
from neonlab.lab.cluster.workers import ClusterWorkers
from neonlab.lab.parallel.checks import _check_chunk
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import plan_cases

#: Units for each worker, of which each checks so many cases; a unit of a real command takes seconds.
_UNITS, _CASES = 24, 24


@dataclass(frozen=True, slots=True)
class SpreadTimes:
    """Units a second on so many workers: processes of a pool, and of a cluster; and what a unit costs more there.

    `share` is what a pool of so many processes does of that many times one process, from 0 to 1, and `cluster_share`
    the same of the cluster against one process of the pool.  `overhead` is in seconds of a worker.
    """

    workers: int
    units: int
    pool: float
    cluster: float
    share: float
    cluster_share: float
    overhead: float

    def line(self) -> str:
        """Return the figures as text."""
        return (
            f"{self.workers} worker{'s' * (self.workers != 1)}: {self.pool:.1f} units/s of a pool ({self.share:.2f} of "
            f"linear), {self.cluster:.1f} of a cluster ({self.cluster_share:.2f}), {1e3 * self.overhead:+.1f} ms a unit"
        )


def bench_units(kernel: Kernel, workers: Sequence[int]) -> list[SpreadTimes]:
    """Time checks of the kernel on each number of workers, the pool and the cluster one after the other.

    The cluster has processes of this machine, as `local:N`.
    """
    found: list[SpreadTimes] = []
    handle = KernelHandle.of(kernel)
    chunk = plan_cases(kernel)[:_CASES]
    for count in workers:
        tasks = [(handle, chunk, False, None)] * (_UNITS * count)
        with Workers(count) as pool:
            here = _rate(pool, tasks, count)
        address = f"local:{count}"
        with connected(address) as client, ClusterWorkers(client, address) as cluster:
            there = _rate(cluster, tasks, count)
        alone = found[0].pool / found[0].workers if found else here / count
        more = count / there - count / here
        shares = here / count / alone, there / count / alone
        found.append(SpreadTimes(count, len(tasks), here, there, *shares, more))
    return found


def _rate(workers: Workers, tasks: Sequence[tuple[Any, ...]], count: int) -> float:
    """Return how many units end in a second, once each worker has run one and has all in memory."""
    list(workers.run(_check_chunk, tasks[: 4 * count]))
    began = time.perf_counter()
    list(workers.run(_check_chunk, tasks))
    return len(tasks) / (time.perf_counter() - began)


def figures(times: Sequence[SpreadTimes]) -> list[dict[str, Any]]:
    """Return the figures as plain values."""
    return [asdict(one) for one in times]
