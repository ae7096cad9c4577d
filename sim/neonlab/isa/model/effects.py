"""Collect the effects of one instruction word, from which the decoders make an `Instruction`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from neonlab.isa.model.instruction import AccessKind, BranchKind, InstructionClass, MemoryAccess, Writeback
from neonlab.isa.model.isa import FLAGS, STATUS, Register, general, vector


class UnknownEncodingError(Exception):
    """Raised for a word in an encoding group that the decoder does not describe."""


@cache
def g(index: int) -> Register:
    """Return a general register, always the same object."""
    return general(index)


@cache
def v(index: int) -> Register:
    """Return a vector register, always the same object."""
    return vector(index)


def signed(value: int, width: int) -> int:
    """Return `value` of `width` bits read as two's complement."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


@dataclass(slots=True)
class Effects:
    """All that a word does.

    `is_vector`: an operand is a vector register.  `is_multiply`: it multiplies vector registers.  `absolute`: `target`
    or a displacement depends on the instruction's own address.
    """

    reads: set[Register] = field(default_factory=set)
    writes: set[Register] = field(default_factory=set)
    accesses: list[MemoryAccess] = field(default_factory=list)
    writeback: Writeback | None = None
    branch: BranchKind = BranchKind.NONE
    target: int | None = None
    condition: str = ""
    features: set[str] = field(default_factory=set)
    is_vector: bool = False
    is_multiply: bool = False
    absolute: bool = False

    def read(self, *registers: Register | None) -> None:
        """Add to the reads; None is a zero register or pc."""
        self.reads.update(register for register in registers if register is not None)

    def write(self, *registers: Register | None) -> None:
        """Add to the writes; None is a zero register or pc."""
        self.writes.update(register for register in registers if register is not None)

    def read_vectors(self, indices: Iterable[int]) -> None:
        """Read whole vector registers."""
        self.is_vector = True
        self.reads.update(v(index) for index in indices)

    def write_vectors(self, indices: Iterable[int]) -> None:
        """Write vector registers."""
        self.is_vector = True
        self.writes.update(v(index) for index in indices)

    def arithmetic_fp(self, reads_control: bool = True) -> None:
        """Add rounding by the control bits of STATUS, and its cumulative exception bits."""
        if reads_control:
            self.reads.add(STATUS)
        self.writes.add(STATUS)

    def saturates(self) -> None:
        """Add the cumulative saturation bit, which the instruction may set."""
        self.writes.add(STATUS)

    def sets_flags(self) -> None:
        """Add a write of N, Z, C, V."""
        self.writes.add(FLAGS)

    def access(
        self, kind: AccessKind, count: int, base: Register | None, **address: int | str | Register | None
    ) -> None:
        """Add a memory access, and read the registers of its address."""
        made = MemoryAccess(kind, count, base, **address)  # type: ignore[arg-type]
        self.accesses.append(made)
        self.read(made.base, made.index)

    def write_back(
        self, base: Register, immediate: int = 0, register: Register | None = None, extend: str = "", shift: int = 0
    ) -> None:
        """Add the change of the base register that the addressing mode makes."""
        self.writeback = Writeback(base, immediate, register, extend, shift)
        self.read(base, register)
        self.write(base)

    @property
    def instruction_class(self) -> InstructionClass:
        """The class: by memory effect first (a `pop {pc}` is a load), then control flow, then the vector file."""
        kinds = {access.kind for access in self.accesses}
        for kind, of_class in (
            (AccessKind.LOAD, InstructionClass.LOAD),
            (AccessKind.STORE, InstructionClass.STORE),
            (AccessKind.PREFETCH, InstructionClass.PREFETCH),
        ):
            if kind in kinds:
                return of_class
        if self.branch is not BranchKind.NONE:
            return InstructionClass.BRANCH
        if self.is_vector:
            return InstructionClass.NEON_MULTIPLY_ACCUMULATE if self.is_multiply else InstructionClass.NEON_OTHER
        return InstructionClass.INTEGER
