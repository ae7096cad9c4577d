"""Compare forms that choose among others, as look-ups do, without a value for what they choose.

Where few values of some parts decide all choices, each of these values leaves one form of either side.  The sides are
equal if these are one form for each value.
"""

from __future__ import annotations

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
        chosen = _Chosen(reading, parts)
        try:
            if np.array_equal(chosen.of(forms[0]), chosen.of(forms[1])):
                return True
        except Refusal:
            continue
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

    def __init__(self, reading: FormReader, parts: tuple[Primitive, ...]) -> None:
        self._reading = reading
        values = all_values(reading, parts)
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
