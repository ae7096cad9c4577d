"""Bring nodes to their canonical forms: two nodes with the same form are equal for all inputs.

Sums, differences and products are multiplied out.  Other operations become atoms, after the rules below, which use the
intervals of canonical forms: these are closer than those that a node was made with, as terms that cancel are gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import native_call
from neonlab.prove.expressions.extremes import extreme_of_all, float_extreme_of_all
from neonlab.prove.expressions.forms import (
    BROKEN,
    FULL,
    SCRATCH,
    TOO_LARGE,
    Forms,
    atom,
    collect_product,
    collect_scaled,
    collected,
    empty_forms,
    is_number,
    number,
    of_atom,
    plus,
    times,
)
from neonlab.prove.expressions.operation import (
    ADD,
    AND,
    CONSTANT,
    ENTRY,
    EXCLUSIVE_OR,
    FLOAT_ADD,
    FLOAT_EQUAL,
    FLOAT_FUSED,
    FLOAT_MAXIMUM,
    FLOAT_MINIMUM,
    FLOAT_MULTIPLY,
    INPUT,
    LIMIT,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    OR,
    SCALE,
    SELECT,
    SHIFT_RIGHT,
    SUBTRACT,
    SUM,
    WRAP,
    ZERO,
)
from neonlab.prove.expressions.rules import chosen, is_zero, shifted, sign, wrapped
from neonlab.prove.expressions.sum_forms import form_of_sum, has_fingerprint, narrow
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.refusal import Refusal

#: An atom that is no operation: entry x of a list that goes on with y.
LIST = 63
#: The atom at the end of each list.
END_OF_LIST = 0
_END = 62
_FIRST_ROWS = 1 << 14
#: Lists of entries that are kept for further look-ups.
_KEPT_LISTS = 61
_MOST_ROWS = 1 << 26


class Canonical:
    """The canonical forms of a table's nodes.  `forms` may be read once `of` returned."""

    def __init__(self, table: ExpressionTable) -> None:
        self._table = table
        self._rows = max(_FIRST_ROWS, 2 * len(table))
        self._begin()

    def _begin(self) -> None:
        self.forms: Forms = empty_forms(self._rows)
        self._known = np.full(len(self._table), -1, np.int32)

    def of(self, ids: Ids) -> Ids:
        """Return the number of the canonical form of each node.

        Raises Refusal where a coefficient exceeds 63 bits, or the forms take too much memory.
        """
        flat = np.ascontiguousarray(ids, np.int32).reshape(-1)
        if len(self._known) < len(self._table):
            more = np.full(len(self._table) - len(self._known), -1, np.int32)
            self._known = np.concatenate([self._known, more])
        while True:
            found = np.zeros(flat.size, np.int32)
            _run(self._table.nodes, self._known, self.forms, flat, found)
            if self.forms.used[TOO_LARGE]:
                raise Refusal("a coefficient of a polynomial exceeds 63 bits")
            if self.forms.used[BROKEN]:
                raise Refusal("a sum and its fingerprint differ in the recorded case: a rule of the prover is wrong")
            if not self.forms.used[FULL]:
                return found.reshape(ids.shape)
            self._rows *= 4
            if self._rows > _MOST_ROWS:
                raise Refusal("the polynomials take too much memory: try a smaller shape")
            self._begin()

    def identified(self) -> npt.NDArray[Any]:
        """Return the rows of the sums that are known by fingerprints and have a form."""
        rows = self._table.nodes[: len(self._known)][self._known >= 0]
        with_fingerprint = (rows["operation"] == SUM) | ((rows["operation"] == INPUT) & (rows["degree"] > 0))
        found: npt.NDArray[Any] = rows[with_fingerprint]
        return found


@compiled
def _is_ring(operation: int) -> bool:
    return ADD <= operation <= SCALE


@compiled
def _is_extreme(operation: int) -> bool:
    return operation in (MINIMUM, MAXIMUM, FLOAT_MINIMUM, FLOAT_MAXIMUM)


@compiled
def _once(nodes: Any, need: Any, at: int, parent: int) -> int:
    """Return what is needed of an operand of a sum or an extreme: 1 where only this one takes it, on its way."""
    alike = nodes[at].operation == parent if _is_extreme(parent) else not _is_extreme(nodes[at].operation)
    return 1 if need[at] == 0 and alike else 2


@compiled
def _mark(nodes: Any, roots: Any, need: Any) -> int:
    """Mark what the roots depend on: 1 for what is summed up on the way, 2 for what gets a form.

    Return the highest number of a root.
    """
    top = 0
    for at in range(len(roots)):
        need[roots[at]] = 2
        top = max(top, roots[at])
    for at in range(top, -1, -1):
        if need[at] == 0:
            continue
        node = nodes[at]
        operation = node.operation
        if operation in (ADD, SUBTRACT):
            need[node.x] = _once(nodes, need, node.x, ADD)  # a sum that is used twice is not summed up twice
            need[node.y] = _once(nodes, need, node.y, ADD)
        elif _is_extreme(operation):  # nor is one found twice, of thousands
            need[node.x] = _once(nodes, need, node.x, operation)
            need[node.y] = _once(nodes, need, node.y, operation)
        elif operation == SCALE:
            need[node.x] = 2  # so that large numbers cancel before they become larger
        elif operation == ENTRY:
            need[node.y] = 2
            for entry in range(node.amount):
                need[node.x + entry] = 2
        elif operation > INPUT:
            need[node.x] = 2
            need[node.y] = 2
            need[node.z] = 2
    return top


@compiled
def _form(nodes: Any, known: Any, forms: Any, root: int, stack: Any, factors: Any, lists: Any) -> int:
    """Return the form of a node whose operands, but for sums, have theirs."""
    node = nodes[root]
    if node.operation == CONSTANT:
        return number(forms, node.amount)
    if node.operation == INPUT or node.operation == SUM:
        return _form_of_leaf(nodes, known, forms, root, lists)
    if _is_extreme(node.operation):
        return _form_of_extreme(nodes, known, forms, root, stack, factors)
    if not _is_ring(node.operation):
        return _atomic(known, forms, node, lists)
    first, constant = int(forms.used[SCRATCH]), 0
    depth = 1
    stack[0], factors[0] = root, 1
    while depth > 0:
        depth -= 1
        at, factor = stack[depth], factors[depth]
        one = nodes[at]
        if known[at] >= 0:
            constant = plus(forms, constant, collect_scaled(forms, known[at], factor))
        elif one.operation == CONSTANT:
            constant = plus(forms, constant, times(forms, factor, one.amount))
        elif one.operation == MULTIPLY:
            constant = plus(forms, constant, collect_product(forms, known[one.x], known[one.y], factor))
        elif one.operation == SCALE:
            stack[depth], factors[depth] = one.x, times(forms, factor, one.amount)
            depth += 1
        elif _is_ring(one.operation):
            stack[depth], factors[depth] = one.x, factor
            stack[depth + 1], factors[depth + 1] = one.y, factor if one.operation == ADD else -factor
            depth += 2
        else:
            known[at] = _form_of_leaf(nodes, known, forms, at, lists)
            constant = plus(forms, constant, collect_scaled(forms, known[at], factor))
        if forms.used[FULL] or forms.used[TOO_LARGE]:
            return 0
    return collected(forms, first, constant)


@compiled
def _form_of_extreme(nodes: Any, known: Any, forms: Any, root: int, stack: Any, found: Any) -> int:
    """Return the form of a minimum or a maximum with those that it alone takes; `stack` and `found` are free."""
    operation = nodes[root].operation
    depth, count = 1, 0
    stack[0] = root
    while depth > 0:
        depth -= 1
        at = stack[depth]
        if known[at] >= 0:
            found[count] = known[at]
            count += 1
        else:
            stack[depth], stack[depth + 1] = nodes[at].x, nodes[at].y
            depth += 2
    if operation in (MINIMUM, MAXIMUM):
        return extreme_of_all(forms, operation, found, count)
    return float_extreme_of_all(forms, operation, found, count)


@compiled
def _form_of_leaf(nodes: Any, known: Any, forms: Any, at: int, lists: Any) -> int:
    node = nodes[at]
    if has_fingerprint(nodes, at):
        return form_of_sum(forms, node)
    if node.operation == INPUT:
        return of_atom(forms, atom(forms, INPUT, 0, 0, node.z, node.amount, node.low, node.high))
    return _atomic(known, forms, node, lists)


@compiled
def _atomic(known: Any, forms: Any, node: Any, lists: Any) -> int:
    """Return the form of an operation that is no sum or product."""
    operation = node.operation
    x = known[node.x]
    if operation == SHIFT_RIGHT:
        return shifted(forms, x, node.amount)
    if operation == WRAP:
        return wrapped(forms, x, node.amount)
    if operation == NEGATIVE:
        return sign(forms, x)
    if operation == ZERO:
        return is_zero(forms, x)
    if operation == ENTRY:
        return _entry(known, forms, node, lists)
    y = known[node.y]
    z = known[node.z]
    if operation == SELECT:
        return chosen(forms, x, y, z)
    commutes = operation in (AND, OR, EXCLUSIVE_OR, FLOAT_ADD, FLOAT_MULTIPLY, FLOAT_FUSED, FLOAT_EQUAL)
    if commutes and x > y:
        x, y = y, x
    return of_atom(forms, atom(forms, operation, x, y, z, node.amount, node.low, node.high))


@compiled
def _entry(known: Any, forms: Any, node: Any, lists: Any) -> int:
    """Return the form of an entry of a table: the index and the list of those entries that it can reach."""
    index = known[node.y]
    one = forms.polynomials[index]
    if is_number(forms, index):
        return known[node.x + one.constant] if 0 <= one.constant < node.amount else number(forms, 0)
    least, most = max(0, one.low), min(node.amount - 1, one.high)
    entries, low, high = _list(known, forms, node.x + least, node.x + most + 1, lists)
    if one.low < 0 or one.high >= node.amount:
        low, high = min(low, 0), max(high, 0)
    return of_atom(forms, atom(forms, ENTRY, index, entries, 0, least, low, high))


@compiled
def _list(known: Any, forms: Any, first: int, end: int, lists: Any) -> tuple[int, int, int]:
    """Return the list of the forms of nodes that follow each other, and their interval.

    `lists` (rows of first, end, list, low, high) keeps the last ones, since many look-ups share a table.
    """
    kept = lists[(first + 5 * end) % len(lists)]
    if kept[0] == first and kept[1] == end:
        return int(kept[2]), int(kept[3]), int(kept[4])
    entries, low, high = END_OF_LIST, LIMIT, -LIMIT
    for entry in range(end - 1, first - 1, -1):
        held = known[entry]
        entries = atom(forms, LIST, held, entries, 0, 0, 0, 0)
        low, high = min(low, forms.polynomials[held].low), max(high, forms.polynomials[held].high)
    kept[0], kept[1], kept[2], kept[3], kept[4] = first, end, entries, low, high
    return entries, low, high


@native_call
def _run(nodes: Any, known: Any, forms: Any, roots: Any, found: Any) -> None:
    number(forms, 0)
    atom(forms, _END, 0, 0, 0, 0, 0, 0)
    need = np.zeros(len(known), np.int8)
    top = _mark(nodes, roots, need)
    stack = np.zeros(top + 2, np.int64)
    factors = np.zeros(top + 2, np.int64)
    lists = np.full((_KEPT_LISTS, 5), -1, np.int64)
    for at in range(top + 1):  # all of them first: a sum is narrower where it was made in a closer way
        if need[at] != 0 and has_fingerprint(nodes, at):
            narrow(forms, nodes[at])
    for at in range(top + 1):
        if need[at] == 2 and known[at] < 0:
            known[at] = _form(nodes, known, forms, at, stack, factors, lists)
            if forms.used[FULL] or forms.used[TOO_LARGE]:
                return
    for at in range(len(roots)):
        found[at] = known[roots[at]]
