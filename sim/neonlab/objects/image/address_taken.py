"""Find addresses that position-independent code computes from pc.

The code of a shared object refers to its own data in this way, and the code of any object to functions of the same
section, without a relocation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import Isa

#: `adr` of A32, which is an addition to pc, and of Thumb.
_FROM_PC = re.compile(r"(?:(?:add|(sub))w? \w+, pc, |adr \w+, )#(\w+)")


def addresses_made(
    isa: Isa, instructions: Sequence[Instruction], word_at: Callable[[int], int | None]
) -> Iterator[int]:
    """Return candidate addresses; some are wrong, because registers are followed in the order of the text.

    `word_at` reads a literal.  A64: adr, adrp with add or with a load.  A32 and Thumb: a literal to which pc is added,
    and adr.
    """
    made = _made_a64(instructions) if isa is Isa.A64 else _made_a32(instructions, word_at)
    return (address & (1 << 8 * isa.pointer_bytes) - 1 for address in made)


def _made_a64(instructions: Sequence[Instruction]) -> Iterator[int]:
    pages: dict[int, int] = {}
    for instruction in instructions:
        word = instruction.word
        register, base = word & 31, word >> 5 & 31
        if word & 0x1F000000 == 0x10000000:
            offset = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            offset -= (offset & 1 << 20) << 1
            if word >> 31:
                pages[register] = (instruction.address & ~0xFFF) + (offset << 12)
            else:
                yield instruction.address + offset
        elif word & 0xFF800000 == 0x91000000 and base in pages:
            yield pages[base] + ((word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0))
        elif word & 0x3B000000 == 0x39000000 and base in pages:  # a load or store with an unsigned offset
            for access in instruction.accesses:
                yield pages[base] + access.displacement


def _made_a32(instructions: Sequence[Instruction], word_at: Callable[[int], int | None]) -> Iterator[int]:
    literals: dict[int, int] = {}
    for instruction in instructions:
        for access in instruction.accesses:
            if access.kind is AccessKind.LOAD and access.base is None and access.index is None and access.count == 4:
                value = word_at(access.displacement)
                if value is not None and instruction.writes:
                    literals[instruction.writes[-1].index] = value
                    yield value
        ahead = 4 if instruction.thumb else 8
        if offset := _FROM_PC.fullmatch(f"{instruction.mnemonic} {instruction.operands}"):
            distance = -int(offset[2], 0) if offset[1] else int(offset[2], 0)
            yield (instruction.address + ahead & ~3) + distance
        elif "pc" in instruction.operands and instruction.mnemonic.startswith(("add", "ldr")):
            for register in instruction.reads:
                if register.file == "general" and register.index in literals:
                    yield literals[register.index] + instruction.address + ahead
