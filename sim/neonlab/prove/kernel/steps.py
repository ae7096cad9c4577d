"""Carry out the steps of an instruction on general registers, in compiled code."""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import constant, minimum, scale, wrap
from neonlab.prove.expressions.operation import LIMIT
from neonlab.prove.kernel.cells import forget, read, read_raw, write
from neonlab.prove.kernel.conditions import TOO_WIDE
from neonlab.prove.kernel.families import SHIFT_LEFT_BY
from neonlab.prove.kernel.lanes import BITS, SIGNED, START, shifted_by


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
