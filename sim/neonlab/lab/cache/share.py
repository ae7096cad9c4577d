"""Deal units of work to the shards of a command, the same on every machine."""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.errors import InputError

#: The most shards of one command.
MOST_SHARDS = 10_000


@dataclass(frozen=True, slots=True)
class Share:
    """One of the shards of a command: its `number`, from 1, and how many there are."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def deal(self, weights: Sequence[float]) -> list[int]:
        """Return the numbers of the units of this shard, of all units that have these weights, in order.

        The heaviest come first, each to the shard that has least so far; units of equal weight go round.  Weights are
        what a text or a shape says, and not what a machine has measured: all shards must deal alike.
        """
        loads = [(0.0, shard) for shard in range(1, self.of + 1)]
        mine = []
        for unit in sorted(range(len(weights)), key=lambda one: (-weights[one], one)):
            load, shard = heapq.heappop(loads)
            heapq.heappush(loads, (load + weights[unit], shard))
            if shard == self.number:
                mine.append(unit)
        return sorted(mine)


def share_named(text: str) -> Share:
    """Return the share that a text such as `2/8` names.  Raises InputError."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of <= MOST_SHARDS:
        raise InputError(f"--shard {text}: give which of how many, such as 2/8 for the second of eight")
    return Share(number, of)
