"""Assemble an edited text as if it were saved, without touching the file."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType


class Scratch:
    """A folder that mirrors the repository around `path`, except for that file and files that it includes.

    It is a context manager.  Folders on the way to these files are real, so that `..` leads to the same place as in the
    repository; everything else in them is links.  `root` is the repository or a folder above the file; if it is
    neither, the file's own folder is used.
    """

    def __init__(self, path: Path, root: Path | None) -> None:
        self._root = root if root is not None and root in path.parents else path.parent
        self._folder = tempfile.TemporaryDirectory(prefix="neonlab-")
        self._mirror = Path(self._folder.name).resolve() / self._root.name
        self._path = path
        self.path = self.of(path)

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def of(self, path: Path) -> Path:
        """Return the place of a file of the repository in this folder."""
        return self._mirror / path.relative_to(self._root)

    def holds(self, path: Path) -> bool:
        """Tell whether `path` is a file of the repository."""
        return self._root in path.parents

    def write(self, text: str, beside: Mapping[Path, str] = MappingProxyType({})) -> Path:
        """Write the file with `text`, and the other texts of included files; all other files are those on disk now."""
        texts = {self._path: text, **{path: other for path, other in beside.items() if self.holds(path)}}
        apart: dict[Path, set[str]] = {}
        for path in texts:
            folder = self._root
            for part in path.relative_to(self._root).parts:
                apart.setdefault(folder, set()).add(part)
                folder /= part
        for folder in sorted(apart, key=lambda one: len(one.parts)):
            mirror = self.of(folder)
            if mirror.is_symlink():  # no file in it differed until now
                mirror.unlink()
            mirror.mkdir(parents=True, exist_ok=True)
            _link_all(folder, mirror, apart[folder])
        for path, other in texts.items():
            place = self.of(path)
            if place.is_symlink() or not place.is_file() or place.read_text(encoding="utf-8") != other:
                place.unlink(missing_ok=True)
                place.write_text(other, encoding="utf-8", newline="")
        return self.path

    def real(self, text: str) -> str:
        """Return a message with paths in this folder replaced by those of the repository."""
        return text.replace(str(self._mirror), str(self._root))


def _link_all(folder: Path, mirror: Path, apart: set[str]) -> None:
    there = {entry.name for entry in folder.iterdir()} - apart if folder.is_dir() else set()
    for link in mirror.iterdir():
        if link.is_symlink() and link.name not in there | apart:
            link.unlink()
    for name in there:
        link = mirror / name
        if not link.is_symlink():
            link.symlink_to(folder / name)
