"""For the process that workers fork from, which imports it, and for no other: what all workers start with.

This module alone does something when it is imported, since there is no other way to have it done there.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from types import TracebackType

from neonlab.lab.run.fork_server import PRELOADED


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A worker that finds the semaphores gone was begun for a command that has been stopped since: it just ends.

    So does one that finds no memory: the command notices, and says so.
    """
    if not issubclass(kind, (FileNotFoundError, MemoryError)):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end

# While all is imported there is nothing to collect, and to look for it takes a seventh of the time.  What is imported
# stays, and no worker looks through it either.
gc.disable()
for module in (
    "neonlab.assemble.assembler",
    "neonlab.lab.run.workers",
    os.environ.get(PRELOADED, "neonlab.lab.run.profile"),
):
    importlib.import_module(module)
gc.freeze()
gc.enable()
