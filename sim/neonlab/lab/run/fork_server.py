"""What worker processes come from: a process that imports the lab once, while the command still reads its input.

Workers fork from it, so a new one after a crash costs nothing.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnContext, SpawnProcess
from typing import Any

from neonlab.host.compiling import TOLD
from neonlab.host.interrupts import interrupts_ignored

#: Workers are as many as there are cores, and the threads of one's matrix products would wait on another's.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
#: Names, in the environment, what workers come from is to import.
PRELOADED = "NEONLAB_PRELOADED"


def start_early(module: str = "neonlab.lab.run.profile") -> None:
    """Have `module` imported by what workers come from, unless that runs already; workers import what they miss."""
    if _forks():
        from multiprocessing.forkserver import ensure_running

        worker_context().set_forkserver_preload(["neonlab.lab.run.forked_from"])
        with _environment({**_ONE_THREAD, PRELOADED: module}), interrupts_ignored():
            ensure_running()
        os.environ[TOLD] = "1"  # of compilations, the workers tell


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """The environment with the changes, for processes that start meanwhile; what is set already stays."""
    added = {name: value for name, value in changes.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def worker_context() -> Any:
    """The way in which workers begin: forked from one that has imported the lab where the system can, else anew."""
    return _Forked() if _forks() else _Anew()


class _LabAlone:
    """A process that does not import the program which begins it, since what runs in it is the lab's own.

    That program may be a script that calls the lab at its top level, and would do so again in every worker.
    """

    def start(self) -> None:
        """Begin."""
        main = sys.modules["__main__"]
        # Of a package's __main__ module, which does its work when imported, multiprocessing imports nothing.
        package = ModuleSpec("neonlab.__main__", None)
        with _beginning:
            before, main.__spec__ = main.__spec__, package
            try:
                super().start()  # type: ignore[misc]
            finally:
                main.__spec__ = before


_beginning = threading.Lock()


class _ForkedProcess(_LabAlone, ForkServerProcess):
    pass


class _Forked(ForkServerContext):
    Process = _ForkedProcess


class _NewProcess(_LabAlone, SpawnProcess):
    pass


class _Anew(SpawnContext):
    Process = _NewProcess


def _forks() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()
