"""Lay a hot loop out flat, as it executes: each instruction with its cycles, what it waited for, and its ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neonlab.report.wait_words import place_text

if TYPE_CHECKING:
    from neonlab.measure.loop.report import LoopLine, LoopReport

_SHOWN = 0.005  # cycles
_NO_WAIT = "issue width"


@dataclass(frozen=True, slots=True)
class FlatRow:
    """One instruction of an iteration: `cycles` attributed to it, `label` of its line, and words for the rest.

    `place` is the line with its file in words.
    """

    cycles: float
    label: str
    instruction: str
    ports: str
    waits: str
    place: str


def flat_rows(report: LoopReport) -> Iterator[FlatRow]:
    """Yield the instructions of one iteration in the order in which they execute, with registers as they are encoded.

    The cycles add up to those of the iteration.
    """
    for line in report.lines:
        yield FlatRow(
            sum(line.stalled.values()), report.label(line), line.instruction, line.ports, _waits(report, line),
            place_text(line),
        )  # fmt: skip


def flat_title(report: LoopReport) -> str:
    """Return how often and how long, in words."""
    return (
        f"as it executes, {report.iterations:,} times: {report.instructions} instructions, "
        f"{report.cycles:.4g} cycles at best"
    )


def cycles_text(cycles: float) -> str:
    """Return the cycles of an instruction in six columns; a point for none."""
    return f"{cycles:6.2f}" if cycles >= _SHOWN else f"{'·':>6}"


def _waits(report: LoopReport, line: LoopLine) -> str:
    """Return the causes, the longest first, and the instruction whose result it waited for."""
    causes = sorted(line.stalled.items(), key=lambda one: -one[1])
    shown = [cause for cause, cycles in causes if cycles >= _SHOWN and cause != _NO_WAIT]
    if not shown:
        return ""
    words = ", ".join(shown)
    if line.waits_for is None:
        return words
    producer = report.lines[line.waits_for]
    return f"{words}: {producer.instruction.partition(' ')[0]} ({report.label(producer)})"
