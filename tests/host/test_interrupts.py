"""Interrupts that come at a bad moment."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from neonlab.host.interrupts import interrupts_held, interrupts_ignored


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _as_python_has_it() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_is_held_comes_when_all_is_done() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        _interrupt()
        done = True
    assert done
    with pytest.raises(KeyboardInterrupt):
        _interrupt()


def test_an_interrupt_that_is_ignored_never_comes() -> None:
    with interrupts_ignored():
        _interrupt()
    with pytest.raises(KeyboardInterrupt):
        _interrupt()


def test_an_error_meanwhile_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), interrupts_held():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
