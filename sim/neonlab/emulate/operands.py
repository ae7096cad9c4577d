"""Evaluate conditions, and shift or extend index registers, in compiled code as the CPU does."""

from __future__ import annotations

import numpy as np

from neonlab.emulate.native import compiled
from neonlab.isa.model.condition import NAMES

#: Conditions by the number that compiled code knows them by; ALWAYS is the number of none.
CONDITIONS = NAMES[:14]
ALWAYS = 14

#: What is done to an index register before it is added; SHIFTED left is what it is where nothing else is said.
SHIFTED, UXTW, SXTW, LSR, ASR, ROR, RRX, ALIGN = range(8)
#: The same by `MemoryAccess.extend`.
EXTENDS = {
    "": SHIFTED, "lsl": SHIFTED, "uxtx": SHIFTED, "sxtx": SHIFTED, "uxtw": UXTW, "sxtw": SXTW, "lsr": LSR, "asr": ASR,
    "ror": ROR, "rrx": RRX, "align": ALIGN,
}  # fmt: skip


@compiled
def holds(condition: int, flags: np.uint64) -> bool:
    """Tell whether N, Z, C, V in bits 31 to 28 of `flags` meet a condition, 0 to ALWAYS (DDI 0406C, A8.3)."""
    n, z = flags >> np.uint64(31) & np.uint64(1), flags >> np.uint64(30) & np.uint64(1)
    c, v = flags >> np.uint64(29) & np.uint64(1), flags >> np.uint64(28) & np.uint64(1)
    kind = condition >> 1
    if kind == 0:
        met = z == 1
    elif kind == 1:
        met = c == 1
    elif kind == 2:
        met = n == 1
    elif kind == 3:
        met = v == 1
    elif kind == 4:
        met = c == 1 and z == 0
    elif kind == 5:
        met = n == v
    elif kind == 6:
        met = n == v and z == 0
    else:
        return True
    return not met if condition & 1 else met


@compiled
def shifted(kind: int, value: np.uint64, shift: np.uint64, bits: np.uint64, flags: np.uint64) -> np.uint64:
    """Shift or extend `value`, which a register of `bits` holds; bits of the result beyond those are not cleared.

    `bits` are all those of a register, 32 or 64, and `shift` is a number of bits.  C of `flags`, which are as in
    `holds`, is what RRX shifts in (DDI 0487, DecodeRegExtend; DDI 0406C, A8.4.3).
    """
    width = np.uint64(32) if bits >> np.uint64(32) == 0 else np.uint64(64)
    if kind == UXTW:
        return (value & np.uint64(0xFFFFFFFF)) << shift
    if kind == SXTW:
        value &= np.uint64(0xFFFFFFFF)
        return (value - ((value & np.uint64(0x80000000)) << np.uint64(1))) << shift
    if kind == LSR:
        return value >> shift if shift < width else np.uint64(0)
    if kind == ASR:
        sign = np.uint64(0) - (value >> (width - np.uint64(1)))
        return value >> shift | sign << (width - shift) if shift < width else sign
    if kind == ROR:
        return value >> shift | value << (width - shift)
    if kind == ALIGN:
        return value >> shift << shift
    if kind == RRX:
        return value >> np.uint64(1) | (flags >> np.uint64(29) & np.uint64(1)) << (width - np.uint64(1))
    return value << shift
