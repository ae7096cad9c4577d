"""Describe which instructions of a kernel ran in its cases; a case shows nothing about code that it does not run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class NotRun:
    """Instructions that no case ran, `of` all that are reachable.

    `lines` gives their places as file:line, or as file:first-last for consecutive lines.
    """

    instructions: int
    of: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.instructions} of {self.of} instructions ran in no case"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"instructions": self.instructions, "of": self.of, "lines": [*self.lines]}


@dataclass(frozen=True, slots=True)
class Extent:
    """Bytes of code that a call executed: each once, and as often as it did."""

    different: int
    executed: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The addresses of instructions that ran, and of reachable ones that did not, with their file and line."""

    ran: frozenset[int] = frozenset()
    missed: Mapping[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def not_run(self) -> NotRun | None:
        """Return the instructions that no case ran; None if all ran."""
        if not self.missed:
            return None
        return NotRun(len(self.missed), len(self.ran) + len(self.missed), tuple(_ranges(self.missed.values())))


def joined(parts: Iterable[Coverage]) -> Coverage:
    """Return the coverage of all parts together: what any of them ran, and what none of them ran."""
    ran: set[int] = set()
    missed: dict[int, tuple[str, int]] = {}
    for part in parts:
        ran |= part.ran
        missed |= part.missed
    return Coverage(frozenset(ran), {address: missed[address] for address in sorted(missed) if address not in ran})


def _ranges(places: Iterable[tuple[str, int]]) -> list[str]:
    """Return the lines as text, file by file, with consecutive lines joined."""
    found: list[tuple[str, int, int]] = []
    for path, line in sorted(set(places)):
        if found and found[-1][0] == path and found[-1][2] + 1 == line:
            found[-1] = (path, found[-1][1], line)
        else:
            found.append((path, line, line))
    return [f"{path}:{first}" if first == last else f"{path}:{first}-{last}" for path, first, last in found]
