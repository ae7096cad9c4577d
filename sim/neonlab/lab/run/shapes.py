"""Choose the shapes to try a kernel on, from its contract, its operator's dimensions and its code.

Which values a dimension takes is the rule of `neonlab.verify.cases.sizes`; `cover` brings them together.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.contract.header import Contract
from neonlab.errors import InputError
from neonlab.isa.constants import compared_constants
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape
from neonlab.verify.cases.cover import MOST_FOR_A_PAIR, MOST_WORK, Cover, cover_triples
from neonlab.verify.cases.operator import Operator
from neonlab.verify.cases.sizes import (
    FAR_POWERS,
    FEW,
    UNLIMITED,
    VECTOR,
    CodeFacts,
    Dimension,
    Role,
    cut_sizes,
    far_sizes,
    lengths,
    together,
)
from neonlab.verify.cases.space import Space

#: Most shapes in which two sizes meet, and most of the further ones in which three do.
MOST_SHAPES, MORE_SHAPES = 560, 60
#: Most work of all small shapes together, in multiply-accumulates or bytes.
_MOST_WORK = 1 << 26
#: Most shapes for one value of one dimension each: constants of the code, powers of two, ends.
_MOST_ALONE = 200
#: Number of the first shapes that get every check.  If results are right, other noise on more shapes shows little more.
WHOLE_SHAPES = 40
#: Number of the next ones of which every access and lane is watched.
WATCHED_SHAPES = 72
#: Shapes among which those are looked for in which three sizes meet.
_DRAWN = 600
#: Most shapes of an operator's own list, and most with `every_tail`.
_MOST_TAILS, _MOST_OF_ALL = 140, 20_000
#: Most multiply-accumulates of a shape with sums as long as the contract allows.
_LONGEST = 1 << 23
#: Most products in such a sum; products of int8 make int32 wrap from 131,073 on.
_MOST_PRODUCTS = 1 << 18
#: Largest size that is far and not farther; and most work of a shape with a size beyond.  The guest takes 5 to 30 ms
#: for 2^20 elements of a kernel with one size, but 0.1 to 0.7 s for 2^24, and a reference up to 4 s.
_FAR, _MOST_FAR = FAR_POWERS[0] + 64, 7 << 19
#: Most work of a shape with a size beyond a large constant of the code, which few kernels have.
_MOST_CUT = 5 << 24
#: A size between those that 16 and 20 bits reach, where two of all others may be cheap.
_BETWEEN = (1 << 17) + 7
#: The sizes of a function with one size only, one after another: what a mask or a table of 8 bits tells apart.
_EIGHT_BITS = 256
#: Most shapes in which as much as may be is 0.
_MOST_NOTHING = 24


@dataclass(frozen=True)
class PlannedShapes:
    """The shapes to try: `small` ones from the smallest up, the last of which is broad in every dimension.

    Those of them that are `whole` get every check, those `watched` every check of a single call.  `alone` have one size
    that need not meet others: near a constant of the code or a power of two, or an end.  The others only compare
    results: `far` with one size beyond 16 bits, `farther` beyond 20 where that is cheap, or beyond a large constant of
    the code; `longest`, which sum as many products as the contract allows.  `few` tells whether the kernel has one size
    only; then `in_a_row` are the sizes that eight bits hold and `small` has not.
    """

    small: tuple[Shape, ...]
    whole: frozenset[Shape]
    watched: frozenset[Shape] = frozenset()
    alone: tuple[Shape, ...] = ()
    far: tuple[Shape, ...] = ()
    farther: tuple[Shape, ...] = ()
    longest: tuple[Shape, ...] = ()
    few: bool = False
    in_a_row: tuple[Shape, ...] = ()


def integers_of(kernel: Kernel, shape: Shape) -> Mapping[str, int]:
    """Return the integer arguments at `shape`, by name."""
    return kernel.operator.values(kernel.contract, shape) if kernel.operator else shape.values()


def code_of(kernel: Kernel) -> CodeFacts:
    """Return what the rule needs of a kernel's code; no constants if it does not assemble, which checks report."""
    try:
        constants = compared_constants(kernel_program(kernel).instructions)
    except InputError:
        constants = ()
    try:
        tile = KernelName.parse(kernel.contract.name).tile
    except KernelNameError:
        tile = ()
    return CodeFacts(tile, constants)


def planned_shapes(kernel: Kernel, seed: int, *, every_tail: bool = False) -> PlannedShapes:
    """Return the shapes to try; `small` is empty if the contract's ranges allow none."""
    return _planned(_Limits(kernel.contract, kernel.operator), code_of(kernel), seed, every_tail)


class _Limits:
    """A contract and an operator; equal to others of the same operator whose contract puts the same limits on sizes."""

    def __init__(self, contract: Contract, operator: Operator | None) -> None:
        self.contract, self.operator = contract, operator
        limits = tuple((argument.name, argument.value_range, argument.step) for argument in contract.integers)
        extents = tuple(
            (argument.name, extent is argument.write, extent.text)
            for argument in contract.pointers
            for extent in (argument.read, argument.write)
            if extent is not None
        )
        self._key = (operator, limits, extents, contract.macs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Limits) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)


# Many kernels of an operator allow the same shapes.
@functools.lru_cache(maxsize=16)
def _planned(limits: _Limits, code: CodeFacts, seed: int, every_tail: bool) -> PlannedShapes:
    space = Space(limits.contract, limits.operator)
    if space.least is None:
        return PlannedShapes((), frozenset())
    cover = Cover(space, code, seed)
    cover.fill(MOST_SHAPES, _MOST_WORK)
    met = tuple(cover.chosen)
    cover.take([lengths(dimension, code) for dimension in space.dimensions], _MOST_ALONE, _MOST_WORK)
    alone = tuple(cover.chosen)[len(met) :]
    broad = _broad(space, code)
    small = [*met, *cover_triples(_drawn(space, code, seed), met, MORE_SHAPES), *_tails(limits)]
    few = sum(dimension.role is Role.LENGTH for dimension in space.dimensions) <= 1
    if few:
        small, alone = [*small, *alone], ()
    if every_tail:
        small += _every_small(space, code)
    cuts = functools.partial(cut_sizes, code=code)
    by_work = (*sorted({*small} - {broad}, key=lambda shape: (shape.work, shape.sizes)), broad)
    # Of a kernel with one size all regions of it; else the first of a cover, in which most meets.
    order = by_work[:: -(-len(by_work) // WHOLE_SHAPES)] if few else small
    whole, watched = (order, order) if every_tail else (order[:WHOLE_SHAPES], small if few else small[:WATCHED_SHAPES])
    return PlannedShapes(
        by_work,
        frozenset(whole) | {broad},
        frozenset(watched),
        tuple(dict.fromkeys((*alone, *_nothing_else(space), *space.far_apart()))),
        tuple(
            dict.fromkeys(
                (
                    *_far(space, far_sizes, (0, _FAR), _MOST_WORK),
                    *_far(space, cuts, (0, _FAR), _MOST_WORK),
                    *_far_of_two(space),
                )
            )
        ),
        tuple(
            dict.fromkeys(
                (
                    *_far(space, far_sizes, (_FAR + 1, UNLIMITED), _MOST_FAR),
                    *_far(space, cuts, (_FAR + 1, UNLIMITED), _MOST_CUT),
                )
            )
        ),
        _longest_sums(limits, space, code),
        few,
        tuple(_in_a_row(space, frozenset(small))) if few else (),
    )


def _in_a_row(space: Space, known: frozenset[Shape]) -> Iterator[Shape]:
    """Yield the smallest shape with its length of all sizes that eight bits hold, but those `known`."""
    assert space.least is not None
    for at, dimension in enumerate(space.dimensions):
        if dimension.role is Role.LENGTH and dimension.count > FEW:
            for size in range(dimension.base, min(dimension.high, _EIGHT_BITS) + 1, dimension.step):
                placed = space.place((*space.least[:at], size, *space.least[at + 1 :]))
                if placed is not None and placed.shape not in known and placed.work <= MOST_WORK:
                    yield placed.shape


def _broad(space: Space, code: CodeFacts) -> Shape:
    """Return a shape with two of the widest blocks and a remainder in each dimension, as far as its work allows.

    The first dimensions are narrower, and no two are equal.
    """
    assert space.least is not None
    wide = max(2 * code.widest, 2 * VECTOR) + 1
    sizes = [d.at_least(wide - 2 * n) for n, d in enumerate(reversed(space.dimensions))][::-1]
    for at, dimension in enumerate(space.dimensions):
        while (placed := space.place(sizes)) is None or placed.work > MOST_FOR_A_PAIR:
            if sizes[at] <= max(space.least[at], dimension.at_least(3)):
                break
            sizes[at] -= dimension.step
    placed = space.place(sizes) or space.place(space.least)
    assert placed is not None
    return placed.shape


def _drawn(space: Space, code: CodeFacts, seed: int) -> list[Shape]:
    """Return shapes with small sizes at random, among which three sizes meet; none of a kernel with fewer sizes."""
    random, found = np.random.default_rng([seed, 3]), []
    values = [together(dimension, code) for dimension in space.dimensions]
    for number in range(_DRAWN if len(values) > 2 else 0):
        placed = space.place([some[int(random.integers(len(some)))] for some in values], number)
        if placed is not None and placed.work <= MOST_WORK:
            found.append(placed.shape)
    return found


def _tails(limits: _Limits) -> Iterator[Shape]:
    """Yield the shapes that an operator names itself, evenly spaced if they are many."""
    operator = limits.operator
    if operator is None or type(operator).tails is Operator.tails:
        return
    found = [shape for shape in operator.tails() if operator.accepts(limits.contract, shape)]
    yield from found[:: max(1, -(-len(found) // _MOST_TAILS))]


def _every_small(space: Space, code: CodeFacts) -> Iterator[Shape]:
    """Yield every combination of the smallest sizes, as many of each dimension as give 20,000 at most."""
    values = [together(dimension, code) for dimension in space.dimensions]
    most = max(map(len, values), default=1)
    while most > 1 and np.prod([float(min(len(some), most)) for some in values]) > _MOST_OF_ALL:
        most -= 1
    for number, sizes in enumerate(itertools.product(*(some[:most] for some in values))):
        placed = space.place(sizes, number)
        if placed is not None:
            yield placed.shape


def _far(
    space: Space, sizes_of: Callable[[Dimension], tuple[int, ...]], limits: tuple[int, int], most_work: int
) -> Iterator[Shape]:
    """Yield the smallest shape with each length in turn far larger, within `limits`, where work allows it."""
    assert space.least is not None
    for number, dimension in enumerate(space.dimensions):
        for size in sizes_of(dimension):
            placed = space.place((*space.least[:number], size, *space.least[number + 1 :]))
            if placed is not None and limits[0] <= size <= limits[1] and placed.work <= most_work:
                yield placed.shape


def _far_of_two(space: Space) -> Iterator[Shape]:
    """Yield shapes with one length far larger and two of everything else, so that its products with them are seen."""
    assert space.least is not None
    two = tuple(max(low, d.at_least(2)) for d, low in zip(space.dimensions, space.least, strict=True))
    for number, dimension in enumerate(space.dimensions):
        fitting = []
        far = far_sizes(dimension)
        for size in sorted({*far, *dimension.near((_BETWEEN,))}):
            placed = space.place((*two[:number], size, *two[number + 1 :]))
            if placed is not None and placed.work <= _MOST_FAR // (2 if size in far else 4):
                fitting.append(placed.shape)
        yield from fitting[-1:]


def _nothing_else(space: Space) -> Iterator[Shape]:
    """Yield small shapes in which as much is 0 as may be, such as every padding: all but none, one or two sizes."""
    sizes = [dimension.at_least(2 + at) for at, dimension in enumerate(space.dimensions)]
    may_be_0 = [at for at, d in enumerate(space.dimensions) if d.low <= 0 <= d.high and d.at_least(0) == 0]
    some = itertools.chain.from_iterable(itertools.combinations(may_be_0, kept) for kept in range(3))
    found = []
    for kept in some if len(may_be_0) > 1 else ():
        placed = space.place([0 if at in may_be_0 and at not in kept else size for at, size in enumerate(sizes)])
        if placed is not None and 0 < placed.work <= _MOST_FAR:
            found.append(placed.shape)
    yield from found[:_MOST_NOTHING]


def _longest_sums(limits: _Limits, space: Space, code: CodeFacts) -> tuple[Shape, ...]:
    """Return shapes with sums of as many products as the contract allows, of about the size of the kernel's tile.

    A size is summed over if multiply-accumulates grow with it and results do not.
    """
    contract, operator = limits.contract, limits.operator
    if contract.macs is None or operator is None or space.least is None:
        return ()
    of_results = frozenset().union(*(argument.write.names for argument in contract.pointers if argument.write))
    names = contract.macs.names - of_results
    summed = [n for n, dimension in enumerate(space.dimensions) if dimension.name in names]
    if not summed or space.dimensions[summed[0]].count < 2:
        return ()
    at, dimension = summed[0], space.dimensions[summed[0]]
    length = (
        dimension.low + max(0, min(dimension.high, _MOST_PRODUCTS) - dimension.low) // dimension.step * dimension.step
    )
    found: list[Shape] = []
    for target in _around(_tile(code), len(space.dimensions) - 1):
        sizes = [*target[:at], length, *target[at:]]
        shape = _nearest(space, sizes, at, found)
        if shape is not None:
            found.append(shape)
    return tuple(found)


def _nearest(space: Space, sizes: list[int], summed: int, known: Sequence[Shape]) -> Shape | None:
    """Return the allowed shape of about `sizes` that costs no more than is worth it and is not among `known`.

    Its largest size but that which is summed over is lowered until there is one.
    """
    sizes = [max(size, 1) for size in sizes]
    fitted = [
        d.at_least(size) if n != summed else size
        for n, (d, size) in enumerate(zip(space.dimensions, sizes, strict=True))
    ]
    while True:
        placed = space.place(fitted)
        if placed is not None and placed.macs <= _LONGEST and placed.shape not in known:
            return placed.shape
        lower = [n for n in range(len(fitted)) if n != summed and fitted[n] > space.dimensions[n].base]
        if not lower:
            return None
        largest = max(lower, key=lambda n: fitted[n])
        fitted[largest] -= space.dimensions[largest].step


def _around(tile: tuple[int, int], dimensions: int) -> tuple[tuple[int, ...], ...]:
    """Return sizes of so many dimensions around a tile: all of it, half its rows, and three with parts of its columns.

    Kernels have separate code for half the rows of a tile, and for each number of quarters of its columns.
    """
    rows, columns = tile
    parts = (columns * 3 // 4, columns // 2 + 1, columns // 4)
    sizes = ((rows, columns), (rows // 2, columns), *((rows + rows // 2, part) for part in parts))
    return tuple((*(1,) * dimensions, *size)[len(size) :] for size in sizes)


def _tile(code: CodeFacts) -> tuple[int, int]:
    """Return the rows and columns that one pass of the hot loop computes, by the kernel's name; 8 by 8 if unknown."""
    tile = code.tile or (8, 8)
    return tile[0] if len(tile) > 1 else 1, tile[-1]
