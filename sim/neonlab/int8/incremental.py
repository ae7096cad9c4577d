"""Quantize networks incrementally (Zhou et al. 2017): weights to 0 or ±2^e, the largest first, the rest retrained.

A mask says which weights are still trained: 1 trained, 0 quantized for good.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import OperandError, finite, finite_single, integers, number

SCHEDULE = (0.7, 0.4, 0.2, 0.0)
"""Fraction of the weights left unquantized after each step: 30 %, 60 %, 80 % and all are quantized."""

Singles = NDArray[np.float32]
Mask = NDArray[np.uint8]


def exponents_for(largest: float, bits: int = 5) -> tuple[int, int]:
    """Return the greatest and least exponent of `bits` bits.

    They are n1 = floor(log2(4/3 · max|w|)) and n2 = n1 + 1 - 2^(bits-2).  Raises OperandError unless largest > 0 and 2
    ≤ bits ≤ 8.  Source: Zhou et al. 2017, section 2.1.
    """
    value = number(largest, "the largest weight")
    if not value > 0 or not 2 <= bits <= 8:
        raise OperandError(f"no exponents of {bits} bits for a largest weight of {value}: wanted 2 to 8 bits, above 0")
    greatest = math.floor(math.log2(value * 4 / 3))
    return greatest, greatest + 1 - (1 << (bits - 2))


def to_powers(weights: object, greatest: int, least: int) -> Singles:
    """Return the nearest of 0 and ±2^least…±2^greatest; of two as near, the one nearer zero.  float32, any shape.

    Raises OperandError when least > greatest, or one is no power of a float32.  Source: `weightCluster_zero` of the
    published code, which differs from the paper only at midpoints, where the paper takes the greater.
    """
    if not -300 <= least <= greatest <= 127:
        raise OperandError(f"no powers of two from 2^{least} to 2^{greatest}")
    values = finite_single(weights, "the weights").astype(np.float64)
    magnitude = np.abs(values)
    # Between 2^e and 2^(e+1) the midpoint is 1.5 · 2^e: the fraction of frexp, in [0.5, 1), is 0.75 there.
    fraction, exponent = np.frexp(magnitude)
    nearest = np.clip(np.where(fraction > 0.75, exponent, exponent - 1), least, greatest)
    powers = np.where(magnitude > math.ldexp(1.0, least - 1), np.ldexp(1.0, nearest), 0.0)
    return np.copysign(powers, values).astype(np.float32) + np.float32(0)


def quantize_step(weights: object, mask: object, kept: float, bits: int = 5) -> tuple[Singles, Mask]:
    """Make one step: all but the fraction `kept` of the weights, the largest by magnitude, become powers of two.

    weights: any shape; mask: uint8 of that shape, ones at first.  Returns the weights (float32) and the mask, zeros
    where they are now quantized.  Weights quantized before stay as they are.  The threshold is the magnitude at rank
    int(count · kept) - 1, ties included, as in the published code.  Raises OperandError for shapes that differ, an
    empty or all-zero tensor, a mask of another type and `kept` outside [0, 1).

    Source: src/caffe/blob.cpp of the published code.
    """
    values, trained = finite_single(weights, "the weights").astype(np.float64), integers(mask, "the mask", "uint8")
    if values.shape != trained.shape or not values.size or not 0 <= kept < 1:
        raise OperandError(f"weights {values.shape}, mask {trained.shape} and kept {kept} make no step")
    magnitude = np.abs(values)
    greatest, least = exponents_for(float(magnitude.max()), bits)
    threshold = np.sort(magnitude, axis=None)[max(int(values.size * kept) - 1, 0)]
    now = (magnitude >= threshold) & (trained > 0)
    after = np.where(now, to_powers(values, greatest, least), values)
    return after.astype(np.float32), np.where(now, 0, trained).astype(np.uint8)


def update(weights: object, gradient: object, mask: object, rate: float) -> Singles:
    """Update the trained weights by gradient descent: w - rate · mask · gradient, float32; all have one shape.

    mask: uint8, 1 trained, 0 quantized.  Raises OperandError for shapes that differ and for values that are not finite.

    Source: src/caffe/solvers/sgd_solver.cpp of the published code.
    """
    values, slope = finite(weights, "the weights"), finite(gradient, "the gradient")
    trained = integers(mask, "the mask", "uint8")
    if not values.shape == slope.shape == trained.shape:
        raise OperandError(f"weights {values.shape}, gradient {slope.shape} and mask {trained.shape} differ in shape")
    with np.errstate(over="ignore"):  # an infinity is refused
        return finite_single(values - number(rate, "the rate") * trained * slope, "the result")
