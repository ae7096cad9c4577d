"""Each scheme is compared, number by number, with its source worded in Python's own integers and fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.int8 import oracle

from neonlab.int8 import fixed_point
from neonlab.int8.arrays import INT32_MAX, INT32_MIN, OperandError, Output
from neonlab.int8.requantize import SCHEMES, effective_scale, ncnn_requantize, ncnn_sum_scale, scheme_named

EDGES = (INT32_MIN, INT32_MIN + 1, -(1 << 30), -65537, -128, -3, -2, -1, 0, 1, 2, 3, 127, 65535, 1 << 30, INT32_MAX)
SCALES = (2.0**-31, 1e-7, 2.0**-10, 0.1, 0.3, 0.4999999999, 0.5, 0.625, 1 - 2.0**-24)
UNSIGNED = Output.of("uint8", 3)

extremes = st.one_of(st.sampled_from(EDGES), st.integers(INT32_MIN, INT32_MAX), st.integers(-70000, 70000))
scales = st.one_of(st.sampled_from(SCALES), st.floats(2.0**-31, 1 - 2.0**-24, width=32), st.floats(2.0**-31, 0.9999))


def clamped(value: int, output: Output) -> int:
    return max(output.minimum, min(output.maximum, value + output.zero_point))


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", SCHEMES)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(value=extremes, scale=scales)
def test_a_scheme_is_what_its_source_says(name: str, value: int, scale: float) -> None:
    got = SCHEMES[name].requantize(np.array([value], np.int32), scale, UNSIGNED)
    assert int(got[0]) == clamped(oracle.scaled(name, value, scale), UNSIGNED)


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_is_what_its_source_says_at_every_small_midpoint(name: str) -> None:
    scales = np.array([0.5, 0.25, 0.75, 0.125, 0.375, 2.0**-9, 3 * 2.0**-11])
    values = np.arange(-3000, 3001, dtype=np.int32)
    got = SCHEMES[name].requantize(values[:, None].repeat(scales.size, 1), scales, Output())
    for (row, value), (column, scale) in itertools.product(enumerate(values[::7]), enumerate(scales)):
        assert got[row * 7, column] == clamped(oracle.scaled(name, int(value), float(scale)), Output())


@pytest.mark.parametrize("scale", [1.0, 1.5, 3.0, 100.25])
@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES[name].limit > 1])
def test_scales_above_one_shift_left(name: str, scale: float) -> None:
    values = np.arange(-130, 131, dtype=np.int32)
    got = SCHEMES[name].requantize(values, scale, Output())
    assert got.tolist() == [clamped(oracle.scaled(name, int(v), scale), Output()) for v in values]


def test_the_schemes_that_round_once_and_up_are_one() -> None:
    random = np.random.default_rng(7)
    values = random.integers(-(1 << 24), 1 << 24, 50_000).astype(np.int32)
    scales = 2.0 ** random.uniform(-24, 0, values.size)
    results = [
        SCHEMES[name].requantize(values, scales, Output())
        for name in ("ruy", "ruy-neon", "tflite-single", "tvm-upward")
    ]
    assert all((one == results[0]).all() for one in results)


@pytest.mark.parametrize("function", ["rounding", "truncating"])
def test_the_high_multiply_saturates_only_for_the_least_times_the_least(function: str) -> None:
    multiply = {
        "rounding": fixed_point.saturating_rounding_doubling_high_multiply,
        "truncating": fixed_point.saturating_doubling_high_multiply,
    }[function]
    left, right = (np.array(column, np.int32) for column in zip(*itertools.product(EDGES, EDGES), strict=True))
    half = 1 << 30 if function == "rounding" else 0
    wanted = [min(INT32_MAX, (2 * a * b + 2 * half) >> 32) for a, b in itertools.product(EDGES, EDGES)]
    assert multiply(left, right).tolist() == wanted
    assert multiply(np.array([INT32_MIN], np.int32), np.array([INT32_MIN], np.int32)).tolist() == [INT32_MAX]
    if function == "rounding":
        assert wanted == [oracle.high_multiply(a, b) for a, b in itertools.product(EDGES, EDGES)]


@pytest.mark.parametrize("exponent", range(32))
def test_the_rounding_divisions_differ_only_in_how_negative_midpoints_fall(exponent: int) -> None:
    values = np.array([*EDGES, *(s * (1 << max(exponent - 1, 0)) for s in (-3, -1, 1)), -7, 5], np.int64).clip(
        INT32_MIN, INT32_MAX
    )
    shift = np.array(exponent)
    away = fixed_point.rounding_divide_by_power_of_two(values.astype(np.int32), shift)
    up = fixed_point.rounding_shift_right(values.astype(np.int32), shift)
    assert away.tolist() == [oracle.divide_away(int(v), exponent) for v in values]
    assert up.tolist() == [oracle.up(Fraction(int(v), 1 << exponent)) for v in values]


@given(real=st.one_of(st.floats(1e-12, 1e9), st.floats(0.4999, 0.5001), st.just(1 - 2.0**-33)))
def test_a_multiplier_is_the_nearest_of_31_bits(real: float) -> None:
    found = fixed_point.tvm_multiplier(real)
    assert (int(found.mantissa), int(found.exponent)) == oracle.encode(real)
    assert abs(float(found.real()) - real) <= real * 2.0**-31
    if 2.0**-32 <= real < 1:
        assert fixed_point.quantize_multiplier(real) == found
        small = fixed_point.quantize_multiplier_smaller_than_one(real)
        assert (int(small.mantissa), int(small.exponent)) == oracle.encode(real)


def test_the_multipliers_that_the_sources_work_out() -> None:
    # 0.2 = 1717986918 · 2^-31 · 2^-2 in TVM's text, and 0.3 = 0.6 · 2^-1 in the text of the integer-only paper.
    assert fixed_point.tvm_multiplier(0.2).mantissa == 1717986918
    assert fixed_point.tvm_multiplier(0.2).exponent == -2
    assert fixed_point.quantize_multiplier(0.3).mantissa == round(0.6 * 2**31)
    assert fixed_point.quantize_multiplier(0.3).exponent == -1


def test_a_multiplier_too_small_for_tflite_becomes_zero_and_stays_in_tvm() -> None:
    assert fixed_point.quantize_multiplier(2.0**-40).mantissa == 0
    assert fixed_point.tvm_multiplier(2.0**-40).mantissa == 1 << 30
    assert fixed_point.quantize_multiplier(0.0).mantissa == 0


def test_ncnn_multiplies_its_scales_before_it_divides() -> None:
    by_input, by_weights = np.float32(23.7), np.array([0.3, 97.1], np.float32)
    found = ncnn_sum_scale(by_input, by_weights)
    assert found.dtype == np.float32 and (found == np.float32(1) / (by_input * by_weights)).all()
    with pytest.raises(OperandError, match="the weight scale"):
        ncnn_sum_scale(by_input, 0.0)


def test_ncnn_scales_twice_with_the_bias_between() -> None:
    sums = np.array([[10, -10], [3, 250]], np.int32)
    got = ncnn_requantize(sums, [0.5, 0.25], 2.0, [0.25, -0.5], Output(minimum=-127))
    assert got.tolist() == [[11, -6], [4, 124]]


def test_scales_multiply_in_float32_or_float64_as_the_library_does() -> None:
    wide = effective_scale(0.1, [0.2, 0.3], 0.7)
    narrow = effective_scale(0.1, [0.2, 0.3], 0.7, "float32")
    single = np.float32
    assert narrow.tolist() == [float(single(0.1) * single(w) / single(0.7)) for w in (0.2, 0.3)]
    assert wide.tolist() == [float(single(0.1)) * float(single(w)) / float(single(0.7)) for w in (0.2, 0.3)]
    assert wide.tolist() != narrow.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scheme_named("none"), "no requantization scheme is called none"),
        (lambda: SCHEMES["ruy"].requantize(np.zeros(3), 0.5, Output()), "accumulators holds float64"),
        (lambda: SCHEMES["ruy"].requantize(np.zeros(3, np.int64), 0.5, Output()), "accumulators holds int64"),
        (lambda: SCHEMES["ruy"].requantize(np.zeros(3, np.int32), 0.0, Output()), "greater than 0"),
        (lambda: SCHEMES["ruy"].requantize(np.zeros(3, np.int32), float("nan"), Output()), "not finite"),
        (lambda: SCHEMES["qnnpack-q31"].requantize(np.zeros(3, np.int32), 1.0, Output()), "to below 1, not 1"),
        (lambda: SCHEMES["qnnpack-precise"].requantize(np.zeros(3, np.int32), 2.0**-33, Output()), "from 2\\^-32"),
        (lambda: SCHEMES["gemmlowp"].requantize(np.zeros(3, np.int32), [[0.5]], Output()), "does not broadcast to"),
        (lambda: SCHEMES["ruy"].requantize(np.full(1, INT32_MAX, np.int32), 4.0, Output()), "leaves int32"),
        (lambda: Output(200), "zero point 200"),
        (lambda: Output(0, 5, 4), "is empty"),
        (lambda: Output.of("float32"), "no integer type"),
        (lambda: fixed_point.quantize_multiplier(-1.0), "must not be negative"),
        (lambda: fixed_point.quantize_multiplier_smaller_than_one(1.0), "between 0 and 1"),
        (lambda: effective_scale(1.0, 1.0, 1.0, "float16"), "float64 or float32"),
    ],
)
def test_what_cannot_be_requantized_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(OperandError, match=message):
        call()


@pytest.mark.parametrize("scales", [(3,), (2, 1, 4), (3, 4)])
def test_scales_that_do_not_go_along_the_accumulators_are_refused(scales: tuple[int, ...]) -> None:
    sums = np.zeros((2, 4), np.int32)
    for scheme in SCHEMES.values():
        with pytest.raises(OperandError, match=r"the scale has the shape .* does not broadcast to \(2, 4\)"):
            scheme.requantize(sums, np.full(scales, 0.5), Output())
    with pytest.raises(OperandError, match="the bias has the shape"):
        ncnn_requantize(sums, 0.5, 0.5, np.zeros(scales), Output())


@pytest.mark.parametrize(
    "values", [np.array([1.5]), np.array([1 << 31]), np.array([-(1 << 40)]), np.array([1 << 63], np.uint64)]
)
def test_what_is_no_int32_is_not_multiplied(values: np.ndarray) -> None:
    half = fixed_point.quantize_multiplier(0.5)
    for multiply in (
        fixed_point.multiply_once_rounded,
        fixed_point.multiply_twice_rounded,
        fixed_point.multiply_truncating_then_rounding,
        fixed_point.multiply_twice_rounded_up,
        fixed_point.tvm_fixed_point_multiply,
    ):
        with pytest.raises(OperandError, match=r"not integers|must lie within int32"):
            multiply(values, half)
