"""Ristretto's formats against their sources, one number at a time, and against lists of what they can represent."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.int8 import oracle

from neonlab.int8.arrays import OperandError
from neonlab.int8.ristretto import (
    FixedPoint,
    MiniFloat,
    fixed_point_for_activations,
    fixed_point_for_weights,
    minifloat_for,
    to_fixed_point,
    to_minifloat,
    to_power_of_two,
)

singles = st.lists(st.floats(-300, 300, width=32), min_size=1, max_size=30)


@settings(derandomize=True)
@given(reals=singles, width=st.integers(2, 16), fraction=st.integers(-3, 20))
def test_fixed_point_saturates_then_rounds(reals: list[float], width: int, fraction: int) -> None:
    form = FixedPoint(width, fraction)
    step = Fraction(2) ** -fraction
    for value, got in zip(reals, to_fixed_point(reals, form).tolist(), strict=True):
        held = max(min(Fraction(value), (2 ** (width - 1) - 1) * step), -(2 ** (width - 1)) * step)
        assert Fraction(got) == oracle.away(held / step) * step
        assert form.least <= got <= form.most


def one_minifloat(value: float, form: MiniFloat) -> float:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    sign, stored, fraction = bits >> 31, bits >> 23 & 255, bits & 0x7FFFFF
    bias = 2 ** (form.exponent_bits - 1) - 1
    exponent = stored - 127 + bias
    if stored == 0 or exponent < 0:
        return 0.0
    if exponent > 2**form.exponent_bits - 1:
        exponent, mantissa = 2**form.exponent_bits - 1, 2**form.mantissa_bits - 1
    else:
        mantissa = oracle.away(Fraction(fraction, 2 ** (23 - form.mantissa_bits)))
    return float((-1) ** sign * (mantissa + 2**form.mantissa_bits) / 2**form.mantissa_bits * 2.0 ** (exponent - bias))


@settings(derandomize=True)
@given(reals=singles, mantissa=st.integers(0, 10), exponent=st.integers(2, 8))
def test_a_minifloat_is_the_single_with_bits_cut_off(reals: list[float], mantissa: int, exponent: int) -> None:
    form = MiniFloat(mantissa, exponent)
    got = to_minifloat(reals, form).tolist()
    assert got == [one_minifloat(value, form) for value in reals]


def test_a_minifloat_keeps_every_number_it_can_represent() -> None:
    form = MiniFloat(3, 4)
    all_numbers = [s * (1 + m / 8) * 2.0 ** (e - 7) for s in (-1, 1) for e in range(16) for m in range(8)]
    assert to_minifloat(all_numbers, form).tolist() == all_numbers
    assert max(all_numbers) == form.most == 480.0
    assert to_minifloat([1e9, -1e9, 1e-9], form).tolist() == [480.0, -480.0, 0.0]


@settings(derandomize=True)
@given(reals=singles)
def test_powers_of_two_are_nearest_in_the_logarithm(reals: list[float]) -> None:
    for value, got in zip(reals, to_power_of_two(reals).tolist(), strict=True):
        assert got != 0 and math.log2(abs(got)) in range(-8, 0)
        assert (got < 0) == (value < 0)
        if 2**-8.4 < abs(value) < 2**-0.6:
            assert abs(math.log2(abs(got)) - math.log2(abs(value))) <= 0.5 + 1e-5
    assert to_power_of_two([0.0, 5.0, -1e-6]).tolist() == [2**-8, 0.5, -(2**-8)]


@pytest.mark.parametrize("form", ["fixed", "mini", "power"])
def test_stochastic_rounding_goes_to_both_neighbours_by_the_seed(form: str) -> None:
    reals = np.full(4000, 0.3)
    ways: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
        "fixed": lambda random: to_fixed_point(reals, FixedPoint(8, 3), "stochastic", random),
        "mini": lambda random: to_minifloat(reals, MiniFloat(2, 4), "stochastic", random),
        "power": lambda random: to_power_of_two(reals, rounding="stochastic", random=random),
    }
    convert = ways[form]
    first, again, other = (convert(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    low, high = {"fixed": (0.25, 0.375), "mini": (0.25, 0.3125), "power": (0.25, 0.5)}[form]
    assert set(first.tolist()) == {low, high}
    share = {"fixed": 0.4, "mini": 0.8, "power": math.log2(0.3 / 0.25)}[form]
    assert abs((first == high).mean() - share) < 5 * 0.5 / math.sqrt(4000)


@pytest.mark.parametrize(
    ("largest", "activations", "weights"),
    [(1.0, 8, 7), (1.01, 7, 6), (6.0, 5, 4), (127.0, 1, 0), (0.2, 10, 9), (0.25, 10, 9)],
)
def test_the_range_picks_the_bits(largest: float, activations: int, weights: int) -> None:
    assert fixed_point_for_activations(largest) == FixedPoint(8, activations)
    form = fixed_point_for_weights(largest)
    assert form == FixedPoint(8, weights)
    assert form.most + 2.0**-weights >= largest
    assert to_fixed_point(-largest, form) == pytest.approx(-largest, abs=2.0 ** -(weights + 1))


def test_the_range_picks_the_exponent_bits() -> None:
    assert minifloat_for(100.0) == MiniFloat(3, 4)
    assert minifloat_for(0.5) == MiniFloat(3, 4)
    assert minifloat_for(2.0**20, 16) == MiniFloat(9, 6)
    assert minifloat_for(2.0**20, 16).most >= 2.0**20


def test_what_is_no_format_is_refused() -> None:
    for call, message in (
        (lambda: FixedPoint(0, 3), "no fixed point of 0 bits"),
        (lambda: MiniFloat(24, 4), "no minifloat"),
        (lambda: minifloat_for(2.0**100, 4), "no minifloat"),
        (lambda: to_power_of_two([1.0], 0, -1), "no powers of two"),
        (lambda: fixed_point_for_weights(0.0), "greater than 0"),
        (lambda: to_fixed_point([float("inf")], FixedPoint(8, 3)), "not finite"),
    ):
        with pytest.raises(OperandError, match=message):
            call()
