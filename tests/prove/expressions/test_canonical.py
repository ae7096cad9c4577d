"""Canonical forms: nodes with the same form are equal for all inputs, and laws of arithmetic give the same form."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.equality import compare
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

_SEED = 11
_WRAP_S8 = 2 * 8 + 1


def _one(
    table: ExpressionTable, operation: Operation, x: Ids, y: Ids | int = 0, z: Ids | int = 0, amount: int = 0
) -> Ids:
    return table.apply(operation, x, y, z, amount)


def _number(table: ExpressionTable, value: int) -> Ids:
    return table.constants(np.array([value]))


def _laws(table: ExpressionTable, a: Ids, b: Ids, c: Ids) -> dict[str, tuple[Ids, Ids]]:
    """Pairs of expressions that are equal by a law."""
    add, sub, mul = Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY
    ab, ba = _one(table, mul, a, b), _one(table, mul, b, a)
    half = _one(table, Operation.SHIFT_RIGHT, a, amount=2)
    return {
        "products commute": (ab, ba),
        "sums associate": (_one(table, add, _one(table, add, a, b), c), _one(table, add, a, _one(table, add, c, b))),
        "products distribute": (
            _one(table, mul, _one(table, add, a, b), c),
            _one(table, add, _one(table, mul, c, a), _one(table, mul, c, b)),
        ),
        "a difference and a sum cancel": (_one(table, add, _one(table, sub, a, b), b), a),
        "zero points leave sums of differences": (
            _one(table, mul, _one(table, sub, a, _number(table, 3)), b),
            _one(table, sub, ab, _one(table, Operation.SCALE, b, amount=3)),
        ),
        "shifts in a row are one": (
            _one(table, Operation.SHIFT_RIGHT, half, amount=3),
            _one(table, Operation.SHIFT_RIGHT, a, amount=5),
        ),
        "multiples leave a shift": (
            _one(
                table, Operation.SHIFT_RIGHT, _one(table, add, a, _one(table, Operation.SCALE, b, amount=8)), amount=3
            ),
            _one(table, add, _one(table, Operation.SHIFT_RIGHT, a, amount=3), b),
        ),
        "a lane that wraps twice wraps once": (
            _one(table, Operation.WRAP, _one(table, add, _one(table, Operation.WRAP, ab, amount=_WRAP_S8), c),
                 amount=_WRAP_S8),
            _one(table, Operation.WRAP, _one(table, add, ab, c), amount=_WRAP_S8),
        ),
        "a choice by order is a maximum": (
            _one(table, Operation.SELECT, _one(table, Operation.NEGATIVE, _one(table, sub, a, b)), b, a),
            _one(table, Operation.MAXIMUM, b, a),
        ),
        "a clamp that cannot act is nothing": (
            _one(table, Operation.MINIMUM, a, _number(table, 127)),
            a,
        ),
    }  # fmt: skip


_NAMES = tuple(_laws(ExpressionTable(), *(np.zeros(1, np.int32),) * 3))


@pytest.mark.parametrize("name", _NAMES)
def test_expressions_that_are_equal_by_a_law_have_the_same_form(name: str) -> None:
    table = ExpressionTable()
    a, b, c = (table.elements(1, -128, 127) for _ in range(3))
    left, right = _laws(table, a, b, c)[name]
    forms = Canonical(table).of(np.concatenate([left, right]))
    assert forms[0] == forms[1]


def _random_nodes(table: ExpressionTable, rng: random.Random, count: int) -> Ids:
    """Random expressions over a few elements, of which many are equal."""
    pool = [table.elements(1, *rng.choice([(-4, 3), (0, 7), (-1, 0), (0, 1)])) for _ in range(4)]
    pool += [_number(table, value) for value in (-2, 0, 1, 3)]
    ring = (Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY)
    for _ in range(count):
        x, y, z = (rng.choice(pool) for _ in range(3))
        kind = rng.randrange(10)
        if kind < 5:
            made = _one(table, rng.choice(ring), x, y)
        elif kind == 5:
            made = _one(table, Operation.SHIFT_RIGHT, x, amount=rng.randrange(1, 4))
        elif kind == 6:
            made = _one(table, rng.choice((Operation.MINIMUM, Operation.MAXIMUM)), x, y)
        elif kind == 7:
            made = _one(table, rng.choice((Operation.NEGATIVE, Operation.ZERO)), x)
        elif kind == 8:
            made = _one(table, Operation.SELECT, x, y, z)
        else:
            made = _one(table, Operation.WRAP, x, amount=2 * rng.choice((3, 4)) + rng.randrange(2))
        pool.append(made)
    return np.concatenate(pool)


@pytest.mark.parametrize("turn", range(12))
def test_nodes_with_one_form_have_the_same_value_at_all_inputs_and_decided_pairs_too(turn: int) -> None:
    print(f"seed {_SEED + turn}")
    rng = random.Random(_SEED + turn)
    table = ExpressionTable()
    ids = _random_nodes(table, rng, 60)
    low, high = np.zeros(table.inputs, np.int64), np.zeros(table.inputs, np.int64)
    rows = table.nodes[: len(table)]
    elements = rows[rows["operation"] == Operation.INPUT]
    low[elements["amount"]], high[elements["amount"]] = elements["low"], elements["high"]
    grids = np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)), indexing="ij")
    values = np.stack([grid.reshape(-1) for grid in grids], axis=1)
    found = evaluate(table, ids, values)
    forms = Canonical(table).of(ids)
    for form in np.unique(forms):
        same = found[:, forms == form]
        assert (same == same[:, :1]).all()
    left, right = np.triu_indices(len(ids), 1)
    chosen = rng.sample(range(len(left)), 200)
    answer = compare(table, ids[left[chosen]], ids[right[chosen]])
    truth = (found[:, left[chosen]] == found[:, right[chosen]]).all(axis=0)
    assert not (answer.equal & ~truth).any()
    # With so few values every pair can be decided, if only its products stay small.
    assert (answer.equal == truth).mean() > 0.95


def test_a_difference_names_values_at_which_two_functions_of_a_sum_differ() -> None:
    table = ExpressionTable()
    total = table.elements(1, -100, 100)
    kept = _one(table, Operation.SHIFT_RIGHT, _one(table, Operation.ADD, total, _number(table, 1)), amount=1)
    away = _one(table, Operation.SELECT, _one(table, Operation.NEGATIVE, total),
                _one(table, Operation.SHIFT_RIGHT, total, amount=1), kept)  # fmt: skip
    answer = compare(table, kept, away)
    assert not answer.equal[0]
    (difference,) = answer.differences.values()
    (value,) = difference.values
    assert (value + 1) >> 1 != value >> 1
    assert value < 0
