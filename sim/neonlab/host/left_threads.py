"""End the process though a thread computes that nobody waits for.

Python ends such a thread when it next asks for the interpreter.  Within compiled code that aborts the process.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

_left: list[threading.Thread] = []


def leave(thread: threading.Thread) -> None:
    """Let the process end without waiting for a daemon thread, which goes on until then."""
    _left.append(thread)


def end(status: int) -> NoReturn:
    """End the process with this status, at once where a thread was left that still computes.

    Nothing that is registered to be done at the end is done then: it would take away the code that the thread runs.
    """
    if any(thread.is_alive() for thread in _left):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)
    sys.exit(status)
