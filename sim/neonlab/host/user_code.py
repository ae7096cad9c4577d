"""Running what a person's Python file defines: whatever it raises is told with the file's line, as bad input."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from neonlab.errors import InputError
from neonlab.host.interrupts import is_interrupt


class UserCodeError(InputError):
    """A person's Python file raised, exited, or gave back what it should not; `str()` names its line."""


@contextmanager
def mistakes_of(folder: Path, path: Path, doing: str) -> Iterator[None]:
    """Raise what `mistake` makes of what the block raises."""
    try:
        yield
    except BaseException as error:
        raise mistake(error, folder, path, doing) from None


def mistake(
    error: BaseException, folder: Path, path: Path, doing: str, kind: type[UserCodeError] = UserCodeError
) -> BaseException:
    """What to raise for an error in a person's file: a `kind` that names the last line reached of a file in `folder`.

    `path` is the file to name where no line was reached, `doing` what the lab asked of it.  SystemExit and
    KeyboardInterrupt are no exception: a file that raises them would end the command, in silence and with any status.
    An InputError stays as it is, and so does a signal that asks the command to end.
    """
    if isinstance(error, (InputError, GeneratorExit)) or is_interrupt(error):
        return error
    where = line_of(error, folder) or str(path)
    return kind(f"{where}: {told(error)}, {doing}")


def told(error: BaseException) -> str:
    """The kind of an exception and what it says, on one line."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def line_of(error: BaseException, folder: Path) -> str:
    """`file:line` of the last frame in a file below `folder`; empty where there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    found = ""
    trace: TracebackType | None = error.__traceback__
    for frame, line in traceback.walk_tb(trace):
        file = Path(frame.f_code.co_filename)
        if folder in file.parents:
            found = f"{file}:{line}"
    return found
