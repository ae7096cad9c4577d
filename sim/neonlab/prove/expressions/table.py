"""Keep a growing table of expressions, and make nodes for whole arrays of operands.

A node is a row of the table, known by its number; `neonlab.prove.expressions.node` says what the rows mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import native_call
from neonlab.prove.expressions.field import PRIME, points
from neonlab.prove.expressions.node import IS_NUMBER, NODE, add, constant, element, made, multiply
from neonlab.prove.expressions.operation import CONSTANT, ENTRY, INPUT, SUM, Operation
from neonlab.prove.expressions.sums import FINGERPRINTS, MOST_ARRAYS, alone

Ids = npt.NDArray[np.int32]
_FIRST_ROWS = 1 << 12
#: Most nodes that one call makes for an element.
_NODES_AN_ELEMENT = 8


@dataclass(frozen=True, slots=True)
class FloatSpan:
    """The finite floats, from `low` to `high`, that input elements from number `first` up to `end` lie between."""

    first: int
    end: int
    low: float
    high: float

    def bits(self) -> tuple[tuple[int, int], ...]:
        """Return the intervals of the numbers of their bits: those from +0 upwards, and those from -0 downwards."""
        sign = 1 << 31
        low, high = np.abs(np.array([self.low, self.high], np.float32)).view(np.uint32).tolist()
        above = (low if self.low > 0 else 0, high) if self.high >= 0 else None
        below = (sign + (high if self.high < 0 else 0), sign + low) if self.low <= 0 else None
        return tuple(ends for ends in (above, below) if ends is not None)


class ExpressionTable:
    """A table of nodes.  `nodes` has room for more rows than are in use; `size` (int64[2]) counts those in use.

    Node 0 is the number 0.  `inputs` counts the input elements, `arrays` the calls that made them; `spans` says of
    those that are floats where they lie.  With a seed, sums are known by fingerprints, at points that follow from the
    seed, and `size[1]` is 1: `neonlab.prove.expressions.sums` has what that means.
    """

    def __init__(self, seed: bytes | None = None) -> None:
        self.nodes = np.zeros(_FIRST_ROWS, NODE)
        self.size = np.zeros(2, np.int64)
        self.inputs = self.arrays = 0
        self._seed = seed
        self.size[FINGERPRINTS] = seed is not None
        self.spans: list[FloatSpan] = []
        self.constants(np.zeros(1, np.int64))

    @property
    def fingerprints(self) -> bool:
        """Tell whether sums are known by fingerprints."""
        return self._seed is not None

    def __len__(self) -> int:
        return int(self.size[0])

    def reserve(self, rows: int) -> None:
        """Make room for so many further rows."""
        needed = len(self) + rows
        if needed > len(self.nodes):
            grown = np.zeros(max(needed, 2 * len(self.nodes)), NODE)
            grown[: len(self)] = self.nodes[: len(self)]
            self.nodes = grown

    def low(self, ids: Ids) -> npt.NDArray[np.int64]:
        """Return the least value of each node, -LIMIT where it is not known."""
        found: npt.NDArray[np.int64] = self.nodes["low"][ids]
        return found

    def high(self, ids: Ids) -> npt.NDArray[np.int64]:
        """Return the greatest value of each node, LIMIT where it is not known."""
        found: npt.NDArray[np.int64] = self.nodes["high"][ids]
        return found

    def constants(self, values: npt.NDArray[Any]) -> Ids:
        """Return nodes for numbers, any shape."""
        numbers = np.asarray(values, np.int64, order="C")
        self.reserve(numbers.size)
        found = np.zeros(numbers.size, np.int32)
        _constants(self.nodes, self.size, numbers.reshape(-1), found)
        return found.reshape(numbers.shape)

    def elements(
        self,
        count: int,
        low: int,
        high: int,
        values: npt.NDArray[np.int64] | None = None,
        span: tuple[float, float] | None = None,
    ) -> Ids:
        """Return nodes for `count` new input elements, which lie from `low` to `high`.

        `values`, of less than 60 bits, are those of the recorded case, which a table with fingerprints keeps; 0 where
        none are given.  Those that are bits of floats may have a finite `span` that the floats lie between.
        """
        self.reserve(count)
        found = np.zeros(count, np.int32)
        _elements(self.nodes, self.size, self.inputs, low, high, 0 if span is None else IS_NUMBER, found)
        if span is not None:
            self.spans.append(FloatSpan(self.inputs, self.inputs + count, *span))
        if self._seed is not None and span is None and count:  # floats are no parts of sums
            rows = self.nodes[found[0] : found[0] + count]
            rows["first"], rows["second"] = points(self._seed, self.inputs, count)
            rows["value"] = 0 if values is None else values
            rows["third"] = np.where(rows["value"] < 0, rows["value"] + PRIME, rows["value"])
            rows["factor"], rows["norm"], rows["degree"] = 1, 1, 1
            rows["sources"] = 1 << min(self.arrays, MOST_ARRAYS - 1)
        self.inputs += count
        self.arrays += 1
        return found

    def needed_of(self, *roots: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return for each node whether it is among the roots."""
        needed = np.zeros(len(self), np.bool_)
        for ids in roots:
            needed[ids.reshape(-1)] = True
        return needed

    def drop(self, first: int, needed: npt.NDArray[np.bool_]) -> Ids:
        """Drop the nodes from `first` on that are not needed, nor operands of such; return the new numbers of all."""
        numbers = np.zeros(len(self), np.int32)
        _drop(self.nodes, self.size, max(first, 1), needed, numbers)
        return numbers

    def apply(
        self, operation: Operation, x: Ids, y: Ids | int = 0, z: Ids | int = 0, amount: npt.NDArray[Any] | int = 0
    ) -> Ids:
        """Return nodes for one operation on each element of the broadcast operands.

        Operands are node numbers, which must be given as arrays or as 0 where the operation has fewer.
        """
        arrays = np.broadcast_arrays(x, y, z, amount)
        flat = [one.astype(np.int64, order="C").reshape(-1) for one in arrays]  # copies: those are views of one element
        found = np.zeros(flat[0].size, np.int32)
        self.reserve(_NODES_AN_ELEMENT * found.size)
        _apply(self.nodes, self.size, int(operation), found, *flat)
        return found.reshape(arrays[0].shape)

    def sums(self, ids: Ids) -> Ids:
        """Return nodes for the sums along the last axis."""
        rows = np.ascontiguousarray(ids).reshape(-1, ids.shape[-1])
        found = np.zeros(len(rows), np.int32)
        row = 0
        while row < len(rows):  # most sums leave one row; where one does not, more room is made on the way
            one = 2 * ids.shape[-1] + 2
            self.reserve(one + (len(rows) - row if self.fingerprints else ids.size))
            row = _sums(self.nodes, self.size, found, rows, row)
        return found.reshape(ids.shape[:-1])

    def products(self, left: Ids, right: Ids) -> Ids:
        """Return nodes for the matrix product of [m, k] and [k, n]."""
        found = np.zeros((left.shape[0], right.shape[1]), np.int32)
        lefts, rights = np.ascontiguousarray(left), np.ascontiguousarray(right.T)
        row = 0
        while row < len(found):  # most sums of products leave one row; where one does not, there is more room next time
            self.reserve(self._room_for_products(len(found) - row, right.shape))
            row = _products(self.nodes, self.size, found, lefts, rights, row)
        return found

    def _room_for_products(self, rows: int, shape: tuple[int, ...]) -> int:
        """Return rows that the products of matrices may need at once."""
        depth, columns = shape
        one = (2 * depth + 2) * columns
        return columns * rows + one if self.fingerprints else one * rows


@native_call
def _constants(nodes: Any, size: Any, values: Any, found: Any) -> None:
    for at in range(len(values)):
        found[at] = constant(nodes, size, values[at])


@native_call
def _elements(nodes: Any, size: Any, first: int, low: int, high: int, kind: int, found: Any) -> None:
    for at in range(len(found)):
        found[at] = element(nodes, size, first + at, low, high, kind)


@native_call
def _sums(nodes: Any, size: Any, found: Any, rows: Any, row: int) -> int:
    """Make the sums of rows from a row on; return where room ended."""
    while row < rows.shape[0]:
        begin = size[0]
        if begin + rows.shape[1] + 1 > len(nodes):
            return row
        total = constant(nodes, size, 0)
        for at in range(rows.shape[1]):
            total = alone(nodes, size, begin, add(nodes, size, total, rows[row, at]))
        found[row] = total
        row += 1
    return row


@native_call
def _products(nodes: Any, size: Any, found: Any, left: Any, right: Any, row: int) -> int:
    """Make the products of rows of `left` and rows of `right`, from a row of `left` on; return where room ended."""
    depth, columns = left.shape[1], right.shape[0]
    while row < left.shape[0]:
        if size[0] + (2 * depth + 2) * columns > len(nodes):
            return row
        for column in range(columns):
            begin = size[0]
            total = constant(nodes, size, 0)
            for at in range(depth):
                product = multiply(nodes, size, left[row, at], right[column, at])
                total = alone(nodes, size, begin, add(nodes, size, total, product))
            found[row, column] = total
        row += 1
    return row


@native_call
def _apply(nodes: Any, size: Any, operation: int, found: Any, x: Any, y: Any, z: Any, amount: Any) -> None:
    for at in range(len(found)):
        found[at] = made(nodes, size, operation, x[at], y[at], z[at], amount[at])


@native_call
def _drop(nodes: Any, size: Any, first: int, needed: Any, numbers: Any) -> None:
    """Drop the nodes from `first` on that are neither `needed` (bool, one a row) nor operands of such.

    The others move down in their order, so that the entries of a look-up stay in a row.  `numbers` (int32, one a row)
    takes the new number of each node, -1 of those that were dropped.
    """
    end = size[0]
    for at in range(end - 1, first - 1, -1):
        if needed[at]:
            node = nodes[at]
            operation = node.operation
            if operation != CONSTANT and operation != INPUT and operation != SUM:
                needed[node.x] = True
                needed[node.y] = True
                needed[node.z] = True
                if operation == ENTRY:
                    for entry in range(node.amount):
                        needed[node.x + entry] = True
    for at in range(first):
        numbers[at] = at
    kept = first
    for at in range(first, end):
        numbers[at] = -1
        if needed[at]:
            nodes[kept] = nodes[at]
            node = nodes[kept]
            operation = node.operation
            if operation != CONSTANT and operation != INPUT and operation != SUM:
                node.x = np.int32(numbers[node.x])
                node.y = np.int32(numbers[node.y])
                node.z = np.int32(numbers[node.z])
            numbers[at] = kept
            kept += 1
    size[0] = kept
