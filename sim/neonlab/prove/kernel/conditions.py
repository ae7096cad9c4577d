"""Decide conditions that depend on the inputs, in compiled code: flags are what was compared, not four bits.

The operands of the instruction that set the flags are kept.  A condition on them is then one comparison: after `cmp a,
b`, `lt` is a < b as signed numbers and `lo` as unsigned ones (DDI 0487, C1.2.4).  So a clamp that is a comparison and a
choice is a minimum or a maximum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.operands import ALWAYS, holds
from neonlab.prove.expressions.node import add, constant, negative, power, select, subtract, wrap, zero
from neonlab.prove.expressions.operation import CONSTANT, LIMIT
from neonlab.prove.kernel.cells import PLAIN, forget, read, read_raw, write
from neonlab.prove.kernel.places import GUARD, LEFT, RIGHT

#: State of a replay that survives a pause: the next step, how many sums may leave their lane, what the flags are, of
#: how many bits, in which flags a comparison that was not made leaves them, 1 where the status depends on inputs, and 1
#: where flags ever did.
STEP, SUSPECTS, FLAGS_ARE, FLAGS_BITS, FLAGS_ELSE, STATUS_DEPENDS, FLAGS_DEPENDED = range(7)
STATE_SIZE = 7
#: What the flags are: numbers; those of a difference, of a sum, or of bits, where C and V are 0 or where only N and Z
#: are known; numbers in N and Z alone; nothing that is known.
NUMBERS, OF_DIFFERENCE, OF_SUM, OF_BITS, SIGN_OF_BITS, SIGN_IN_NUMBERS, UNKNOWN = range(7)
#: Conditions without their last bit, which turns them round.
_EQ, _HS, _MI, _VS, _HI, _GE = range(6)
#: Answers in place of a node.
NO_TRUTH, TOO_WIDE = -1, -2
#: A comparison in `immediate`: what it makes of the flags, its condition and its flags where that does not hold.
CONDITION_AT, ELSE_AT = 8, 16


@compiled
def are_numbers(state: Any, condition: int) -> bool:
    """Tell whether the flags that a condition reads do not depend on the inputs."""
    if state[FLAGS_ARE] == SIGN_IN_NUMBERS:
        return condition >> 1 in (_EQ, _MI)
    return bool(state[FLAGS_ARE] == NUMBERS)


@compiled
def _opposite(nodes: Any, size: Any, truth: int) -> int:
    """Return 1 for 0 and 0 for 1."""
    return subtract(nodes, size, constant(nodes, size, 1), truth)


@compiled
def _overflow(nodes: Any, size: Any, exact: int, bits: int) -> int:
    """Return 1 where a signed lane does not hold a number."""
    held = wrap(nodes, size, exact, bits, True)
    return _opposite(nodes, size, zero(nodes, size, subtract(nodes, size, exact, held)))


@compiled
def _of_difference(nodes: Any, size: Any, kind: int, a: int, b: int, bits: int) -> int:
    """Return 1 where the flags of a - b meet a condition, else 0."""
    if kind == _MI:
        return negative(nodes, size, wrap(nodes, size, subtract(nodes, size, a, b), bits, True))
    signed = kind not in (_HS, _HI)
    a, b = wrap(nodes, size, a, bits, signed), wrap(nodes, size, b, bits, signed)
    if kind == _EQ:
        return zero(nodes, size, subtract(nodes, size, a, b))
    if kind == _VS:
        return _overflow(nodes, size, subtract(nodes, size, a, b), bits)
    if kind in (_HS, _GE):
        return _opposite(nodes, size, negative(nodes, size, subtract(nodes, size, a, b)))
    return negative(nodes, size, subtract(nodes, size, b, a))


@compiled
def _of_sum(nodes: Any, size: Any, kind: int, a: int, b: int, bits: int) -> int:
    """Return 1 where the flags of a + b meet a condition, else 0."""
    if kind in (_EQ, _MI):
        total = wrap(nodes, size, add(nodes, size, a, b), bits, True)
        return zero(nodes, size, total) if kind == _EQ else negative(nodes, size, total)
    signed = kind not in (_HS, _HI)
    if not signed and bits > 32:
        return TOO_WIDE
    a, b = wrap(nodes, size, a, bits, signed), wrap(nodes, size, b, bits, signed)
    total = add(nodes, size, a, b)
    if kind == _VS:
        return _overflow(nodes, size, total, bits)
    if kind == _GE:
        return _opposite(nodes, size, negative(nodes, size, total))
    # The carry is set from 2**bits on, and Z too at 2**bits.  Signed, the sum is above 0: at -2**bits Z is set.
    most = 0 if signed else power(bits) - (1 if kind == _HS else 0)
    return negative(nodes, size, subtract(nodes, size, constant(nodes, size, most), total))


@compiled
def _of_bits(nodes: Any, size: Any, kind: int, x: int, bits: int) -> int:
    """Return 1 where the flags of a bitwise result meet a condition, else 0: C and V are 0."""
    if kind in (_HS, _VS, _HI):
        return constant(nodes, size, 0)
    x = wrap(nodes, size, x, bits, True)
    if kind == _EQ:
        return zero(nodes, size, x)
    if kind == _MI:
        return negative(nodes, size, x)
    if kind == _GE:
        return _opposite(nodes, size, negative(nodes, size, x))
    return negative(nodes, size, subtract(nodes, size, constant(nodes, size, 0), x))


@compiled
def truth(nodes: Any, size: Any, cells: Any, state: Any, flags_at: int, flags: np.uint64, condition: int) -> int:
    """Return a node that is 1 where the flags meet a condition, else 0; NO_TRUTH or TOO_WIDE where there is none.

    `flags_at` is the byte after the register file, and `flags` those of the recorded case.
    """
    are, bits, before, kind = state[FLAGS_ARE], state[FLAGS_BITS], size[0], condition >> 1
    if are_numbers(state, condition):
        return constant(nodes, size, 1 if holds(condition, flags) else 0)
    if are in (UNKNOWN, SIGN_IN_NUMBERS) or (are == SIGN_OF_BITS and kind not in (_EQ, _MI)):
        return NO_TRUTH
    a, b = cells[flags_at + LEFT].node, cells[flags_at + RIGHT].node
    if are == OF_DIFFERENCE:
        found = _of_difference(nodes, size, kind, a, b, bits)
    elif are == OF_SUM:
        found = _of_sum(nodes, size, kind, a, b, bits)
    else:
        found = _of_bits(nodes, size, kind, a, bits)
    if found < 0:
        return found
    if condition & 1:
        found = _opposite(nodes, size, found)
    guard = cells[flags_at + GUARD].node
    if guard != PLAIN:
        otherwise = holds(condition, np.uint64(state[FLAGS_ELSE]))
        found = select(nodes, size, guard, found, constant(nodes, size, 1 if otherwise else 0))
    for at in range(before, size[0]):
        if nodes[at].low <= -LIMIT or nodes[at].high >= LIMIT:
            return TOO_WIDE
    return found


@compiled
def compare(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, flags_at: int, flags: np.uint64, operation: Any,
    sources: Any,
) -> int:  # fmt: skip
    """Keep what sets the flags; return 0, or why that cannot be told."""
    condition, guard = operation.immediate >> CONDITION_AT & 255, PLAIN
    if condition != ALWAYS:
        guard = truth(nodes, size, cells, state, flags_at, flags, condition)
        if guard < 0:
            return guard
    width = operation.bits // 8
    left = read_raw(nodes, size, cells, values, sources[0, 0], width)
    right = read_raw(nodes, size, cells, values, sources[1, 0], width)
    write(cells, flags_at + LEFT, 8, left)
    write(cells, flags_at + RIGHT, 8, right)
    write(cells, flags_at + GUARD, 8, guard)
    state[FLAGS_DEPENDED] = 1
    state[FLAGS_ARE] = operation.immediate & 255
    state[FLAGS_BITS] = operation.bits
    state[FLAGS_ELSE] = (operation.immediate >> ELSE_AT) << 28
    return 0


@compiled
def choose(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, flags_at: int, flags: np.uint64, operation: Any,
    sources: Any,
) -> int:  # fmt: skip
    """Write the first source where a condition holds, else the second one; return 0, or why that cannot be told."""
    condition, start, width = operation.immediate, operation.start, operation.bits // 8
    if are_numbers(state, condition):
        source = sources[0, 0] if holds(condition, flags) else sources[1, 0]
        for at in range(width):
            cells[start + at] = cells[source + at]
            if cells[start + at].node != PLAIN and nodes[cells[start + at].node].operation == CONSTANT:
                forget(cells, start + at, start + at + 1)  # a number as recorded
        forget(cells, start + width, operation.clear_end)
        return 0
    met = truth(nodes, size, cells, state, flags_at, flags, condition)
    if met < 0:
        return met
    if width < 8:  # as the condition reads them, so that a clamp is a minimum or a maximum of what was compared
        signed = condition >> 1 not in (_HS, _HI)
        x = read(nodes, size, cells, values, sources[0, 0], operation.bits, signed)
        y = read(nodes, size, cells, values, sources[1, 0], operation.bits, signed)
    else:
        x = read_raw(nodes, size, cells, values, sources[0, 0], width)
        y = read_raw(nodes, size, cells, values, sources[1, 0], width)
    found = select(nodes, size, met, x, y)
    forget(cells, start, operation.clear_end)
    if nodes[found].operation != CONSTANT:
        write(cells, start, width, found)
    return 0


@compiled
def is_decided(nodes: Any, size: Any, cells: Any, state: Any, flags_at: int, flags: np.uint64, condition: int) -> bool:
    """Tell whether a condition is the same for all inputs."""
    met = truth(nodes, size, cells, state, flags_at, flags, condition)
    return met >= 0 and nodes[met].operation == CONSTANT
