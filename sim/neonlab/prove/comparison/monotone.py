"""Compare two functions of one part on intervals on which both are known to rise or to fall.

A function that rises or falls on an interval, and has one value at both ends, has it everywhere between.  So it is
enough to evaluate both functions at the ends of intervals, and to divide those where that does not settle it:
requantized sums take 2**24 values and more, but have few steps.

Whether a function rises follows from its operations.  Floats rise in the order of floats, with -0 below +0, in which
rounding, sums and products with a number keep the order.  As integers the bits of floats above 0 are in that order too,
and of those below 0 in the opposite one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import Difference, FormReader, Primitive
from neonlab.prove.expressions.evaluate import computed
from neonlab.prove.expressions.operation import (
    DIVIDE,
    ENTRY,
    FLOAT_ADD,
    FLOAT_DIVIDE,
    FLOAT_FLUSH,
    FLOAT_FUSED,
    FLOAT_LESS,
    FLOAT_MAXIMUM,
    FLOAT_MINIMUM,
    FLOAT_MULTIPLY,
    FLOAT_OF,
    FLOAT_ROUND,
    FLOAT_SUBTRACT,
    INPUT,
    INTEGER_OF,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    SELECT,
    SHIFT_BY,
    SHIFT_RIGHT,
    WRAP,
    ZERO,
)
from neonlab.prove.refusal import Refusal

Values = npt.NDArray[np.int64]
Ways = npt.NDArray[np.int8]
#: How a function changes on an interval: it is constant, or rises, or falls; or that is not known.
CONSTANT, RISES, FALLS, UNKNOWN = 0, 1, -1, 2
#: Intervals to begin with, and into which one is divided.
_FIRST, _FAN = 64, 8
#: Intervals after which most of those looked at last must be settled.
_ENOUGH = 1 << 16
_SIGN, _INFINITY, _BITS = 1 << 31, 0x7F800000, (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class _Trend:
    """Values at the low and the high end of each interval, and the way between.

    The way of a float is that in the order of floats, `is_float`, else that of the number.
    """

    low: Values
    high: Values
    way: Ways
    is_float: bool = False


def _settled(trend: _Trend) -> _Trend:
    """Return a trend that is constant where it has a way and equal ends."""
    constant = (trend.way != UNKNOWN) & (trend.low == trend.high)
    return replace(trend, way=np.where(constant, CONSTANT, trend.way).astype(np.int8))


def _turned(way: Ways) -> Ways:
    return np.where(way == UNKNOWN, UNKNOWN, -way).astype(np.int8)


def _both(one: Ways, other: Ways) -> Ways:
    """Return the way of what rises with both, as a sum does."""
    either = np.where(one == CONSTANT, other, one)
    return np.where((one == CONSTANT) | (other == CONSTANT) | (one == other), either, UNKNOWN).astype(np.int8)


def _only(holds: npt.NDArray[np.bool_], way: Ways) -> Ways:
    return np.where(holds, way, UNKNOWN).astype(np.int8)


def _is_number(bits: Values) -> npt.NDArray[np.bool_]:
    return (bits & (_SIGN - 1)) <= _INFINITY


def _is_finite(bits: Values) -> npt.NDArray[np.bool_]:
    return (bits & (_SIGN - 1)) < _INFINITY


def _in_other_order(trend: _Trend) -> Ways:
    """Return the way of a float as a number, or that of a number as a float: they differ by the sign."""
    positive = (trend.low < _SIGN) & (trend.high < _SIGN)
    negative = (trend.low >= _SIGN) & (trend.high >= _SIGN)
    held = (trend.low >= 0) & (trend.high >= 0) & (trend.low <= _BITS) & (trend.high <= _BITS)
    way = np.where(negative, _turned(trend.way), trend.way)
    return np.where(trend.way == CONSTANT, CONSTANT, _only(held & (positive | negative), way)).astype(np.int8)


class Trends:
    """Follow how forms change on intervals of the values of a part."""

    def __init__(self, reading: FormReader, part: Primitive, lows: Values, highs: Values) -> None:
        self._reading, self._part = reading, part
        self._whole = _settled(_Trend(lows, highs, np.full(len(lows), RISES, np.int8)))
        self._atoms: dict[int, _Trend] = {}

    def form(self, number: int) -> _Trend:
        """Return how a form changes, as a number."""
        part, factor, constant = self._reading.form(number)
        if part is None:
            value = np.full(len(self._whole.low), constant, np.int64)
            return _Trend(value, value, np.zeros(len(value), np.int8))
        if not self._reading.is_bounded(number):
            raise Refusal("a number may exceed 62 bits")
        trend = self._of_part(part)
        way = trend.way if factor > 0 else _turned(trend.way)
        return _Trend(trend.low * factor + constant, trend.high * factor + constant, way)

    def _of_part(self, part: Primitive) -> _Trend:
        if part == self._part:
            return self._whole
        low, high = np.zeros_like(self._whole.low), np.zeros_like(self._whole.low)
        way, terms = np.zeros(len(low), np.int8), part.terms
        found = part.without(self._part)
        if found is not None:
            times, terms = found
            low, high = low + times * self._whole.low, high + times * self._whole.high
            way = self._whole.way if times > 0 else _turned(self._whole.way)
        for atom, coefficient in terms:
            one = self._number(self._atom(atom))
            low, high = low + one.low * coefficient, high + one.high * coefficient
            way = _both(way, one.way if coefficient > 0 else _turned(one.way))
        return _settled(_Trend(low, high, way))

    @staticmethod
    def _number(trend: _Trend) -> _Trend:
        return _Trend(trend.low, trend.high, _in_other_order(trend)) if trend.is_float else trend

    def _float(self, number: int) -> _Trend:
        """Return how a form changes as the bits of a float."""
        part, factor, constant = self._reading.form(number)
        if part is not None and len(part.terms) == 1 and (factor * part.terms[0][1], constant) == (1, 0):
            trend = self._atom(part.terms[0][0])
            if trend.is_float:
                return trend
        trend = self.form(number)
        numbers = _is_number(trend.low) & _is_number(trend.high)
        return _Trend(trend.low, trend.high, _only(numbers, _in_other_order(trend)), is_float=True)

    def _atom(self, number: int) -> _Trend:
        if Primitive(((number, 1),)) == self._part:
            return self._whole
        if number not in self._atoms:
            self._atoms[number] = _settled(self._made(number))
        return self._atoms[number]

    def _made(self, number: int) -> _Trend:
        operation, x, y, z, amount = self._reading.atom(number)
        if operation == INPUT:
            raise Refusal("an input lies beyond a cut")
        if operation == MULTIPLY:
            return _product(self._number(self._atom(x)), self._number(self._atom(y)))
        if operation == ENTRY:
            return self._entry(x, amount, self._reading.listed(number))
        is_float = FLOAT_ADD <= operation <= FLOAT_FUSED or operation in (FLOAT_MINIMUM, FLOAT_MAXIMUM)
        is_float |= operation in (FLOAT_OF, FLOAT_ROUND, FLOAT_FLUSH)
        if (is_float and operation != FLOAT_OF) or operation in (INTEGER_OF, FLOAT_LESS):
            operands = [self._float(one) for one in (x, y, z)]
        else:
            operands = [self.form(one) for one in (x, y, z)]
        a, b, c = (np.concatenate([one.low, one.high]) for one in operands)
        found = computed(operation, a, b, c, amount)
        low, high = found[: len(found) // 2], found[len(found) // 2 :]
        if is_float:
            way = _way_of_floats(operation, *operands)
            return _Trend(low, high, _only(_is_number(low) & _is_number(high), way), is_float=True)
        return _Trend(low, high, _way_of_numbers(operation, low, high, *operands))

    def _entry(self, index: int, first: int, listed: list[int]) -> _Trend:
        """Return an entry of a table: where the index is constant, the way is that of the entry."""
        at, entries = self.form(index), [self.form(entry) for entry in listed]
        rows, found = np.arange(len(at.low)), []
        for end, values in ((at.low, [e.low for e in entries]), (at.high, [e.high for e in entries])):
            inside = (end >= first) & (end < first + len(entries))
            chosen = np.where(inside, end - first, 0)
            found.append(np.where(inside, np.stack(values)[chosen, rows], 0))
        inside = (at.low >= first) & (at.low < first + len(entries))
        way = np.stack([e.way for e in entries])[np.where(inside, at.low - first, 0), rows]
        way = np.where(inside, way, CONSTANT).astype(np.int8)
        return _Trend(found[0], found[1], _only(at.way == CONSTANT, way))


def _product(x: _Trend, y: _Trend) -> _Trend:
    """Return a product: with a number, it rises or falls with the other operand."""
    low, high = x.low * y.low, x.high * y.high
    by_y = np.where(y.low < 0, _turned(x.way), x.way)
    by_x = np.where(x.low < 0, _turned(y.way), y.way)
    way = np.where(y.way == CONSTANT, by_y, _only(x.way == CONSTANT, by_x.astype(np.int8)))
    return _Trend(low, high, way.astype(np.int8))


def _way_of_numbers(operation: int, low: Values, high: Values, x: _Trend, y: _Trend, z: _Trend) -> Ways:
    """Return the way of an operation whose result is a number, with its values at the ends."""
    constant = (x.way == CONSTANT) & (y.way == CONSTANT) & (z.way == CONSTANT)
    way = np.full(len(low), UNKNOWN, np.int8)
    if operation in (SHIFT_RIGHT, INTEGER_OF):
        way = x.way
    elif operation in (MINIMUM, MAXIMUM):
        way = _way_of_extreme(operation, x, y)
    elif operation == NEGATIVE:
        way = _turned(x.way)
    elif operation == ZERO:  # 0 as long as x stays on one side
        beside = (np.minimum(x.low, x.high) > 0) | (np.maximum(x.low, x.high) < 0)
        way = np.where((x.way != UNKNOWN) & beside, CONSTANT, UNKNOWN).astype(np.int8)
    elif operation == WRAP:  # as long as the same multiple of the lane's size is taken
        way = _only(x.low - low == x.high - high, x.way)
    elif operation == SELECT:
        way = _only(x.way == CONSTANT, np.where(x.low != 0, y.way, z.way).astype(np.int8))
    elif operation == SHIFT_BY:
        way = _only(y.way == CONSTANT, x.way)
    elif operation == DIVIDE:
        way = _only((y.way == CONSTANT) & (y.low > 0), x.way)
    elif operation == FLOAT_LESS:
        way = _both(_turned(x.way), y.way)
    return np.where(constant, CONSTANT, way).astype(np.int8)


def _way_of_extreme(operation: int, x: _Trend, y: _Trend) -> Ways:
    """Return the way of the smaller or the greater of two: where one is that everywhere, its own."""
    ends = [(np.minimum(one.low, one.high), np.maximum(one.low, one.high)) for one in (x, y)]
    (low_x, high_x), (low_y, high_y) = ends if operation == MAXIMUM else [(-high, -low) for low, high in ends]
    known = (x.way != UNKNOWN) & (y.way != UNKNOWN)
    way = np.where(known & (low_x >= high_y), x.way, _both(x.way, y.way))
    return np.where(known & (low_y >= high_x), y.way, way).astype(np.int8)


def _way_of_floats(operation: int, x: _Trend, y: _Trend, z: _Trend) -> Ways:
    """Return the way of an operation whose result is a float.

    Of the operands of arithmetic all but one must be constant and finite: then nothing between the ends is no number
    that is one at the ends.
    """
    if operation in (FLOAT_OF, FLOAT_ROUND, FLOAT_FLUSH):
        return x.way
    if operation in (FLOAT_MINIMUM, FLOAT_MAXIMUM):
        return _both(x.way, y.way)
    fixed = [(one.way == CONSTANT) & _is_finite(one.low) for one in (x, y, z)]
    if operation == FLOAT_ADD:
        return _only(fixed[0] | fixed[1], _both(x.way, y.way))
    if operation == FLOAT_SUBTRACT:
        return _only(fixed[0] | fixed[1], _both(x.way, _turned(y.way)))
    by_y = np.where(y.low >= _SIGN, _turned(x.way), x.way).astype(np.int8)
    if operation == FLOAT_DIVIDE:
        return _only(fixed[1] & ((y.low & (_SIGN - 1)) != 0), by_y)
    by_x = np.where(x.low >= _SIGN, _turned(y.way), y.way).astype(np.int8)
    product = np.where(fixed[1], by_y, _only(fixed[0], by_x)).astype(np.int8)
    if operation == FLOAT_MULTIPLY:
        return product
    assert operation == FLOAT_FUSED
    return _only(fixed[2] | (fixed[0] & fixed[1]), _both(product, z.way))


def first_difference_on_intervals(
    reading: FormReader, forms: tuple[int, int], part: Primitive, most: int
) -> tuple[Difference | None, int]:
    """Return a value of the part at which two forms differ, None if there is none, and the intervals looked at.

    Raises Refusal where more than `most` intervals would not do.
    """
    ends = np.array(reading.domain(part), np.int64)
    lows, highs = _divided(ends[:, 0], ends[:, 1], _FIRST)
    looked = 0
    while lows.size:
        before = lows.size
        looked += lows.size
        if looked > most:
            raise Refusal("two functions of a part do not rise or fall together")
        trends = Trends(reading, part, lows, highs)
        ours, theirs = trends.form(forms[0]), trends.form(forms[1])
        for at, one, other in ((lows, ours.low, theirs.low), (highs, ours.high, theirs.high)):
            wrong = np.flatnonzero(one != other)
            if wrong.size:
                return Difference((part,), (int(at[wrong[0]]),)), looked
        open_ones = (ours.way != CONSTANT) | (theirs.way != CONSTANT)
        open_ones &= highs - lows > 1
        if looked > _ENOUGH and 2 * np.count_nonzero(open_ones) > before:
            raise Refusal("two functions of a part seldom rise or fall together, or take many values")
        # Both ends are known to be right.
        lows, highs = _divided(lows[open_ones] + 1, highs[open_ones] - 1, _FAN)
    return None, looked


def _divided(lows: Values, highs: Values, count: int) -> tuple[Values, Values]:
    """Divide intervals into as many as `count` each, none of which is empty."""
    size = (highs - lows) // count + 1
    starts = lows[:, np.newaxis] + size[:, np.newaxis] * np.arange(count)
    ends = np.minimum(starts + size[:, np.newaxis] - 1, highs[:, np.newaxis])
    kept = starts <= highs[:, np.newaxis]
    return starts[kept], ends[kept]
