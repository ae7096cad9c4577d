"""Describe relocations, for many places at once: how the value is computed, and how it is inserted.

S, A, P, T and GOT are those of the ELF supplements for the Arm architectures (AAELF32, AAELF64).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# uint64, int64 and bool; operators on them are typed too loosely to say so.
Words = npt.NDArray[Any]
Values = npt.NDArray[Any]
Flags = npt.NDArray[Any]


class Against(enum.Enum):
    """The place that the value is relative to."""

    NOTHING = "an absolute value"
    PLACE = "the place"
    WORD = "the place rounded down to a word"
    PAGE = "pages of the place"
    TABLE = "the table of addresses"
    TABLE_PAGE = "the page of the table of addresses"


class Branch(enum.Enum):
    """Branches, which may need a veneer; a CALL can switch between A32 and Thumb without one."""

    CALL = "call"
    JUMP = "jump"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: `insert(old, value, thumb)` returns the new content of `size` bytes.

    The value is S + A, relative to `against`.  `through_table` uses the symbol's entry in the table of addresses
    instead of S.  `keeps_state` adds T, bit 0 of a Thumb function.  The value must be a multiple of `1 << scale`, and
    within `limits`, where there are any.  `addend` reads an addend in place.  `halves` means two halfwords, the higher
    one first.
    """

    size: int
    insert: Callable[[Words, Values, Flags], Words]
    against: Against = Against.NOTHING
    through_table: bool = False
    keeps_state: bool = False
    scale: int = 0
    limits: tuple[int, int] | None = None
    addend: Callable[[Words], Values] | None = None
    halves: bool = False
    branch: Branch | None = None

    def fits(self, value: Values) -> Flags:
        """Return which values the field can hold."""
        good = (value & ((1 << self.scale) - 1)) == 0
        if self.limits is not None:
            good &= (value >= self.limits[0]) & (value <= self.limits[1])
        made: Values = good
        return made


def reach(bits: int) -> tuple[int, int]:
    """Return the range of a signed number of so many bits."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def either_sign(bits: int) -> tuple[int, int]:
    """Return the range of a number that may be read as signed or unsigned."""
    return -(1 << bits - 1), (1 << bits) - 1


def extended(words: Words, bits: int) -> Values:
    """Return the low `bits` of each word as a signed number."""
    return (words << np.uint64(64 - bits)).view(np.int64) >> (64 - bits)


def field(low: int, width: int, shift: int = 0) -> Callable[[Words, Values, Flags], Words]:
    """Return a function that inserts bits `shift` and up of the value into bits low .. low + width - 1."""
    mask = np.uint64((1 << width) - 1)

    def insert(old: Words, value: Values, _thumb: Flags) -> Words:
        number = (value >> shift).view(np.uint64) & mask
        return old & ~(mask << np.uint64(low)) | number << np.uint64(low)

    return insert


def field_addend(low: int, width: int, shift: int = 0) -> Callable[[Words], Values]:
    """Return a function that reads the signed field, times 1 << shift."""

    def addend(old: Words) -> Values:
        return extended(old >> np.uint64(low), width) << shift

    return addend


def data(
    size: int, against: Against = Against.NOTHING, *, through_table: bool = False, keeps_state: bool = False
) -> Rule:
    """Return the rule for `size` bytes of data, signed or unsigned."""
    return Rule(
        size,
        field(0, 8 * size),
        against,
        through_table,
        keeps_state,
        limits=either_sign(8 * size) if size < 8 else None,
        addend=field_addend(0, 8 * size),
    )
