"""Check bits that select nothing but must have a fixed value, and constants that can be written in two ways.

Disassemblers ignore these; a word with one of them wrong is not the word that was asked for.  Masks are from the
encoding diagrams of the Arm Architecture Reference Manual, DDI 0487 (A64) and DDI 0406C (A32).
"""

from __future__ import annotations

from neonlab.isa.model.isa import Isa

# (mask, value) of a class of words, then (mask, value) that every word of the class must have.
_A64 = (
    (0xBFE00000, 0x88600000, 0x001F0000, 0x001F0000),  # ldxp, ldaxp
    (0x3FE00000, 0x08000000, 0x00007C00, 0x00007C00),  # stxr and its kind
    (0xFF608000, 0x9B400000, 0x00007C00, 0x00007C00),  # smulh, umulh
    (0xFF20FC08, 0x1E202008, 0x001F0000, 0),  # fcmp with zero
)
_A32 = (
    (0x0F900000, 0x03100000, 0x0000F000, 0),  # tst, teq, cmp, cmn with a constant
    (0x0F900010, 0x01100000, 0x0000F000, 0),  # with a register
    (0x0F900090, 0x01100010, 0x0000F000, 0),  # with a register shifted by a register
    (0x0FA00000, 0x03A00000, 0x000F0000, 0),  # mov, mvn
    (0x0FA00010, 0x01A00000, 0x000F0000, 0),
    (0x0FA00090, 0x01A00010, 0x000F0000, 0),
    (0x0E4000F0, 0x000000B0, 0x00000F00, 0),  # halfwords and signed bytes, register offset
    (0x0E4000D0, 0x000000D0, 0x00000F00, 0),
    (0x0FE000F0, 0x00000090, 0x0000F000, 0),  # mul
    (0x0FF00090, 0x01600080, 0x0000F000, 0),  # smulbb
    (0x0FF000B0, 0x012000A0, 0x0000F000, 0),  # smulwb
    (0x0F9000F0, 0x01000050, 0x00000F00, 0),  # qadd
    (0x0F9000F0, 0x01000040, 0x00000D00, 0),  # crc32
    (0x0F800010, 0x06000010, 0x00000F00, 0x00000F00),  # parallel addition and subtraction
    (0x0F8000F0, 0x06800070, 0x00000300, 0),  # sxtb and its kind
    (0x0FF000F0, 0x068000B0, 0x00000F00, 0x00000F00),  # sel
    (0x0FB002F0, 0x01000000, 0x000F0F0F, 0x000F0000),  # mrs
    (0x0FE00F10, 0x0EE00A10, 0x000000EF, 0),  # vmrs, vmsr
    (0x0F8000F0, 0x01800090, 0x00000C00, 0x00000C00),  # ldrex, lda and their kind
    (0x0F9000F0, 0x01900090, 0x0000000F, 0x0000000F),
    (0x0F9003F0, 0x01800090, 0x0000F000, 0x0000F000),  # stl
    (0x0FF000F0, 0x01A00090, 0x00000001, 0x00000000),  # strexd and stlexd take an even register and the next
    (0x0FF000F0, 0x01B00090, 0x00001000, 0x00000000),  # ldrexd and ldaexd
    (0x0FF000F0, 0x01400070, 0xF0000000, 0xE0000000),  # hvc
    (0x0FF000F0, 0x01200070, 0xF0000000, 0xE0000000),  # bkpt
    (0x0F5F0FFF, 0x041D0004, 0x00800000, 0x00800000),  # Capstone shows `ldr r0, [sp], #-4` as pop
)
_A32_UNCONDITIONAL = ((0xFFF30020, 0xF1000000, 0x0000FE1F, 0),)  # cpsie, cpsid


def well_formed(isa: Isa, word: int) -> bool:
    """Return whether all bits of `word` that select nothing have their fixed value."""
    if isa is Isa.A64:
        return _as_printed(word, _A64) and _a64_element(word) and _a64_bitmask(word)
    if word >> 28 == 15:
        return _as_printed(word, _A32_UNCONDITIONAL) and _a32_immediate(word)
    return _as_printed(word, _A32) and _a32_list(word) and _a32_field(word)


def _as_printed(word: int, classes: tuple[tuple[int, int, int, int], ...]) -> bool:
    return all(word & must == value for mask, kind, must, value in classes if word & mask == kind)


def _a64_element(word: int) -> bool:
    """Check dup from a general register and ins between vectors: the bits below the index."""
    imm5 = word >> 16 & 31
    lowest = imm5 & -imm5
    if word & 0xBFE0FC00 == 0x0E000C00:
        return imm5 == lowest
    if word & 0xFFE08400 == 0x6E000400:
        return (word >> 11 & 15) & (lowest - 1) == 0
    return True


def _a64_bitmask(word: int) -> bool:
    """Check that the rotation of a logical immediate is below the length of the repeated element."""
    if word >> 23 & 0x3F != 0b100100:
        return True
    length = (word >> 16 & 0x40 | ~(word >> 10) & 0x3F).bit_length() - 1
    return word >> 16 & 0x3F < 1 << max(length, 0)


def _a32_list(word: int) -> bool:
    """Check that the registers that a vldm or vstm names exist."""
    if word & 0x0E000E00 != 0x0C000A00 or word & 0x01200000 == 0x01000000 or word & 0x01A00000 == 0:
        return True
    count, double = word & 0xFF, word >> 8 & 1
    first = word >> 12 & 15
    first = (word >> 22 & 1) << 4 | first if double else first << 1 | word >> 22 & 1
    registers = count >> 1 if double else count
    return registers > 0 and first + registers <= 32 and (registers <= 16 or not double)


def _a32_field(word: int) -> bool:
    """Check that bit fields lie within the register and have a width."""
    lowest, upper = word >> 7 & 31, word >> 16 & 31
    if word & 0x0FE00070 == 0x07C00010:  # bfi, bfc: the highest bit
        return upper >= lowest
    if word & 0x0FA00070 == 0x07A00050:  # sbfx, ubfx: the width less one
        return upper + lowest < 32
    return True


def _a32_immediate(word: int) -> bool:
    """Check vmov of 0, which has one encoding."""
    if word & 0x0EB80090 != 0x02800010 or word & 0x0107000F:
        return True
    return word >> 8 & 15 in (0, 8, 12, 13, 14, 15) or bool(word >> 8 & 1 and word >> 8 & 15 < 12)
