"""Start the process that workers fork from, which imports the lab once while the command still reads its input.

A new worker after a crash then costs nothing.
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

#: There are as many workers as cores, so threads within a worker's matrix products would only compete.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
#: The environment variable that names the module for that process to import.
PRELOADED = "NEONLAB_PRELOADED"


def start_early(module: str = "neonlab.lab.run.profile") -> None:
    """Start the process that workers fork from, with `module` imported, unless it runs; workers import the rest."""
    if _forks():
        from multiprocessing.forkserver import ensure_running

        worker_context().set_forkserver_preload(["neonlab.lab.parallel.forked_from"])
        with _environment({**_ONE_THREAD, PRELOADED: module}), interrupts_ignored():
            ensure_running()
        os.environ[TOLD] = "1"  # the workers report compilations


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for processes that start in this block; variables that are set already stay."""
    added = {name: value for name, value in changes.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def worker_context() -> Any:
    """Return the way to start workers: forked from the process that imported the lab if the system can, else new."""
    return _Forked() if _forks() else _Anew()


class _LabAlone:
    """A process that does not import the main program, since it runs only the lab's code.

    The main program may be a script that calls the lab at its top level, and would do so again in every worker.
    """

    def start(self) -> None:
        """Start the process."""
        main = sys.modules["__main__"]
        # multiprocessing does not import a package's __main__ module, since that runs when imported.
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
