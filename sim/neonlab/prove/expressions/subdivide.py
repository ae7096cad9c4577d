"""Compare two functions of one sum on intervals of its values, which are halved until both are constant there.

Rounding and clamping leave few different results: two such functions are compared at some thousands of intervals, where
their sum takes millions of values.  An interval of arguments gives an interval that holds all results.  So where both
functions are one number on an interval they are equal there, or are shown to differ.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from neonlab.prove.expressions.choice import Difference, FormReader, Primitive, Values
from neonlab.prove.expressions.evaluate import computed
from neonlab.prove.expressions.operation import (
    DIVIDE,
    ENTRY,
    FLOAT_ADD,
    FLOAT_DIVIDE,
    FLOAT_EQUAL,
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
    SUM,
    WRAP,
    ZERO,
)
from neonlab.prove.refusal import Refusal

#: Intervals at the beginning, and the most that are looked at in all.
_FIRST, _MOST = 256, 1 << 18
#: Operations whose least and greatest results on a box are at its corners: they rise or fall with each operand alone.
_FLOATS = (
    FLOAT_ADD, FLOAT_SUBTRACT, FLOAT_MULTIPLY, FLOAT_FUSED, FLOAT_MINIMUM, FLOAT_MAXIMUM, FLOAT_ROUND, FLOAT_FLUSH,
)  # fmt: skip
_SIGN, _INFINITY = 1 << 31, 0x7F800000
_Ends = tuple[Values, Values]


class OnIntervals(NamedTuple):
    """The answer: `decided` tells whether the functions could be compared, `difference` is None where none is."""

    decided: bool
    difference: Difference | None


def difference_on_intervals(reading: FormReader, forms: tuple[int, int], part: Primitive) -> OnIntervals:
    """Compare two functions of a part on all its values.  Raises Refusal where it is no cut."""
    least, most = reading.ends(part)
    count = min(_FIRST, most - least + 1)
    # Python's numbers: the width of an interval times a number may exceed 64 bits.
    edges = [least + (most - least + 1) * at // count for at in range(count + 1)]
    low, high = np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64) - 1
    left = _MOST
    while low.size:
        left -= low.size
        if left < 0:
            return OnIntervals(False, None)
        on = _Intervals(reading, part, low, high)
        (a, b), (c, d) = on.form(forms[0]), on.form(forms[1])
        apart = np.flatnonzero((b < c) | (d < a))
        if apart.size:
            return OnIntervals(True, Difference((part,), (int(low[apart[0]]),)))
        open_ones = (a != b) | (c != d)
        low, high = low[open_ones], high[open_ones]
        if (low == high).any():  # an operation whose result at a value is not known
            return OnIntervals(False, None)
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        low, high = np.concatenate([low, middle + 1]), np.concatenate([middle, high])
    return OnIntervals(True, None)


class _Intervals:
    """Intervals of forms, one for each interval of a part: results are never outside."""

    def __init__(self, reading: FormReader, part: Primitive, low: Values, high: Values) -> None:
        self._reading, self._shape = reading, low.shape
        self._parts: dict[Primitive, _Ends] = {part: (low, high)}
        self._part_of_all = part
        self._atoms: dict[int, _Ends] = {}

    def form(self, number: int) -> _Ends:
        """Return the intervals of a form."""
        part, factor, constant = self._reading.form(number)
        if part is None:
            same = np.full(self._shape, constant, np.int64)
            return same, same
        if not self._reading.is_bounded(number):
            raise Refusal("a number may exceed 62 bits")
        low, high = self._part(part)
        ends = low * factor + constant, high * factor + constant
        return ends if factor > 0 else ends[::-1]

    def _part(self, part: Primitive) -> _Ends:
        if part not in self._parts:
            low = high = np.zeros(self._shape, np.int64)
            terms = part.terms
            found = part.without(self._part_of_all)
            if found is not None:
                ends = [found[0] * end for end in self._parts[self._part_of_all]]
                low, high = ends if found[0] > 0 else ends[::-1]
                terms = found[1]
            for atom, coefficient in terms:
                a, b = (end * coefficient for end in self._atom(atom))
                low, high = (low + a, high + b) if coefficient > 0 else (low + b, high + a)
            self._parts[part] = low, high
        return self._parts[part]

    def _atom(self, number: int) -> _Ends:
        alone = Primitive(((number, 1),))
        if alone in self._parts:
            return self._parts[alone]
        if number not in self._atoms:
            low, high = self._made(number)
            least, most = self._reading.interval(number)
            self._atoms[number] = np.maximum(low, least), np.minimum(high, most)
        return self._atoms[number]

    def _made(self, number: int) -> _Ends:
        operation, x, y, z, amount = self._reading.atom(number)
        if operation in (INPUT, SUM):
            raise Refusal("an input lies beyond a cut")
        if operation == MULTIPLY:
            return _of_corners([self._atom(x), self._atom(y)], lambda a, b: a * b)
        least, most = self._reading.interval(number)
        anything = np.full(self._shape, least, np.int64), np.full(self._shape, most, np.int64)
        if operation == ENTRY:
            return self._entry(number, x, amount, anything)
        operands = [self.form(one) for one in (x, y, z)]
        found = _applied(operation, amount, operands, anything)
        # At a single value every operation is known.
        single = np.logical_and.reduce([low == high for low, high in operands])
        if single.any():
            at = np.flatnonzero(single)
            a, b, c = (low[at] for low, _ in operands)
            exact = computed(operation, a, b, c, amount)
            low, high = found[0].copy(), found[1].copy()
            low[at], high[at] = exact, exact
            found = low, high
        return found

    def _entry(self, number: int, index: int, first: int, anything: _Ends) -> _Ends:
        """Return the intervals of a look-up: the entry, where it is one; the least to the greatest of all elsewhere."""
        low, high = self.form(index)
        entries = [self.form(entry) for entry in self._reading.listed(number)]
        least, most = np.stack([entry[0] for entry in entries]), np.stack([entry[1] for entry in entries])
        inside = (low == high) & (low >= first) & (low < first + len(entries))
        at = np.where(inside, low - first, 0)[np.newaxis]
        outside = (low == high) & ~inside
        found = [np.take_along_axis(ends, at, axis=0)[0] for ends in (least, most)]
        return tuple(np.where(inside, one, np.where(outside, 0, end)) for one, end in zip(found, anything, strict=True))  # type: ignore[return-value]


def _of_corners(operands: list[_Ends], function: object) -> _Ends:
    """Return the least and the greatest result at the corners."""
    found = [function(*corner) for corner in itertools.product(*operands)]  # type: ignore[operator]
    return np.minimum.reduce(found), np.maximum.reduce(found)


def _applied(operation: int, amount: int, operands: list[_Ends], anything: _Ends) -> _Ends:
    """Return the intervals of an operation; `anything` where they are not known."""
    (a, b), (c, d), (e, f) = operands
    if operation == SHIFT_RIGHT:
        by = min(amount, 63)
        return a >> by, b >> by
    if operation == MINIMUM:
        return np.minimum(a, c), np.minimum(b, d)
    if operation == MAXIMUM:
        return np.maximum(a, c), np.maximum(b, d)
    if operation == NEGATIVE:
        return (b < 0).astype(np.int64), (a < 0).astype(np.int64)
    if operation == ZERO:
        return ((a == 0) & (b == 0)).astype(np.int64), ((a <= 0) & (b >= 0)).astype(np.int64)
    if operation == SELECT:
        yes, no = (a > 0) | (b < 0), (a == 0) & (b == 0)
        low = np.where(yes, c, np.where(no, e, np.minimum(c, e)))
        return low, np.where(yes, d, np.where(no, f, np.maximum(d, f)))
    if operation == WRAP:
        return _wrapped(amount, a, b, anything)
    if operation in (SHIFT_BY, DIVIDE):
        return _by_one(operation, amount, operands, anything)
    if operation in (FLOAT_OF, INTEGER_OF, FLOAT_LESS, FLOAT_EQUAL, FLOAT_DIVIDE, *_FLOATS):
        return _of_floats(operation, amount, operands, anything)
    return anything


def _wrapped(amount: int, low: Values, high: Values, anything: _Ends) -> _Ends:
    """Return the intervals of numbers in a lane: where both ends are wrapped by the same number of turns."""
    bits, signed = amount >> 1, amount & 1
    if bits >= 62:
        return anything
    least = -(1 << bits - 1) if signed else 0
    turns = (low - least) >> bits
    same = turns == (high - least) >> bits
    moved = np.where(same, turns << bits, 0)
    return np.where(same, low - moved, anything[0]), np.where(same, high - moved, anything[1])


def _by_one(operation: int, amount: int, operands: list[_Ends], anything: _Ends) -> _Ends:
    """Return the intervals of a shift by a number or a quotient by one above 0, which rise with x."""
    (a, b), (c, d), _ = operands
    known = (c == d) & ((c > 0) | (operation == SHIFT_BY))
    low, high = (computed(operation, end, np.where(known, c, 1), c, amount) for end in (a, b))
    return np.where(known, low, anything[0]), np.where(known, high, anything[1])


def _of_floats(operation: int, amount: int, operands: list[_Ends], anything: _Ends) -> _Ends:
    """Return the intervals of an operation on the bits of floats."""
    if operation == FLOAT_OF:
        ends = [computed(operation, end, end, end, amount) for end in operands[0]]
        return _bits(_ordered(ends[0]), _ordered(ends[1]))
    if operation in (FLOAT_LESS, FLOAT_EQUAL, FLOAT_DIVIDE):
        return anything
    used = 3 if operation == FLOAT_FUSED else 1 if operation in (FLOAT_ROUND, FLOAT_FLUSH, INTEGER_OF) else 2
    # Bits rise or fall with the number where both ends have the same sign.
    whole = np.logical_and.reduce([(low >= _SIGN) == (high >= _SIGN) for low, high in operands[:used]])
    corners = list(itertools.product(*operands[:used]))
    found = [
        computed(operation, x, (y or [x])[0], (y[1:] or [x])[0], amount) for x, *y in corners
    ]  # fmt: skip
    if operation == INTEGER_OF:
        low, high = np.minimum.reduce(found), np.maximum.reduce(found)
        finite = np.logical_and.reduce([end & 0x7FFFFFFF <= _INFINITY for end in operands[0]])
    else:
        ordered = [_ordered(one) for one in found]
        low, high = _bits(np.minimum.reduce(ordered), np.maximum.reduce(ordered))
        ends = [end for ends in operands[:used] for end in ends] + found
        finite = np.logical_and.reduce([end & 0x7FFFFFFF < _INFINITY for end in ends])
    known = whole & finite
    return np.where(known, low, anything[0]), np.where(known, high, anything[1])


def _ordered(bits: Values) -> Values:
    """Return numbers in the order of floats, -0 below 0."""
    return np.where(bits < _SIGN, bits, _SIGN - 1 - bits)


def _bits(low: Values, high: Values) -> _Ends:
    """Return intervals of bits for intervals of such numbers."""
    below, above = high < 0, low >= 0
    least = np.where(above, low, np.where(below, _SIGN - 1 - high, 0))
    most = np.where(above, high, np.where(below, _SIGN - 1 - low, (1 << 32) - 1))
    return least, most
