"""Bring sums that are known by fingerprints to one form each, in compiled code.

Such a sum is a number plus a multiple of an atom.  The atom has the values of a polynomial at two points, divided by a
factor of all its coefficients, and with the sign that makes the first value the smaller one: so sums that are multiples
of each other share an atom.  Its interval is the closest one of all nodes with these values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.bounds import sum_held
from neonlab.prove.expressions.field import PRIME, inverse_modulo, minus, residue, times_modulo
from neonlab.prove.expressions.forms import BROKEN, SCRATCH, atom, collect, collected, number
from neonlab.prove.expressions.operation import INPUT, LIMIT, SUM
from neonlab.prove.expressions.sums import is_consistent

_LOW_31, _31, _ZERO, _HALF = np.uint64((1 << 31) - 1), np.uint64(31), np.uint64(0), np.uint64(PRIME >> 1)


@compiled
def has_fingerprint(nodes: Any, at: int) -> bool:
    """Tell whether a node is a sum, or an input element in a table where sums are known by fingerprints."""
    return bool(nodes[at].operation == SUM or (nodes[at].operation == INPUT and nodes[at].degree > 0))


@compiled
def _atom_of(forms: Any, node: Any) -> tuple[int, int]:
    """Return the atom of a sum, and what the sum multiplies it with; -1 for a polynomial that is 0."""
    first, second, factor = node.first, node.second, node.factor
    if first == _ZERO and second == _ZERO:
        return -1, 0
    if factor != 1:
        inverse = inverse_modulo(residue(factor))
        first, second = times_modulo(first, inverse), times_modulo(second, inverse)
    if first > _HALF or (first == _ZERO and second > _HALF):
        first, second, factor = minus(first), minus(second), -factor
    # Compiled code takes the type from the value: all of them with a sign.
    low: Any = np.int64(second & _LOW_31)
    high: Any = np.int64(second >> _31)
    amount: Any = np.int64(first)
    return atom(forms, SUM, low, high, 0, amount, -LIMIT, LIMIT), factor


@compiled
def _number(node: Any) -> int:
    return 0 if node.operation == INPUT else int(node.amount)


@compiled
def narrow(forms: Any, node: Any) -> None:
    """Narrow the interval of a sum's atom by that of the node, of whose polynomial it is true too.

    Note where the value in the recorded case differs in the field, or is outside the interval: a rule would be wrong.
    """
    fits = node.low <= node.value <= node.high or node.low <= -LIMIT or node.high >= LIMIT
    if not fits or not is_consistent(node):
        forms.used[BROKEN] = 1
    at, factor = _atom_of(forms, node)
    if at < 0:
        return
    one = forms.atoms[at]
    a, b = sum_held(node.low, -_number(node)), sum_held(node.high, -_number(node))
    if factor < 0:
        a, b, factor = -b, -a, -factor
    if abs(a) < LIMIT:
        one.low = max(one.low, -(-a // factor))
    if abs(b) < LIMIT:
        one.high = min(one.high, b // factor)


@compiled
def form_of_sum(forms: Any, node: Any) -> int:
    """Return the form of a sum or an input element."""
    at, factor = _atom_of(forms, node)
    if at < 0:
        return number(forms, _number(node))
    first = forms.used[SCRATCH]
    collect(forms, at, factor)
    return collected(forms, first, _number(node))
