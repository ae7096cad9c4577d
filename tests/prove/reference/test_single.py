"""The rounding of midpoints away from 0, which numpy has no function for, is seen in the steps that compute it."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.int8.rounding import half_away
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation, Rounding
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.reference.array import SymbolicArray
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import Span, SymbolValue

LARGEST = float(np.finfo(np.float32).max)


def reals(count: int) -> SymbolicArray:
    table = ExpressionTable()
    ids = table.elements(count, 0, 2**32 - 1)
    return SymbolicArray.of(SymbolValue(Symbols(table), ids, np.dtype(np.float32), Span(-LARGEST, LARGEST)))


def test_half_away_is_one_rounding() -> None:
    array = reals(3)
    found = half_away(array)
    assert isinstance(found, SymbolicArray)
    rows = array.symbols.table.nodes[found.ids]
    assert (rows["operation"] == Operation.FLOAT_ROUND).all()
    assert (rows["amount"] == Rounding.AWAY).all()
    assert np.array_equal(rows["x"], array.ids)


def test_a_rounding_before_a_conversion_is_its_direction() -> None:
    array = reals(3)
    found = half_away(np.clip(array, -128, 127)).astype(np.int64)
    assert isinstance(found, SymbolicArray)
    rows = array.symbols.table.nodes[found.ids]
    assert (rows["operation"] == Operation.INTEGER_OF).all() and (rows["amount"] == Rounding.AWAY).all()


def test_the_rounding_equals_the_steps_for_numbers_of_every_size() -> None:
    """Every exponent and sign with fractions about a half, a quarter of a million random bits, and both zeros."""
    print("seed 30")
    random = np.random.default_rng(30).integers(0, 2**32, 1 << 18, np.uint32)
    halves = np.arange(0.5, 3000, 0.5, dtype=np.float32)
    near = np.concatenate([halves, np.nextafter(halves, 0), np.nextafter(halves, np.float32(1e9)), [0.0, 0.25]])
    powers = np.ldexp(np.float32(1), np.arange(-149, 128)).astype(np.float32)
    sizes = np.concatenate([near, powers, powers * np.float32(1.5)]).astype(np.float32)
    numbers = np.concatenate([random.view(np.float32), sizes, -sizes])
    numbers = numbers[np.isfinite(numbers)]
    array = reals(1)
    bits = numbers.view(np.uint32).astype(np.int64)[:, np.newaxis]
    rounded = half_away(array)
    assert isinstance(rounded, SymbolicArray)
    found = evaluate(array.symbols.table, rounded.ids, bits)[:, 0]
    assert np.array_equal(found, half_away(numbers).view(np.uint32))


@pytest.mark.parametrize("half", [0.25, 0.50000006])
def test_other_steps_are_not_taken_for_it(half: float) -> None:
    array = reals(2)
    whole = np.trunc(array)
    step = (np.abs(array - whole) >= np.float32(half)).astype(np.float32)
    found = whole + np.copysign(step, array)
    assert (array.symbols.table.nodes["operation"][found.ids] == Operation.FLOAT_ADD).all()


def test_the_sign_of_another_number_is_not_taken_for_it() -> None:
    array = reals(2)
    whole = np.trunc(array)
    step = (np.abs(array - whole) >= 0.5).astype(np.float32)
    found = whole + np.copysign(step, array[::-1])
    assert (array.symbols.table.nodes["operation"][found.ids] == Operation.FLOAT_ADD).all()
