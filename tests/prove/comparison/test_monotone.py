"""Ways of functions against all their values: what is said to rise does, and no single value that differs is missed."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.comparison.choice import FormReader, Primitive, first_difference
from neonlab.prove.comparison.monotone import first_difference_on_intervals
from neonlab.prove.comparison.trends import Trends
from neonlab.prove.comparison.ways import CONSTANT, FALLS, RISES, UNKNOWN
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation, Rounding
from neonlab.prove.expressions.table import ExpressionTable, FloatSpan
from neonlab.prove.refusal import Refusal

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 3
_LOW, _HIGH = -700, 900
_FLOATS = (0.0, -0.0, 0.37, -2.5, 12582912.0, -1e-40, 3e38, 1e-44)
_OF_FLOATS = (
    Operation.FLOAT_ADD, Operation.FLOAT_SUBTRACT, Operation.FLOAT_MULTIPLY, Operation.FLOAT_DIVIDE,
    Operation.FLOAT_MINIMUM, Operation.FLOAT_MAXIMUM,
)  # fmt: skip


def _bits(number: float) -> int:
    return int(np.array(number, np.float32).view(np.uint32))


class _Drawn:
    """Random expressions of one element."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random, self.table = random, ExpressionTable()
        self.x = self.table.elements(1, _LOW, _HIGH)
        self.numbers = [self.x]
        self.floats = [self.apply(Operation.FLOAT_OF, self.x)]

    def apply(
        self, operation: Operation, x: np.ndarray, y: np.ndarray | int = 0, z: np.ndarray | int = 0, *, amount: int = 0
    ) -> np.ndarray:
        return self.table.apply(operation, x, y, z, amount=amount)

    def constant(self, low: int = -900, high: int = 900) -> np.ndarray:
        return self.table.constants(np.array([self.random.integers(low, high)]))

    def _one(self, among: list[np.ndarray]) -> np.ndarray:
        return among[self.random.integers(len(among))]

    def add_number(self) -> None:
        """Add a number made of those before."""
        x, y = self._one(self.numbers), self._one([*self.numbers, self.constant()])
        kind = int(self.random.integers(14))
        if kind == 0:
            found = self.apply(Operation.ADD, x, y)
        elif kind == 1:
            found = self.apply(Operation.SUBTRACT, x, y)
        elif kind == 2:
            found = self.apply(Operation.SCALE, x, amount=int(self.random.integers(-5, 6)))
        elif kind == 3:
            found = self.apply(Operation.SHIFT_RIGHT, x, amount=int(self.random.integers(1, 6)))
        elif kind in (4, 5):
            found = self.apply(Operation.MINIMUM if kind == 4 else Operation.MAXIMUM, x, y)
        elif kind == 6:
            found = self.apply(Operation.WRAP, x, amount=2 * int(self.random.choice([4, 8, 11])) + kind % 2)
        elif kind == 7:
            found = self.apply(Operation.NEGATIVE, x)
        elif kind == 8:
            found = self.apply(Operation.ZERO, x)
        elif kind == 9:
            found = self.apply(Operation.SELECT, self.apply(Operation.NEGATIVE, x), y, self._one(self.numbers))
        elif kind == 10:
            found = self.apply(Operation.SHIFT_BY, x, self.constant(-4, 3), amount=int(self.random.integers(2)))
            self.table.nodes["low"][found], self.table.nodes["high"][found] = -(1 << 20), 1 << 20  # as rules state it
        elif kind == 11:
            found = self.apply(Operation.MULTIPLY, x, y)
        elif kind == 12:
            found = self.apply(Operation.INTEGER_OF, self._one(self.floats), amount=int(self.random.integers(5)))
        else:
            less = self._one(self.floats), self.float_constant()
            found = self.apply(Operation.FLOAT_LESS, *(less if self.random.integers(2) else less[::-1]))
        clamped = self.apply(Operation.MINIMUM, found, self.constant(3000, 4000))
        self.numbers.append(self.apply(Operation.MAXIMUM, clamped, self.constant(-4000, -3000)))

    def float_constant(self) -> np.ndarray:
        return self.table.constants(np.array([_bits(float(self.random.choice(_FLOATS)))]))

    def add_float(self) -> None:
        """Add a float, whose bits are a number too."""
        x, y = self._one(self.floats), self._one([*self.floats, self.float_constant(), self.float_constant()])
        x, y = (x, y) if self.random.integers(2) else (y, x)
        kind = int(self.random.integers(10))
        if kind < 6:
            found = self.apply(_OF_FLOATS[kind], x, y)
        elif kind == 6:
            found = self.apply(Operation.FLOAT_FUSED, x, y, self.float_constant())
        elif kind == 7:
            found = self.apply(Operation.FLOAT_ROUND, x, amount=int(self.random.choice(list(Rounding))))
        elif kind == 8:
            found = self.apply(Operation.FLOAT_FLUSH, x)
        else:
            found = self.apply(Operation.FLOAT_OF, self._one(self.numbers))
        self.floats.append(found)


def _reading(table: ExpressionTable, x: np.ndarray, nodes: np.ndarray) -> tuple[FormReader, Primitive, list[int]]:
    canonical = Canonical(table)
    forms = canonical.of(np.concatenate([x, nodes]))
    reading = FormReader(canonical.forms, table.spans)
    part = reading.form(int(forms[0]))[0]
    assert part is not None
    return reading, part, forms[1:].tolist()


@pytest.fixture(scope="module")
def drawn() -> _Drawn:
    print(f"seed {_SEED}")
    found = _Drawn(np.random.default_rng(_SEED))
    for _ in range(300):
        found.add_number()
        found.add_float()
    return found


def test_functions_go_the_way_that_is_said_of_them(drawn: _Drawn) -> None:
    nodes = np.concatenate([*drawn.numbers, *drawn.floats])
    reading, part, forms = _reading(drawn.table, drawn.x, nodes)
    every = evaluate(drawn.table, nodes, np.arange(_LOW, _HIGH + 1)[:, np.newaxis]).T
    ends = np.sort(np.random.default_rng(_SEED).integers(_LOW, _HIGH, (60, 2), endpoint=True), axis=1)
    ends[:20, 1] = np.minimum(ends[:20, 0] + 9, _HIGH)
    trends = Trends(reading, part, forms).on(ends[:, 0].copy(), ends[:, 1].copy())
    said = dict.fromkeys((CONSTANT, RISES, FALLS, UNKNOWN), 0)
    for trend, values in zip(trends, every, strict=True):
        assert np.array_equal(trend.low, values[ends[:, 0] - _LOW])
        assert np.array_equal(trend.high, values[ends[:, 1] - _LOW])
        for way, (low, high) in zip(trend.way.tolist(), (ends - _LOW).tolist(), strict=True):
            said[way] += 1
            steps = np.diff(values[low : high + 1])
            if way != UNKNOWN:
                assert (steps * way >= 0).all()
                assert way != CONSTANT or not steps.any()
    assert min(said.values()) > 500


def test_a_single_value_that_differs_is_found_and_none_else(drawn: _Drawn) -> None:
    table, x = drawn.table, drawn.x
    random = np.random.default_rng(_SEED + 1)
    nodes = np.concatenate([drawn.numbers[int(at)] for at in random.integers(1, len(drawn.numbers), 40)])
    places = random.integers(_LOW, _HIGH, len(nodes), endpoint=True)
    at_place = table.apply(Operation.ZERO, table.apply(Operation.SUBTRACT, x, table.constants(places)))
    one_off = table.apply(Operation.ADD, nodes, at_place)
    reading, part, forms = _reading(table, x, np.concatenate([nodes, one_off]))
    settled = 0
    for place, form, other in zip(places.tolist(), forms, forms[len(nodes) :], strict=False):
        found, _ = first_difference_on_intervals(reading, (form, other), part, 1 << 20)
        expected = first_difference(reading, (form, other), (part,))
        assert found == expected
        assert found is not None
        assert found.values == (place,)
        same, looked = first_difference_on_intervals(reading, (form, form), part, 1 << 20)
        assert same is None
        settled += looked < _HIGH - _LOW
    assert settled > len(nodes) // 3


def _rounded_by_a_magic_number(table: ExpressionTable, scaled: np.ndarray) -> np.ndarray:
    sums = table.apply(Operation.FLOAT_ADD, scaled, table.constants(np.array([_bits(12582912.0)])))
    return table.apply(Operation.WRAP, sums, amount=17)


@pytest.mark.parametrize("beyond", [0, 1], ids=["right", "a wrong end"])
def test_two_ways_to_round_floats_are_compared_on_all_of_them(beyond: int) -> None:
    table = ExpressionTable()
    x = table.elements(1, 0, (1 << 32) - 1, span=(-1e30, 1e30))
    scaled = table.apply(Operation.FLOAT_MULTIPLY, x, table.constants(np.array([_bits(0.37)])))
    low, high = (table.constants(np.array([_bits(end)])) for end in (-128.0, 127.0))
    clamped = table.apply(Operation.FLOAT_MAXIMUM, table.apply(Operation.FLOAT_MINIMUM, scaled, high), low)
    rounded = table.apply(Operation.INTEGER_OF, scaled, amount=int(Rounding.EVEN))
    within = table.apply(Operation.MINIMUM, rounded, table.constants(np.array([127 + beyond])))
    ours = table.apply(Operation.MAXIMUM, within, table.constants(np.array([-128])))
    theirs = _rounded_by_a_magic_number(table, clamped)
    reading, part, (one, other) = _reading(table, x, np.concatenate([ours, theirs]))
    found, looked = first_difference_on_intervals(reading, (one, other), part, 1 << 20)
    assert looked < 1 << 18
    if not beyond:
        assert found is None
        return
    assert found is not None
    values = evaluate(table, np.concatenate([ours, theirs]), np.array([found.values]))
    assert values.tolist() == [[128, 127]]


@pytest.mark.parametrize(("low", "high"), [(-2.5, 3.0), (1e-9, 256.0), (-2.0, -1.0), (0.0, 0.0), (-0.0, 1e-40)])
def test_the_bits_of_a_span_are_those_of_the_floats_in_it(low: float, high: float) -> None:
    near = np.array([low, high, 0.0, -0.0, 1e-40, -1e-40, 1.5, np.inf, np.nan], np.float32).view(np.uint32)
    bits = np.unique(np.concatenate([near.astype(np.int64) + step for step in (-1, 0, 1)])) & 0xFFFFFFFF
    floats = bits.astype(np.uint32).view(np.float32)
    inside = [any(first <= one <= last for first, last in FloatSpan(0, 1, low, high).bits()) for one in bits.tolist()]
    assert inside == ((floats >= np.float32(low)) & (floats <= np.float32(high))).tolist()


def test_what_neither_rises_nor_falls_is_given_up() -> None:
    table = ExpressionTable()
    x = table.elements(1, 0, 1 << 40)
    bits = table.apply(Operation.AND, x, table.constants(np.array([0x5555])))
    reading, part, (form,) = _reading(table, x, bits)
    with pytest.raises(Refusal):
        first_difference_on_intervals(reading, (form, form), part, 1 << 12)
