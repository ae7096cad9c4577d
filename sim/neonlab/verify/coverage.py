"""Which instructions of a kernel ran in its cases: a case says nothing of one that it does not come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class NotRun:
    """Instructions that no case came to, `of` all that are within reach.

    `lines` are theirs: file:line, or file:first-last where some follow each other.
    """

    instructions: int
    of: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.instructions} of {self.of} instructions ran in no case"

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {"instructions": self.instructions, "of": self.of, "lines": [*self.lines]}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Addresses of the instructions that ran, and of those within reach that did not, with their file and line."""

    ran: frozenset[int] = frozenset()
    missed: Mapping[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def not_run(self) -> NotRun | None:
        """What is left out; None where nothing is."""
        if not self.missed:
            return None
        return NotRun(len(self.missed), len(self.ran) + len(self.missed), tuple(_ranges(self.missed.values())))


def joined(parts: Iterable[Coverage]) -> Coverage:
    """What the cases of all parts ran, and what all of them missed."""
    ran: set[int] = set()
    missed: dict[int, tuple[str, int]] = {}
    for part in parts:
        ran |= part.ran
        missed |= part.missed
    return Coverage(frozenset(ran), {address: missed[address] for address in sorted(missed) if address not in ran})


def _ranges(places: Iterable[tuple[str, int]]) -> list[str]:
    """The lines file by file, neighbours together."""
    found: list[tuple[str, int, int]] = []
    for path, line in sorted(set(places)):
        if found and found[-1][0] == path and found[-1][2] + 1 == line:
            found[-1] = (path, found[-1][1], line)
        else:
            found.append((path, line, line))
    return [f"{path}:{first}" if first == last else f"{path}:{first}-{last}" for path, first, last in found]
