"""Shapes and data: what is drawn is what was asked for, and can be drawn again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.verify.case import PATTERNS, DataSource, Shape
from neonlab.verify.operator import cover, cover_triples

NAMES = ("height", "width")


@pytest.mark.parametrize("text", ["", "3", "3x", "3x4x5", "0x4", "-1x4", "ax4", "3 x 4", "٣x4"])
def test_a_shape_that_is_not_one_is_refused_with_the_names_of_its_sizes(text: str) -> None:
    with pytest.raises(InputError, match="shape"):
        Shape.parse(text, NAMES)


def test_a_shape_prints_as_it_is_written() -> None:
    assert str(Shape.parse("14X7", NAMES)) == "14x7"


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


def test_other_seeds_and_names_draw_other_data() -> None:
    draws = [
        DataSource("random", seed, name).draw((64,), np.dtype("int8"), -128, 127).tobytes()
        for seed in (1, 2)
        for name in "ab"
    ]
    assert len(set(draws)) == 4


def test_cover_meets_remainders_of_all_dimensions_and_both_ends() -> None:
    names = ("a", "b", "c")
    shapes = [Shape(names, (a, b, c)) for a in range(1, 18) for b in range(1, 18) for c in range(1, 10)]
    chosen = cover(shapes, 140)
    assert len(set(chosen)) == 140 and set(chosen) <= set(shapes)
    assert {(1, 1, 1), (17, 17, 9)} <= {shape.sizes for shape in chosen}
    for name in names:
        assert {shape[name] % 8 for shape in chosen} == set(range(8))
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        assert len({(shape[first] % 8, shape[second] % 8) for shape in chosen}) >= 50  # of 64
    assert cover(shapes, 140) == chosen
    assert cover(shapes[:9], 140) == tuple(sorted(shapes[:9], key=lambda shape: shape.sizes))


def test_more_shapes_bring_remainders_of_three_dimensions_together() -> None:
    names = ("rows", "cols", "depth")
    shapes = [Shape(names, (a, b, c)) for a in range(1, 18) for b in range(1, 18) for c in (*range(1, 20), 32, 33, 47)]
    pairs = cover(shapes, 140)
    more = cover_triples(shapes, pairs, 60)
    assert 0 < len(more) <= 60 and not set(more) & set(pairs)
    assert more == cover_triples(shapes, pairs, 60)

    def met(chosen: Iterable[Shape]) -> set[tuple[int, ...]]:
        return {tuple(size % 4 for size in shape.sizes) for shape in chosen}

    assert len(met(pairs)) < len(met((*pairs, *more))) and len(met((*pairs, *more))) >= 60  # of 64
    # Tails of rows and of columns at once, where the loop over the depth runs more than once.
    long = [shape for shape in (*pairs, *more) if shape["depth"] >= 32]
    assert {(shape["rows"] % 2, shape["cols"] % 2) for shape in long} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert cover_triples(shapes, pairs, 0) == ()
