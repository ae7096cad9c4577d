"""Apply bitwise operations to expressions, in compiled code: masks choose, and most others are arithmetic.

All operands are signed numbers of a lane, and so are the results, but for multiples of the lane's size.
"""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import (
    add,
    constant,
    highest_of_lane,
    lowest_of_lane,
    new,
    power,
    scale,
    select,
    shift_right,
    subtract,
)
from neonlab.prove.expressions.operation import AND as BITS_AND
from neonlab.prove.expressions.operation import CONSTANT
from neonlab.prove.expressions.operation import EXCLUSIVE_OR as BITS_EXCLUSIVE_OR
from neonlab.prove.expressions.operation import OR as BITS_OR
from neonlab.prove.kernel import families as family


@compiled
def is_mask(nodes: Any, x: int) -> bool:
    """Tell whether x is 0 or -1."""
    return bool(nodes[x].low >= -1 and nodes[x].high <= 0)


@compiled
def bits_and(nodes: Any, size: Any, x: int, y: int, bits: int) -> int:
    """Return the bits that x and y, signed numbers of a lane, both have."""
    if nodes[x].operation == CONSTANT:
        x, y = y, x
    if is_mask(nodes, x):
        return select(nodes, size, x, y, constant(nodes, size, 0))
    if is_mask(nodes, y):
        return select(nodes, size, y, x, constant(nodes, size, 0))
    if nodes[y].operation == CONSTANT:
        mask = nodes[y].amount
        for width in range(1, min(bits, 62)):
            upper = power(width)
            if mask == upper - 1 or mask == -upper:
                kept = scale(nodes, size, shift_right(nodes, size, x, width), upper)
                return kept if mask == -upper else subtract(nodes, size, x, kept)
    low = 0 if nodes[x].low >= 0 or nodes[y].low >= 0 else lowest_of_lane(bits, True)
    return new(nodes, size, BITS_AND, low, highest_of_lane(bits, True), x, y, 0, 0)


@compiled
def inverted(nodes: Any, size: Any, x: int) -> int:
    """Return x with all bits inverted: -1 - x."""
    return subtract(nodes, size, constant(nodes, size, -1), x)


@compiled
def bits_or(nodes: Any, size: Any, x: int, y: int, bits: int) -> int:
    """Return the bits that x or y, signed numbers of a lane, have."""
    if nodes[x].operation == CONSTANT or is_mask(nodes, x):
        x, y = y, x
    if is_mask(nodes, y):
        return select(nodes, size, y, constant(nodes, size, -1), x)
    return new(nodes, size, BITS_OR, lowest_of_lane(bits, True), highest_of_lane(bits, True), x, y, 0, 0)


@compiled
def bits_exclusive_or(nodes: Any, size: Any, x: int, y: int, bits: int) -> int:
    """Return the bits in which x and y, signed numbers of a lane, differ."""
    if nodes[x].operation == CONSTANT or is_mask(nodes, x):
        x, y = y, x
    if nodes[y].operation == CONSTANT and nodes[y].amount == lowest_of_lane(bits, True):
        return add(nodes, size, x, y)  # the sign bit: modulo the size of the lane a sum
    if is_mask(nodes, y):
        return select(nodes, size, y, inverted(nodes, size, x), x)
    if x == y:
        return constant(nodes, size, 0)
    return new(nodes, size, BITS_EXCLUSIVE_OR, lowest_of_lane(bits, True), highest_of_lane(bits, True), x, y, 0, 0)


@compiled
def bits_choice(nodes: Any, size: Any, mask: int, x: int, y: int, bits: int) -> int:
    """Return the bits of x where the mask has ones, else those of y; all are signed numbers of a lane."""
    if is_mask(nodes, mask):
        return select(nodes, size, mask, x, y)
    return bits_or(
        nodes,
        size,
        bits_and(nodes, size, x, mask, bits),
        bits_and(nodes, size, y, inverted(nodes, size, mask), bits),
        bits,
    )


@compiled
def bitwise(nodes: Any, size: Any, kind: int, a: int, b: int, c: int, bits: int) -> int:
    """Return the result of a bitwise family; a, b and c are its sources as signed numbers of a lane."""
    if kind == family.AND:
        return bits_and(nodes, size, a, b, bits)
    if kind == family.ORR:
        return a if a == b else bits_or(nodes, size, a, b, bits)
    if kind == family.EOR:
        return bits_exclusive_or(nodes, size, a, b, bits)
    if kind == family.BIC:
        return bits_and(nodes, size, a, inverted(nodes, size, b), bits)
    if kind == family.ORN:
        return bits_or(nodes, size, a, inverted(nodes, size, b), bits)
    if kind == family.NOT:
        return inverted(nodes, size, a)
    if kind == family.BSL:
        return bits_choice(nodes, size, a, b, c, bits)
    if kind == family.BIT:
        return bits_choice(nodes, size, c, b, a, bits)
    return bits_choice(nodes, size, c, a, b, bits)
