"""Represent expressions over a call's input elements, each with the interval of its possible values.

A node is an input element, a constant, or arithmetic on other nodes.  Its interval holds for all inputs within their
ranges.  It is tight if no input occurs twice, since then every operand can reach the end of its interval that the
result needs.  Nodes are made in batches: the lanes of one instruction at a time.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Values = npt.NDArray[np.int64]

# Intervals are limited to this, so that sums of two ends fit 64 bits.
LIMIT = (1 << 62) - 1
#: Products of ends below this are within the limit.
_SMALL = 1 << 31
#: Batches of nodes that may wait to be written out.
_MOST_WAITING = 1 << 15
_least, _greatest = np.minimum.reduce, np.maximum.reduce  # methods of an array take twice as long


class NodeKind(enum.IntEnum):
    """The operation of a node; `x` and `y` are its operands, `amount` a shift or an end."""

    CONSTANT = 0
    INPUT = 1
    UNKNOWN = 2
    ADD = 3
    SUBTRACT = 4
    MULTIPLY = 5
    NEGATE = 6
    MAGNITUDE = 7
    SHIFT_LEFT = 8
    SHIFT_RIGHT = 9  # floor of x / 2**amount
    MINIMUM = 10
    MAXIMUM = 11
    CLAMP = 12  # x limited to the node's own ends
    WITHIN = 13  # x, known to lie between the node's own ends


@dataclass(frozen=True, slots=True)
class InputElement:
    """Element `index` of argument `name`."""

    name: str
    index: int


def _clip(values: npt.NDArray[np.float64] | Values, exact: Values) -> Values:
    return np.where(np.abs(values) >= LIMIT, np.where(values > 0, LIMIT, -LIMIT), exact).astype(np.int64)


def _product(first: Values, second: Values) -> Values:
    with np.errstate(over="ignore"):
        return _clip(first.astype(np.float64) * second, first * second)


class Nodes:
    """A growing table of nodes.  Ids are positions in it; operands come before results.

    Only the ends of intervals are written at once.  The rest waits until something asks for it, which is seldom.
    """

    def __init__(self) -> None:
        self._size = 0
        self._kind = np.zeros(1024, np.int8)
        self._x = np.zeros(1024, np.int64)
        self._y = np.zeros(1024, np.int64)
        self._amount = np.zeros(1024, np.int64)
        self._low = np.zeros(1024, np.int64)
        self._high = np.zeros(1024, np.int64)
        self._waiting: list[tuple[slice, NodeKind, Ids | int, Ids | int, int]] = []
        self._chooses = False  # whether there is a maximum, and so perhaps its difference from a minimum
        self.inputs: dict[int, InputElement] = {}
        self._constants: dict[int, int] = {}

    def __len__(self) -> int:
        return self._size

    def low(self, ids: Ids) -> Values:
        """Return the lowest value of each node."""
        return self._low[ids]

    def high(self, ids: Ids) -> Values:
        """Return the highest value of each node."""
        return self._high[ids]

    def _add(
        self, kind: NodeKind, low: Values, high: Values, x: Ids | int = 0, y: Ids | int = 0, amount: int = 0
    ) -> Ids:
        count, first = len(low), self._size
        if first + count > len(self._low):
            self._grow(first + count)
        where = slice(first, first + count)
        self._low[where], self._high[where] = low, high
        if kind is NodeKind.MINIMUM or kind is NodeKind.MAXIMUM:  # differences ask for these
            self._kind[where] = kind
        self._waiting.append((where, kind, x, y, amount))
        if len(self._waiting) > _MOST_WAITING:
            self._write_out()
        self._size += count
        return np.arange(first, first + count)

    def _grow(self, least: int) -> None:
        while least > len(self._low):
            for name in ("_kind", "_x", "_y", "_amount", "_low", "_high"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))

    def _write_out(self) -> None:
        """Write kinds and operands of all nodes to the table."""
        for where, kind, x, y, amount in self._waiting:
            self._kind[where], self._x[where], self._y[where], self._amount[where] = kind, x, y, amount
        self._waiting.clear()

    def input(self, element: InputElement, low: int, high: int) -> int:
        """Add an input element with its declared range."""
        (node,) = self._add(NodeKind.INPUT, np.array([low]), np.array([high])).tolist()
        self.inputs[node] = element
        return int(node)

    def constant(self, value: int) -> int:
        """Return the node of a number."""
        if value not in self._constants:
            held = np.array([max(-LIMIT, min(LIMIT, value))])
            self._constants[value] = int(self._add(NodeKind.CONSTANT, held, held)[0])
        return self._constants[value]

    def constants(self, values: Iterable[int]) -> Ids:
        """Return the nodes of numbers."""
        return np.array([self.constant(value) for value in values], np.int64)

    def unknown(self, count: int, low: int, high: int) -> Ids:
        """Return new nodes of which only the range is known."""
        return self._add(NodeKind.UNKNOWN, np.full(count, max(-LIMIT, low)), np.full(count, min(LIMIT, high)))

    def add(self, x: Ids, y: Ids) -> Ids:
        """Return nodes for x + y."""
        low, high = self._low[x] + self._low[y], self._high[x] + self._high[y]
        return self._add(NodeKind.ADD, np.maximum(low, -LIMIT), np.minimum(high, LIMIT), x, y)

    def subtract(self, x: Ids, y: Ids) -> Ids:
        """Return nodes for x - y."""
        low, high = self._low[x] - self._high[y], self._high[x] - self._low[y]
        if self._chooses:
            above = (self._kind[x] == NodeKind.MAXIMUM) & (self._kind[y] == NodeKind.MINIMUM) & (low < 0)
            for lane in np.flatnonzero(above).tolist():
                if not self._chosen_of(int(x[lane])).isdisjoint(self._chosen_of(int(y[lane]))):
                    low[lane] = 0  # they share an operand, which lies between them
        return self._add(NodeKind.SUBTRACT, np.maximum(low, -LIMIT), np.minimum(high, LIMIT), x, y)

    def multiply(self, x: Ids, y: Ids) -> Ids:
        """Return nodes for x * y."""
        lows, highs, other_lows, other_highs = self._low[x], self._high[x], self._low[y], self._high[y]
        furthest = max(-int(_least(lows)), int(_greatest(highs)), -int(_least(other_lows)), int(_greatest(other_highs)))
        product = np.multiply if furthest < _SMALL else _product
        lowest, highest = product(lows, other_lows), product(highs, other_highs)
        crossed, other = product(lows, other_highs), product(highs, other_lows)
        low = np.minimum(np.minimum(lowest, highest), np.minimum(crossed, other))
        high = np.maximum(np.maximum(lowest, highest), np.maximum(crossed, other))
        same = x == y
        if np.logical_or.reduce(same):
            spans_zero = (lows <= 0) & (highs >= 0)  # a square is not negative
            low = np.where(same, np.where(spans_zero, 0, np.minimum(lowest, highest)), low)
            high = np.where(same, np.maximum(lowest, highest), high)
        return self._add(NodeKind.MULTIPLY, low, high, x, y)

    def negate(self, x: Ids) -> Ids:
        """Return nodes for -x."""
        return self._add(NodeKind.NEGATE, -self._high[x], -self._low[x], x)

    def magnitude(self, x: Ids) -> Ids:
        """Return nodes for |x|."""
        low, high = self._low[x], self._high[x]
        least = np.where((low <= 0) & (high >= 0), 0, np.minimum(np.abs(low), np.abs(high)))
        return self._add(NodeKind.MAGNITUDE, least, np.maximum(np.abs(low), np.abs(high)), x)

    def shift_left(self, x: Ids, amount: int) -> Ids:
        """Return nodes for x * 2**amount."""
        low, high = self._low[x], self._high[x]
        if amount < _SMALL.bit_length() and max(-int(_least(low)), int(_greatest(high))) < _SMALL:
            return self._add(NodeKind.SHIFT_LEFT, low << amount, high << amount, x, 0, amount)
        factor = np.full(len(x), 1 << min(amount, 61))
        return self._add(NodeKind.SHIFT_LEFT, _product(low, factor), _product(high, factor), x, 0, amount)

    def shift_right(self, x: Ids, amount: int) -> Ids:
        """Return nodes for floor(x / 2**amount)."""
        amount = min(amount, 63)
        return self._add(NodeKind.SHIFT_RIGHT, self._low[x] >> amount, self._high[x] >> amount, x, 0, amount)

    def minimum(self, x: Ids, y: Ids) -> Ids:
        """Return nodes for the smaller of x and y."""
        low, high = np.minimum(self._low[x], self._low[y]), np.minimum(self._high[x], self._high[y])
        return self._add(NodeKind.MINIMUM, low, high, x, y)

    def maximum(self, x: Ids, y: Ids) -> Ids:
        """Return nodes for the larger of x and y."""
        self._chooses = True
        low, high = np.maximum(self._low[x], self._low[y]), np.maximum(self._high[x], self._high[y])
        return self._add(NodeKind.MAXIMUM, low, high, x, y)

    def clamp(self, x: Ids, low: int, high: int) -> Ids:
        """Return nodes for x limited to [low, high]."""
        return self._add(NodeKind.CLAMP, *self._clipped(x, low, high), x)

    def within(self, x: Ids, low: int, high: int) -> Ids:
        """Return nodes for x, which is known to lie in [low, high]."""
        return self._add(NodeKind.WITHIN, *self._clipped(x, low, high), x)

    def _clipped(self, x: Ids, low: int, high: int) -> tuple[Values, Values]:
        """Return both ends of each node, limited to [low, high]; np.clip takes three times as long for a few."""
        lows, highs = (np.minimum(np.maximum(ends[x], low), high) for ends in (self._low, self._high))
        return lows, highs

    def all_within(self, ids: Ids, low: int, high: int) -> bool:
        """Tell whether the intervals of all these nodes lie in [low, high]."""
        return int(_least(self._low[ids])) >= low and int(_greatest(self._high[ids])) <= high

    def _chosen_of(self, node: int) -> set[int]:
        """Return the nodes among which a maximum, or a minimum, chooses, however nested."""
        self._write_out()
        kind, found, waiting, seen = self._kind[node], set[int](), [node], {node}
        while waiting:
            at = waiting.pop()
            if self._kind[at] != kind:
                found.add(at)
                continue
            for operand in (int(self._x[at]), int(self._y[at])):
                if operand not in seen:
                    seen.add(operand)
                    waiting.append(operand)
        return found

    def reachable(self, node: int) -> list[int]:
        """Return the node and all nodes that it depends on, operands first."""
        self._write_out()
        found, waiting = {node}, [node]
        while waiting:
            for operand in self._operands(waiting.pop()):
                if operand not in found:
                    found.add(operand)
                    waiting.append(operand)
        return sorted(found)

    def _operands(self, node: int) -> tuple[int, ...]:
        kind = self._kind[node]
        if kind <= NodeKind.UNKNOWN:
            return ()
        if kind in (NodeKind.ADD, NodeKind.SUBTRACT, NodeKind.MULTIPLY, NodeKind.MINIMUM, NodeKind.MAXIMUM):
            return int(self._x[node]), int(self._y[node])
        return (int(self._x[node]),)

    def evaluate(self, order: Iterable[int], chosen: Mapping[int, int]) -> dict[int, int]:
        """Return the value of each node of `order`, operands first; inputs not `chosen` are as near 0 as possible."""
        self._write_out()
        values: dict[int, int] = {}
        for node in order:
            low, high = int(self._low[node]), int(self._high[node])
            x = values.get(int(self._x[node]), 0)
            y = values.get(int(self._y[node]), 0)
            amount = int(self._amount[node])
            match self._kind[node]:
                case NodeKind.CONSTANT | NodeKind.UNKNOWN:
                    value = min(max(0, low), high)
                case NodeKind.INPUT:
                    value = chosen.get(node, min(max(0, low), high))
                case NodeKind.ADD:
                    value = x + y
                case NodeKind.SUBTRACT:
                    value = x - y
                case NodeKind.MULTIPLY:
                    value = x * y
                case NodeKind.NEGATE:
                    value = -x
                case NodeKind.MAGNITUDE:
                    value = abs(x)
                case NodeKind.SHIFT_LEFT:
                    value = x << amount
                case NodeKind.SHIFT_RIGHT:
                    value = x >> amount
                case NodeKind.MINIMUM:
                    value = min(x, y)
                case NodeKind.MAXIMUM:
                    value = max(x, y)
                case NodeKind.CLAMP:
                    value = min(max(x, low), high)
                case _:
                    value = x
            values[node] = value
        return values

    def wishes(self, node: int, highest: bool) -> dict[int, list[int]]:
        """Return the values that each input should have to make `node` highest (or lowest), one for each use.

        The node is walked backwards: each operand is asked for the end of its interval that the result needs.
        """
        self._write_out()
        found: dict[int, list[int]] = {}
        waiting = [(node, highest)]
        while waiting:
            at, up = waiting.pop()
            x, y = int(self._x[at]), int(self._y[at])
            match self._kind[at]:
                case NodeKind.CONSTANT | NodeKind.UNKNOWN:
                    continue
                case NodeKind.INPUT:
                    found.setdefault(at, []).append(int(self._high[at] if up else self._low[at]))
                case NodeKind.ADD | NodeKind.MINIMUM | NodeKind.MAXIMUM:
                    waiting += [(x, up), (y, up)]
                case NodeKind.SUBTRACT:
                    waiting += [(x, up), (y, not up)]
                case NodeKind.MULTIPLY:
                    waiting += self._corner(x, y, up)
                case NodeKind.NEGATE:
                    waiting.append((x, not up))
                case NodeKind.MAGNITUDE:
                    larger = abs(int(self._high[x])) >= abs(int(self._low[x]))
                    waiting.append((x, larger == up))
                case _:
                    waiting.append((x, up))
            if len(waiting) > 1 << 16:
                break  # an expression with so many shared operands is no sum of products
        return found

    def _corner(self, x: int, y: int, up: bool) -> list[tuple[int, bool]]:
        """Return the ends of two factors that give the highest, or lowest, product."""
        ends = [(a, b) for a in (False, True) for b in (False, True) if x != y or a == b]

        def product(choice: tuple[bool, bool]) -> int:
            a, b = choice
            return int(self._high[x] if a else self._low[x]) * int(self._high[y] if b else self._low[y])

        a, b = max(ends, key=product) if up else min(ends, key=product)
        return [(x, a), (y, b)]
