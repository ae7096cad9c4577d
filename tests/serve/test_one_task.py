"""A task that cannot be cut short ends with the process, which does not wait for it."""

from __future__ import annotations

import threading

from neonlab.host import left_threads
from neonlab.serve.one_task import OneTask


class Patient(OneTask):
    """Waits until it is let go."""

    def __init__(self) -> None:
        super().__init__("patient")
        self.ended, self.let_go = False, threading.Event()

    def begin(self) -> bool:
        return self._start(self._wait)

    def _wait(self) -> None:
        self.let_go.wait()

    def _end(self) -> None:
        self.ended = True


def test_a_task_that_goes_on_is_left_to_the_end_of_the_process() -> None:
    with Patient() as task:
        assert task.begin() and not task.begin()
    try:
        assert task.ended and task.is_busy
        assert [thread.name for thread in left_threads._left if thread.is_alive()] == ["patient"]
    finally:
        task.let_go.set()
