"""Find what the lines cost that call a macro or include a file: the cycles of all that they bring in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from neonlab.measure.run_cycles import RunCycles

_INCLUDE = re.compile(r'^[ \t]*(?:#[ \t]*include|\.include)[ \t]+"([^"\n]+)"', re.MULTILINE)
_DEEPEST = 16  # includes within includes


def inclusive_cycles(path: Path, text: str, run: RunCycles, files: Iterable[Path]) -> dict[int, int]:
    """Return the cycles of lines of the file at `path`, by line number, of all that a macro or an include brings in.

    `files` are those that ran.  A line that brings in nothing that took cycles is left out.
    """
    here = path.resolve()
    found = {call.line: call.cycles for call in run.calls_of_lines if Path(call.path).resolve() == here}
    entered = {Path(name).resolve(): cycles for name, cycles in run.entered.items()}
    known = [one.resolve() for one in files]
    for match in _INCLUDE.finditer(text):
        cycles = _within(_resolved(here, match[1], known), entered, known, _DEEPEST)
        if cycles:
            line = text.count("\n", 0, match.start()) + 1
            found[line] = found.get(line, 0) + cycles
    return {line: cycles for line, cycles in sorted(found.items()) if cycles}


def _resolved(by: Path, name: str, known: Iterable[Path]) -> Path | None:
    """Return the file that `by` includes as `name`: beside it, or one that ran and ends so."""
    beside = (by.parent / name).resolve()
    if beside.is_file():
        return beside
    parts = Path(name).parts
    return next((one for one in known if one.parts[-len(parts) :] == parts), None)


def _within(file: Path | None, entered: Mapping[Path, int], known: list[Path], depth: int) -> int:
    """Return the cycles of a file's own statements, the macros that they call, and the files that it includes."""
    if file is None or not depth:
        return 0
    own = entered.get(file, 0)
    text = file.read_text(encoding="utf-8", errors="replace")
    return own + sum(
        _within(_resolved(file, name, known), entered, known, depth - 1) for name in _INCLUDE.findall(text)
    )
