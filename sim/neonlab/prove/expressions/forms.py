"""Keep polynomials in one form each, in compiled code, so that equal ones have equal numbers.

A polynomial is a number and terms: coefficients times monomials, ascending by monomial.  A monomial is an atom: an
input element, an operation on polynomials that is not multiplied out, or a product of two monomials.  Polynomials and
atoms are interned: two that are made alike are the same row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import makes_arrays
from neonlab.prove.expressions.node import OPERATION_FIELDS, product_held, sum_held
from neonlab.prove.expressions.operation import LIMIT, MULTIPLY

POLYNOMIAL = np.dtype(
    [
        ("first", np.int64),  # its terms are `count` rows from here
        ("constant", np.int64),
        ("low", np.int64),
        ("high", np.int64),
        ("count", np.int32),
        ("next", np.int32),  # the next polynomial of the same hash
    ]
)
TERM = np.dtype([("coefficient", np.int64), ("monomial", np.int32)])
#: `x`, `y` and `z` are polynomials; of a product (MULTIPLY) x and y are atoms, x the product of all but the last.
ATOM = np.dtype([*OPERATION_FIELDS, ("next", np.int32)])
#: Columns of `used`: rows in use, whether a table was too small or a coefficient too large, and whether a sum that is
#: known by its fingerprint contradicts itself.
POLYNOMIALS, TERMS, ATOMS, FULL, TOO_LARGE, SCRATCH, BROKEN = range(7)
#: Most terms that are sorted by insertion, without further memory.
_MOST_INSERTED = 32


class Forms(NamedTuple):
    """The tables.  Row 0 of the polynomials is the number 0.  `heads` are lists by hash, powers of two long."""

    polynomials: npt.NDArray[Any]
    terms: npt.NDArray[Any]
    atoms: npt.NDArray[Any]
    heads: npt.NDArray[np.int32]
    atom_heads: npt.NDArray[np.int32]
    scratch: npt.NDArray[Any]  # terms of a sum that is being collected
    used: npt.NDArray[np.int64]


def empty_forms(rows: int) -> Forms:
    """Return tables for so many polynomials and atoms, and four times so many terms."""
    size = 1 << max(10, rows.bit_length())
    return Forms(
        np.zeros(rows, POLYNOMIAL),
        np.zeros(4 * rows, TERM),
        np.zeros(rows, ATOM),
        np.full(size, -1, np.int32),
        np.full(size, -1, np.int32),
        np.zeros(4 * rows, TERM),
        np.zeros(7, np.int64),
    )


@compiled
def _mixed(seed: np.uint64, value: int) -> np.uint64:
    """Return a hash of both (the step of splitmix64)."""
    mixed = (seed ^ np.uint64(value)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0xBF58476D1CE4E5B9) ^ mixed >> np.uint64(32)


@compiled
def atom(forms: Any, operation: int, x: int, y: int, z: int, amount: int, low: int, high: int) -> int:
    """Return the atom with these operands, whose values lie from `low` to `high`."""
    code = _mixed(_mixed(_mixed(_mixed(np.uint64(operation), x), y), z), amount)
    bucket = np.int64(code & np.uint64(len(forms.atom_heads) - 1))
    at = forms.atom_heads[bucket]
    while at >= 0:
        one = forms.atoms[at]
        if one.operation == operation and one.x == x and one.y == y and one.z == z and one.amount == amount:
            return int(at)
        at = one.next
    at = int(forms.used[ATOMS])
    if at >= len(forms.atoms):
        forms.used[FULL] = 1
        return 0
    one = forms.atoms[at]
    one.operation = operation
    one.x = x
    one.y = y
    one.z = z
    one.amount = amount
    one.low = low
    one.high = high
    one.next = forms.atom_heads[bucket]
    forms.atom_heads[bucket] = at
    forms.used[ATOMS] = at + 1
    return at


@compiled
def _product_of_two(forms: Any, x: int, y: int) -> int:
    """Return the atom of x times y, of which y is no product and no less than the last factor of x."""
    low_x, high_x = forms.atoms[x].low, forms.atoms[x].high
    low_y, high_y = forms.atoms[y].low, forms.atoms[y].high
    a, b = product_held(low_x, low_y), product_held(low_x, high_y)
    c, d = product_held(high_x, low_y), product_held(high_x, high_y)
    low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
    if x == y:
        low = 0 if low_x <= 0 <= high_x else min(a, d)
    return atom(forms, MULTIPLY, x, y, 0, 0, low, high)


@compiled
def product(forms: Any, x: int, y: int) -> int:
    """Return the atom of the product of two atoms; equal factors in any order give the same one."""
    if forms.atoms[x].operation != MULTIPLY and forms.atoms[y].operation != MULTIPLY:
        return _product_of_two(forms, min(x, y), max(x, y))
    return _product_of_products(forms, x, y)


@makes_arrays
def _product_of_products(forms: Any, x: int, y: int) -> int:
    """Return the atom of a product with more factors than two, in their order."""
    factors = np.zeros(64, np.int64)
    count = 0
    for which in range(2):
        at = x if which == 0 else y
        while forms.atoms[at].operation == MULTIPLY:
            if count >= 60:
                forms.used[TOO_LARGE] = 1
                return 0
            factors[count] = forms.atoms[at].y
            count += 1
            at = forms.atoms[at].x
        factors[count] = at
        count += 1
    ordered = np.sort(factors[:count])
    found = ordered[0]
    for at in range(1, count):
        found = _product_of_two(forms, found, ordered[at])
    return int(found)


@compiled
def collect(forms: Any, monomial: int, coefficient: int) -> None:
    """Add a term to the sum that is being collected."""
    at = forms.used[SCRATCH]
    if at >= len(forms.scratch):
        forms.used[FULL] = 1
        return
    forms.scratch[at].monomial = monomial
    forms.scratch[at].coefficient = coefficient
    forms.used[SCRATCH] = at + 1


@compiled
def times(forms: Any, x: int, y: int) -> int:
    """Return the product of two coefficients; notes where it is too large for 64 bits."""
    found = product_held(x, y)
    if abs(found) >= LIMIT:
        forms.used[TOO_LARGE] = 1
    return found


@compiled
def plus(forms: Any, x: int, y: int) -> int:
    """Return the sum of two coefficients; notes where it is too large for 64 bits."""
    found = sum_held(x, y)
    if abs(found) >= LIMIT:
        forms.used[TOO_LARGE] = 1
    return found


@compiled
def collected(forms: Any, first: int, constant: int) -> int:
    """Return the polynomial of the terms that were collected from row `first` on; they leave the collection."""
    last = forms.used[SCRATCH]
    forms.used[SCRATCH] = first
    if forms.used[FULL] or forms.used[TOO_LARGE]:
        return 0
    count = _joined(forms, first, last)
    return _interned(forms, first, count, constant)


@makes_arrays
def _sort_many(scratch: Any, first: int, last: int) -> None:
    part = scratch[first:last].copy()
    order = np.argsort(part.monomial, kind="mergesort")
    for at in range(last - first):
        scratch[first + at] = part[order[at]]


@compiled
def _sort(scratch: Any, first: int, last: int) -> None:
    """Sort terms by monomial."""
    if last - first > _MOST_INSERTED:
        _sort_many(scratch, first, last)
        return
    for at in range(first + 1, last):
        monomial, coefficient = scratch[at].monomial, scratch[at].coefficient
        to = at
        while to > first and scratch[to - 1].monomial > monomial:
            scratch[to].monomial = scratch[to - 1].monomial
            scratch[to].coefficient = scratch[to - 1].coefficient
            to -= 1
        scratch[to].monomial = monomial
        scratch[to].coefficient = coefficient


@compiled
def _joined(forms: Any, first: int, last: int) -> int:
    """Sort terms by monomial and add up those of the same; return how many are left."""
    _sort(forms.scratch, first, last)
    kept = first
    at = first
    while at < last:
        monomial, total = forms.scratch[at].monomial, 0
        while at < last and forms.scratch[at].monomial == monomial:
            total = plus(forms, total, forms.scratch[at].coefficient)
            at += 1
        if total != 0:
            forms.scratch[kept].monomial = monomial
            forms.scratch[kept].coefficient = total
            kept += 1
    return kept - first


@compiled
def _interned(forms: Any, first: int, count: int, constant: int) -> int:
    """Return the polynomial of `count` ordered terms from row `first` of the scratch on."""
    code = _mixed(np.uint64(count), constant)
    for at in range(first, first + count):
        code = _mixed(_mixed(code, forms.scratch[at].monomial), forms.scratch[at].coefficient)
    bucket = np.int64(code & np.uint64(len(forms.heads) - 1))
    known = forms.heads[bucket]
    while known >= 0:
        one = forms.polynomials[known]
        if one.count == count and one.constant == constant:
            same = True
            for at in range(count):
                term, other = forms.terms[one.first + at], forms.scratch[first + at]
                if term.monomial != other.monomial or term.coefficient != other.coefficient:
                    same = False
                    break
            if same:
                return int(known)
        known = one.next
    at, begins = int(forms.used[POLYNOMIALS]), int(forms.used[TERMS])
    if at >= len(forms.polynomials) or begins + count > len(forms.terms):
        forms.used[FULL] = 1
        return 0
    low = high = constant
    for row in range(count):
        term = forms.scratch[first + row]
        forms.terms[begins + row] = term
        one_low, one_high = forms.atoms[term.monomial].low, forms.atoms[term.monomial].high
        a, b = product_held(one_low, term.coefficient), product_held(one_high, term.coefficient)
        low, high = sum_held(low, min(a, b)), sum_held(high, max(a, b))
    made = forms.polynomials[at]
    made.first = begins
    made.count = count
    made.constant = constant
    made.low = low
    made.high = high
    made.next = forms.heads[bucket]
    forms.heads[bucket] = at
    forms.used[POLYNOMIALS] = at + 1
    forms.used[TERMS] = begins + count
    return at


@compiled
def number(forms: Any, value: int) -> int:
    """Return the polynomial of a number."""
    return _interned(forms, forms.used[SCRATCH], 0, value)


@compiled
def is_number(forms: Any, x: int) -> bool:
    """Tell whether a polynomial is a number."""
    return bool(forms.polynomials[x].count == 0)


@compiled
def of_atom(forms: Any, one: int) -> int:
    """Return the polynomial of one atom."""
    first = forms.used[SCRATCH]
    collect(forms, one, 1)
    return collected(forms, first, 0)


@compiled
def single(forms: Any, x: int) -> int:
    """Return the atom that a polynomial consists of, with coefficient 1 or -1 and any constant; -1 for others."""
    one = forms.polynomials[x]
    if one.count != 1 or abs(forms.terms[one.first].coefficient) != 1:
        return -1
    return int(forms.terms[one.first].monomial)


@compiled
def collect_scaled(forms: Any, x: int, coefficient: int) -> int:
    """Collect the terms of a polynomial times a number; return its constant times the number."""
    one = forms.polynomials[x]
    for at in range(one.first, one.first + one.count):
        term = forms.terms[at]
        collect(forms, term.monomial, times(forms, term.coefficient, coefficient))
    return times(forms, one.constant, coefficient)


@compiled
def collect_product(forms: Any, x: int, y: int, coefficient: int) -> int:
    """Collect the terms of a product of polynomials times a number; return the constant of the product."""
    a, b = forms.polynomials[x], forms.polynomials[y]
    for at in range(a.first, a.first + a.count):
        left = forms.terms[at]
        scaled = times(forms, left.coefficient, coefficient)
        if b.constant != 0:
            collect(forms, left.monomial, times(forms, scaled, b.constant))
        for row in range(b.first, b.first + b.count):
            right = forms.terms[row]
            collect(forms, product(forms, left.monomial, right.monomial), times(forms, scaled, right.coefficient))
            if forms.used[FULL] or forms.used[TOO_LARGE]:
                return 0
    factor = times(forms, a.constant, coefficient)
    if factor != 0:
        for row in range(b.first, b.first + b.count):
            right = forms.terms[row]
            collect(forms, right.monomial, times(forms, right.coefficient, factor))
    return times(forms, factor, b.constant)


@compiled
def combined(forms: Any, x: int, a: int, y: int, b: int, constant: int) -> int:
    """Return a times x plus b times y plus a constant."""
    if a == 1 and b == 0 and constant == 0:
        return x
    first = forms.used[SCRATCH]
    total = plus(forms, constant, collect_scaled(forms, x, a))
    if b != 0:
        total = plus(forms, total, collect_scaled(forms, y, b))
    return collected(forms, first, total)
