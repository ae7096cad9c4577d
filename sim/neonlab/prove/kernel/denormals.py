"""Tell that floats are no denormals, so that an instruction that flushes these leaves them as they are.

A floor is a biased exponent: a float with a floor of f is 0, or at least 2**(f - 127) from it, or no number.
"""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.operation import (
    CONSTANT,
    FLOAT_ADD,
    FLOAT_FLUSH,
    FLOAT_MULTIPLY,
    FLOAT_OF,
    FLOAT_SUBTRACT,
)

#: The lowest floor of what is never a denormal, that of whole numbers, and one that a float of which nothing is known
#: has: its sums and products are below `NORMAL` too.
NORMAL, _WHOLE, _UNKNOWN = 1, 127, -1000
_FRACTION, _EXPONENT, _MAGNITUDE = 23, 255, 0x7FFFFFFF


@compiled
def _floor_of_operand(nodes: Any, x: int) -> int:
    """Return the floor of a number, an integer as a float, or a float whose bits have a known interval."""
    node = nodes[x]
    if node.operation == FLOAT_OF:
        return _WHOLE
    if node.operation == FLOAT_FLUSH:
        return NORMAL
    if node.operation == CONSTANT:
        bits = int(node.amount) & _MAGNITUDE
        if bits == 0:
            return _EXPONENT
        return bits >> _FRACTION if bits >> _FRACTION >= NORMAL else _UNKNOWN
    if node.low >= NORMAL << _FRACTION and node.high <= _MAGNITUDE:  # above 0, where bits are in the order of floats
        return int(node.low >> _FRACTION)
    return _UNKNOWN


@compiled
def _floor_of_product(nodes: Any, x: int) -> int:
    """Return the floor of an operand or of the product of two: rounding does not cross a power of two."""
    node = nodes[x]
    if node.operation == FLOAT_MULTIPLY:
        return _floor_of_operand(nodes, node.x) + _floor_of_operand(nodes, node.y) - _WHOLE
    return _floor_of_operand(nodes, x)


@compiled
def is_normal(nodes: Any, x: int) -> bool:
    """Tell whether a float is known to be no denormal.

    A sum of two floats is a multiple of the last bit of the smaller one, so that it is 0 or no less than that bit.
    """
    node = nodes[x]
    if node.operation == FLOAT_ADD or node.operation == FLOAT_SUBTRACT:
        least = min(_floor_of_product(nodes, node.x), _floor_of_product(nodes, node.y))
        return least - _FRACTION >= NORMAL
    return _floor_of_product(nodes, x) >= NORMAL
