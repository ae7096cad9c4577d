"""Round reals to integers, as float arrays of the type given.

The three deterministic ways differ only at midpoints.  They are exact, also where adding 0.5 in floats would not be
(0.49999997 in float32).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import OperandError

Reals = NDArray[np.float32] | NDArray[np.float64]


def half_away(values: Reals) -> Reals:
    """Round midpoints away from zero: C's `round`, ncnn's `float2int8`, TFLite's `TfLiteRound`."""
    whole = np.trunc(values)
    with np.errstate(invalid="ignore"):  # an infinity stays one
        step = (np.abs(values - whole) >= 0.5).astype(values.dtype)
    nearest: Reals = whole + np.copysign(step, values)
    return nearest


def half_even(values: Reals) -> Reals:
    """Round midpoints to the even neighbour: `lrintf` and `vcvtn` in the default mode, numpy's `rint`."""
    return np.rint(values)


def half_up(values: Reals) -> Reals:
    """Round midpoints towards plus infinity: TVM's UPWARD."""
    below = np.floor(values)
    with np.errstate(invalid="ignore"):
        return below + (values - below >= 0.5)


def dithered(values: Reals, dither: Reals) -> Reals:
    """Round down what each value and its dither, a number from 0 to 1, add up to in their own precision."""
    return np.floor(values + dither)


def stochastic(values: Reals, random: np.random.Generator) -> Reals:
    """Round up with probability equal to the fraction, else down: `floor(x + u)`, u uniform in [0, 1).  Unbiased."""
    return dithered(values, random.random(values.shape))


ROUNDINGS: dict[str, Callable[[Reals], Reals]] = {"away": half_away, "even": half_even, "up": half_up}


def rounded(values: Reals, rounding: str, random: np.random.Generator | None = None) -> Reals:
    """Return `values` rounded the way named: away, even, up, or stochastic (which needs `random`).

    Raises OperandError.
    """
    if rounding == "stochastic":
        if random is None:
            raise OperandError("stochastic rounding needs a seeded random generator")
        return stochastic(values, random)
    if rounding not in ROUNDINGS:
        raise OperandError(f"no rounding is called {rounding}; there are {', '.join(ROUNDINGS)}, stochastic")
    return ROUNDINGS[rounding](values)
