"""Results that are the same function of sums with the same ends make one group, and others do not."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.comparison.equality import compare
from neonlab.prove.comparison.likeness import groups_of
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")


def _halves(table: ExpressionTable, sums: Ids, away: bool) -> Ids:
    """Half of sums, ties up; or away from 0."""
    if away:
        sums = table.apply(Operation.SUBTRACT, sums, table.apply(Operation.NEGATIVE, sums))
    one = table.constants(np.array([1]))
    return table.apply(Operation.SHIFT_RIGHT, table.apply(Operation.ADD, sums, one), amount=1)


def _away(table: ExpressionTable, sums: Ids) -> Ids:
    """Half of sums, ties away from 0, by another way."""
    minus = table.apply(Operation.SCALE, sums, amount=-1)
    below = table.apply(Operation.SCALE, _halves(table, minus, False), amount=-1)
    return table.apply(Operation.SELECT, table.apply(Operation.NEGATIVE, sums), below, _halves(table, sums, False))


def _sums(table: ExpressionTable, count: int) -> Ids:
    left, right = table.elements(4 * count, -128, 127), table.elements(4, -128, 127)
    return table.products(left.reshape(count, 4), right[:, None])[:, 0]


def test_the_same_functions_of_different_sums_make_one_group() -> None:
    table = ExpressionTable(b"points")
    sums, biased = _sums(table, 50), _sums(table, 50)
    biased = table.apply(Operation.ADD, biased, table.constants(np.array([7])))
    every = np.concatenate([sums, biased])
    left, right = _halves(table, every, True), _away(table, every)
    crossed = np.concatenate([left, left]), np.concatenate([right, right[::-1]])
    canonical = Canonical(table)
    forms = canonical.of(np.concatenate(crossed))
    groups = groups_of(canonical.forms, forms[:200], forms[200:])
    assert len(set(groups[:50].tolist())) == 1
    assert len(set(groups[50:100].tolist())) == 1
    assert groups[0] != groups[50]
    assert len(set(groups[100:].tolist())) == 100  # functions of two sums each: of these nothing is said
    assert not set(groups[:100].tolist()) & set(groups[100:].tolist())
    answer = compare(table, left, right)
    assert answer.equal.all()
    assert 0 < answer.enumerated <= 2 * 4 * (1 << 15)


def test_a_group_that_differs_is_not_equal_though_others_are() -> None:
    table = ExpressionTable(b"points")
    sums = _sums(table, 40)
    left = np.concatenate([_halves(table, sums[:20], True), _halves(table, sums[20:], False)])
    assert not compare(table, left, _away(table, sums)).equal[20:].any()
