"""Find the loops of a trace whose passes repeat, and which of them make more passes as a size grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.prove.refusal import Refusal

_OTHER_PATH = "with the size the path changes otherwise than by passes of a loop"


@dataclass(frozen=True, slots=True)
class Loop:
    """One execution of a loop: `passes` times the same `length` steps, from step `start` on.

    A pass begins and ends at the head of the loop.  What follows, from the head to the exit, is no pass.  With each
    block of the size there are `growth` more of them.
    """

    start: int
    length: int
    passes: int
    growth: int = 0

    @property
    def end(self) -> int:
        """The step after the last pass."""
        return self.start + self.length * self.passes


def loops_of(pcs: npt.NDArray[np.uint64]) -> list[Loop]:
    """Return the executions of innermost loops of two passes or more, in order.

    No address comes twice in a pass, so that a loop around a loop is none of them.
    """
    steps = len(pcs)
    following = np.full(steps, steps, np.int64)  # the next step at the same address
    order = np.argsort(pcs, kind="stable")
    same = pcs[order[1:]] == pcs[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    # The step before which all addresses from a step on differ from each other.
    distinct = np.minimum.accumulate(following[::-1])[::-1]
    found: list[Loop] = []
    at = 0
    heads = np.flatnonzero(distinct == following)  # no address comes again before that of the step itself
    heads = heads[following[heads] < steps]
    while True:
        place = int(np.searchsorted(heads, at))
        if place == len(heads):
            return found
        start = int(heads[place])
        length = int(following[start]) - start
        passes = _repeats(pcs, start, length)
        if passes < 2:
            at = start + 1
            continue
        found.append(Loop(start, length, passes))
        at = start + length * passes


def _repeats(pcs: npt.NDArray[np.uint64], start: int, length: int) -> int:
    """Return how many times the `length` steps from `start` on come in a row, each ending at the head again."""
    body, passes, at = pcs[start : start + length], 0, start
    while at + length < len(pcs) and pcs[at + length] == body[0] and np.array_equal(pcs[at : at + length], body):
        passes += 1
        at += length
    return passes


def growing(paths: Sequence[npt.NDArray[np.uint64]]) -> list[Loop]:
    """Return the loops of the first path that grow, given the paths at sizes that exceed it by 1, 2, ... blocks.

    Raises Refusal where the paths differ otherwise.
    """
    loops = [loops_of(path) for path in paths]
    if len({len(one) for one in loops}) > 1:
        raise Refusal(_OTHER_PATH)
    found = []
    for executions in zip(*loops, strict=True):
        first = executions[0]
        growth = executions[1].passes - first.passes
        if growth < 0:
            raise Refusal("a loop makes fewer passes as the size grows")
        if growth:
            found.append(Loop(first.start, first.length, first.passes, growth))
    for blocks, path in enumerate(paths):
        if not follows(paths[0], found, blocks, path):
            raise Refusal(_OTHER_PATH)
    return found


def follows(path: npt.NDArray[np.uint64], loops: Sequence[Loop], blocks: int, other: npt.NDArray[Any]) -> bool:
    """Tell whether another path is `path` with the passes that its loops make where the size exceeds it by `blocks`."""
    pieces, at = [], 0
    for loop in loops:
        pieces.append(path[at : loop.start])
        body = path[loop.start : loop.start + loop.length]
        pieces.append(np.tile(body, loop.passes + loop.growth * blocks))
        at = loop.end
    pieces.append(path[at:])
    return np.array_equal(np.concatenate(pieces), other)
