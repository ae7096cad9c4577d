"""The limit counts what a task computes, not how long a busy computer takes for it."""

from __future__ import annotations

import time

from tests.lab.parallel.busy import busy

from neonlab.lab.parallel.pool import Workers
from neonlab.lab.run.ended import Died


def waits(seconds: float) -> str:
    """Let so many seconds pass, as on a computer that does other work."""
    time.sleep(seconds)
    return "waited"


def test_what_computes_too_long_ends_and_what_is_kept_waiting_does_not() -> None:
    with Workers(1, time_limit=0.4) as workers:
        assert list(workers.run(waits, [(1.0,)])) == ["waited"]
        assert list(workers.run(busy, [(60.0,), (0.01,)])) == [Died("no end within 0.4 s of processor time"), "done"]


def test_what_never_wakes_ends_in_the_end() -> None:
    with Workers(1, time_limit=0.1) as workers:
        assert list(workers.run(waits, [(600.0,)])) == [Died("no end within 1 s")]


def test_a_task_does_not_pay_for_the_one_before_it() -> None:
    with Workers(1, time_limit=0.5) as workers:
        assert list(workers.run(busy, [(0.3,), (0.3,), (0.3,)])) == ["done"] * 3
        assert list(workers.run(waits, [(0.7,)])) == ["waited"]
