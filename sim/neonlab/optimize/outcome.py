"""The result of an optimization: plain values, ready to be displayed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.bands import is_blurred
from neonlab.measure.shape import Shape

if TYPE_CHECKING:
    from neonlab.optimize.loop.code import Change
    from neonlab.optimize.tiles import OtherTile


class Standing(StrEnum):
    """The word for what was shown of the new kernel; none of them ever stands for another."""

    PROVED = "proved"  # equal to the reference for every input, at all small shapes that run the new code
    EXACT = "exact on all cases, not proved"  # right on every case that `check` tries; the reason says why no more
    UNCHANGED = "no cheaper loop found"  # nothing was written


@dataclass(frozen=True, slots=True)
class LoopFigures:
    """Cycles of an iteration in the steady state, all data in the nearest cache, and what the loop is made of.

    `ports` and `dispatch` are lower bounds for any order of the same instructions, of an iteration too.  `instructions`
    is the number of those in the loop, which does `times` iterations of the kernel's; `mnemonics` has how many of each.
    """

    cycles: float
    instructions: int
    ports: float
    dispatch: float
    mnemonics: Mapping[str, int]
    times: int = 1

    @property
    def bound(self) -> float:
        """Return the larger of the bounds."""
        return max(self.ports, self.dispatch)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "cycles": round(self.cycles, 3), "instructions": self.instructions,
            "iterations": self.times,
            "bounds": {"ports": round(self.ports, 3), "dispatch": round(self.dispatch, 3)},
            "mnemonics": dict(self.mnemonics),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that was thrown away: what had been changed in it, its cycles, and what was wrong with it."""

    changes: tuple[Change, ...]
    cycles: float
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "changes": [change.name for change in self.changes],
            "cycles": round(self.cycles, 3),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Optimized:
    """What was found for a kernel's hot loop on a core.

    `code` is the digest of the kernel's code.  `old` and `new` are the figures of the loop; `new` is `old` where
    nothing was found.  `place` says where the loop stands.  `ahead` are the instructions that run an iteration of the
    new loop ahead.  `tried` is the number of orders that were costed.  `call_before` and `call_after` are the cycles of
    the whole call at `shape`, warm.  `proved` and `checked` count the shapes and the cases of the judgement.  `text` is
    the new file, `original` the old one with the same includes in it; `old_body` and `new_body` are the loops without
    their branch.

    No order of the instructions of `new` takes fewer cycles than `least`.  None in the same registers, in two stages at
    most, that takes the same cycles in every iteration, takes fewer than `steady`.  0 says that no such bound is known.
    `untried` says why CP-SAT was not asked, where it could be.  `tiles` are other kernels of the operator whose whole
    call takes fewer cycles than `call_after`.
    """

    kernel: str
    path: str
    isa: str
    core: str
    code: str
    shape: Shape
    seed: int
    steps: int
    place: str
    share: float
    old: LoopFigures
    new: LoopFigures
    changes: tuple[Change, ...]
    ahead: int
    tried: int
    call_before: int
    call_after: int
    standing: Standing
    reason: str = ""
    proved: int = 0
    checked: int = 0
    held: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    stopped: bool = False
    least: float = 0.0
    steady: float = 0.0
    untried: str = ""
    tiles: tuple[OtherTile, ...] = ()
    original: str = ""
    text: str = ""
    old_body: tuple[Instruction, ...] = ()
    new_body: tuple[Instruction, ...] = ()

    @property
    def is_better(self) -> bool:
        """Tell whether a cheaper loop was found that is right."""
        return self.standing is not Standing.UNCHANGED

    @property
    def is_blurred(self) -> bool:
        """Tell whether the cycles of the whole call differ by no more than the core's model can tell."""
        return is_blurred(self.core, self.call_before, self.call_after)

    @property
    def word(self) -> str:
        """Return the standing with its reason."""
        return f"{self.standing.value}: {self.reason}" if self.reason else self.standing.value

    def diff(self, name: str = "", old: str = "") -> str:
        """Return the change as a unified diff; `name` is the new file's, `old` the old one's, else where it is."""
        if not self.is_better:
            return ""
        old = old or self.path
        lines = difflib.unified_diff(
            self.original.splitlines(keepends=True), self.text.splitlines(keepends=True), old, name or old
        )
        return "".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "core": self.core,
            "code": self.code,
            "shape": str(self.shape),
            "loop": self.place,
            "share": round(self.share, 4),
            "before": self.old.to_json(),
            "after": self.new.to_json(),
            "changes": [
                {"name": one.name, "places": one.places, "reason": one.reason} for one in self.changes
            ],
            "ahead": self.ahead,
            "least": {"any": round(self.least, 3) or None, "steady": round(self.steady, 3) or None},
            "untried": self.untried or None,
            "tiles": [one.to_json() for one in self.tiles],
            "tried": self.tried,
            "call_cycles": {"before": self.call_before, "after": self.call_after},
            "status": self.standing.value,
            "reason": self.reason or None,
            "shapes_proved": self.proved,
            "cases_checked": self.checked,
            "held": list(self.held),
            "refused": [one.to_json() for one in self.refused],
            "stopped": self.stopped,
            "diff": self.diff(),
        }  # fmt: skip
