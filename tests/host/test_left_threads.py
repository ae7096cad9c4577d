"""A process ends with its status though a thread still computes."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, sys, threading, time
from neonlab.host.left_threads import end, leave
def work():
    deadline = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < deadline:
        time.sleep(0.01)
thread = threading.Thread(target=work, daemon=True)
thread.start()
leave(thread)
if sys.argv[1] == "0":
    thread.join()
atexit.register(lambda: print("the rest"))
print("first", end=" ")
end(7)
"""


@pytest.mark.parametrize(("seconds", "printed"), [("600", "first "), ("0", "first the rest\n")])
def test_a_thread_that_was_left_does_not_hold_up_the_end(seconds: str, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, seconds], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, printed, "")
