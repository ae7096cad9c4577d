"""The instructions between two calls back to back: those of a loop that calls the function through a pointer."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa

#: Four arguments from registers that a callee keeps, and the call.
_WORDS = {
    Isa.A64: (0xAA1303E0, 0xAA1403E1, 0xAA1503E2, 0xAA1603E3, 0xD63F02E0),  # mov x0, x19 … x3, x22; blr x23
    Isa.A32: (0xE1A00004, 0xE1A01005, 0xE1A02006, 0xE1A03007, 0xE12FFF38),  # mov r0, r4 … r3, r7; blx r8
}
_GAP = 4096  # from the program, bytes


def caller_behind(instructions: Sequence[Instruction], isa: Isa) -> tuple[Instruction, ...]:
    """Return the instructions of the caller, at addresses behind those of the program."""
    begin = (max((one.address for one in instructions), default=0) + _GAP) & ~15
    return tuple(decode_word(isa, word, begin + 4 * number) for number, word in enumerate(_WORDS[isa]))
