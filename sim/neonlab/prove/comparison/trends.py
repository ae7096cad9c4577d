"""Follow how forms change on intervals of the values of a part: whether they are constant, rise or fall there.

The forms are first laid out as steps, each of which takes results of those before.  Compiled code then follows the
values at both ends of each interval, and the way between, from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import FormReader, Primitive
from neonlab.prove.comparison.ways import (
    LOOK_UP,
    NUMBER,
    PRODUCT,
    SCALED,
    STEP,
    SUM_OF,
    TO_FLOAT,
    TO_NUMBER,
    differ_between,
    follow,
)
from neonlab.prove.expressions.operation import (
    ENTRY,
    FLOAT_ADD,
    FLOAT_FLUSH,
    FLOAT_FUSED,
    FLOAT_LESS,
    FLOAT_MAXIMUM,
    FLOAT_MINIMUM,
    FLOAT_OF,
    FLOAT_ROUND,
    INPUT,
    INTEGER_OF,
    MULTIPLY,
    SUM,
)
from neonlab.prove.refusal import Refusal

Values = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trend:
    """Values at the low and the high end of each interval, and the way between."""

    low: Values
    high: Values
    way: npt.NDArray[np.int8]


class Trends:
    """The steps from a part to some forms, which depend on no other part.  Result 0 is the part itself."""

    def __init__(self, reading: FormReader, part: Primitive, forms: Sequence[int]) -> None:
        """Lay out the steps.  Raises Refusal where a number may exceed 62 bits, or a form has other inputs."""
        self._reading, self._part = reading, part
        self._steps: list[tuple[int, ...]] = []
        self._links: list[tuple[int, int]] = []
        self._atoms: dict[int, int] = {}
        self._forms: dict[int, int] = {}
        self._parts: dict[Primitive, int] = {part: 0}
        targets = [self._form(form) for form in forms]
        self._targets = np.array(targets, np.int64)
        self._laid_out = np.array(self._steps, STEP)
        self._linked = np.array(self._links, np.int64).reshape(-1, 2)

    def on(self, lows: Values, highs: Values) -> list[Trend]:
        """Return how each form changes on intervals of the part, as a number."""
        size = len(self._targets), len(lows)
        low, high, way = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int8)
        follow(*self._program(lows, highs), (low, high, way))
        return [Trend(low[at], high[at], way[at]) for at in range(len(self._targets))]

    def difference(self, lows: Values, highs: Values, most: int) -> tuple[int | None, int]:
        """Return a value of the part at which two forms differ, None if there is none, and how many were looked at.

        On each interval both forms must rise or fall, and be equal at both ends.  After `most` values the search ends.
        """
        found = np.zeros(3, np.int64)
        differ_between(*self._program(lows, highs), most, found)
        return (int(found[1]) if found[0] else None), int(found[2])

    def _program(self, lows: Values, highs: Values) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
        bits = np.zeros(4, np.uint32)
        return self._laid_out, self._linked, lows, highs, self._targets, bits, bits.view(np.float32)

    def _step(
        self,
        operation: int,
        x: int = 0,
        y: int = 0,
        z: int = 0,
        amount: int = 0,
        value: int = 0,
        is_float: bool = False,
    ) -> int:
        self._steps.append((operation, x, y, z, amount, value, 0, 0, int(is_float)))
        return len(self._steps)

    def _linking(self, operation: int, links: list[tuple[int, int]], x: int = 0, amount: int = 0) -> int:
        self._steps.append((operation, x, 0, 0, amount, 0, len(self._links), len(links), 0))
        self._links += links
        return len(self._steps)

    def _form(self, number: int) -> int:
        """Return the result that a form is, as a number."""
        if number not in self._forms:
            part, factor, constant = self._reading.form(number)
            if part is None:
                self._forms[number] = self._step(NUMBER, value=constant)
            elif not self._reading.is_bounded(number):
                raise Refusal("a number may exceed 62 bits")
            else:
                found = self._of_part(part)
                plain = (factor, constant) == (1, 0)
                self._forms[number] = found if plain else self._step(SCALED, found, amount=factor, value=constant)
        return self._forms[number]

    def _of_part(self, part: Primitive) -> int:
        if part not in self._parts:
            links, terms = [], part.terms
            found = part.without(self._part)
            if found is not None:
                links, terms = [(0, found[0])], found[1]
            links += [(self._number(self._atom(atom)), coefficient) for atom, coefficient in terms]
            self._parts[part] = self._linking(SUM_OF, links)
        return self._parts[part]

    def _is_float(self, result: int) -> bool:
        return result > 0 and bool(self._steps[result - 1][-1])

    def _number(self, result: int) -> int:
        return self._step(TO_NUMBER, result) if self._is_float(result) else result

    def _float(self, number: int) -> int:
        """Return the result that a form is as the bits of a float."""
        part, factor, constant = self._reading.form(number)
        if part is not None and len(part.terms) == 1 and (factor * part.terms[0][1], constant) == (1, 0):
            found = self._atom(part.terms[0][0])
            if self._is_float(found):
                return found
        return self._step(TO_FLOAT, self._form(number), is_float=True)

    def _atom(self, number: int) -> int:
        if Primitive(((number, 1),)) == self._part:
            return 0
        if number not in self._atoms:
            self._atoms[number] = self._made(number)
        return self._atoms[number]

    def _made(self, number: int) -> int:
        operation, x, y, z, amount = self._reading.atom(number)
        if operation in (INPUT, SUM):
            raise Refusal("an input lies beyond a cut")
        if operation == MULTIPLY:
            return self._step(PRODUCT, self._number(self._atom(x)), self._number(self._atom(y)))
        if operation == ENTRY:
            entries = [(self._form(entry), 1) for entry in self._reading.listed(number)]
            return self._linking(LOOK_UP, entries, self._form(x), amount)
        is_float = FLOAT_ADD <= operation <= FLOAT_FUSED or operation in (FLOAT_MINIMUM, FLOAT_MAXIMUM)
        is_float |= operation in (FLOAT_OF, FLOAT_ROUND, FLOAT_FLUSH)
        of_floats = (is_float and operation != FLOAT_OF) or operation in (INTEGER_OF, FLOAT_LESS)
        a, b, c = (self._float(one) if of_floats else self._form(one) for one in (x, y, z))
        return self._step(operation, a, b, c, amount, is_float=is_float)
