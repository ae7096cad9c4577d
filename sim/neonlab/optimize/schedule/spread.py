"""Cost orders so that loads lie apart, where data may come from farther than the nearest cache.

The pipeline of a loop is costed with all data near, where several loads at once cost no more than one here and one
there.  Where they miss, one at a time is better: the next line is fetched ahead while the core works on what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neonlab.isa.model.instruction import AccessKind
from neonlab.optimize.loop.code import LoopCode

_WEIGHT = 0.03  # of the loop's cycles, for two loads at one place


def loads_of(code: LoopCode) -> frozenset[int]:
    """Return the instructions of the body that load."""
    return frozenset(
        at
        for at, step in enumerate(code.body)
        if any(access.kind is AccessKind.LOAD for access in step.instruction.accesses)
    )


def apart(
    cost: Callable[[Sequence[int]], float], loads: frozenset[int], cycles: float
) -> Callable[[Sequence[int]], float]:
    """Return a cost that is higher the closer loads follow each other; `cycles` are those of the loop."""
    weight = _WEIGHT * cycles

    def costed(sequence: Sequence[int]) -> float:
        return cost(sequence) + weight * closeness(sequence, loads)

    return costed


def closeness(sequence: Sequence[int], loads: frozenset[int]) -> float:
    """Return how far loads are from lying evenly in a loop: 0 where they do, 1 for each that has no room at all."""
    places = [place for place, one in enumerate(sequence) if one in loads]
    if len(places) < 2:
        return 0.0
    even = len(sequence) / len(places)
    gaps = [(later - earlier) % len(sequence) for earlier, later in zip(places, [*places[1:], places[0]], strict=True)]
    return sum(max(0.0, 1 - gap / even) for gap in gaps)
