"""Compare two functions of one part on intervals on which both are known to rise or to fall.

A function that rises or falls on an interval, and has one value at both ends, has it everywhere between.  So it is
enough to evaluate both functions at the ends of intervals, and to divide those where that does not settle it:
requantized sums take 2**24 values and more, but have few steps.

Whether a function rises follows from its operations: rounding, sums, and products with a number keep the order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import Difference, FormReader, Primitive
from neonlab.prove.comparison.trends import Trends
from neonlab.prove.comparison.ways import CONSTANT, UNKNOWN
from neonlab.prove.refusal import Refusal

Values = npt.NDArray[np.int64]
#: Intervals to begin with, and into which one is divided.
_FIRST, _FAN = 64, 8
#: Values after which most of those looked at last must be settled.
_ENOUGH = 1 << 17


def first_difference_on_intervals(
    reading: FormReader, forms: tuple[int, int], part: Primitive, most: int
) -> tuple[Difference | None, int]:
    """Return a value of the part at which two forms differ, None if there is none, and how many were looked at.

    Raises Refusal where `most` values would not do.
    """
    ends = np.array(reading.domain(part), np.int64)
    lows, highs = _divided(ends[:, 0], ends[:, 1], _FIRST)
    looked = 0
    trends = Trends(reading, part, forms)
    while lows.size:
        before = lows.size
        looked += 2 * lows.size
        if looked > most:
            raise Refusal("two functions of a part do not rise or fall together")
        ours, theirs = trends.on(lows, highs)
        for at, one, other in ((lows, ours.low, theirs.low), (highs, ours.high, theirs.high)):
            wrong = np.flatnonzero(one != other)
            if wrong.size:
                return Difference((part,), (int(at[wrong[0]]),)), looked
        open_ones = (ours.way != CONSTANT) | (theirs.way != CONSTANT)
        open_ones &= highs - lows > 1
        known = open_ones & (ours.way != UNKNOWN) & (theirs.way != UNKNOWN)
        value, values = trends.difference(lows[known], highs[known], most - looked)
        looked += values
        if value is not None:
            return Difference((part,), (value,)), looked
        if looked >= most:
            raise Refusal("two functions of a part take many values")
        open_ones &= ~known
        if looked > _ENOUGH and 2 * np.count_nonzero(open_ones) > before:
            raise Refusal("two functions of a part seldom rise or fall together, or take many values")
        # Both ends are known to be right.
        lows, highs = _divided(lows[open_ones] + 1, highs[open_ones] - 1, _FAN)
    return None, looked


def _divided(lows: Values, highs: Values, count: int) -> tuple[Values, Values]:
    """Divide intervals into as many as `count` each, none of which is empty."""
    size = (highs - lows) // count + 1
    starts = lows[:, np.newaxis] + size[:, np.newaxis] * np.arange(count)
    ends = np.minimum(starts + size[:, np.newaxis] - 1, highs[:, np.newaxis])
    kept = starts <= highs[:, np.newaxis]
    return starts[kept], ends[kept]
