"""Choices by a sign that are the greater or the smaller of two, as a distance from 0 is: one form, and no other."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 17


def _affine(table: ExpressionTable, a: Ids, b: Ids, factors: tuple[int, ...]) -> Ids:
    """A node for p * a + q * b + r."""
    total = table.apply(Operation.SCALE, a, amount=factors[0])
    total = table.apply(Operation.ADD, total, table.apply(Operation.SCALE, b, amount=factors[1]))
    return table.apply(Operation.ADD, total, table.constants(np.array([factors[2]])))


def _chosen(table: ExpressionTable, test: Ids, x: Ids, y: Ids) -> Ids:
    """A node for test < 0 ? x : y."""
    return table.apply(Operation.SELECT, table.apply(Operation.NEGATIVE, test), x, y)


def _tables() -> tuple[ExpressionTable, Ids, Ids, np.ndarray]:
    """Two input elements from -5 to 6, and all their values."""
    table = ExpressionTable()
    a, b = (table.elements(1, -5, 6) for _ in range(2))
    return table, a, b, np.array(list(itertools.product(range(-5, 7), repeat=2)), np.int64)


#: Factors of a and b and the number of the test, and of d = a - b in what is chosen where it is below 0, and elsewhere.
_DISTANCES = {
    "d < 0 ? -d : d": ((1, -1, 0), -1, 1),
    "d - 1 < 0 ? -d : d": ((1, -1, -1), -1, 1),
    "-d - 1 < 0 ? d : -d": ((-1, 1, -1), 1, -1),
    "-d < 0 ? d : -d": ((-1, 1, 0), 1, -1),
    "2 * d < 0 ? -d : d": ((2, -2, 0), -1, 1),
}


@pytest.mark.parametrize("name", _DISTANCES)
def test_every_way_to_a_distance_has_the_form_of_the_maximum(name: str) -> None:
    table, a, b, _ = _tables()
    test, *factors = _DISTANCES[name]
    d = _affine(table, a, b, (1, -1, 0))
    found = _chosen(table, _affine(table, a, b, test), *(table.apply(Operation.SCALE, d, amount=by) for by in factors))
    largest = table.apply(Operation.MAXIMUM, d, table.apply(Operation.SCALE, d, amount=-1))
    canonical = Canonical(table)
    forms = canonical.of(np.concatenate([found, largest]))
    assert forms[0] == forms[1]
    row = canonical.forms.polynomials[forms[0]]
    assert (int(row["low"]), int(row["high"])) == (0, 11)


def test_the_bitwise_way_to_a_distance_has_the_same_form() -> None:
    table, a, b, _ = _tables()
    d = _affine(table, a, b, (1, -1, 0))
    sign = table.apply(Operation.SHIFT_RIGHT, d, amount=31)
    inverted = table.apply(Operation.SUBTRACT, table.constants(np.array([-1])), d)
    way = table.apply(Operation.SUBTRACT, table.apply(Operation.SELECT, sign, inverted, d), sign)
    largest = table.apply(Operation.MAXIMUM, d, table.apply(Operation.SCALE, d, amount=-1))
    forms = Canonical(table).of(np.concatenate([way, largest]))
    assert forms[0] == forms[1]


def test_choices_have_the_form_of_an_extreme_only_where_they_are_one() -> None:
    print(f"seed {_SEED}")
    rng, (table, a, b, values) = random.Random(_SEED), _tables()
    nodes, equal = [], 0
    for _ in range(400):
        x = tuple(rng.randint(-2, 2) for _ in range(3))
        y = tuple(-one for one in x) if rng.random() < 0.6 else tuple(rng.randint(-2, 2) for _ in range(3))
        if rng.random() < 0.5:
            y = (*y[:2], y[2] + rng.randint(-3, 3))
        difference = [p - q for p, q in zip(x, y, strict=True)]
        divisor = max(1, int(np.gcd.reduce(difference[:2])))
        scale = rng.choice((1, -1, 2)) if rng.random() < 0.5 else 1
        test = (*(scale * one // divisor for one in difference[:2]), rng.randint(-3, 3))
        both = [_affine(table, a, b, one) for one in (x, y)]
        sign = table.apply(Operation.NEGATIVE, _affine(table, a, b, test))
        found = table.apply(Operation.SELECT, sign, *both)
        for operation in (Operation.MINIMUM, Operation.MAXIMUM):
            extreme = table.apply(operation, *both)
            beside = table.apply(Operation.SCALE, sign, amount=x[2] + y[2])
            nodes.append(np.concatenate([found, extreme, table.apply(Operation.ADD, extreme, beside)]))
    canonical = Canonical(table)
    forms = canonical.of(np.stack(nodes))
    computed = evaluate(table, np.stack(nodes), values)
    for other in (1, 2):
        same = forms[:, 0] == forms[:, other]
        equal += int(same.sum())
        assert np.array_equal(computed[:, same, 0], computed[:, same, other])
    rows = canonical.forms.polynomials[forms]
    assert (rows["low"] <= computed).all() and (computed <= rows["high"]).all()
    assert equal > 100
