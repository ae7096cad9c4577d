"""Decide whether nodes are equal for all values of the input elements."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import (
    MOST_VALUES,
    Difference,
    FormReader,
    Primitive,
    count_of,
    cuts,
    first_difference,
)
from neonlab.prove.comparison.likeness import groups_of
from neonlab.prove.comparison.monotone import first_difference_on_intervals
from neonlab.prove.comparison.moves import are_chosen_alike, are_chosen_by_equals
from neonlab.prove.comparison.sums_as_atoms import with_sums_as_atoms
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.operation import ENTRY, INPUT, MULTIPLY, SUM
from neonlab.prove.expressions.table import ExpressionTable, FloatSpan, Ids
from neonlab.prove.refusal import Refusal

#: Most values of a part of which intervals are looked at, most of them, and values up to which all are tried at once.
_MOST_WIDE, _MOST_LOOKED, _DIRECT = 1 << 62, 1 << 23, 1 << 12
#: From so many parts on whose intervals did not do, only a few values are looked at: other parts are seldom better.
_OFTEN, _FEW_LOOKED = 3, 1 << 13
#: Cuts with more parts than one are tried only where they take at most so many values: they seldom succeed.
_FEW_VALUES = 1 << 20
#: What is known by structure: whether the two functions are equal, and values at which they differ.
_Known = dict[Hashable, tuple[bool, tuple[int, ...] | None]]


@dataclass
class Equality:
    """The answer on pairs of nodes: `equal` (bool, one a pair) tells which are equal for all inputs.

    Of the others `differences` has values of parts at which they differ, by pair, where such were found; the inputs may
    be unable to reach these values.  `forms` are those of the left and the right nodes.  `enumerated` counts values at
    which pairs were evaluated, `given_up` the parts whose intervals did not settle it.
    """

    equal: npt.NDArray[np.bool_]
    left: Ids
    right: Ids
    canonical: Canonical
    reading: FormReader
    differences: dict[int, Difference] = field(default_factory=dict)
    enumerated: int = 0
    given_up: int = 0


def compare(table: ExpressionTable, left: Ids, right: Ids, *, every: bool = True) -> Equality:
    """Compare nodes pair by pair; both arrays have one dimension.

    Unless `every` pair is asked for, none is looked at after the first that is not found equal.
    """
    canonical = Canonical(table)
    forms = canonical.of(np.concatenate([left, right]))
    ours, theirs = forms[: len(left)], forms[len(left) :]
    answer = Equality(ours == theirs, ours, theirs, canonical, FormReader(canonical.forms, table.spans))
    known: _Known = {}
    if table.fingerprints:
        _decide_groups(answer, known)
        return answer
    _decide_alike(answer, tuple(table.spans))
    for at in np.flatnonzero(~answer.equal).tolist():
        _decide(answer, at, (int(ours[at]), int(theirs[at])), known)
        if not every and not answer.equal[at]:
            break
    return answer


def _decide_groups(answer: Equality, known: _Known) -> None:
    """Decide pairs that are the same functions of their sums at once, up to the first group that is not equal."""
    open_pairs = np.flatnonzero(~answer.equal)
    groups = groups_of(answer.canonical.forms, answer.left[open_pairs], answer.right[open_pairs])
    _, firsts = np.unique(groups, return_index=True)
    for first in np.sort(firsts).tolist():
        at = int(open_pairs[first])
        _decide(answer, at, (int(answer.left[at]), int(answer.right[at])), known)
        if not answer.equal[at]:
            return
        answer.equal[open_pairs[groups == groups[first]]] = True


def _decide_alike(answer: Equality, spans: tuple[FloatSpan, ...]) -> None:
    """Find pairs equal that are the same functions of one sum over elements each: one of a group tells of all."""
    open_pairs = np.flatnonzero(~answer.equal)
    if open_pairs.size < 2:
        return
    roots = np.concatenate([answer.left[open_pairs], answer.right[open_pairs]])
    forms, numbers = with_sums_as_atoms(answer.canonical.forms, roots, spans)
    left, right = numbers[: open_pairs.size], numbers[open_pairs.size :]
    groups = groups_of(forms, left, right)
    _, firsts, sizes = np.unique(groups, return_index=True, return_counts=True)
    equal = np.zeros(open_pairs.size, np.bool_)
    alike = Equality(equal, left, right, answer.canonical, FormReader(forms, spans))
    known: _Known = {}
    for first in np.sort(firsts[sizes > 1]).tolist():
        _decide(alike, first, (int(left[first]), int(right[first])), known)
        if equal[first]:
            answer.equal[open_pairs[groups == groups[first]]] = True
    answer.enumerated += alike.enumerated


def _decide(answer: Equality, at: int, pair: tuple[int, int], known: _Known) -> None:
    """Decide one pair."""
    answer.equal[at], difference = _compared(answer, pair, known)
    if difference is not None:
        answer.differences.setdefault(at, difference)


def _compared(answer: Equality, pair: tuple[int, int], known: _Known) -> tuple[bool, Difference | None]:
    """Tell whether a pair is equal; if not, where it differs, if that was found."""
    reading, found = answer.reading, None
    if are_chosen_by_equals(reading, pair, lambda one: _compared(answer, one, known)[0]):
        return True, None
    for parts in _in_order(cuts(reading, pair)):
        count = count_of(reading, parts)
        if count > (_MOST_WIDE if len(parts) == 1 else _FEW_VALUES):
            continue
        key = _structure(reading, pair, parts)
        if key is None:
            continue
        if key not in known:
            try:
                difference = _difference(answer, pair, parts, count)
                known[key] = difference is None, difference.values if difference is not None else None
            except Refusal:
                known[key] = False, None
        same, values = known[key]
        if same:
            return True, None
        if values is not None and found is None:
            found = Difference(parts, values)
    return (True, None) if are_chosen_alike(reading, pair) else (False, found)


def _in_order(found: Iterator[tuple[Primitive, ...]]) -> list[tuple[Primitive, ...]]:
    """Return cuts of one part first, the one nearest to the inputs before others: it takes no values but real ones."""
    every = list(found)
    return [*(parts for parts in every[::-1] if len(parts) == 1), *(parts for parts in every if len(parts) > 1)]


def _difference(answer: Equality, pair: tuple[int, int], parts: tuple[Primitive, ...], count: int) -> Difference | None:
    """Return values of the parts at which a pair differs, None if there are none.  Raises Refusal if none can say."""
    if len(parts) == 1 and count > _DIRECT:
        try:
            most = _MOST_LOOKED if answer.given_up < _OFTEN else _FEW_LOOKED
            difference, looked = first_difference_on_intervals(answer.reading, pair, parts[0], min(count // 4, most))
        except Refusal:
            answer.given_up += 1
            if count > MOST_VALUES:
                raise
        else:
            answer.enumerated += looked
            return difference
    answer.enumerated += count
    return first_difference(answer.reading, pair, parts)


def _structure(reading: FormReader, pair: tuple[int, int], parts: tuple[Primitive, ...]) -> Hashable | None:
    """Return a key that is the same for pairs that are the same functions of parts with the same ranges.

    None where an input is no part of the cut, so that the parts do not say all.
    """
    seen: dict[int, Hashable] = {}
    beyond: list[int] = []
    names = {part: (index, reading.domain(part)) for index, part in enumerate(parts)}

    def of_form(number: int) -> Hashable:
        part, factor, constant = reading.form(number)
        return (factor, constant, of_part(part) if part is not None else None)

    def of_part(part: Primitive) -> Hashable:
        if part in names:
            return names[part]
        for other in parts:  # as it is evaluated
            found = part.without(other)
            if found is not None:
                return (names[other], found[0], *((coefficient, of_atom(atom)) for atom, coefficient in found[1]))
        return tuple((coefficient, of_atom(atom)) for atom, coefficient in part.terms)

    def of_atom(atom: int) -> Hashable:
        alone = Primitive(((atom, 1),))
        if alone in names:
            return names[alone]
        if atom not in seen:
            operation, x, y, z, amount = reading.atom(atom)
            if operation in (INPUT, SUM):
                beyond.append(atom)
                seen[atom] = None
            elif operation == MULTIPLY:
                seen[atom] = (operation, of_atom(x), of_atom(y))
            elif operation == ENTRY:
                seen[atom] = (operation, amount, of_form(x), *map(of_form, reading.listed(atom)))
            else:
                seen[atom] = (operation, amount, of_form(x), of_form(y), of_form(z))
        return seen[atom]

    key = tuple(map(of_form, pair))
    return None if beyond else key
