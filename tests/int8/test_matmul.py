"""Products with zero points: both forms, packing, and the six worked examples that ruy ships and prints."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neonlab.int8.affine import affine_from_range, dequantize, quantize_gemmlowp
from neonlab.int8.arrays import OperandError, Output, exact_matmul
from neonlab.int8.fixed_point import Multiplier
from neonlab.int8.matmul import (
    accumulate_four_terms,
    accumulate_subtracting_first,
    column_sums,
    pack_to_signed,
    row_sums,
    ruy_mul,
    ruy_mul_floats,
)
from neonlab.int8.requantize import SCHEMES, effective_scale

LHS = np.array([[1, 2], [3, 4]])
RHS = np.array([[1, 3], [2, 4]])
PER_CHANNEL = Multiplier(np.array([3 << 28, 5 << 28], np.int32), np.array([1, -2], np.int32))


def test_ruy_example_mul_float() -> None:
    assert ruy_mul_floats(LHS, RHS).tolist() == [[5, 11], [11, 25]]


def test_ruy_example_mul_float_with_bias_addition_and_clamp() -> None:
    assert ruy_mul_floats(LHS, RHS, [1, 0], 0, 15).tolist() == [[6, 12], [11, 15]]


def test_ruy_example_mul_uint8_quantized_with_asymmetric_zero_points() -> None:
    lhs, rhs = np.array([[124, 125], [126, 127]], np.uint8), np.array([[129, 131], [130, 132]], np.uint8)
    half = Multiplier(np.array(1 << 30, np.int32), np.array(0, np.int32))
    output = Output.of("uint8", 129)
    got = ruy_mul(lhs, rhs, lhs_zero_point=125, rhs_zero_point=132, multiplier=half, output=output)
    assert got.tolist() == [[131, 130], [126, 129]]
    assert ruy_mul(lhs, rhs, lhs_zero_point=125, rhs_zero_point=132).tolist() == [[3, 1], [-7, -1]]


def test_ruy_example_mul_int8_quantized_with_per_channel_multipliers() -> None:
    got = ruy_mul(LHS.astype(np.int8), RHS.astype(np.int8), multiplier=PER_CHANNEL, output=Output())
    assert got.tolist() == [[4, 8], [2, 4]]


def test_ruy_example_mul_returning_raw_int32_accumulators() -> None:
    got = ruy_mul(LHS.astype(np.int8), RHS.astype(np.int8))
    assert got.dtype == np.int32
    assert got.tolist() == [[5, 11], [11, 25]]


def test_ruy_example_mul_int8_times_int16_quantized_with_per_channel_multipliers() -> None:
    rhs = (RHS * 1000).astype(np.int16)
    got = ruy_mul(LHS.astype(np.int8), rhs, multiplier=PER_CHANNEL, output=Output.of("int16"))
    assert got.dtype == np.int16
    assert got.tolist() == [[3750, 8250], [1719, 3906]]


def test_a_float_product_goes_through_quantized_numbers_and_back() -> None:
    # Jacob et al. 2018, as gemmlowp's worked example has it: ranges, quantize, multiply, requantize, dequantize.
    random = np.random.default_rng(13)
    lhs, rhs = random.uniform(-1, 1, (2, 40)), random.uniform(-0.5, 2, (40, 3))
    wanted = lhs @ rhs
    left, right, out = (affine_from_range(float(m.min()), float(m.max())) for m in (lhs, rhs, wanted))
    sums = accumulate_four_terms(
        quantize_gemmlowp(lhs, left), quantize_gemmlowp(rhs, right), left.zero_point, right.zero_point
    )
    scale = effective_scale(left.scale, right.scale, out.scale)
    got = SCHEMES["gemmlowp"].requantize(sums, scale, Output.of("uint8", out.zero_point))
    # Half a step of either operand times the other, forty times over, and half a step of the result.
    allowed = 40 * (left.scale / 2 * np.abs(rhs).max() + right.scale / 2 * np.abs(lhs).max()) + out.scale
    assert np.abs(dequantize(got, out.scale, out.zero_point) - wanted).max() <= allowed
    exact = sums * (left.scale * right.scale)
    assert np.abs(dequantize(got, out.scale, out.zero_point) - exact).max() <= out.scale * 0.51


@st.composite
def products(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, np.ndarray, np.ndarray]:
    m, k, n = (draw(st.integers(1, 9)) for _ in range(3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    types = [draw(st.sampled_from(["int8", "uint8"])) for _ in range(2)]
    choose = draw(st.sampled_from(["random", "extremes"]))

    def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
        info = np.iinfo(dtype)
        if choose == "extremes":
            return random.choice(np.array([info.min, info.max], dtype), shape)
        return random.integers(info.min, info.max, shape, dtype, endpoint=True)

    right = values(types[1], (k, n))
    return values(types[0], (m, k)), right, int(values(types[0], ())), values(types[1], (n,)), values("int8", (n,))


@settings(deadline=None, derandomize=True)
@given(case=products())
def test_four_terms_are_subtracting_first(case: tuple[np.ndarray, np.ndarray, int, np.ndarray, np.ndarray]) -> None:
    left, right, left_zero, right_zero, bias = case
    four = accumulate_four_terms(left, right, left_zero, right_zero, bias.astype(np.int32))
    first = accumulate_subtracting_first(left, right, left_zero, right_zero, bias.astype(np.int32))
    assert four.tolist() == first.tolist()
    by_hand = [
        [
            sum((int(x) - left_zero) * (int(w) - int(z)) for x, w in zip(row, column, strict=True)) + int(b)
            for column, z, b in zip(right.T, right_zero, bias, strict=True)
        ]
        for row in left
    ]
    assert four.tolist() == by_hand


@settings(deadline=None, derandomize=True)
@given(case=products())
def test_packing_to_signed_leaves_the_products_as_they_are(
    case: tuple[np.ndarray, np.ndarray, int, np.ndarray, np.ndarray],
) -> None:
    left, right, zero, _, _ = case
    unsigned = left.view(np.uint8)
    packed, packed_zero = pack_to_signed(unsigned, zero & 255)
    assert packed.dtype == np.int8
    assert packed.tolist() == (unsigned.astype(int) - 128).tolist()
    before = accumulate_four_terms(unsigned, right, zero & 255)
    assert accumulate_four_terms(packed, right, packed_zero).tolist() == before.tolist()


def test_the_sums_are_over_the_depth() -> None:
    matrix = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert row_sums(matrix).tolist() == [3, 12]
    assert column_sums(matrix).tolist() == [3, 5, 7]
    with pytest.raises(OperandError, match="a row's sum leaves int32"):
        row_sums(np.full((1, 65539), 32767, np.int16))
    with pytest.raises(OperandError, match="wanted a matrix"):
        column_sums(matrix[0])


def test_sums_of_a_row_beyond_int32_leave_the_product_right() -> None:
    row, column = np.full((1, 70000), 32767, np.int16), np.full((70000, 1), 100, np.int16)
    column[7] = 99
    for form in (accumulate_four_terms, accumulate_subtracting_first):
        assert form(row, column, 0, 100).tolist() == [[-32767]]


@pytest.mark.parametrize("bound", [1, 127, 1 << 20, 1 << 40])
def test_products_are_exact_whichever_type_carries_them(bound: int) -> None:
    random = np.random.default_rng(3)
    left, right = random.integers(-bound, bound, (5, 64)), random.integers(-bound, bound, (64, 3))
    product = exact_matmul(left, right)
    for (i, row), (j, column) in itertools.product(enumerate(left.tolist()), enumerate(right.T.tolist())):
        exact = sum(x * w for x, w in zip(row, column, strict=True))
        assert int(product[i, j]) == (exact + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 3), np.int8), np.zeros((2, 3), np.int8)), "do not multiply"),
        ((np.zeros((2, 3), np.float32), np.zeros((3, 2), np.int8)), "the left matrix holds float32"),
        ((np.zeros((2, 3), np.uint8), np.zeros((3, 2), np.int8), -1), "left zero point does not fit uint8"),
        ((np.zeros((2, 3), np.uint8), np.zeros((3, 2), np.int8), 1, [0, 0, 0]), "wanted one number or"),
        ((np.zeros((2, 3), np.uint8), np.zeros((3, 2), np.int8), 1, 0, [1]), "the bias has shape"),
        ((np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.int8), 0, 0, [1 << 31]), "leaves int32"),
    ],
)
def test_what_does_not_multiply_is_refused(arguments: tuple[object, ...], message: str) -> None:
    for form in (accumulate_four_terms, accumulate_subtracting_first):
        with pytest.raises(OperandError, match=message):
            form(*arguments)  # type: ignore[arg-type]


def test_ruy_refuses_a_multiplier_without_an_output() -> None:
    with pytest.raises(OperandError, match="both a multiplier and an output, or neither"):
        ruy_mul(LHS.astype(np.int8), RHS.astype(np.int8), multiplier=PER_CHANNEL)
    with pytest.raises(OperandError, match="uint8"):
        pack_to_signed(LHS, 0)
    with pytest.raises(OperandError, match="the zero point does not fit uint8"):
        pack_to_signed(LHS.astype(np.uint8), 256)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((LHS, RHS[:1]), "do not multiply"),
        ((LHS, [[1.0, float("nan")], [0.0, 0.0]]), "rhs holds values that are not finite"),
        ((LHS, RHS, [1, 2, 3]), "the bias has shape"),
        ((LHS, RHS, 0.0, 2.0, 1.0), "the range 2.0 to 1.0 is empty"),
        ((LHS * 1e30, RHS * 1e30), "the result holds values beyond float32"),
    ],
)
def test_floats_that_do_not_multiply_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(OperandError, match=message):
        ruy_mul_floats(*arguments)  # type: ignore[arg-type]
