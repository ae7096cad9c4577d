"""Say in words which instruction a hot loop waits for, and why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.assemble.source import folder_and_name

if TYPE_CHECKING:
    from neonlab.measure.loop.report import LoopLine, LoopReport

#: What is waited for, by cause.  "{}" is the instruction with the result, or the ports.
_FOR = {
    "dependency": "the result of {} (dependency)",
    "load-use": "what {} loads (load-use)",
    "port": "{}",
    "branch": "the branch before it (branch)",
    "queue or window full": "room among the instructions that are under way (queue or window full)",
    "cache miss": "lines that are not in the L1 cache (cache miss)",
    "store buffer": "room for what is stored (store buffer)",
    "instruction fetch": "its own code (instruction fetch)",
}


def place_text(line: LoopLine) -> str:
    """Return a source line with its file, as `line 21 of include/dots_4x4.inc`; the address where there is none."""
    return f"line {line.line} of {folder_and_name(line.path)}" if line.line else f"at {line.address:#x}"


def brief_place(line: LoopLine) -> str:
    """Return a source line as `dots_4x4.inc:21`; the address where there is none."""
    return f"{Path(line.path).name}:{line.line}" if line.line else f"{line.address:#x}"


def label_words(report: LoopReport) -> str:
    """Return what the letters behind line numbers stand for, with an example; "" where the loop is of one file."""
    files = report.files
    if not files:
        return ""
    first = report.lines[0]
    named = ", ".join(f"{letter} is {folder_and_name(path)}" for letter, path in files.items())
    return f"{report.label(first)} is line {first.line} of a file: {named}."


def wait_words(report: LoopReport, place: Callable[[LoopLine], str] = place_text) -> str:
    """Return a sentence that names the instruction that the loop waits at, its source line, for what, and how long.

    Where several instructions of a line wait, it names one, with their number and cycles.  Instructions stand between
    backticks.  `place` writes a source line.  Returns "" where nothing is known.
    """
    wait = report.wait
    if wait is None or not report.cycles:
        return ""
    line = report.lines[wait.at]
    often = f", {wait.times} times" if wait.times > 1 else ""
    at = f"`{line.instruction}` ({place(line)}{often})"
    if wait.cause not in _FOR:
        before = report.lines[wait.at - 1]
        taken = f"{wait.cycles:.3g} of {report.cycles:.4g} cycles"
        behind = f"behind `{before.instruction}` ({place(before)}), which takes {_slots(before)}"
        own = f"it takes {_slots(line)} itself"
        return f"Waits only to be issued, longest at {at}: {taken}, {behind}; {own} (issue width)."
    what = _FOR[wait.cause].format(_reason(report, place))
    total = report.cycles + (report.missed if wait.cause == "cache miss" else 0.0)
    told = f"Waits longest at {at}: {wait.cycles:.3g} of {total:.4g} cycles, for {what}."
    others = wait.of_cause - wait.cycles
    return f"{told} All waits of this kind: {wait.of_cause:.4g} cycles." if others >= 0.5 else told


def _reason(report: LoopReport, place: Callable[[LoopLine], str]) -> str:
    wait = report.wait
    assert wait is not None
    if wait.cause == "port":
        if not wait.ports:
            return "a port that is taken (port)"
        holders = " and ".join(f"`{one}`" for one in wait.holders)
        plural = "s" if len(wait.ports) > 1 else ""
        return f"port{plural} {' and '.join(wait.ports)}" + (f", held longest by {holders}" if holders else "")
    if wait.producer is None:
        return "an instruction before the loop"
    producer = report.lines[wait.producer]
    return f"`{producer.instruction}` ({place(producer)})"


def _slots(line: LoopLine) -> str:
    return f"{line.slots} issue slot{'s' if line.slots != 1 else ''}"
