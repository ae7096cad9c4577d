"""Make sums of products without operands, in compiled code: known by their values at two random points of a field.

Such a table has `size[FINGERPRINTS]` 1.  There a ring operation on numbers, input elements and sums makes one row, SUM,
instead of an expression that is written out.  The row holds of the polynomial over the input elements:

- `amount`: the number in it that no element is multiplied with;
- `first` and `second`: the values of the rest at two points of the field of `neonlab.prove.expressions.field`;
- `third`: its value in the field at the inputs of the recorded case, made by the rules that make the other two;
- `factor`: a number from 1 on that divides all coefficients of the rest;
- `norm`: at least the sum of their magnitudes, and `degree`: at least the greatest number of elements in a product;
- `value`: the whole polynomial at the inputs of the recorded case, modulo 2^64;
- `sources`: a bit for each array of inputs that it was made from.  An element has CONSUMED too, once a sum was made of
  it.

An input element is such a polynomial itself.  Where a sum cannot be held so, an ordinary node is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
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
def _made(nodes: Any, size: Any, low: int, high: int, number: int, norm: float) -> int:
    """Append a sum whose other columns are still to be set; -1 where its coefficients may be too large."""
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
    node.norm = norm
    size[ROWS] = at + 1
    return at


@compiled
def _plus_number(nodes: Any, size: Any, x: int, sign: int, number: int, value: int, low: int, high: int) -> int:
    """Return a polynomial, or its negative, with another number in it."""
    one = nodes[x]
    at = _made(nodes, size, low, high, number, one.norm)
    if at >= 0:
        node = nodes[at]
        node.first = one.first if sign > 0 else minus(one.first)
        node.second = one.second if sign > 0 else minus(one.second)
        node.third = one.third if sign > 0 else minus(one.third)
        node.factor = one.factor
        node.degree = one.degree
        node.value = value
        node.sources = _sources(nodes, x)
    return at


@compiled
def sum_of(nodes: Any, size: Any, x: int, y: int, sign: int, low: int, high: int) -> int:
    """Return x + y, or x - y for the sign -1, of polynomials; -1 where it must be an ordinary node."""
    number = sum_held(number_in(nodes, x), sign * number_in(nodes, y))
    value = _value(nodes, x) + sign * _value(nodes, y)
    a, b = nodes[x], nodes[y]
    if b.operation == CONSTANT:
        return -1 if a.operation == CONSTANT else _plus_number(nodes, size, x, 1, number, value, low, high)
    if a.operation == CONSTANT:
        return _plus_number(nodes, size, y, sign, number, value, low, high)
    at = _made(nodes, size, low, high, number, a.norm + b.norm)
    if at >= 0:
        node = nodes[at]
        node.first = _sum_at(a.first, b.first, sign)
        node.second = _sum_at(a.second, b.second, sign)
        node.third = _sum_at(a.third, b.third, sign)
        node.factor = 1 if a.factor == 1 or b.factor == 1 else _divisor(a.factor, b.factor)
        node.degree = max(a.degree, b.degree)
        node.value = value
        node.sources = _sources(nodes, x) | _sources(nodes, y)
    return at


@compiled
def _sum_at(x: np.uint64, y: np.uint64, sign: int) -> np.uint64:
    """Return x + y or x - y at one point."""
    return plus_modulo(x, y if sign > 0 else minus(y))


@compiled
def scaled_sum(nodes: Any, size: Any, x: int, by: int, low: int, high: int) -> int:
    """Return a polynomial, which is no number, times a number but 0; -1 where it must be an ordinary node."""
    one = nodes[x]
    # The factor is no greater than the norm, so that it fits too.
    number, norm = product_held(number_in(nodes, x), by), one.norm * abs(np.float64(by))
    at = _made(nodes, size, low, high, number, norm)
    if at >= 0:
        node, times = nodes[at], residue(by)
        node.first = times_modulo(one.first, times)
        node.second = times_modulo(one.second, times)
        node.third = times_modulo(one.third, times)
        node.factor = one.factor * abs(by)
        node.degree = one.degree
        node.value = _value(nodes, x) * by
        node.sources = _sources(nodes, x)
    return at


@compiled
def product_of(nodes: Any, size: Any, x: int, y: int, low: int, high: int) -> int:
    """Return the product of two polynomials, which are no numbers; -1 where it must be an ordinary node."""
    a, b = nodes[x], nodes[y]
    p, q = number_in(nodes, x), number_in(nodes, y)
    norm = a.norm * b.norm + abs(np.float64(p)) * b.norm + abs(np.float64(q)) * a.norm
    at = _made(nodes, size, low, high, product_held(p, q), norm)
    if at >= 0:
        node = nodes[at]
        node.first = _product_at(a.first, b.first, p, q)
        node.second = _product_at(a.second, b.second, p, q)
        node.third = _product_at(a.third, b.third, p, q)
        node.factor = a.factor * b.factor if p == 0 and q == 0 else 1
        node.degree = a.degree + b.degree
        node.value = a.value * b.value
        node.sources = _sources(nodes, x) | _sources(nodes, y)
    return at


@compiled
def _product_at(x: np.uint64, y: np.uint64, p: int, q: int) -> np.uint64:
    """Return (x + p) * (y + q) - p * q at one point."""
    found = times_modulo(x, y)
    if p != 0:
        found = plus_modulo(found, times_modulo(residue(p), y))
    if q != 0:
        found = plus_modulo(found, times_modulo(residue(q), x))
    return found


@compiled
def is_consistent(node: Any) -> bool:
    """Tell whether the value in the recorded case is the same in the field; if its interval fits 64 bits."""
    if node.low <= -LIMIT or node.high >= LIMIT:
        return True
    number = 0 if node.operation == INPUT else int(node.amount)
    return bool(plus_modulo(node.third, residue(number)) == residue(node.value))


@compiled
def alone(nodes: Any, size: Any, begin: int, at: int) -> int:
    """Return a sum moved to row `begin`, where what it was made from ends; any other node as it is."""
    if size[FINGERPRINTS] == 0 or at < begin or nodes[at].operation != SUM:
        return at
    if at > begin:
        nodes[begin] = nodes[at]
    size[ROWS] = begin + 1
    return begin
