"""Read files that a user names, and refuse all but regular files of a bounded size.

A device such as /dev/zero has no end.  Opening a FIFO without a writer blocks.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from neonlab.errors import InputError

#: Bytes of a text that a person has written.
MOST_TEXT = 16 << 20
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def is_file(path: str | Path) -> bool:
    """Tell whether a regular file is at `path`; False, too, for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where a name is too long


def is_other(path: str | Path) -> bool:
    """Tell whether something is at `path` that is neither a regular file nor a folder, such as a device."""
    return os.path.exists(path) and not is_file(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112 - as above


def no_file(path: str | Path) -> InputError:
    """Return the InputError to raise where `is_file` is False; its message names what is at `path` instead."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - takes what is no path too
    except FileNotFoundError:
        return InputError(f"{path}: no such file")
    except (OSError, ValueError) as error:
        return InputError(f"{path}: no such file: {_reason(error)}")
    return InputError(f"{path}: {_kind(mode)}, where a file is expected")


def read_input(path: str | Path, most: int = MOST_TEXT) -> bytes:
    """Return the file's bytes.

    Raises InputError for what is not a regular file, cannot be read, or has more than `most` bytes.
    """
    try:
        # Without O_NONBLOCK the opening of a FIFO waits for a writer.  The check is of the file that was opened.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        try:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                raise InputError(f"{path}: {_kind(mode)}, where a file is expected")
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(most + 1)
        finally:
            os.close(handle)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {_reason(error)}") from None
    if len(data) > most:
        raise InputError(f"{path}: larger than {most >> 20} MiB")
    return data


def read_input_text(path: str | Path, most: int = MOST_TEXT) -> str:
    """Return the file's text, decoded from UTF-8 without a byte order mark.

    Raises InputError where `read_input` does, and for bytes that are not UTF-8.
    """
    try:
        return read_input(path, most).removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text: {error.reason} at byte {error.start}") from None


def _kind(mode: int) -> str:
    return next((name for holds, name in _KINDS if holds(mode)), "no regular file")


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
