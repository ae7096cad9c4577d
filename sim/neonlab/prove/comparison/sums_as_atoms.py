"""Make each sum over input elements one atom, in compiled code: what is left are functions of such sums.

The results of a small shape are sums of products, each with terms of its own, under one function.  In a second set of
tables a sum stands as one atom, of the operation SUM, as a sum that is known by its fingerprint does.  There results
that are the same function of sums with the same ends make one group, and a question about one of them has no terms in
it.  What is equal there is equal: the atom takes every value that the sum takes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import makes_arrays, native_call
from neonlab.prove.expressions.forms import (
    ATOMS,
    FULL,
    POLYNOMIALS,
    SCRATCH,
    TERMS,
    Forms,
    atom,
    collect,
    collected,
    empty_forms,
    single,
)
from neonlab.prove.expressions.operation import ENTRY, INPUT, MULTIPLY, SUM
from neonlab.prove.expressions.table import FloatSpan, Ids

#: Atoms that are no operation, as `neonlab.prove.expressions.canonical` numbers them.
_END, _LIST = 62, 63


def with_sums_as_atoms(forms: Forms, roots: Ids, spans: tuple[FloatSpan, ...]) -> tuple[Forms, Ids]:
    """Return tables with an atom for each sum over input elements, and the number there of each root.

    A sum is what the terms of a polynomial that are elements, or products of them, add up to, without a common factor.
    The elements of `spans` are floats, and stand for themselves: nothing is known of their bits as a number.  So do
    elements that are looked up: results that look up in one table have it in common.
    """
    polynomials, atoms = int(forms.used[POLYNOMIALS]), int(forms.used[ATOMS])
    rows = max(polynomials, atoms, int(forms.used[TERMS]) // 4) + 1
    sums, found = empty_forms(rows)._replace(atoms=forms.atoms), empty_forms(rows + atoms)
    one = forms.atoms[:atoms]
    is_float = np.zeros(atoms, np.bool_)
    for span in spans:
        is_float |= (one["amount"] >= span.first) & (one["amount"] < span.end)
    is_term = (one["operation"] == INPUT) & ~is_float
    numbers, needed = np.zeros(polynomials, np.int32), (np.zeros(polynomials, np.bool_), np.zeros(atoms, np.bool_))
    _find(forms, sums, found, roots, *needed, is_term, numbers, np.zeros(atoms, np.int32))
    assert not sums.used[FULL]
    assert not found.used[FULL]
    return found, numbers[roots]


@compiled
def _is_ready(forms: Any, polynomial: int, atoms: int) -> bool:
    """Tell whether all atoms of a polynomial are below a number."""
    row = forms.polynomials[polynomial]
    for at in range(row.first, row.first + row.count):  # noqa: SIM110 - compiled code has no generator expressions
        if forms.terms[at].monomial >= atoms:
            return False
    return True


@compiled
def _sum(sums: Any, found: Any, first: int) -> int:
    """Return the atom for the terms that were collected from row `first` on."""
    number = collected(sums, first, 0)
    row = sums.polynomials[number]
    return atom(found, SUM, number, 0, 0, 0, row.low, row.high)


@compiled
def _polynomial(forms: Any, sums: Any, found: Any, polynomial: int, is_term: Any, there: Any) -> int:
    row = forms.polynomials[polynomial]
    factor = 0
    for at in range(row.first, row.first + row.count):
        term = forms.terms[at]
        if is_term[term.monomial]:
            sign = -1 if factor < 0 or (factor == 0 and term.coefficient < 0) else 1
            factor = sign * math.gcd(factor, term.coefficient)
    first, begins = found.used[SCRATCH], sums.used[SCRATCH]
    for at in range(row.first, row.first + row.count):
        term = forms.terms[at]
        if is_term[term.monomial]:
            collect(sums, term.monomial, term.coefficient // factor)
        else:
            collect(found, there[term.monomial], term.coefficient)
    if factor != 0:
        collect(found, _sum(sums, found, begins), factor)
    return collected(found, first, row.constant)


@compiled
def _alone(sums: Any, found: Any, at: int, is_term: Any, there: Any) -> int:
    """Return the atom that stands for a factor of a product."""
    if not is_term[at]:
        return int(there[at])
    first = sums.used[SCRATCH]
    collect(sums, at, 1)
    return _sum(sums, found, first)


@compiled
def _atom(forms: Any, sums: Any, found: Any, at: int, is_term: Any, there: Any, numbers: Any) -> int:
    one = forms.atoms[at]
    operation, x, y, z = one.operation, one.x, one.y, one.z
    if operation == MULTIPLY:
        x, y = _alone(sums, found, x, is_term, there), _alone(sums, found, y, is_term, there)
    elif operation in (ENTRY, _LIST):
        x, y = numbers[x], there[y]
    elif operation not in (_END, INPUT, SUM):
        x, y, z = numbers[x], numbers[y], numbers[z]
    return atom(found, operation, x, y, z, one.amount, one.low, one.high)


@makes_arrays
def _mark(forms: Any, roots: Any, polynomials: Any, atoms: Any) -> None:
    """Mark the polynomials and the atoms that the roots are made of."""
    waiting = np.zeros(len(polynomials) + len(atoms), np.int64)  # atoms as numbers below 0
    left = 0
    for at in range(len(roots)):
        if not polynomials[roots[at]]:
            polynomials[roots[at]] = True
            waiting[left] = roots[at]
            left += 1
    while left > 0:
        left -= 1
        at = waiting[left]
        if at >= 0:
            row = forms.polynomials[at]
            for term in range(row.first, row.first + row.count):
                left = _wanted(atoms, forms.terms[term].monomial, -1, waiting, left)
            continue
        one = forms.atoms[-1 - at]
        if one.operation == MULTIPLY:
            left = _wanted(atoms, one.x, -1, waiting, left)
            left = _wanted(atoms, one.y, -1, waiting, left)
        elif one.operation in (ENTRY, _LIST):
            left = _wanted(polynomials, one.x, 1, waiting, left)
            left = _wanted(atoms, one.y, -1, waiting, left)
        elif one.operation not in (_END, INPUT, SUM):
            left = _wanted(polynomials, one.x, 1, waiting, left)
            left = _wanted(polynomials, one.y, 1, waiting, left)
            left = _wanted(polynomials, one.z, 1, waiting, left)


@compiled
def _keep_entries(forms: Any, atoms: Any, is_term: Any) -> None:
    """Let elements that are the entries of look-ups stand for themselves."""
    for at in range(len(atoms)):
        if not atoms[at] or forms.atoms[at].operation != _LIST:
            continue
        entry = single(forms, forms.atoms[at].x)
        if entry >= 0:
            is_term[entry] = False


@compiled
def _wanted(marks: Any, at: int, sign: int, waiting: Any, left: int) -> int:
    """Mark one row and let it wait, unless it is marked; return how many wait."""
    if marks[at]:
        return left
    marks[at] = True
    waiting[left] = at if sign > 0 else -1 - at
    return left + 1


@native_call
def _find(
    forms: Any, sums: Any, found: Any, roots: Any, polynomials: Any, atoms: Any, is_term: Any, numbers: Any, there: Any
) -> None:
    _mark(forms, roots, polynomials, atoms)
    _keep_entries(forms, atoms, is_term)
    polynomial = one = 0
    # What a form or an atom is made of was made before it, so one of both can always go on.
    while polynomial < len(numbers) or one < len(there):
        while polynomial < len(numbers) and (not polynomials[polynomial] or _is_ready(forms, polynomial, one)):
            if polynomials[polynomial]:
                numbers[polynomial] = _polynomial(forms, sums, found, polynomial, is_term, there)
            polynomial += 1
        if one < len(there):
            if atoms[one]:
                at = forms.atoms[one]
                if at.operation == MULTIPLY:
                    is_term[one] = is_term[at.x] and is_term[at.y]
                if not is_term[one]:
                    there[one] = _atom(forms, sums, found, one, is_term, there, numbers)
            one += 1
