"""Run one process that answers questions one after another, and whose caller need not wait for it.

Code in a kernel's file cannot harm the caller.  A waiting caller can be called away; the process then finishes its
question, or is ended if that delays the next question too long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from pebble import ProcessFuture

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.run.ended import Died

_TIME_LIMIT = 60.0
_PATIENCE = 1.0  # seconds that an abandoned question may delay the next one
INTERRUPTED = Died("interrupted")
T = TypeVar("T")


class Assistant:
    """One process, started by the first question.

    It is a context manager.  Call it from one thread; only `leave` may be called from any.
    """

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
        """Forget the process and all that it imported."""
        self._workers.__exit__()
        self._workers, self._running = Workers(1, _TIME_LIMIT), None

    def ask(self, function: Callable[..., T], *task: Any, within: float | None = None) -> T | Died | InputError:
        """Return the result of `function(*task)` in the process.

        Return Died if the process ended, an InputError that was raised, or INTERRUPTED.  `within` gives a long question
        more seconds of processor time than the minute that others have.
        """
        before = self._running
        in_time = before is None or self._wait(before, _PATIENCE)
        if self._left:
            return INTERRUPTED
        if before is not None and not in_time:
            before.cancel()
        asked = self._running = self._begin(function, task, within)
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
        """Answer INTERRUPTED to every caller that waits or asks, until `resume`."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def end(self) -> None:
        """End the running question; its caller gets INTERRUPTED."""
        if self._running is not None:
            self._running.cancel()

    def resume(self) -> None:
        """Answer questions again."""
        self._left = False

    def _begin(
        self, function: Callable[..., object], task: tuple[Any, ...], within: float | None
    ) -> ProcessFuture[Any]:
        asked = self._workers.begin(function, *task, within=within)
        asked.add_done_callback(self._tell)
        return asked

    def _tell(self, _asked: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self, asked: ProcessFuture[Any], seconds: float | None = None) -> bool:
        """Tell whether it is done; False after `leave` or once the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: asked.done() or self._left, seconds)
        return asked.done()
