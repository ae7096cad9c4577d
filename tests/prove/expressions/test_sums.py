"""Sums that are known by fingerprints: equal ones have one form, different ones two, as where they are written out."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.prove.comparison.equality import compare
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import consumed, evaluate
from neonlab.prove.expressions.operation import LIMIT, Operation
from neonlab.prove.expressions.sums import CONSUMED
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.refusal import Refusal

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 17
_RING = (Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY)


def _table() -> ExpressionTable:
    return ExpressionTable(b"seed of a test")


def _number(table: ExpressionTable, value: int) -> Ids:
    return table.constants(np.array([value]))


def _random_sums(table: ExpressionTable, rng: random.Random, values: list[int]) -> Ids:
    """Random polynomials over a few elements, of which many are equal, and functions of them."""
    pool = [table.elements(1, -8, 7, np.array([value])) for value in values]
    pool += [_number(table, value) for value in (-3, 0, 1, 4)]
    for _ in range(120):
        x, y = rng.choice(pool), rng.choice(pool)
        kind = rng.randrange(8)
        if kind < 5:
            made = table.apply(rng.choice(_RING), x, y)
        elif kind == 5:
            made = table.apply(Operation.SCALE, x, amount=rng.choice((-4, -1, 2, 6)))
        elif kind == 6:
            made = table.apply(Operation.SHIFT_RIGHT, x, amount=rng.randrange(1, 3))
        else:
            made = table.apply(Operation.MAXIMUM, x, y)
        if (table.high(made) < 1 << 40).all() and (table.low(made) > -(1 << 40)).all():
            pool.append(made)
    return np.concatenate(pool)


@pytest.mark.parametrize("turn", range(10))
def test_fingerprints_tell_the_same_polynomials_apart_as_their_coefficients(turn: int) -> None:
    print(f"seed {_SEED + turn}")
    values = [random.Random(_SEED + turn).randrange(-8, 8) for _ in range(4)]
    written_out, with_fingerprints = ExpressionTable(), _table()
    found = [
        _random_sums(table, random.Random(_SEED + turn), values) for table in (written_out, with_fingerprints)
    ]  # fmt: skip
    exact, forms = (
        Canonical(table).of(ids) for table, ids in zip((written_out, with_fingerprints), found, strict=True)
    )  # fmt: skip
    same, alike = exact[:, None] == exact, forms[:, None] == forms
    assert not (alike & ~same).any()
    assert (alike == same).mean() > 0.995  # a factor that no step shows, as in (a + b) + (a - b), is not found
    # The values of polynomials themselves are equal exactly where all coefficients are.
    rows = with_fingerprints.nodes[found[1]]
    polynomials = np.isin(rows["operation"], (Operation.SUM, Operation.INPUT))
    assert polynomials.sum() > 8
    number = np.where(rows["operation"] == Operation.INPUT, 0, rows["amount"])
    keys = np.stack([rows["first"], rows["second"], number.astype(np.uint64)], axis=1)[polynomials]
    equal = (keys[:, None] == keys).all(axis=2)
    assert np.array_equal(equal, same[polynomials][:, polynomials])
    drawn = np.array([values], np.int64)
    assert np.array_equal(evaluate(written_out, found[0], drawn), evaluate(with_fingerprints, found[1], drawn))


def _laws(table: ExpressionTable, a: Ids, b: Ids) -> dict[str, tuple[Ids, Ids]]:
    add, mul, scale = Operation.ADD, Operation.MULTIPLY, Operation.SCALE
    square = table.apply(mul, table.apply(add, a, b), table.apply(add, a, b))
    ab = table.apply(mul, a, b)
    squares = table.apply(add, table.apply(mul, a, a), table.apply(mul, b, b))
    shifted = table.apply(Operation.SHIFT_RIGHT, table.apply(scale, ab, amount=2), amount=1)
    moved = table.apply(mul, table.apply(Operation.SUBTRACT, a, _number(table, 3)), b)
    half = table.apply(
        Operation.SHIFT_RIGHT, table.apply(add, table.apply(scale, ab, amount=8), _number(table, 4)), amount=3
    )  # fmt: skip
    return {
        "(a + b)^2 = a^2 + b^2 + 2ab": (square, table.apply(add, squares, table.apply(scale, ab, amount=2))),
        "2ab >> 1 = ab": (shifted, ab),
        "(8ab + 4) >> 3 = ab": (half, ab),
        "(a - 3) b = ab - 3b": (moved, table.apply(Operation.SUBTRACT, ab, table.apply(scale, b, amount=3))),
        "-(-ab) = ab": (table.apply(Operation.SUBTRACT, _number(table, 0), table.apply(scale, ab, amount=-1)), ab),
        "a + 5 - 5 = a": (
            table.apply(Operation.SUBTRACT, table.apply(add, a, _number(table, 5)), _number(table, 5)),
            a,
        ),
        "ab - ba = 0": (table.apply(Operation.SUBTRACT, ab, table.apply(mul, b, a)), _number(table, 0)),
    }


@pytest.mark.parametrize("name", _laws(_table(), *(np.zeros(1, np.int32),) * 2))
def test_sums_that_are_equal_by_a_law_are_equal(name: str) -> None:
    table = _table()
    left, right = _laws(table, table.elements(1, -128, 127), table.elements(1, -128, 127))[name]
    assert compare(table, left, right).equal[0]


@pytest.mark.parametrize(("change", "amount"), [("constant", 1), ("factor", 2), ("sign", -1), ("element", 0)])
def test_sums_that_differ_in_one_thing_are_not_equal(change: str, amount: int) -> None:
    table = _table()
    left, right = table.elements(64, -128, 127), table.elements(64, -128, 127)
    total = table.products(left[None], right[:, None])[0]
    last = table.apply(Operation.MULTIPLY, left[-1:], right[-1:])
    changed = {
        "constant": lambda: table.apply(Operation.ADD, total, _number(table, amount)),
        "factor": lambda: table.apply(Operation.SCALE, total, amount=amount),
        "sign": lambda: table.apply(Operation.SUBTRACT, total, table.apply(Operation.SCALE, last, amount=2)),
        "element": lambda: table.apply(
            Operation.ADD,
            table.apply(Operation.SUBTRACT, total, last),
            table.apply(Operation.MULTIPLY, left[-1:], right[-2:-1]),
        ),
    }[change]()
    assert not compare(table, total, changed).equal[0]
    assert compare(table, total, total.copy()).equal[0]


def test_sums_of_products_leave_one_row_each_and_note_what_they_were_made_of() -> None:
    table = _table()
    left = table.elements(12, -4, 3, np.arange(12) % 8 - 4).reshape(3, 4)
    right = table.elements(20, -4, 3, np.arange(20) % 8 - 4).reshape(4, 5)
    unused = table.elements(2, 0, 1)
    begin = len(table)
    found = table.products(left, right)
    assert len(table) == begin + found.size
    a, b = (np.arange(n) % 8 - 4 for n in (12, 20))
    assert np.array_equal(table.nodes["value"][found], a.reshape(3, 4) @ b.reshape(4, 5))
    assert (table.nodes["sources"][found] == 0b11).all()
    assert (table.nodes["sources"][left] == CONSUMED | 1).all()
    assert consumed(table).tolist() == list(range(32))
    assert (table.nodes["degree"][found] == 2).all()
    assert unused[0] not in consumed(table)


def test_coefficients_that_the_field_would_not_tell_apart_are_written_out() -> None:
    table = _table()
    element = table.elements(1, 0, 1)
    large = table.apply(Operation.SCALE, table.apply(Operation.SCALE, element, amount=1 << 40), amount=1 << 20)
    assert table.nodes["operation"][large][0] == Operation.SCALE
    assert (table.high(large) == 1 << 60).all()
    assert table.high(large)[0] < LIMIT


def test_a_sum_has_the_closest_interval_of_all_ways_in_which_it_was_made() -> None:
    table = _table()
    a, b = table.elements(1, -128, 127), table.elements(1, 0, 10)
    wide = table.apply(Operation.SUBTRACT, table.apply(Operation.ADD, a, b), b)
    lane = table.apply(Operation.WRAP, wide, amount=2 * 8 + 1)
    assert table.nodes["operation"][lane][0] == Operation.WRAP
    assert compare(table, lane, a).equal[0]


@pytest.mark.parametrize("column", ["third", "value"])
def test_a_sum_that_contradicts_its_fingerprint_is_noticed(column: str) -> None:
    table = _table()
    a, b = (table.elements(1, -8, 7, np.array([value])) for value in (-5, 3))
    product = table.apply(Operation.MULTIPLY, a, b)
    table.nodes[column][product] += 1
    with pytest.raises(Refusal, match="a rule of the prover is wrong"):
        Canonical(table).of(product)
