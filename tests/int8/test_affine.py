"""Quantize and dequantize against the sources worded in Python; ranges and scales against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.int8 import oracle

from neonlab.int8.affine import (
    Affine,
    MovingRange,
    affine_from_range,
    dequantize,
    quantize,
    quantize_gemmlowp,
    quantize_ncnn,
    quantize_symmetric,
    symmetric_scale,
)
from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.requantize import ncnn_requantize
from neonlab.int8.rounding import rounded, stochastic

singles = st.floats(-2000, 2000, width=32)
MIDPOINTS = [-2.5, -1.5, -0.5, -0.49999997, 0.49999997, 0.5, 1.5, 2.5, 8388607.5, -8388607.5]


@pytest.mark.parametrize(
    ("rounding", "one"),
    [("away", lambda x: oracle.away(Fraction(x))), ("even", round), ("up", lambda x: oracle.up(Fraction(x)))],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_is_exact_at_midpoints_and_next_to_them(rounding: str, one: object, dtype: str) -> None:
    assert callable(one)
    values = np.array([v for m in MIDPOINTS for v in (m, np.nextafter(m, 9e9), np.nextafter(m, -9e9))], dtype)
    assert rounded(values, rounding).tolist() == [one(float(v)) for v in values]
    assert rounded(values, rounding).dtype == np.dtype(dtype)
    endless = np.array([np.inf, -np.inf], dtype)
    assert (rounded(endless, rounding) == endless).all()


def test_stochastic_rounding_is_unbiased_and_goes_to_a_neighbour() -> None:
    values = np.repeat(np.array([-1.75, -0.5, 0.0, 0.25, 3.0]), 20_000)
    got = stochastic(values, np.random.default_rng(4)).reshape(5, -1)
    assert np.abs(got.mean(1) - values.reshape(5, -1)[:, 0]).max() < 5 * 0.5 / math.sqrt(20_000)
    assert (np.abs(got - values.reshape(5, -1)) < 1).all()
    assert (got[2] == 0).all() and (got[4] == 3).all()
    with pytest.raises(OperandError, match="seeded random generator"):
        rounded(values, "stochastic")
    with pytest.raises(OperandError, match="no rounding is called down"):
        rounded(values, "down")


def test_the_range_of_the_published_example() -> None:
    # -10 to 30: 0 stands for -10, 255 for 30, and 128 for 10.
    found = affine_from_range(-10.0, 30.0)
    assert (found.scale, found.zero_point) == (oracle.float32(40 / 255), 64)
    assert dequantize(np.array([0, 64, 255, 128], np.uint8), found.scale, 64).tolist() == pytest.approx(
        [-10, 0, 30, 10], abs=found.scale / 2
    )


@settings(derandomize=True)
@given(ends=st.tuples(singles, singles), dtype=st.sampled_from(["uint8", "int8"]))
def test_a_range_is_covered_and_zero_is_exact(ends: tuple[float, float], dtype: str) -> None:
    low, high = sorted(ends)
    found = affine_from_range(low, high, dtype)
    info = np.iinfo(dtype)
    assert info.min <= found.zero_point <= info.max
    reals = np.array([low, high, 0.0])
    back = dequantize(quantize_gemmlowp(reals, found), found.scale, found.zero_point)
    assert np.abs(back - reals).max() <= found.scale * 1.001 or low == high == 0
    assert back[2] == 0


@settings(derandomize=True)
@given(reals=st.lists(singles, min_size=1, max_size=20), scale=st.floats(0.01, 20), zero=st.integers(0, 255))
def test_quantizing_is_what_each_source_says(reals: list[float], scale: float, zero: int) -> None:
    values, output = np.array(reals, np.float32), Output.of("uint8", zero)
    step = oracle.float32(scale)
    over = [oracle.float32(v / step) for v in reals]
    times = [oracle.float32(v * oracle.float32(1 / step)) for v in reals]

    def held(numbers: list[int]) -> list[int]:
        return [max(0, min(255, n + zero)) for n in numbers]

    assert quantize(values, scale, output).tolist() == held([oracle.away(Fraction(v)) for v in over])
    assert quantize(values, scale, output, "even").tolist() == held([round(v) for v in over])
    assert quantize(values, scale, output, "even", reciprocal=True).tolist() == held([round(v) for v in times])
    by_gemmlowp = [oracle.away(Fraction(max(0.0, min(255.0, oracle.float32(zero + v))))) for v in over]
    assert quantize_gemmlowp(values, Affine(scale, zero)).tolist() == by_gemmlowp


def test_quantizing_stochastically_is_reproduced_from_the_seed() -> None:
    reals = np.linspace(-3, 3, 500)
    first, second, other = (
        quantize(reals, 0.1, Output(), "stochastic", random=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.tolist() == second.tolist() != other.tolist()
    assert np.abs(first * 0.1 - reals).max() < 0.1001


def test_dequantizing_multiplies_then_adds_the_bias_by_channel() -> None:
    values = np.array([[100, -3], [7, 1 << 25]], np.int32)
    got = dequantize(values, [0.1, 0.3], 0, [1.5, -2.0])
    assert got.dtype == np.float32
    wanted = [
        [
            oracle.float32(oracle.float32(oracle.float32(int(v)) * oracle.float32(s)) + b)
            for v, s, b in zip(row, (0.1, 0.3), (1.5, -2.0), strict=True)
        ]
        for row in values
    ]
    assert got.tolist() == wanted
    assert dequantize(np.array([0, 255], np.uint8), 0.5, 128).tolist() == [-64.0, 63.5]


def test_symmetric_scales_reach_the_greatest_magnitude_of_each_channel() -> None:
    weights = np.array([[1.0, -12.7], [0.0, 0.0], [6.35, 2.0]])
    assert symmetric_scale(weights) == 12.7 / 127
    assert symmetric_scale(weights, 0).tolist() == [12.7 / 127, 1.0, 6.35 / 127]
    assert symmetric_scale(weights, -1, 31).tolist() == [6.35 / 31, 12.7 / 31]
    with pytest.raises(OperandError, match="got 127 steps, axis 2"):
        symmetric_scale(weights, 2)


@pytest.mark.parametrize("factor", [1.0, 0.37, 24.0, 1000.0])
def test_ncnn_multiplies_in_float32_and_rounds_away(factor: float) -> None:
    reals = np.concatenate([np.arange(-300, 300) * 0.5, [0.49999997, 1e30, -1e30]]).astype(np.float32) / factor
    reals = reals.astype(np.float32)
    exact = [Fraction(float(product)) for product in reals * np.float32(factor)]
    away = [int(abs(value) + Fraction(1, 2)) * (1 if value > 0 else -1) for value in exact]
    assert quantize_ncnn(reals, factor).tolist() == [max(-127, min(127, value)) for value in away]
    assert quantize_ncnn(reals, factor, 0, 6).tolist() == [max(0, min(6, value)) for value in away]


def test_ncnn_rounds_away_and_clamps_at_127_on_both_sides() -> None:
    reals = np.array([0.5, -0.5, 1.5, 126.5, 500.0, -127.4, -128.0, -500.0])
    assert quantize_symmetric(reals, 1.0).tolist() == [1, -1, 2, 127, 127, -127, -127, -127]
    assert quantize_symmetric(reals, 1.0, -128).tolist() == [1, -1, 2, 127, 127, -127, -128, -128]


def test_a_moving_range_follows_the_batches() -> None:
    seen = MovingRange(decay=0.9, delay=1).updated([-1.0, 2.0])
    assert (seen.minimum, seen.maximum, seen.settled) == (-1.0, 2.0, False)
    seen = seen.updated([[3.0], [0.0]])
    assert (seen.minimum, seen.maximum, seen.settled) == pytest.approx((-0.9, 2.1, True))
    assert seen.affine() == affine_from_range(seen.minimum, seen.maximum)
    with pytest.raises(OperandError, match="no batch"):
        MovingRange().affine()
    with pytest.raises(OperandError, match="is empty"):
        MovingRange().updated([])
    with pytest.raises(OperandError, match="not in"):
        MovingRange(decay=1.0)


def test_what_overflows_on_its_way_is_clamped() -> None:
    assert quantize([3e38, -3e38, 0], 2.0**-60, Output(3)).tolist() == [127, -128, 3]
    far = ncnn_requantize(np.array([2**31 - 1, -(2**31), 0], np.int32), 2.0**60, 2.0**60, 0.0, Output(0, -127))
    assert far.tolist() == [127, -127, 0]


def test_what_cannot_be_quantized_is_refused() -> None:
    with pytest.raises(OperandError, match=r"range 2\.0 to 1\.0 is empty"):
        affine_from_range(2, 1)
    with pytest.raises(OperandError, match="not finite"):
        quantize([float("nan")], 1.0, Output())
    with pytest.raises(OperandError, match="greater than 0"):
        Affine(0.0, 0)
    with pytest.raises(OperandError, match=r"are integers, not 0\.5"):
        Output(0.5)  # type: ignore[arg-type]
    with pytest.raises(OperandError, match="the values holds float64"):
        dequantize([1.5], 1.0)
