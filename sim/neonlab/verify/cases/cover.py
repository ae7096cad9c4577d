"""Choose shapes in which the values of each two dimensions meet: a covering array, built greedily.

What is to meet is a table for each two dimensions: a bit for each pair of classes, such as the remainders modulo 16 of
both.  Each shape is built around one bit that is still set.  The other dimensions then take the values that clear most.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.measure.shape import Shape
from neonlab.verify.cases.sizes import FEW, FIRST, CodeFacts, Dimension, Role, remainder_count, together
from neonlab.verify.cases.space import Placed, Space

Ints = npt.NDArray[np.int64]
#: Most work of a shape in which small sizes meet, and of one for the sake of two sizes that meet nowhere else.
MOST_WORK, MOST_FOR_A_PAIR = 1 << 15, 1 << 18
#: Attempts to complete a pair of sizes to an allowed shape, and one size.
_COMPLETED, _ATTEMPTS = 4, 3
#: Sizes from which a loop runs more than once, whatever remains.
_LOOPS = 16
#: Values of a class among which the best is taken.
_CHOICES = 4
#: Where two values would clear as much: take others than those in the shape, and small ones.
_SAME, _LARGE, _CHANCE = 0.6, 0.5, 0.4


@dataclass(slots=True)
class _PairTable:
    """Hold the classes of `first` and `second` that are to meet; -1 is the class of values that need not meet any."""

    first: int
    second: int
    classes: tuple[Ints, Ints]  # of each value of either dimension
    wanted: npt.NDArray[np.bool_]

    def clear(self, at: Sequence[int]) -> None:
        """Note that the values with these numbers, one for each dimension, have met."""
        self.wanted[self.classes[0][at[self.first]], self.classes[1][at[self.second]]] = False

    def gain(self, dimension: int, at: Sequence[int]) -> npt.NDArray[Any]:
        """Return for each value of `dimension` whether it would meet the other dimension's value for the first time."""
        if dimension == self.first:
            found: npt.NDArray[Any] = self.wanted[self.classes[0], self.classes[1][at[self.second]]]
        else:
            found = self.wanted[self.classes[0][at[self.first]], self.classes[1]]
        return found


def _table(first: int, second: int, classes: tuple[Ints, Ints]) -> _PairTable:
    counts = [int(each.max(initial=-1)) + 1 for each in classes]
    wanted = np.zeros((counts[0] + 1, counts[1] + 1), np.bool_)  # the last of each is that of -1
    met = np.ix_(*(np.unique(each[each >= 0]) for each in classes))
    wanted[met] = True
    return _PairTable(first, second, classes, wanted)


def _tables(dimensions: Sequence[Dimension], values: Sequence[Ints], code: CodeFacts) -> list[_PairTable]:
    found = []
    for (i, first), (j, second) in itertools.combinations(enumerate(dimensions), 2):
        if Role.FACTOR in (first.role, second.role):
            continue
        of = (first, values[i]), (second, values[j])
        found.append(_table(i, j, (_remainders(*of[0]), _remainders(*of[1]))))
        if _is_length(first) and _is_length(second):
            kinds: list[tuple[Callable[..., Ints], Callable[..., Ints]]] = [(_first, _first), (_loops, _loops)]
            for rows, columns in _tiles(code):
                kinds.append((_modulo(rows), _modulo(columns)))
            found += [_table(i, j, (a(*of[0]), b(*of[1]))) for a, b in kinds]
    return found


def _is_length(dimension: Dimension) -> bool:
    return dimension.role is Role.LENGTH and dimension.count > FEW


def _tiles(code: CodeFacts) -> Iterator[tuple[int, int]]:
    """Yield the rows and columns of a tile, both ways round, unless their remainders are among those modulo 16."""
    if len(code.tile) == 2 and any(16 % part for part in code.tile):
        yield from dict.fromkeys((code.tile, code.tile[::-1]))


def _remainders(dimension: Dimension, values: Ints) -> Ints:
    """Return the remainder modulo 16 of each value; for a dimension of few values, the number of the value."""
    if not _is_length(dimension):
        return np.arange(len(values), dtype=np.int64)
    steps = (values - dimension.low) // dimension.step + (dimension.low if dimension.step == 1 else 0)
    return np.asarray(steps % remainder_count(dimension), np.int64)


def _first(dimension: Dimension, values: Ints) -> Ints:
    """Return the number of each value from the lowest up to 9, of as many where the lowest is higher; -1 of others."""
    numbers = np.arange(len(values), dtype=np.int64)
    small = values <= FIRST if dimension.base <= FIRST else numbers < FIRST
    return np.where(small, numbers, -1)


def _loops(dimension: Dimension, values: Ints) -> Ints:
    """Return the remainder modulo 8 of each value, apart for those for which loops run more than once."""
    steps = (values - dimension.low) // dimension.step + (dimension.low if dimension.step == 1 else 0)
    return np.asarray(steps % 8 + 8 * (steps > _LOOPS), np.int64)


def _modulo(modulus: int) -> Callable[[Dimension, Ints], Ints]:
    return lambda dimension, values: np.asarray(values % modulus, np.int64)


class Cover:
    """The choice of shapes of one space.  Deterministic for a space, a code and a seed."""

    def __init__(self, space: Space, code: CodeFacts, seed: int = 1) -> None:
        least = space.least
        assert least is not None
        self.space = space
        self.chosen: dict[Shape, int] = {}  # the shapes and their work, in the order of their choice
        self._least = least
        self._random = np.random.default_rng([seed, 2])
        self._values = [
            np.array(sorted({*together(d, code), low}), np.int64)
            for d, low in zip(space.dimensions, least, strict=True)
        ]
        self._at_least = [int(np.searchsorted(v, low)) for v, low in zip(self._values, least, strict=True)]
        self._tables = _tables(space.dimensions, self._values, code)
        self._of = [[t for t in self._tables if d in (t.first, t.second)] for d in range(len(self._values))]

    @property
    def unmet(self) -> int:
        """The number of pairs of classes that have not met yet, or cannot."""
        return int(sum(np.count_nonzero(table.wanted) for table in self._tables))

    def add(self, placed: Placed | None) -> bool:
        """Choose the shape, if it is one; tell whether it is."""
        if placed is None:
            return False
        self.chosen.setdefault(placed.shape, placed.work)
        return True

    def fill(self, count: int, most_work: int) -> None:
        """Choose shapes until every pair has met, or there are `count`, or their work together exceeds `most_work`."""
        self._try(list(self._at_least))
        while len(self.chosen) < count and sum(self.chosen.values()) < most_work:
            counts = [np.count_nonzero(table.wanted) for table in self._tables]
            if not counts or not max(counts):
                break
            table = self._tables[int(np.argmax(counts))]
            cells = np.argwhere(table.wanted)
            cell = cells[int(self._random.integers(len(cells)))]
            if not any(self._try(self._completed(table, cell, attempt)) for attempt in range(_COMPLETED)):
                table.wanted[tuple(cell)] = False  # impossible

    def take(self, wanted: Sequence[Collection[int]], count: int, most_work: int) -> None:
        """Choose shapes with each of the values `wanted` of each dimension that none has yet, small values first.

        A shape takes one such value of each dimension, as far as its work stays small.  At most `count` shapes with
        `most_work` together are chosen.
        """
        seen = [{shape[dimension.name] for shape in self.chosen} for dimension in self.space.dimensions]
        left = [
            sorted(set(some) - known, key=lambda value: (abs(value), value))
            for some, known in zip(wanted, seen, strict=True)
        ]
        count, most_work = count + len(self.chosen), most_work + sum(self.chosen.values())
        while any(left) and len(self.chosen) < count and sum(self.chosen.values()) < most_work:
            first = min((n for n, values in enumerate(left) if values), key=lambda n: abs(left[n][0]))
            for attempt in range(_ATTEMPTS):
                sizes = self._small_beside(first, attempt)
                sizes[first] = left[first][0]
                placed = (
                    self._with_others(sizes, first, left) if attempt == 0 else self.space.place(sizes, len(self.chosen))
                )
                if placed is not None and placed.work <= MOST_FOR_A_PAIR and self.add(placed):
                    break
            left[first] = left[first][1:]
            taken = next(reversed(self.chosen))
            left = [
                [v for v in some if v != taken[d.name]] for some, d in zip(left, self.space.dimensions, strict=True)
            ]

    def _small_beside(self, dimension: int, attempt: int) -> list[int]:
        """Return sizes up to 5 of the others, and the smallest at the last attempt."""
        sizes = list(self._least)
        for other, values in enumerate(self._values):
            if other != dimension and attempt < _ATTEMPTS - 1:
                few = values[self._at_least[other] :][:5]
                sizes[other] = int(few[int(self._random.integers(len(few)))])
        return sizes

    def _with_others(self, sizes: list[int], first: int, left: Sequence[Sequence[int]]) -> Placed | None:
        """Return the shape of `sizes`, with the first of the values `left` of other dimensions where work allows."""
        found, taken = self.space.place(sizes, len(self.chosen)), {first}
        for other, values in enumerate(left):
            if other == first or not values:
                continue
            more = [*sizes[:other], values[0], *sizes[other + 1 :]]
            lower = [
                size if n in taken or n == other else low
                for n, (size, low) in enumerate(zip(more, self._least, strict=True))
            ]
            for tried in (more, lower):
                placed = self.space.place(tried, len(self.chosen))
                if placed is not None and placed.work <= MOST_FOR_A_PAIR // 2:
                    sizes, found = tried, placed
                    taken.add(other)
                    break
        return found

    def _completed(self, table: _PairTable, cell: npt.NDArray[Any], attempt: int) -> list[int]:
        """Return the number of each dimension's value: a pair of the classes `cell`, and others that meet most."""
        at = list(self._at_least)
        known: list[int] = []
        for dimension, classes, wanted in zip((table.first, table.second), table.classes, cell, strict=True):
            among = np.flatnonzero(classes == wanted)[:_CHOICES]
            if attempt in (0, _COMPLETED - 1):
                at[dimension] = int(among[np.argmax(self._scores(dimension, at, known)[among])])
            else:  # a contract may ask for one to be larger than the other
                at[dimension] = int(among[-1 if (attempt == 1) == (dimension == table.first) else 0])
            known.append(dimension)
        if attempt < _COMPLETED - 1:  # else the others are as small as can be
            for dimension in self._random.permutation(len(at)).tolist():
                if dimension not in known:
                    scores = self._scores(dimension, at, known)
                    before, at[dimension] = at[dimension], int(np.argmax(scores))
                    while at[dimension] > before and self._work(at) > MOST_WORK:
                        scores = scores[: (at[dimension] + before + 1) // 2]
                        at[dimension] = int(np.argmax(scores)) if len(scores) else before
                    known.append(dimension)
        return at

    def _scores(self, dimension: int, at: Sequence[int], known: Sequence[int]) -> npt.NDArray[Any]:
        values = self._values[dimension]
        scores = self._random.random(len(values)) * _CHANCE - np.arange(len(values)) * (_LARGE / len(values))
        for table in self._of[dimension]:
            if (table.second if table.first == dimension else table.first) in known:
                scores = scores + table.gain(dimension, at)
        for other in known:
            scores = scores - _SAME * (values == self._values[other][at[other]])
        return scores

    def _sizes(self, at: Sequence[int]) -> list[int]:
        return [int(values[number]) for values, number in zip(self._values, at, strict=True)]

    def _work(self, at: Sequence[int]) -> int:
        placed = self.space.place(self._sizes(at))
        return placed.work if placed is not None else 0

    def _try(self, at: list[int]) -> bool:
        sizes = self._sizes(at)
        placed = self.space.place(sizes, len(self.chosen))
        if placed is None or (placed.work > MOST_FOR_A_PAIR and len(self.chosen) > 1) or not self.add(placed):
            return False
        for table in self._tables:
            table.clear(at)
        return True


def cover_triples(shapes: Sequence[Shape], chosen: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """Return at most `count` more of `shapes`, in which three dimensions meet as in none of `chosen`.

    A mistake may need the last row, the last column and a sum of some length at once.  Deterministic.
    """
    seen = set().union(*(_triples(shape) for shape in chosen))
    features = {shape: _triples(shape) for shape in dict.fromkeys(shapes)}
    found: list[Shape] = []
    # Shapes with many new triples come first, then the rest.
    for wanted in (4, 2, 1):
        for shape, triples in features.items():
            if len(found) == count:
                return tuple(found)
            if len(triples - seen) >= wanted:
                seen |= triples
                found.append(shape)
    return tuple(found)


def _triples(shape: Shape) -> frozenset[tuple[int, ...]]:
    """Return what tiles of 2, 4 and 8 leave of each three dimensions, and of each two with the length of the third."""
    remains = [(size & -size & 7).bit_length() for size in shape.sizes]
    lengths = [min((size // 16).bit_length(), 3) for size in shape.sizes]
    found: set[tuple[int, ...]] = set()
    for i, j, k in itertools.combinations(range(len(remains)), 3):
        found.add((i, j, k, remains[i], remains[j], remains[k]))
        for a, b, c in ((i, j, k), (i, k, j), (j, k, i)):
            found.add((a, b, c, remains[a], remains[b], -lengths[c]))
    return frozenset(found)
