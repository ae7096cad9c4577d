"""The command in a process of its own, as a person would run it; and git repositories to run it in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def neonlab(*arguments: str, cwd: Path = ROOT, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from neonlab.cli import main; main()", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular, whatever the machine's own configuration."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def copy_library(root: Path) -> Path:
    """The kernels and operators of this repository, in a folder of their own."""
    for name in ("asm", "kernels"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root
