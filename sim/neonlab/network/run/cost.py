"""Say what calls of kernels do and take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cost:
    """Say what calls do and take: instructions and bytes exactly, cycles by the model of a core.

    `floor` are the cycles that their multiply-accumulates need at least on the core's multipliers, or their lines from
    memory, where that is more; 0 without multiply-accumulates.  `bound` are those of the largest lower bound of the
    model for the same instructions: ports, dispatch, dependencies or memory.  `limits` are the names of these bounds
    with the cycles of the calls that they limit.
    """

    instructions: int = 0
    loaded: int = 0
    stored: int = 0
    cycles: int = 0
    floor: float = 0.0
    bound: float = 0.0
    limits: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Cost) -> Cost:
        limits = dict(self.limits)
        for name, cycles in other.limits.items():
            limits[name] = limits.get(name, 0) + cycles
        return Cost(
            self.instructions + other.instructions,
            self.loaded + other.loaded,
            self.stored + other.stored,
            self.cycles + other.cycles,
            self.floor + other.floor,
            self.bound + other.bound,
            limits,
        )
