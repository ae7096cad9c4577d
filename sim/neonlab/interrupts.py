"""Ctrl-C while there is something that must not be left half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Processes that start meanwhile leave Ctrl-C to this one, which stops them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """An interrupt that comes meanwhile is raised afterwards.

    The standard library's queues do not survive one: raised while a waiting thread is being woken, it leaves behind a
    waiter that swallows the next call, so that the thread is never woken again.
    """
    raised_here = threading.current_thread() is threading.main_thread()
    if not raised_here or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # nothing is raised, or by somebody who knows when
        return
    came = False

    def remember(_number: int, _frame: FrameType | None) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt
