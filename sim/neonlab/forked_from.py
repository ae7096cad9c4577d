"""For the process that workers fork from, which imports it first, and for no other: what all workers start with.

This module alone does something when it is imported, since there is no other way to have it done there.
"""

from __future__ import annotations

import gc

# While everything is imported there is nothing to collect, and to look for it takes a seventh of the time.
gc.disable()

import sys  # noqa: E402
from types import TracebackType  # noqa: E402

import neonlab.assemble.assembler as assembler  # noqa: E402
import neonlab.workers as workers  # noqa: E402

__all__ = ["assembler", "workers"]


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A worker that finds the semaphores gone was begun for a command that has been stopped since: it just ends."""
    if not issubclass(kind, FileNotFoundError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end
