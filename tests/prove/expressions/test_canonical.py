"""Canonical forms: nodes with the same form are equal for all inputs, and laws of arithmetic give the same form."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.prove.comparison.equality import compare
from neonlab.prove.comparison.likeness import groups_of
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 11
_WRAP_S8 = 2 * 8 + 1


def _one(
    table: ExpressionTable, operation: Operation, x: Ids, y: Ids | int = 0, z: Ids | int = 0, amount: int = 0
) -> Ids:
    return table.apply(operation, x, y, z, amount)


def _number(table: ExpressionTable, value: int) -> Ids:
    return table.constants(np.array([value]))


def _clamp(table: ExpressionTable, x: Ids, low: int, high: int) -> Ids:
    return _one(table, Operation.MINIMUM, _one(table, Operation.MAXIMUM, x, _number(table, low)), _number(table, high))


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
        "shifts are one after multiples left": (
            _one(table, Operation.SHIFT_RIGHT,
                 _one(table, add, half, _one(table, Operation.SCALE, b, amount=8)), amount=3),
            _one(table, add, _one(table, Operation.SHIFT_RIGHT, a, amount=5), b),
        ),
        "a shift that is added to a sum joins the next": (
            _one(table, Operation.SHIFT_RIGHT, _one(table, add, half, ab), amount=3),
            _one(table, Operation.SHIFT_RIGHT, _one(table, add, a,
                 _one(table, Operation.SCALE, ab, amount=4)), amount=5),
        ),
        "a shift that is subtracted is rounded up": (
            _one(table, Operation.SHIFT_RIGHT, _one(table, sub, ab, half), amount=3),
            _one(table, Operation.SHIFT_RIGHT, _one(table, sub, _one(table, add,
                 _one(table, Operation.SCALE, ab, amount=4), _number(table, 3)), a), amount=5),
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
        "clamps in a row are one": (
            _clamp(table, _one(table, add, _clamp(table, ab, -90, 70), _number(table, 12)), -64, 63),
            _clamp(table, _one(table, add, ab, _number(table, 12)), -64, 63),
        ),
        "a minimum is the same in any order": (
            _one(table, Operation.MINIMUM, _one(table, Operation.MINIMUM, ab, _number(table, 9)), c),
            _one(table, Operation.MINIMUM, _one(table, Operation.MINIMUM, c, ba), _number(table, 9)),
        ),
        "rounding by the rest of a division is a shift": (
            _one(table, add, half, _one(table, Operation.NEGATIVE, _one(table, sub, _number(table, 1),
                 _one(table, sub, a, _one(table, Operation.SCALE, half, amount=4))))),
            _one(table, Operation.SHIFT_RIGHT, _one(table, add, a, _number(table, 2)), amount=2),
        ),
        "bits that are shared with a number below 0 have its sign": (
            _one(table, Operation.NEGATIVE, _one(table, Operation.AND, ab, _number(table, -12))),
            _one(table, Operation.NEGATIVE, ab),
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
        kind = rng.randrange(13)
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
        elif kind == 9:
            made = _one(table, Operation.WRAP, x, amount=2 * rng.choice((3, 4)) + rng.randrange(2))
        elif kind == 10:
            made = _clamp(table, x, rng.randrange(-4, 1), rng.randrange(1, 4))
        elif kind == 11:
            by = rng.randrange(1, 3)
            whole = _one(table, Operation.SHIFT_RIGHT, x, amount=by)
            rest = _one(table, Operation.SUBTRACT, x, _one(table, Operation.SCALE, whole, amount=1 << by))
            compared = rng.choice(((rest, y), (y, rest)))
            made = _one(table, Operation.NEGATIVE, _one(table, Operation.SUBTRACT, *compared))
        else:
            shared = _one(table, Operation.AND, x, _number(table, rng.choice((-4, 5))))
            table.nodes["low"][shared], table.nodes["high"][shared] = -(1 << 40), 1 << 40  # as rules state it
            made = _one(table, Operation.NEGATIVE, shared)
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


@pytest.mark.parametrize("operation", [Operation.FLOAT_MINIMUM, Operation.FLOAT_MAXIMUM])
def test_extremes_of_floats_have_one_form_in_any_order_and_grouping(operation: Operation) -> None:
    table = ExpressionTable()
    a, b, c = (table.elements(1, 0, (1 << 32) - 1) for _ in range(3))
    number = table.elements(1, 0, (1 << 32) - 1, span=(-1.0, 1.0))
    nodes = [
        _one(table, operation, _one(table, operation, a, b), c),
        _one(table, operation, _one(table, operation, c, a), _one(table, operation, b, a)),
        _one(table, operation, number, number),
        number,
        _one(table, operation, a, a),  # of a NaN other bits than its own
        a,
    ]
    forms = Canonical(table).of(np.concatenate(nodes)).tolist()
    assert forms[0] == forms[1]
    assert forms[2] == forms[3]
    assert forms[4] != forms[5]


_EXTREMES = [Operation.MINIMUM, Operation.MAXIMUM, Operation.FLOAT_MINIMUM, Operation.FLOAT_MAXIMUM]


@pytest.mark.parametrize("operation", _EXTREMES)
def test_extremes_of_thousands_have_one_form_in_any_order_and_grouping(operation: Operation) -> None:
    random = np.random.default_rng(_SEED)
    table, is_float = ExpressionTable(), operation in _EXTREMES[2:]
    span = (-1.0, 1.0) if is_float else None
    elements = table.elements(20_000, 0 if is_float else -128, (1 << 32) - 1 if is_float else 127, span=span)

    def in_a_row(ids: Ids) -> Ids:
        found = ids[:1]
        for at in range(1, len(ids)):
            found = _one(table, operation, found, ids[at : at + 1])
        return found

    def in_pairs(ids: Ids) -> Ids:
        while len(ids) > 1:
            half = len(ids) // 2
            ids = np.concatenate([table.apply(operation, ids[:half], ids[half : 2 * half]), ids[2 * half :]])
        return ids

    rows = in_a_row(elements), in_a_row(random.permutation(elements)), in_a_row(elements[1:])
    pairs = in_pairs(random.permutation(elements)), in_pairs(np.concatenate([elements, elements[:777]]))
    first, *others = Canonical(table).of(np.concatenate([*rows, *pairs])).tolist()
    assert [other == first for other in others] == [True, False, True, True]
    shared = _one(table, operation, rows[2], elements[:1])  # of two extremes that are results both
    without, both, whole = Canonical(table).of(np.concatenate([rows[2], shared, rows[0]])).tolist()
    assert both == whole
    assert without != whole


def _as_a_table(table: ExpressionTable, x: Ids, low: int, values: list[int]) -> Ids:
    """A look-up of the values of a function of x, which is no less than `low`."""
    entries = table.constants(np.array(values))
    at = _one(table, Operation.SUBTRACT, x, _number(table, low))
    return _one(table, Operation.ENTRY, entries[:1], at, amount=len(values))


@pytest.mark.parametrize("by", [1, 2, 3])
@pytest.mark.parametrize("limit", range(-2, 10))
@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
def test_a_rest_that_is_compared_has_the_values_that_it_has(by: int, limit: int, above: bool) -> None:
    table, low, high = ExpressionTable(), -19, 21
    x = table.elements(1, low, high)
    moved = _one(table, Operation.ADD, _one(table, Operation.SCALE, x, amount=3), _number(table, 5))
    whole = _one(table, Operation.SHIFT_RIGHT, moved, amount=by)
    rest = _one(table, Operation.SUBTRACT, moved, _one(table, Operation.SCALE, whole, amount=1 << by))
    operands = (_number(table, limit), rest) if above else (rest, _number(table, limit))
    compared = _one(table, Operation.NEGATIVE, _one(table, Operation.SUBTRACT, *operands))
    rests = [(3 * value + 5) % (1 << by) for value in range(low, high + 1)]
    truth = [int(one > limit) if above else int(one < limit) for one in rests]
    for wrong in (None, 0, 7, len(truth) - 1):
        values = [1 - one if at == wrong else one for at, one in enumerate(truth)]
        answer = compare(table, compared, _as_a_table(table, x, low, values))
        assert bool(answer.equal[0]) == (wrong is None)


def test_a_look_up_is_equal_to_another_whatever_the_entries_are() -> None:
    table = ExpressionTable()
    x, entries = table.elements(1, 0, 31), table.elements(32, -128, 127)
    direct = _one(table, Operation.ENTRY, entries[:1], x, amount=32)
    halves = []
    for half, shift in ((0, 0), (16, 16), (16, 17)):
        at = _one(table, Operation.SUBTRACT, x, _number(table, shift))
        halves.append(_one(table, Operation.ENTRY, entries[half : half + 1], at, amount=16))
    upper = _one(table, Operation.NEGATIVE, _one(table, Operation.SUBTRACT, _number(table, 15), x))
    right, shifted = (_one(table, Operation.SELECT, upper, half, halves[0]) for half in halves[1:])
    answer = compare(table, np.concatenate([right, shifted]), np.concatenate([direct, direct]))
    assert answer.equal.tolist() == [True, False]


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


@pytest.mark.parametrize("low", [-66, 0, 100])
def test_the_lower_byte_of_a_word_does_not_depend_on_the_upper_one(low: int) -> None:
    table = ExpressionTable()
    byte, upper = _clamp(table, table.elements(1, -400, 400), low, 120), table.elements(1, -300, -1)
    word = _one(table, Operation.ADD, byte, _one(table, Operation.SCALE, upper, amount=256))
    assert compare(table, _one(table, Operation.WRAP, word, amount=_WRAP_S8), byte).equal.all()


def test_look_ups_of_a_layer_are_decided_as_one_group() -> None:
    table = ExpressionTable(b"seed")
    entries, inputs = table.elements(8, -128, 127), table.elements(40, 0, 7)
    found = _one(table, Operation.ENTRY, entries[:1], inputs, amount=8)
    likes = Canonical(table)
    forms = likes.of(found)
    assert len(set(groups_of(likes.forms, forms, forms).tolist())) == 1
    other = likes.of(_one(table, Operation.ENTRY, entries[1:2], inputs, amount=7))
    both = groups_of(likes.forms, np.concatenate([forms, other]), np.concatenate([forms, other]))
    assert len(set(both.tolist())) == 2
