"""Finding the files that a source includes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def find_include(
    name: str, folder: Path, paths: Sequence[Path], *, own: bool, after: Path | None = None
) -> Path | None:
    """The file `name`, searched as C compilers do: in `folder` when `own`, then in `paths`.

    Then, for sources cut out of their build, in the folders above `folder` and their include/ and src/.  `after` is
    passed over.
    """
    candidates = [*([folder] if own else []), *paths]
    for parent in (folder, *folder.resolve().parents):
        candidates += [parent, parent / "include", parent / "src"]
    for candidate in candidates:
        path = candidate / name
        try:
            if path.is_file() and (after is None or path.resolve() != after.resolve()):
                return path
        except (OSError, ValueError):
            continue
    return None


def where_searched(folder: Path, paths: Sequence[Path], *, own: bool) -> str:
    """For the message about a file that is nowhere: the folders in the order of the search."""
    places = list(dict.fromkeys([*([str(folder)] if own else []), *map(str, paths), str(folder)]))
    return (
        f"searched {', '.join(places)}, then every folder above {folder} with its include/ and src/; "
        "name another folder with -I"
    )
