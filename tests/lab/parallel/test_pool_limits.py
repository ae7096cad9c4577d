"""The limit counts what a task computes, not how long a busy computer takes for it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from tests.lab.parallel.busy import busy

from neonlab.emulate.native import compiled
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


def compiles(statements: int) -> str:
    """Have numba compile a function of so many statements, which takes more than a second."""
    source = "\n".join(
        ["def long(x):", *(f"    x = x * {n} + (x >> {n % 7})" for n in range(statements)), "    return x"]
    )
    names: dict[str, Any] = {}
    exec(source, names)
    begin = time.process_time()
    compiled(names["long"])(np.int64(1))
    return "compiled" if time.process_time() - begin > 0.8 else "too short to show anything"


@pytest.mark.slow
def test_compilation_is_not_counted_and_what_comes_after_it_is() -> None:
    with Workers(1, time_limit=0.4) as workers:
        assert list(workers.run(compiles, [(300,)])) == ["compiled"]
        assert list(workers.run(compiles_and_computes, [(50,)])) == [Died("no end within 0.4 s of processor time")]


def compiles_and_computes(statements: int) -> str:
    """Compile as `compiles` does, and compute for a minute."""
    compiles(statements)
    return busy(60.0)
