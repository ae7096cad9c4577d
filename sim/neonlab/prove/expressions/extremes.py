"""Simplify minima and maxima, in compiled code, each to one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import makes_arrays
from neonlab.prove.expressions.forms import atom, combined, is_number, number, of_atom, single
from neonlab.prove.expressions.node import IS_NUMBER
from neonlab.prove.expressions.operation import INPUT, LIMIT, MAXIMUM, MINIMUM

#: Most operands that wait to be looked into: those of an extreme of two extremes.
_MOST_WAITING = 1 << 10


@compiled
def _share_terms(forms: Any, x: int, y: int) -> bool:
    """Tell whether two forms have a monomial in common, so that one may be greater though their intervals meet."""
    a, b = forms.polynomials[x], forms.polynomials[y]
    left, right = a.first, b.first
    while left < a.first + a.count and right < b.first + b.count:
        mine, other = forms.terms[left].monomial, forms.terms[right].monomial
        if mine == other:
            return True
        if mine < other:
            left += 1
        else:
            right += 1
    return False


@compiled
def _extreme_of_two(forms: Any, operation: int, x: int, y: int) -> int:
    """Return the form of the smaller or the greater of two forms, the one with the lower number first."""
    x, y = min(x, y), max(x, y)
    a, b = forms.polynomials[x], forms.polynomials[y]
    least = operation == MINIMUM
    low = min(a.low, b.low) if least else max(a.low, b.low)
    high = min(a.high, b.high) if least else max(a.high, b.high)
    if _share_terms(forms, x, y) or a.high <= b.low or b.high <= a.low:
        difference = forms.polynomials[combined(forms, x, 1, y, -1, 0)]
        if difference.high <= 0:
            return x if least else y
        if difference.low >= 0:
            return y if least else x
        # The greater is half of the sum at least, and the smaller at most: so the distance from 0 is none below it.
        both = forms.polynomials[combined(forms, x, 1, y, 1, 0)]
        if least and both.high < LIMIT:
            high = min(high, both.high >> 1)
        if not least and both.low > -LIMIT:
            low = max(low, -(-both.low >> 1))
    return of_atom(forms, atom(forms, operation, x, y, 0, 0, low, high))


@compiled
def _clamped(forms: Any, x: int, low: int, high: int) -> int:
    """Return the form of x between two numbers, of which low is no greater; clamps in a row become one."""
    inner = single(forms, x)
    while inner >= 0:
        one, deeper = forms.polynomials[x], forms.atoms[inner]
        least = deeper.operation == MINIMUM
        if forms.terms[one.first].coefficient != 1 or (deeper.operation != MAXIMUM and not least):
            break
        operand, limit = (deeper.y, deeper.x) if is_number(forms, deeper.x) else (deeper.x, deeper.y)
        if not is_number(forms, limit):
            break
        value = forms.polynomials[limit].constant + one.constant
        if least:
            high = max(low, min(high, value))
        else:
            low = max(low, min(high, value))
        x = combined(forms, operand, 1, 0, 0, one.constant)
        inner = single(forms, x)
    if forms.polynomials[x].low < low:
        x = _extreme_of_two(forms, MAXIMUM, x, number(forms, low))
    if forms.polynomials[x].high > high:
        x = _extreme_of_two(forms, MINIMUM, x, number(forms, high))
    return x


@compiled
def _atom_alone(forms: Any, x: int) -> int:
    """Return the atom that a polynomial is; -1 for others."""
    inner = single(forms, x)
    one = forms.polynomials[x]
    return inner if inner >= 0 and one.constant == 0 and forms.terms[one.first].coefficient == 1 else -1


@compiled
def _is_same(forms: Any, operation: int, x: int) -> bool:
    """Tell whether a polynomial is an operation and nothing else."""
    inner = _atom_alone(forms, x)
    return inner >= 0 and forms.atoms[inner].operation == operation


@compiled
def _gather(forms: Any, operation: int, root: int, waiting: Any, found: Any, count: int) -> int:
    """Add what a form is the extreme of to `found`, as far as it has room, from number `count` on; return the number.

    Extremes are in a row mostly, of which one operand is no extreme: so few wait.
    """
    waiting[0] = root
    left = 1
    while left > 0:
        left -= 1
        at = waiting[left]
        if left < len(waiting) - 2 and _is_same(forms, operation, at):
            inner = forms.atoms[_atom_alone(forms, at)]
            first, second = inner.x, inner.y
            if not _is_same(forms, operation, second):
                first, second = second, first
            waiting[left], waiting[left + 1] = second, first
            left += 2
            continue
        if count < len(found):
            found[count] = at
        count += 1
    return count


@makes_arrays
def _operands(forms: Any, operation: int, roots: Any, count: int) -> Any:
    """Return what the first `count` forms of `roots` are the extremes of, in order of their numbers."""
    waiting, found = np.empty(_MOST_WAITING, np.int64), np.empty(2 * count + 6, np.int64)
    while True:
        total = 0
        for at in range(count):
            total = _gather(forms, operation, roots[at], waiting, found, total)
        if total <= len(found):
            return np.sort(found[:total])
        found = np.empty(total, np.int64)


@makes_arrays
def extreme(forms: Any, operation: int, x: int, y: int) -> int:
    """Return the form of the smaller or the greater of two."""
    roots = np.empty(2, np.int64)
    roots[0], roots[1] = x, y
    return extreme_of_all(forms, operation, roots, 2)


@makes_arrays
def extreme_of_all(forms: Any, operation: int, roots: Any, count: int) -> int:
    """Return the form of the smallest or the greatest of the first `count` of `roots`, in any order and grouping."""
    ordered = _operands(forms, operation, roots, count)
    result, limit = -1, LIMIT if operation == MINIMUM else -LIMIT
    for at in range(len(ordered)):
        if is_number(forms, ordered[at]):
            value = forms.polynomials[ordered[at]].constant
            limit = min(limit, value) if operation == MINIMUM else max(limit, value)
        elif result < 0:
            result = ordered[at]
        elif ordered[at] != ordered[at - 1]:
            result = _extreme_of_two(forms, operation, result, ordered[at])
    if result < 0:
        return number(forms, limit)
    if abs(limit) >= LIMIT:
        return int(result)
    return (
        _clamped(forms, int(result), -LIMIT, limit) if operation == MINIMUM else _clamped(forms, result, limit, LIMIT)
    )


@makes_arrays
def float_extreme_of_all(forms: Any, operation: int, roots: Any, count: int) -> int:
    """Return the form of the smallest or the greatest of the first `count` of `roots`, which are floats.

    Of a float with itself it is the float only where that is a number: bits of others change.
    """
    ordered = _operands(forms, operation, roots, count)
    result = int(ordered[0])
    for at in range(1, len(ordered)):
        if ordered[at] != ordered[at - 1]:
            result = of_atom(forms, atom(forms, operation, result, ordered[at], 0, 0, 0, (1 << 32) - 1))
    if result == ordered[0]:
        inner = _atom_alone(forms, result)
        if inner < 0 or forms.atoms[inner].operation != INPUT or forms.atoms[inner].z != IS_NUMBER:
            result = of_atom(forms, atom(forms, operation, result, result, 0, 0, 0, (1 << 32) - 1))
    return result
