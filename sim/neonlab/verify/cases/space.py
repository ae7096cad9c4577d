"""The shapes that a contract allows: which dimensions there are, and what a shape costs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neonlab.contract.header import Argument, Contract, ContractError
from neonlab.contract.size_expression import SizeExpressionError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.operator import Operator
from neonlab.verify.cases.pitch import TURNS, plain_numbers, with_pitches
from neonlab.verify.cases.sizes import UNLIMITED, CodeFacts, Dimension, Role, lengths

#: Most bytes of the buffers of a shape that is tried, and most rows, whose addresses are compared one by one.
_MOST_BYTES, _MOST_ROWS = 1 << 27, 1 << 21
#: Attempts to find some allowed shape where the lowest sizes are not allowed together.
_ATTEMPTS = 2000
#: Bytes of a wide pitch: more than 16 bits hold; and most work of a shape that has one.
_WIDE, _MOST_APART = (1 << 16) + 64, 1 << 18
NO_PITCHES: Mapping[str, int] = {}
#: Values of a dimension that are tried in search of one.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Placed:
    """An allowed shape, with its multiply-accumulates and the bytes that a call touches."""

    shape: Shape
    macs: int
    bytes: int

    @property
    def work(self) -> int:
        """The multiply-accumulates or the bytes, whichever are more."""
        return max(self.macs, self.bytes)


class _Room(NamedTuple):
    """What one pointer needs at a shape: its extents' fewest bytes, their rows, all their bytes, and its buffer's."""

    least: int
    rows: int
    bytes: int
    span: int

    @staticmethod
    def of(argument: Argument, values: Mapping[str, int]) -> _Room:
        """Return what a pointer needs where the integers have these values."""
        extents = [extent for extent in (argument.read, argument.write) if extent is not None]
        sizes = [extent.evaluate(values) for extent in extents]
        rows = [rows.evaluate(values) for extent in extents for rows in extent.rows]
        least = min(sizes, default=0)
        return _Room(least, max(rows, default=0), sum(sizes), argument.span(values) if least >= 0 else 0)


def _names_of(argument: Argument) -> tuple[str, ...]:
    """Return the integers that the buffer of a pointer depends on."""
    parts = [part.names for part in (argument.read, argument.write, argument.origin) if part is not None]
    return tuple(sorted(frozenset().union(*parts)))


class Space:
    """All shapes of a kernel: by an operator's dimensions, or by the integer arguments of a contract alone.

    Pitches are no dimensions: they follow from the sizes.
    """

    def __init__(self, contract: Contract, operator: Operator | None = None) -> None:
        self.contract, self.operator = contract, operator
        names = tuple(argument.name for argument in contract.integers)
        pitches = {argument.name for argument in contract.pitches}
        # Where the pitches are among the dimensions, the operator leaves their choice to the contract.
        self._alone = operator is None or bool(pitches & set(operator.dimensions))
        self.names = names if operator is None else operator.dimensions
        # What `accepts` does by itself is done here already.
        self._asks = operator is not None and type(operator).accepts is not Operator.accepts
        self._numbers = {argument.name for argument in plain_numbers(contract)}
        self._known = {argument.name: argument for argument in contract.integers}
        self.dimensions = tuple(self._dimension(name) for name in self.names if name not in pitches)
        self._names_of = [_names_of(argument) for argument in contract.pointers]
        self._rooms: dict[tuple[int | None, ...], _Room] = {}
        self._placed: dict[tuple[int, ...], Placed | None] = {}  # a search asks for many shapes again

    def _dimension(self, name: str) -> Dimension:
        role = self.operator.roles.get(name, Role.LENGTH) if self.operator is not None else Role.LENGTH
        argument = self._known.get(name)
        if argument is None or not (self._alone or self._is_passed_on(argument)):
            return Dimension(name, 1, UNLIMITED, 1, role)
        return Dimension.of(argument, Role.NUMBER if name in self._numbers else role)

    def _is_passed_on(self, argument: Argument) -> bool:
        """Tell whether the operator passes the dimension on as the argument of its name, unchanged."""
        assert self.operator is not None
        low = Dimension.of(argument, Role.LENGTH).base
        for value in (low, low + argument.step):
            given = self.operator.integers(Shape(self.names, (value,) * len(self.names)))
            if given.get(argument.name) != value:
                return False
        return True

    def place(self, sizes: Sequence[int], turn: int = 0, pitches: Mapping[str, int] = NO_PITCHES) -> Placed | None:
        """Return the shape with these `sizes`, one for each dimension; None where the contract does not allow it.

        `turn` chooses the pitches that are part of a shape, except for those given.
        """
        if self._alone:
            return self._placed_at(sizes, turn, pitches)
        key = tuple(sizes)
        if key not in self._placed:
            self._placed[key] = self._placed_at(sizes, turn, pitches)
        return self._placed[key]

    def _placed_at(self, sizes: Sequence[int], turn: int, pitches: Mapping[str, int]) -> Placed | None:
        chosen = {dimension.name: size for dimension, size in zip(self.dimensions, sizes, strict=True)}
        chosen.update(pitches)
        try:
            if self._alone:
                values = with_pitches(self.contract, chosen, turn % TURNS)
                if values is None:
                    return None
                shape = Shape(self.names, tuple(values[name] for name in self.names))
            else:
                assert self.operator is not None
                shape = Shape(self.names, tuple(sizes))
                values = self.operator.values(self.contract, shape)
            return self._allowed(shape, values)
        except (ContractError, SizeExpressionError):
            return None

    def _allowed(self, shape: Shape, values: Mapping[str, int]) -> Placed | None:
        contract, bytes_, spanned = self.contract, 0, 0
        for number, argument in enumerate(contract.pointers):
            key = (number, *[values.get(name) for name in self._names_of[number]])
            room = self._rooms.get(key)
            if room is None:
                room = self._rooms[key] = _Room.of(argument, values)
            if room.least < 0 or room.rows > _MOST_ROWS:
                return None
            bytes_ += room.bytes
            spanned += room.span
        if spanned > _MOST_BYTES:
            return None
        contract.check_values(values)
        if self._asks and not self.operator.accepts(contract, shape):  # type: ignore[union-attr]
            return None
        return Placed(shape, contract.macs.evaluate(values) if contract.macs is not None else 0, bytes_)

    @functools.cached_property
    def least(self) -> tuple[int, ...] | None:
        """Sizes of the smallest shape found that is allowed; None where there is none."""
        base = tuple(dimension.base for dimension in self.dimensions)
        if self.place(base) is not None:
            return base
        choices = [self._few(dimension) for dimension in self.dimensions]
        every = itertools.islice(itertools.product(*choices), _ATTEMPTS)
        random = np.random.default_rng(1)
        drawn = (tuple(some[int(random.integers(len(some)))] for some in choices) for _ in range(_ATTEMPTS))
        found = [(one.work, sizes) for sizes in (*every, *drawn) if (one := self.place(sizes)) is not None]

        def order(one: tuple[int, tuple[int, ...]]) -> tuple[int, int, tuple[int, ...]]:
            return one[0], sum(abs(size - low) for size, low in zip(one[1], base, strict=True)), one[1]

        return min(found, key=order)[1] if found else None

    @property
    def least_shape(self) -> Shape | None:
        """The smallest shape found that is allowed; None where there is none."""
        placed = self.place(self.least) if self.least is not None else None
        return placed.shape if placed is not None else None

    @staticmethod
    def _few(dimension: Dimension) -> tuple[int, ...]:
        """Return values of a dimension from its lowest length up, then its ends."""
        some = [value for value in lengths(dimension, CodeFacts()) if value >= dimension.base][:_FEW]
        return tuple(dict.fromkeys((*some, dimension.low, dimension.high)))

    def far_apart(self) -> Iterator[Shape]:
        """Yield small sizes of more than one row, with each pitch of the shape in turn far wider than needed.

        A wide pitch does not fit 16 bits, where the contract allows one.
        """
        if not self._alone or self.least is None:
            return
        for argument in self.contract.pitches:
            low, high = (int(end) for end in argument.value_range or (0, 0))
            wide = low + argument.step * min((high - low) // argument.step, -(-(_WIDE - low) // argument.step))
            for more in (1, 0):
                sizes = [d.at_least(low + more) for d, low in zip(self.dimensions, self.least, strict=True)]
                placed = self.place(sizes, pitches={argument.name: wide})
                if placed is not None and wide > 0 and placed.work <= _MOST_APART:
                    yield placed.shape
                    break
