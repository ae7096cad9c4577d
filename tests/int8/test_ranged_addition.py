"""Addition of tensors described by their ranges: TensorFlow's, and nnlib's that guesses the range of the sum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.int8 import oracle

from neonlab.int8.arrays import OperandError
from neonlab.int8.ranged_addition import (
    TENSORFLOW_2_HEADROOM,
    Ranged,
    add_8p8_to_8_nnlib,
    add_8p8_to_32_nnlib,
    add_8p8_to_32_tensorflow,
    add_8p8_to_32_tensorflow_linear,
    add_once_guessed,
    guessed_addition,
)

RANGES = [((-1.0, 1.0), (-2.0, 2.0)), ((0.0, 6.0), (-1.5, 3.0)), ((-0.3, 0.1), (-7.0, 9.0)), ((-5.0, 5.0), (0.5, 1.0))]


def every_pair(a: tuple[float, float], b: tuple[float, float]) -> tuple[Ranged, Ranged]:
    left, right = (part.ravel().astype(np.uint8) for part in np.meshgrid(np.arange(256), np.arange(256)))
    return Ranged(left, *a), Ranged(right, *b)


def real(side: Ranged) -> np.ndarray:
    return side.minimum + side.values.astype(np.float64) * (side.maximum - side.minimum) / 255


@pytest.mark.parametrize(("a", "b"), RANGES)
def test_tensorflow_adds_in_a_range_2_to_the_17_times_the_largest_end(
    a: tuple[float, float], b: tuple[float, float]
) -> None:
    left, right = every_pair(a, b)
    got = add_8p8_to_32_tensorflow(left, right)
    assert got.values.dtype == np.int32
    assert got.maximum == -got.minimum == max(map(abs, (*a, *b))) * 2**17
    step = 2 * got.maximum / 2**32
    # The minimum of each input is moved to a whole number of its steps: at most half a step of error for each.
    allowed = ((a[1] - a[0]) + (b[1] - b[0])) / 255 / 2 + 4 * step
    assert np.abs(got.values * step - (real(left) + real(right))).max() <= allowed


LEFT, RIGHT = [0, 1, 33, 128, 3, 255], [0, 0, 77, 128, 255, 255]
# What tf.raw_ops.QuantizedAdd of TensorFlow 2.21.0 (x86) printed for LEFT and RIGHT: ranges, max_z, z.
PRINTED = [
    ((-1.0, 1.0), (-2.0, 2.0), 32768.0, [-195837, -195323, -99719, 1539, 67845, 197373]),
    ((0.0, 6.0), (-1.5, 3.0), 98304.0, [-32768, -32254, 13916, 82432, 67204, 196732]),
    ((-0.3, 0.1), (-7.0, 9.0), 147456.0, [-106708, -106686, -35604, 13100, 126428, 131972]),
    ((-5.0, 5.0), (0.5, 1.0), 81920.0, [-117451, -116423, -79523, 20789, -101107, 157949]),
    ((-0.37, 0.91), (-0.11, 0.29), 14909.4404296875, [-69318, -68595, -28057, 52154, -9519, 172677]),
]


@pytest.mark.parametrize(("a", "b", "maximum", "printed"), PRINTED)
def test_the_integers_of_tensorflow_are_what_tensorflow_printed(
    a: tuple[float, float], b: tuple[float, float], maximum: float, printed: list[int]
) -> None:
    left, right = Ranged(np.array(LEFT, np.uint8), *a), Ranged(np.array(RIGHT, np.uint8), *b)
    got = add_8p8_to_32_tensorflow_linear(left, right, TENSORFLOW_2_HEADROOM)
    assert got.values.tolist() == printed
    assert (got.minimum, got.maximum) == (-maximum, maximum)


@pytest.mark.parametrize(("a", "b"), RANGES)
def test_the_integers_of_tensorflow_stay_near_its_floats(a: tuple[float, float], b: tuple[float, float]) -> None:
    left, right = every_pair(a, b)
    linear, exact = (f(left, right) for f in (add_8p8_to_32_tensorflow_linear, add_8p8_to_32_tensorflow))
    assert (linear.minimum, linear.maximum) == (exact.minimum, exact.maximum)
    # Each step of each input is rounded once and multiplied by at most 255; the floats round twice more.
    assert np.abs(linear.values.astype(np.int64) - exact.values).max() <= 2 * (255 * 0.5 + 255 * 0.5 + 2)


def test_tensorflow_adds_0_and_0_to_0() -> None:
    side = Ranged(np.array([0, 128, 255], np.uint8), -128.0, 127.0)
    got = add_8p8_to_32_tensorflow(side, side)
    assert got.values[1] == 0
    step = 2 * got.maximum / 2**32
    assert (got.values * step).tolist() == pytest.approx([-256, 0, 254], abs=2 * step)


@pytest.mark.parametrize(("a", "b"), [pair for pair in RANGES if pair[1][0] <= 0])
def test_nnlib_adds_in_the_same_range_with_one_multiplication_each(
    a: tuple[float, float], b: tuple[float, float]
) -> None:
    left, right = every_pair(a, b)
    got, other = add_8p8_to_32_nnlib(left, right), add_8p8_to_32_tensorflow(left, right)
    assert (got.minimum, got.maximum) == (other.minimum, other.maximum)
    step = 2 * got.maximum / 2**32
    allowed = ((a[1] - a[0]) + (b[1] - b[0])) / 255 / 2 + 4 * step
    assert np.abs(got.values * step - (real(left) + real(right))).max() <= allowed
    at = 777
    by_hand = 0.5
    for side, (low, high) in ((left, a), (right, b)):
        width = oracle.float32((oracle.float32(high) - oracle.float32(low)) / 255)
        zero = oracle.away(Fraction(oracle.float32(-oracle.float32(low) / width)))
        by_hand += (int(side.values[at]) - zero) * width / (got.maximum / 2**31)
    assert abs(int(got.values[at]) - by_hand) <= 1 + abs(by_hand) * 2**-22


def test_one_pass_of_nnlib_is_its_16_bit_arithmetic() -> None:
    left, right = every_pair((-5.0, 5.0), (-1.0, 3.0))
    way = guessed_addition(left, right, -6.0, 8.0)
    assert (way.alpha, way.recip) == (int(128 * 2.5), int(32768 * 4 / 14))
    assert way.kappa == int(128 * 2.5 + 255 * (-6) / 4) == -62
    assert way.offset == int(255 * -6 / 14 - 0.5)
    got, least, most = add_once_guessed(left.values, right.values, way)
    xs = []
    for a, b, c in zip(left.values.tolist()[::31], right.values.tolist()[::31], got.tolist()[::31], strict=True):
        x = (a - 128) * way.alpha // 128 + b + way.kappa
        xs.append(x)
        assert c == max(0, min(255, oracle.up(Fraction(x * way.recip, 32768)) - way.offset))
    assert least <= min(xs) and max(xs) <= most


@pytest.mark.parametrize(("a", "b"), RANGES)
def test_nnlib_corrects_a_guess_that_was_too_small_in_a_second_pass(
    a: tuple[float, float], b: tuple[float, float]
) -> None:
    left, right = every_pair(a, b)
    got = add_8p8_to_8_nnlib(left, right, -0.125, 0.125)
    assert got.passes == 2
    total = real(left) + real(right)
    wider, narrower = max(a[1] - a[0], b[1] - b[0]), min(a[1] - a[0], b[1] - b[0])
    # kappa and alpha are truncated: two steps of the narrower input.
    assert got.minimum <= total.min() + 2 * narrower / 255 and got.maximum >= total.max() - 3 * narrower / 255
    step = (got.maximum - got.minimum) / 255
    found = got.minimum + got.values * step
    assert np.abs(found - total).max() <= 2 * step + (3 + 128 / 128) * narrower / 255
    assert got.maximum - got.minimum >= wider


@pytest.mark.parametrize(("a", "b"), RANGES)
def test_nnlib_needs_one_pass_when_the_guess_holds_the_sum(a: tuple[float, float], b: tuple[float, float]) -> None:
    left, right = every_pair(a, b)
    low, high = a[0] + b[0] - 0.1, a[1] + b[1] + 0.1
    got = add_8p8_to_8_nnlib(left, right, low, high)
    assert got.passes == 1 and (got.minimum, got.maximum) == (low, high)
    other = add_8p8_to_8_nnlib(right, left, low, high)
    assert other.values.tolist() == got.values.tolist()


@settings(deadline=None, derandomize=True, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), guess=st.floats(0.01, 20))
def test_nnlib_never_needs_a_third_pass(seed: int, guess: float) -> None:
    random = np.random.default_rng(seed)
    lows, highs = -random.uniform(0.1, 4, 2), random.uniform(0.1, 4, 2)
    left, right = (
        Ranged(random.integers(0, 256, 40).astype(np.uint8), float(low), float(high))
        for low, high in zip(lows, highs, strict=True)
    )
    first = add_8p8_to_8_nnlib(left, right, -guess, guess)
    again = add_8p8_to_8_nnlib(left, right, first.minimum, first.maximum)
    assert again.passes == 1
    assert again.values.tolist() == first.values.tolist()


def test_nnlib_returns_the_wider_when_the_other_is_no_wider_than_a_step_of_it() -> None:
    wide = Ranged(np.arange(8, dtype=np.uint8), -256.0, 256.0)
    got = add_8p8_to_8_nnlib(Ranged(np.full(8, 255, np.uint8), 0.0, 2.0), wide, 0, 1)
    assert got.values.tolist() == wide.values.tolist() and (got.minimum, got.maximum) == (-256.0, 256.0)


def test_what_has_no_range_is_refused() -> None:
    side = Ranged(np.zeros(3, np.uint8), 0.0, 1.0)
    for function in (add_8p8_to_32_tensorflow, add_8p8_to_32_tensorflow_linear, add_8p8_to_32_nnlib):
        with pytest.raises(OperandError, match="differ"):
            function(side, Ranged(np.zeros(4, np.uint8), 0.0, 1.0))
    with pytest.raises(OperandError, match="is empty"):
        Ranged(np.zeros(3, np.uint8), 1.0, 1.0)
    with pytest.raises(OperandError, match="holds int8"):
        Ranged(np.zeros(3, np.int8), 0.0, 1.0)
    with pytest.raises(OperandError, match="guessed range"):
        guessed_addition(side, side, 1.0, 1.0)
    with pytest.raises(OperandError, match="more than 16 bits"):
        guessed_addition(Ranged(np.zeros(3, np.uint8), 1000.0, 1001.0), side, 0.0, 1.0)
    with pytest.raises(OperandError, match="nothing to add"):
        empty = np.zeros(0, np.uint8)
        add_once_guessed(empty, empty, guessed_addition(side, side, 0.0, 2.0))
