"""Apply lane arithmetic to expressions, in compiled code: the rules of `neonlab.isa.model.lane_families` on nodes.

Tests evaluate the nodes of every form and compare them with those rules and with the emulator.

Addition, subtraction, multiplication and shifts to the left give the same lane whatever multiple of its size is added
to an operand.  Their operands are therefore not brought into the range of a lane, and a sum that leaves it in between
stays a plain sum.  All other operands are the numbers that the lanes hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import makes_arrays
from neonlab.prove.expressions.node import (
    add,
    clamp,
    constant,
    highest_of_lane,
    in_a_row,
    lowest_of_lane,
    magnitude,
    maximum,
    minimum,
    multiply,
    negative,
    new,
    power,
    product_held,
    scale,
    select,
    shift_right,
    subtract,
    wrap,
    zero,
)
from neonlab.prove.expressions.operation import CONSTANT, ENTRY, SHIFT_BY
from neonlab.prove.kernel import families as family
from neonlab.prove.kernel.bits import bits_and, bits_or, inverted
from neonlab.prove.kernel.cells import is_whole, read, read_raw

#: One lane operation; `signed` of the destination is 1, 0, or 2 where it is open.
LANES = np.dtype(
    [
        ("family", np.int32),
        ("start", np.int32),
        ("count", np.int32),
        ("bits", np.int32),
        ("signed", np.int32),
        ("sources", np.int32),
        ("saturates", np.int32),
        ("rounds", np.int32),
        ("clear_end", np.int32),
        ("immediate", np.int64),
    ]
)
#: Columns of a source: first byte, lanes, bits, signed (1, 0, 2 for open), 1 if one lane or group serves all.
START, COUNT, BITS, SIGNED, SAME = range(5)
MOST_SOURCES = 6


@compiled
def _source(nodes: Any, size: Any, cells: Any, values: Any, source: Any, lane: int) -> int:
    """Return the number in a lane of a source."""
    at = 0 if source[SAME] and source[COUNT] == 1 else lane
    start = source[START] + at * (source[BITS] // 8)
    return read(nodes, size, cells, values, start, source[BITS], source[SIGNED] != 0)


@compiled
def _raw(nodes: Any, size: Any, cells: Any, values: Any, source: Any, lane: int) -> int:
    """Return a node that equals a lane of a source modulo its size."""
    at = 0 if source[SAME] and source[COUNT] == 1 else lane
    return read_raw(nodes, size, cells, values, source[START] + at * (source[BITS] // 8), source[BITS] // 8)


@compiled
def _operand(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, source: Any, lane: int) -> int:
    """Return an operand of modular arithmetic: any number that equals the lane, if the result is no wider."""
    if operation.saturates == 0 and source[BITS] >= operation.bits:
        return _raw(nodes, size, cells, values, source, lane)
    return _source(nodes, size, cells, values, source, lane)


@compiled
def rounded_shift(nodes: Any, size: Any, x: int, by: int, rounds: bool) -> int:
    """Return the floor of x / 2**by, of x with one half of 2**by added where it rounds."""
    if rounds and by > 0:
        x = add(nodes, size, x, constant(nodes, size, power(by - 1)))
    return shift_right(nodes, size, x, by)


@compiled
def shifted_by(nodes: Any, size: Any, x: int, amount: int, operation: Any) -> int:
    """Return x * 2**amount for a node `amount`, which lies from -128 to 127; what the lane keeps of it is right."""
    bits, rounds, saturates = operation.bits, operation.rounds != 0, operation.saturates != 0
    # From so many on, all bits leave the lane, or it saturates whatever it holds but 0.
    most = bits - 1 if operation.signed != 0 or not saturates else bits
    if nodes[amount].operation == CONSTANT:
        by = nodes[amount].amount
        if by >= bits and not saturates:
            return constant(nodes, size, 0)
        if by >= 0:
            return scale(nodes, size, x, power(min(by, most)))
        return rounded_shift(nodes, size, x, min(-by, bits + 1), rounds)
    beyond = constant(nodes, size, 0)
    if not saturates:
        beyond = negative(nodes, size, subtract(nodes, size, constant(nodes, size, bits - 1), amount))
    amount = clamp(nodes, size, amount, -bits - 1, most)
    low, high = 0, 0
    for end in (nodes[x].low, nodes[x].high):
        furthest = product_held(end, power(max(0, min(nodes[amount].high, 62))))
        low, high = min(low, furthest, end), max(high, furthest, end)
    moved = new(nodes, size, SHIFT_BY, low, high, x, amount, 0, 1 if rounds else 0)
    return select(nodes, size, beyond, constant(nodes, size, 0), moved)


@compiled
def _mask(nodes: Any, size: Any, truth: int) -> int:
    """Return -1 for 1 and 0 for 0."""
    return scale(nodes, size, truth, -1)


@compiled
def compared(nodes: Any, size: Any, kind: int, a: int, b: int, bits: int) -> int:
    """Return -1 where a comparison holds, else 0."""
    if kind == family.CMEQ:
        return _mask(nodes, size, zero(nodes, size, subtract(nodes, size, a, b)))
    if kind == family.CMGT:
        return _mask(nodes, size, negative(nodes, size, subtract(nodes, size, b, a)))
    if kind == family.CMLT:
        return _mask(nodes, size, negative(nodes, size, subtract(nodes, size, a, b)))
    if kind == family.CMGE:
        return inverted(nodes, size, _mask(nodes, size, negative(nodes, size, subtract(nodes, size, a, b))))
    if kind == family.CMLE:
        return inverted(nodes, size, _mask(nodes, size, negative(nodes, size, subtract(nodes, size, b, a))))
    return inverted(nodes, size, _mask(nodes, size, zero(nodes, size, bits_and(nodes, size, a, b, bits))))


@compiled
def _both(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return lane `lane` of the first source followed by the second one, as an operand."""
    which = 0
    while lane >= sources[which, COUNT]:
        lane -= sources[which, COUNT]
        which += 1
    return _operand(nodes, size, cells, values, operation, sources[which], lane)


@compiled
def _sum_of_products(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return the accumulator and the products of a lane of `dot` or `mmla`."""
    total = _raw(nodes, size, cells, values, sources[0], lane)
    matrix = operation.family == family.MMLA
    depth = 8 if matrix else 4
    first = depth * (lane // 2 if matrix else lane)
    second = depth * (lane % 2 if matrix else 0 if sources[2, SAME] else lane)
    for at in range(depth):
        a = _source(nodes, size, cells, values, sources[1], first + at)
        b = _source(nodes, size, cells, values, sources[2], second + at)
        total = add(nodes, size, total, multiply(nodes, size, a, b))
    return total


@compiled
def _doubling(nodes: Any, size: Any, kind: int, total: int, a: int, b: int, bits: int, rounds: bool) -> int:
    """Return the true result of the sqdmulh, sqrdmlah and sqdmlal families."""
    product = multiply(nodes, size, a, b)
    if kind == family.QDMULH:
        return rounded_shift(nodes, size, product, bits - 1, rounds)
    if kind in (family.QDMLAH, family.QDMLSH):
        product = scale(nodes, size, product, 1 if kind == family.QDMLAH else -1)
        lifted = scale(nodes, size, total, power(bits - 1))
        return rounded_shift(nodes, size, add(nodes, size, lifted, product), bits - 1, True)
    doubled = scale(nodes, size, product, 2)
    if kind == family.QDMULL:
        return doubled
    doubled = clamp(nodes, size, doubled, lowest_of_lane(bits, True), highest_of_lane(bits, True))
    if kind == family.QDMLAL:
        return add(nodes, size, total, doubled)
    return subtract(nodes, size, total, doubled)


@compiled
def _modular(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return the true result of a lane of one of the modular families."""
    kind = operation.family
    if kind == family.ADDP:
        a = _both(nodes, size, cells, values, operation, sources, 2 * lane)
        return add(nodes, size, a, _both(nodes, size, cells, values, operation, sources, 2 * lane + 1))
    if kind == family.ADALP:
        a = add(
            nodes,
            size,
            _operand(nodes, size, cells, values, operation, sources[1], 2 * lane),
            _operand(nodes, size, cells, values, operation, sources[1], 2 * lane + 1),
        )
        return add(nodes, size, _raw(nodes, size, cells, values, sources[0], lane), a)
    if kind == family.ADDV:
        total = _operand(nodes, size, cells, values, operation, sources[0], 0)
        for at in range(1, sources[0, COUNT]):
            total = add(nodes, size, total, _operand(nodes, size, cells, values, operation, sources[0], at))
        return total
    a = _operand(nodes, size, cells, values, operation, sources[0], lane)
    if kind == family.NEG:
        return scale(nodes, size, a, -1)
    if kind == family.SHL:
        return scale(nodes, size, a, power(operation.immediate))
    b = _operand(nodes, size, cells, values, operation, sources[1], lane)
    if kind == family.ADD:
        return add(nodes, size, a, b)
    if kind == family.SUB:
        return subtract(nodes, size, a, b)
    if kind == family.MUL:
        return multiply(nodes, size, a, b)
    product = multiply(nodes, size, b, _operand(nodes, size, cells, values, operation, sources[2], lane))
    if kind == family.MLA:
        return add(nodes, size, a, product)
    return subtract(nodes, size, a, product)


@compiled
def _across(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return a lane of maxp, minp, maxv or minv."""
    kind = operation.family
    largest = kind in (family.MAXP, family.MAXV)
    pair = kind in (family.MAXP, family.MINP)
    first = 2 * lane if pair else 0
    last = first + 2 if pair else sources[0, COUNT]
    found = _both(nodes, size, cells, values, operation, sources, first)
    found = wrap(nodes, size, found, operation.bits, operation.signed != 0)
    for at in range(first + 1, last):
        other = _both(nodes, size, cells, values, operation, sources, at)
        other = wrap(nodes, size, other, operation.bits, operation.signed != 0)
        found = maximum(nodes, size, found, other) if largest else minimum(nodes, size, found, other)
    return found


@compiled
def _narrowed_shift(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, source: Any, lane: int) -> int:
    """Return a lane shifted right; bits that fall out of a narrower result need not be known."""
    at = 0 if source[SAME] and source[COUNT] == 1 else lane
    start, width, gone = source[START] + at * (source[BITS] // 8), source[BITS] // 8, operation.immediate // 8
    if (
        operation.rounds == 0
        and operation.immediate % 8 == 0
        and 0 < gone < width
        and not is_whole(cells, start, width)
    ):
        # Several smaller lanes: those that are left are not joined to those that are gone.
        return read(nodes, size, cells, values, start + gone, 8 * (width - gone), source[SIGNED] != 0)
    if operation.saturates == 0 and operation.immediate + operation.bits <= source[BITS]:
        x = _raw(nodes, size, cells, values, source, lane)
    else:
        x = _source(nodes, size, cells, values, source, lane)
    return rounded_shift(nodes, size, x, operation.immediate, operation.rounds != 0)


@compiled
def _inserted(nodes: Any, size: Any, kind: int, old: int, x: int, shift: int, bits: int) -> int:
    """Return the result of sli or sri; both operands are unsigned numbers of a lane."""
    kept = shift if kind == family.SLI else bits - shift
    upper = scale(nodes, size, shift_right(nodes, size, old, kept), power(kept))
    if kind == family.SLI:
        return add(nodes, size, scale(nodes, size, x, power(shift)), subtract(nodes, size, old, upper))
    return add(nodes, size, upper, shift_right(nodes, size, x, shift))


@compiled
def _byte(nodes: Any, size: Any, cells: Any, values: Any, source: Any, lane: int) -> int:
    """Return a byte of a table, with a sign or without one as it was made: it is only moved."""
    found = _raw(nodes, size, cells, values, source, lane)
    if nodes[found].low >= -128 and nodes[found].high <= 255:
        return found
    return wrap(nodes, size, found, 8, False)


@makes_arrays
def _looked_up(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return a lane of tbl or tbx: an entry of the table, whose nodes follow each other or are copied so."""
    keeps = operation.family == family.TBX
    first, last = (1 if keeps else 0), operation.sources - 1
    index = _source(nodes, size, cells, values, sources[last], lane)
    count = 0
    for which in range(first, last):
        count += sources[which, COUNT]
    other = _byte(nodes, size, cells, values, sources[0], lane) if keeps else constant(nodes, size, 0)
    if nodes[index].operation == CONSTANT:
        number = nodes[index].amount
        if number >= count:
            return other
        which = first
        while number >= sources[which, COUNT]:
            number -= sources[which, COUNT]
            which += 1
        return _byte(nodes, size, cells, values, sources[which], number)
    held = np.zeros(64, np.int64)
    at, low, high = 0, nodes[other].low, nodes[other].high
    for which in range(first, last):
        for entry in range(sources[which, COUNT]):
            held[at] = _byte(nodes, size, cells, values, sources[which], entry)
            low, high = min(low, nodes[held[at]].low), max(high, nodes[held[at]].high)
            at += 1
    table = in_a_row(nodes, size, held, count)
    found = new(nodes, size, ENTRY, low, high, table, index, 0, count)
    if nodes[index].high < count:
        return found
    beyond = negative(nodes, size, subtract(nodes, size, constant(nodes, size, count - 1), index))
    return select(nodes, size, beyond, other, found)


@compiled
def is_modular(operation: Any) -> bool:
    """Tell whether the lane of a result is right, whatever multiples of its size were added to operands."""
    kind = operation.family
    ring = kind <= family.MLS or kind in (family.NEG, family.ADDP, family.ADALP, family.ADDV, family.SHL)
    return operation.saturates == 0 and ring


@compiled
def result(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return the true result of one lane, before saturation."""
    kind, bits, rounds = operation.family, operation.bits, operation.rounds != 0
    if kind <= family.MLS or kind in (family.NEG, family.ADDP, family.ADALP, family.ADDV, family.SHL):
        return _modular(nodes, size, cells, values, operation, sources, lane)
    if kind in (family.DOT, family.MMLA):
        return _sum_of_products(nodes, size, cells, values, operation, sources, lane)
    if kind in (family.MAXP, family.MINP, family.MAXV, family.MINV):
        return _across(nodes, size, cells, values, operation, sources, lane)
    if kind in (family.TBL, family.TBX):
        return _looked_up(nodes, size, cells, values, operation, sources, lane)
    if kind == family.SHR:
        return _narrowed_shift(nodes, size, cells, values, operation, sources[0], lane)
    if kind in (family.ADDHN, family.SUBHN):
        a = _raw(nodes, size, cells, values, sources[0], lane)
        b = _raw(nodes, size, cells, values, sources[1], lane)
        total = add(nodes, size, a, b) if kind == family.ADDHN else subtract(nodes, size, a, b)
        return rounded_shift(nodes, size, total, bits, rounds)
    a = _source(nodes, size, cells, values, sources[0], lane)
    if kind == family.ABS:
        return magnitude(nodes, size, a)
    if kind == family.MOV:
        return a
    if operation.sources == 1:
        if kind == family.ORR_CONSTANT:
            return bits_or(
                nodes, size, a, wrap(nodes, size, constant(nodes, size, operation.immediate), bits, True), bits
            )
        if kind == family.BIC_CONSTANT:
            mask = constant(nodes, size, ~operation.immediate)
            return bits_and(nodes, size, a, wrap(nodes, size, mask, bits, True), bits)
        return compared(nodes, size, kind, a, constant(nodes, size, 0), bits)
    b = _source(nodes, size, cells, values, sources[1], lane)
    if kind in (family.HADD, family.HSUB):
        total = add(nodes, size, a, b) if kind == family.HADD else subtract(nodes, size, a, b)
        return shift_right(nodes, size, add(nodes, size, total, constant(nodes, size, 1 if rounds else 0)), 1)
    if kind == family.ABD:
        return magnitude(nodes, size, subtract(nodes, size, a, b))
    if kind == family.MAX:
        return maximum(nodes, size, a, b)
    if kind == family.MIN:
        return minimum(nodes, size, a, b)
    if kind == family.SHIFT:
        return shifted_by(nodes, size, a, wrap(nodes, size, b, 8, True), operation)
    if kind == family.SRA:
        return add(nodes, size, a, rounded_shift(nodes, size, b, operation.immediate, rounds))
    if kind in (family.SLI, family.SRI):
        return _inserted(nodes, size, kind, a, b, operation.immediate, bits)
    if kind in (family.QDMULH, family.QDMULL):
        return _doubling(nodes, size, kind, a, a, b, bits, rounds)
    if operation.sources == 2:
        return compared(nodes, size, kind, a, b, bits)
    c = _source(nodes, size, cells, values, sources[2], lane)
    if kind == family.ABA:
        return add(nodes, size, a, magnitude(nodes, size, subtract(nodes, size, b, c)))
    return _doubling(nodes, size, kind, a, b, c, bits, rounds)


@compiled
def stored(nodes: Any, size: Any, operation: Any, true: int) -> int:
    """Return what a lane keeps of its true result; modulo its size, if it does not saturate."""
    if operation.saturates == 0:
        return true
    signed = operation.signed != 0
    low, high = lowest_of_lane(operation.bits, signed), highest_of_lane(operation.bits, signed)
    return clamp(nodes, size, true, low, high)
