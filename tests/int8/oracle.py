"""Requantization one number at a time in Python's own integers and fractions, as each library's source words it."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def float32(value: float | Fraction) -> float:
    """The nearest float32, as a Python float; exact for doubles that are products of two float32."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def away(value: Fraction) -> int:
    return up(value) if value >= 0 else -up(-value)


def even(value: Fraction) -> int:
    return round(value)


def encode(scale: float) -> tuple[int, int]:
    """Mantissa and exponent by halving and doubling, gemmlowp's way."""
    exponent, rest = 0, Fraction(scale)
    while rest < Fraction(1, 2):
        rest, exponent = rest * 2, exponent - 1
    while rest >= 1:
        rest, exponent = rest / 2, exponent + 1
    mantissa = away(rest * 2**31)
    return (2**30, exponent + 1) if mantissa == 2**31 else (mantissa, exponent)


def wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def saturate(value: int) -> int:
    return max(INT32_MIN, min(INT32_MAX, value))


def high_multiply(left: int, right: int) -> int:
    """gemmlowp's text: a nudge by the sign of the product, then a division that truncates."""
    if left == right == INT32_MIN:
        return INT32_MAX
    product = left * right
    nudged = product + (2**30 if product >= 0 else 1 - 2**30)
    return nudged // 2**31 if nudged >= 0 else -(-nudged // 2**31)


def divide_away(value: int, exponent: int) -> int:
    return away(Fraction(value, 2**exponent))


def scaled(scheme: str, value: int, scale: float) -> int:
    """`value` · `scale` as the scheme rounds it, before zero point and clamp."""
    mantissa, exponent = encode(scale)
    exact = Fraction(value * mantissa) * Fraction(2) ** (exponent - 31)
    left, right = max(exponent, 0), max(-exponent, 0)
    single = float32(scale)
    if scheme in ("ruy", "tflite-single"):
        return up(exact)
    if scheme == "tvm-upward":
        shift = 1 - exponent
        return wrap(value + (1 << (shift - 1))) >> shift if mantissa == 2**30 and shift > 0 else up(exact)
    if scheme == "ruy-neon":
        right = max(1, -exponent)
        truncated = saturate(value << (exponent + right)) * mantissa * 2 >> 32
        return up(Fraction(truncated, 2**right))
    if scheme == "gemmlowp":
        return divide_away(high_multiply(saturate(value << left), mantissa), right)
    if scheme == "tvm-tonearest":
        return away(exact)
    if scheme == "tvm-arm":
        return up(Fraction(up(Fraction(wrap(value << left) * mantissa, 2**31)), 2**right))
    if scheme in ("qnnpack-fp32", "qnnpack-magic", "onnxruntime"):
        return even(Fraction(float32(float32(value) * single)))
    if scheme == "ncnn":
        return away(Fraction(float32(float32(value) * single)))
    if scheme == "qnnpack-precise":
        return away(value * Fraction(single))
    if scheme == "qnnpack-q31":
        fraction, power = math.frexp(single)
        return divide_away(up(value * Fraction(fraction)), -power)
    raise ValueError(scheme)
