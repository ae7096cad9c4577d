"""The two instruction sets, and the registers that a program in each can name."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from neonlab.errors import InputError


class Isa(enum.Enum):
    """Name an instruction set: A32 (ARMv7-A, and AArch32 of ARMv8-A, Thumb-2 included) or A64 (AArch64)."""

    A32 = "a32"
    A64 = "a64"

    #: Members are single objects.  Tables are asked by instruction set so often that a hash in Python shows.
    __hash__ = object.__hash__

    @property
    def pointer_bytes(self) -> int:
        """Return the size of an address and of a general register, in bytes."""
        return 4 if self is Isa.A32 else 8

    @property
    def general_registers(self) -> int:
        """Return how many general registers can hold values: 14 (r0-r12, lr) or 31 (x0-x30)."""
        return 14 if self is Isa.A32 else 31

    @property
    def vector_registers(self) -> int:
        """Return how many 128-bit NEON registers there are: 16 (q0-q15) or 32 (v0-v31)."""
        return 16 if self is Isa.A32 else 32


_NAMES = {
    **dict.fromkeys(("a32", "armv7", "armv7-a", "arm", "arm32", "aarch32"), Isa.A32),
    **dict.fromkeys(("a64", "armv8", "armv8-a", "arm64", "aarch64"), Isa.A64),
}


def isa_named(text: str) -> Isa:
    """Return the instruction set of a name.  Raises InputError for a name that means none."""
    found = _NAMES.get(text.lower())
    if found is None:
        raise InputError(f"no instruction set `{text}`: there are armv7 (a32) and armv8 (a64)")
    return found


class RegisterKind(enum.Enum):
    """The register files."""

    GENERAL = "general"
    VECTOR = "vector"
    FLAGS = "flags"
    STATUS = "status"


@dataclass(frozen=True, slots=True, order=True)
class Register:
    """One architectural register in the unit that the lab tracks.

    GENERAL: index 0-15 in A32 (13 sp, 14 lr, 15 pc), 0-30 in A64 (31 is sp; the zero register is never one). VECTOR:
    the 64-bit half d0-d31 in A32 (q1 is both 2 and 3; s1 is part of 0), the whole v0-v31 in A64. FLAGS: N, Z, C, V and
    GE together, index 0.  STATUS: FPSCR, or FPCR and FPSR together, index 0.
    """

    file: str
    index: int

    @property
    def kind(self) -> RegisterKind:
        """The file as an enumeration member."""
        return RegisterKind(self.file)

    def name(self, isa: Isa) -> str:
        """Return the name as written in assembly: `x3`, `sp`, `v7`, `r12`, `d9`, `nzcv`."""
        if self.file == "flags":
            return "nzcv" if isa is Isa.A64 else "apsr"
        if self.file == "status":
            return "fpsr" if isa is Isa.A64 else "fpscr"
        if self.file == "vector":
            return f"{'v' if isa is Isa.A64 else 'd'}{self.index}"
        if isa is Isa.A64:
            return "sp" if self.index == 31 else f"x{self.index}"
        return {13: "sp", 14: "lr", 15: "pc"}.get(self.index, f"r{self.index}")


def general(index: int) -> Register:
    """Return general register `index`."""
    return Register("general", index)


def vector(index: int) -> Register:
    """Return vector register `index` (a d register in A32, a v register in A64)."""
    return Register("vector", index)


FLAGS = Register("flags", 0)
STATUS = Register("status", 0)
