"""Check out a repository at a git revision into a temporary folder."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError

_LOOK_AGAIN = 0.1  # seconds between two looks at whether a result of git is still wanted


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
def tree_at(revision: str, start: Path, *, given_up: Callable[[], bool] = lambda: False) -> Iterator[Tree]:
    """Yield the repository that contains `start`, at `revision`.  Raises InputError if git knows neither.

    `given_up` is asked while git writes the files; InputError is raised once it is True.
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
        checkout = ("checkout-index", "--all", "--quiet", f"--prefix={folder}/")
        _git(repository, *checkout, failed=failed, more=index, given_up=given_up)
        yield Tree(repository.resolve(), folder, commit)


def head_of(folder: Path) -> str | None:
    """Return the commit that is checked out; None if there is none, or no git."""
    try:
        return _git(folder, "rev-parse", "--verify", "--quiet", "HEAD", failed="").strip()
    except InputError:
        return None


def _git(
    folder: Path, *arguments: str, failed: str, more: Mapping[str, str] | None = None,
    given_up: Callable[[], bool] = lambda: False,
) -> str:  # fmt: skip
    command, environment = ["git", "-C", str(folder), *arguments], {**os.environ, **(more or {})}
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
    except FileNotFoundError:
        raise InputError("git is not installed; --against needs it") from None
    with process:
        while True:
            try:
                printed, said = process.communicate(timeout=_LOOK_AGAIN)
                break
            except subprocess.TimeoutExpired:
                if given_up():
                    process.kill()
            except BaseException:
                process.kill()
                raise
    if process.returncode:
        said = said.strip().removeprefix("fatal: ")
        raise InputError(f"{failed}{f' ({said})' if said else ''}")
    return printed
