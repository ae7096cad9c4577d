"""Add uint8 tensors that come with the range of reals they stand for, as TensorFlow's and nnlib's kernels do.

0 stands for the minimum and 255 for the maximum; a range need not contain zero.  Reals are float32.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import LEAST_SCALE, Int32s, Int64s, OperandError, integers, number, wide
from neonlab.int8.rounding import half_away

Bytes = NDArray[np.uint8]
_FAR = 1 / LEAST_SCALE


@dataclass(frozen=True, slots=True)
class Ranged:
    """uint8 values and the reals, minimum < maximum, that 0 and 255 stand for."""

    values: Bytes
    minimum: float
    maximum: float

    def __post_init__(self) -> None:
        integers(self.values, "the values", "uint8")
        low, high = (number(end, "the range") for end in (self.minimum, self.maximum))
        if not np.float32(np.clip(low, -_FAR, _FAR)) < np.float32(np.clip(high, -_FAR, _FAR)):
            raise OperandError(f"the range {low} to {high} is empty, in float32")
        if max(-low, high) > _FAR or high - low < LEAST_SCALE:
            raise OperandError(f"the range {low} to {high} is wider than 2^60 or narrower than 2^-60")


@dataclass(frozen=True, slots=True)
class RangedSum:
    """The result, the range that its numbers stand for, and the number of passes over the data."""

    values: Bytes | Int32s
    minimum: float
    maximum: float
    passes: int = 1


@dataclass(frozen=True, slots=True)
class GuessedAddition:
    """The 16-bit numbers of one pass of nnlib's add: cq = ((a - 128)·alpha/128 + b + kappa)·recip/32768 - offset."""

    alpha: int
    kappa: int
    recip: int
    offset: int


HEADROOM = 17
"""The sum's range is 2^17 times the largest end of the inputs' in nnlib."""

TENSORFLOW_2_HEADROOM = 14
"""The same power in TensorFlow 2.21."""


def add_8p8_to_32_tensorflow(left: Ranged, right: Ranged, headroom: int = HEADROOM) -> RangedSum:
    """Compute TensorFlow's QuantizedAdd: each input to float, to int32 in ±2^headroom · the largest end, added."""
    _same_shape(left, right)
    top = _total_maximum(left, right, headroom)
    zero = _to_int32(np.zeros((), np.float32), top)
    parts = [wide(_to_int32(_to_float(side), top)) for side in (left, right)]
    return RangedSum((parts[0] + parts[1] + wide(zero)).astype(np.int32), -top, top)


@dataclass(frozen=True, slots=True)
class LinearAddition:
    """The int32 numbers of TensorFlow's kernel: an input byte q means start + q · step in the sum's range, ±top."""

    left_start: int
    left_step: int
    right_start: int
    right_step: int
    top: float


def linear_addition(left: Ranged, right: Ranged, headroom: int = HEADROOM) -> LinearAddition:
    """Return what TensorFlow's kernel for arrays computes before its loop: where 0 and 1 map to in the sum's range."""
    top = _total_maximum(left, right, headroom)
    ends = [
        wide(_to_int32(_to_float(replace(side, values=np.arange(2, dtype=np.uint8))), top)) for side in (left, right)
    ]
    (a0, a1), (b0, b1) = ([int(v) for v in pair] for pair in ends)
    return LinearAddition(a0, a1 - a0, b0, b1 - b0, top)


def add_8p8_to_32_tensorflow_linear(left: Ranged, right: Ranged, headroom: int = HEADROOM) -> RangedSum:
    """Compute TensorFlow's QuantizedAdd as it runs for uint8, in integers alone: (A0 + a · A1) + (B0 + b · B1).

    Same shapes and range as `add_8p8_to_32_tensorflow`; the step, rounded once, is up to half a unit off for each of
    255 steps.  NEON and plain C++ agree.  Raises OperandError for shapes that differ.

    Source: `VectorAddition<quint8, qint32>`, tensorflow/core/kernels/quantized_add_op.cc.
    """
    _same_shape(left, right)
    way = linear_addition(left, right, headroom)
    total = way.left_start + wide(left.values) * way.left_step + way.right_start + wide(right.values) * way.right_step
    return RangedSum(total.astype(np.int32), -way.top, way.top)


def add_8p8_to_32_nnlib(left: Ranged, right: Ranged) -> RangedSum:
    """Compute nnlib's form of the same: (a - a0) · ka + (b - b0) · kb + 0.5 in float32, truncated to int32.

    The range is the same; a0 and b0 are the bytes nearest to zero.  Truncation makes it round half up for positive sums
    only. Raises OperandError for shapes that differ.  Source: hexagon nnlib, QuantizedAdd_8p8to32 reference.
    """
    _same_shape(left, right)
    top = np.float32(_total_maximum(left, right, HEADROOM))
    level = (top - -top) / np.float32(2.0**32)
    total = np.full(left.values.shape, 0.5, np.float32)
    for side in (left, right):
        low, high = np.float32(side.minimum), np.float32(side.maximum)
        step = (high - low) / np.float32(255)
        zero = np.clip(half_away(np.asarray((np.float32(0) - low) / step)), 0, 255).astype(np.int32)
        total = total + (side.values.astype(np.int32) - zero).astype(np.float32) * (step / level)
    return RangedSum(np.trunc(total).astype(np.int64).astype(np.int32), -float(top), float(top))


def guessed_addition(left: Ranged, right: Ranged, minimum: float, maximum: float) -> GuessedAddition:
    """Return the parameters of one pass for the guessed output range; `left` must be the wider, below 256 : 1.

    float32 arithmetic, truncated to int16 as C does.  Raises OperandError when a number does not fit int16.

    Source: `do_quantized_add_888` of hexagon nnlib.
    """
    single = np.float32
    amin, bmin, gmin, gmax = (single(v) for v in (left.minimum, right.minimum, minimum, maximum))
    brange = single(right.maximum) - bmin
    alpha = (single(left.maximum) - amin) / brange
    kappa = single(128) * alpha + (single(255) * amin + single(255) * bmin) / brange
    low, high = (gmin * single(255)) / brange, (gmax * single(255)) / brange
    step = high - low
    if not step > 0:
        raise OperandError(f"the guessed range {minimum} to {maximum} is empty")
    recip = min((single(255) * single(32768)) / step, single(32767))
    offset = (single(255) * low) / step - single(0.5)
    numbers = [int(np.trunc(v)) for v in (single(128) * alpha, kappa, recip, offset)]
    if not all(-32768 <= number <= 32767 for number in numbers):
        raise OperandError(f"the ranges need numbers of more than 16 bits: {numbers}")
    return GuessedAddition(*numbers)


def add_once_guessed(left: Bytes, right: Bytes, way: GuessedAddition) -> tuple[Bytes, np.int64, np.int64]:
    """Run one pass over the data; return the output bytes, and the least and greatest x.

    x = (a - 128)·alpha/128 + b + kappa is int16, saturated, the division a shift that rounds down.  x · recip / 32768
    rounds half up (`sqrdmulh`).  Subtracting the offset saturates to a byte.  x does not depend on the guess: its
    extremes give the range that fits.  Raises OperandError for an empty tensor.
    """
    x = ((wide(left) - 128) * way.alpha >> 7) + wide(right) + way.kappa
    held: Int64s = np.clip(x, -32768, 32767)
    if not held.size:
        raise OperandError("nothing to add: the tensors are empty")
    scaled = (held * way.recip + (1 << 14)) >> 15
    return np.clip(scaled - way.offset, 0, 255).astype(np.uint8), held.min(), held.max()


def add_8p8_to_8_nnlib(left: Ranged, right: Ranged, minimum: float, maximum: float) -> RangedSum:
    """Compute nnlib's add with a guessed output range; if the first pass overflows it, a second uses the range found.

    Same shapes, any order of the inputs.  When one input's range is 256 times the other's or more, the wider is the
    result.  A found end that lies outside the guess replaces it.  The range is made no narrower than the wider input's,
    which keeps 32768 / range within 16 bits.  (nnlib itself widens by 1.2, one end a pass, and keeps the wider range
    for the next inference.)  Raises OperandError for shapes that differ and ranges beyond 16 bits.
    """
    _same_shape(left, right)
    if left.maximum - left.minimum < right.maximum - right.minimum:
        left, right = right, left
    if (left.maximum - left.minimum) / (right.maximum - right.minimum) >= 256:
        return RangedSum(left.values.copy(), left.minimum, left.maximum)
    low, high = no_narrower(float(minimum), float(maximum), left)
    values, least, most = add_once_guessed(left.values, right.values, guessed_addition(left, right, low, high))
    per_step = np.float32(np.float32(right.maximum) - np.float32(right.minimum))
    found_low = float(np.float32(least) * per_step / np.float32(255))
    found_high = float(np.float32(most) * per_step / np.float32(255))
    if low <= found_low and found_high <= high:
        return RangedSum(values, low, high)
    low, high = no_narrower(min(low, found_low), max(high, found_high), left)
    values, _, _ = add_once_guessed(left.values, right.values, guessed_addition(left, right, low, high))
    return RangedSum(values, low, high, 2)


def no_narrower(low: float, high: float, wider: Ranged) -> tuple[float, float]:
    """Return the range low to high, widened at its upper end to the width of `wider` where it is narrower."""
    return low, max(high, low + (wider.maximum - wider.minimum))


def _same_shape(left: Ranged, right: Ranged) -> None:
    if left.values.shape != right.values.shape:
        raise OperandError(f"shapes {left.values.shape} and {right.values.shape} differ")


def _total_maximum(left: Ranged, right: Ranged, headroom: int) -> float:
    ends = (left.maximum, -left.minimum, right.maximum, -right.minimum)
    return float(np.float32(max(ends)) * np.float32(1 << headroom))


def _to_float(side: Ranged) -> NDArray[np.float32]:
    """Compute TensorFlow's `QuantizedToFloat` for uint8: doubles, the minimum rounded to a whole number of steps."""
    low, high = np.float32(side.minimum), np.float32(side.maximum)
    step = np.float64(high - low) * (256 / 255) / 256
    start = half_away(np.asarray(low / np.float32(step), np.float32)).astype(np.float64) * np.float64(np.float32(step))
    return np.asarray(start + side.values.astype(np.float64) * step, np.float32)


def _to_int32(reals: NDArray[np.float32], top: float) -> Int32s:
    """Compute TensorFlow's `FloatToQuantized<int32>` for the range -top…top: doubles, rounded, saturated."""
    low, high = np.float32(-top), np.float32(top)
    steps = 2.0**32
    scale = steps / (np.float64(high - low) * (steps / (steps - 1)))
    start = half_away(np.asarray(np.float64(low) * scale))
    quantized = half_away(np.asarray(reals.astype(np.float64) * scale)) - start - 2.0**31
    return np.clip(quantized, -(2.0**31), 2.0**31 - 1).astype(np.int64).astype(np.int32)
