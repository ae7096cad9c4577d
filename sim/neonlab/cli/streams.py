"""Prepare the standard streams, which may be closed, full, without a reader, or in an ASCII locale."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Any

from neonlab.errors import InputError


def open_streams() -> None:
    """Make the standard streams writable.  Raises InputError if standard output is closed.

    A closed descriptor would be reused by the next file that is opened, and output would go there.
    """
    closed = [number for number in range(3) if _is_closed(number)]
    for number in closed:
        held = os.open(os.devnull, os.O_RDWR)
        if held != number:
            os.dup2(held, number)
            os.close(held)
    if 2 in closed:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - open as long as the process is
    if 1 not in closed and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _named_output(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # The locale C has only ASCII.  UTF-8 is what git and compilers print there, and what Python itself does
            # unless PYTHONUTF8=0.  File names, which may be any bytes, are printed unchanged.
            ascii_only = stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646")
            encoding = "utf-8" if ascii_only else stream.encoding
            unicode = encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(encoding=encoding, errors="surrogateescape" if unicode else "backslashreplace")
    if 1 in closed:
        raise InputError("standard output is closed: there is nowhere to write to")


class _Output(io.FileIO):
    """Standard output whose errors name it as the file; otherwise they would name none."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from None


#: The file name of an OSError about standard output.
STANDARD_OUTPUT = "standard output"


def _named_output(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return `stream`, which is standard output, rebuilt on an _Output."""
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(1, "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def drop_output() -> None:
    """Discard unwritten output, so that Python does not try to write it again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def end_as_pipe_without_reader() -> int:
    """End by SIGPIPE, as `git log | head -1` does, which shells show as 141.

    Status 0 would say that every kernel passed, although some may not have been tried.  With `set -o pipefail` a script
    learns that the output was cut short; without it nothing changes.
    """
    drop_output()
    if hasattr(signal, "SIGPIPE"):
        from multiprocessing import util

        util._exit_function()  # type: ignore[attr-defined]  # removes the semaphores
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return 141
