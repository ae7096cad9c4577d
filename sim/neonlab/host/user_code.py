"""Run code of a user's Python file, and report whatever it raises as bad input, with the file's line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from neonlab.errors import InputError
from neonlab.host.interrupts import is_interrupt


class UserCodeError(InputError):
    """Raised where a user's Python file raised, exited or returned a wrong value; `str()` names its line."""


@contextmanager
def mistakes_of(folder: Path, path: Path, doing: str) -> Iterator[None]:
    """Replace an error that the block raises by the one that `mistake` returns for it."""
    try:
        yield
    except BaseException as error:
        raise mistake(error, folder, path, doing) from None


def mistake(
    error: BaseException, folder: Path, path: Path, doing: str, kind: type[UserCodeError] = UserCodeError
) -> BaseException:
    """Return the error to raise for one in a user's file: a `kind` that names the last line reached in `folder`.

    `path` is the file to name where no line was reached; `doing` says what the lab was doing with it.  SystemExit and
    KeyboardInterrupt are converted too: raised by a file, they would end the command in silence and with any status. An
    InputError is returned as it is, and so is an interrupt by the user or the system.
    """
    if isinstance(error, (InputError, GeneratorExit)) or is_interrupt(error):
        return error
    where = line_of(error, folder) or str(path)
    return kind(f"{where}: {told(error)}, {doing}")


def told(error: BaseException) -> str:
    """Return the type of an exception and its message, on one line."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def line_of(error: BaseException, folder: Path) -> str:
    """Return `file:line` of the last frame in a file below `folder`; empty where there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    found = ""
    trace: TracebackType | None = error.__traceback__
    for frame, line in traceback.walk_tb(trace):
        file = Path(frame.f_code.co_filename)
        if folder in file.parents:
            found = f"{file}:{line}"
    return found
