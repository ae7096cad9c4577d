"""Write files atomically: the old contents stay until the new contents are all on disk; and make their folders."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from neonlab.errors import InputError


def replace_file(path: Path, contents: bytes) -> None:
    """Replace the file at `path`; on an error, such as a full disk, the old file stays as it was.  Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".neonlab-")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
        beside.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_whole(path: Path, contents: bytes) -> None:
    """Write `contents` to `path`, whole or not at all.  Raises InputError where `path` cannot be written."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(contents)  # a device such as /dev/stdout has nothing to replace
        else:
            replace_file(path, contents)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be written: {reason}") from None


def make_folder(folder: Path) -> None:
    """Create `folder`, and those above it, unless it is there.  Raises InputError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot create the folder: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
