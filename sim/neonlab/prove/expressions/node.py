"""Make nodes of expressions in compiled code: one row of a table each, with the interval of its values.

Every function takes the table `nodes` (NODE records) and `size` (int64[2]: the rows in use, and 1 where sums are known
by fingerprints), and returns the number of a node.  Operands come before results.  Where all operands are constants, or
an operand does not change anything, no node is made.  The caller sees to it that the table has room.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.bounds import product_held as product_held
from neonlab.prove.expressions.bounds import sum_held as sum_held
from neonlab.prove.expressions.operation import (
    ADD,
    CONSTANT,
    FLOAT_ADD,
    FLOAT_EQUAL,
    FLOAT_LESS,
    INPUT,
    INTEGER_OF,
    LIMIT,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    SCALE,
    SELECT,
    SHIFT_RIGHT,
    SUBTRACT,
    WRAP,
    ZERO,
)
from neonlab.prove.expressions.sums import is_polynomial, product_of, scaled_sum, sum_of

#: `z` of an input element that is a float and a number: neither infinite nor NaN.
IS_NUMBER = 1
#: What a node and an atom of a polynomial are made of: an operation, its operands, and the interval of its values.
OPERATION_FIELDS = [
    ("low", np.int64),
    ("high", np.int64),
    ("amount", np.int64),
    ("x", np.int32),
    ("y", np.int32),
    ("z", np.int32),
    ("operation", np.int32),
]
NODE = np.dtype(
    [
        *OPERATION_FIELDS,
        # What `neonlab.prove.expressions.sums` says of a sum or an input element.
        ("first", np.uint64),
        ("second", np.uint64),
        ("third", np.uint64),
        ("value", np.int64),
        ("factor", np.int64),
        ("norm", np.float64),
        ("degree", np.int32),
        ("sources", np.int32),
    ]
)


@compiled
def power(exponent: int) -> int:
    """Return 2**exponent, for exponents up to 62."""
    return int(np.int64(1) << exponent)


@compiled
def new(nodes: Any, size: Any, operation: int, low: int, high: int, x: int, y: int, z: int, amount: int) -> int:
    """Append a node."""
    at = int(size[0])
    node = nodes[at]
    node.operation = operation
    node.low = low
    node.high = high
    node.x = x
    node.y = y
    node.z = z
    node.amount = amount
    size[0] = at + 1
    return at


@compiled
def constant(nodes: Any, size: Any, value: int) -> int:
    """Return a node for a number within LIMIT."""
    return new(nodes, size, CONSTANT, value, value, 0, 0, 0, value)


@compiled
def element(nodes: Any, size: Any, number: int, low: int, high: int, kind: int) -> int:
    """Return a node for input element `number`, which lies from `low` to `high`; `kind` is IS_NUMBER or 0."""
    at = new(nodes, size, INPUT, low, high, 0, 0, kind, number)
    nodes[at].degree = 0  # it has no fingerprint, unless its table gives it one
    return at


@compiled
def in_a_row(nodes: Any, size: Any, held: Any, count: int) -> int:
    """Return the first of `count` nodes in a row that equal those `held`: these, if they are so, else copies.

    The elements of an input are so.  A look-up in a table of these takes no nodes for the table, then.
    """
    first = held[0]
    for entry in range(count):
        if held[entry] != first + entry:
            first = size[0]
            for each in range(count):
                nodes[size[0]] = nodes[held[each]]
                size[0] += 1
            break
    return int(first)


@compiled
def is_constant(nodes: Any, x: int) -> bool:
    """Tell whether a node is a number."""
    return bool(nodes[x].operation == CONSTANT)


@compiled
def scale(nodes: Any, size: Any, x: int, by: int) -> int:
    """Return x times the number `by`."""
    if by == 1:
        return x
    a, b = product_held(nodes[x].low, by), product_held(nodes[x].high, by)
    if by == 0 or (nodes[x].operation == CONSTANT and abs(a) < LIMIT):
        return constant(nodes, size, a)
    if is_polynomial(nodes, size, x) and nodes[x].operation != CONSTANT:
        found = scaled_sum(nodes, size, x, by, min(a, b), max(a, b))
        if found >= 0:
            return found
    return new(nodes, size, SCALE, min(a, b), max(a, b), x, 0, 0, by)


@compiled
def add(nodes: Any, size: Any, x: int, y: int) -> int:
    """Return x + y."""
    if nodes[x].operation == CONSTANT and nodes[x].amount == 0:
        return y
    if nodes[y].operation == CONSTANT and nodes[y].amount == 0:
        return x
    low, high = sum_held(nodes[x].low, nodes[y].low), sum_held(nodes[x].high, nodes[y].high)
    if nodes[x].operation == CONSTANT and nodes[y].operation == CONSTANT and abs(low) < LIMIT:
        return constant(nodes, size, low)
    if is_polynomial(nodes, size, x) and is_polynomial(nodes, size, y):
        found = sum_of(nodes, size, x, y, 1, low, high)
        if found >= 0:
            return found
    return new(nodes, size, ADD, low, high, x, y, 0, 0)


@compiled
def subtract(nodes: Any, size: Any, x: int, y: int) -> int:
    """Return x - y."""
    if nodes[y].operation == CONSTANT and nodes[y].amount == 0:
        return x
    low, high = sum_held(nodes[x].low, -nodes[y].high), sum_held(nodes[x].high, -nodes[y].low)
    if nodes[x].operation == CONSTANT and nodes[y].operation == CONSTANT and abs(low) < LIMIT:
        return constant(nodes, size, low)
    if is_polynomial(nodes, size, x) and is_polynomial(nodes, size, y):
        found = sum_of(nodes, size, x, y, -1, low, high)
        if found >= 0:
            return found
    return new(nodes, size, SUBTRACT, low, high, x, y, 0, 0)


@compiled
def multiply(nodes: Any, size: Any, x: int, y: int) -> int:
    """Return x * y."""
    if nodes[y].operation == CONSTANT:
        return scale(nodes, size, x, nodes[y].amount)
    if nodes[x].operation == CONSTANT:
        return scale(nodes, size, y, nodes[x].amount)
    a, b = product_held(nodes[x].low, nodes[y].low), product_held(nodes[x].low, nodes[y].high)
    c, d = product_held(nodes[x].high, nodes[y].low), product_held(nodes[x].high, nodes[y].high)
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y:
        low = 0 if nodes[x].low <= 0 <= nodes[x].high else min(a, d)
    if is_polynomial(nodes, size, x) and is_polynomial(nodes, size, y):
        found = product_of(nodes, size, x, y, low, high)
        if found >= 0:
            return found
    return new(nodes, size, MULTIPLY, low, high, x, y, 0, 0)


@compiled
def shift_right(nodes: Any, size: Any, x: int, by: int) -> int:
    """Return the floor of x / 2**by."""
    if by == 0:
        return x
    low, high = nodes[x].low, nodes[x].high
    low, high = (low if low == -LIMIT else low >> min(by, 63)), (high if high == LIMIT else high >> min(by, 63))
    if low == high and abs(low) < LIMIT:
        return constant(nodes, size, low)
    return new(nodes, size, SHIFT_RIGHT, low, high, x, 0, 0, by)


@compiled
def minimum(nodes: Any, size: Any, x: int, y: int) -> int:
    """Return the smaller of x and y."""
    if (nodes[x].high <= nodes[y].low and nodes[x].high < LIMIT) or x == y:
        return x
    if nodes[y].high <= nodes[x].low and nodes[y].high < LIMIT:
        return y
    low, high = min(nodes[x].low, nodes[y].low), min(nodes[x].high, nodes[y].high)
    return new(nodes, size, MINIMUM, low, high, x, y, 0, 0)


@compiled
def maximum(nodes: Any, size: Any, x: int, y: int) -> int:
    """Return the greater of x and y."""
    if (nodes[x].low >= nodes[y].high and nodes[x].low > -LIMIT) or x == y:
        return x
    if nodes[y].low >= nodes[x].high and nodes[y].low > -LIMIT:
        return y
    low, high = max(nodes[x].low, nodes[y].low), max(nodes[x].high, nodes[y].high)
    return new(nodes, size, MAXIMUM, low, high, x, y, 0, 0)


@compiled
def clamp(nodes: Any, size: Any, x: int, low: int, high: int) -> int:
    """Return x limited to the numbers `low` and `high`."""
    if nodes[x].low < low:
        x = maximum(nodes, size, x, constant(nodes, size, low))
    if nodes[x].high > high:
        x = minimum(nodes, size, x, constant(nodes, size, high))
    return x


@compiled
def lowest_of_lane(bits: int, signed: bool) -> int:
    """Return the lowest number that a lane holds."""
    return -(1 << bits - 1) if signed else 0


@compiled
def highest_of_lane(bits: int, signed: bool) -> int:
    """Return the highest number that a lane holds; LIMIT where that is beyond it."""
    if bits >= 64:
        return LIMIT
    return (1 << bits - 1) - 1 if signed else (1 << bits) - 1


@compiled
def select(nodes: Any, size: Any, condition: int, x: int, y: int) -> int:
    """Return x if the condition is not 0, else y."""
    if nodes[condition].low > 0 or nodes[condition].high < 0 or x == y:
        return x
    if nodes[condition].operation == CONSTANT:
        return y
    low, high = min(nodes[x].low, nodes[y].low), max(nodes[x].high, nodes[y].high)
    return new(nodes, size, SELECT, low, high, condition, x, y, 0)


@compiled
def _wrap_alone(nodes: Any, size: Any, x: int, bits: int, signed: bool) -> int:
    """Return `wrap` without a look at what x is made of."""
    low, high = nodes[x].low, nodes[x].high
    if bits >= 64 and low > -LIMIT and high < LIMIT and (signed or low >= 0):
        return x
    if bits < 62 and low > -LIMIT and high < LIMIT:
        least, most = lowest_of_lane(bits, signed), highest_of_lane(bits, signed)
        if least <= low and high <= most:
            return x
        turns = (low - least) >> bits
        if high - (turns << bits) <= most:
            return add(nodes, size, x, constant(nodes, size, -(turns << bits)))
    least, most = lowest_of_lane(bits, signed), highest_of_lane(bits, signed)
    if bits >= 62:
        least, most = -LIMIT, LIMIT
    return new(nodes, size, WRAP, least, most, x, 0, 0, 2 * bits + (1 if signed else 0))


@compiled
def wrap(nodes: Any, size: Any, x: int, bits: int, signed: bool) -> int:
    """Return the number of a lane that equals x modulo 2**bits: x less a multiple, if its interval then fits.

    Of a choice both sides are brought into the lane: compilers choose among bytes without a sign, and extend later.
    """
    one = nodes[x]
    held = one.low >= lowest_of_lane(bits, signed) and one.high <= highest_of_lane(bits, signed)
    if one.operation == SELECT and bits <= 32 and not held:
        condition, other = one.x, one.z
        taken = _wrap_alone(nodes, size, one.y, bits, signed)
        return select(nodes, size, condition, taken, _wrap_alone(nodes, size, other, bits, signed))
    return _wrap_alone(nodes, size, x, bits, signed)


@compiled
def negative(nodes: Any, size: Any, x: int) -> int:
    """Return 1 if x < 0, else 0."""
    if nodes[x].high < 0:
        return constant(nodes, size, 1)
    if nodes[x].low >= 0:
        return constant(nodes, size, 0)
    return new(nodes, size, NEGATIVE, 0, 1, x, 0, 0, 0)


@compiled
def zero(nodes: Any, size: Any, x: int) -> int:
    """Return 1 if x = 0, else 0."""
    if nodes[x].low > 0 or nodes[x].high < 0:
        return constant(nodes, size, 0)
    if nodes[x].operation == CONSTANT:
        return constant(nodes, size, 1)
    return new(nodes, size, ZERO, 0, 1, x, 0, 0, 0)


@compiled
def magnitude(nodes: Any, size: Any, x: int) -> int:
    """Return the distance of x from 0, which is 0 at least: the interval of a maximum alone begins below."""
    found = maximum(nodes, size, x, scale(nodes, size, x, -1))
    if nodes[found].operation == MAXIMUM:
        nodes[found].low = max(nodes[found].low, 0)
    return found


@compiled
def _range_of(operation: int, amount: int) -> tuple[int, int]:
    """Return the range of an operation that is not simplified: truth values, bits of a float32, or anything."""
    if operation in (FLOAT_LESS, FLOAT_EQUAL):
        return 0, 1
    if operation == INTEGER_OF:
        return lowest_of_lane(32, amount < 8), highest_of_lane(32, amount < 8)
    if operation >= FLOAT_ADD:
        return 0, (1 << 32) - 1
    return -LIMIT, LIMIT


@compiled
def made(nodes: Any, size: Any, operation: int, x: int, y: int, z: int, amount: int) -> int:
    """Return the node of any operation but CONSTANT and INPUT."""
    if operation == ADD:
        return add(nodes, size, x, y)
    if operation == SUBTRACT:
        return subtract(nodes, size, x, y)
    if operation == MULTIPLY:
        return multiply(nodes, size, x, y)
    if operation == SCALE:
        return scale(nodes, size, x, amount)
    if operation == SHIFT_RIGHT:
        return shift_right(nodes, size, x, amount)
    if operation == MINIMUM:
        return minimum(nodes, size, x, y)
    if operation == MAXIMUM:
        return maximum(nodes, size, x, y)
    if operation == WRAP:
        return wrap(nodes, size, x, amount >> 1, amount & 1 == 1)
    if operation == NEGATIVE:
        return negative(nodes, size, x)
    if operation == ZERO:
        return zero(nodes, size, x)
    if operation == SELECT:
        return select(nodes, size, x, y, z)
    low, high = _range_of(operation, amount)
    return new(nodes, size, operation, low, high, x, y, z, amount)
