"""Describe what an instruction does to lanes, apart from its spelling: the position of lanes, and their arithmetic.

A register file is one row of bytes: the vector registers (v0-v31 of 16 bytes in A64, d0-d31 of 8 in A32), then the
general registers, 8 bytes each (x0-x30 and a last one that is never written; r0-r15).  An operand is a run of equal
lanes in that row, so high halves, elements and the halves of a q register are only positions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from neonlab.isa.model.isa import Isa

VECTOR_BYTES = {Isa.A64: 16, Isa.A32: 8}  # of the registers that the lab counts in
_VECTORS = 32
GENERAL_BYTES = 8
_GENERALS = {Isa.A64: 32, Isa.A32: 16}


def vector_start(isa: Isa, index: int) -> int:
    """Return the byte where v `index` of A64, or d `index` of A32, begins in the register file."""
    return VECTOR_BYTES[isa] * index


def general_start(isa: Isa, index: int) -> int:
    """Return the byte where general register `index` begins in the register file.

    Its 8 bytes hold zeros above 32 bits in A32.
    """
    return _VECTORS * VECTOR_BYTES[isa] + GENERAL_BYTES * index


def is_general(isa: Isa, lanes: Lanes) -> bool:
    """Return whether lanes are in a general register."""
    return lanes.start >= general_start(isa, 0)


def file_bytes(isa: Isa) -> int:
    """Return the size of a register file in bytes."""
    return general_start(isa, _GENERALS[isa])


@dataclass(frozen=True, slots=True)
class Lanes:
    """A run of `count` lanes of `bits` each, from byte `start` of the register file.

    `signed` is how the instruction reads them, None where both give the same (`add`, `mul`, `xtn`).  `same` says that
    the one lane, or for dot products the one group of four, is used for every lane of the result.
    """

    start: int
    count: int
    bits: int
    signed: bool | None = None
    same: bool = False

    @property
    def size(self) -> int:
        """The number of bytes that the lanes take."""
        return self.count * self.bits // 8

    @property
    def end(self) -> int:
        """The byte after the last lane."""
        return self.start + self.size

    def high_half(self) -> Lanes:
        """Return the upper half of the lanes, which the `2` forms of A64 use."""
        return replace(self, start=self.start + self.size // 2, count=self.count // 2)


@dataclass(frozen=True, slots=True)
class LaneOperation:
    """One instruction as arithmetic on lanes.

    `family` names the arithmetic (a key of `neonlab.isa.lanes.FAMILIES`).  Where it accumulates or keeps, the
    destination is also the first source.  `saturates` is arithmetic that clamps by design.  `rounds` adds one half
    before a shift to the right.  `immediate` is a shift, a position or a constant.  Bytes from the end of the
    destination up to `clear_end` become zero.  `second` is the other destination of A32's vzip, vuzp, vtrn and vswp.
    """

    family: str
    destination: Lanes
    sources: tuple[Lanes, ...]
    immediate: int = 0
    saturates: bool = False
    rounds: bool = False
    clear_end: int = 0
    second: Lanes | None = None

    def read_as(self, signed: bool) -> LaneOperation:
        """Return the operation with `signed` for every lane whose signedness is open."""

        def read(lanes: Lanes) -> Lanes:
            return lanes if lanes.signed is not None else replace(lanes, signed=signed)

        return replace(self, destination=read(self.destination), sources=tuple(map(read, self.sources)))
