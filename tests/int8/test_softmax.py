"""Softmax in integers against a scalar transcription of the published steps, and against the real function."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neonlab.int8.activation import softmax
from neonlab.int8.affine import Affine
from neonlab.int8.arrays import OperandError
from neonlab.int8.softmax import exp_of_negative, reciprocal, softmax_fixed_point

MOST = (1 << 31) - 1


def times(a: int, b: int) -> int:
    """Half of the doubled product's high half, halves away from zero but for what is exactly between, up."""
    return (a * b + (1 << 30)) // (1 << 31)


def divided(value: int, exponent: int) -> int:
    magnitude = (abs(value) + (1 << exponent >> 1)) >> exponent
    return magnitude if value >= 0 else -magnitude


def exponential(x: int) -> int:
    if x == 0:
        return MOST
    part = x % (1 << 24) - (1 << 24)
    at = part * 32 + (1 << 28)
    square, cube, fourth = times(at, at), times(times(at, at), at), times(times(at, at), times(at, at))
    series = divided(times(divided(fourth, 2) + cube, round(2**31 / 3)) + square, 1)
    eighth = round(math.exp(-1 / 8) * 2**31)
    result = eighth + times(at + series, eighth)
    for bit in range(24, 31):
        if (part - x) >> bit & 1:
            result = times(result, round(math.exp(-(2.0 ** (bit - 26))) * 2**31))
    return result


def row_of(values: list[int], scale: float, low: int) -> list[int]:
    real = min(scale * (1 << 26), MOST)
    mantissa, shift = math.frexp(real)
    multiplier = round(mantissa * 2**31)
    if multiplier == 1 << 31:
        multiplier, shift = multiplier >> 1, shift + 1
    least = -math.floor(31 * 2.0**26 / 2.0**shift)
    greatest = max(values)
    found = [
        exponential(times((value - greatest) << shift, multiplier)) if value - greatest >= least else None
        for value in values
    ]
    total = sum(divided(one, 12) for one in found if one is not None)
    leading = 32 - total.bit_length()
    half = ((total << leading) - (1 << 31) + MOST + 1) // 2
    x = round(48 / 17 * 2**29) + times(half, -round(32 / 17 * 2**29))
    for _ in range(3):
        x += times(x, (1 << 29) - times(half, x)) * 4
    factor = min(2 * x, MOST)
    outs = [0 if one is None else divided(times(one, factor), 12 - leading + 31 - 8) for one in found]
    return [min(max(out + low, low), low + 255) for out in outs]


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("scale", [0.004, 0.07, 0.25, 1.3])
def test_each_row_is_what_the_published_steps_give(dtype: str, scale: float) -> None:
    random = np.random.default_rng(17)
    values = random.integers(0, 256, (25, 11)).astype(np.uint8).view(dtype)
    single = float(np.float32(scale))
    expected = [row_of(row, single, int(np.iinfo(dtype).min)) for row in values.tolist()]
    assert softmax_fixed_point(values, scale).tolist() == expected


def test_it_is_the_real_function_and_the_one_by_table_but_for_a_step() -> None:
    random = np.random.default_rng(18)
    values = random.integers(-128, 128, (40, 30)).astype(np.int8)
    got = softmax_fixed_point(values, 0.09).astype(int)
    real = np.exp((values.astype(float) - values.max(-1, keepdims=True)) * 0.09)
    real = np.minimum(256 * real / real.sum(-1, keepdims=True), 255) - 128
    assert np.abs(got - real).max() <= 0.51
    table = softmax(values, 0.09, 1.0, Affine(1 / 256, -128, "int8")).astype(int)
    assert np.abs(got - table).max() <= 1 and (got != table).mean() < 0.01


def test_exponentials_and_reciprocals_are_good_to_some_twenty_bits() -> None:
    x = -np.arange(0, 31 << 26, 999_983)
    assert np.abs(exp_of_negative(x) / 2**31 - np.exp(x / 2**26)).max() < 2**-20
    s = np.arange(1 << 19, MOST, 9_999_991)
    factor, over = reciprocal(s)
    assert np.abs(factor / 2.0 ** (31 + over) * (s / 2**19) - 1).max() < 2**-25


def test_what_has_no_softmax_is_refused() -> None:
    with pytest.raises(OperandError, match="at least one value"):
        softmax_fixed_point(np.zeros((3, 0), np.int8), 0.1)
    with pytest.raises(OperandError, match=r"below 2\^-27"):
        softmax_fixed_point(np.zeros(3, np.int8), 1e-9)
    with pytest.raises(OperandError, match="between -32 and 0"):
        exp_of_negative(np.array([1]))
    with pytest.raises(OperandError, match="reciprocal"):
        reciprocal(np.array([0]))
