"""Run one task at a time in a thread beside the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Self

from neonlab.host.left_threads import leave

#: Seconds for a task when the server ends.  What its thread computes itself cannot be cut short: the thread then ends
#: with the process.
_WAIT = 1.0


class OneTask:
    """Runs one task at a time.  It is a context manager; `name` is that of the thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._end()
        if self._thread is not None:
            self._thread.join(_WAIT)
            leave(self._thread)

    @property
    def is_busy(self) -> bool:
        """Tell whether a task is under way."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Ask the task to end soon; a task that cannot goes on."""

    def _end(self) -> None:
        """End what the task waits for, since the server ends."""

    def _start(self, task: Callable[..., None], *arguments: Any) -> bool:
        """Start a task; return False and do nothing while another is under way."""
        if self.is_busy:
            return False
        self._thread = threading.Thread(target=task, args=arguments, name=self._name, daemon=True)
        self._thread.start()
        return True
