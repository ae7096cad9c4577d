"""Choose a few of many shapes so that the sizes that may go wrong together occur together at least once."""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Iterable, Sequence

from neonlab.verify.cases.case import Shape


def cover(shapes: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """Return at most `count` of `shapes`, in which tails and full tiles of all dimensions meet in every combination.

    The smallest and the largest come first; then one of each combination of orders of magnitude; then shapes from
    everywhere.  Among several, the one with most unseen features wins, then the one with most distinct sizes, so that
    one size is not mistaken for another.  Deterministic.
    """
    ordered = sorted(set(shapes), key=lambda shape: shape.sizes)
    if len(ordered) <= count:
        return tuple(ordered)
    # Without this the first shapes of each region would be those with equal sizes.
    scrambled = _scrambled(ordered[1:-1])
    features = functools.cache(_features)
    remaining = dict.fromkeys(scrambled)
    regions: dict[tuple[int, ...], list[Shape]] = {}
    for shape in scrambled:
        regions.setdefault(tuple(size.bit_length() for size in shape.sizes), []).append(shape)
    chosen = [ordered[0], ordered[-1]][:count]
    seen = set().union(*(features(shape) for shape in chosen))

    def choose(members: Iterable[Shape]) -> None:
        best = max(members, key=lambda shape: (len(features(shape) - seen), len(set(shape.sizes))))
        del remaining[best]
        chosen.append(best)
        seen.update(features(best))

    for members in list(regions.values())[: count - len(chosen)]:
        choose(members[:_LOOKED_AT])
    while len(chosen) < count:
        choose(itertools.islice(remaining, _LOOKED_AT))
    return tuple(chosen)


def _scrambled(shapes: Iterable[Shape]) -> list[Shape]:
    return sorted(shapes, key=lambda shape: (zlib.crc32(str(shape).encode()), shape.sizes))


#: Number of shapes that `cover` compares to choose one.
_LOOKED_AT = 64


def _features(shape: Shape) -> frozenset[tuple[str, int, int, int, int]]:
    """Return the features of a shape that are worth covering once: each size, and combinations of each two dimensions.

    The combinations are: a size with and without whole tiles of the other, two orders of magnitude, two remainders.
    """
    sizes = shape.sizes
    magnitudes = [size.bit_length() for size in sizes]
    found = {("size", i, -1, size, 0) for i, size in enumerate(sizes)}
    for i, j in itertools.permutations(range(len(sizes)), 2):
        found.add(("mixed", i, j, sizes[i], sizes[j] % 4 == 0))
        if i < j:
            tiles = 2 * (sizes[i] % 8 == 0) + (sizes[j] % 8 == 0)
            found.add(("kinds", i, j, 4 * magnitudes[i] + tiles, magnitudes[j]))
            found.add(("remainders", i, j, sizes[i] % 8, sizes[j] % 8))
    return frozenset(found)


def cover_triples(shapes: Sequence[Shape], chosen: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """Return at most `count` more of `shapes`, in which three dimensions meet as in none of `chosen`.

    A mistake may need the last row, the last column and a sum of some length at once.  Deterministic.
    """
    scrambled = _scrambled(set(shapes) - set(chosen))
    triples = functools.cache(_triples)
    seen = set().union(*(triples(shape) for shape in chosen))
    found: list[Shape] = []
    # Shapes with many new triples come first, then the rest.
    for wanted in (4, 2, 1):
        for shape in scrambled:
            if len(found) == count:
                return tuple(found)
            new = triples(shape) - seen
            if len(new) >= wanted:
                seen |= new
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


#: Tile sizes of two dimensions: 8 by 12, 12 by 8, 4 by 16 and 16 by 4.
_TILES = {8: 12, 12: 8, 4: 16, 16: 4}
#: Number of shapes among which nearly all such remainders occur.
_ENOUGH = 2048


def cover_tiles(shapes: Sequence[Shape], chosen: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """Return at most `count` more of `shapes`, with remainders of tiles of 8 by 12, or 4 by 16, that `chosen` lack.

    A mistake may need 2 rows beyond tiles of 8 and 8 columns beyond tiles of 12, or 3 channels beyond tiles of 4 and
    three blocks of 32 of the other.  Deterministic.
    """
    scrambled = _scrambled(set(shapes) - set(chosen))
    remaining = dict.fromkeys(scrambled[:_ENOUGH])
    features = functools.cache(_left_of_tiles)
    seen = set().union(*(features(shape) for shape in chosen))
    found: list[Shape] = []
    while len(found) < count and remaining:
        some = list(itertools.islice(remaining, _LOOKED_AT))
        best = max(some, key=lambda shape: len(features(shape) - seen))
        if new := features(best) - seen:
            found.append(best)
            seen |= new
        for shape in [best] if new else some:
            del remaining[shape]
    return tuple(found)


def _left_of_tiles(shape: Shape) -> frozenset[tuple[int, int, int, int]]:
    """Return the remainders of each two sizes for each kind of tile, and of one for 8 with the other's blocks of 32."""
    found: set[tuple[int, int, int, int]] = set()
    for (i, a), (j, b) in itertools.permutations(enumerate(shape.sizes), 2):
        found.add((i, j, 0, a % 8 * 4 + min(b // 32, 3)))
        if i < j:
            found.update((i, j, tile, a % tile * 16 + b % other) for tile, other in _TILES.items())
    return frozenset(found)
