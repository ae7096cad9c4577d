"""The rule by which sizes are chosen: which values of one dimension are tried, clause by clause.

It needs the contract's limits, the kernel's tile, and the constants in its code; nobody lists sizes by hand.  `cover`
brings the values of several dimensions together.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from neonlab.contract.header import Argument

#: The modulus of the remainders that every length takes: the bytes of a vector register.
VECTOR = 16
#: Sizes from the lowest up to this are tried in every dimension, and each with each of the others.
FIRST = 9
#: Values of a dimension up to which it takes all of them, as a padding of 0 or 1 does.
FEW = 16
#: Most sizes of one dimension one after another, however wide the tile or a block in the code.
_MOST_IN_A_ROW = 288
#: Widest block that a constant in the code is taken for.
_WIDEST_BLOCK = 64
#: Largest constant of the code around which sizes are tried, largest beyond which one is, and largest power of two.
_LARGEST_CONSTANT, _LARGEST_CUT, _LARGEST_POWER = 1 << 14, 1 << 26, 1 << 12
#: What is added to a power of two, to leave a remainder in any tile.
_BEYOND = 7
#: The same for a large constant of the code; from 2^24 on, a float32 rounds it down.
_BEYOND_CUT = 5
#: Powers of two that 16, 20, 24 and 28 bits reach.
FAR_POWERS = tuple(1 << bits for bits in (16, 20, 24, 28))
#: The limit of a dimension that no argument of the contract limits.
UNLIMITED = 1 << 31


class Role(enum.Enum):
    """The part that a dimension plays."""

    LENGTH = "length"  # how much there is: every clause of the rule holds for it
    FACTOR = "factor"  # the kernel is told its product with another dimension alone, which takes all lengths
    NUMBER = "number"  # no size depends on it, such as a zero point or a shift


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a shape: the values from `low` to `high` in steps of `step`, and what it is."""

    name: str
    low: int
    high: int
    step: int = 1
    role: Role = Role.LENGTH

    @staticmethod
    def of(argument: Argument, role: Role) -> Dimension:
        """Return the dimension of the values that the contract allows an integer argument."""
        low, high = (int(end) for end in argument.value_range or (0, UNLIMITED))
        return Dimension(argument.name, low, low + (high - low) // argument.step * argument.step, argument.step, role)

    @property
    def count(self) -> int:
        """The number of its values."""
        return (self.high - self.low) // self.step + 1

    @property
    def base(self) -> int:
        """The lowest length that is not 0 or less, where it has one; of a number, the value nearest to 0."""
        if self.role is Role.NUMBER:
            return self.at_least(0)
        return self.at_least(1)

    def at_least(self, value: int) -> int:
        """Return its first value from `value` up, or its highest."""
        return min(self.high, self.low + max(0, -(-(value - self.low) // self.step)) * self.step)

    def near(self, values: Iterable[int]) -> Iterator[int]:
        """Yield its own values at `values` or, where a step leaves one out, next to it on both sides."""
        for value in values:
            if self.low <= value <= self.high:
                above = self.at_least(value)
                yield from (above,) if above == value else (above - self.step, above)


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """Hold facts about a kernel's code: the tile of its name, and the constants that it compares or masks with."""

    tile: tuple[int, ...] = ()
    constants: tuple[int, ...] = ()

    @property
    def widest(self) -> int:
        """The widest block that its loops may take: by the name, or by the constants where that says nothing."""
        blocks = self.tile or tuple(number for number in self.constants if number <= _WIDEST_BLOCK)
        return max((VECTOR, *blocks))


def first_sizes(dimension: Dimension, code: CodeFacts) -> Iterator[int]:
    """Yield the lowest value, 0 where it is allowed, and the values up to 9."""
    yield from dimension.near((dimension.low, 0))
    base = dimension.base
    yield from range(min(base, dimension.at_least(0)), min(dimension.high, max(base, FIRST)) + 1, dimension.step)


def remainders(dimension: Dimension, code: CodeFacts) -> Iterator[int]:
    """Yield values one after another: every remainder modulo 16, modulo four vectors and twice the widest tile."""
    count = min(_MOST_IN_A_ROW, max(_in_a_row(dimension), max(2 * code.widest, 4 * VECTOR) // dimension.step))
    yield from range(dimension.base, min(dimension.high, dimension.base + count * dimension.step) + 1, dimension.step)


def _in_a_row(dimension: Dimension) -> int:
    """Return how many values one after another have every remainder, more than once."""
    return 2 * remainder_count(dimension) + 1


def remainder_count(dimension: Dimension) -> int:
    """Return the number of remainders of a dimension: 16, and fewer where its step leaves some out."""
    return max(4, VECTOR // dimension.step)


def near_constants(dimension: Dimension, code: CodeFacts) -> Iterator[int]:
    """Yield values at, next to, and at multiples of each constant that the code compares or masks with."""
    for constant in code.constants:
        if constant <= _LARGEST_CONSTANT:
            for multiple in (constant, 2 * constant, 3 * constant):
                yield from dimension.near((multiple - 1, multiple, multiple + 1))


def near_powers(dimension: Dimension, code: CodeFacts) -> Iterator[int]:
    """Yield values at and next to powers of two."""
    power = VECTOR
    while power <= min(_LARGEST_POWER, dimension.high):
        yield from dimension.near((power - 1, power, power + 1))
        power *= 2


def ends(dimension: Dimension, code: CodeFacts) -> Iterator[int]:
    """Yield both ends of the range."""
    yield from (dimension.low, dimension.high)


#: The clauses for a length, by name.
CLAUSES: Mapping[str, Callable[[Dimension, CodeFacts], Iterator[int]]] = {
    "the lowest, 0, and 1 to 9": first_sizes,
    "every remainder modulo 16, and modulo four vectors and twice the widest tile": remainders,
    "constants of the code, next to them, and their multiples": near_constants,
    "powers of two, and next to them": near_powers,
    "the ends of the range": ends,
}


def lengths(dimension: Dimension, code: CodeFacts) -> tuple[int, ...]:
    """Return the values of a dimension that are tried, ascending, whatever the others are."""
    if dimension.role is Role.FACTOR:
        return tuple(dimension.near((1, 2, 3)))
    if dimension.count <= FEW:
        return tuple(range(dimension.low, dimension.high + 1, dimension.step))
    if dimension.role is Role.NUMBER:
        return numbers(dimension)
    return tuple(sorted({value for clause in CLAUSES.values() for value in clause(dimension, code)}))


@functools.lru_cache(maxsize=256)
def numbers(dimension: Dimension) -> tuple[int, ...]:
    """Return values of a number: its ends, 0, 1 and -1, powers of two of both signs, and some in between."""
    low, high = dimension.low, dimension.high
    powers = [1 << bits for bits in range(0, max(abs(low), abs(high)).bit_length(), 2)]
    between = [low + (high - low) * part // 8 for part in range(1, 8)]
    wanted = (
        low,
        low + dimension.step,
        -1,
        0,
        1,
        high - dimension.step,
        high,
        *powers,
        *(-p for p in powers),
        *between,
    )
    return tuple(sorted(set(dimension.near(wanted))))


def together(dimension: Dimension, code: CodeFacts) -> tuple[int, ...]:
    """Return the values of a dimension that meet those of others: small ones, with every remainder twice and more."""
    every = lengths(dimension, code)
    if dimension.role is not Role.LENGTH or dimension.count <= FEW:
        return every
    some = set(first_sizes(dimension, code))
    most = dimension.base + _in_a_row(dimension) * dimension.step
    return tuple(value for value in every if dimension.base <= value <= most or (value in some and value >= 0))


def far_sizes(dimension: Dimension) -> tuple[int, ...]:
    """Return large values: beyond 16, 20, 24 and 28 bits with a remainder in any tile, at them, or just below.

    The contract's highest stands for those that it excludes.
    """
    if dimension.role is not Role.LENGTH or dimension.count <= FEW:
        return ()
    found = []
    for power in FAR_POWERS:
        allowed = [v for v in (power + _BEYOND, power, power - 1) if v in list(dimension.near((v,)))]
        above = [v for v in dimension.near((power + _BEYOND,)) if v > power]
        found += (allowed or above)[:1]
    return tuple(dict.fromkeys(found))


def cut_sizes(dimension: Dimension, code: CodeFacts) -> tuple[int, ...]:
    """Return values just beyond large constants of the code, which a mask or a conversion may cut numbers to.

    A constant that is no power of two may be compared: then it and its neighbours are returned too.
    """
    if dimension.role is not Role.LENGTH or dimension.count <= FEW:
        return ()
    large = [constant for constant in code.constants if _LARGEST_CONSTANT < constant <= _LARGEST_CUT]
    beyond = {value for one in large for value in dimension.near((one + _BEYOND_CUT,)) if value > one}
    compared = (dimension.near((one - 1, one, one + 1)) for one in large if one & one - 1)
    return tuple(sorted(beyond.union(*compared)))
