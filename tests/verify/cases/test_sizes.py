"""The rule for one dimension: which values it takes."""

from __future__ import annotations

import itertools

import pytest

from neonlab.verify.cases.sizes import (
    CLAUSES,
    CodeFacts,
    Dimension,
    Role,
    cut_sizes,
    far_sizes,
    lengths,
    numbers,
    together,
)

CODE = CodeFacts((4, 16), (60, 252))


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [(0, 1 << 30, 1), (1, 65_536, 1), (4, 1 << 20, 8), (16, 4096, 16), (3, 4099, 5), (7, 40, 1)],
)
@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_keeps_to_the_range_and_the_step(clause: str, low: int, high: int, step: int) -> None:
    dimension = Dimension("n", low, low + (high - low) // step * step, step)
    values = set(CLAUSES[clause](dimension, CODE))
    assert all(value in range(low, high + 1, step) for value in values)


def test_a_length_takes_zero_each_remainder_and_the_neighbours_of_constants() -> None:
    values = lengths(Dimension("n", 0, 1 << 30), CODE)
    assert set(range(2 * 16)) <= set(values)
    assert {119, 120, 121, 180, 251, 252, 253, 503, 504, 505, 757, 4095, 4096, 4097} <= set(values)
    assert values == tuple(sorted(set(values)))


def test_a_tile_widens_the_sizes_one_after_another() -> None:
    assert set(range(1, 257)) <= set(lengths(Dimension("n", 1, 1 << 20), CodeFacts((128,))))


def test_constants_widen_them_where_no_tile_is_known() -> None:
    assert CodeFacts((4, 16), (60,)).widest == 16 and CodeFacts((), (60, 252)).widest == 60


def test_few_values_are_all_tried() -> None:
    assert lengths(Dimension("top", 0, 1), CODE) == (0, 1) == together(Dimension("top", 0, 1), CODE)


def test_a_factor_takes_three_values() -> None:
    assert lengths(Dimension("height", 1, 99, 1, Role.FACTOR), CODE) == (1, 2, 3)


@pytest.mark.parametrize(("low", "high", "step"), [(-128, 127, 1), (0, 255, 1), (-128, 128, 4), (-31, 7, 1), (5, 5, 1)])
def test_a_number_takes_its_ends_zero_and_both_signs(low: int, high: int, step: int) -> None:
    found = numbers(Dimension("zero", low, high, step, Role.NUMBER))
    allowed = range(low, high + 1, step)
    assert {low, high} <= set(found) <= set(allowed)
    assert {value for value in (0, step, -step) if value in allowed} <= set(found)
    assert low >= 0 or high <= 0 or (min(found) < 0 < max(found))


@pytest.mark.parametrize(
    ("low", "high", "step", "far"),
    [
        (0, 1 << 30, 1, [65_543, 1_048_583, 16_777_223, 268_435_463]),
        (1, 65_536, 1, [65_536]),
        (1, 1 << 20, 1, [65_543, 1 << 20]),
        (1, 65_535, 1, [65_535]),
        (1, 4096, 1, []),
        (4, 1_048_572, 8, [65_540]),
    ],
)
def test_far_sizes_do_not_fit_16_20_24_or_28_bits(low: int, high: int, step: int, far: list[int]) -> None:
    assert list(far_sizes(Dimension("n", low, high, step))) == far


def test_large_constants_of_the_code_are_exceeded_where_the_range_allows() -> None:
    code = CodeFacts((16,), (252, 1 << 20, 1 << 24, 1 << 30))
    assert cut_sizes(Dimension("n", 0, 1 << 25), code) == ((1 << 20) + 5, (1 << 24) + 5)
    assert cut_sizes(Dimension("n", 0, 1 << 21), code) == ((1 << 20) + 5,)
    assert cut_sizes(Dimension("n", 0, 1 << 25), CodeFacts()) == ()
    compared = CodeFacts((), (20_000, 777_777))
    near = [number + off for number in compared.constants for off in (-1, 0, 1, 5)]
    assert list(cut_sizes(Dimension("n", 0, 1 << 25), compared)) == near
    assert list(cut_sizes(Dimension("n", 0, 777_777), compared)) == near[:-2]
    assert cut_sizes(Dimension("zero", 0, 1 << 25, 1, Role.NUMBER), code) == ()


def test_small_values_of_two_dimensions_have_every_remainder_twice() -> None:
    values = together(Dimension("n", 1, 1 << 20), CODE)
    for remainder, whole in itertools.product(range(16), (0, 1)):
        assert any(value % 16 == remainder and value > 16 * whole for value in values)
