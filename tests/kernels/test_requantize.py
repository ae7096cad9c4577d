"""The arithmetic by which kernels turn sums into 8 bits, against exact rational numbers."""

from __future__ import annotations

import importlib
from fractions import Fraction
from math import floor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.kernel_sources import copied, spoil

from neonlab.int8.arrays import Output
from neonlab.int8.fixed_point import Multiplier
from neonlab.lab.repository.library import open_kernel, open_library
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import plan_cases

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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "right", "wrong"),
    [
        # no rounding where a scale is 1/2 or more: nothing is shifted to the right
        ("armv8/gemv_s8s8_rows_8_ruy", "mvni    t3.4s, #0", "movi    t3.4s, #0"),
        ("armv7/dwconv3x3_s8s8_hwc_3x8_ruy", "vmvn.i32 q7, #0", "vmov.i32 q7, #0"),
        # ties to where they do not belong
        ("armv8/conv1x1_s8s8_hwc_4x4_fp32", "fcvtns", "fcvtas"),
        ("armv8/matmul_s8s8_packed_4x4_ruy", "srshl", "sshl"),
        ("armv8/matmul_u8u8_packed_8x8_bylane_zp_fp32", "fcvtns", "fcvtas"),
    ],
)
def test_a_bias_alone_shows_what_a_scheme_does_with_ties_and_scales_above_a_half(
    kernel: str, right: str, wrong: str, tmp_path: Path
) -> None:
    path = copied(kernel, tmp_path)
    spoil(path, right, wrong)
    wrong_kernel = open_kernel(path)
    names = [one for one in plan_cases(wrong_kernel) if one.pattern == "one_hot"]
    assert {failure.identifier for failure in check_cases(wrong_kernel, names) if failure} == {"mismatch"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "right", "wrong"),
    [
        # one number, 0.49999997, comes out otherwise
        ("armv7/requantize_s32s8_rows_1x8_ncnn", "vmvn.i32 q7, #0xC1000000", "vmov.f32 q7, #0.5"),
        # a unit in 2^20 of a step of the output
        (
            "armv7/add_s8s8_flat_8_gemmlowp",
            "vqrdmulh.s32 \\x, \\x, \\m\n    vqrdmulh",
            "vqdmulh.s32 \\x, \\x, \\m\n    vqrdmulh",
        ),
        # rows of 59 pixels
        (
            "armv8/dwconv3x3_s8s8_hwc_3x16_ruy",
            "cmp     rest, #STRIP",
            "cmp     rest, #(STRIP - 1)",
        ),
    ],
)
def test_a_slip_that_few_data_or_sizes_show_is_noticed(kernel: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = copied(kernel, tmp_path)
    spoil(path, right, wrong)
    wrong_kernel = open_kernel(path)
    assert any(check_cases(wrong_kernel, plan_cases(wrong_kernel)))
