"""Apply arithmetic on float32 lanes to expressions, in compiled code; values are the integers of the bits."""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import add, constant, made, power, scale, select, shift_right, subtract, wrap
from neonlab.prove.expressions.operation import (
    CONSTANT,
    FLOAT_ADD,
    FLOAT_DIVIDE,
    FLOAT_EQUAL,
    FLOAT_FLUSH,
    FLOAT_FUSED,
    FLOAT_LESS,
    FLOAT_MAXIMUM,
    FLOAT_MINIMUM,
    FLOAT_MULTIPLY,
    FLOAT_OF,
    FLOAT_ROUND,
    FLOAT_SUBTRACT,
    INTEGER_OF,
)
from neonlab.prove.kernel import families as family
from neonlab.prove.kernel.cells import read
from neonlab.prove.kernel.denormals import is_normal

_EXPONENT, _SIGN = 0x7F800000, 0x80000000
_START, _COUNT, _SIGNED, _SAME = 0, 1, 3, 4


@compiled
def flushed(nodes: Any, size: Any, x: int, flushes: bool) -> int:
    """Return x with denormals replaced by zeros of their sign, if the instruction flushes them."""
    if not flushes or is_normal(nodes, x):
        return x
    if nodes[x].operation == CONSTANT:
        bits = nodes[x].amount
        return constant(nodes, size, bits & _SIGN) if bits & _EXPONENT == 0 else x
    return made(nodes, size, FLOAT_FLUSH, x, 0, 0, 0)


@compiled
def _operand(
    nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, which: int, lane: int
) -> int:
    """Return the bits of a lane of a source, flushed as the instruction does; zeros for a source that is not there."""
    if which >= operation.sources:
        return constant(nodes, size, 0)
    source = sources[which]
    at = 0 if source[_SAME] and source[_COUNT] == 1 else lane
    found = read(nodes, size, cells, values, source[_START] + 4 * at, 32, False)
    return flushed(nodes, size, found, operation.saturates != 0)


@compiled
def inverted_sign(nodes: Any, size: Any, x: int) -> int:
    """Return -x."""
    return wrap(nodes, size, add(nodes, size, x, constant(nodes, size, _SIGN)), 32, False)


@compiled
def _two(nodes: Any, size: Any, operation: int, x: int, y: int) -> int:
    return made(nodes, size, operation, x, y, 0, 0)


@compiled
def _accumulated(nodes: Any, size: Any, kind: int, total: int, x: int, y: int, flushes: bool) -> int:
    """Return total + x * y, or total - x * y, rounded once or twice."""
    if kind in (family.F_FUSED_MINUS, family.F_TWICE_MINUS):
        x = inverted_sign(nodes, size, x)
    if kind in (family.F_FUSED, family.F_FUSED_MINUS):
        return made(nodes, size, FLOAT_FUSED, x, y, total, 0)
    product = flushed(nodes, size, _two(nodes, size, FLOAT_MULTIPLY, x, y), flushes)
    return _two(nodes, size, FLOAT_ADD, total, product)


@compiled
def _across(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return the least or greatest of all lanes, or of a pair of them."""
    kind = operation.family
    greatest = kind in (family.F_MAXV, family.F_MAXP)
    pairs = kind in (family.F_MINP, family.F_MAXP)
    which, first = 0, 0
    last = sources[0, _COUNT]
    if pairs:
        which, first = (2 * lane) // last, (2 * lane) % last
        last = first + 2
    found = _operand(nodes, size, cells, values, operation, sources, which, first)
    for at in range(first + 1, last):
        other = _operand(nodes, size, cells, values, operation, sources, which, at)
        found = _two(nodes, size, FLOAT_MAXIMUM if greatest else FLOAT_MINIMUM, found, other)
    return found


@compiled
def _compared(nodes: Any, size: Any, kind: int, x: int, y: int) -> int:
    """Return ones where a comparison holds, else 0."""
    if kind == family.F_EQUAL:
        truth = _two(nodes, size, FLOAT_EQUAL, x, y)
    else:
        truth = _two(nodes, size, FLOAT_LESS, y, x)
        if kind == family.F_GREATER_EQUAL:
            one = constant(nodes, size, 1)
            truth = select(nodes, size, truth, one, _two(nodes, size, FLOAT_EQUAL, x, y))
    return scale(nodes, size, truth, -1)


@compiled
def float_result(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, lane: int) -> int:
    """Return the bits of one lane of the result; of a conversion to an integer, the integer."""
    kind, flushes = operation.family, operation.saturates != 0
    if kind in (family.F_MINV, family.F_MAXV, family.F_MINP, family.F_MAXP):
        return flushed(nodes, size, _across(nodes, size, cells, values, operation, sources, lane), flushes)
    if kind == family.F_OF_INTEGER:
        source = sources[0]
        at = read(nodes, size, cells, values, source[_START] + 4 * lane, 32, source[_SIGNED] != 0)
        return made(nodes, size, FLOAT_OF, at, 0, 0, 0)
    x = _operand(nodes, size, cells, values, operation, sources, 0, lane)
    if kind == family.F_NEG:
        return inverted_sign(nodes, size, x)
    if kind == family.F_ABS:
        upper = scale(nodes, size, shift_right(nodes, size, x, 31), power(31))
        return subtract(nodes, size, x, upper)
    if kind == family.F_TO_INTEGER:
        return made(nodes, size, INTEGER_OF, x, 0, 0, operation.immediate)
    if kind == family.F_TO_WHOLE:
        return made(nodes, size, FLOAT_ROUND, x, 0, 0, operation.immediate)
    y = _operand(nodes, size, cells, values, operation, sources, 1, lane)
    if kind in (family.F_GREATER, family.F_GREATER_EQUAL, family.F_EQUAL):
        return _compared(nodes, size, kind, x, y)
    if kind >= family.F_FUSED:
        z = _operand(nodes, size, cells, values, operation, sources, 2, lane)
        return flushed(nodes, size, _accumulated(nodes, size, kind, x, y, z, flushes), flushes)
    of = FLOAT_ADD
    if kind == family.F_SUB:
        of = FLOAT_SUBTRACT
    elif kind == family.F_MUL:
        of = FLOAT_MULTIPLY
    elif kind == family.F_DIV:
        of = FLOAT_DIVIDE
    elif kind == family.F_MIN:
        of = FLOAT_MINIMUM
    elif kind == family.F_MAX:
        of = FLOAT_MAXIMUM
    return flushed(nodes, size, _two(nodes, size, of, x, y), flushes)
