"""A sum over input elements becomes one atom, and one answer tells of all results that are alike."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.comparison.equality import compare
from neonlab.prove.comparison.likeness import groups_of
from neonlab.prove.comparison.sums_as_atoms import with_sums_as_atoms
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.forms import ATOMS
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")


def _sums(table: ExpressionTable, count: int, offset: int = 0) -> Ids:
    left, right = table.elements(4 * count, -128, 127), table.elements(4, -128, 127)
    sums = table.products(left.reshape(count, 4), right[:, None])[:, 0]
    return table.apply(Operation.ADD, sums, table.constants(np.array([offset])))


def _halves(table: ExpressionTable, sums: Ids) -> Ids:
    """Half of sums, ties away from 0, by the sign that is taken off."""
    less = table.apply(Operation.SUBTRACT, sums, table.apply(Operation.NEGATIVE, sums))
    one = table.constants(np.array([1]))
    return table.apply(Operation.SHIFT_RIGHT, table.apply(Operation.ADD, less, one), amount=1)


def _other_halves(table: ExpressionTable, sums: Ids, offset: int = 1) -> Ids:
    """Half of sums, ties away from 0, by a choice."""
    one = table.constants(np.array([offset]))
    minus = table.apply(Operation.SCALE, sums, amount=-1)
    above = table.apply(Operation.SHIFT_RIGHT, table.apply(Operation.ADD, sums, one), amount=1)
    below = table.apply(Operation.SHIFT_RIGHT, table.apply(Operation.ADD, minus, one), amount=1)
    return table.apply(
        Operation.SELECT, table.apply(Operation.NEGATIVE, sums), table.apply(Operation.SCALE, below, amount=-1), above
    )


def _groups(table: ExpressionTable, left: Ids, right: Ids) -> list[int]:
    canonical = Canonical(table)
    roots = canonical.of(np.concatenate([left, right]))
    forms, numbers = with_sums_as_atoms(canonical.forms, roots, tuple(table.spans))
    found = groups_of(forms, numbers[: len(left)], numbers[len(left) :])
    return [int(one) for one in found]


def test_results_that_are_one_function_of_sums_are_decided_at_once() -> None:
    table = ExpressionTable()
    sums = _sums(table, 50)
    left, right = _halves(table, sums), _other_halves(table, sums)
    assert len(set(_groups(table, left, right))) == 1
    answer = compare(table, left, right)
    assert answer.equal.all()
    assert 0 < answer.enumerated <= 2 * 4 * (1 << 15)


def test_sums_with_other_ends_are_another_group() -> None:
    table = ExpressionTable()
    sums = np.concatenate([_sums(table, 10), _sums(table, 10, offset=7)])
    groups = _groups(table, _halves(table, sums), _other_halves(table, sums))
    assert len(set(groups[:10])) == len(set(groups[10:])) == 1
    assert groups[0] != groups[10]


def test_functions_of_two_sums_are_each_a_group() -> None:
    table = ExpressionTable()
    left, right = _halves(table, _sums(table, 10)), _other_halves(table, _sums(table, 10))
    assert len(set(_groups(table, left, right))) == 10


def test_a_wrong_function_is_not_equal_beside_right_ones() -> None:
    table = ExpressionTable()
    sums = _sums(table, 40)
    right = np.concatenate([_other_halves(table, sums[:20]), _other_halves(table, sums[20:], offset=0)])
    answer = compare(table, _halves(table, sums), right)
    assert answer.equal[:20].all()
    assert not answer.equal[20:].any()
    assert set(answer.differences) == set(range(20, 40))


def test_the_terms_of_sums_are_gone() -> None:
    table = ExpressionTable()
    canonical = Canonical(table)
    roots = canonical.of(_halves(table, _sums(table, 8)))
    forms, _ = with_sums_as_atoms(canonical.forms, roots, ())
    operations = forms.atoms["operation"][: int(forms.used[ATOMS])].tolist()
    assert operations.count(Operation.SUM) == 8
    assert Operation.INPUT not in operations
    assert Operation.MULTIPLY not in operations


@pytest.mark.parametrize("wrong", [False, True])
def test_look_ups_in_one_table_are_one_group(wrong: bool) -> None:
    table = ExpressionTable()
    entries, indices = table.elements(16, -128, 127), table.elements(30, 0, 15)
    whole = table.apply(Operation.ENTRY, entries[:1], indices, amount=16)
    beyond = table.apply(Operation.ADD, indices, table.constants(np.array([-9 if wrong else -8])))
    low, high = (
        table.apply(Operation.ENTRY, entries[at : at + 1], index, amount=8) for at, index in ((0, indices), (8, beyond))
    )
    parts = table.apply(Operation.SELECT, table.apply(Operation.NEGATIVE, beyond), low, high)
    answer = compare(table, whole, parts)
    assert answer.equal.all() != wrong
    assert len(set(_groups(table, whole, parts))) == 1
