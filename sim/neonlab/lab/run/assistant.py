"""A process that answers one question after another, and that nobody has to wait for.

Nothing that stands in a kernel's file can harm who asks.  Who waits can be called away; the process then finishes what
it was asked, or is ended when that takes too long for the next question.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from pebble import ProcessFuture

from neonlab.errors import InputError
from neonlab.lab.run.workers import Died, Workers

_TIME_LIMIT = 60.0
_PATIENCE = 1.0  # seconds that a question nobody waits for any more may keep the next one waiting
INTERRUPTED = Died("interrupted")
T = TypeVar("T")


class Assistant:
    """One process, begun by the first question.  A context manager; asked from one thread, `leave` from any."""

    def __init__(self) -> None:
        self._workers = Workers(1, _TIME_LIMIT)
        self._changed = threading.Condition()
        self._running: ProcessFuture[Any] | None = None
        self._left = False

    def __enter__(self) -> Assistant:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()

    def restart(self) -> None:
        """What the process has imported counts no longer."""
        self._workers.__exit__()
        self._workers, self._running = Workers(1, _TIME_LIMIT), None

    def ask(self, function: Callable[..., T], *task: Any) -> T | Died | InputError:
        """What `function(*task)` returns there; how it ended, what it says is wrong, or INTERRUPTED."""
        before = self._running
        in_time = before is None or self._wait(before, _PATIENCE)
        if self._left:
            return INTERRUPTED
        if before is not None and not in_time:
            before.cancel()
        asked = self._running = self._begin(function, task)
        if not self._wait(asked):
            return INTERRUPTED
        try:
            answer: T | Died = self._workers.result(asked)
        except InputError as error:
            return error
        except CancelledError:
            return INTERRUPTED
        return answer

    def leave(self) -> None:
        """Who waits for an answer, or asks for one, gets INTERRUPTED, until `resume`."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def end(self) -> None:
        """End what runs: who waits for it gets INTERRUPTED."""
        if self._running is not None:
            self._running.cancel()

    def resume(self) -> None:
        """Answer again."""
        self._left = False

    def _begin(self, function: Callable[..., object], task: tuple[Any, ...]) -> ProcessFuture[Any]:
        asked = self._workers.begin(function, *task)
        asked.add_done_callback(self._tell)
        return asked

    def _tell(self, _asked: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self, asked: ProcessFuture[Any], seconds: float | None = None) -> bool:
        """Whether it is done; where it is not, somebody called, or the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: asked.done() or self._left, seconds)
        return asked.done()
