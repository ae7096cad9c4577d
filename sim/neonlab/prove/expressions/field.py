"""Compute modulo the prime 2^61 - 1, and draw the points of this field at which polynomials are evaluated.

Two polynomials that differ, of a degree d or less and with coefficients below half the prime, have the same value at a
random point with a probability of d / p at most (Schwartz 1980, Zippel 1979), and at two points of (d / p)^2.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import lean as compiled

PRIME = (1 << 61) - 1
_PRIME, _ZERO, _EIGHT = np.uint64(PRIME), np.uint64(0), np.uint64(8)
_61, _32, _29 = np.uint64(61), np.uint64(32), np.uint64(29)
_LOW_32, _LOW_29 = np.uint64((1 << 32) - 1), np.uint64((1 << 29) - 1)


@compiled
def reduced(x: np.uint64) -> np.uint64:
    """Return a number of 64 bits modulo the prime."""
    x = (x & _PRIME) + (x >> _61)
    return x - _PRIME if x >= _PRIME else x


@compiled
def residue(x: int) -> np.uint64:
    """Return a number with a sign modulo the prime."""
    if x >= 0:
        return reduced(np.uint64(x))
    return minus(reduced(np.uint64(-x)))


@compiled
def minus(x: np.uint64) -> np.uint64:
    """Return -x."""
    return _PRIME - x if x != _ZERO else _ZERO


@compiled
def plus_modulo(x: np.uint64, y: np.uint64) -> np.uint64:
    """Return x + y."""
    total = x + y
    return total - _PRIME if total >= _PRIME else total


@compiled
def times_modulo(x: np.uint64, y: np.uint64) -> np.uint64:
    """Return x * y."""
    x1, x0, y1, y0 = x >> _32, x & _LOW_32, y >> _32, y & _LOW_32
    high, middle, low = x1 * y1, x1 * y0 + x0 * y1, x0 * y0
    # 2^64 is 8 here, and 2^61 is 1.
    total = high * _EIGHT + (middle >> _29) + ((middle & _LOW_29) << _32) + (low & _PRIME) + (low >> _61)
    return reduced(total)


@compiled
def inverse_modulo(x: np.uint64) -> np.uint64:
    """Return 1 / x, by Fermat's theorem x^(p - 2)."""
    found, power, left = np.uint64(1), x, PRIME - 2
    while left > 0:
        if left & 1:
            found = times_modulo(found, power)
        power = times_modulo(power, power)
        left >>= 1
    return found


def points(seed: bytes, number: int, count: int) -> npt.NDArray[np.uint64]:
    """Return `count` points for each of two evaluations, [2, count], as SHAKE-256 draws them from seed and number."""
    drawn = hashlib.shake_256(seed + number.to_bytes(8, "little")).digest(16 * count)
    words = np.frombuffer(drawn, "<u8").reshape(2, count) & _PRIME
    return np.where(words == _PRIME, _ZERO, words)


def log2_error(polynomials: int, degree: int) -> float:
    """Return log2 of a bound on the probability that any two different ones of some polynomials have equal values.

    There are less than polynomials^2 / 2 pairs, of which each has equal values at both points with a probability of
    (degree / p)^2 at most.
    """
    pairs = 2 * math.log2(max(polynomials, 2)) - 1
    return pairs + 2 * (math.log2(max(degree, 1)) - math.log2(PRIME))
