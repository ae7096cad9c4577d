"""Find the files that a source includes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from neonlab.host.input_file import is_file, no_file


def find_include(
    name: str, folder: Path, paths: Sequence[Path], *, own: bool, after: Path | None = None
) -> Path | None:
    """Return the file `name`, searched as C compilers do: in `folder` when `own`, then in `paths`; else None.

    For sources cut out of their build, the folders above `folder` and their include/ and src/ are searched last.
    `after` is skipped.
    """
    for candidate in _places(folder, paths, own=own):
        path = candidate / name
        try:
            if is_file(path) and (after is None or path.resolve() != after.resolve()):
                return path
        except (OSError, ValueError):
            continue
    return None


def _places(folder: Path, paths: Sequence[Path], *, own: bool) -> list[Path]:
    """Return the folders in the order of the search."""
    places = [*([folder] if own else []), *paths]
    for parent in (folder, *folder.resolve().parents):
        places += [parent, parent / "include", parent / "src"]
    return places


def where_searched(name: str, folder: Path, paths: Sequence[Path], *, own: bool) -> str:
    """Return a hint about a missing file: what has its name and is no file, or the folders searched."""
    for candidate in _places(folder, paths, own=own):
        if os.path.exists(candidate / name):  # noqa: PTH110 - Path.exists raises where a name is too long
            return str(no_file(candidate / name))
    places = list(dict.fromkeys([*([str(folder)] if own else []), *map(str, paths), str(folder)]))
    return (
        f"searched {', '.join(places)}, then every folder above {folder} with its include/ and src/; "
        "name another folder with -I"
    )
