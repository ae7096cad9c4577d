"""Evaluate expressions for given values of the input elements, and find the elements that an expression depends on.

Values are int64; a number beyond 64 bits is held modulo 2^64.  Floats are computed on their bits as the architecture
does in its default mode: to the nearest, ties to even, denormals kept, -0 below +0 in minimum and maximum.  Each NaN
that is computed is 0x7FC00000.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import Integer, Record, native_call
from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import NODE
from neonlab.prove.expressions.operation import (
    ADD,
    AND,
    CONSTANT,
    DIVIDE,
    ENTRY,
    EXCLUSIVE_OR,
    FLOAT_ADD,
    FLOAT_DIVIDE,
    FLOAT_EQUAL,
    FLOAT_FLUSH,
    FLOAT_FUSED,
    FLOAT_LESS,
    FLOAT_MAXIMUM,
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
    OR,
    SCALE,
    SELECT,
    SHIFT_BY,
    SHIFT_RIGHT,
    SUBTRACT,
    SUM,
    WRAP,
    ZERO,
)
from neonlab.prove.expressions.sums import CONSUMED
from neonlab.prove.expressions.table import ExpressionTable, Ids

Values = npt.NDArray[np.int64]
_NAN = 0x7FC00000


def evaluate(table: ExpressionTable, ids: Ids, values: Values) -> Values:
    """Return the values of nodes, [draw, *shape of ids], for `values` of all input elements, [draw, element].

    Sums without operands have their values at the recorded case alone: a table with them takes no other draw.
    """
    flat = np.ascontiguousarray(ids, np.int64).reshape(-1)
    needed = _needed(table, flat)
    bits = np.zeros(4, np.uint32)
    found = np.zeros((len(values), flat.size), np.int64)
    scratch = np.zeros(needed.size, np.int64)
    elements = np.ascontiguousarray(values, np.int64)
    _evaluate(table.nodes, needed, elements, scratch, bits, bits.view(np.float32), flat, found)
    return found.reshape(len(values), *ids.shape)


def elements_of(table: ExpressionTable, ids: Ids) -> npt.NDArray[np.int64]:
    """Return the numbers of the input elements that any of the nodes depends on, in order.

    Sums without operands name no element: `consumed` has those that sums were made of.
    """
    rows = table.nodes[reached_from(table, ids)]
    return np.sort(rows["amount"][rows["operation"] == INPUT])


def consumed(table: ExpressionTable) -> npt.NDArray[np.int64]:
    """Return the numbers of the input elements that sums without operands were made of so far."""
    rows = table.nodes[: len(table)]
    found = (rows["operation"] == INPUT) & (rows["sources"] & CONSUMED != 0)
    return np.sort(rows["amount"][found])


def reached_from(table: ExpressionTable, ids: Ids) -> npt.NDArray[np.int64]:
    """Return the nodes, and those that they depend on, in order; node 0 may be among them without need."""
    return np.flatnonzero(_needed(table, np.ascontiguousarray(ids, np.int64).reshape(-1)))


def _needed(table: ExpressionTable, flat: Values) -> npt.NDArray[np.bool_]:
    """Return for each node up to the greatest of `flat` whether one of these depends on it."""
    needed = np.zeros(int(flat.max(initial=0)) + 1, np.bool_)
    needed[flat] = True
    _mark(table.nodes, needed)
    return needed


@native_call
def _mark(nodes: Any, needed: Any) -> None:
    for at in range(len(needed) - 1, -1, -1):
        if needed[at]:
            node = nodes[at]
            operation = node.operation
            if operation != CONSTANT and operation != INPUT:
                # Operands that an operation does not have are node 0, which is cheap to compute.
                needed[node.x] = True
                needed[node.y] = True
                needed[node.z] = True
                if operation == ENTRY:
                    for entry in range(node.amount):
                        needed[node.x + entry] = True


@compiled
def _wrapped(x: int, bits: int, signed: bool) -> int:
    if bits >= 64:
        return x
    low = x & ((1 << bits) - 1)
    if signed and low >> (bits - 1):
        return low - (1 << bits)
    return low


@compiled
def _shifted(x: int, by: int, rounds: bool) -> int:
    if by >= 0:
        return x << by if by < 64 else 0
    right = min(-by, 64)
    if rounds:
        return ((x >> (right - 1)) + 1) >> 1
    return x >> min(right, 63)


@compiled
def _divided(x: int, y: int) -> int:
    """Return the quotient truncated toward 0; 0 where the divisor is 0."""
    if y == 0:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


@compiled
def _to_whole(x: float, rounding: int) -> float:
    """Return a float32, given as float64, rounded in the direction of `Rounding`."""
    if math.isnan(x) or math.isinf(x):
        return x
    if rounding == 0:
        whole = np.rint(x)
    elif rounding == 1:
        whole = np.floor(abs(x) + 0.5)
    elif rounding == 2:
        whole = np.floor(abs(x))
    elif rounding == 3:
        return math.copysign(np.floor(x), x)
    else:
        return math.copysign(np.ceil(x), x)
    return math.copysign(whole, x)


@compiled
def _to_integer(x: float, amount: int) -> int:
    if math.isnan(x):
        return 0
    whole = _to_whole(x, amount & 7)
    low, high = (-2147483648, 2147483647) if amount < 8 else (0, 4294967295)
    if whole <= low:
        return low
    if whole >= high:
        return high
    return int(whole)


@compiled
def _quotient(x: float, y: float) -> float:
    """Return x / y as the format has it: compiled code raises where y is 0."""
    if y == 0:
        if x == 0 or math.isnan(x):
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


@compiled
def _fused(x: float, y: float, z: float) -> float:
    """Return x * y + z of float32 numbers as a float64 that rounds to the right float32.

    The product is exact.  The sum is rounded to odd: where it is not exact, its last bit is 1, so that the second
    rounding sees on which side of a midpoint it lies (Boldo and Melquiond 2008).
    """
    product = x * y
    total = product + z
    if math.isnan(total) or math.isinf(total):
        return total
    part = total - product
    error = (product - (total - part)) + (z - part)
    if error != 0.0:
        fraction, exponent = math.frexp(total)
        last = fraction * 9007199254740992.0  # 2^53: a whole number
        if np.int64(last) & 1 == 0:
            last += 1.0 if error > 0 else -1.0
            total = math.ldexp(last, exponent - 53)
    return total


@compiled
def _extreme(x: float, y: float, greater: bool) -> float:
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y:
        negative = math.copysign(1.0, x) < 0
        return x if negative != greater else y
    return x if (x > y) == greater else y


@compiled
def _of_floats(node: Record, x: Integer, y: Integer, z: Integer, bits: Any, singles: Any) -> Integer:
    """Return the value of an operation on floats."""
    operation = node.operation
    if operation == FLOAT_OF:
        singles[3] = np.float32(x)
        return np.int64(bits[3])
    bits[0] = x & 0xFFFFFFFF
    bits[1] = y & 0xFFFFFFFF
    bits[2] = z & 0xFFFFFFFF
    a, b, c = np.float64(singles[0]), np.float64(singles[1]), np.float64(singles[2])
    if operation == FLOAT_FLUSH:
        return x & 0x80000000 if x & 0x7F800000 == 0 else x
    if operation == INTEGER_OF:
        return _to_integer(a, node.amount)
    if operation == FLOAT_LESS:
        return np.int64(a < b)
    if operation == FLOAT_EQUAL:
        return np.int64(a == b)
    # A float64 holds twice the bits of a float32 and two more: rounding its result once more changes nothing.
    result: Any
    if operation == FLOAT_ADD:
        result = a + b
    elif operation == FLOAT_SUBTRACT:
        result = a - b
    elif operation == FLOAT_MULTIPLY:
        result = a * b
    elif operation == FLOAT_DIVIDE:
        result = _quotient(a, b)
    elif operation == FLOAT_FUSED:
        result = _fused(a, b, c)
    elif operation == FLOAT_ROUND:
        result = _to_whole(a, node.amount)
    else:
        result = _extreme(a, b, operation == FLOAT_MAXIMUM)
    singles[3] = np.float32(result)
    return _NAN if math.isnan(result) else np.int64(bits[3])


@compiled
def value_of(node: Record, elements: Any, values: Any, bits: Any, singles: Any) -> Any:
    """Return the value of a node whose operands are in `values`."""
    operation, amount = node.operation, node.amount
    if operation == CONSTANT:
        return amount
    if operation == INPUT:
        return elements[amount]
    if operation == SUM:
        return node.value
    x, y, z = values[node.x], values[node.y], values[node.z]
    if operation == ADD:
        return x + y
    if operation == SUBTRACT:
        return x - y
    if operation == MULTIPLY:
        return x * y
    if operation == SCALE:
        return x * amount
    if operation == SHIFT_RIGHT:
        return x >> min(amount, 63)
    if operation == MINIMUM:
        return min(x, y)
    if operation == MAXIMUM:
        return max(x, y)
    if operation == WRAP:
        return _wrapped(x, amount >> 1, amount & 1 == 1)
    if operation == NEGATIVE:
        return np.int64(x < 0)
    if operation == ZERO:
        return np.int64(x == 0)
    if operation == SELECT:
        return y if x != 0 else z
    if operation == AND:
        return x & y
    if operation == OR:
        return x | y
    if operation == EXCLUSIVE_OR:
        return x ^ y
    if operation == SHIFT_BY:
        return _shifted(x, y, amount == 1)
    if operation == ENTRY:
        return values[node.x + y] if 0 <= y < amount else 0
    if operation == DIVIDE:
        return _divided(x, y)
    return _of_floats(node, x, y, z, bits, singles)


@native_call
def _evaluate(
    nodes: Any, needed: Any, elements: Any, values: Any, bits: Any, singles: Any, ids: Any, found: Any
) -> None:
    for draw in range(len(elements)):
        drawn = elements[draw]
        for at in range(len(needed)):
            if needed[at]:
                values[at] = value_of(nodes[at], drawn, values, bits, singles)
        for at in range(len(ids)):
            found[draw, at] = values[ids[at]]


def computed(operation: int, x: Values, y: Values, z: Values, amount: int) -> Values:
    """Return the results of one operation, but ENTRY, on arrays of operands, int64 of one dimension."""
    node = np.zeros(1, NODE)
    node["operation"], node["amount"], node["x"], node["y"], node["z"] = operation, amount, 0, 1, 2
    bits, found = np.zeros(4, np.uint32), np.zeros(len(x), np.int64)
    _compute(node, x, y, z, bits, bits.view(np.float32), found)
    return found


@native_call
def _compute(node: Any, x: Any, y: Any, z: Any, bits: Any, singles: Any, found: Any) -> None:
    operands = np.zeros(3, np.int64)
    for at in range(len(found)):
        operands[0] = x[at]
        operands[1] = y[at]
        operands[2] = z[at]
        found[at] = value_of(node[0], operands, operands, bits, singles)
