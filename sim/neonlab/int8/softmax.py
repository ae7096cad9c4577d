"""Compute softmax without floats: exponentials and a reciprocal in fixed point, as in TFLite's reference and Micro.

A number `q` of f fraction bits stands for q / 2^f; products are gemmlowp's rounding doubling high multiply.

Source: tensorflow/lite/kernels/internal/reference/softmax.h; gemmlowp/fixedpoint/fixedpoint.h.
"""

from __future__ import annotations

import math

import numpy as np

from neonlab.int8.arrays import INT32_MAX, Int64s, Integers, OperandError, integers, limits, one_scale
from neonlab.int8.fixed_point import (
    quantize_multiplier,
    rounding_divide_by_power_of_two,
    saturating_rounding_doubling_high_multiply,
)

_DIFFERENCE_BITS = 5  # integer bits of the scaled distance from the greatest
_SUM_BITS = 12  # integer bits of the sum of exponentials
#: exp(-2^k) of 31 fraction bits, for k from -2 on.
_EXPONENTIALS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EXP_OF_EIGHTH, _THIRD = 1895147668, 715827883  # exp(-1/8) and 1/3, of 31 fraction bits
_48_17, _32_17 = 1515870810, 1010580540  # of 29: where Newton's division starts


def _times(left: Int64s, right: Int64s | int) -> Int64s:
    return saturating_rounding_doubling_high_multiply(left, np.asarray(right, np.int64)).astype(np.int64)


def _divided(values: Int64s, exponent: Int64s | int) -> Int64s:
    return rounding_divide_by_power_of_two(values, np.asarray(exponent, np.int64)).astype(np.int64)


def exp_of_negative(values: Integers) -> Int64s:
    """Return e^x for x ≤ 0 of 26 fraction bits, any shape: 31 fraction bits, int64.

    The last quarter uses four terms of the series around -1/8, the rest a factor for each of its bits.  Raises
    OperandError for values above 0 or below -32.
    """
    x = integers(values, "the exponents").astype(np.int64)
    if x.size and (x.min() < -(1 << 31) or x.max() > 0):
        raise OperandError("exponents lie between -32 and 0")
    quarter = 1 << 24
    part = (x & (quarter - 1)) - quarter
    rest = part - x
    at = (part << _DIFFERENCE_BITS) + (1 << 28)
    square = _times(at, at)
    cube, fourth = _times(square, at), _times(square, square)
    series = _divided(_times(_divided(fourth, 2) + cube, _THIRD) + square, 1)
    result = _EXP_OF_EIGHTH + _times(at + series, _EXP_OF_EIGHTH)
    for bit, factor in enumerate(_EXPONENTIALS, 24):
        result = np.where(rest >> bit & 1, _times(result, factor), result)
    return np.where(x == 0, INT32_MAX, result)


def reciprocal(values: Integers) -> tuple[Int64s, Int64s]:
    """Return 1 / s for s > 0 of 19 fraction bits: m of 31 fraction bits and e, so that 1 / s = m / 2^(31 + e).

    Newton's division, three steps.  Raises OperandError unless 0 < s < 2^31.
    """
    s = integers(values, "the sums").astype(np.int64)
    if s.size and (s.min() < 1 or s.max() > INT32_MAX):
        raise OperandError("a reciprocal needs a value between 0 and 2^31, both excluded")
    leading = 32 - np.frexp(s.astype(np.float64))[1].astype(np.int64)  # zeros before the first bit
    fraction = (s << leading) - (1 << 31)
    half = fraction + INT32_MAX + 1 >> 1
    x = _48_17 + _times(half, -_32_17)
    for _ in range(3):
        x = x + (_times(x, (1 << 29) - _times(half, x)) << 2)
    return np.minimum(x << 1, INT32_MAX), _SUM_BITS - leading


def softmax_fixed_point(values: object, input_scale: float, beta: float = 1.0) -> Integers:
    """Compute softmax along the last axis in integers: int8 or uint8 [..., n] → the same type, of scale 1/256.

    The output's zero point is the least of its type, as TFLite demands.  Distances from the row's maximum that would
    scale to -32 or below count as e^-∞.  Raises OperandError.
    """
    x = integers(values, "the values", "int8", "uint8")
    if not x.ndim or not x.shape[-1]:
        raise OperandError("softmax needs at least one value along its last axis")
    scale = float(one_scale(input_scale, "the input scale")) * float(one_scale(beta, "beta"))
    way = quantize_multiplier(min(scale * (1 << (31 - _DIFFERENCE_BITS)), 2.0**31 - 1))
    shift = int(way.exponent)
    if shift < 0:
        raise OperandError(f"an input scale times beta of {scale} is below 2^-27")
    least = -math.floor(((1 << _DIFFERENCE_BITS) - 1) * 2.0 ** (31 - _DIFFERENCE_BITS - shift))
    distance = x.astype(np.int64) - x.max(axis=-1, keepdims=True)
    counted = distance >= least
    exponents = _times(np.where(counted, distance, 0) << shift, int(way.mantissa))
    exponentials = np.where(counted, exp_of_negative(exponents), 0)
    sums = np.where(counted, _divided(exponentials, _SUM_BITS), 0).sum(axis=-1, keepdims=True)
    factor, over = reciprocal(sums)
    low, high = limits(x.dtype)
    return np.clip(_divided(_times(exponentials, factor), over + 31 - 8) + low, low, high).astype(x.dtype)
