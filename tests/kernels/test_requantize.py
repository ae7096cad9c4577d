"""The arithmetic by which kernels turn sums into 8 bits, against exact rational numbers."""

from __future__ import annotations

import importlib
from fractions import Fraction
from math import floor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from neonlab.int8.arrays import Output
from neonlab.int8.fixed_point import Multiplier
from neonlab.library import open_library

ROOT = Path(__file__).resolve().parents[2]
SEED = 11


@pytest.fixture(scope="module")
def schemes() -> ModuleType:
    operator = next(one for one in open_library(ROOT).operators if one.name == "conv1x1")
    return importlib.import_module("._requantize", type(operator).__module__.rpartition(".")[0])


def half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


def half_away(value: Fraction) -> int:
    return half_up(value) if value >= 0 else -half_up(-value)


def held(value: int) -> int:
    return max(-(2**31), min(2**31 - 1, value))


def examples() -> list[tuple[int, int, int]]:
    """(sum, multiplier, shift): random ones, and many that fall on a tie."""
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(2000):
        shift = int(rng.integers(-31, 8))
        multiplier = 1 << 30 if rng.random() < 0.5 else int(rng.integers(1 << 30, 1 << 31))
        size = int(rng.integers(1, 32))
        found.append(
            (int(rng.integers(-(1 << size) + 1, 1 << size)) * (1 - 2 * int(rng.integers(2))), multiplier, shift)
        )
    return [(held(total), multiplier, shift) for total, multiplier, shift in found]


def computed(schemes: ModuleType, word: str) -> list[int]:
    totals, multipliers, shifts = (np.array(numbers, np.int32) for numbers in zip(*examples(), strict=True))
    return [int(number) for number in schemes.FIXED_POINT[word](totals, Multiplier(multipliers, shifts))]


def narrowed(value: int) -> int:
    """What is left of a number on its way to 8 bits."""
    return max(-(2**15), min(2**15 - 1, value))


def test_ruy_rounds_the_exact_product_once_and_ties_upward(schemes: ModuleType) -> None:
    for (total, multiplier, shift), got in zip(examples(), computed(schemes, "ruy"), strict=True):
        exact = Fraction(total * multiplier, 2**31) * Fraction(2) ** shift
        assert narrowed(got) == narrowed(half_up(exact)), (total, multiplier, shift)


def test_gemmlowp_rounds_the_product_upward_and_then_the_quotient_away_from_zero(schemes: ModuleType) -> None:
    for (total, multiplier, shift), got in zip(examples(), computed(schemes, "gemmlowp"), strict=True):
        high = half_up(Fraction(held(total << max(shift, 0)) * multiplier, 2**31))
        assert got == half_away(Fraction(high, 2 ** max(-shift, 0))), (total, multiplier, shift)


def test_fp32_rounds_the_float_product_to_the_nearest_even(schemes: ModuleType) -> None:
    rng = np.random.default_rng(SEED)
    totals = rng.integers(-(2**24), 2**24, 4000).astype(np.int32)
    scales = np.float32(2.0) ** rng.integers(-20, -2, 4000).astype(np.float32)  # exact products, many ties
    output = Output.of("int16")
    for total, scale, got in zip(
        totals, scales, schemes.scheme_named("qnnpack-fp32").requantize(totals, scales, output), strict=True
    ):
        assert int(got) == narrowed(round(Fraction(int(total)) * Fraction(float(scale))))
