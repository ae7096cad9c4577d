"""Console examples in documents: what follows `$ neonlab ...` between ```console and ``` is what that prints today."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
CUT = "...\n"
_COMMAND = re.compile(r"^\$ (neonlab .*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A command and what a document shows of what it prints."""

    page: Path
    command: str
    shown: str

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command, comments=True)[1:]

    @property
    def status(self) -> int:
        """How it must end, going by what is shown."""
        return 1 if "WRONG" in self.shown else 2 if self.shown.startswith("neonlab: ") else 0

    def shows(self, printed: str) -> bool:
        return matches(self.shown, printed)

    def update(self, printed: str) -> None:
        """Write what is printed now into the document, cut where the example is cut."""
        text = self.page.read_text()
        shown = recut(self.shown, printed)
        self.page.write_text(text.replace(f"$ {self.command}\n{self.shown}", f"$ {self.command}\n{shown}"))


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    printed: str
    status: int


def examples_in(page: Path) -> list[Example]:
    text = page.read_text()
    return [Example(page, *found) for block in _BLOCK.findall(text) for found in _COMMAND.findall(block)]


def matches(shown: str, printed: str) -> bool:
    """Line by line; `...` alone on a line stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == CUT else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def recut(shown: str, printed: str) -> str:
    """Return `printed` without the lines that `...` stands for in `shown`; all of it if `shown` has no `...`.

    Lines are paired in order, those with the most words in common: figures and some words may have changed.
    """
    old, new = shown.splitlines(keepends=True), printed.splitlines(keepends=True)
    words = [[set(line.split()) for line in lines] for lines in (old, new)]
    # best[i][j]: how well old[i:] goes with new[j:], and by which step it begins.
    best = [[(0.0, "end")] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, j in itertools.product(range(len(old), -1, -1), range(len(new), -1, -1)):
        cut = i < len(old) and old[i] == CUT
        steps = []
        if i < len(old):
            steps.append((best[i + 1][j][0] - (0.0 if cut else 0.2), "close" if cut else "drop"))
        if j < len(new):
            steps.append((best[i][j + 1][0] - (0.0 if cut else 0.2), "swallow" if cut else "keep"))
        if i < len(old) and j < len(new) and not cut:
            alike = 2 * len(words[0][i] & words[1][j]) / max(1, len(words[0][i]) + len(words[1][j]))
            steps.append((best[i + 1][j + 1][0] + 2 * alike - 1, "pair"))
        best[i][j] = max(steps, default=(0.0, "end"))
    lines, i, j = [], 0, 0
    while (step := best[i][j][1]) != "end":
        lines += [new[j]] if step in ("keep", "pair") else [CUT] if step == "close" else []
        i, j = i + (step in ("close", "drop", "pair")), j + (step in ("swallow", "keep", "pair"))
    return "".join(lines)


def run_together(commands: Sequence[Sequence[str]], timeout: float = 600) -> list[Done]:
    """Run commands one after another in one process of their own, which starts and imports once for all of them.

    `printed` is standard output and then standard error.
    """
    run = [sys.executable, "-m", "tests.console"]
    said = json.dumps([list(arguments) for arguments in commands])
    done = subprocess.run(run, cwd=ROOT, input=said, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return [Done(*found) for found in json.loads(done.stdout)]


def _serve() -> None:
    from neonlab.cli import run

    found = []
    for arguments in json.load(sys.stdin):
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            status = run(arguments)
        found.append((printed.getvalue() + said.getvalue(), status))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    _serve()
