"""Send units of work to the workers of a Dask cluster: the same units as to processes of this machine."""

from __future__ import annotations

import contextlib
import json
import queue
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonlab.errors import InputError
from neonlab.lab.cache.kernel_sources import KernelSources, known_sources
from neonlab.lab.cache.lab_version import lab_digest, lab_versions
from neonlab.lab.cache.plain import NotPlain, read
from neonlab.lab.cache.results import Results
from neonlab.lab.cluster.bundles import Bundles
from neonlab.lab.cluster.desks import Desks
from neonlab.lab.cluster.files import digest_of, packed, travels
from neonlab.lab.cluster.remote import run_units
from neonlab.lab.cluster.turns import Turns
from neonlab.lab.cluster.wire import fingerprint, units_text
from neonlab.lab.parallel.kept import Timed, timed
from neonlab.lab.parallel.pool import KernelHandle, WorkerError, Workers, handle_in
from neonlab.lab.parallel.unit import is_kept
from neonlab.lab.run.ended import Died

if TYPE_CHECKING:
    from distributed import Client

#: Seconds between looks at the cluster while no result comes, and for which it may be out of reach.
_LOOK_AGAIN, _OUT_OF_REACH = 0.5, 5.0
#: Seconds between looks at how many threads there are, and for which there may be none.
_COUNT_AGAIN, _WITHOUT_WORKERS = 5.0, 300.0
#: Times that a unit is sent again whose result was lost with the worker that had it.
_TRIES = 8


class ClusterWorkers(Workers):
    """Workers of the cluster that a client is connected to.  It is a context manager.

    Kernels that are compiled, and units that cannot be written as text, run in processes of this machine.
    """

    def __init__(self, client: Client, address: str, jobs: int | None = None, results: Results | None = None) -> None:
        super().__init__(jobs, results=results)
        self._client, self._address = client, address
        self.messages = 0  # with units, that went to the cluster
        self._threads: Mapping[str, int] = client.nthreads()
        self._since = self._heard = self._staffed = time.monotonic()
        self._archives: dict[frozenset[KernelHandle], tuple[Any, str]] = {}
        self._fingerprints: dict[KernelHandle, str] = {}
        self._known: dict[KernelHandle, KernelSources | None] = {}

    @property
    def spread(self) -> int:
        """Return the number of processes for which work is cut into units."""
        return self.results.spread or self._counted()

    def _fresh(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        ended: Callable[[int, Any], None],
        seconds: Sequence[float | None],
    ) -> Generator[Any]:
        unit = tasks[0][0] if function is timed and tasks else function
        sent = [number for number in range(len(tasks)) if self._travels(unit, handle_in(tasks[number]))]
        here = sorted(set(range(len(tasks))) - set(sent))
        local = super()._fresh(
            function,
            [tasks[number] for number in here],
            lambda index, result: ended(here[index], result),
            [seconds[number] for number in here],
        )
        remote = self._answers(function is timed, unit, tasks, sent, ended, [seconds[number] for number in sent])
        return _joined(len(tasks), frozenset(here), local, remote)

    def _travels(self, unit: Callable[..., Any], handle: KernelHandle | None) -> bool:
        """Tell whether a unit can run elsewhere; one whose result is not kept depends on more than travels."""
        if handle is None or not is_kept(unit) or Path.cwd() == Path("/"):
            return False
        if handle not in self._known:
            self._known[handle] = known_sources(self.opened(handle))
        return travels(self.opened(handle), self._known[handle])

    def _answers(
        self,
        times: bool,
        unit: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        sent: Sequence[int],
        ended: Callable[[int, Any], None],
        seconds: Sequence[float | None],
    ) -> Generator[tuple[int, Any]]:
        """Yield the number and the result of each unit that is sent, as it arrives; a Timed if `times`."""
        handles = [handle for number in sent if (handle := handle_in(tasks[number])) is not None]
        bundles = Bundles(Turns(handles, seconds), handles, seconds, self._counted)
        archive = self._archive(frozenset(handles)) if handles else None
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        asked: dict[Any, tuple[list[int], str, Any]] = {}
        tries: Counter[int] = Counter()
        desks = Desks(self._threads_now)
        self._heard = self._staffed = time.monotonic()
        try:
            while bundles.left or asked:
                while worker := self._free(desks, bundles, len(asked)):
                    together = bundles.take(desks.prepared(worker))
                    kernel = handles[together[0]]
                    found = [tasks[sent[one]][1 if times else 0 :] for one in together]
                    future = self._submit(archive, self._text(unit, found, kernel), worker)
                    desks.sent(worker, kernel)
                    asked[future.key] = together, worker, future
                    future.add_done_callback(arrived.put)
                for future in self._next(arrived):
                    together, worker, _ = asked.pop(future.key)
                    desks.answered(worker)
                    tries.update(together)
                    is_lost = future.status in ("cancelled", "lost") and self._is_there()
                    if is_lost and tries[together[0]] < _TRIES:
                        bundles.put_back(together)
                        continue
                    if _has_killed(future) and bundles.suspect(together):
                        continue
                    for one, result in zip(together, self._results(future, len(together)), strict=True):
                        bundles.ended(one, None if isinstance(result, Died) else result.seconds)
                        if isinstance(result, Died):
                            self.mourn([handles[one]])
                        result = result if times or isinstance(result, Died) else result.value
                        ended(sent[one], result)
                        yield sent[one], result
        finally:
            if asked and self._is_there():
                self._client.cancel([future for *_, future in asked.values()], force=True, reason="stopped")

    def _free(self, desks: Desks, bundles: Bundles, running: int) -> str | None:
        """Return the worker to send the next units to now; None if there is none, or nothing is left to send."""
        if not bundles.left or (bundles.is_alone and running):
            return None
        # The last units wait for a thread that is free, wherever that is, and not behind others.
        return desks.free(running, ahead=bundles.left > self._counted())

    def _text(self, unit: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], handle: KernelHandle) -> str:
        if handle not in self._fingerprints:
            self._fingerprints[handle] = fingerprint(self.opened(handle))
        return units_text(unit, tasks, self._fingerprints[handle])

    def _submit(self, archive: Any, units: str, worker: str) -> Any:
        """Send units to that worker, or to another if it has gone."""
        self.messages += 1
        files, digest = archive
        place = {"workers": [worker], "allow_other_workers": True}
        return self._client.submit(run_units, files, digest, units, lab_digest(), pure=False, **place)

    def _is_there(self) -> bool:
        return bool(self._client.status == "running")

    def _threads_now(self) -> Mapping[str, int]:
        """Return how many threads each worker of the cluster has: workers may come and go."""
        if time.monotonic() - self._since > _COUNT_AGAIN and self._is_there():
            with contextlib.suppress(OSError, TimeoutError):
                self._threads = self._client.nthreads()
            self._since = time.monotonic()
        return self._threads

    def _counted(self) -> int:
        """Return how many threads the cluster has."""
        return max(1, sum(self._threads_now().values()))

    def _archive(self, handles: frozenset[KernelHandle]) -> tuple[Any, str]:
        """Return files that have those of the kernels, as the cluster has them, and their digest."""
        for known, archive in self._archives.items():
            if handles <= known:
                return archive
        opened = [(self.opened(handle), self._known[handle]) for handle in sorted(handles, key=repr)]
        data = packed((kernel, sources) for kernel, sources in opened if sources is not None)
        self._archives[handles] = self._client.submit(bytes, data, pure=True), digest_of(data)
        return self._archives[handles]

    def _next(self, arrived: queue.SimpleQueue[Any]) -> list[Any]:
        """Return the units that ended, once there are some; none where none does for a while, as workers may have come.

        Raises InputError for a lost cluster, and one that has no workers for long.
        """
        try:
            found = [arrived.get(timeout=_LOOK_AGAIN)]
            while not arrived.empty():
                found.append(arrived.get())
        except queue.Empty:
            found = []
        now = time.monotonic()
        if found or self._is_there():
            self._heard = now
        elif now - self._heard > _OUT_OF_REACH:
            raise self._gone()
        if found or self._threads_now():
            self._staffed = now
        elif now - self._staffed > _WITHOUT_WORKERS:
            raise self._ended("it has had no worker for minutes", "start some")
        return found

    def _results(self, future: Any, count: int) -> list[Any]:
        """Return what each of so many units gave: a Timed or a Died."""
        if future.status in ("cancelled", "lost"):
            raise self._gone()
        if future.status == "error":
            return [self._failed(future)] * count
        try:
            answer = json.loads(future.result(timeout=60))
        except (OSError, TimeoutError):
            raise self._gone() from None
        worker = answer["worker"]
        if "versions" in answer:
            pairs = zip(answer["versions"], lab_versions(), strict=False)
            told = "; ".join(f"{theirs}, here {ours}" for theirs, ours in pairs if theirs != ours)
            raise InputError(
                f"--cluster {self._address}: the worker {worker} runs another neonlab: "
                f"{told or 'its sources differ'}: install the same there"
            )
        if "error" in answer:
            raise InputError(answer["error"])
        found = [result for one in answer["answers"] for result in _results_of(one)]
        if len(found) != count:
            raise WorkerError(f"the worker {worker} of the cluster gave {len(found)} results for {count} units")
        return found

    def _failed(self, future: Any) -> Any:
        """Return Died for a unit whose workers ended, again and again.  Raises InputError for what Dask refuses."""
        error = future.exception(timeout=60)
        if _has_killed(future):
            return Died("each worker of the cluster that ran it ended, until no other was tried")
        if isinstance(error, (ImportError, AttributeError)):
            raise InputError(
                f"--cluster {self._address}: a worker has no neonlab like this one ({error}): install the same there"
            )
        raise WorkerError(f"a worker of the cluster failed: {type(error).__name__}: {error}")

    def _gone(self) -> InputError:
        return self._ended("the scheduler is gone", "start it")

    def _ended(self, what: str, advice: str) -> InputError:
        """Return the error for a cluster of which `what` is true, and write what it has computed."""
        self.results.write()
        kept = "; what ended is kept, and is not run again" if self.results.is_on else ""
        return InputError(f"--cluster {self._address}: {what}{kept}: {advice}, and run the command again")


def _has_killed(future: Any) -> bool:
    """Tell whether units were given up because each worker that ran them ended."""
    from distributed.scheduler import KilledWorker

    return future.status == "error" and isinstance(future.exception(timeout=60), KilledWorker)


def _results_of(answer: dict[str, str]) -> list[Any]:
    """Return what a worker says of the units of an answer: a Timed of each, or a Died of one."""
    if "error" in answer:
        raise InputError(answer["error"])
    if "died" in answer:
        return [Died(answer["died"])]
    try:
        return [Timed(*one) for one in read(answer["value"])]
    except (KeyError, NotPlain, TypeError):
        raise WorkerError(answer.get("defect") or "a worker of the cluster gave no result") from None


def _joined(
    count: int, here: Collection[int], local: Generator[Any], remote: Generator[tuple[int, Any]]
) -> Generator[Any]:
    """Yield all results in order: the next of those here, or that of a unit that travelled."""
    waiting: dict[int, Any] = {}
    with contextlib.closing(local), contextlib.closing(remote):
        for number in range(count):
            if number in here:
                yield next(local)
                continue
            while number not in waiting:
                arrived, result = next(remote)
                waiting[arrived] = result
            yield waiting.pop(number)
