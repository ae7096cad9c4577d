"""A cluster of separate processes gives the same results, whatever happens to its workers, and says when it is gone."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import dask
import pytest
from tests.command_line import ADD, new_repository
from tests.schedulers import scheduler

from neonlab.errors import InputError
from neonlab.lab.cache.results import Results
from neonlab.lab.cluster import workers as cluster_workers
from neonlab.lab.cluster.connection import _first_cause, connected
from neonlab.lab.cluster.remote import run_units
from neonlab.lab.cluster.workers import ClusterWorkers
from neonlab.lab.parallel.checks import _check_chunk, check_all
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.repository.library import Kernel, open_member
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import plan_cases

LOCAL = "local:2"


@pytest.mark.parametrize(
    "address", ["", "host", "local:0", "local:x", "local:99999", "ftp://a:1", "tcp://a", "tcp://a:b"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="--cluster"), connected(address):
        pass


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonlab.lab.cluster.connection._PATIENCE", 0.5)
    with (
        pytest.raises(InputError, match=r"tcp://127\.0\.0\.1:9: no scheduler answers there: [^<>]+$"),
        connected("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("in <distributed.comm.tcp.TCPConnector object at 0x7f>: ConnectionRefusedError: refused", "refused"),
        ("timed out\nafter 5 s", "timed out"),
    ],
)
def test_the_reason_names_no_object_of_dask(text: str, said: str) -> None:
    error = OSError("Timed out")
    error.__cause__ = OSError(text)
    error.__cause__.__cause__ = TimeoutError()
    assert _first_cause(error).endswith(said)
    assert "<" not in _first_cause(error)


class Deserted:
    """A client of a cluster whose workers have all gone."""

    status = "running"

    def nthreads(self) -> dict[str, int]:
        return {}

    def submit(self, function: object, data: bytes, **_: object) -> bytes:
        return data


def test_a_cluster_without_workers_is_told_of(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_workers, "_WITHOUT_WORKERS", 0.1)
    monkeypatch.setattr(cluster_workers, "_LOOK_AGAIN", 0.05)
    client: Any = Deserted()
    with (
        ClusterWorkers(client, LOCAL, 1) as workers,
        pytest.raises(InputError, match="--cluster local:2: it has had no worker for minutes: start some"),
    ):
        list(workers.run(_check_chunk, tasks_of(kernel, 3)))


thorough = pytest.mark.thorough("each starts a cluster of processes; nothing else in a run depends on Dask")


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    root = new_repository(tmp_path / "repository")
    return open_member(root, root / "asm" / f"{ADD}.S")


def tasks_of(kernel: Kernel, count: int) -> list[tuple[KernelHandle, list[object], bool, None]]:
    handle = KernelHandle.of(kernel)
    return [(handle, [case], False, None) for case in plan_cases(kernel)[:count]]


@thorough
def test_a_cluster_gives_the_verdicts_of_one_machine_and_a_worker_that_is_killed_costs_none(kernel: Kernel) -> None:
    work = [(kernel, plan_cases(kernel)[:200])]
    with Workers(1) as workers:
        here = check_all(workers, work, ranges=True)
    tasks = tasks_of(kernel, 24)
    with Workers(1) as workers:
        alone = list(workers.run(_check_chunk, tasks))
    killed: list[int] = []
    with connected(LOCAL) as client, ClusterWorkers(client, LOCAL) as workers:
        assert check_all(workers, work, ranges=True) == here
        pids = client.run(os.getpid)

        def kill(_: int) -> None:
            busy = [address for address, units in client.processing().items() if units]
            if busy and not killed:
                killed.append(pids[busy[-1]])
                os.kill(killed[0], signal.SIGKILL)

        assert list(workers.run(_check_chunk, tasks, kill)) == alone
        assert killed and not workers.bereaved


@thorough
def test_a_worker_that_hangs_costs_its_units_once_more(kernel: Kernel) -> None:
    tasks = tasks_of(kernel, 24)
    with Workers(1) as workers:
        alone = list(workers.run(_check_chunk, tasks))
    hung: list[int] = []
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "3s"}),
        connected(LOCAL) as client,
        ClusterWorkers(client, LOCAL) as workers,
    ):
        pids = client.run(os.getpid)

        def hang(_: int) -> None:
            busy = [address for address, units in client.processing().items() if units]
            if busy and not hung:
                hung.append(pids[busy[-1]])
                os.kill(hung[0], signal.SIGSTOP)

        try:
            assert list(workers.run(_check_chunk, tasks, hang)) == alone
        finally:
            for pid in hung:
                with contextlib.suppress(ProcessLookupError):  # Dask has ended it
                    os.kill(pid, signal.SIGKILL)
        assert hung and not workers.bereaved


@thorough
def test_units_that_nobody_wants_any_more_are_ended(kernel: Kernel) -> None:
    every = KernelHandle.of(kernel), plan_cases(kernel, every_tail=True, full=True) * 20, False, None
    with connected(LOCAL) as client, ClusterWorkers(client, LOCAL) as workers:
        results = workers.run(_check_chunk, [*tasks_of(kernel, 1), every, every])
        next(results)
        assert any(client.processing().values())
        results.close()
        until = time.monotonic() + 30
        while client.call_stack() and time.monotonic() < until:
            time.sleep(0.2)
        assert client.call_stack() == {} and not any(client.processing().values())


def deadly(archive: bytes, digest: str, units: str, lab: str) -> str:
    """Run units, or end the worker where one of them is the one."""
    if "lowest" in units:
        os.kill(os.getpid(), signal.SIGKILL)
    return run_units(archive, digest, units, lab)


#: What the operator does with one shape: it ends its process, wherever that is.
ENDS = """
    def inputs(self, contract, shape, data):
        import os
        if shape["count"] == 17:
            os._exit(3)
"""


@thorough
def test_a_unit_that_ends_its_process_has_died_and_those_sent_with_it_have_not(kernel: Kernel, tmp_path: Path) -> None:
    cases = plan_cases(kernel)
    root = new_repository(tmp_path / "ends")
    operator = root / "kernels" / "add.py"
    head = "    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:\n"
    assert head in operator.read_text()
    operator.write_text(operator.read_text().replace(head, ENDS))
    kernel = open_member(root, root / "asm" / f"{ADD}.S")
    bad = next(case for case in cases if case.shape["count"] == 17)
    good = [case for case in cases if case.shape["count"] != 17][:40]
    handle = KernelHandle.of(kernel)
    tasks = [(handle, [case], False, None) for case in (*good[:30], bad, *good[30:])]
    with connected("local:1") as client, ClusterWorkers(client, "local:1") as workers:
        before = client.nthreads()
        results = list(workers.run(_check_chunk, tasks))
        assert client.nthreads() == before  # the worker has outlived it
    assert isinstance(results[30], Died) and "exit code 3" in results[30].reason
    assert not any(isinstance(one, Died) for one in (*results[:30], *results[31:]))


@thorough
def test_a_unit_that_kills_three_workers_has_died_and_the_others_have_not(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_workers, "run_units", deadly)
    cases = plan_cases(kernel)
    bad = next(case for case in cases if case.pattern == "lowest")
    good = [case for case in cases if case.pattern != "lowest"][:30]
    handle = KernelHandle.of(kernel)
    with connected(LOCAL) as client, ClusterWorkers(client, LOCAL) as workers:
        # Far enough behind the first ones that it goes together with others.
        results = list(
            workers.run(_check_chunk, [(handle, [case], False, None) for case in (*good[:9], bad, *good[9:])])
        )
        assert isinstance(results[9], Died) and "each worker" in results[9].reason
        assert not any(isinstance(one, Died) for one in (*results[:9], *results[10:]))
        assert workers.bereaved == {handle}


@thorough
def test_a_scheduler_that_goes_away_is_told_of_and_what_ended_is_kept(kernel: Kernel, tmp_path: Path) -> None:
    tasks = tasks_of(kernel, 60)
    heard: list[float] = []

    def end(_: int) -> None:
        heard.append(time.monotonic())
        if len(heard) == 3:
            os.killpg(process.pid, signal.SIGKILL)

    with (
        scheduler() as (address, process),
        Results(tmp_path / "kept") as results,
        connected(address) as client,
        ClusterWorkers(client, address, results=results) as workers,
        pytest.raises(InputError, match="the scheduler is gone; what ended is kept"),
    ):
        list(workers.run(_check_chunk, tasks, end))
    assert time.monotonic() - heard[2] < 60
    with Results(tmp_path / "kept") as results, Workers(1, results=results) as workers:
        list(workers.run(_check_chunk, tasks[:10]))
        assert results.counts["checks._check_chunk"][1] >= 3
