"""Decode instruction words to `Instruction` values.

The text is Capstone's, completed by this package's own tables.  All else (registers read and written, memory, control
flow, class) comes from the bits of the word.  Capstone's detail leaves out accumulators, kept lanes, write-back and
flags on many NEON forms.

What counts as read and written:

- A register is read when any bit of it can influence anything, including the bits of the destination that are kept:
  accumulators, lane inserts, "2" narrowing forms, movk, bfi, an s register's neighbour in A32, and every destination of
  a predicated A32 instruction, which keeps its old value when the condition fails.
- FLAGS is N, Z, C and V as one.  An instruction that sets some of them writes FLAGS, and does not read the ones it
  keeps.  Only instructions that set GE alone (`uadd8`) read FLAGS too.
- STATUS holds the cumulative bits (saturation, floating-point exceptions, the Q flag of A32) and the rounding controls.
  An instruction that may set a cumulative bit writes STATUS without reading it.  Floating-point arithmetic under the
  rounding controls reads it.  NEON floating point in A32 uses fixed controls, and reads it for half precision only.
- The zero register and pc are in neither.  A call reads and writes only what the branch itself does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from neonlab.errors import InputError
from neonlab.isa.a32.decode import effects_a32
from neonlab.isa.a64.decode import effects_a64
from neonlab.isa.disassemble import disassemble
from neonlab.isa.model.effects import Effects, UnknownEncodingError
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass, MemoryAccess, Writeback
from neonlab.isa.model.isa import Isa, Register


class UndecodableWord(InputError):
    """Raised for a word that is no instruction, or whose effects are not described."""

    def __init__(self, isa: Isa, address: int, word: int) -> None:
        self.isa, self.address, self.word = isa, address, word
        super().__init__(f"0x{address:x}: the word 0x{word:08x} is no {isa.value.upper()} instruction known here")


@dataclass(frozen=True, slots=True)
class _Decoded:
    mnemonic: str
    operands: str
    instruction_class: InstructionClass
    reads: tuple[Register, ...]
    writes: tuple[Register, ...]
    accesses: tuple[MemoryAccess, ...]
    writeback: Writeback | None
    branch: BranchKind
    target: int | None
    condition: str
    features: frozenset[str]
    absolute: bool


def decode(isa: Isa, code: bytes, address: int) -> tuple[Instruction, ...]:
    """Return one instruction for each 4-byte little-endian word of `code`, which is at `address`.

    Raises UndecodableWord for a word that is no known instruction, or for bytes left over at the end.
    """
    if len(code) % 4:
        rest = code[len(code) & ~3 :]
        raise UndecodableWord(isa, address + len(code) - len(rest), int.from_bytes(rest, "little"))
    words = memoryview(code).cast("B")
    return tuple(
        decode_word(isa, int.from_bytes(words[offset : offset + 4], "little"), address + offset)
        for offset in range(0, len(code), 4)
    )


def decode_word(isa: Isa, word: int, address: int) -> Instruction:
    """Return the instruction `word` at `address`.  Raises UndecodableWord."""
    found = _anywhere(isa, word)
    if found is not None and found.absolute:
        found = _decoded(isa, word, address)
    if found is None:
        raise UndecodableWord(isa, address, word)
    return Instruction(
        isa,
        address,
        word,
        4,
        found.mnemonic,
        found.operands,
        found.instruction_class,
        found.reads,
        found.writes,
        found.accesses,
        found.writeback,
        found.branch,
        found.target,
        found.condition,
        found.features,
    )


@lru_cache(maxsize=1 << 16)
def _anywhere(isa: Isa, word: int) -> _Decoded | None:
    """Return the word decoded at address 0, which is valid everywhere unless the word is `absolute`."""
    return _decoded(isa, word, 0)


def _decoded(isa: Isa, word: int, address: int) -> _Decoded | None:
    text = disassemble(isa, word, address)
    if text is None:
        return None
    try:
        effects: Effects = effects_a64(word, address) if isa is Isa.A64 else effects_a32(word, address)
    except UnknownEncodingError:
        return None
    return _Decoded(
        text[0],
        text[1],
        effects.instruction_class,
        tuple(sorted(effects.reads)),
        tuple(sorted(effects.writes)),
        tuple(effects.accesses),
        effects.writeback,
        effects.branch,
        effects.target,
        effects.condition,
        frozenset(effects.features),
        effects.absolute,
    )
