"""Simplify operations that are no sums or products, in compiled code, each to one form.

The rules take canonical forms, and use their intervals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import compiled
from neonlab.prove.expressions.forms import (
    SCRATCH,
    atom,
    collect,
    collect_scaled,
    collected,
    combined,
    is_number,
    number,
    of_atom,
    plus,
)
from neonlab.prove.expressions.node import highest_of_lane, lowest_of_lane, power
from neonlab.prove.expressions.operation import (
    LIMIT,
    MAXIMUM,
    MINIMUM,
    NEGATIVE,
    SELECT,
    SHIFT_RIGHT,
    WRAP,
    ZERO,
)


@compiled
def _single(forms: Any, x: int) -> int:
    """Return the atom that a polynomial consists of, with coefficient 1 or -1 and any constant; -1 for others."""
    one = forms.polynomials[x]
    if one.count != 1 or abs(forms.terms[one.first].coefficient) != 1:
        return -1
    return int(forms.terms[one.first].monomial)


@compiled
def shifted(forms: Any, x: int, by: int) -> int:
    """Return the form of floor(x / 2**by): whole multiples of 2**by leave it, and shifts in a row become one."""
    # A loop: compiled code that calls itself crashes when it is loaded from numba's cache.
    inner = _single(forms, x)
    while inner >= 0 and forms.atoms[inner].operation == SHIFT_RIGHT and forms.atoms[inner].amount + by < 62:
        outer, deeper = forms.polynomials[x], forms.atoms[inner]
        if forms.terms[outer.first].coefficient != 1:
            break
        by += deeper.amount
        x = combined(forms, deeper.x, 1, 0, 0, outer.constant << deeper.amount)
        inner = _single(forms, x)
    step = power(by)
    one = forms.polynomials[x]
    first = forms.used[SCRATCH]
    for at in range(one.first, one.first + one.count):
        if forms.terms[at].coefficient % step == 0:
            collect(forms, forms.terms[at].monomial, forms.terms[at].coefficient >> by)
    whole = collected(forms, first, one.constant >> by)
    rest = combined(forms, x, 1, whole, -step, 0)
    rest, by = _halved(forms, rest, by)
    left = forms.polynomials[rest]
    low = left.low >> by if left.low > -LIMIT else left.low
    high = left.high >> by if left.high < LIMIT else left.high
    if low == high:
        return combined(forms, whole, 1, 0, 0, low)
    if low == -1 and high == 0:  # only the sign is left
        return combined(forms, whole, 1, sign(forms, rest), -1, 0)
    made = atom(forms, SHIFT_RIGHT, rest, 0, 0, by, low, high)
    return combined(forms, whole, 1, of_atom(forms, made), 1, 0)


@compiled
def _halved(forms: Any, x: int, by: int) -> tuple[int, int]:
    """Return a form and a shift with the same result as x and `by`, with powers of two that all terms share out."""
    one = forms.polynomials[x]
    shared = by
    for at in range(one.first, one.first + one.count):
        coefficient, zeros = forms.terms[at].coefficient, 0
        while zeros < shared and coefficient % 2 == 0:
            coefficient //= 2
            zeros += 1
        shared = zeros
    if shared == 0 or one.count == 0:
        return x, by
    first = forms.used[SCRATCH]
    for at in range(one.first, one.first + one.count):
        collect(forms, forms.terms[at].monomial, forms.terms[at].coefficient >> shared)
    return collected(forms, first, one.constant >> shared), by - shared


@compiled
def wrapped(forms: Any, x: int, amount: int) -> int:
    """Return the form of x in a lane: x less a multiple of the lane's size, if its interval then fits."""
    bits, signed = amount >> 1, amount & 1 == 1
    least, most = -LIMIT, LIMIT
    if bits < 62:
        least, most = lowest_of_lane(bits, signed), highest_of_lane(bits, signed)
        x = _unwrapped(forms, x, bits)
        one = forms.polynomials[x]
        if one.low > -LIMIT and one.high < LIMIT:
            turns = (one.low - least) >> bits
            if one.high - (turns << bits) <= most:
                return combined(forms, x, 1, 0, 0, -(turns << bits))
    made = atom(forms, WRAP, x, 0, 0, amount, least, most)
    return of_atom(forms, made)


@compiled
def _unwrapped(forms: Any, x: int, bits: int) -> int:
    """Return x modulo 2**bits without lanes of as many bits or more in it, whose wrapping makes no difference then."""
    one = forms.polynomials[x]
    first, constant, changed = forms.used[SCRATCH], one.constant, False
    for at in range(one.first, one.first + one.count):
        term = forms.terms[at]
        inner = forms.atoms[term.monomial]
        if inner.operation == WRAP and inner.amount >> 1 >= bits:
            constant = plus(forms, constant, collect_scaled(forms, inner.x, term.coefficient))
            changed = True
        else:
            collect(forms, term.monomial, term.coefficient)
    found = collected(forms, first, constant)
    return _unwrapped_again(forms, found, bits) if changed else found


@compiled
def _unwrapped_again(forms: Any, x: int, bits: int) -> int:
    """Return x with coefficients and constant brought to the lane's range."""
    one = forms.polynomials[x]
    first, half = forms.used[SCRATCH], power(bits - 1)
    for at in range(one.first, one.first + one.count):
        term = forms.terms[at]
        reduced = (term.coefficient + half) % (2 * half) - half
        if reduced != 0:
            collect(forms, term.monomial, reduced)
    return collected(forms, first, (one.constant + half) % (2 * half) - half)


@compiled
def sign(forms: Any, x: int) -> int:
    """Return the form of 1 if x < 0, else 0."""
    one = forms.polynomials[x]
    if one.high < 0:
        return number(forms, 1)
    if one.low >= 0:
        return number(forms, 0)
    return of_atom(forms, atom(forms, NEGATIVE, x, 0, 0, 0, 0, 1))


@compiled
def is_zero(forms: Any, x: int) -> int:
    """Return the form of 1 if x = 0, else 0; x and -x have the same."""
    one = forms.polynomials[x]
    if one.low > 0 or one.high < 0:
        return number(forms, 0)
    if is_number(forms, x):
        return number(forms, 1)
    other = combined(forms, x, -1, 0, 0, 0)
    return of_atom(forms, atom(forms, ZERO, min(x, other), 0, 0, 0, 0, 1))


@compiled
def _extreme_of_two(forms: Any, operation: int, x: int, y: int) -> int:
    """Return the form of the smaller or the greater of two forms, the one with the lower number first."""
    x, y = min(x, y), max(x, y)
    a, b = forms.polynomials[x], forms.polynomials[y]
    least = operation == MINIMUM
    difference = forms.polynomials[combined(forms, x, 1, y, -1, 0)]
    if difference.high <= 0:
        return x if least else y
    if difference.low >= 0:
        return y if least else x
    low = min(a.low, b.low) if least else max(a.low, b.low)
    high = min(a.high, b.high) if least else max(a.high, b.high)
    return of_atom(forms, atom(forms, operation, x, y, 0, 0, low, high))


@compiled
def extreme(forms: Any, operation: int, x: int, y: int) -> int:
    """Return the form of the smaller or the greater of two; of several in any order and grouping it is the same."""
    found = np.zeros(64, np.int64)
    waiting = np.zeros(64, np.int64)
    count, left = 0, 2
    waiting[0], waiting[1] = x, y
    while left > 0:
        left -= 1
        at = waiting[left]
        inner = _single(forms, at)
        one = forms.polynomials[at]
        plain = inner >= 0 and one.constant == 0 and forms.terms[one.first].coefficient == 1
        if plain and forms.atoms[inner].operation == operation and left < 60:
            waiting[left], waiting[left + 1] = forms.atoms[inner].x, forms.atoms[inner].y
            left += 2
        elif count < 60:
            found[count] = at
            count += 1
        else:
            return _extreme_of_two(forms, operation, x, y)
    ordered = np.sort(found[:count])
    result = ordered[0]
    for at in range(1, count):
        if ordered[at] != ordered[at - 1]:
            result = _extreme_of_two(forms, operation, result, ordered[at])
    return int(result)


@compiled
def chosen(forms: Any, condition: int, x: int, y: int) -> int:
    """Return the form of x where the condition is not 0, else y."""
    one = forms.polynomials[condition]
    if one.low > 0 or one.high < 0 or x == y:
        return x
    if is_number(forms, condition):
        return y
    inner = _single(forms, condition)
    if inner >= 0 and forms.atoms[inner].low == 0 and forms.atoms[inner].high == 1:
        if abs(one.constant) == 1 and one.constant == -forms.terms[one.first].coefficient:
            x, y = y, x  # one less the truth value
        if one.constant == 0 or abs(one.constant) == 1:
            condition = of_atom(forms, inner)
        truth = forms.atoms[inner]
        if truth.operation == NEGATIVE:
            if truth.x == combined(forms, x, 1, y, -1, 0):  # x if x < y, else y
                return extreme(forms, MINIMUM, x, y)
            if truth.x == combined(forms, y, 1, x, -1, 0):
                return extreme(forms, MAXIMUM, x, y)
    a, b = forms.polynomials[x], forms.polynomials[y]
    return of_atom(forms, atom(forms, SELECT, condition, x, y, 0, min(a.low, b.low), max(a.high, b.high)))
