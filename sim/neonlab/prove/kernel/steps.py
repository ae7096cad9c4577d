"""Carry out the steps of an instruction on general registers, in compiled code."""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import add, constant, minimum, power, scale, shift_right, subtract, wrap
from neonlab.prove.expressions.operation import LIMIT
from neonlab.prove.kernel.cells import forget, read, read_raw, write
from neonlab.prove.kernel.conditions import TOO_WIDE
from neonlab.prove.kernel.families import SHIFT_LEFT_BY
from neonlab.prove.kernel.lanes import BITS, SIGNED, START, shifted_by
from neonlab.prove.kernel.places import FROM_AT, SIGNED_AT, WIDTH_AT


@compiled
def _amount(nodes: Any, size: Any, cells: Any, values: Any, bits: int, source: Any) -> int:
    """Return by how much to shift: A32 takes the low byte of a register, A64 the low 5 or 6 bits."""
    if source[BITS] == 8:
        found = read(nodes, size, cells, values, source[START], 8, False)
        return minimum(nodes, size, found, constant(nodes, size, bits))
    found = read_raw(nodes, size, cells, values, source[START], source[BITS] // 8)
    return wrap(nodes, size, found, 6 if bits == 64 else 5, False)


@compiled
def shift_by_register(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any) -> int:
    """Write a register shifted by the amount in another one; return 0, or TOO_WIDE where it may exceed 63 bits."""
    before, width = size[0], operation.bits // 8
    amount = _amount(nodes, size, cells, values, operation.bits, sources[1])
    if operation.family == SHIFT_LEFT_BY:
        x = read_raw(nodes, size, cells, values, sources[0, START], width)
    else:
        x = read(nodes, size, cells, values, sources[0, START], operation.bits, sources[0, SIGNED] != 0)
        amount = scale(nodes, size, amount, -1)
    found = shifted_by(nodes, size, x, amount, operation)
    for at in range(before, size[0]):
        if nodes[at].low <= -LIMIT or nodes[at].high >= LIMIT:
            return TOO_WIDE
    write(cells, operation.start, width, found)
    forget(cells, operation.start + width, operation.clear_end)
    return 0


@compiled
def move_field(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any) -> int:
    """Write a field of bits of the last source to a place; return 0, or TOO_WIDE where a number may exceed 63 bits.

    Beside it stand the bits of the first of two sources, or zeros; above it its sign, if it has one.  The field is the
    same whatever multiple of the register's size is added to what it is taken from, and so is what is left beside it.
    """
    before, register, immediate = size[0], operation.bits // 8, operation.immediate
    to, low, width = immediate & 255, immediate >> FROM_AT & 255, immediate >> WIDTH_AT & 255
    last = operation.sources - 1
    x = read_raw(nodes, size, cells, values, sources[last, START], register)
    field = wrap(nodes, size, shift_right(nodes, size, x, low), width, immediate >> SIGNED_AT != 0)
    if last > 0:
        x = read_raw(nodes, size, cells, values, sources[0, START], register)
        field = subtract(nodes, size, field, wrap(nodes, size, shift_right(nodes, size, x, to), width, False))
    found = scale(nodes, size, field, power(to)) if to < 62 else field
    if last > 0:
        found = add(nodes, size, x, found)
    for at in range(before, size[0]):
        if to > 61 or nodes[at].low <= -LIMIT or nodes[at].high >= LIMIT:
            return TOO_WIDE
    write(cells, operation.start, register, found)
    forget(cells, operation.start + register, operation.clear_end)
    return 0
