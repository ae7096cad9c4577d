"""Data: what is drawn is what was asked for, and can be drawn again."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.verify.cases.case import PATTERNS, DataSource


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "float32"])
def test_data_stay_in_range_and_repeat_with_the_seed(pattern: str, dtype: str) -> None:
    low, high = (3, 99) if dtype == "uint8" else (-31, 32)
    once, again = (DataSource(pattern, 7, "k").draw((5, 6), np.dtype(dtype), low, high) for _ in range(2))
    assert once.dtype == dtype and once.shape == (5, 6) and once.flags.c_contiguous
    assert low <= once.min() and once.max() <= high
    assert np.array_equal(once, again)


def test_each_pattern_is_what_its_name_says() -> None:
    def draw(pattern: str, turn: int = 0) -> np.ndarray:
        source = DataSource(pattern, 1)
        for _ in range(turn):
            source.draw((1,), np.dtype("int8"), -2, 3)
        return source.draw((40,), np.dtype("int8"), -2, 3)

    assert set(draw("random")) == {-2, -1, 0, 1, 2, 3}
    assert set(draw("extremes")) == {-2, 3}
    assert set(draw("lowest")) == {-2} and set(draw("highest")) == {3}
    assert set(draw("opposed")) == {-2} and set(draw("opposed", 1)) == {3}
    assert list(draw("alternating")[:4]) == [-2, 3, -2, 3]
    assert np.count_nonzero(draw("one_hot")) == 1
    assert 1 <= np.count_nonzero(draw("sparse")) <= 16
    assert set(DataSource("sparse", 1).draw((3000,), np.dtype("int8"), 5, 9)) <= {5, 6, 7, 8, 9}
    drawn = [DataSource("sparse", seed).draw((3000,), np.dtype("int16"), -9, 9) for seed in range(1, 25)]
    at = [np.flatnonzero(one) for one in drawn]
    assert all(np.diff(one).max() > 256 for one in at)
    assert any(one.size <= 12 for one in at) and all(one.size <= 12 * 16 for one in at)
    assert {bool(one[0] == 0) for one in at} == {bool(one.min() < 0) for one in drawn} == {True, False}


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("int32", -(2**31), 2**31 - 1), ("int32", -(2**20), 2**24), ("int32", 5, 2**30), ("uint32", 0, 2**32 - 1),
     ("int64", -(2**40), 2**40)],
)  # fmt: skip
def test_random_integers_of_a_wide_range_have_any_number_of_bits(dtype: str, low: int, high: int) -> None:
    source = DataSource("random", 1, "wide", any_size=True)
    drawn = source.draw((4000,), np.dtype(dtype), low, high).astype(object)
    assert min(drawn) >= low and max(drawn) <= high
    bits = [abs(int(one)).bit_length() for one in drawn]
    # A uniform draw has next to none of fewer bits than this.
    few = max(abs(low), high).bit_length() - 12
    assert all(bits.count(count) >= 15 for count in range(5, few))
    assert 0.3 < sum(count > few + 6 for count in bits) / len(bits) < 0.9
    powers = [one for one in drawn if abs(one) & (abs(one) - 1) == 0]
    assert len({abs(one) for one in powers}) > few - 5
    if low < 0:
        assert min(powers) < 0 < max(powers)


def test_other_seeds_and_names_draw_other_data() -> None:
    draws = [
        DataSource("random", seed, name).draw((64,), np.dtype("int8"), -128, 127).tobytes()
        for seed in (1, 2)
        for name in "ab"
    ]
    assert len(set(draws)) == 4


@pytest.mark.parametrize(
    ("value_range", "found"),
    [
        ((-1e30, 1e30), {-1e30, 1e30, 0.0, 2.0**-149, -(2.0**-149), 2.0**-126, -(2.0**-126)}),
        ((0.0, 1.0), {0.0, 1.0, 2.0**-149, 2.0**-126}),
        ((1e-9, 256.0), {256.0}),
    ],
)
def test_extremes_of_floats_are_those_of_the_range_and_of_the_format_within_it(
    value_range: tuple[float, float], found: set[float]
) -> None:
    low, high = value_range
    drawn = DataSource("extremes", 1).draw((1000,), np.dtype(np.float32), low, high)
    assert drawn.min() >= np.float32(low) and drawn.max() <= np.float32(high)
    assert {float(np.float32(value)) for value in found} <= set(drawn.tolist())
    denormal = (drawn != 0) & (np.abs(drawn) < np.finfo(np.float32).smallest_normal)
    assert bool(denormal.any()) == (low <= 0)


@pytest.mark.parametrize("bits", [16, 17, 20])
def test_the_one_element_of_a_long_array_has_an_index_of_more_bits(bits: int) -> None:
    found = set()
    for seed in range(1, 9):
        drawn = DataSource("one_hot", seed).draw(((1 << bits) + 7,), np.dtype("int8"), -2, 3)
        (at,) = np.flatnonzero(drawn)
        assert at >= 1 << bits
        found.add((int(at), int(drawn[at])))
    assert len({at for at, _ in found}) > 2 and len({value for _, value in found}) == 1


def test_the_one_element_of_long_arrays_is_the_highest_at_some_sizes_and_the_lowest_at_others() -> None:
    drawn = [DataSource("one_hot", 1).draw(((1 << bits) + 7,), np.dtype("int8"), -2, 3) for bits in (16, 17, 20)]
    assert {int(one[np.flatnonzero(one)[0]]) for one in drawn} == {-2, 3}
