"""Evaluation gives each operation's value, as Python's integers, fractions and numpy's float32 have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest

from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import elements_of, evaluate
from neonlab.prove.expressions.operation import Operation, Rounding
from neonlab.prove.expressions.table import ExpressionTable

ENDS = [0, 1, -1, 2, 7, -8, 127, -128, 255, 2**15, 2**31 - 1, -(2**31), 2**32 - 1, 2**40 + 3, -(2**40) - 3]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.49999997, 8388607.5, 2.0**31, -(2.0**31), 3e9, -3e9, 1e38, -3e38]
FLOATS += [1e-45, -1e-45, 1.17549435e-38, 1 / 3, float("inf"), float("-inf"), float("nan")]


def values_of(operation: Operation, *operands: np.ndarray, amount: int = 0) -> np.ndarray:
    """Return an operation on inputs, for draws along the operands."""
    table = ExpressionTable()
    ids = table.elements(len(operands), -(2**50), 2**50)
    y, z = (ids[1:2] if operands[1:] else 0), (ids[2:3] if operands[2:] else 0)
    return evaluate(table, table.apply(operation, ids[:1], y, z, amount), np.stack(operands, axis=1))[:, 0]


def pairs(numbers: list[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    print("seed", seed)
    more = np.random.default_rng(seed).integers(-(2**31), 2**31, 20).tolist()
    x, y = np.meshgrid(numbers + more, numbers + more)
    return x.reshape(-1), y.reshape(-1)


def truncated(x: int, y: int) -> int:
    return int(Fraction(x, y)) if y else 0


INTEGERS: Mapping[Operation, Callable[[int, int], int]] = {
    Operation.ADD: lambda x, y: x + y,
    Operation.SUBTRACT: lambda x, y: x - y,
    Operation.MINIMUM: min,
    Operation.MAXIMUM: max,
    Operation.AND: lambda x, y: x & y,
    Operation.OR: lambda x, y: x | y,
    Operation.EXCLUSIVE_OR: lambda x, y: x ^ y,
    Operation.DIVIDE: truncated,
}


@pytest.mark.parametrize("operation", INTEGERS)
def test_operations_on_two_integers_are_those_of_python(operation: Operation) -> None:
    x, y = pairs(ENDS, 1)
    wanted = [INTEGERS[operation](a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert values_of(operation, x, y).tolist() == wanted


@pytest.mark.parametrize(("bits", "signed"), [(8, True), (8, False), (16, True), (32, True), (32, False), (1, False)])
def test_a_lane_holds_the_number_that_is_equal_modulo_its_size(bits: int, signed: bool) -> None:
    x, _ = pairs(ENDS, 2)
    found = values_of(Operation.WRAP, x, amount=2 * bits + signed).tolist()
    least = -(2 ** (bits - 1)) if signed else 0
    assert all((a - b) % 2**bits == 0 and least <= b < least + 2**bits for a, b in zip(x.tolist(), found, strict=True))


@pytest.mark.parametrize("rounds", [0, 1])
def test_a_shift_by_a_value_multiplies_by_a_power_of_two(rounds: int) -> None:
    x, by = pairs([*range(-40, 20)], 3)
    by = np.clip(by, -64, 20)
    half = Fraction(rounds, 2)
    wanted = [
        (Fraction(a) * Fraction(2) ** b + (half if b < 0 else 0)).__floor__()
        for a, b in zip(x.tolist(), by.tolist(), strict=True)
    ]
    assert values_of(Operation.SHIFT_BY, x, by, amount=rounds).tolist() == wanted


def test_truth_values_choose() -> None:
    x, y = pairs(ENDS, 4)
    assert np.array_equal(values_of(Operation.NEGATIVE, x), x < 0)
    assert np.array_equal(values_of(Operation.ZERO, x), x == 0)
    assert np.array_equal(values_of(Operation.SELECT, x, y, x), np.where(x != 0, y, x))


def test_an_entry_of_a_table_is_0_outside_of_it() -> None:
    table = ExpressionTable()
    entries, index = table.elements(3, -9, 9), table.elements(1, -9, 9)
    found = table.apply(Operation.ENTRY, entries[:1], index, amount=3)
    draws = np.array([[5, 6, 7, at] for at in range(-2, 6)])
    assert evaluate(table, found, draws)[:, 0].tolist() == [0, 0, 5, 6, 7, 0, 0, 0]


def bits(numbers: object) -> np.ndarray:
    return np.asarray(numbers, np.float32).view(np.uint32).astype(np.int64)


def singles(found: np.ndarray) -> np.ndarray:
    return found.astype(np.uint32).view(np.float32)


def float_pairs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    print("seed", seed)
    random = np.random.default_rng(seed).integers(0, 2**32, 60, np.uint32).view(np.float32)
    x, y = np.meshgrid(np.concatenate([np.array(FLOATS, np.float32), random]), np.array([*FLOATS, *random], np.float32))
    return x.reshape(-1), y.reshape(-1)


@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        (Operation.FLOAT_ADD, np.add),
        (Operation.FLOAT_SUBTRACT, np.subtract),
        (Operation.FLOAT_MULTIPLY, np.multiply),
        (Operation.FLOAT_DIVIDE, np.divide),
    ],
)
def test_float_arithmetic_is_that_of_float32_to_the_bit(operation: Operation, wanted: np.ufunc) -> None:
    x, y = float_pairs(5)
    with np.errstate(all="ignore"):
        right = wanted(x, y)
    found = singles(values_of(operation, bits(x), bits(y)))
    assert np.array_equal(np.isnan(found), np.isnan(right))
    assert np.array_equal(found.view(np.uint32)[~np.isnan(right)], right.view(np.uint32)[~np.isnan(right)])


@pytest.mark.parametrize("operation", [Operation.FLOAT_MINIMUM, Operation.FLOAT_MAXIMUM])
def test_the_least_and_greatest_float_know_the_sign_of_zero(operation: Operation) -> None:
    x, y = float_pairs(6)
    least = operation is Operation.FLOAT_MINIMUM
    right = (np.minimum if least else np.maximum)(x, y)
    zeros = (x == 0) & (y == 0)
    either = np.signbit(x) | np.signbit(y) if least else np.signbit(x) & np.signbit(y)
    right[zeros] = np.where(either, np.float32(-0.0), np.float32(0.0))[zeros]
    found = singles(values_of(operation, bits(x), bits(y)))
    assert np.array_equal(found, right, equal_nan=True)
    assert np.array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(right)[~np.isnan(right)])


def test_a_fused_sum_is_rounded_once() -> None:
    random = np.random.default_rng(7)
    print("seed 7")
    x, y = (random.integers(2**23, 2**24, 4000).astype(np.float32) for _ in range(2))
    # Sums about a tie of the product, and far below its last bit: a second rounding would go the other way.
    z = np.ldexp(random.choice([1.0, -1.0, 0.5, 3.0], 4000), random.integers(-40, 47, 4000)).astype(np.float32)
    found = singles(values_of(Operation.FLOAT_FUSED, bits(x), bits(y), bits(z)))
    for a, b, c, got in zip(x.tolist(), y.tolist(), z.tolist(), found.tolist(), strict=True):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        below, above = (float(np.nextafter(np.float32(got), np.float32(end))) for end in (-np.inf, np.inf))
        distance = abs(Fraction(got) - exact)
        assert distance <= min(abs(Fraction(below) - exact), abs(Fraction(above) - exact))
        if distance in (abs(Fraction(below) - exact), abs(Fraction(above) - exact)):
            assert bits(got) % 2 == 0


WHOLE: Mapping[Rounding, Callable[[Fraction], int]] = {
    Rounding.EVEN: round,
    Rounding.AWAY: lambda x: int(abs(x) + Fraction(1, 2)) * (1 if x >= 0 else -1),
    Rounding.TRUNCATE: int,
    Rounding.DOWN: lambda x: x.__floor__(),
    Rounding.UP: lambda x: x.__ceil__(),
}


@pytest.mark.parametrize("rounding", Rounding)
@pytest.mark.parametrize(("unsigned", "low", "high"), [(0, -(2**31), 2**31 - 1), (8, 0, 2**32 - 1)])
def test_floats_become_whole_numbers_in_each_direction(rounding: Rounding, unsigned: int, low: int, high: int) -> None:
    x, _ = float_pairs(8)
    x = np.concatenate(
        [x, np.arange(-9, 9, 0.25, dtype=np.float32), np.nextafter(np.arange(0.5, 9), 0).astype(np.float32)]
    )
    x = x[np.isfinite(x)]
    wanted = [WHOLE[rounding](Fraction(number)) for number in x.tolist()]
    held = [min(max(number, low), high) for number in wanted]
    assert values_of(Operation.INTEGER_OF, bits(x), amount=int(rounding) + unsigned).tolist() == held
    rounded = singles(values_of(Operation.FLOAT_ROUND, bits(x), amount=int(rounding)))
    assert rounded.tolist() == wanted
    assert np.array_equal(np.signbit(rounded), np.signbit(x))


def test_integers_become_the_nearest_float32() -> None:
    x, _ = pairs([*ENDS, 2**24 + 1, 2**24 + 3, 2**62 - 1, 2**53 + 2**29 + 1, 2**54 + 2**30 + 1], 9)
    for number, got in zip(x.tolist(), singles(values_of(Operation.FLOAT_OF, x)).tolist(), strict=True):
        below, above = (float(np.nextafter(np.float32(got), np.float32(end))) for end in (-np.inf, np.inf))
        assert abs(Fraction(got) - number) <= min(abs(Fraction(below) - number), abs(Fraction(above) - number))


def test_floats_compare_as_numbers() -> None:
    x, y = float_pairs(10)
    assert np.array_equal(values_of(Operation.FLOAT_LESS, bits(x), bits(y)), x < y)
    assert np.array_equal(values_of(Operation.FLOAT_EQUAL, bits(x), bits(y)), x == y)


def test_the_elements_that_a_node_depends_on_are_those_it_is_made_of() -> None:
    table = ExpressionTable()
    ids = table.elements(6, -9, 9)
    total = table.apply(Operation.ADD, ids[1:2], table.apply(Operation.MULTIPLY, ids[3:4], ids[4:5]))
    assert elements_of(table, total).tolist() == [1, 3, 4]
    assert elements_of(table, table.apply(Operation.ENTRY, ids[:1], ids[5:], amount=2)).tolist() == [0, 1, 5]


@pytest.mark.parametrize(("bits", "signed"), [(8, True), (8, False), (16, True), (32, True), (32, False)])
def test_a_choice_in_a_lane_is_the_choice_of_both_in_that_lane(bits: int, signed: bool) -> None:
    x, y = pairs(ENDS, 8)
    table = ExpressionTable()
    ids = table.elements(3, -(2**50), 2**50)
    chosen = table.apply(Operation.SELECT, ids[2:], ids[:1], ids[1:2])
    found = table.apply(Operation.WRAP, chosen, amount=2 * bits + signed)
    assert table.nodes["operation"][found[0]] == Operation.SELECT
    condition = np.arange(len(x)) % 3 - 1
    plain = np.where(condition != 0, x, y)
    low = -(1 << bits - 1) if signed else 0
    wanted = [(one - low) % (1 << bits) + low for one in plain.tolist()]
    assert evaluate(table, found, np.stack([x, y, condition], axis=1))[:, 0].tolist() == wanted


def test_bytes_that_are_chosen_without_a_sign_and_then_extended_are_a_choice_of_the_numbers() -> None:
    table = ExpressionTable()
    ids = table.elements(2, -128, 127)
    condition = table.elements(1, 0, 1)
    unsigned = table.apply(Operation.WRAP, ids, amount=2 * 8)
    chosen = table.apply(Operation.SELECT, condition, unsigned[:1], unsigned[1:])
    extended = table.apply(Operation.WRAP, chosen, amount=2 * 8 + 1)
    plain = table.apply(Operation.SELECT, condition, ids[:1], ids[1:])
    ours, theirs = Canonical(table).of(np.concatenate([extended, plain]))
    assert ours == theirs
