"""Group pairs of forms that are the same functions of one sum each, in compiled code: one answer decides a group.

The results of a layer are thousands of sums under one function.  Here each sum without operands is replaced by its
interval, so that such results become the same form of a second set of tables.  An atom is a sum or its negative, as its
fingerprint has it: the sign under which it is used first decides which of both is replaced.  Input elements that are
in no sum stay as they are, and so do those that are looked up: results that look up in one table have it in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import native_call
from neonlab.prove.expressions.forms import (
    ATOMS,
    FULL,
    POLYNOMIALS,
    SCRATCH,
    Forms,
    atom,
    collect,
    collected,
    empty_forms,
    single,
)
from neonlab.prove.expressions.operation import ENTRY, INPUT, MULTIPLY, SUM
from neonlab.prove.expressions.table import Ids

#: Atoms that are no operation, as `neonlab.prove.expressions.canonical` numbers them.
_END, _LIST = 62, 63
_NONE, _SEVERAL = -1, -2
_LOW_31 = (1 << 31) - 1


def groups_of(forms: Forms, left: Ids, right: Ids) -> npt.NDArray[np.int64]:
    """Return a number for each pair of forms: pairs with the same are equal for all values of their sum, or none is."""
    leaves, likes = _likes(forms)
    alone = (leaves[left] == leaves[right]) & (leaves[left] >= 0)
    keys = np.stack([np.where(alone, likes[left], -1 - np.arange(len(left))), np.where(alone, likes[right], -1)])
    _, found = np.unique(keys, axis=1, return_inverse=True)
    return found.reshape(-1).astype(np.int64)


def _likes(forms: Forms) -> tuple[Ids, Ids]:
    """Return for each form the atom of the one sum that it depends on, negative for others, and the form it is like."""
    polynomials, atoms = int(forms.used[POLYNOMIALS]), int(forms.used[ATOMS])
    leaves, likes = np.full(polynomials, _NONE, np.int32), np.zeros(polynomials, np.int32)
    of_atoms, like_atoms = np.full(atoms, _NONE, np.int32), np.zeros(atoms, np.int32)
    like, signs = empty_forms(max(polynomials, atoms) + 1), np.ones(atoms, np.int64)
    _find(forms, like, leaves, likes, of_atoms, like_atoms, signs)
    assert not like.used[FULL]
    return leaves, likes


@compiled
def _is_ready(forms: Any, polynomial: int, atoms: int) -> bool:
    """Tell whether all atoms of a polynomial are below a number."""
    row = forms.polynomials[polynomial]
    for at in range(row.first, row.first + row.count):  # noqa: SIM110 - compiled code has no generator expressions
        if forms.terms[at].monomial >= atoms:
            return False
    return True


@compiled
def _both(x: int, y: int) -> int:
    """Return the leaf of what depends on two things with these leaves."""
    if x == _NONE or x == y:  # noqa: SIM109 - compiled code wants one type in a tuple
        return y
    return x if y == _NONE else _SEVERAL


@compiled
def _replace(forms: Any, like: Any, at: int, sign: int, like_atoms: Any, signs: Any) -> None:
    """Replace a sum, or its negative for the sign -1, unless it was replaced before."""
    one = forms.atoms[at]
    if one.operation != SUM or like_atoms[at] >= 0:
        return
    low, high = (one.low, one.high) if sign > 0 else (-one.high, -one.low)
    like_atoms[at] = atom(like, SUM, high & _LOW_31, (high >> 31) & _LOW_31, high >> 62, low, low, high)
    signs[at] = sign


@compiled
def _like_polynomial(
    forms: Any, like: Any, polynomial: int, leaves: Any, likes: Any, of_atoms: Any, like_atoms: Any, signs: Any
) -> None:
    row, leaf = forms.polynomials[polynomial], _NONE
    first = like.used[SCRATCH]
    for at in range(row.first, row.first + row.count):
        term = forms.terms[at]
        _replace(forms, like, term.monomial, 1 if term.coefficient > 0 else -1, like_atoms, signs)
        leaf = _both(leaf, of_atoms[term.monomial])
        collect(like, like_atoms[term.monomial], term.coefficient * signs[term.monomial])
    leaves[polynomial] = leaf
    likes[polynomial] = collected(like, first, row.constant)


@compiled
def _like_atom(
    forms: Any, like: Any, at: int, leaves: Any, likes: Any, of_atoms: Any, like_atoms: Any, signs: Any, is_entry: Any
) -> None:
    one = forms.atoms[at]
    operation, low, high = one.operation, one.low, one.high
    if operation == SUM:
        of_atoms[at] = _NONE if is_entry[at] else at
        like_atoms[at] = atom(like, INPUT, 1, 0, 0, at, low, high) if is_entry[at] else -1
        return
    x, y, z = one.x, one.y, one.z
    if operation == MULTIPLY:
        _replace(forms, like, x, 1, like_atoms, signs)
        _replace(forms, like, y, 1, like_atoms, signs)
        of_atoms[at] = _both(of_atoms[x], of_atoms[y])
        sign = signs[x] * signs[y]
        x, y = like_atoms[x], like_atoms[y]
        if sign < 0:
            low, high = -high, -low
        signs[at] = sign
    elif operation in (ENTRY, _LIST):
        of_atoms[at] = _both(leaves[x], of_atoms[y])
        x, y = likes[x], like_atoms[y]
    elif operation not in (_END, INPUT):  # an element stays what it is, so that only results of it are alike
        of_atoms[at] = _both(_both(leaves[x], leaves[y]), leaves[z])
        x, y, z = likes[x], likes[y], likes[z]
    made = atom(like, operation, x, y, z, one.amount, low, high)
    like_atoms[at] = made
    if like.atoms[made].low != low or like.atoms[made].high != high:  # more is known of one of them
        of_atoms[at] = _SEVERAL


@native_call
def _find(forms: Any, like: Any, leaves: Any, likes: Any, of_atoms: Any, like_atoms: Any, signs: Any) -> None:
    polynomial = one = 0
    is_entry = np.zeros(len(of_atoms), np.bool_)
    for at in range(len(of_atoms)):
        if forms.atoms[at].operation == _LIST:
            entry = single(forms, forms.atoms[at].x)
            if entry >= 0:
                is_entry[entry] = True
    # What a form or an atom is made of was made before it, so one of both can always go on.
    while polynomial < len(leaves) or one < len(of_atoms):
        while polynomial < len(leaves) and _is_ready(forms, polynomial, one):
            _like_polynomial(forms, like, polynomial, leaves, likes, of_atoms, like_atoms, signs)
            polynomial += 1
        if one < len(of_atoms):
            _like_atom(forms, like, one, leaves, likes, of_atoms, like_atoms, signs, is_entry)
            one += 1
