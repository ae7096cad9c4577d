"""Byte dependence of data processing on the vector registers of A64, by encoding group (DDI 0487, C4.1).

The decoder says whether a destination is also read, so that the rule for it is in one place only.
"""

from __future__ import annotations

from neonlab.isa.a64.decode_vector import vector_data
from neonlab.isa.a64.dependence_scalar import scalar_flow
from neonlab.isa.model.dependence import Flow, general_place
from neonlab.isa.model.dependence import vector_place as _v
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

_SIZE = 16  # bytes of a vector register
_PAIRWISE = (0b10100, 0b10101)  # smaxp, sminp and the unsigned ones


def vector_flow(word: int) -> Flow | None:
    """Return the rule for a word of the group; None where it has no special rule."""
    top = word >> 24 & 0x1F
    if word >> 24 == 0b11001110:
        return None  # sha512, sha3, sm3, sm4
    if not word >> 31 and not word >> 28 & 1:
        flow = _advanced(word, scalar=False)
    elif word >> 30 == 1 and top & 0x1E == 0b11110:
        flow = _advanced(word, scalar=True)
    elif not word >> 30 & 1 and top & 0x1E == 0b11110:
        return scalar_flow(word)
    else:
        return None
    if flow is not None:  # whatever of the destination no rule fills becomes 0
        places = range(_v(word & 31), _v(word & 31) + _SIZE)
        if any(place in flow.sources for place in places):
            flow.zero(places.start, places.stop)
    return flow


def _keeps(word: int) -> bool:
    """Return whether the decoder reads the old destination, which it gets as a register that no operand can be."""
    n, m = word >> 5 & 31, word >> 16 & 31
    operands = {(n + i) % 32 for i in range(4)} | {m, m & 15}
    other = next(index for index in range(32) if index not in operands)
    effects = Effects()
    vector_data(effects, word & ~31 | other)
    return v(other) in effects.reads


def _advanced(word: int, *, scalar: bool) -> Flow | None:
    if word >> 24 & 1:
        if not word >> 10 & 1:
            return _by_element(word, scalar=scalar)
        return _shift_immediate(word, scalar=scalar) if word >> 19 & 15 else _modified_immediate(word)
    if word >> 21 & 1:
        return _with_size(word, scalar=scalar)
    if word >> 10 & 1 and word >> 15 & 1:
        return _same_extra(word, scalar=scalar)
    if word >> 10 & 1 and word >> 22 & 3 == 0:
        return _copy(word, scalar=scalar)
    if word >> 10 & 1:
        u, above, opcode = word >> 29 & 1, word >> 23 & 1, word >> 11 & 7
        is_pairwise = bool(u) and (opcode in (0, 6) or (opcode == 2 and not above))
        return _same(word, 2, scalar=scalar, is_pairwise=is_pairwise and not scalar)
    if scalar:
        return None  # sha1c, ...
    return _rearrange(word)


def _with_size(word: int, *, scalar: bool) -> Flow | None:
    if word >> 10 & 1:
        return _three_same(word, scalar=scalar)
    if not word >> 11 & 1:
        return _three_different(word, scalar=scalar)
    kind = word >> 17 & 15
    if kind in (0b0000, 0b1100):
        return _two_miscellaneous(word, scalar=scalar, is_half=kind == 0b1100)
    return _across(word, scalar=scalar) if kind == 0b1000 else None


def _width(word: int, scalar: bool, lane: int) -> int:
    """Return the bytes of the result: a lane, or the 8 or 16 of the arrangement."""
    return lane if scalar else 16 if word >> 30 & 1 else 8


def _same(word: int, lane: int, *, scalar: bool, is_pairwise: bool = False) -> Flow:
    """Return the rule for operands and result of one type, in lanes of `lane` bytes."""
    d, n, m, size = _v(word & 31), _v(word >> 5 & 31), _v(word >> 16 & 31), _width(word, scalar, lane)
    flow = Flow()
    if is_pairwise:
        half = size // 2 // lane
        flow.lanes(d, lane, half, [(n, 2 * lane)])
        flow.lanes(d + size // 2, lane, half, [(m, 2 * lane)])
        return flow
    flow.lanes(d, lane, size // lane, [(n, lane), (m, lane)] + [(d, lane)] * _keeps(word))
    return flow


def _three_same(word: int, *, scalar: bool) -> Flow:
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 11 & 31
    if opcode == 0b00011:  # and, orr, eor, bsl, ...
        if u == 0 and size == 2 and word >> 5 & 31 == word >> 16 & 31:  # mov
            flow = Flow(moves=True)
            flow.copy(_v(word & 31), _v(word >> 5 & 31), _width(word, scalar, 8))
            return flow
        if u == 1 and size == 0 and word >> 5 & 31 == word >> 16 & 31:  # eor of a register with itself: zeros
            flow = Flow()
            flow.zero(_v(word & 31), _v(word & 31) + 1)
            return flow
        return _same(word, 1, scalar=scalar)
    if opcode < 0b11000:
        is_pairwise = opcode in _PAIRWISE or (opcode == 0b10111 and not u)
        return _same(word, 1 << size, scalar=scalar, is_pairwise=is_pairwise and not scalar)
    if (u, opcode) in ((0, 0b11101), (1, 0b11001)) and not size & 1:  # fmlal, fmlal2
        upper = 4 * (1 + (word >> 30 & 1)) if u else 0
        d, n, m, count = _v(word & 31), _v(word >> 5 & 31), _v(word >> 16 & 31), 2 << (word >> 30 & 1)
        flow = Flow()
        flow.lanes(d, 4, count, [(n + upper, 2), (m + upper, 2), (d, 4)])
        return flow
    is_pairwise = bool(u) and (opcode in (0b11000, 0b11110) or (opcode == 0b11010 and not size & 2))
    return _same(word, 4 << (size & 1), scalar=scalar, is_pairwise=is_pairwise and not scalar)


def _three_different(word: int, *, scalar: bool) -> Flow:
    upper, size, opcode = word >> 30 & 1, word >> 22 & 3, word >> 12 & 15
    d, n, m, lane = _v(word & 31), _v(word >> 5 & 31), _v(word >> 16 & 31), 1 << size
    count, offset = 8 // lane, 8 * upper
    if scalar:
        count, offset = 1, 0
    flow = Flow()
    if opcode in (0b0100, 0b0110):  # addhn, subhn
        _narrow(flow, word, lane, [n, m])
        return flow
    wide = [(n, 2 * lane)] if opcode in (0b0001, 0b0011) else [(n + offset, lane)]
    kept = [(d, 2 * lane)] * _keeps(word)
    flow.lanes(d, 2 * lane, count, [*wide, (m + offset, lane), *kept])
    return flow


def _narrow(flow: Flow, word: int, lane: int, sources: list[int], *, scalar: bool = False) -> None:
    """Narrow lanes of twice the size to lanes of `lane` bytes. The "2" forms keep the lower half and fill the upper."""
    d, upper = _v(word & 31), 0 if scalar else word >> 30 & 1
    flow.lanes(d + 8 * upper, lane, 1 if scalar else 8 // lane, [(source, 2 * lane) for source in sources])
    if upper:
        flow.copy(d, d, 8)


def _two_miscellaneous(word: int, *, scalar: bool, is_half: bool) -> Flow:
    u, size, opcode, upper = word >> 29 & 1, word >> 22 & 3, word >> 12 & 31, word >> 30 & 1
    d, n, flow = _v(word & 31), _v(word >> 5 & 31), Flow()
    if is_half:
        lane = 2
    elif opcode >= 0b10110 or (0b01100 <= opcode <= 0b01111 and size & 2):  # floating point
        lane = 4 << (size & 1)
    else:
        lane = 1 << size
    if opcode <= 1 and not scalar:  # rev64, rev32, rev16
        reverse(flow, d, n, _width(word, scalar, lane), lane, 2 if opcode else 4 if u else 8)
    elif opcode in (0b00010, 0b00110) and not scalar:  # saddlp, sadalp
        pairs = _width(word, scalar, lane) // (2 * lane)
        flow.lanes(d, 2 * lane, pairs, [(n, 2 * lane)] + [(d, 2 * lane)] * _keeps(word))
    elif opcode == 0b00101 and not scalar:  # cnt, not, rbit
        flow.lanes(d, 1, _width(word, scalar, 1), [(n, 1)])
    elif opcode in (0b10010, 0b10100):  # xtn, sqxtun, sqxtn
        _narrow(flow, word, lane, [n], scalar=scalar)
    elif opcode == 0b10011:  # shll
        flow.lanes(d, 2 * lane, 8 // lane, [(n + 8 * upper, lane)])
    elif opcode == 0b10110 and not is_half:  # fcvtn, fcvtxn, bfcvtn
        _narrow(flow, word, 4 if size & 1 else 2, [n], scalar=scalar)
    elif opcode == 0b10111 and not is_half:  # fcvtl
        lane = 4 if size & 1 else 2
        flow.lanes(d, 2 * lane, 8 // lane, [(n + 8 * upper, lane)])
    else:
        kept = [(d, lane)] * _keeps(word)
        flow.lanes(d, lane, _width(word, scalar, lane) // lane, [(n, lane), *kept])
    return flow


def _across(word: int, *, scalar: bool) -> Flow:
    """Return the rule for all lanes into the lowest: addv, saddlv, smaxv, fmaxv; and for the scalar pairwise forms."""
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 12 & 31
    is_integer = opcode in (0b00011, 0b01010, 0b11010, 0b11011)
    lane = 1 << size if is_integer else (4 << (size & 1) if u else 2)
    result = 2 * lane if opcode == 0b00011 else lane
    flow = Flow()
    flow.lanes(_v(word & 31), result, 1, [(_v(word >> 5 & 31), 2 * lane if scalar else _width(word, False, 0))])
    return flow


def _copy(word: int, *, scalar: bool) -> Flow | None:
    d, n, kind, index = word & 31, word >> 5 & 31, word >> 11 & 15, word >> 16 & 31
    if not index & 15:
        return None
    lane = index & -index
    at = index // (2 * lane) * lane
    flow = Flow(moves=True)
    general = [] if n == 31 else [(general_place(n), 1)]
    if word >> 29 & 1:  # ins (element)
        flow.copy(_v(d), _v(d), _SIZE)
        for byte in range(lane):
            flow.sources[_v(d, at + byte)] = {_v(n, kind // lane * lane + byte)}
    elif kind == 0 or scalar:  # dup (element)
        size = _width(word, scalar, lane)
        flow.moves = scalar
        flow.permute(_v(d), [_v(n, at + byte % lane) for byte in range(size)])
    elif kind == 1:  # dup (general)
        flow.moves = False
        for first in range(0, _width(word, False, lane), lane):
            flow.lanes(_v(d, first), 1, lane, general)
    elif kind == 3:  # ins (general)
        flow.copy(_v(d), _v(d), _SIZE)
        for byte in range(lane):
            flow.sources[_v(d, at + byte)] = {place + byte for place, _ in general}
    elif kind in (5, 7):  # smov, umov
        if d == 31:
            return flow
        width = 8 if word >> 30 & 1 else 4
        flow.copy(general_place(d), _v(n, at), lane)
        if kind == 5:
            flow.add(range(general_place(d, lane), general_place(d, width)), [_v(n, at + lane - 1)])
        flow.zero(general_place(d), general_place(d, 8))
    else:
        return None
    return flow


def _same_extra(word: int, *, scalar: bool) -> Flow:
    size, opcode = word >> 22 & 3, word >> 11 & 15
    d, n, m = _v(word & 31), _v(word >> 5 & 31), _v(word >> 16 & 31)
    flow = Flow()
    if opcode in (4, 5) or (opcode == 13 and size == 1):  # smmla, ummla, usmmla, bfmmla
        matrix(flow, d, n, m)
        return flow
    if opcode in (0, 1):  # sqrdmlah, sqrdmlsh
        return _same(word, 1 << size, scalar=scalar)
    if opcode & 12 == 8 or opcode in (12, 14):  # fcmla, fcadd: a real and an imaginary part
        return _same(word, 2 << size, scalar=scalar)
    return _same(word, 4, scalar=scalar)  # sdot, usdot, bfdot, bfmlal


def _rearrange(word: int) -> Flow | None:
    d, n, m = _v(word & 31), _v(word >> 5 & 31), _v(word >> 16 & 31)
    size, lane, flow = _width(word, False, 0), 1 << (word >> 22 & 3), Flow()
    if word & 0x20C00400 == 0x20000000:
        extract(flow, d, n, m, size, word >> 11 & 15)
    elif word & 0x20000C00 == 0x00000800:
        second, kind = word >> 14 & 1, word >> 12 & 3
        {1: pick_even_or_odd, 2: transpose, 3: interleave}[kind](flow, d, n, m, size, lane, second)
    elif not word >> 29 & 1 and word >> 22 & 3 == 0 and word >> 10 & 3 == 0:  # tbl, tbx
        table = [_v((word >> 5 & 31) + i) for i in range((word >> 13 & 3) + 1)]
        table_lookup(flow, d, table, _SIZE, m, size, keeps=bool(word >> 12 & 1))
    else:
        return None
    return flow


def _modified_immediate(word: int) -> Flow:
    d, flow = _v(word & 31), Flow()
    size = _width(word, False, 0)
    if _keeps(word):  # orr, bic
        flow.copy(d, d, size)
    else:
        flow.moves = True
        flow.zero(d, d + size)
    return flow


def _shift_immediate(word: int, *, scalar: bool) -> Flow:
    opcode, lane, upper = word >> 11 & 31, 1 << (word >> 19 & 15).bit_length() - 1, word >> 30 & 1
    d, n, flow = _v(word & 31), _v(word >> 5 & 31), Flow()
    u, field, size = word >> 29 & 1, word >> 16 & 0x7F, _width(word, scalar, lane)
    if opcode == 0:
        shift_right(flow, d, n, size, lane, 16 * lane - field, signed=not u)
    elif opcode == 0b01010 and not u:
        shift_left(flow, d, n, size, lane, field - 8 * lane)
    elif 0b10000 <= opcode <= 0b10011:  # shrn, sqshrn and so on
        _narrow(flow, word, lane, [n], scalar=scalar)
    elif opcode == 0b10100:  # sshll, ushll
        flow.lanes(d, 2 * lane, 8 // lane, [(n + 8 * upper, lane)])
    else:
        kept = [(d, lane)] * _keeps(word)
        flow.lanes(d, lane, size // lane, [(n, lane), *kept])
    return flow


def _by_element(word: int, *, scalar: bool) -> Flow | None:
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 12 & 15
    d, n, m, upper = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 30 & 1
    high, low, middle = word >> 11 & 1, word >> 21 & 1, word >> 20 & 1
    index_of_half, index_of_word = high << 2 | low << 1 | middle, high << 1 | low
    flow = Flow()
    kept = _keeps(word)
    if (opcode in (0, 4) and not u) or (opcode in (8, 12) and u):  # fmlal, fmlsl
        offset = 4 * (1 + upper) if u else 0
        element = (_v(m & 15, 2 * index_of_half), 2)
        flow.lanes(_v(d), 4, 2 << upper, [(_v(n, offset), 2), (_v(d), 4)], [element])
        return flow
    if u and opcode & 9 == 1 and not scalar:  # fcmla
        pair = 2 << size
        index = index_of_word if size == 1 else high
        flow.lanes(
            _v(d), pair, _width(word, False, 0) // pair, [(_v(n), pair), (_v(d), pair)], [(_v(m, pair * index), pair)]
        )
        return flow
    if opcode == 14 or (opcode == 15 and not u and size in (0, 1, 2)):  # sdot, sudot, usdot, bfdot
        flow.lanes(_v(d), 4, _width(word, False, 0) // 4, [(_v(n), 4), (_v(d), 4)], [(_v(m, 4 * index_of_word), 4)])
        return flow
    if opcode == 15 and not u:  # bfmlal
        flow.lanes(_v(d), 4, 4, [(_v(n), 4), (_v(d), 4)], [(_v(m & 15, 2 * index_of_half), 2)])
        return flow
    is_floating = (opcode in (1, 5) and not u) or opcode == 9
    lane = {0: 2, 2: 4, 3: 8}.get(size, 0) if is_floating else {1: 2, 2: 4}.get(size, 0)
    if not lane:
        return None
    index = {2: index_of_half, 4: index_of_word, 8: high}[lane]
    element = (_v(m & 15 if lane == 2 else m, lane * index), lane)
    if opcode in (2, 3, 6, 7, 10, 11):  # long
        offset = 0 if scalar else 8 * upper
        accumulated = [(_v(d), 2 * lane)] * kept
        flow.lanes(_v(d), 2 * lane, 1 if scalar else 8 // lane, [(_v(n, offset), lane), *accumulated], [element])
        return flow
    accumulated = [(_v(d), lane)] * kept
    flow.lanes(_v(d), lane, _width(word, scalar, lane) // lane, [(_v(n), lane), *accumulated], [element])
    return flow
