"""Create a repository: a kernel for each instruction set, their operator, tests, CI, baselines, and neonlab itself."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

from neonlab.errors import InputError

#: The place of each file of the template in the repository.
_PLACES = {
    "README.md": "README.md",
    "asm/armv7/add_s8_saturated.S": "asm/armv7/add_s8_saturated.S",
    "asm/armv8/add_s8_saturated.S": "asm/armv8/add_s8_saturated.S",
    "gitignore": ".gitignore",
    "kernels/add.py": "kernels/add.py",
    "pyproject.toml": "pyproject.toml",
    "tests/test_add.py": "tests/test_add.py",
    "workflows/kernels.yml": ".github/workflows/kernels.yml",
}


def start_repository(folder: Path) -> list[Path]:
    """Write the files into `folder`, which is new or empty except for .git, and return their paths.  Raises InputError.

    `regression.measure_baselines` writes the baselines, and `bring_along` neonlab itself.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(path.name for path in folder.iterdir() if path.name != ".git")
        if there:
            raise InputError(f"{folder}: not empty (it holds {there[0]}): name a new folder")
        template = files("neonlab.lab.start") / "template"
        written = []
        for source, place in _PLACES.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((template / source).read_bytes())
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return written


def bring_along(folder: Path, name: str, wheel: bytes) -> list[Path]:
    """Write the wheel `name` and requirements that install it, and return the paths.  Raises InputError."""
    requirements = (files("neonlab.lab.start") / "template" / "requirements.txt").read_text(encoding="utf-8")
    written = {
        folder / "vendor" / name: wheel,
        folder / "requirements.txt": requirements.replace("@WHEEL@", name).encode(),
    }
    try:
        for path, contents in written.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(contents)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return list(written)


def commit_all(folder: Path) -> str:
    """Make `folder` a git repository and commit all of it; return the result in words.

    Nothing is done if the folder is in a repository already.  Without git, or if git has no name and address for the
    commit, the files stay uncommitted.
    """
    if not _git(folder, "--version")[0]:
        return "no git repository: git is not installed"
    if _git(folder, "rev-parse", "--show-toplevel")[0]:
        return "not committed: the folder lies in a git repository already"
    for command in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Begin with one kernel for each instruction set"),
    ):
        done, said = _git(folder, *command)
        if not done:
            return f"not committed: git {command[0]}: {said}"
    return "a git repository with one commit"


def _git(folder: Path, *arguments: str) -> tuple[bool, str]:
    """Return whether git succeeded, and the last line of its output."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        return False, error.strerror or str(error)
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return done.returncode == 0, lines[-1] if lines else ""
