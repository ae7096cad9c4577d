"""A process beside that answers questions, and that nobody has to wait for."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator

import pytest
from tests.lab.parallel.busy import busy

from neonlab.errors import InputError
from neonlab.lab.parallel.assistant import INTERRUPTED, Assistant
from neonlab.lab.run.ended import Died
from neonlab.measure.cores.caches import load_core

_LONG = 600  # seconds; longer than any question may take


@pytest.fixture(scope="module")
def assistant() -> Iterator[Assistant]:
    with Assistant() as assistant:
        yield assistant


def leave_soon(assistant: Assistant) -> threading.Timer:
    timer = threading.Timer(0.3, assistant.leave)
    timer.start()
    return timer


def test_it_answers_in_a_process_of_its_own_and_keeps_to_it(assistant: Assistant) -> None:
    process = assistant.ask(os.getpid)
    assert process != os.getpid() and assistant.ask(os.getpid) == process
    assert assistant.ask(math.factorial, 20) == math.factorial(20)


def test_what_is_wrong_with_a_question_is_its_answer(assistant: Assistant) -> None:
    assert isinstance(assistant.ask(load_core, "cortex-a99"), InputError)
    ended = assistant.ask(os._exit, 3)
    assert isinstance(ended, Died) and "3" in ended.reason and ended is not INTERRUPTED
    assert assistant.ask(math.factorial, 5) == 120


def test_who_is_called_away_does_not_wait_and_asks_nothing_until_resume(assistant: Assistant) -> None:
    process = assistant.ask(os.getpid)
    leave_soon(assistant)
    assert assistant.ask(time.sleep, 0.9) is INTERRUPTED
    assert assistant.ask(math.factorial, 5) is INTERRUPTED
    assistant.resume()
    assert assistant.ask(os.getpid) == process  # which finished what it was asked


def test_what_nobody_waits_for_and_takes_too_long_is_ended(assistant: Assistant) -> None:
    process = assistant.ask(os.getpid)
    leave_soon(assistant)
    assert assistant.ask(time.sleep, _LONG) is INTERRUPTED
    assistant.resume()
    other = assistant.ask(os.getpid)
    assert isinstance(other, int) and other != process


def test_what_is_being_asked_can_be_ended(assistant: Assistant) -> None:
    timer = threading.Timer(0.3, assistant.end)
    timer.start()
    assert assistant.ask(time.sleep, _LONG) is INTERRUPTED
    assert assistant.ask(math.factorial, 5) == 120


def test_a_question_can_have_a_limit_of_its_own(assistant: Assistant) -> None:
    ended = assistant.ask(busy, _LONG, within=0.5)
    assert isinstance(ended, Died) and ended.reason == "no end within 0.5 s of processor time"
    assert assistant.ask(math.factorial, 5) == 120
