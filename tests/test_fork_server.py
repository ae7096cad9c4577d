"""Interrupting a command while what its workers come from, and they themselves, are being started."""

from __future__ import annotations

import os
import signal
import time

import pytest
from tests.command_line import started


@pytest.mark.parametrize("seconds", [0.6, 1.0, 1.3, 1.6, 2.0, 3.0])
def test_a_command_that_is_interrupted_stops_without_a_traceback(seconds: float) -> None:
    with started("check") as command:
        time.sleep(seconds)
        os.killpg(command.pid, signal.SIGINT)
        output, errors = command.communicate(timeout=60)
    assert (command.returncode, output) == (130, "")
    assert "Traceback" not in errors
