"""Shapes are chosen in which sizes meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from neonlab.contract.header import Contract, parse_contract
from neonlab.measure.shape import Shape
from neonlab.verify.cases.cover import MOST_FOR_A_PAIR, Cover, cover_triples
from neonlab.verify.cases.sizes import CodeFacts
from neonlab.verify.cases.space import Space


def contract(dimensions: int, read: str = "", low: int = 1) -> Contract:
    names = "abcdef"[:dimensions]
    numbers = "\n".join(f'{n} = {{ reg = "x{at + 2}", range = [{low}, 65536] }}' for at, n in enumerate(names))
    text = f"""/*toml
summary = "a test"
prototype = "void (const int8_t *from, int8_t *to, {", ".join(f"size_t {name}" for name in names)})"
isa = ["armv8.0-a", "neon"]
[args]
from = {{ reg = "x0", read = "{read or "*".join(names)}" }}
to = {{ reg = "x1", write = "{"*".join(names)}" }}
{numbers}
*/
"""
    found = parse_contract(text, "k.S")
    assert found is not None
    return found


PLAIN = CodeFacts()


def chosen(dimensions: int, code: CodeFacts = PLAIN, count: int = 1000, **options: object) -> list[Shape]:
    cover = Cover(Space(contract(dimensions, **options)), code)  # type: ignore[arg-type]
    cover.fill(count, 1 << 30)
    return list(cover.chosen)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_every_two_dimensions_meet_in_a_few_hundred_shapes(dimensions: int) -> None:
    shapes = chosen(dimensions)
    assert 256 <= len(shapes) <= 560
    for first, second in itertools.combinations("abcdef"[:dimensions], 2):
        pairs = [(shape[first], shape[second]) for shape in shapes]
        assert len({(a % 16, b % 16) for a, b in pairs}) == 256
        assert set(itertools.product(range(1, 10), repeat=2)) <= set(pairs)
        assert {(a % 8, a > 16, b % 8, b > 16) for a, b in pairs} == set(
            itertools.product(range(8), (False, True), range(8), (False, True))
        )


@pytest.mark.parametrize("tile", [(8, 12), (6, 8), (3, 16)])
def test_remainders_of_a_tile_meet_both_ways_round(tile: tuple[int, int]) -> None:
    pairs = [(shape["a"], shape["b"]) for shape in chosen(3, CodeFacts(tile))]
    for rows, columns in (tile, tile[::-1]):
        assert len({(a % rows, b % columns) for a, b in pairs}) == rows * columns


def test_zero_meets_every_small_size() -> None:
    pairs = {(shape["a"], shape["b"]) for shape in chosen(2, low=0)}
    assert {(0, size) for size in range(10)} | {(size, 0) for size in range(10)} <= pairs


def test_sizes_meet_as_far_as_the_contract_allows() -> None:
    shapes = chosen(2, read="a-b")
    assert all(shape["a"] >= shape["b"] for shape in shapes)
    met = {(shape["a"] % 16, shape["b"] % 16) for shape in shapes}
    assert len(met) == 256  # 17 and 16, where 1 and 16 are not allowed


def test_values_that_need_not_meet_are_each_taken_once() -> None:
    cover = Cover(Space(contract(3)), CodeFacts())
    cover.fill(50, 1 << 30)
    before = len(cover.chosen)
    cover.take([(100, 4097, 1), (60, 61), (60_000,)], 100, 1 << 30)
    more = list(cover.chosen)[before:]
    assert {100, 4097} <= {shape["a"] for shape in more}
    assert {60, 61} <= {shape["b"] for shape in more} and 60_000 in {shape["c"] for shape in more}
    assert len(more) <= 5 and all(cover.chosen[shape] <= MOST_FOR_A_PAIR for shape in more)


def test_a_choice_is_repeated() -> None:
    assert chosen(3) == chosen(3)
    assert chosen(3, count=50) == chosen(3)[: len(chosen(3, count=50))]


def test_more_shapes_bring_remainders_of_three_dimensions_together() -> None:
    names = ("rows", "cols", "depth")
    shapes = [Shape(names, (a, b, c)) for a in range(1, 18) for b in range(1, 18) for c in (*range(1, 20), 32, 33, 47)]
    pairs = shapes[:: len(shapes) // 40]
    more = cover_triples(shapes, pairs, 60)
    assert 0 < len(more) <= 60 and not set(more) & set(pairs)
    assert more == cover_triples(shapes, pairs, 60)

    def met(some: Iterable[Shape]) -> set[tuple[int, ...]]:
        return {tuple(size % 4 for size in shape.sizes) for shape in some}

    assert len(met(pairs)) < len(met((*pairs, *more)))
    assert cover_triples(shapes, pairs, 0) == ()
