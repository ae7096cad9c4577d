"""Interrupts that come at a bad moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


SWALLOWED = """
import sys, time
from neonlab.host import interrupts

interrupts._CLEANED_UP_WITHIN = 0.3
interrupts.stop_on_signals()
try:
    interrupts.signal.raise_signal({number})
except interrupts.Stopped:
    pass  # as code in C may do
interrupts.signal.raise_signal({number})  # too soon to count
try:
    time.sleep(30)
except interrupts.Stopped as stop:
    sys.exit(stop.status)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_did_not_end_is_stopped_once_more(number: signal.Signals) -> None:
    script = SWALLOWED.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (128 + number, "")


DROPPED = """
import signal, sys, time, weakref
from neonlab.host.interrupts import Stopped, stop_on_signals

class Thing:
    pass

def callback(_reference):
    signal.raise_signal({number})
    time.sleep(0.05)

stop_on_signals()
thing = Thing()
reference = weakref.ref(thing, callback)
try:
    del thing
    time.sleep(30)
except Stopped as stop:
    sys.exit(stop.status)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_that_python_drops_comes_again(number: signal.Signals) -> None:
    script = DROPPED.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (128 + number, "")
