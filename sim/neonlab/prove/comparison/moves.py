"""Compare forms that choose among others, as look-ups do, without a value for what they choose.

Where few values of some parts decide all choices, each of these values leaves one form of either side.  The sides are
equal if these are one form for each value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import Evaluation, FormReader, Primitive, all_values, count_of, cuts
from neonlab.prove.expressions.operation import ENTRY, INPUT, SELECT, SUM
from neonlab.prove.refusal import Refusal

Numbers = npt.NDArray[np.int64]
#: Most values of what decides, and most input elements.
_MOST_VALUES, _MOST_INPUTS = 1 << 12, 3
#: The form of the number 0, which a look-up outside of its table gives.
_ZERO = 0


def are_chosen_alike(reading: FormReader, forms: tuple[int, int]) -> bool:
    """Tell whether both forms are found to choose the same forms, whatever decides it."""
    deciding = sorted({one for form in forms for one in _deciding(reading, form)})
    if not deciding:
        return False
    # Those nearest to the inputs take no values but real ones.
    for parts in [_inputs(reading, deciding), *[*cuts(reading, tuple(deciding))][::-1]]:
        if not parts or count_of(reading, parts) > _MOST_VALUES:
            continue
        if _choose_one(reading, forms, all_values(reading, parts)):
            return True
    return False


def are_chosen_by_equals(
    reading: FormReader, forms: tuple[int, int], are_equal: Callable[[tuple[int, int]], bool]
) -> bool:
    """Tell whether both forms choose alike by a part of few values each, and these two parts are equal.

    `are_equal` tells that of two forms.  The sums behind a part take many values, and what looks up in a table neither
    rises nor falls with them: the parts alone do.
    """
    narrow = partial(_narrow, reading)
    both = [(reading.ends(ours), reading.ends(theirs), ours, theirs) for ours, theirs in product(*map(narrow, forms))]
    for (low, high), (least, most), ours, theirs in sorted(both, key=lambda one: one[0] != one[1]):
        values = np.arange(max(low, least), min(high, most) + 1)
        if not values.size or not _choose_one(reading, forms, {ours: values, theirs: values}):
            continue
        if ours == theirs or are_equal((reading.number_of(ours), reading.number_of(theirs))):
            return True
    return False


def _narrow(reading: FormReader, form: int) -> list[Primitive]:
    """Return the parts of few values each of which alone decides what a form chooses."""
    deciding = tuple(sorted(_deciding(reading, form)))
    alone = [parts[0] for parts in cuts(reading, deciding) if len(parts) == 1] if deciding else []
    return [part for part in alone if count_of(reading, (part,)) <= _MOST_VALUES]


def _choose_one(reading: FormReader, forms: tuple[int, int], values: dict[Primitive, Numbers]) -> bool:
    """Tell whether two forms choose one form at each of these values of the parts that decide it."""
    chosen = _Chosen(reading, values)
    try:
        return np.array_equal(chosen.of(forms[0]), chosen.of(forms[1]))
    except Refusal:
        return False


def _inputs(reading: FormReader, forms: list[int]) -> tuple[Primitive, ...]:
    """Return the input elements and the sums that forms depend on, each as a part; none where these are many."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [part for form in forms if (part := reading.form(form)[0]) is not None]
    while waiting and len(found) <= _MOST_INPUTS:
        for atom, _ in waiting.pop().terms:
            if atom not in seen:
                seen.add(atom)
                if reading.atom(atom)[0] in (INPUT, SUM):  # in a layer an element is known as a sum is
                    found.add(atom)
                waiting += reading.operands(atom)
    return tuple(Primitive(((atom, 1),)) for atom in sorted(found)) if len(found) <= _MOST_INPUTS else ()


def _choice(reading: FormReader, form: int) -> tuple[int, int, int, int, int] | None:
    """Return the atom of a form that is a choice or a look-up and nothing else."""
    part, factor, constant = reading.form(form)
    if part is None or len(part.terms) != 1 or (factor * part.terms[0][1], constant) != (1, 0):
        return None
    found = reading.atom(part.terms[0][0])
    return found if found[0] in (SELECT, ENTRY) else None


def _chosen_among(reading: FormReader, form: int) -> list[int]:
    """Return the forms that a choice or a look-up takes one of."""
    part = reading.form(form)[0]
    assert part is not None
    operation, _, y, z, _ = reading.atom(part.terms[0][0])
    return [y, z] if operation == SELECT else reading.listed(part.terms[0][0])


def _deciding(reading: FormReader, form: int) -> set[int]:
    """Return the conditions and the indices by which a form chooses, those of what it chooses too."""
    found, seen, waiting = set(), set(), [form]
    while waiting:
        one = waiting.pop()
        choice = _choice(reading, one) if one not in seen else None
        seen.add(one)
        if choice is not None:
            found.add(choice[1])
            waiting += _chosen_among(reading, one)
    return found


class _Chosen:
    """Hold what forms choose at each value of the parts that decide it."""

    def __init__(self, reading: FormReader, values: dict[Primitive, Numbers]) -> None:
        self._reading = reading
        self._shape = next(iter(values.values())).shape
        self._evaluation = Evaluation(reading, values)
        self._known: dict[int, Numbers] = {}

    def of(self, form: int) -> Numbers:
        """Return the number of the form that is chosen, for each value."""
        if form not in self._known:
            self._known[form] = self._made(form)
        return self._known[form]

    def _made(self, form: int) -> Numbers:
        choice = _choice(self._reading, form)
        if choice is None:
            return np.full(self._shape, form, np.int64)
        among = [self.of(one) for one in _chosen_among(self._reading, form)]
        decides = self._evaluation.form(choice[1])
        if choice[0] == SELECT:
            return np.where(decides != 0, among[0], among[1])
        index = decides - choice[4]
        inside = (index >= 0) & (index < len(among))
        entries = np.stack(among)[np.where(inside, index, 0), np.arange(len(index))]
        return np.where(inside, entries, _ZERO)
