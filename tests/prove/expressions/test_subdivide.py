"""Functions of one sum on intervals: the answer is that of trying every value."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.choice import FormReader, Primitive, first_difference
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation, Rounding
from neonlab.prove.expressions.subdivide import _Intervals, difference_on_intervals
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 29
_LOW, _HIGH = -3000, 2999


def _number(table: ExpressionTable, value: int) -> Ids:
    return table.constants(np.array([value]))


def _float(table: ExpressionTable, value: float) -> Ids:
    return _number(table, int(np.float32(value).view(np.uint32)))


def _rounded(table: ExpressionTable, x: Ids, by: int, *, ties_away: bool) -> Ids:
    """x / 2**by to the nearest; ties up, or away from 0 by the sign."""
    if ties_away:
        x = table.apply(Operation.SUBTRACT, x, table.apply(Operation.NEGATIVE, x))
    return table.apply(
        Operation.SHIFT_RIGHT, table.apply(Operation.ADD, x, _number(table, 1 << by - 1)), amount=by
    )  # fmt: skip


def _scaled_float(table: ExpressionTable, x: Ids, scale: float, rounding: Rounding) -> Ids:
    product = table.apply(Operation.FLOAT_MULTIPLY, table.apply(Operation.FLOAT_OF, x), _float(table, scale))
    return table.apply(Operation.INTEGER_OF, product, amount=int(rounding))


def _random_function(table: ExpressionTable, rng: random.Random, total: Ids) -> Ids:
    """A function of a sum, as requantization has them, with everything that intervals have a rule for."""
    pool = [total, table.apply(Operation.SCALE, total, amount=rng.choice((-3, 5, 77)))]
    for _ in range(rng.randrange(3, 12)):
        x, y, z = (rng.choice(pool) for _ in range(3))
        kind = rng.randrange(13)
        if kind == 0:
            made = _rounded(table, x, rng.randrange(1, 9), ties_away=rng.random() < 0.5)
        elif kind == 1:
            made = table.apply(Operation.MINIMUM, table.apply(Operation.MAXIMUM, x, _number(table, -128)), y)
        elif kind == 2:
            made = table.apply(Operation.WRAP, x, amount=2 * 8 + rng.randrange(2))
        elif kind == 3:
            made = table.apply(Operation.SELECT, table.apply(Operation.NEGATIVE, x), y, z)
        elif kind == 4:
            made = table.apply(Operation.ZERO, table.apply(Operation.SHIFT_RIGHT, x, amount=3))
        elif kind == 5:
            made = table.apply(rng.choice((Operation.ADD, Operation.SUBTRACT)), x, y)
        elif kind == 6:
            lane = table.apply(Operation.WRAP, x, amount=2 * 16 + 1)
            made = _scaled_float(table, lane, rng.uniform(-0.3, 0.3), rng.choice(list(Rounding)))
        elif kind == 7:
            made = table.apply(Operation.DIVIDE, x, _number(table, rng.choice((3, 49))))
        elif kind == 8:
            made = table.apply(Operation.SHIFT_BY, x, _number(table, rng.choice((-4, -1, 2))), amount=rng.randrange(2))
        elif kind == 9:
            low = table.apply(Operation.MAXIMUM, x, _number(table, -9))
            made = table.apply(Operation.MULTIPLY, low, table.apply(Operation.NEGATIVE, y))
        elif kind == 10:
            made = table.apply(Operation.EXCLUSIVE_OR, x, y)
        elif kind == 11:
            first = table.constants(np.arange(7, dtype=np.int64) ** 2 - 5)
            made = table.apply(
                Operation.ENTRY, first[0], table.apply(Operation.SHIFT_RIGHT, x, amount=9), amount=len(first)
            )  # fmt: skip
        else:
            made = table.apply(Operation.AND, x, y)
        if (table.high(made) < 1 << 45).all() and (table.low(made) > -(1 << 45)).all():
            pool.append(made.reshape(1))
    return pool[-1]


@pytest.mark.parametrize("turn", range(40))
def test_intervals_hold_every_result_and_decide_as_trying_every_value_does(turn: int) -> None:
    print(f"seed {_SEED + turn}")
    rng = random.Random(_SEED + turn)
    table = ExpressionTable()
    total = table.elements(1, _LOW, _HIGH)
    ids = np.concatenate([_random_function(table, rng, total) for _ in range(4)])
    canonical = Canonical(table)
    forms, (of_total,) = canonical.of(ids).tolist(), canonical.of(total)
    reading = FormReader(canonical.forms)
    part, *_ = reading.form(int(of_total))
    assert isinstance(part, Primitive)
    values = np.arange(_LOW, _HIGH + 1, dtype=np.int64)
    found = evaluate(table, ids, values[:, None])
    low = np.array([rng.randrange(_LOW, _HIGH) for _ in range(200)], np.int64)
    high = np.minimum(low + np.array([rng.randrange(1 << rng.randrange(12)) for _ in low]), _HIGH)
    intervals = _Intervals(reading, part, low, high)
    for column, form in enumerate(forms):
        least, most = intervals.form(form)
        for a, b, c, d in zip(low.tolist(), high.tolist(), least.tolist(), most.tolist(), strict=True):
            results = found[a - _LOW : b - _LOW + 1, column]
            assert c <= results.min()
            assert results.max() <= d
        for other, right in enumerate(forms):
            answer = difference_on_intervals(reading, (form, right), part)
            truth = first_difference(reading, (form, right), (part,))
            assert answer.decided
            assert (answer.difference is None) == (truth is None)
            if answer.difference is not None:
                at = answer.difference.values[0] - _LOW
                assert found[at, column] != found[at, other]


def test_two_ways_to_round_a_sum_of_many_values_are_decided_on_few_intervals() -> None:
    table = ExpressionTable()
    total = table.elements(1, -(1 << 31), (1 << 31) - 1)
    narrow = table.apply(
        Operation.MAXIMUM,
        table.apply(Operation.MINIMUM, _rounded(table, total, 24, ties_away=True), _number(table, 100)),
        _number(table, -100),
    )
    other = table.apply(
        Operation.MINIMUM,
        table.apply(Operation.MAXIMUM, _rounded(table, total, 24, ties_away=True), _number(table, -100)),
        _number(table, 100),
    )
    wrong = table.apply(
        Operation.MINIMUM,
        table.apply(Operation.MAXIMUM, _rounded(table, total, 24, ties_away=False), _number(table, -100)),
        _number(table, 100),
    )
    canonical = Canonical(table)
    a, b, c = canonical.of(np.concatenate([narrow, other, wrong])).tolist()
    reading = FormReader(canonical.forms)
    part, *_ = reading.form(int(canonical.of(total)[0]))
    assert isinstance(part, Primitive)
    assert difference_on_intervals(reading, (a, b), part) == (True, None)
    answer = difference_on_intervals(reading, (a, c), part)
    assert answer.decided
    assert answer.difference is not None
    (value,) = answer.difference.values
    one, two = evaluate(table, np.concatenate([narrow, wrong]), np.array([[value]]))[0]
    assert one != two
