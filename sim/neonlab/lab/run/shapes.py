"""Choose the shapes to try a kernel on, so that all of its sizes meet, from its operator or its contract."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neonlab.contract.header import Contract
from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
from neonlab.lab.repository.library import Kernel
from neonlab.verify.cases.case import Shape
from neonlab.verify.cases.cover import cover, cover_tiles, cover_triples
from neonlab.verify.cases.generated import generated_shapes
from neonlab.verify.cases.operator import Operator

#: Default number of shapes of `check` in which each two sizes meet, and of further shapes in which three do.
DEFAULT_SHAPES, MORE_SHAPES = 140, 60
#: Further shapes whose results are compared, for the remainders of two sizes in the widest tiles.
TILE_SHAPES = 120
#: Number of the first shapes that get every check.  If results are right, other noise on more shapes shows little more.
WHOLE_SHAPES = 64
#: Most multiply-accumulates of a shape with sums as long as the contract allows.
_LONGEST = 1 << 23
#: Most products in such a sum; products of int8 make int32 wrap from 131,073 on.
_MOST_PRODUCTS = 1 << 18
#: Large sizes, of which the first allowed is used: beyond 16 bits with a remainder in any tile, at 16 bits, just below.
_FAR = ((1 << 16) + 7, 1 << 16, (1 << 16) - 1)
#: Fewest different values of a size that is a length.
_LENGTHS = 8


@dataclass(frozen=True)
class PlannedShapes:
    """The shapes to try: `small` ones from the smallest up, and those of them, `whole`, that get every check.

    The others only compare results: `tiles`; `far` with one large size; `longest`, which sum as many products as the
    contract allows.  `few` tells whether `small` is all that the operator names.
    """

    small: tuple[Shape, ...]
    whole: frozenset[Shape]
    tiles: tuple[Shape, ...] = ()
    far: tuple[Shape, ...] = ()
    longest: tuple[Shape, ...] = ()
    few: bool = False


def integers_of(kernel: Kernel, shape: Shape) -> Mapping[str, int]:
    """Return the integer arguments at `shape`, by name."""
    return kernel.operator.values(kernel.contract, shape) if kernel.operator else shape.values()


def planned_shapes(kernel: Kernel, seed: int, *, every_tail: bool = False) -> PlannedShapes:
    """Return the shapes to try; `small` is empty if the contract's ranges allow none."""
    operator = kernel.operator
    if operator is None:
        return _all_of(tuple(generated_shapes(kernel.contract, DEFAULT_SHAPES, seed)))
    tails = _accepted(_Sizes(kernel.contract, operator))
    few = len(tails) <= DEFAULT_SHAPES
    found = _all_of(tails) if every_tail or few else _covering(tails)
    far = tuple(_with_a_far_size(kernel, operator, tails)) if tails else ()
    return replace(found, far=far, longest=_longest_sums(kernel, operator, tails), few=few)


class _Sizes:
    """The limits that a contract puts on an operator's sizes; a cache key, since many kernels share them."""

    def __init__(self, contract: Contract, operator: Operator) -> None:
        self.contract, self.operator = contract, operator
        limits = tuple((argument.name, argument.value_range, argument.step) for argument in contract.integers)
        extents = tuple(
            (argument.name, extent is argument.write, extent.text)
            for argument in contract.pointers
            for extent in (argument.read, argument.write)
            if extent is not None
        )
        self._key = (operator, limits, extents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sizes) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)


# Many kernels of an operator allow the same shapes, and finding them takes longer than trying some.
@functools.lru_cache(maxsize=8)
def _accepted(sizes: _Sizes) -> tuple[Shape, ...]:
    return tuple(shape for shape in sizes.operator.tails() if sizes.operator.accepts(sizes.contract, shape))


def _all_of(shapes: Sequence[Shape]) -> PlannedShapes:
    return PlannedShapes(_by_work(shapes), frozenset(shapes))


# Choosing among them takes as long.
@functools.lru_cache(maxsize=8)
def _covering(tails: tuple[Shape, ...]) -> PlannedShapes:
    pairs = cover(tails, DEFAULT_SHAPES)
    small = pairs + cover_triples(tails, pairs, MORE_SHAPES)
    by_work = _by_work(small)
    whole = frozenset(small[:WHOLE_SHAPES]) | {by_work[-1]}
    return PlannedShapes(by_work, whole, cover_tiles(tails, small, TILE_SHAPES))


def _by_work(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    return tuple(sorted(shapes, key=lambda shape: (shape.work, shape.sizes)))


def _with_a_far_size(kernel: Kernel, operator: Operator, tails: Sequence[Shape]) -> Iterator[Shape]:
    """Yield the smallest of `tails` with each size in turn far larger, as far as the contract allows.

    Sizes with few different values in `tails` are no lengths, but paddings and the like.
    """
    least = min(tails, key=lambda shape: (shape.work, shape.sizes))
    for at in range(len(least.sizes)):
        if len({tail.sizes[at] for tail in tails}) < _LENGTHS:
            continue
        several = (Shape(least.names, (*least.sizes[:at], far, *least.sizes[at + 1 :])) for far in _FAR)
        yield from itertools.islice((shape for shape in several if operator.accepts(kernel.contract, shape)), 1)


def _longest_sums(kernel: Kernel, operator: Operator, tails: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return some of `tails` with sums of as many products as the contract allows, shapes near the kernel's tile first.

    A size is summed over if multiply-accumulates grow with it and results do not.
    """
    contract = kernel.contract
    if contract.macs is None or not tails:
        return ()
    of_results = frozenset().union(*(argument.write.names for argument in contract.pointers if argument.write))
    summed = [a for a in contract.integers if a.name in contract.macs.names - of_results and a.name in tails[0].names]
    if not summed or summed[0].value_range is None:
        return ()
    low, high = (int(end) for end in summed[0].value_range)
    at = tails[0].names.index(summed[0].name)
    length = low + max(0, min(high, _MOST_PRODUCTS) - low) // summed[0].step * summed[0].step
    longer = {Shape(tail.names, (*tail.sizes[:at], length, *tail.sizes[at + 1 :])) for tail in tails}
    possible = [
        shape
        for shape in longer
        if operator.accepts(contract, shape) and contract.macs.evaluate(integers_of(kernel, shape)) <= _LONGEST
    ]
    found: list[Shape] = []
    for target in _around(_tile(kernel), len(tails[0].sizes) - 1)[: len(possible)]:
        found.append(min((shape for shape in possible if shape not in found), key=_distance_from(target, at)))
    return tuple(found)


def _around(tile: tuple[int, int], dimensions: int) -> tuple[tuple[int, ...], ...]:
    """Return sizes of so many dimensions around a tile: all of it, half its rows, and three with parts of its columns.

    Kernels have separate code for half the rows of a tile, and for each number of quarters of its columns.
    """
    rows, columns = tile
    parts = (columns * 3 // 4, columns // 2 + 1, columns // 4)
    sizes = ((rows, columns), (rows // 2, columns), *((rows + rows // 2, part) for part in parts))
    return tuple((*(1,) * dimensions, *size)[len(size) :] for size in sizes)


def _distance_from(target: tuple[int, ...], summed: int) -> Callable[[Shape], tuple[int, int, tuple[int, ...]]]:
    """Return a sort key: the distance of a shape from `target`, without the size that is summed over.

    Some kernels have rows and columns exchanged, so both orders count.
    """
    exchanged = (*target[:-2], *reversed(target[-2:]))

    def distance(shape: Shape) -> tuple[int, int, tuple[int, ...]]:
        others = (*shape.sizes[:summed], *shape.sizes[summed + 1 :])
        away = [
            sum(abs(size - wanted) for size, wanted in zip(others, way, strict=True)) for way in (target, exchanged)
        ]
        return min(away), away[0], shape.sizes

    return distance


def _tile(kernel: Kernel) -> tuple[int, int]:
    """Return the rows and columns that one pass of the hot loop computes, by the kernel's name; 8 by 8 if unknown."""
    try:
        tile = KernelName.parse(kernel.contract.name).tile
    except KernelNameError:
        tile = (8, 8)
    return tile[0] if len(tile) > 1 else 1, tile[-1]
