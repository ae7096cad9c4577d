"""For the process that workers fork from, which imports it, and for no other: what all workers start with.

This module alone does something when it is imported, since there is no other way to have it done there.
"""

from __future__ import annotations

import sys
from types import TracebackType

import neonlab.assemble.assembler as assembler
import neonlab.workers as workers

__all__ = ["assembler", "workers"]


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A worker that finds the semaphores gone was begun for a command that has been stopped since: it just ends."""
    if not issubclass(kind, FileNotFoundError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end
