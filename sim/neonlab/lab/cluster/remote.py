"""Run on a worker of a Dask cluster: hand units of work to a process beside it, and wait for them.

A kernel that ends its process, or never ends, costs that process alone, as on one machine.  Only when the whole worker
ends does the scheduler give the unit to another.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.lab.cache.lab_version import lab_digest, lab_versions
from neonlab.lab.cluster.files import placed, to_place
from neonlab.lab.cluster.wire import each_alone, without

#: Seconds between looks whether units are still wanted.
_LOOK_AGAIN = 0.25
#: Times that units are tried where the process that runs them ends, which no kernel can do to it.
_TRIES = 3


def run_units(archive: bytes, digest: str, units: str, lab: str) -> str:
    """Run the units of a text on the files of an archive of that digest, and return what they give, as JSON.

    It raises nothing for a unit's fault.  `lab` is the digest of the caller's lab, which must be the one that is
    installed here.
    """
    from distributed import get_worker

    worker = get_worker()
    if lab != lab_digest():
        return json.dumps({"worker": worker.address, "versions": lab_versions()})
    key = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state in ("executing", "long-running")

    try:
        place = placed(archive, digest, Path(worker.local_directory) / "neonlab")
    except (InputError, OSError) as error:
        return json.dumps({"worker": worker.address, "error": f"worker {worker.address}: {error}"})
    return json.dumps({"worker": worker.address, "answers": _answers(to_place(units, place), place, worker, wanted)})


def _answers(units: str, place: Path, worker: Any, wanted: Callable[[], bool]) -> list[dict[str, str]]:
    """Return what units give, whose files are at `place`: all in one answer, or each in its own where one has a fault.

    What ended their process is not known then, so each is run again, alone.
    """
    together = _answer(units, place, worker, wanted)
    alone = each_alone(units)
    if "value" in together or len(alone) == 1:
        return [together]
    return [_answer(one, place, worker, wanted) for one in alone if wanted()]


def _answer(units: str, place: Path, worker: Any, wanted: Callable[[], bool]) -> dict[str, str]:
    """Return what units give that one process runs, or what is wrong."""
    for _ in range(_TRIES):
        found = _host(worker.state.nthreads).ask({"units": units, "place": str(place)}, wanted)
        if found is not None:  # a value has its names of files as they are at home
            return {name: said if name == "value" else without(str(said), str(place)) for name, said in found}
    return {"error": f"worker {worker.address}: processes cannot be had there"}


class _Host:
    """The process that runs units for this worker."""

    def __init__(self, jobs: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "neonlab.lab.cluster.host", str(jobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self._asked: dict[int, Future[Any]] = {}
        self._number = 0
        self.over = False
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, sent: dict[str, str], wanted: Callable[[], bool]) -> list[tuple[str, Any]] | None:
        """Run units and return what was found; None where the process ended.  What is not wanted is ended."""
        found: Future[Any] = Future()
        with self._lock:
            self._number += 1
            number = self._number
            self._asked[number] = found
        self._say({"number": number, **sent})
        told = False
        while True:
            try:
                return found.result(_LOOK_AGAIN)  # type: ignore[no-any-return]
            except StillRunning:
                if self.over:
                    return None
                if not told and not wanted():
                    told = True
                    self._say({"number": number})

    def _say(self, words: dict[str, Any]) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(words) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._lock:
                asked = self._asked.pop(answer.pop("number"), None)
            if asked is not None:
                asked.set_result(list(answer.items()))
        self.over = True
        self._process.wait()


_hosts: list[_Host] = []
_starting = threading.Lock()


def _host(jobs: int) -> _Host:
    """Return the process of this worker, which is started by the first unit and after its end."""
    with _starting:
        if not _hosts or _hosts[0].over:
            _hosts[:] = [_Host(jobs)]
        return _hosts[0]
