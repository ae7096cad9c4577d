"""Make sums of products without operands, in compiled code: known by their values at two random points of a field.

Such a table has `size[FINGERPRINTS]` 1.  There a ring operation on numbers, input elements and sums makes one row, SUM,
instead of an expression that is written out.  The row holds of the polynomial over the input elements:

- `amount`: the number in it that no element is multiplied with;
- `first` and `second`: the values of the rest at two points of the field of `neonlab.prove.expressions.field`;
- `factor`: a number from 1 on that divides all coefficients of the rest;
- `norm`: at least the sum of their magnitudes, and `degree`: at least the greatest number of elements in a product;
- `value`: the whole polynomial at the inputs of the recorded case, modulo 2^64;
- `sources`: a bit for each array of inputs that it was made from; of an element CONSUMED too, once a sum was made of it.

An input element is such a polynomial itself.  Where a sum cannot be held so, an ordinary node is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import compiled
from neonlab.prove.expressions.bounds import product_held, sum_held
from neonlab.prove.expressions.field import minus, plus_modulo, residue, times_modulo
from neonlab.prove.expressions.operation import CONSTANT, INPUT, LIMIT, SUM

#: Columns of `size`: rows in use, and 1 where sums are known by fingerprints.
ROWS, FINGERPRINTS = range(2)
#: Coefficients below this differ by less than the prime, so that different ones differ in the field.
MOST_NORM = float(1 << 59)
#: Bit of `sources` of an input element: a sum was made of it.  Lower bits stand for arrays.
CONSUMED = 1 << 30
_ARRAYS = CONSUMED - 1
#: Arrays that have a bit of their own; all others share the last one.
MOST_ARRAYS = 30


@compiled
def is_polynomial(nodes: Any, size: Any, x: int) -> bool:
    """Tell whether sums of x are known by fingerprints: a number, an input element or a sum in such a table."""
    operation = nodes[x].operation
    return bool(size[FINGERPRINTS] != 0 and (operation in (CONSTANT, INPUT, SUM)))


@compiled
def number_in(nodes: Any, x: int) -> int:
    """Return the number in a polynomial that no element is multiplied with."""
    return 0 if nodes[x].operation == INPUT else int(nodes[x].amount)


@compiled
def _value(nodes: Any, x: int) -> int:
    return int(nodes[x].amount) if nodes[x].operation == CONSTANT else int(nodes[x].value)


@compiled
def _sources(nodes: Any, x: int) -> int:
    """Return the arrays of a polynomial, and note of an element that a sum is made of it."""
    if nodes[x].operation == CONSTANT:
        return 0
    found = int(nodes[x].sources) & _ARRAYS
    if nodes[x].operation == INPUT:
        nodes[x].sources = np.int32(found | CONSUMED)
    return found


@compiled
def _divisor(x: int, y: int) -> int:
    """Return the greatest common divisor of numbers from 0 on."""
    while y != 0:
        x, y = y, x % y
    return x


@compiled
def _made(
    nodes: Any, size: Any, low: int, high: int, number: int, first: np.uint64, second: np.uint64, factor: int,
    norm: float, degree: int, value: int, sources: int,
) -> int:  # fmt: skip
    """Append a sum; -1 where its coefficients may be too large."""
    if norm >= MOST_NORM or abs(number) >= LIMIT:
        return -1
    at = int(size[ROWS])
    node = nodes[at]
    node.operation = SUM
    node.low = low
    node.high = high
    node.amount = number
    node.x = 0
    node.y = 0
    node.z = 0
    node.first = first
    node.second = second
    node.factor = factor
    node.norm = norm
    node.degree = degree
    node.value = value
    node.sources = sources
    size[ROWS] = at + 1
    return at


@compiled
def sum_of(nodes: Any, size: Any, x: int, y: int, sign: int, low: int, high: int) -> int:
    """Return x + y, or x - y for the sign -1, of polynomials; -1 where it must be an ordinary node."""
    number = sum_held(number_in(nodes, x), sign * number_in(nodes, y))
    value = _value(nodes, x) + sign * _value(nodes, y)
    sources = _sources(nodes, x) | _sources(nodes, y)
    a, b = nodes[x], nodes[y]
    if b.operation == CONSTANT:
        return _made(nodes, size, low, high, number, a.first, a.second, a.factor, a.norm, a.degree, value, sources)
    first, second = (b.first, b.second) if sign > 0 else (minus(b.first), minus(b.second))
    if a.operation == CONSTANT:
        return _made(nodes, size, low, high, number, first, second, b.factor, b.norm, b.degree, value, sources)
    first, second = plus_modulo(a.first, first), plus_modulo(a.second, second)
    factor = 1 if a.factor == 1 or b.factor == 1 else _divisor(a.factor, b.factor)
    degree = max(a.degree, b.degree)
    return _made(nodes, size, low, high, number, first, second, factor, a.norm + b.norm, degree, value, sources)


@compiled
def scaled_sum(nodes: Any, size: Any, x: int, by: int, low: int, high: int) -> int:
    """Return a polynomial, which is no number, times a number but 0; -1 where it must be an ordinary node."""
    norm = nodes[x].norm * abs(np.float64(by))
    if norm >= MOST_NORM:
        return -1  # the factor, which is no greater, would not fit either
    times = residue(by)
    return _made(
        nodes, size, low, high, product_held(number_in(nodes, x), by), times_modulo(nodes[x].first, times),
        times_modulo(nodes[x].second, times), nodes[x].factor * abs(by), norm, nodes[x].degree,
        _value(nodes, x) * by, _sources(nodes, x),
    )  # fmt: skip


@compiled
def product_of(nodes: Any, size: Any, x: int, y: int, low: int, high: int) -> int:
    """Return the product of two polynomials, which are no numbers; -1 where it must be an ordinary node."""
    a, b = nodes[x], nodes[y]
    p, q = number_in(nodes, x), number_in(nodes, y)
    first, second = times_modulo(a.first, b.first), times_modulo(a.second, b.second)
    norm = a.norm * b.norm
    factor = a.factor * b.factor if p == 0 and q == 0 and norm < MOST_NORM else 1
    if p != 0:
        times = residue(p)
        first = plus_modulo(first, times_modulo(times, b.first))
        second = plus_modulo(second, times_modulo(times, b.second))
        norm += abs(np.float64(p)) * b.norm
    if q != 0:
        times = residue(q)
        first = plus_modulo(first, times_modulo(times, a.first))
        second = plus_modulo(second, times_modulo(times, a.second))
        norm += abs(np.float64(q)) * a.norm
    sources = _sources(nodes, x) | _sources(nodes, y)
    return _made(
        nodes, size, low, high, product_held(p, q), first, second, factor, norm, a.degree + b.degree,
        a.value * b.value, sources,
    )  # fmt: skip


@compiled
def alone(nodes: Any, size: Any, begin: int, at: int) -> int:
    """Return a sum moved to row `begin`, where what it was made from ends; any other node as it is."""
    if size[FINGERPRINTS] == 0 or at < begin or nodes[at].operation != SUM:
        return at
    if at > begin:
        nodes[begin] = nodes[at]
    size[ROWS] = begin + 1
    return begin
