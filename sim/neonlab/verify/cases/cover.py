"""Which of many shapes to try, so that everything that may go wrong together meets at least once."""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Iterable, Sequence

from neonlab.verify.cases.case import Shape


def cover(shapes: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """At most `count` of `shapes`, spread so that tails and full tiles of all dimensions meet in every combination.

    The smallest and the largest; one of each combination of orders of magnitude; then from everywhere.  Of several, the
    one that brings most that has not been seen yet, then one whose sizes differ, so that none passes for another.
    Deterministic.
    """
    ordered = sorted(set(shapes), key=lambda shape: shape.sizes)
    if len(ordered) <= count:
        return tuple(ordered)
    # Scrambled, or the first of each region would be the ones with equal sizes.
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


#: Shapes among which `cover` chooses one.
_LOOKED_AT = 64


def _features(shape: Shape) -> frozenset[tuple[str, int, int, int, int]]:
    """What is worth having once: each size, and of each two dimensions what meets.

    That is a size with whole tiles of the other and without, two orders of magnitude, two remainders.
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
    """At most `count` more of `shapes`, in which three dimensions meet as they do in none of `chosen`.

    A mistake may need the last row, the last column and a sum of some length at once.  Deterministic.
    """
    scrambled = _scrambled(set(shapes) - set(chosen))
    triples = functools.cache(_triples)
    seen = set().union(*(triples(shape) for shape in chosen))
    found: list[Shape] = []
    # First those that bring much, then what is left.
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
    """What remains of each of three dimensions after tiles of 2, 4 and 8; and of two, with a short or long third."""
    remains = [(size & -size & 7).bit_length() for size in shape.sizes]
    lengths = [min((size // 16).bit_length(), 3) for size in shape.sizes]
    found: set[tuple[int, ...]] = set()
    for i, j, k in itertools.combinations(range(len(remains)), 3):
        found.add((i, j, k, remains[i], remains[j], remains[k]))
        for a, b, c in ((i, j, k), (i, k, j), (j, k, i)):
            found.add((a, b, c, remains[a], remains[b], -lengths[c]))
    return frozenset(found)


#: What two sizes leave of tiles, which may have 4 of one and 16 of the other, or 8 and 12.
_TILES = {8: 12, 12: 8, 4: 16, 16: 4}
#: Shapes of which few lack any of that.
_ENOUGH = 2048


def cover_tiles(shapes: Sequence[Shape], chosen: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """At most `count` more of `shapes`, which leave of tiles of 8 by 12, or 4 by 16, what none of `chosen` leaves.

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
    """What each two of the sizes leave of each kind of tile; and one of 8, with so many blocks of 32 of the other."""
    found: set[tuple[int, int, int, int]] = set()
    for (i, a), (j, b) in itertools.permutations(enumerate(shape.sizes), 2):
        found.add((i, j, 0, a % 8 * 4 + min(b // 32, 3)))
        if i < j:
            found.update((i, j, tile, a % tile * 16 + b % other) for tile, other in _TILES.items())
    return frozenset(found)
