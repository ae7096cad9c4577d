"""Keep a growing table of expressions, and make nodes for whole arrays of operands.

A node is a row of the table, known by its number; `neonlab.prove.expressions.node` says what the rows mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import native_call
from neonlab.prove.expressions import node as make
from neonlab.prove.expressions.operation import Operation

Ids = npt.NDArray[np.int32]
_FIRST_ROWS = 1 << 12
#: Most nodes that one call makes for an element.
_NODES_AN_ELEMENT = 8


class ExpressionTable:
    """A table of nodes.  `nodes` has room for more rows than are in use; `size` (int64[1]) counts those in use.

    Node 0 is the number 0.  `inputs` counts the input elements.
    """

    def __init__(self) -> None:
        self.nodes = np.zeros(_FIRST_ROWS, make.NODE)
        self.size = np.zeros(1, np.int64)
        self.inputs = 0
        self.constants(np.zeros(1, np.int64))

    def __len__(self) -> int:
        return int(self.size[0])

    def reserve(self, rows: int) -> None:
        """Make room for so many further rows."""
        needed = len(self) + rows
        if needed > len(self.nodes):
            grown = np.zeros(max(needed, 2 * len(self.nodes)), make.NODE)
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

    def elements(self, count: int, low: int, high: int) -> Ids:
        """Return nodes for `count` new input elements, which lie from `low` to `high`."""
        self.reserve(count)
        found = np.zeros(count, np.int32)
        _elements(self.nodes, self.size, self.inputs, low, high, found)
        self.inputs += count
        return found

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
        self.reserve(ids.size + len(rows))
        _sums(self.nodes, self.size, found, rows)
        return found.reshape(ids.shape[:-1])

    def products(self, left: Ids, right: Ids) -> Ids:
        """Return nodes for the matrix product of [m, k] and [k, n]."""
        found = np.zeros((left.shape[0], right.shape[1]), np.int32)
        self.reserve(2 * left.size * right.shape[1] + found.size)
        _products(self.nodes, self.size, found, np.ascontiguousarray(left), np.ascontiguousarray(right))
        return found


@native_call
def _constants(nodes: Any, size: Any, values: Any, found: Any) -> None:
    for at in range(len(values)):
        found[at] = make.constant(nodes, size, values[at])


@native_call
def _elements(nodes: Any, size: Any, first: int, low: int, high: int, found: Any) -> None:
    for at in range(len(found)):
        found[at] = make.element(nodes, size, first + at, low, high)


@native_call
def _sums(nodes: Any, size: Any, found: Any, rows: Any) -> None:
    for row in range(rows.shape[0]):
        total = make.constant(nodes, size, 0)
        for at in range(rows.shape[1]):
            total = make.add(nodes, size, total, rows[row, at])
        found[row] = total


@native_call
def _products(nodes: Any, size: Any, found: Any, left: Any, right: Any) -> None:
    for row in range(left.shape[0]):
        for column in range(right.shape[1]):
            total = make.constant(nodes, size, 0)
            for at in range(left.shape[1]):
                total = make.add(nodes, size, total, make.multiply(nodes, size, left[row, at], right[at, column]))
            found[row, column] = total


@native_call
def _apply(nodes: Any, size: Any, operation: int, found: Any, x: Any, y: Any, z: Any, amount: Any) -> None:
    for at in range(len(found)):
        found[at] = make.made(nodes, size, operation, x[at], y[at], z[at], amount[at])
