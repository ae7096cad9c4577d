"""Encode a positive real as an int32 and a power of two, and multiply int32 numbers by it as each library does.

A `Multiplier` stands for `mantissa · 2^(exponent - 31)`, the mantissa in [2^30, 2^31): ruy's and TFLite's
`(quantized_multiplier, shift)`, TVM's `(significand, exponent)`.  The functions differ in where they round and how they
break ties.  Arrays broadcast, so that multipliers of shape [channels] go along the last axis.  Values are of any
integer type, within int32; others raise OperandError.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neonlab.int8.arrays import (
    INT32_MAX,
    INT32_MIN,
    Int32s,
    Int64s,
    Integers,
    OperandError,
    finite,
    integers,
    to_int32,
    wide,
)
from neonlab.int8.rounding import half_away


@dataclass(frozen=True, slots=True)
class Multiplier:
    """A multiplier: `mantissa` (int32, 0 or in [2^30, 2^31)) and `exponent` (int32), arrays of one shape."""

    mantissa: Int32s
    exponent: Int32s

    def real(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the number it stands for, as float64 (exact)."""
        return np.ldexp(self.mantissa.astype(np.float64), self.exponent - 31)


def quantize_multiplier(real: object) -> Multiplier:
    """Compute TFLite's `QuantizeMultiplier`: round(frexp mantissa · 2^31), ties away; zero below 2^-32.

    Raises OperandError for negative numbers, and for those of 2^31 and more, whose shift no kernel can make.

    Source: tensorflow/lite/kernels/internal/quantization_util.cc.
    """
    found = tvm_multiplier(real)
    if (found.exponent > 31).any():
        raise OperandError("a multiplier of 2^31 or more cannot be applied to int32")
    tiny = found.exponent < -31
    return Multiplier(np.where(tiny, 0, found.mantissa).astype(np.int32), np.where(tiny, 0, found.exponent))


def quantize_multiplier_smaller_than_one(real: object) -> Multiplier:
    """Compute gemmlowp's `QuantizeMultiplierSmallerThanOne`, for numbers in (0, 1).

    The exponent is minus its right shift.  It gives the same numbers as TFLite's, by doubling until the number reaches
    a half.  A number that rounds up to 1 exactly gets a right shift of -1.  Raises OperandError outside (0, 1).

    Source: gemmlowp/doc/quantization_example.cc.
    """
    numbers = finite(real, "the multiplier")
    if not ((numbers > 0) & (numbers < 1)).all():
        raise OperandError("gemmlowp's multiplier must lie between 0 and 1, both excluded")
    return tvm_multiplier(numbers)


def tvm_multiplier(real: object) -> Multiplier:
    """Compute TVM's `GetFixedPointMultiplierShift`: `quantize_multiplier` without its limits on the exponent.

    Raises OperandError for negative numbers.  Source: src/relay/qnn/utils.cc.
    """
    numbers = finite(real, "the multiplier")
    if (numbers < 0).any():
        raise OperandError("a multiplier must not be negative")
    fraction, exponent = np.frexp(numbers)
    mantissa = half_away(np.ldexp(fraction, 31)).astype(np.int64)
    carried = mantissa == 1 << 31
    mantissa = np.where(carried, mantissa >> 1, mantissa)
    return Multiplier(mantissa.astype(np.int32), (exponent + carried).astype(np.int32))


def saturating_rounding_doubling_high_multiply(left: Integers, right: Integers) -> Int32s:
    """Return the high half of 2·left·right, rounded, ties up; int32 operands.  `sqrdmulh`, `vqrdmulh`.

    INT32_MIN · INT32_MIN, the only product that overflows, gives INT32_MAX.  Source: gemmlowp/fixedpoint/fixedpoint.h.
    """
    product = _int32s(left) * _int32s(right)
    high: Int64s = np.minimum((product + (1 << 30)) >> 31, INT32_MAX)
    return high.astype(np.int32)


def saturating_doubling_high_multiply(left: Integers, right: Integers) -> Int32s:
    """Return the high half of 2·left·right, rounded down; int32 operands.  `sqdmulh`.

    It saturates as the rounding one does.
    """
    product = _int32s(left) * _int32s(right)
    high: Int64s = np.minimum(product >> 31, INT32_MAX)
    return high.astype(np.int32)


def rounding_divide_by_power_of_two(values: Integers, exponent: Integers) -> Int32s:
    """Return `values` / 2^exponent rounded, ties away from zero; exponent 0 to 31, else OperandError.

    No NEON instruction does this: `srshl` breaks ties upwards, so kernels first lower negative values by one.

    Source: gemmlowp/fixedpoint/fixedpoint.h.
    """
    numbers, shift = _int32s(values), _int32s(exponent, "the exponent")
    _check_shift(shift, 0, 31)
    mask = (np.int64(1) << shift) - 1
    threshold = (mask >> 1) + (numbers < 0)
    quotient: Int64s = (numbers >> shift) + ((numbers & mask) > threshold)
    return quotient.astype(np.int32)


def rounding_shift_right(values: Integers, exponent: Integers) -> Int32s:
    """Return `values` / 2^exponent rounded, ties up; exponent 0 to 31, else OperandError.

    This is `srshl` and `vrshl` by a negative amount.
    """
    numbers, shift = _int32s(values), _int32s(exponent, "the exponent")
    _check_shift(shift, 0, 31)
    quotient: Int64s = (numbers + ((np.int64(1) << shift) >> 1)) >> shift
    return quotient.astype(np.int32)


def saturating_shift_left(values: Integers, exponent: Integers) -> Int32s:
    """Return `values` · 2^exponent, saturated to int32; exponent 0 to 31, else OperandError.

    This is `sqshl`, gemmlowp's `ShiftLeft`.
    """
    numbers, shift = _int32s(values), _int32s(exponent, "the exponent")
    _check_shift(shift, 0, 31)
    shifted: Int64s = np.clip(numbers << shift, INT32_MIN, INT32_MAX)
    return shifted.astype(np.int32)


def multiply_once_rounded(values: Integers, multiplier: Multiplier) -> Int32s:
    """Compute `(x·m + 2^(30-e)) >> (31-e)`: one rounding, ties up.  int32 → int32.

    This is ruy's `MultiplyByQuantizedMultiplier` (exponents -31 to 7) and TFLite's with TFLITE_SINGLE_ROUNDING (-31 to
    30). Raises OperandError when an exponent is outside -31 to 30, or a result outside int32 (undefined in both).

    Source: ruy/apply_multiplier.cc; tensorflow/lite/kernels/internal/common.cc.
    """
    exponent = wide(multiplier.exponent)
    _check_shift(exponent, -31, 30)
    shift = 31 - exponent
    product = _int32s(values) * multiplier.mantissa
    return to_int32((product + (np.int64(1) << (shift - 1))) >> shift, "the scaled value")


def multiply_twice_rounded(values: Integers, multiplier: Multiplier) -> Int32s:
    """Shift left, multiply (rounding doubling high), divide with rounding (ties away from zero).  int32 → int32.

    This is gemmlowp's `OutputStageScaleInt32ByFixedPointAndExponent` and TFLite's `MultiplyByQuantizedMultiplier`.  The
    left shift saturates as gemmlowp's does; TFLite's own must not overflow.  Raises OperandError for exponents outside
    -31 to 31.

    Source: gemmlowp/internal/output.h; tensorflow/lite/kernels/internal/common.h.
    """
    left, right = _split(multiplier.exponent)
    high = saturating_rounding_doubling_high_multiply(saturating_shift_left(values, left), multiplier.mantissa)
    return rounding_divide_by_power_of_two(high, right)


def multiply_truncating_then_rounding(values: Integers, multiplier: Multiplier) -> Int32s:
    """Compute as ruy's NEON kernels: saturating left shift, `sqdmulh`, `srshl` by at least one.  int32 → int32.

    Shifting right by at least one (so left by one more) makes it equal to the single rounding, as ((x >> 31) + 2^(k-1))
    >> k = (x + 2^(30+k)) >> (31+k) for k ≥ 1, while the left shift does not saturate. Raises OperandError for exponents
    outside -31 to 30.

    Source: the comment in ruy/apply_multiplier.cc.
    """
    exponent = wide(multiplier.exponent)
    _check_shift(exponent, -31, 30)
    right = np.maximum(1, -exponent)
    shifted = saturating_shift_left(values, exponent + right)
    return rounding_shift_right(saturating_doubling_high_multiply(shifted, multiplier.mantissa), right)


def multiply_twice_rounded_up(values: Integers, multiplier: Multiplier) -> Int32s:
    """Compute a wrapping left shift, `sqrdmulh`, `srshl`: two roundings, ties up in both.  int32 → int32.

    This is TVM's `q_multiply_shift` on ARM; its source says that it differs from the plain form in corner cases. Raises
    OperandError for exponents outside -31 to 31.

    Source: python/tvm/topi/arm_cpu/injective.py and tensor_intrin.py.
    """
    left, right = _split(multiplier.exponent)
    shifted = (_int32s(values) << left).astype(np.int32)
    return rounding_shift_right(saturating_rounding_doubling_high_multiply(shifted, multiplier.mantissa), right)


def tvm_fixed_point_multiply(values: Integers, multiplier: Multiplier, rounding: str = "UPWARD") -> Int32s:
    """Compute TVM's fixed-point multiply in int64, rounded once: ties up (UPWARD) or away from zero (TONEAREST).

    int32 → int32.  UPWARD takes powers of two through (x + 2^(s-1)) >> s in int32, which wraps near INT32_MAX. Results
    wrap to int32.  Raises OperandError for another rounding, for exponents outside -31 to 31, and with UPWARD for
    2^-32, an int32 shift by 32.

    Source: src/relay/qnn/utils.cc, src/target/intrin_rule.cc.
    """
    left, right = _split(multiplier.exponent)
    numbers = _int32s(values) << left
    product, shift = numbers * multiplier.mantissa, right + 31
    half = np.int64(1) << (shift - 1)
    if rounding == "TONEAREST":
        return ((product + np.where(numbers >= 0, half, half - 1)) >> shift).astype(np.int32)
    if rounding != "UPWARD":
        raise OperandError(f"TVM rounds UPWARD or TONEAREST, not {rounding}")
    powers = multiplier.mantissa == 1 << 30
    _check_shift(np.where(powers, shift - 30, 0), 0, 31)
    general = ((product + half) >> shift).astype(np.int32)
    by_shift = _tvm_power_of_two(values, wide(multiplier.exponent) - 1)
    return np.where(powers, by_shift, general).astype(np.int32)


def _tvm_power_of_two(values: Integers, exponent: Int64s) -> Int32s:
    numbers = wide(values)
    right = np.maximum(np.minimum(-exponent, 31), 0)
    lifted = (numbers + ((np.int64(1) << right) >> 1)).astype(np.int32)
    return np.where(exponent > 0, numbers << np.maximum(exponent, 0), wide(lifted) >> right).astype(np.int32)


def _int32s(values: Integers, name: str = "the values") -> Int64s:
    """Return `values`, of any integer type, as int64.  Raises OperandError for values outside int32."""
    array = integers(values, name)
    if array.size and (array.min() < INT32_MIN or array.max() > INT32_MAX):
        raise OperandError(f"{name} must lie within int32, not {array.min()} to {array.max()}")
    return wide(array)


def _split(exponent: Int32s) -> tuple[Int64s, Int64s]:
    shift = wide(exponent)
    _check_shift(shift, -31, 31)
    return np.maximum(shift, 0), np.maximum(-shift, 0)


def _check_shift(shift: Int64s, least: int, most: int) -> None:
    if shift.size and not (least <= shift.min() and shift.max() <= most):
        raise OperandError(f"a shift of {shift.min()} to {shift.max()} is outside {least} to {most}")
