"""Lay out the bytes that a replay keeps beside the register file.

They follow the file: the two operands that set the flags, the truth that guards a conditional comparison, sp of A64
(whose place in the file is that of the zero register), intermediate results, and then the numbers of instructions.
"""

from __future__ import annotations

from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import file_bytes

#: Bytes after the register file, 8 for each.
LEFT, RIGHT, GUARD, STACK_POINTER, TEMPORARIES = 0, 8, 16, 24, 32
#: Intermediate results that one instruction may have, and where numbers begin.
MOST_TEMPORARIES = 4
#: Bits of the `immediate` of a field: where it goes is the lowest 8, then where it comes from, its bits, and its sign.
FROM_AT, WIDTH_AT, SIGNED_AT = 8, 16, 24
NUMBERS = TEMPORARIES + 8 * MOST_TEMPORARIES


class Numbers:
    """The numbers that a program's instructions hold, each at a place of 8 bytes."""

    def __init__(self, isa: Isa) -> None:
        self._first = file_bytes(isa) + NUMBERS
        self._places: dict[int, int] = {}

    def place(self, value: int) -> int:
        """Return the place of a number, which is taken modulo 2**64."""
        return self._places.setdefault(value & (1 << 64) - 1, self._first + 8 * len(self._places))

    def contents(self) -> bytes:
        """Return the bytes of all numbers, as they are laid out."""
        return b"".join(value.to_bytes(8, "little") for value in self._places)
