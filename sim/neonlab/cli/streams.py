"""Standard streams as a command finds them: closed, full, left by their reader, or of a locale without most letters."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Any

from neonlab.errors import InputError


def open_streams() -> None:
    """Make the standard streams fit to be written to.  Raises InputError where standard output is closed.

    A descriptor that is closed would be taken by the next file that is opened, and what is printed would go there.
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
            # The locale C has ASCII alone.  Bytes of UTF-8 are what git and compilers print there, and what Python
            # itself does unless PYTHONUTF8=0; names of files, which any bytes may be, leave as they came.
            ascii_only = stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646")
            encoding = "utf-8" if ascii_only else stream.encoding
            unicode = encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(encoding=encoding, errors="surrogateescape" if unicode else "backslashreplace")
    if 1 in closed:
        raise InputError("standard output is closed: there is nowhere to write to")


class _Output(io.FileIO):
    """Standard output, which says that it is where it cannot be written: an error from there names no file."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from None


#: What an OSError names as its file where standard output is meant.
STANDARD_OUTPUT = "standard output"


def _named_output(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Standard output as `stream` is, made of an _Output."""
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
    """Lose what could not be written, so that nothing tries to write it again as Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def end_as_pipe_without_reader() -> int:
    """End as `git log | head -1` does, by SIGPIPE, which shells show as 141.

    0 would say that every kernel passed, though nobody has seen it said and some may not have been tried; with
    `set -o pipefail` a script is told that the output was cut short, without it nothing is changed.
    """
    drop_output()
    if hasattr(signal, "SIGPIPE"):
        from multiprocessing import util

        util._exit_function()  # type: ignore[attr-defined]  # what leaves nothing behind of semaphores
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return 141
