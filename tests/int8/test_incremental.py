"""Incremental quantization: exponents, nearest powers, and the schedule with its mask."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neonlab.int8.arrays import OperandError
from neonlab.int8.incremental import SCHEDULE, exponents_for, quantize_step, to_powers, update


@pytest.mark.parametrize(
    ("largest", "bits", "exponents"),
    # The paper: bits 3 and n1 = -1 give n2 = -2; the published code: 7 exponents below n1 for 5 bits, 1 for 3, 0 for 2.
    [
        (0.5, 3, (-1, -2)),
        (0.5, 5, (-1, -8)),
        (0.74, 5, (-1, -8)),
        (0.75, 5, (0, -7)),
        (1.0, 2, (0, 0)),
        (3.0, 4, (2, -1)),
    ],
)
def test_exponents_follow_from_the_largest_weight_and_the_bits(
    largest: float, bits: int, exponents: tuple[int, int]
) -> None:
    assert exponents_for(largest, bits) == exponents


def nearest(weight: float, greatest: int, least: int) -> float:
    """The published loop: zero first, then powers from the least up; a later one must be strictly nearer."""
    best, distance = 0.0, abs(weight)
    for exponent in range(least, greatest + 1):
        for power in (2.0**exponent, -(2.0**exponent)):
            if abs(weight - power) < distance:
                best, distance = power, abs(weight - power)
    return best


@settings(derandomize=True)
@given(
    weights=st.lists(
        st.one_of(st.floats(-3, 3, width=32), st.sampled_from([0.75, -0.375, 2**-8, 0.0, 1.5])), min_size=1
    ),
    greatest=st.integers(-2, 1),
    count=st.integers(0, 7),
)
def test_weights_go_to_the_nearest_power_of_two_or_zero(weights: list[float], greatest: int, count: int) -> None:
    got = to_powers(weights, greatest, greatest - count)
    assert got.tolist() == [nearest(weight, greatest, greatest - count) for weight in weights]


def test_the_schedule_quantizes_the_largest_first_and_keeps_what_it_has_quantized() -> None:
    random = np.random.default_rng(2)
    weights = random.normal(0, 0.2, (20, 5)).astype(np.float32)
    mask = np.ones(weights.shape, np.uint8)
    for kept in SCHEDULE:
        before, mask_before, magnitude = weights, mask, np.abs(weights)
        weights, mask = quantize_step(weights, mask, kept)
        assert int(mask.sum()) == max(round(100 * kept) - 1, 0)
        assert (weights[mask_before == 0] == before[mask_before == 0]).all()
        assert (weights[mask == 1] == before[mask == 1]).all()
        if mask.any():
            assert magnitude[mask == 1].max() <= magnitude[mask == 0].min()
        quantized = weights[mask == 0]
        assert set(np.log2(np.abs(quantized[quantized != 0])).tolist()) <= set(map(float, range(-12, 1)))
        weights = update(weights, random.normal(0, 0.1, weights.shape), mask, 0.01)
        assert (weights[mask == 0] == quantized).all()
    assert not mask.any()


def test_what_makes_no_step_is_refused() -> None:
    with pytest.raises(OperandError, match="make no step"):
        quantize_step(np.ones(3), np.ones(2, np.uint8), 0.5)
    with pytest.raises(OperandError, match="make no step"):
        quantize_step(np.ones(3), np.ones(3, np.uint8), 1.0)
    with pytest.raises(OperandError, match="wanted 2 to 8 bits"):
        quantize_step(np.zeros(3), np.ones(3, np.uint8), 0.5)
    with pytest.raises(OperandError, match="no powers of two"):
        to_powers([1.0], -3, -2)
    with pytest.raises(OperandError, match="the mask holds float64"):
        quantize_step(np.ones(3), np.ones(3), 0.5)


def test_an_update_of_shapes_that_differ_or_without_end_is_refused() -> None:
    one, mask = np.ones(3), np.ones(3, np.uint8)
    for weights, gradient, trained in ((one, one[:1], mask), (one, one, mask[:1]), (one[:1], one, mask)):
        with pytest.raises(OperandError, match="differ in shape"):
            update(weights, gradient, trained, 0.1)
    with pytest.raises(OperandError, match="the rate holds values that are not finite"):
        update(one, one, mask, float("nan"))
    with pytest.raises(OperandError, match=r"beyond float32|not finite"):
        update(one, one * 1e308, mask, -1e308)
