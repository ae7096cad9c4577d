"""Limit the processor time of a task, so that a busy computer does not make a right kernel fail.

The limit ends code that never returns to Python too, such as an emulated guest or a compiled loop.  The compilation of
native code is not counted: the first task on a machine would pay for all others.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

#: Most seconds of processor time of one task; the step budget ends an endless loop of the guest long before.
TIME_LIMIT = 300.0
#: A task that waits ends when so many times its limit have passed.
_WAITING = 10
#: Of systems that count processor time.  Elsewhere all that passes counts.
_COUNTS = hasattr(signal, "setitimer")
#: What a process returns that its limit ended.
OVER = -signal.SIGPROF if _COUNTS else None
_stopped: list[float] = []  # what the timer had left at each `stop` that `go_on` has not answered; 0 where none ran


def seconds_that_may_pass(limit: float) -> float:
    """Return the seconds that may pass until a task ends that has `limit` seconds of processor time."""
    return limit * _WAITING if _COUNTS else limit


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End this process once the block has taken so many seconds of processor time, in all of its threads."""
    if not _COUNTS:
        yield
        return
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def stop() -> None:
    """Count nothing until `go_on` is called once for each call of this."""
    _stopped.append(signal.setitimer(signal.ITIMER_PROF, 0)[0] if _COUNTS else 0)


def go_on() -> None:
    """Count again what this process computes, if it did before `stop`."""
    left = _stopped.pop()
    if left:
        signal.setitimer(signal.ITIMER_PROF, left)
