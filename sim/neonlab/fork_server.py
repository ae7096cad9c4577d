"""What worker processes come from: a process that imports the lab once, while the command still reads its input.

Workers fork from it, so a new one after a crash costs nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

from neonlab.emulate.compiling import TOLD


def start_early(module: str = "neonlab.profiling") -> None:
    """Have `module` imported by what workers come from, unless that runs already; workers import what they miss."""
    if _forks():
        from multiprocessing.forkserver import ensure_running

        worker_context().set_forkserver_preload([module, "neonlab.workers"])
        ensure_running()
        os.environ[TOLD] = "1"  # of compilations, the workers tell


def worker_context() -> Any:
    """The way in which workers begin: forked from one that has imported the lab where the system can, else anew."""
    return multiprocessing.get_context("forkserver" if _forks() else "spawn")


def _forks() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()
