"""Translate Thumb instructions of 16 bits to A32 words that do the same (DDI 0406C, A6.2).

`s` is the bit that makes an A32 instruction set the flags: 1 << 20 outside an IT block and 0 inside one, as for the
short data-processing instructions.  Where there is no A32 word, the result is None, and `decode_thumb` decodes the
instruction.
"""

from __future__ import annotations

from collections.abc import Callable

_SHIFTED = 0x01A00000  # mov rd, rm, <shift>
# and, eor, lsl, lsr, asr, adc, sbc, ror, tst, rsb, cmp, cmn, orr, mul, bic, mvn, by the number of their A32 opcode;
# shifts are a mov.
_OPCODES = (0, 1, None, None, None, 5, 6, None, 8, None, 10, 11, 12, None, 14, None)
_SHIFTS = {2: 0, 3: 1, 4: 2, 7: 3}
_BY_REGISTER = (0x07800000, 0x018000B0, 0x07C00000, 0x019000D0, 0x07900000, 0x019000B0, 0x07D00000, 0x019000F0)
_EXTENDS = (0x06BF0070, 0x06AF0070, 0x06FF0070, 0x06EF0070)  # sxth, sxtb, uxth, uxtb
_REVERSES = {0: 0x06BF0F30, 1: 0x06BF0FB0, 3: 0x06FF0FB0}  # rev, rev16, revsh


def a32_of_narrow(half: int, s: int) -> int | None:
    """Return the A32 word, its condition "always"; None where there is none."""
    for mask, pattern, make in _FORMS:
        if half & mask == pattern:
            word = make(half, s)
            return None if word is None else 0xE0000000 | word
    return None


def _low(half: int) -> tuple[int, int, int]:
    return half & 7, half >> 3 & 7, half >> 6 & 7


def _shift(half: int, s: int) -> int | None:
    d, m, _ = _low(half)
    return _SHIFTED | s | d << 12 | (half >> 6 & 31) << 7 | (half >> 11 & 3) << 5 | m


def _add_subtract(half: int, s: int) -> int | None:
    d, n, m = _low(half)
    word = (0x00400000 if half >> 9 & 1 else 0x00800000) | s | n << 16 | d << 12 | m
    return word | 0x02000000 if half >> 10 & 1 else word


def _immediate(half: int, s: int) -> int | None:
    d, value = half >> 8 & 7, half & 0xFF
    return (
        0x03A00000 | s | d << 12 | value,
        0x03500000 | d << 16 | value,
        0x02800000 | s | d << 16 | d << 12 | value,
        0x02400000 | s | d << 16 | d << 12 | value,
    )[half >> 11 & 3]


def _data_processing(half: int, s: int) -> int | None:
    operation = half >> 6 & 15
    d, m, _ = _low(half)
    if operation in _SHIFTS:
        return _SHIFTED | s | d << 12 | m << 8 | _SHIFTS[operation] << 5 | 0x10 | d
    if operation == 9:  # rsb rd, rn, #0
        return 0x02600000 | s | m << 16 | d << 12
    if operation == 13:
        return s | d << 16 | d << 8 | 0x90 | m
    if operation == 15:
        return 0x01E00000 | s | d << 12 | m
    opcode = _OPCODES[operation] or 0
    if operation in (8, 10, 11):
        return opcode << 21 | 1 << 20 | d << 16 | m
    return opcode << 21 | s | d << 16 | d << 12 | m


def _high_registers(half: int, _s: int) -> int | None:
    d, m = half >> 4 & 8 | half & 7, half >> 3 & 15
    kind = half >> 8 & 3
    if kind == 3:
        return (0x012FFF30 if half >> 7 & 1 else 0x012FFF10) | m
    if kind == 2:
        return None if m == 15 else _SHIFTED | d << 12 | m
    if 15 in (d, m):
        return None  # pc is another number of bytes ahead
    return 0x00800000 | d << 16 | d << 12 | m if kind == 0 else 0x01500000 | d << 16 | m


def _literal(half: int, _s: int) -> int | None:
    return 0x059F0000 | (half >> 8 & 7) << 12 | (half & 0xFF) << 2


def _register_offset(half: int, _s: int) -> int | None:
    t, n, m = _low(half)
    return _BY_REGISTER[half >> 9 & 7] | n << 16 | t << 12 | m


def _immediate_offset(half: int, _s: int) -> int | None:
    t, n, _ = _low(half)
    number, load = half >> 6 & 31, half >> 11 & 1
    if half >> 12 & 1:
        return 0x05C00000 | load << 20 | n << 16 | t << 12 | number
    return 0x05800000 | load << 20 | n << 16 | t << 12 | number << 2


def _halfword_offset(half: int, _s: int) -> int | None:
    t, n, _ = _low(half)
    number = (half >> 6 & 31) << 1
    return 0x01C000B0 | (half >> 11 & 1) << 20 | n << 16 | t << 12 | (number & 0xF0) << 4 | number & 15


def _stack_offset(half: int, _s: int) -> int | None:
    return 0x058D0000 | (half >> 11 & 1) << 20 | (half >> 8 & 7) << 12 | (half & 0xFF) << 2


def _words(count: int) -> int:
    """Return the twelve bits for so many words in bytes, as assemblers write them: not rotated if a byte is enough."""
    return count << 2 if count < 64 else 0xF00 | count


def _stack_address(half: int, _s: int) -> int | None:
    return 0x028D0000 | (half >> 8 & 7) << 12 | _words(half & 0xFF)


def _stack_pointer(half: int, _s: int) -> int | None:
    return (0x024DD000 if half >> 7 & 1 else 0x028DD000) | _words(half & 0x7F)


def _extend(half: int, _s: int) -> int | None:
    return _EXTENDS[half >> 6 & 3] | (half & 7) << 12 | half >> 3 & 7


def _push(half: int, _s: int) -> int | None:
    return 0x092D0000 | (half & 0x100) << 6 | half & 0xFF


def _pop(half: int, _s: int) -> int | None:
    return 0x08BD0000 | (half & 0x100) << 7 | half & 0xFF


def _reverse(half: int, _s: int) -> int | None:
    base = _REVERSES.get(half >> 6 & 3)
    return None if base is None else base | (half & 7) << 12 | half >> 3 & 7


def _hint(half: int, _s: int) -> int | None:
    return 0x0320F000 | half >> 4 & 15


def _store_multiple(half: int, _s: int) -> int | None:
    return 0x08A00000 | (half >> 8 & 7) << 16 | half & 0xFF


def _load_multiple(half: int, _s: int) -> int | None:
    n = half >> 8 & 7
    return 0x08900000 | (0 if half >> n & 1 else 1 << 21) | n << 16 | half & 0xFF


_Maker = Callable[[int, int], int | None]
_FORMS: tuple[tuple[int, int, _Maker], ...] = (
    (0xF800, 0x1800, _add_subtract),
    (0xE000, 0x0000, _shift),
    (0xE000, 0x2000, _immediate),
    (0xFC00, 0x4000, _data_processing),
    (0xFC00, 0x4400, _high_registers),
    (0xF800, 0x4800, _literal),
    (0xF000, 0x5000, _register_offset),
    (0xE000, 0x6000, _immediate_offset),
    (0xF000, 0x8000, _halfword_offset),
    (0xF000, 0x9000, _stack_offset),
    (0xF800, 0xA800, _stack_address),
    (0xFF00, 0xB000, _stack_pointer),
    (0xFF00, 0xB200, _extend),
    (0xFE00, 0xB400, _push),
    (0xFE00, 0xBC00, _pop),
    (0xFF00, 0xBA00, _reverse),
    (0xFF00, 0xBE00, lambda half, _s: 0x01200070 | (half & 0xF0) << 4 | half & 15),  # bkpt
    (0xFF0F, 0xBF00, _hint),
    (0xF800, 0xC000, _store_multiple),
    (0xF800, 0xC800, _load_multiple),
    (0xFF00, 0xDE00, lambda half, _s: 0x07F000F0 | (half & 0xF0) << 4 | half & 15),  # udf
    (0xFF00, 0xDF00, lambda half, _s: 0x0F000000 | half & 0xFF),  # svc
)
