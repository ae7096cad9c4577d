"""Compute the ends of intervals within LIMIT, in compiled code."""

from __future__ import annotations

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.operation import LIMIT


@compiled
def held(value: float, exact: int) -> int:
    """Return `exact`, or the end of LIMIT where the float `value` of the same result lies beyond."""
    if value >= np.float64(LIMIT):
        return LIMIT
    if value <= -np.float64(LIMIT):
        return -LIMIT
    return exact


@compiled
def sum_held(x: int, y: int) -> int:
    """Return x + y within LIMIT; an end at LIMIT stays there."""
    if x >= LIMIT or y >= LIMIT:
        return LIMIT
    if x <= -LIMIT or y <= -LIMIT:
        return -LIMIT
    return held(np.float64(x) + np.float64(y), x + y)


@compiled
def product_held(x: int, y: int) -> int:
    """Return x * y within LIMIT."""
    return held(np.float64(x) * np.float64(y), x * y)
