"""Simplify operations that are no sums or products, in compiled code, each to one form.

The rules take canonical forms, and use their intervals.
"""

from __future__ import annotations

from typing import Any

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.extremes import extreme
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
    single,
)
from neonlab.prove.expressions.node import highest_of_lane, lowest_of_lane, power
from neonlab.prove.expressions.operation import (
    AND,
    INPUT,
    LIMIT,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    SELECT,
    SHIFT_RIGHT,
    SUM,
    WRAP,
    ZERO,
)


@compiled
def _of_same_sign(forms: Any, x: int) -> int:
    """Return x, or where it is the bits that two forms both have, one of which is below 0, the other one."""
    inner = single(forms, x)
    while inner >= 0 and forms.atoms[inner].operation == AND and forms.polynomials[x].constant == 0:
        a, b = forms.atoms[inner].x, forms.atoms[inner].y
        if forms.terms[forms.polynomials[x].first].coefficient != 1:
            break
        if forms.polynomials[b].high < 0:
            x = a
        elif forms.polynomials[a].high < 0:
            x = b
        else:
            break
        inner = single(forms, x)
    return x


@compiled
def _sign_alone(forms: Any, x: int) -> int:
    """Return `sign` without a look at what x is made of, but for bits that it shares."""
    x = _of_same_sign(forms, x)
    one = forms.polynomials[x]
    if one.high < 0:
        return number(forms, 1)
    if one.low >= 0:
        return number(forms, 0)
    return of_atom(forms, atom(forms, NEGATIVE, x, 0, 0, 0, 0, 1))


@compiled
def _inner_shift(forms: Any, x: int, by: int) -> int:
    """Return the one term of x that is a shift, if it and one of x by `by` can be one; else -1.

    Beside operations that are no sums or products the shift stays: a function of what is shifted takes fewer values.
    """
    one, found = forms.polynomials[x], -1
    for at in range(one.first, one.first + one.count):
        operation, coefficient = forms.atoms[forms.terms[at].monomial].operation, forms.terms[at].coefficient
        if operation == SHIFT_RIGHT and found < 0 and (coefficient == 1 or coefficient == -1):
            found = at
        elif operation not in (INPUT, MULTIPLY, SUM):
            return -1
    if found < 0:
        return -1
    amount = forms.atoms[forms.terms[found].monomial].amount
    most = LIMIT >> amount  # what is beside the shift is multiplied
    return found if amount + by < 62 and -most < one.low and one.high < most and abs(one.constant) < most else -1


@compiled
def _with_shift(forms: Any, x: int, term: int) -> int:
    """Return the form whose shift by the amount of a term of x, which is a shift, is x."""
    inner, factor = forms.terms[term].monomial, forms.terms[term].coefficient
    deeper = forms.atoms[inner]
    times = power(deeper.amount)
    beside = combined(forms, x, times, of_atom(forms, inner), -factor * times, 0)
    # a shift that is subtracted is rounded up: -floor(u / m) = floor((m - 1 - u) / m)
    return combined(forms, beside, 1, deeper.x, factor, times - 1 if factor < 0 else 0)


@compiled
def shifted(forms: Any, x: int, by: int) -> int:
    """Return the form of floor(x / 2**by): whole multiples of 2**by leave it, and a shift in x joins it."""
    # Loops: compiled code that calls itself crashes when it is loaded from numba's cache.
    whole, rest = number(forms, 0), x
    inner = _inner_shift(forms, rest, by)
    first_time = True
    while first_time or inner >= 0:
        first_time = False
        while inner >= 0:
            amount = forms.atoms[forms.terms[inner].monomial].amount
            rest, by = _with_shift(forms, rest, inner), by + amount
            inner = _inner_shift(forms, rest, by)
        step = power(by)
        one = forms.polynomials[rest]
        first = forms.used[SCRATCH]
        for at in range(one.first, one.first + one.count):
            if forms.terms[at].coefficient % step == 0:
                collect(forms, forms.terms[at].monomial, forms.terms[at].coefficient >> by)
        leaves = collected(forms, first, one.constant >> by)
        whole = combined(forms, whole, 1, leaves, 1, 0)
        rest = combined(forms, rest, 1, leaves, -step, 0)
        rest, by = _halved(forms, rest, by)
        inner = _inner_shift(forms, rest, by)
    left = forms.polynomials[rest]
    low = left.low >> by if left.low > -LIMIT else left.low
    high = left.high >> by if left.high < LIMIT else left.high
    if low == high:
        return combined(forms, whole, 1, 0, 0, low)
    if low == -1 and high == 0:  # only the sign is left
        return combined(forms, whole, 1, _sign_alone(forms, rest), -1, 0)
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
        if least <= forms.polynomials[x].low and forms.polynomials[x].high <= most and not _has_lanes(forms, x, bits):
            return x
        x = _unwrapped(forms, x, bits)
        one = forms.polynomials[x]
        if one.low > -LIMIT and one.high < LIMIT:
            turns = (one.low - least) >> bits
            if one.high - (turns << bits) <= most:
                return combined(forms, x, 1, 0, 0, -(turns << bits))
    made = atom(forms, WRAP, x, 0, 0, amount, least, most)
    return of_atom(forms, made)


@compiled
def _has_lanes(forms: Any, x: int, bits: int) -> bool:
    """Tell whether lanes of as many bits or more are in x."""
    one = forms.polynomials[x]
    for at in range(one.first, one.first + one.count):
        inner = forms.atoms[forms.terms[at].monomial]
        if inner.operation == WRAP and inner.amount >> 1 >= bits:
            return True
    return False


@compiled
def _unwrapped(forms: Any, x: int, bits: int) -> int:
    """Return x modulo 2**bits without lanes of as many bits or more in it, whose wrapping makes no difference then.

    Nor does what is multiplied with 2**bits.
    """
    one = forms.polynomials[x]
    first, constant, changed = forms.used[SCRATCH], one.constant, False
    for at in range(one.first, one.first + one.count):
        term = forms.terms[at]
        inner = forms.atoms[term.monomial]
        if inner.operation == WRAP and inner.amount >> 1 >= bits:
            constant = plus(forms, constant, collect_scaled(forms, inner.x, term.coefficient))
            changed = True
        elif term.coefficient & power(bits) - 1 == 0:  # upper bytes beside the one that is taken
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
def _sign_of_rest(forms: Any, x: int) -> int:
    """Return the form of 1 if x < 0, else 0, where x compares the rest of a division; -1 for any other x.

    For q = k * 2**s + r, the rest r > t exactly when floor((q + 2**s - 1 - t) / 2**s) is k + 1 and not k, as long as t
    lies from 0 to 2**s - 1.  So the steps of rounding by the rest become a shift of a sum.
    """
    one = forms.polynomials[x]
    for at in range(one.first, one.first + one.count):
        step = forms.terms[at].coefficient
        inner = forms.terms[at].monomial
        if forms.atoms[inner].operation != SHIFT_RIGHT or abs(step) < 2 or abs(step) & (abs(step) - 1):
            continue
        by = 0
        while power(by) < abs(step):
            by += 1
        deep, operand = forms.atoms[inner].amount, forms.atoms[inner].x
        if deep < by:
            continue
        whole = shifted(forms, operand, deep - by) if deep > by else operand
        floor = of_atom(forms, inner)
        if step > 0:  # t - r < 0
            limit = combined(forms, combined(forms, x, 1, floor, -step, 0), 1, whole, 1, 0)
        else:  # r - t - 1 < 0
            limit = combined(forms, combined(forms, x, -1, floor, step, 0), 1, whole, 1, -1)
        ends = forms.polynomials[limit]
        if ends.low < 0 or ends.high > abs(step) - 1:
            continue
        above = shifted(forms, combined(forms, whole, 1, limit, -1, abs(step) - 1), by)
        if step > 0:
            return combined(forms, above, 1, floor, -1, 0)
        return combined(forms, above, -1, floor, 1, 1)
    return -1


@compiled
def sign(forms: Any, x: int) -> int:
    """Return the form of 1 if x < 0, else 0."""
    x = _of_same_sign(forms, x)
    of_rest = _sign_of_rest(forms, x)
    return of_rest if of_rest >= 0 else _sign_alone(forms, x)


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
def _factor_of(forms: Any, x: int, y: int) -> int:
    """Return the number k for which x is k * y but for a number; 0 where there is none."""
    a, b = forms.polynomials[x], forms.polynomials[y]
    if a.count != b.count or a.count == 0:
        return 0
    factor = 0
    for at in range(a.count):
        mine, other = forms.terms[a.first + at], forms.terms[b.first + at]
        if mine.monomial != other.monomial or mine.coefficient % other.coefficient != 0:
            return 0
        found = mine.coefficient // other.coefficient
        if at > 0 and found != factor:
            return 0
        factor = found
    return int(factor)


@compiled
def _is_less_with(forms: Any, x: int, y: int, test: int) -> bool:
    """Tell whether x <= y where the test is below 0, and y <= x elsewhere.

    So it is of x - y = k * test + r with r from 0 to k: below 0, the test is -1 at most.
    """
    difference = combined(forms, x, 1, y, -1, 0)
    factor = _factor_of(forms, difference, test)
    if factor <= 0 or abs(forms.polynomials[test].constant) > LIMIT // factor:
        return False
    rest = forms.polynomials[difference].constant - factor * forms.polynomials[test].constant
    return bool(0 <= rest <= factor)


@compiled
def _extreme_by_sign(forms: Any, test: int, x: int, y: int) -> int:
    """Return the extreme of x and y that x is where the test is below 0, and y elsewhere; -1 where it is none."""
    if _is_less_with(forms, x, y, test):
        return extreme(forms, MINIMUM, x, y)
    if _is_less_with(forms, y, x, test):
        return extreme(forms, MAXIMUM, x, y)
    return -1


@compiled
def _chosen_by_sign(forms: Any, truth: int, x: int, y: int) -> int:
    """Return the form of x where the atom `truth`, a sign, is 1, else y; -1 where it is no extreme.

    A distance from 0 is one.  The bitwise way to it inverts y where it is below 0, and then adds 1: so y inverted is
    -y less the sign.
    """
    test = forms.atoms[truth].x
    both = combined(forms, x, 1, y, 1, 0)
    if is_number(forms, both) and forms.polynomials[both].constant == -1 and not is_number(forms, y):
        found = _extreme_by_sign(forms, test, combined(forms, x, 1, 0, 0, 1), y)
        if found >= 0:
            return combined(forms, found, 1, of_atom(forms, truth), -1, 0)
    return _extreme_by_sign(forms, test, x, y)


@compiled
def chosen(forms: Any, condition: int, x: int, y: int) -> int:
    """Return the form of x where the condition is not 0, else y."""
    one = forms.polynomials[condition]
    if one.low > 0 or one.high < 0 or x == y:
        return x
    if is_number(forms, condition):
        return y
    inner = single(forms, condition)
    if inner >= 0 and forms.atoms[inner].low == 0 and forms.atoms[inner].high == 1:
        if abs(one.constant) == 1 and one.constant == -forms.terms[one.first].coefficient:
            x, y = y, x  # one less the truth value
        if one.constant == 0 or abs(one.constant) == 1:
            condition = of_atom(forms, inner)
        if forms.atoms[inner].operation == NEGATIVE:
            found = _chosen_by_sign(forms, inner, x, y)
            if found >= 0:
                return found
    a, b = forms.polynomials[x], forms.polynomials[y]
    return of_atom(forms, atom(forms, SELECT, condition, x, y, 0, min(a.low, b.low), max(a.high, b.high)))
