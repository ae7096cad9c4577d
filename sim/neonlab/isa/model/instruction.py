"""The static description of one instruction."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa, Register


class InstructionClass(enum.Enum):
    """The coarse classes that a report counts; every instruction is in exactly one."""

    NEON_MULTIPLY_ACCUMULATE = "neon multiply-accumulate"
    NEON_OTHER = "neon other"
    LOAD = "load"
    STORE = "store"
    PREFETCH = "prefetch"
    BRANCH = "branch"
    INTEGER = "integer"


class AccessKind(enum.Enum):
    """The kinds of memory access."""

    LOAD = "load"
    STORE = "store"
    PREFETCH = "prefetch"


class BranchKind(enum.Enum):
    """The ways in which control may leave an instruction other than to the next one."""

    NONE = "none"
    JUMP = "jump"
    CONDITIONAL = "conditional"
    CALL = "call"
    RETURN = "return"
    INDIRECT = "indirect"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """One memory access of an instruction: `count` bytes at base + (index extended, shifted) + displacement.

    The address is that of the access itself: the displacement of a post-indexed form is 0, of a pre-indexed form the
    offset.  `ld4 {v0.8b-v3.8b}` is one access of 32 bytes, `ldp q0, q1` one of 32, a lane load one of the lane's size
    times the number of registers, `ldm` one of 4 bytes a register.  A prefetch has count 0.

    `base` is None where it is pc (literal loads): displacement is then the absolute address, to which an index, if
    there is one, is still added.  It is also None where the address is the index alone, as of `dc zva`.  `alignment` is
    what the text promises of the address in bytes (`[r0 :128]` is 16), 1 where it promises nothing.
    `neonlab.isa.model.addressing.address_of` evaluates the sum.
    """

    kind: AccessKind
    count: int
    base: Register | None
    index: Register | None = None
    extend: str = ""  # "uxtw", "sxtw", "lsl", "lsr", "asr", "ror", "rrx"; "-lsl" and so on where A32 subtracts; "align"
    shift: int = 0
    displacement: int = 0
    alignment: int = 1


@dataclass(frozen=True, slots=True)
class Writeback:
    """The change of the base register by an addressing mode: base += immediate, or base += register.

    `extend` and `shift` apply to the register as in `MemoryAccess`; plain addition is "" and 0.
    """

    base: Register
    immediate: int = 0
    register: Register | None = None
    extend: str = ""
    shift: int = 0


#: Stands for a Thumb instruction that no A32 word does the same as.
NO_A32_WORD = 0xE0000090


@dataclass(frozen=True, slots=True)
class Instruction:
    """One decoded instruction at one address.

    `word` is the encoding.  In Thumb it is the A32 word that does the same, except for how far ahead pc is, so that all
    that is known of A32 words holds; it is NO_A32_WORD where there is none.  `size` is 4, or 2 for a short Thumb
    instruction.

    `reads` and `writes` are sorted and complete.  They include implicit operands: flags, accumulators, kept lanes of a
    destination, address write-back, sp, lr.  They exclude the zero register and pc.  `features` names what it needs
    beyond ARMv7-A NEON or ARMv8.0-A: "dotprod", "i8mm", "rdm", "fp16", "armv8" (A32 forms new in ARMv8), "bti",
    "pauth", "vfpv4" (A32 fused multiply-add and half precision conversions), "idiv", "lse", ...; empty when nothing.
    """

    isa: Isa
    address: int
    word: int
    size: int
    mnemonic: str
    operands: str
    instruction_class: InstructionClass
    reads: tuple[Register, ...]
    writes: tuple[Register, ...]
    accesses: tuple[MemoryAccess, ...] = ()
    writeback: Writeback | None = None
    branch: BranchKind = BranchKind.NONE
    target: int | None = None
    condition: str = (
        ""  # "" when it always executes; else "eq", "ne", ...: A32 predication (IT in Thumb) and A64 b.cond
    )
    features: frozenset[str] = frozenset()
    thumb: bool = False

    @property
    def text(self) -> str:
        """The disassembly, one line."""
        return f"{self.mnemonic} {self.operands}".rstrip()

    @property
    def next_addresses(self) -> tuple[int, ...]:
        """The addresses where control may go, as far as the instruction tells: the next one, and its target."""
        goes_on = self.branch in (BranchKind.NONE, BranchKind.CONDITIONAL, BranchKind.CALL) or self.condition
        following = (self.address + self.size,) if goes_on else ()
        return following if self.branch is BranchKind.NONE or self.target is None else (*following, self.target)

    @property
    def loaded_bytes(self) -> int:
        """The bytes that a single execution loads."""
        return sum(a.count for a in self.accesses if a.kind is AccessKind.LOAD)

    @property
    def stored_bytes(self) -> int:
        """The bytes that a single execution stores."""
        return sum(a.count for a in self.accesses if a.kind is AccessKind.STORE)
