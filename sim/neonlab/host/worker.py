"""End a process that computes for this one, and that hostile input may have ended already."""

from __future__ import annotations

import contextlib
import subprocess


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, wait for it, and close the pipes to it."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # unsent data for a process that has ended
                pipe.close()
