"""Multiply int32 sums by fixed-point multipliers, in the scheme that a kernel's name gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab.int8 import fixed_point
from neonlab.int8.arrays import Int32s
from neonlab.int8.fixed_point import Multiplier

_MOST = 1 << 30


def _held(sums: Int32s, multiplier: Multiplier) -> Int32s:
    """Clip sums so that their shift to the left fits int32; results of clipped sums are clamped in either case."""
    bound = _MOST >> np.maximum(multiplier.exponent, 0)
    return np.where(multiplier.exponent > 0, np.clip(sums, -bound, bound), sums).astype(np.int32)


def _once_up(sums: Int32s, multiplier: Multiplier) -> Int32s:
    return fixed_point.multiply_once_rounded(_held(sums, multiplier), multiplier)


def _once_away(sums: Int32s, multiplier: Multiplier) -> Int32s:
    return fixed_point.tvm_fixed_point_multiply(_held(sums, multiplier), multiplier, "TONEAREST")


#: By the word in a kernel's name.
FIXED_POINT: Mapping[str, Callable[[Int32s, Multiplier], Int32s]] = {
    "ruy": _once_up,
    "gemmlowp": fixed_point.multiply_twice_rounded,
    "tvm": fixed_point.multiply_twice_rounded_up,
    "precise": _once_away,
}
