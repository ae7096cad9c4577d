"""Byte dependence of Advanced SIMD data processing in A32, by encoding group (DDI 0406C, A7.4).

Registers are numbered in d, and the two of a q are adjacent, so an operand is one run of 8 or 16 bytes. The decoder
says whether a destination is also read, so that the rule for it is in one place only.
"""

from __future__ import annotations

from neonlab.isa.a32.decode_vector import neon_data
from neonlab.isa.model.dependence import VECTOR, Flow
from neonlab.isa.model.dependence_shapes import (
    extract,
    interleave,
    matrix,
    pick_even_or_odd,
    reverse,
    shift_left,
    shift_right,
    table_lookup,
    transpose,
)
from neonlab.isa.model.effects import Effects, v


def _operands(word: int) -> tuple[int, int, int]:
    """Return the places where d, n and m start."""
    d, n, m = word >> 18 & 16 | word >> 12 & 15, word >> 3 & 16 | word >> 16 & 15, word >> 1 & 16 | word & 15
    return VECTOR + 8 * d, VECTOR + 8 * n, VECTOR + 8 * m


def _keeps(word: int) -> bool:
    """Return whether the old destination is read.

    The decoder gets the word with a destination that no operand can be, and reads it or not.
    """
    n, m = word >> 3 & 16 | word >> 16 & 15, word >> 1 & 16 | word & 15
    operands = {n, n + 1, n + 2, n + 3, m, m + 1, word & 15, word & 7}
    other = next(index for index in range(0, 32, 2) if index not in operands and index + 1 not in operands)
    effects = Effects()
    neon_data(effects, word & ~0x0040F000 | (other & 16) << 18 | (other & 15) << 12)
    return v(other) in effects.reads


def neon_data_flow(word: int) -> Flow | None:
    """Return the rule for a word of the data-processing group; None where it has no special rule."""
    d, n, m = _operands(word)
    size = 16 if word >> 6 & 1 else 8
    if not word >> 23 & 1:
        return _three_same(word, size)
    if word >> 4 & 1:
        is_immediate = word >> 19 & 7 == 0 and not word >> 7 & 1
        return _modified_immediate(word, size) if is_immediate else _shift_immediate(word, size)
    if word >> 20 & 3 != 3:
        return _by_scalar(word) if word >> 6 & 1 else _three_different(word)
    flow = Flow()
    if not word >> 24 & 1:
        extract(flow, d, n, m, size, word >> 8 & 15)
    elif not word >> 11 & 1:
        return _two_miscellaneous(word, size)
    elif word >> 10 & 3 == 2:
        table = [n + 8 * i for i in range((word >> 8 & 3) + 1)]
        table_lookup(flow, d, table, 8, m, 8, keeps=bool(word >> 6 & 1))
    else:  # vdup (scalar)
        field = word >> 16 & 15
        lane = field & -field
        at = field // (2 * lane) * lane
        flow.permute(d, [m + at + byte % lane for byte in range(size)])
    return flow


def _three_same(word: int, size: int) -> Flow | None:
    u, scale, opcode, low = word >> 24 & 1, word >> 20 & 3, word >> 8 & 15, word >> 4 & 1
    d, n, m = _operands(word)
    lane = 1 << scale
    if (opcode, low) == (1, 1):
        if n == m and (u, scale) == (0, 2):  # vmov
            flow = Flow(moves=True)
            flow.copy(d, n, size)
            return flow
        if n == m and (u, scale) == (1, 0):  # veor of a register with itself: zeros
            flow = Flow()
            flow.zero(d, d + size)
            return flow
        lane = 1
    if opcode == 12 and not low:
        return None  # sha1c, ...
    if opcode >= 12 and not (opcode == 12 and u):
        lane = 2 if scale & 1 else 4
    is_pairwise = (
        opcode == 10
        or (opcode == 11 and low and not u)
        or (opcode == 13 and not low and u and scale < 2)
        or (opcode == 15 and not low and u)
    )
    flow = Flow()
    if is_pairwise:
        flow.lanes(d, lane, size // 2 // lane, [(n, 2 * lane)])
        flow.lanes(d + size // 2, lane, size // 2 // lane, [(m, 2 * lane)])
    else:
        flow.lanes(d, lane, size // lane, [(n, lane), (m, lane)] + [(d, lane)] * _keeps(word))
    return flow


def _three_different(word: int) -> Flow:
    opcode, lane = word >> 8 & 15, 1 << (word >> 20 & 3)
    d, n, m = _operands(word)
    flow = Flow()
    if opcode in (4, 6):  # vaddhn, vsubhn
        flow.lanes(d, lane, 8 // lane, [(n, 2 * lane), (m, 2 * lane)])
        return flow
    if opcode == 14 and lane == 4:  # vmull.p64
        lane = 8
    first = (n, 2 * lane) if opcode in (1, 3) else (n, lane)
    flow.lanes(d, 2 * lane, 8 // lane, [first, (m, lane)] + [(d, 2 * lane)] * _keeps(word))
    return flow


def _by_scalar(word: int) -> Flow:
    opcode, scale, size = word >> 8 & 15, word >> 20 & 3, 16 if word >> 24 & 1 else 8
    d, n, _ = _operands(word)
    lane, upper, bit = 1 << scale, word >> 5 & 1, word >> 3 & 1
    register, index = (word & 7, upper << 1 | bit) if scale == 1 else (word & 15, upper)
    element = (VECTOR + 8 * register + lane * index, lane)
    flow = Flow()
    if opcode in (2, 3, 6, 7, 10, 11):
        flow.lanes(d, 2 * lane, 8 // lane, [(n, lane)] + [(d, 2 * lane)] * _keeps(word), [element])
    else:
        flow.lanes(d, lane, size // lane, [(n, lane)] + [(d, lane)] * _keeps(word), [element])
    return flow


def _modified_immediate(word: int, size: int) -> Flow:
    d, _, _ = _operands(word)
    flow = Flow()
    if _keeps(word):  # vorr, vbic
        flow.copy(d, d, size)
    else:
        flow.moves = True
        flow.zero(d, d + size)
    return flow


def _shift_immediate(word: int, size: int) -> Flow:
    opcode, field, u = word >> 8 & 15, word >> 16 & 63, word >> 24 & 1
    d, _, m = _operands(word)
    lane = 8 if word >> 7 & 1 else 1 << field.bit_length() - 4
    flow = Flow()
    if opcode == 0:
        shift_right(flow, d, m, size, lane, (8 if lane == 8 else 16) * lane - field, signed=not u)
    elif opcode == 5 and not u:
        shift_left(flow, d, m, size, lane, field if lane == 8 else field - 8 * lane)
    elif opcode in (8, 9):  # vshrn and so on: `lane` is that of the result
        flow.lanes(d, lane, 8 // lane, [(m, 2 * lane)])
    elif opcode == 10:  # vshll, vmovl
        flow.lanes(d, 2 * lane, 8 // lane, [(m, lane)])
    elif opcode >= 12:  # fixed point
        lane = 2 if opcode in (12, 13) else 4
        flow.lanes(d, lane, size // lane, [(m, lane)])
    else:
        flow.lanes(d, lane, size // lane, [(m, lane)] + [(d, lane)] * _keeps(word))
    return flow


def _two_miscellaneous(word: int, size: int) -> Flow | None:
    group, opcode, lane = word >> 16 & 3, word >> 7 & 15, 1 << (word >> 18 & 3)
    d, _, m = _operands(word)
    flow = Flow()
    if group == 2:
        return _narrow_or_permute(word, size)
    if (group, opcode) in ((0, 6), (0, 7), (1, 5)):
        return None  # aese, aesmc, sha1h
    if group == 0 and opcode < 3:
        reverse(flow, d, m, size, lane, 8 >> opcode)
    elif group == 0 and opcode in (4, 5, 12, 13):  # vpaddl, vpadal
        flow.lanes(d, 2 * lane, size // (2 * lane), [(m, 2 * lane)] + [(d, 2 * lane)] * _keeps(word))
    elif group == 0 and opcode in (10, 11):  # vcnt, vmvn
        flow.lanes(d, 1, size, [(m, 1)])
    else:
        flow.lanes(d, lane, size // lane, [(m, lane)] + [(d, lane)] * _keeps(word))
    return flow


def _narrow_or_permute(word: int, size: int) -> Flow | None:
    opcode, lane = word >> 7 & 15, 1 << (word >> 18 & 3)
    d, _, m = _operands(word)
    flow = Flow()
    if opcode < 4:
        if d == m and opcode:
            return None  # unpredictable
        flow.moves = opcode == 0
        if opcode == 0:  # vswp
            flow.copy(d, m, size)
            flow.copy(m, d, size)
        else:
            shape = {1: transpose, 2: pick_even_or_odd, 3: interleave}[opcode]
            shape(flow, d, d, m, size, lane, 0)
            shape(flow, m, d, m, size, lane, 1)
    elif opcode in (4, 5):  # vmovn, vqmovun, vqmovn
        flow.lanes(d, lane, 8 // lane, [(m, 2 * lane)])
    elif opcode == 6:  # vshll
        flow.lanes(d, 2 * lane, 8 // lane, [(m, lane)])
    elif opcode == 7:
        return None  # sha1su1, sha256su0
    elif opcode == 12:  # vcvt.f16.f32
        flow.lanes(d, 2, 4, [(m, 4)])
    elif opcode == 14:
        flow.lanes(d, 4, 4, [(m, 2)])
    else:  # vrint
        flow.lanes(d, lane, size // lane, [(m, lane)])
    return flow


def extension_flow(word: int) -> Flow | None:
    """Return the rule for dot products and matrix multiplies, in the unconditional coprocessor space; else None."""
    d, n, m = _operands(word)
    size = 16 if word >> 6 & 1 else 8
    flow = Flow()
    if word & 0xFF000E00 == 0xFC000C00 and word >> 8 & 1:  # vsdot, vudot, vusdot, vdot
        flow.lanes(d, 4, size // 4, [(n, 4), (m, 4), (d, 4)])
    elif word & 0xFF000F00 == 0xFE000D00:  # by element
        element = VECTOR + 8 * (word & 15) + 4 * (word >> 5 & 1)
        flow.lanes(d, 4, size // 4, [(n, 4), (d, 4)], [(element, 4)])
    elif word & 0xFF000F40 == 0xFC000C40:  # vsmmla, vummla, vusmmla, vmmla
        matrix(flow, d, n, m)
    else:
        return None
    return flow
