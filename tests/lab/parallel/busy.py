"""What takes processor time, for tests of limits."""

from __future__ import annotations

import time


def busy(seconds: float) -> str:
    """Take so many seconds of processor time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"
