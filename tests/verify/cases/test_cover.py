"""Of many shapes, those are chosen in which sizes meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from neonlab.verify.cases.case import Shape
from neonlab.verify.cases.cover import cover, cover_tiles, cover_triples


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


def test_tiles_meet_what_two_sizes_leave_of_8_by_12_and_of_4_by_16() -> None:
    names = ("rows", "cols", "depth")
    shapes = [Shape(names, sizes) for sizes in itertools.product(range(1, 25), range(1, 34), (1, 31, 40, 65, 97))]
    pairs = cover(shapes, 140)
    more = cover_tiles(shapes, pairs, 400)
    assert not set(more) & set(pairs) and more == cover_tiles(shapes, pairs, 400)

    def left(chosen: Iterable[Shape], rows: int, cols: int) -> int:
        return len({(shape["rows"] % rows, shape["cols"] % cols) for shape in chosen})

    for rows, cols in ((8, 12), (12, 8), (4, 16), (16, 4)):
        assert left((*pairs, *more), rows, cols) == rows * cols
    assert left(pairs, 8, 12) < 96
    blocks = {(shape["cols"] % 8, shape["depth"] // 32) for shape in (*pairs, *more)}
    assert blocks == set(itertools.product(range(8), range(4)))
    # However many there are to choose from, the first that bring most.
    assert cover_tiles(shapes, pairs, 10) == more[:10]
