"""The value of a hint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonlab.measure.loop.places import LinePlace


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint: `text` says what is wrong at `places` and what to do; `kind` is its stable name.

    `before` and `after` are the cycles of one iteration, as it is and as the model has it with the change.  Both are
    None for a hint about memory traffic, which promises no cycles of the loop.  `mended` are the instructions of the
    changed loop that the model ran, without what has to be done outside the loop.
    """

    kind: str
    places: tuple[LinePlace, ...]
    text: str
    before: float | None = None
    after: float | None = None
    mended: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[int, ...]:
        """The line numbers."""
        return tuple(place.line for place in self.places)

    @property
    def gain(self) -> float:
        """The share of the loop's cycles that the change saves, by the model."""
        if self.before is None or self.after is None or not self.before:
            return 0.0
        return (self.before - self.after) / self.before

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "kind": self.kind,
            "lines": list(self.lines),
            "paths": list(dict.fromkeys(place.path for place in self.places)),
            "text": self.text,
            "cycles_before": None if self.before is None else round(self.before, 3),
            "cycles_after": None if self.after is None else round(self.after, 3),
            "mended": list(self.mended),
        }
