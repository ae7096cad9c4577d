"""Translate Thumb instructions of 32 bits to A32 words that do the same (DDI 0406C, A6.3).

Where there is no A32 word, such as for an immediate that A32 cannot express, the result is None, and `decode_thumb`
decodes the instruction.  It decodes branches too, because their reach differs.
"""

from __future__ import annotations

from collections.abc import Callable

_AND, _EOR, _SUB, _RSB, _ADD, _ADC, _SBC, _TST, _TEQ, _CMP, _CMN, _ORR, _MOV, _BIC, _MVN = (
    0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
# By Thumb's number: the A32 opcode, that without destination, that without first operand.
_OPERATIONS = {
    0: (_AND, _TST, None), 1: (_BIC, None, None), 2: (_ORR, None, _MOV), 3: (None, None, _MVN), 4: (_EOR, _TEQ, None),
    8: (_ADD, _CMN, None), 10: (_ADC, None, None), 11: (_SBC, None, None), 13: (_SUB, _CMP, None),
    14: (_RSB, None, None),
}  # fmt: skip


def a32_of_wide(code: int) -> int | None:
    """Return the A32 word of `code`, which has its first halfword on top; None where there is none.

    Its condition is "always" where it has one.
    """
    for mask, pattern, make in _FORMS:
        if code & mask == pattern:
            return make(code)
    return None


def expanded_immediate(code: int) -> int:
    """Return the value of the modified immediate i:imm3:imm8 (A6.3.2)."""
    twelve = code >> 15 & 0x800 | code >> 4 & 0x700 | code & 0xFF
    byte = twelve & 0xFF
    if twelve >> 10 == 0:
        return (byte, byte << 16 | byte, byte << 24 | byte << 8, byte * 0x01010101)[twelve >> 8 & 3]
    value, turn = byte | 0x80, twelve >> 7
    return (value >> turn | value << 32 - turn) & 0xFFFFFFFF


def plain_immediate(code: int) -> int:
    """Return the value of i:imm3:imm8 as it is."""
    return code >> 15 & 0x800 | code >> 4 & 0x700 | code & 0xFF


def a32_immediate(value: int) -> int | None:
    """Return the twelve bits of `value` as an A32 immediate, a byte rotated right by an even number; else None."""
    for turn in range(0, 32, 2):
        byte = (value << turn | value >> 32 - turn) & 0xFFFFFFFF
        if byte < 256:
            return turn << 7 | byte
    return None


def _n(code: int) -> int:
    return code >> 16 & 15


def _d(code: int) -> int:
    return code >> 8 & 15


def data_processing(code: int) -> int | None:
    """Return the A32 opcode, S, Rn and Rd of a data-processing instruction; None for orn, which A32 does not have."""
    operation, flags, n, d = code >> 21 & 15, code >> 20 & 1, _n(code), _d(code)
    if operation not in _OPERATIONS:
        return None
    plain, compare, move = _OPERATIONS[operation]
    if d == 15 and flags and compare is not None:
        return compare << 21 | 1 << 20 | n << 16
    if n == 15 and move is not None:
        return move << 21 | flags << 20 | d << 12
    return None if plain is None or 15 in (n, d) else plain << 21 | flags << 20 | n << 16 | d << 12


def _shifted(code: int) -> int | None:
    word = data_processing(code)
    amount = code >> 10 & 0x1C | code >> 6 & 3
    kind, m = code >> 4 & 3, code & 15
    if code >> 21 & 15 == 6:  # pkhbt, pkhtb
        return 0xE6800010 | _n(code) << 16 | _d(code) << 12 | amount << 7 | kind << 5 | m
    return None if word is None else 0xE0000000 | word | amount << 7 | kind << 5 | m


def _modified(code: int) -> int | None:
    word, twelve = data_processing(code), a32_immediate(expanded_immediate(code))
    return None if word is None or twelve is None else 0xE2000000 | word | twelve


def _plain(code: int) -> int | None:
    kind, n, d = code >> 20 & 31, _n(code), _d(code)
    low = code >> 10 & 0x1C | code >> 6 & 3
    if kind in (0, 10):  # addw, subw; from pc they are adr
        twelve = a32_immediate(plain_immediate(code))
        base = 0xE2800000 if kind == 0 else 0xE2400000
        return None if twelve is None or n == 15 else base | n << 16 | d << 12 | twelve
    if kind in (4, 12):  # movw, movt
        value = n << 12 | plain_immediate(code)
        return (0xE3000000 if kind == 4 else 0xE3400000) | (value & 0xF000) << 4 | d << 12 | value & 0xFFF
    if kind in (16, 18, 24, 26):
        base = 0xE6A00010 if kind < 20 else 0xE6E00010
        if kind & 2 and low == 0:  # ssat16, usat16
            return base | 0xF20 | (code & 15) << 16 | d << 12 | n
        return base | (code & 31) << 16 | d << 12 | low << 7 | (kind >> 1 & 1) << 6 | n
    if kind in (20, 28):  # sbfx, ubfx
        return (0xE7A00050 if kind == 20 else 0xE7E00050) | (code & 31) << 16 | d << 12 | low << 7 | n
    if kind == 22:  # bfi, bfc
        return 0xE7C00010 | (code & 31) << 16 | d << 12 | low << 7 | n
    return None


def _multiple(code: int) -> int | None:
    direction, writes, load = code >> 23 & 3, code >> 21 & 1, code >> 20 & 1
    if direction not in (1, 2):
        return None
    return 0xE8000000 | direction << 23 | writes << 21 | load << 20 | _n(code) << 16 | code & 0xFFFF


def _dual(code: int) -> int | None:
    """Translate ldrd and strd. A32 takes an even register and the next, and an offset of eight bits."""
    before, up, writes, load = code >> 24 & 1, code >> 23 & 1, code >> 21 & 1, code >> 20 & 1
    t, second, offset = code >> 12 & 15, code >> 8 & 15, (code & 0xFF) << 2
    if t & 1 or second != t + 1 or offset > 255:
        return None
    word = 0xE04000D0 if load else 0xE04000F0
    word |= before << 24 | up << 23 | (writes if before else 0) << 21 | _n(code) << 16 | t << 12
    return word | (offset & 0xF0) << 4 | offset & 15


def _exclusive(code: int) -> int | None:
    """Translate the exclusives, and the acquire and release forms, without tbb and tbh."""
    load, kind = code >> 20 & 1, code >> 4 & 15
    t, second, d, n = code >> 12 & 15, code >> 8 & 15, code & 15, _n(code)
    sizes = {4: 2, 5: 3, 7: 1, 8: 2, 9: 3, 10: 0, 12: 2, 13: 3, 14: 0, 15: 1}
    if kind not in sizes:
        return None
    size = sizes[kind]
    wide = kind in (7, 15)
    if wide and (t & 1 or second != t + 1):
        return None
    mode = 15 if kind < 8 else 12 if kind < 12 else 14
    word = 0xE1800090 | size << 21 | load << 20 | n << 16 | mode << 8
    if load:
        return word | t << 12 | 15
    return word | (d << 12 if mode != 12 else 15 << 12) | t


def _exclusive_word(code: int) -> int | None:
    """Translate ldrex and strex, whose offset A32 does not have."""
    if code & 0xFF:
        return None
    t, d, n = code >> 12 & 15, code >> 8 & 15, _n(code)
    return 0xE1900F9F | n << 16 | t << 12 if code >> 20 & 1 else 0xE1800F90 | n << 16 | d << 12 | t


def _single(code: int) -> int | None:
    """Translate loads and stores of one register, and prefetches."""
    sign, size, load, n, t = code >> 24 & 1, code >> 21 & 3, code >> 20 & 1, _n(code), code >> 12 & 15
    if size == 3:
        return None
    if load and t == 15 and size < 2:
        return _prefetch(code, sign, size)
    half = size == 1 or sign
    before, up, writes, register, shift = 1, 1, 0, False, 0
    if n == 15:
        up, offset = code >> 23 & 1, code & 0xFFF
    elif code >> 23 & 1:
        offset = code & 0xFFF
    elif code >> 11 & 1:
        before, up, writes = code >> 10 & 1, code >> 9 & 1, code >> 8 & 1
        offset = code & 0xFF
    elif code >> 6 & 0x3F == 0:
        register, shift, offset = True, code >> 4 & 3, code & 15
    else:
        return None
    word = 0xE0000000 | before << 24 | up << 23 | (writes if before else 0) << 21 | load << 20 | n << 16 | t << 12
    if not half:
        word |= 0x04000000 | (size == 0) << 22
        return word | (0x02000000 | shift << 7 | offset if register else offset)
    kind = 0xB0 if not sign else 0xF0 if size == 1 else 0xD0
    if register:
        return None if shift else word | kind | offset
    return None if offset > 255 else word | 1 << 22 | kind | (offset & 0xF0) << 4 | offset & 15


def _prefetch(code: int, sign: int, size: int) -> int | None:
    base = 0xF450F000 if sign else 0xF510F000 if size == 1 else 0xF550F000
    n = _n(code)
    if n == 15:
        return base & ~(1 << 23) | (code >> 23 & 1) << 23 | n << 16 | code & 0xFFF
    if code >> 23 & 1:
        return base | 1 << 23 | n << 16 | code & 0xFFF
    if code >> 8 & 15 == 12:
        return base | n << 16 | code & 0xFF
    if code >> 6 & 0x3F == 0:
        return base | 0x02800000 | n << 16 | (code >> 4 & 3) << 7 | code & 15
    return None


def _register(code: int) -> int | None:
    """Translate shifts by register, extends, parallel arithmetic, and the remaining ones."""
    first, second, n, d, m = code >> 20 & 15, code >> 4 & 15, _n(code), _d(code), code & 15
    if code >> 12 & 15 != 15:
        return None
    if first < 8 and second == 0:
        return 0xE1A00010 | (first & 1) << 20 | d << 12 | m << 8 | (first >> 1) << 5 | n
    if first < 6 and second & 12 == 8:
        base = (0xE6B00070, 0xE6F00070, 0xE6800070, 0xE6C00070, 0xE6A00070, 0xE6E00070)[first]
        return base | n << 16 | d << 12 | (second & 3) << 10 | m
    if first >= 8 and second < 8:
        operation = {1: 0, 2: 1, 6: 2, 5: 3, 0: 4, 4: 7}.get(first & 7)
        if operation is None or second & 3 == 3:
            return None
        kind = (1, 2, 3)[second & 3] + (second & 4)
        return 0xE6000F10 | kind << 20 | n << 16 | d << 12 | operation << 5 | m
    if first in (8, 9, 10, 11) and second & 12 == 8:
        return _odd(first, second & 3, n, d, m)
    if first in (12, 13) and second & 12 == 8 and second & 3 < 3:
        return 0xE1000040 | (second & 3) << 21 | n << 16 | d << 12 | (first & 1) << 9 | m
    return None


def _odd(first: int, second: int, n: int, d: int, m: int) -> int | None:
    if first == 8:  # qadd, qdadd, qsub, qdsub
        return (0xE1000050, 0xE1400050, 0xE1200050, 0xE1600050)[second] | n << 16 | d << 12 | m
    if first == 9:  # rev, rev16, rbit, revsh
        return (0xE6BF0F30, 0xE6BF0FB0, 0xE6FF0F30, 0xE6FF0FB0)[second] | d << 12 | m
    if second:
        return None
    return 0xE6800FB0 | n << 16 | d << 12 | m if first == 10 else 0xE16F0F10 | d << 12 | m


def _multiply(code: int) -> int | None:
    kind, second = code >> 20 & 7, code >> 4 & 3
    n, a, d, m = _n(code), code >> 12 & 15, _d(code), code & 15
    fields = d << 16 | a << 12 | m << 8 | n
    if code >> 6 & 3:
        return None
    if kind == 0 and second < 2:
        if second:
            return 0xE0600090 | fields
        return 0xE0000090 | fields & ~0xF000 if a == 15 else 0xE0200090 | fields
    if kind == 1:
        halves = (second & 1) << 6 | (second >> 1) << 5
        return (0xE1600080 | fields & ~0xF000 if a == 15 else 0xE1000080 | fields) | halves
    if kind == 3 and second < 2:
        return (0xE12000A0 | fields & ~0xF000 if a == 15 else 0xE1200080 | fields) | second << 6
    base = {2: 0xE7000010, 4: 0xE7000050, 5: 0xE7500010, 6: 0xE75000D0, 7: 0xE7800010}.get(kind)
    return None if base is None or second > 1 or (kind == 7 and second) else base | fields | second << 5


def _long_multiply(code: int) -> int | None:
    kind, second = code >> 20 & 7, code >> 4 & 15
    n, low, high, m = _n(code), code >> 12 & 15, _d(code), code & 15
    fields = high << 16 | low << 12 | m << 8 | n
    simple = {(0, 0): 0xE0C00090, (2, 0): 0xE0800090, (4, 0): 0xE0E00090, (6, 0): 0xE0A00090, (6, 6): 0xE0400090}
    if (kind, second) in simple:
        return simple[kind, second] | fields
    if kind in (1, 3) and second == 15:  # sdiv, udiv
        return (0xE710F010 if kind == 1 else 0xE730F010) | high << 16 | m << 8 | n
    if kind == 4 and second & 12 == 8:
        return 0xE1400080 | fields | (second & 1) << 6 | (second >> 1 & 1) << 5
    if kind in (4, 5) and second & 14 == 12:
        return (0xE7400010 if kind == 4 else 0xE7400050) | fields | (second & 1) << 5
    return None


def _vector_data(code: int) -> int | None:
    return 0xF2000000 | (code >> 28 & 1) << 24 | code & 0x00FFFFFF


def _vector_memory(code: int) -> int | None:
    return 0xF4000000 | code & 0x00FFFFFF


def _same(code: int) -> int | None:
    return code


def _status(code: int) -> int | None:
    if code & 0xFFF0F0FF == 0xF3E08000:  # mrs
        return 0xE10F0000 | _d(code) << 12
    if code & 0xFFF0F0FF == 0xF3808000:  # msr
        return 0xE120F000 | (code >> 8 & 15) << 16 | _n(code)
    return None


def _barrier(code: int) -> int | None:
    return 0xF57FF01F if code >> 4 & 15 == 2 else 0xF57FF000 | code & 0xFF  # clrex, or dsb, dmb, isb


def _hint(code: int) -> int | None:
    return 0xE320F000 | code & 0xFF


_FORMS: tuple[tuple[int, int, Callable[[int], int | None]], ...] = (
    (0xEF000000, 0xEF000000, _vector_data),
    (0xFF100000, 0xF9000000, _vector_memory),
    (0xEC000000, 0xEC000000, _same),  # coprocessors: VFP, and the additions of ARMv8
    (0xFE400000, 0xE8000000, _multiple),
    (0xFFE00000, 0xE8400000, _exclusive_word),
    (0xFFF0FFE0, 0xE8D0F000, lambda _code: None),  # tbb, tbh
    (0xFFE00000, 0xE8C00000, _exclusive),
    (0xFE400000, 0xE8400000, _dual),
    (0xFE000000, 0xEA000000, _shifted),
    (0xFA008000, 0xF0000000, _modified),
    (0xFA008000, 0xF2000000, _plain),
    (0xFFFFFF00, 0xF3AF8000, _hint),
    (0xFFFFFF00, 0xF3BF8F00, _barrier),
    (0xFF80D000, 0xF3808000, _status),
    (0xFE000000, 0xF8000000, _single),
    (0xFF000000, 0xFA000000, _register),
    (0xFF800000, 0xFB000000, _multiply),
    (0xFF800000, 0xFB800000, _long_multiply),
)
