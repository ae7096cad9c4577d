"""Round to Ristretto's three number formats (Gysel 2016): dynamic fixed point, minifloat, integer powers of two.

Each function returns float32 numbers that the format can represent, in the shape given.  `rounding` is away, even or
stochastic (with a seeded generator).

Source: src/caffe/ristretto/base_ristretto_layer.cpp and quantization.cpp.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import OperandError, finite, finite_single, number
from neonlab.int8.rounding import rounded

Singles = NDArray[np.float32]
_SINGLE_FRACTION_BITS = 23


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """A fixed-point format: `width` bits with sign, `fraction` of them behind the point.

    `fraction` may be negative or exceed the width.
    """

    width: int
    fraction: int

    def __post_init__(self) -> None:
        if not 1 <= self.width <= 32 or not self.width - 128 <= self.fraction <= 126:
            raise OperandError(f"no fixed point of {self.width} bits with {self.fraction} behind the point")

    @property
    def least(self) -> float:
        """The most negative number: -2^(width-1) · 2^-fraction."""
        return -math.ldexp(1.0, self.width - 1 - self.fraction)

    @property
    def most(self) -> float:
        """The greatest number: (2^(width-1) - 1) · 2^-fraction."""
        return math.ldexp((1 << (self.width - 1)) - 1, -self.fraction)


@dataclass(frozen=True, slots=True)
class MiniFloat:
    """A float format: sign, `exponent_bits` and `mantissa_bits`.

    The exponent's bias is 2^(bits-1) - 1; there are no infinities and no denormals.
    """

    mantissa_bits: int
    exponent_bits: int

    def __post_init__(self) -> None:
        if not 0 <= self.mantissa_bits <= _SINGLE_FRACTION_BITS or not 1 <= self.exponent_bits <= 8:
            raise OperandError(f"no minifloat of {self.mantissa_bits} mantissa and {self.exponent_bits} exponent bits")

    @property
    def most(self) -> float:
        """The greatest number: all bits set."""
        bias = (1 << (self.exponent_bits - 1)) - 1
        return math.ldexp(2 - math.ldexp(1.0, -self.mantissa_bits), (1 << self.exponent_bits) - 1 - bias)


def fixed_point_for_activations(largest: float, width: int = 8) -> FixedPoint:
    """Return Ristretto's format for inputs and outputs: integer bits ceil(log2 max|x|), the rest behind the point.

    It has no bit for the sign, so that the greatest values saturate, which activations tolerate.  Raises OperandError
    unless 0 < largest.
    """
    return FixedPoint(width, width - math.ceil(math.log2(_above_zero(largest))))


def fixed_point_for_weights(largest: float, width: int = 8) -> FixedPoint:
    """Return the format for weights: integer bits ceil(log2 max|w| + 1), sign included, so that none saturates.

    Raises OperandError unless 0 < largest.
    """
    return FixedPoint(width, width - math.ceil(math.log2(_above_zero(largest)) + 1))


def minifloat_for(largest: float, width: int = 8, least_exponent_bits: int = 4) -> MiniFloat:
    """Return a minifloat: exponent bits ceil(log2(log2(max) - 1) + 1), at least `least_exponent_bits`.

    The rest, but for the sign, is mantissa.  Raises OperandError unless 0 < largest and the mantissa keeps 0 bits or
    more.
    """
    power = math.log2(_above_zero(largest)) - 1
    needed = math.ceil(math.log2(power) + 1) if power > 0 else 0
    exponent_bits = max(least_exponent_bits, needed)
    return MiniFloat(width - 1 - exponent_bits, exponent_bits)


def to_fixed_point(
    reals: object, form: FixedPoint, rounding: str = "away", random: np.random.Generator | None = None
) -> Singles:
    """Saturate, then round to a multiple of 2^-fraction (Ristretto's "nearest" is C's `round`: away)."""
    values = np.clip(finite(reals, "the reals"), form.least, form.most)
    steps = rounded(np.ldexp(values, form.fraction), rounding, random)
    return np.asarray(np.ldexp(steps, -form.fraction), np.float32)


def to_minifloat(
    reals: object, form: MiniFloat, rounding: str = "away", random: np.random.Generator | None = None
) -> Singles:
    """Round the mantissa to `mantissa_bits`; below the least exponent the result is 0, above the greatest, `most`.

    A mantissa that rounds up past its bits carries into the exponent.  At the greatest exponent that gives twice its
    power of two, one step above `most`, as in Ristretto.
    """
    values = finite_single(reals, "the reals")
    bits = values.view(np.uint32).astype(np.int64)
    bias = (1 << (form.exponent_bits - 1)) - 1
    stored = (bits >> _SINGLE_FRACTION_BITS) & 0xFF
    exponent = stored - 127 + bias
    fraction = np.ldexp((bits & 0x7FFFFF).astype(np.float64), form.mantissa_bits - _SINGLE_FRACTION_BITS)
    mantissa = rounded(fraction, rounding, random)
    magnitude = np.ldexp(1 + np.ldexp(mantissa, -form.mantissa_bits), exponent - bias)
    magnitude = np.where(exponent > (1 << form.exponent_bits) - 1, form.most, magnitude)
    magnitude = np.where((stored == 0) | (exponent < 0), 0.0, magnitude)
    return np.copysign(magnitude, values).astype(np.float32)


def to_power_of_two(
    reals: object,
    least: int = -8,
    most: int = -1,
    rounding: str = "away",
    random: np.random.Generator | None = None,
) -> Singles:
    """Return ±2^e, where e is log2|x| (in float32) rounded and clamped to least…most.

    Zero becomes +2^least, because the format has no zero.  Raises OperandError when least > most, or one of the two is
    no float32.
    """
    if not -126 <= least <= most <= 127:
        raise OperandError(f"no powers of two from 2^{least} to 2^{most}")
    values = finite_single(reals, "the reals")
    smallest = np.float32(math.ldexp(1.0, max(least - 2, -148)))
    exponents = rounded(np.log2(np.maximum(np.abs(values), smallest)), rounding, random)
    magnitude = np.ldexp(np.float32(1), np.clip(exponents, least, most).astype(np.int32))
    return np.where(values < 0, -magnitude, magnitude).astype(np.float32)


def _above_zero(largest: float) -> float:
    value = number(largest, "the largest")
    if not value > 0:
        raise OperandError("the largest magnitude must be greater than 0")
    return value
