"""Check out a repository at a git revision into a temporary folder."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of `repository` as they were at `commit` (abbreviated), below `folder`."""

    repository: Path
    folder: Path
    commit: str

    def then(self, path: Path) -> Path:
        """Return where the file or folder `path` of the working tree is at the revision; it may not exist there.

        Raises InputError for a path outside of the repository.
        """
        path = path.resolve()
        if not path.is_relative_to(self.repository):
            raise InputError(f"{path}: is outside of the git repository {self.repository}")
        return self.folder / path.relative_to(self.repository)


@contextmanager
def tree_at(revision: str, start: Path) -> Iterator[Tree]:
    """Yield the repository that contains `start`, at `revision`.  Raises InputError if git knows neither.

    Files are checked out through a temporary index, as git would write them to a working tree.  So the repository and
    its index do not change, and all files that a kernel may include are present.
    """
    repository = Path(_git(start, "rev-parse", "--show-toplevel", failed=f"{start} lies in no git repository").strip())
    # --end-of-options: a revision that starts with a hyphen is not read as an option.
    wanted = ("rev-parse", "--verify", "--quiet", "--short", "--end-of-options", f"{revision}^{{commit}}")
    commit = _git(repository, *wanted, failed=f"git knows no revision `{revision}` in {repository}").split()[-1]
    with tempfile.TemporaryDirectory(prefix="neonlab-") as scratch:
        folder = Path(scratch).resolve() / "tree"
        folder.mkdir()
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        failed = f"{repository} at {commit} cannot be read"
        _git(repository, "read-tree", commit, failed=failed, more=index)
        _git(repository, "checkout-index", "--all", "--quiet", f"--prefix={folder}/", failed=failed, more=index)
        yield Tree(repository.resolve(), folder, commit)


def head_of(folder: Path) -> str | None:
    """Return the commit that is checked out; None if there is none, or no git."""
    try:
        return _git(folder, "rev-parse", "--verify", "--quiet", "HEAD", failed="").strip()
    except InputError:
        return None


def _git(folder: Path, *arguments: str, failed: str, more: Mapping[str, str] | None = None) -> str:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(more or {})}, check=False)
    except FileNotFoundError:
        raise InputError("git is not installed; --against needs it") from None
    if done.returncode:
        said = done.stderr.strip().removeprefix("fatal: ")
        raise InputError(f"{failed}{f' ({said})' if said else ''}")
    return done.stdout
