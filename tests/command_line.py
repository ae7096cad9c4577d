"""The command in a process of its own, as a person would run it; and git repositories to run it in."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from neonlab.lab.start.repository import start_repository

ROOT = Path(__file__).resolve().parents[1]


def neonlab(*arguments: str, cwd: Path = ROOT, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from neonlab.cli import main; main()", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command left running, as a group of processes of its own, which a terminal would interrupt as one.

    SIGINT ends it, even where it is ignored here, as in jobs of a shell's background.
    """
    return subprocess.Popen(
        [sys.executable, "-u", "-c", "from neonlab.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What the command still says when it is interrupted; it is killed where that does not end it."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular, whatever the machine's own configuration."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


#: The kernel of a new repository, the head of its hot loop, what it computes there, and the layer it is counted on.
ADD, HEAD, SUM, LAYER = (
    "armv8/add_s8_saturated",
    "    ldr     q0, [a], #16\n",
    "    sqadd   v0.16b, v0.16b, v1.16b\n",
    "50176",
)


def new_repository(root: Path, *more: str) -> Path:
    """A repository as `neonlab init` makes it, committed; `more` are names of copies of its kernel."""
    start_repository(root)
    for name in more:
        text = (root / "asm" / f"{ADD}.S").read_text()
        (root / "asm" / "armv8" / f"{name}.S").write_text(text.replace("add_s8_saturated", name))
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "as it was")
    return root


def edit(root: Path, old: str, new: str, title: str = ADD) -> int:
    """Replace the first `old` in a kernel of the repository; the number of its line."""
    path = root / "asm" / f"{title}.S"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1
