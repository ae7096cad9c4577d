"""A place where an edited text is assembled as if it were saved, without touching the file."""

from __future__ import annotations

import tempfile
from pathlib import Path


class Scratch:
    """A folder that looks like the repository around `path` but for that one file.  A context manager.

    Folders on the way to the file are real ones, so that `..` leads from it where it does in the repository; all else
    in them is links.  `root` is the repository, or a folder above the file; the file's own folder where it is not.
    """

    def __init__(self, path: Path, root: Path | None) -> None:
        self._path = path
        self._root = root if root is not None and root in path.parents else path.parent
        self._folder = tempfile.TemporaryDirectory(prefix="neonlab-")
        self._mirror = Path(self._folder.name).resolve() / self._root.name
        self.path = self._mirror / path.relative_to(self._root)

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def write(self, text: str) -> Path:
        """The file with `text` in it, beside what is beside it on disk now."""
        below = self._path.relative_to(self._root).parts
        real, mirror = self._root, self._mirror
        for part in below:
            mirror.mkdir(parents=True, exist_ok=True)
            _link_all(real, mirror, apart=part)
            real, mirror = real / part, mirror / part
        if not self.path.is_file() or self.path.read_text(encoding="utf-8") != text:
            self.path.write_text(text, encoding="utf-8", newline="")
        return self.path

    def real(self, text: str) -> str:
        """A message with the names of the repository's files in it instead of those here."""
        return text.replace(str(self._mirror), str(self._root))


def _link_all(folder: Path, mirror: Path, *, apart: str) -> None:
    there = {entry.name for entry in folder.iterdir()} - {apart}
    for link in mirror.iterdir():
        if link.is_symlink() and link.name not in there:
            link.unlink()
    for name in there:
        link = mirror / name
        if not link.is_symlink():
            link.symlink_to(folder / name)
