"""Evaluate canonical forms over all values of a few of their parts.

Two forms that differ may still be equal for all inputs: as functions of one sum that both contain, for example.  A cut
is a set of parts such that both forms depend on the inputs through these parts alone.  Where the parts together take
few values, the forms are evaluated at all of them.  Equal results there are a proof, as the parts take no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.prove.expressions.canonical import LIST
from neonlab.prove.expressions.evaluate import computed
from neonlab.prove.expressions.forms import Forms
from neonlab.prove.expressions.operation import (
    ENTRY,
    FLOAT_ADD,
    FLOAT_MULTIPLY,
    FLOAT_SUBTRACT,
    INPUT,
    LIMIT,
    MULTIPLY,
    SUM,
)
from neonlab.prove.expressions.table import FloatSpan
from neonlab.prove.refusal import Refusal

Values = npt.NDArray[np.int64]
#: Most values of all parts together.
MOST_VALUES = 1 << 26
#: Values evaluated at a time.
_BATCH = 1 << 20
#: Most parts of a cut, and most cuts that are tried.
_MOST_PARTS, _MOST_CUTS = 8, 96
#: Most steps of float arithmetic through which the ends of a part are followed: each may double the work.
_MOST_STEPS = 8
#: Operations on two floats that rise or fall with each of them.
_ARITHMETIC = {FLOAT_ADD: np.add, FLOAT_SUBTRACT: np.subtract, FLOAT_MULTIPLY: np.multiply}


@dataclass(frozen=True, slots=True)
class Primitive:
    """A sum of terms without a common factor or a constant: ((atom, coefficient), …), ascending by atom."""

    terms: tuple[tuple[int, int], ...]

    @property
    def last(self) -> int:
        """Return the last atom: a part that depends on another one has a later last atom."""
        return self.terms[-1][0]

    def without(self, other: Primitive) -> tuple[int, tuple[tuple[int, int], ...]] | None:
        """Return how often another part of several terms is in this one, and the terms left; None if it is not."""
        if len(other.terms) < 2 or len(other.terms) >= len(self.terms):
            return None
        mine, theirs = dict(self.terms), dict(other.terms)
        if not theirs.keys() <= mine.keys():
            return None
        times, rest = divmod(mine[other.last], theirs[other.last])
        if rest or any(mine[atom] != times * coefficient for atom, coefficient in theirs.items()):
            return None
        return times, tuple(term for term in self.terms if term[0] not in theirs)


@dataclass(frozen=True, slots=True)
class Difference:
    """Values of the parts of a cut at which two forms differ."""

    parts: tuple[Primitive, ...]
    values: tuple[int, ...]


class FormReader:
    """Forms as Python values, each read once."""

    def __init__(self, forms: Forms, spans: Sequence[FloatSpan] = ()) -> None:
        self._forms, self._spans = forms, tuple(spans)
        self._read: dict[int, tuple[Primitive | None, int, int]] = {}
        self._atoms: dict[int, tuple[int, int, int, int, int]] = {}
        self._operands: dict[int, list[Primitive]] = {}
        self._entries: dict[int, list[int]] = {}
        self._ends: dict[Primitive, tuple[int, int]] = {}
        self._parts: dict[Primitive, int] = {}

    def form(self, number: int) -> tuple[Primitive | None, int, int]:
        """Return (part, factor, constant) of a form, which is part times factor plus constant; a number has no part."""
        if number not in self._read:
            row = self._forms.polynomials[number]
            first, count = int(row["first"]), int(row["count"])
            terms = self._forms.terms[first : first + count]
            coefficients, monomials = terms["coefficient"].tolist(), terms["monomial"].tolist()
            factor = math.gcd(*coefficients) if count else 0
            factor = -factor if count and coefficients[0] < 0 else factor
            part = (
                Primitive(tuple((m, c // factor) for m, c in zip(monomials, coefficients, strict=True)))
                if count
                else None
            )
            self._read[number] = part, factor, int(row["constant"])
        return self._read[number]

    def number_of(self, part: Primitive) -> int:
        """Return a number below 0 by which a part can be asked for as a form."""
        number = self._parts.setdefault(part, -1 - len(self._parts))
        self._read[number] = part, 1, 0
        return number

    def atom(self, number: int) -> tuple[int, int, int, int, int]:
        """Return (operation, x, y, z, amount) of an atom."""
        if number not in self._atoms:
            row = self._forms.atoms[number]
            operation, x, y, z = int(row["operation"]), int(row["x"]), int(row["y"]), int(row["z"])
            self._atoms[number] = operation, x, y, z, int(row["amount"])
        return self._atoms[number]

    def interval(self, number: int) -> tuple[int, int]:
        """Return the least and greatest value of an atom."""
        row = self._forms.atoms[number]
        return int(row["low"]), int(row["high"])

    def is_bounded(self, number: int) -> bool:
        """Tell whether the interval of a form is known, so that 64 bits hold all its values."""
        if number < 0:
            part = self.form(number)[0]
            assert part is not None
            return max(map(abs, self.ends(part))) < LIMIT
        row = self._forms.polynomials[number]
        return int(row["low"]) > -LIMIT and int(row["high"]) < LIMIT

    def operands(self, number: int) -> list[Primitive]:
        """Return the parts that an atom depends on; none for an input element or a sum without operands."""
        if number not in self._operands:
            self._operands[number] = self._operands_of(number)
        return self._operands[number]

    def _operands_of(self, number: int) -> list[Primitive]:
        operation, x, y, z, _ = self.atom(number)
        if operation in (INPUT, SUM):
            return []
        if operation == MULTIPLY:
            return [Primitive(((x, 1),)), Primitive(((y, 1),))]
        forms = [x, *self.listed(number)] if operation == ENTRY else [x, y, z]
        return [part for part in dict.fromkeys(self.form(form)[0] for form in forms) if part is not None]

    def listed(self, number: int) -> list[int]:
        """Return the entries of a look-up that its index can reach, from entry `amount` of the atom on."""
        if number not in self._entries:
            found, rest = [], self.atom(number)[2]
            while self.atom(rest)[0] == LIST:
                found.append(self.atom(rest)[1])
                rest = self.atom(rest)[2]
            self._entries[number] = found
        return self._entries[number]

    def domain(self, part: Primitive) -> tuple[tuple[int, int], ...]:
        """Return the intervals that the values of a part lie in.

        Those of a float that is an input, or that such floats add up to or multiply to, are the bits of its span.
        """
        span = self._span(part)
        return (self.ends(part),) if span is None else span.bits()

    def _span(self, part: Primitive, steps: int = _MOST_STEPS) -> FloatSpan | None:
        """Return the finite floats between which a part lies that is a float, None where they are not known.

        At most so many `steps` of arithmetic lie between the part and inputs.
        """
        (number, coefficient), *others = part.terms
        if coefficient != 1 or others or steps < 0:
            return None
        operation, x, y, _, element = self.atom(number)
        if operation == INPUT:
            return next((span for span in self._spans if span.first <= element < span.end), None)
        arithmetic = _ARITHMETIC.get(operation)
        spans = [self._span_of_form(form, steps - 1) for form in (x, y)] if arithmetic is not None else [None]
        ends = [np.array([span.low, span.high], np.float32) for span in spans if span is not None]
        if arithmetic is None or len(ends) < 2:
            return None
        with np.errstate(over="ignore"):
            corners = arithmetic.outer(*ends)  # rounding keeps the order, so that the results lie between them
        return FloatSpan(0, 0, float(corners.min()), float(corners.max())) if np.isfinite(corners).all() else None

    def _span_of_form(self, number: int, steps: int) -> FloatSpan | None:
        part, factor, constant = self.form(number)
        if part is not None:
            return self._span(part, steps) if (factor, constant) == (1, 0) else None
        if not 0 <= constant < 1 << 32:  # no bits of a float
            return None
        value = float(np.array(constant, np.uint32).view(np.float32))
        return FloatSpan(0, 0, value, value) if math.isfinite(value) else None

    def ends(self, part: Primitive) -> tuple[int, int]:
        """Return the least and greatest value of a part; LIMIT where they are not known."""
        if part not in self._ends:
            self._ends[part] = self._ends_of(part)
        return self._ends[part]

    def _ends_of(self, part: Primitive) -> tuple[int, int]:
        low = high = 0
        for atom, coefficient in part.terms:
            row = self._forms.atoms[atom]
            a, b = int(row["low"]), int(row["high"])
            if a <= -LIMIT or b >= LIMIT:
                return -LIMIT, LIMIT
            low, high = low + min(a * coefficient, b * coefficient), high + max(a * coefficient, b * coefficient)
        return low, high


def cuts(reading: FormReader, forms: tuple[int, ...]) -> Iterator[tuple[Primitive, ...]]:
    """Yield cuts of forms, from the results towards the inputs, each of a few parts."""
    front = {part for part in (reading.form(form)[0] for form in forms) if part is not None}
    for _ in range(_MOST_CUTS):
        if 0 < len(front) <= _MOST_PARTS:
            yield tuple(sorted(front, key=lambda part: part.terms))
        if not front or len(front) > _MOST_PARTS:
            return
        last = max(front, key=lambda part: (part.last, len(part.terms), part.terms))
        inner = _inner(reading, last, front)
        if not inner:
            return
        front.remove(last)
        front |= set(inner)


def _inner(reading: FormReader, part: Primitive, front: set[Primitive]) -> list[Primitive]:
    """Return the parts that a part depends on: of several terms its atoms, or a sum in it and the atoms left.

    Sums in it are other parts of the cut, and what its atoms depend on: rounding adds the sign of a sum to it.
    """
    if len(part.terms) == 1:
        return reading.operands(part.terms[0][0])
    sums = [*front, *(operand for atom, _ in part.terms for operand in reading.operands(atom))]
    for other in sorted(sums, key=lambda one: (-len(one.terms), one.terms)):
        found = part.without(other)
        if found is not None:
            return [other, *(Primitive(((atom, 1),)) for atom, _ in found[1])]
    return [Primitive(((atom, 1),)) for atom, _ in part.terms]


def count_of(reading: FormReader, parts: tuple[Primitive, ...]) -> int:
    """Return the number of combinations of values of the parts."""
    total = 1
    for part in parts:
        low, high = reading.ends(part)
        if high >= LIMIT or low <= -LIMIT:
            return LIMIT
        total = min(total * (high - low + 1), LIMIT)
    return total


def all_values(
    reading: FormReader, parts: tuple[Primitive, ...], begin: int = 0, end: int | None = None
) -> dict[Primitive, Values]:
    """Return the combinations of values of the parts from number `begin` up to `end`, without an end all."""
    flat = np.arange(begin, count_of(reading, parts) if end is None else end, dtype=np.int64)
    found = {}
    for part in parts:
        low, high = reading.ends(part)
        found[part] = low + flat % (high - low + 1)
        flat = flat // (high - low + 1)
    return found


def first_difference(reading: FormReader, forms: tuple[int, int], parts: tuple[Primitive, ...]) -> Difference | None:
    """Return values of the parts at which two forms differ, None if there are none."""
    total = count_of(reading, parts)
    for begin in range(0, total, _BATCH):
        held = all_values(reading, parts, begin, min(total, begin + _BATCH))
        evaluation = Evaluation(reading, held)
        wrong = np.flatnonzero(evaluation.form(forms[0]) != evaluation.form(forms[1]))
        if wrong.size:
            return Difference(parts, tuple(int(held[part][wrong[0]]) for part in parts))
    return None


class Evaluation:
    """Values of forms for values of the parts of a cut."""

    def __init__(self, reading: FormReader, held: dict[Primitive, Values]) -> None:
        self._reading, self._parts = reading, dict(held)
        self._atoms: dict[int, Values] = {}
        self._shape = next(iter(held.values())).shape

    def form(self, number: int) -> Values:
        """Return the values of a form."""
        part, factor, constant = self._reading.form(number)
        if part is None:
            return np.full(self._shape, constant, np.int64)
        if not self._reading.is_bounded(number):
            raise Refusal("a number may exceed 62 bits")
        return self._part(part) * factor + constant

    def _part(self, part: Primitive) -> Values:
        if part not in self._parts:
            total, terms = np.zeros(self._shape, np.int64), part.terms
            for other, values in list(self._parts.items()):
                found = part.without(other)
                if found is not None:
                    total, terms = total + found[0] * values, found[1]
                    break
            for atom, coefficient in terms:
                total = total + self._atom(atom) * coefficient
            self._parts[part] = total
        return self._parts[part]

    def _atom(self, number: int) -> Values:
        alone = Primitive(((number, 1),))
        if alone in self._parts:
            return self._parts[alone]
        if number not in self._atoms:
            self._atoms[number] = self._made(number)
        return self._atoms[number]

    def _made(self, number: int) -> Values:
        operation, x, y, z, amount = self._reading.atom(number)
        if operation in (INPUT, SUM):
            raise Refusal("an input lies beyond a cut")
        if operation == MULTIPLY:
            return self._atom(x) * self._atom(y)
        if operation == ENTRY:
            entries = np.stack([self.form(entry) for entry in self._reading.listed(number)])
            index = self.form(x) - amount
            inside = (index >= 0) & (index < len(entries))
            found = np.take_along_axis(entries, np.where(inside, index, 0)[np.newaxis], axis=0)[0]
            return np.where(inside, found, 0)
        return computed(operation, self.form(x), self.form(y), self.form(z), amount)
