"""Byte dependence of A64 outside the vector file: general registers, loads and stores (DDI 0487, C4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.isa.a64.dependence_vector import vector_flow
from neonlab.isa.model.condition import NAMES
from neonlab.isa.model.dependence import (
    FLAG_C,
    FLAG_N,
    FLAG_V,
    VECTOR,
    Flow,
    condition_places,
    general_place,
    memory_place,
)
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction

_FLAGS = range(FLAG_N, FLAG_V + 1)
_ZERO = 31


def flow_a64(instruction: Instruction) -> Flow | None:
    """Return the rule for `instruction`; None where it has no special rule."""
    word = instruction.word
    group = word >> 25 & 15
    if word & 0xFFFFFFE0 == 0xD50B7420:  # dc zva
        flow = Flow()
        flow.zero(memory_place(0), memory_place(0, instruction.accesses[0].count))
        return flow
    if instruction.branch is not BranchKind.NONE:
        return None
    if group & 0b0101 == 0b0100:
        return _memory(instruction)
    if group & 0b1110 == 0b1000:
        return _immediate(word)
    if group & 0b0111 == 0b0101:
        return _register(word)
    if group & 0b0111 == 0b0111:
        return vector_flow(word)
    return None


def _bytes(index: int, width: int) -> list[int]:
    """Return the low `width` bytes of a register, where 31 is the zero register."""
    return [] if index == _ZERO else [general_place(index, byte) for byte in range(width)]


def _result(flow: Flow, index: int, width: int, sources: Sequence[int], *, flags: bool = False) -> Flow:
    """Let all of `sources` into each byte of the result and the flags; the upper half of a w register becomes 0."""
    if index != _ZERO:
        flow.add(_bytes(index, width), sources)
        flow.zero(general_place(index, width), general_place(index, 8))
    if flags:
        flow.add(_FLAGS, sources)
    return flow


def _bytewise(flow: Flow, index: int, width: int, operands: Sequence[int], *, flags: bool) -> Flow:
    """Let the same byte of the operands into each byte of the result."""
    for byte in range(width):
        sources = [general_place(operand, byte) for operand in operands if operand != _ZERO]
        if index != _ZERO:
            flow.add([general_place(index, byte)], sources)
        if flags:
            flow.add(_FLAGS, sources)
    if index != _ZERO:
        flow.zero(general_place(index, width), general_place(index, 8))
    return flow


def _immediate(word: int) -> Flow | None:
    d, n, width, kind = word & 31, word >> 5 & 31, 8 if word >> 31 else 4, word >> 23 & 7
    flow = Flow()
    if kind in (0, 1):  # adr, adrp
        return _result(flow, d, 8, [])
    if kind == 2:  # add, sub; 31 is sp, but for the destination of adds and subs
        sources = [general_place(n, byte) for byte in range(width)]
        flow.moves = not word >> 10 & 0xFFF and not word >> 30 & 1  # mov to or from sp
        if word >> 29 & 1:
            return _result(flow, d, width, sources, flags=True)
        if flow.moves:
            flow.copy(general_place(d), general_place(n), width)
        else:
            flow.add([general_place(d, byte) for byte in range(width)], sources)
        flow.zero(general_place(d, width), general_place(d, 8))
        return flow
    if kind == 4:  # and, orr, eor, ands; 31 as destination is sp, but for ands
        if d == _ZERO and word >> 29 & 3 != 3:
            return None
        return _bytewise(flow, d, width, [n], flags=word >> 29 & 3 == 3)
    if kind == 5:  # movn, movz, movk
        _result(flow, d, width, [])
        if word >> 29 & 3 == 3 and d != _ZERO:
            at = 2 * (word >> 21 & 3)
            for byte in set(range(width)) - {at, at + 1}:
                flow.add([general_place(d, byte)], [general_place(d, byte)])
        return flow
    if kind == 6:  # sbfm, bfm, ubfm: sxtw, uxtb, lsl, ubfx, ...
        rotate, last = word >> 16 & 63, word >> 10 & 63
        first = rotate if last >= rotate else 0
        read = [] if n == _ZERO else [general_place(n, byte) for byte in range(first // 8, last // 8 + 1)]
        kept = _bytes(d, width) if word >> 29 & 3 == 1 else []
        return _result(flow, d, width, [*read, *kept])
    return _result(flow, d, width, _bytes(n, width) + _bytes(word >> 16 & 31, width))  # extr


def _register(word: int) -> Flow | None:
    d, n, m, width, kind = word & 31, word >> 5 & 31, word >> 16 & 31, 8 if word >> 31 else 4, word >> 21 & 15
    flow, sets_flags = Flow(), bool(word >> 29 & 1)
    if not word >> 28 & 1:
        if not kind & 8:  # and, orr, eor, ands, shifted register
            amount, is_and_flags = word >> 10 & 63, word >> 29 & 3 == 3
            if amount:
                return _result(flow, d, width, _bytes(n, width) + _bytes(m, width), flags=is_and_flags)
            flow.moves = word >> 29 & 3 == 1 and n == _ZERO and not word >> 21 & 1  # mov
            return _bytewise(flow, d, width, [n, m], flags=is_and_flags)
        if not kind & 1:  # add, sub, shifted register
            return _result(flow, d, width, _bytes(n, width) + _bytes(m, width), flags=sets_flags)
        option = word >> 13 & 3  # extended register: b, h, w, x
        sources = [general_place(n, byte) for byte in range(width)] + _bytes(m, min(1 << option, width))
        if sets_flags:
            return _result(flow, d, width, sources, flags=True)
        flow.add([general_place(d, byte) for byte in range(width)], sources)
        flow.zero(general_place(d, width), general_place(d, 8))
        return flow
    if kind & 8:  # madd, smaddl, smulh
        is_long = word >> 21 & 7 in (1, 5)
        factors = 4 if is_long else width
        addend = [] if word >> 21 & 3 == 2 else _bytes(word >> 10 & 31, width)
        return _result(flow, d, width, _bytes(n, factors) + _bytes(m, factors) + addend)
    if kind == 0 and word >> 10 & 63 == 0:  # adc, sbc
        return _result(flow, d, width, [*_bytes(n, width), *_bytes(m, width), FLAG_C], flags=sets_flags)
    if kind == 2:  # ccmp, ccmn
        second = [] if word >> 11 & 1 else _bytes(m, width)
        flow.add(_FLAGS, [*_bytes(n, width), *second, *condition_places(NAMES[word >> 12 & 15])])
        return flow
    if kind == 4:  # csel and its relatives
        return _result(
            flow, d, width, [*_bytes(n, width), *_bytes(m, width), *condition_places(NAMES[word >> 12 & 15])]
        )
    if kind == 6 and word >> 30 & 1 and m == 0:  # rbit, rev, clz
        return _result(flow, d, width, _bytes(n, width))
    if kind == 6 and not word >> 30 & 1 and word >> 10 & 63 in (2, 3, 8, 9, 10, 11):  # division, shifts
        return _result(flow, d, width, _bytes(n, width) + _bytes(m, width))
    return None


def _memory(instruction: Instruction) -> Flow | None:
    word, kinds = instruction.word, [access.kind for access in instruction.accesses]
    if len(kinds) != 1 or kinds[0] is AccessKind.PREFETCH:
        return None if len(kinds) != 1 else Flow()
    is_load = kinds[0] is AccessKind.LOAD
    if word >> 24 & 0xBE == 0b00001100:
        return _structures(word, is_load)
    t, is_vector = word & 31, bool(word >> 26 & 1)
    count = instruction.accesses[0].count
    if word >> 27 & 7 == 0b101:  # pairs
        registers, each = [t, word >> 10 & 31], count // 2
    elif word >> 27 & 7 == 0b111 or (word >> 27 & 7 == 0b011 and word >> 24 & 3 == 0):
        registers, each = [t], count
        if word >> 27 & 7 == 0b111 and not word >> 24 & 1 and word >> 21 & 1 and word >> 10 & 3 != 2:
            return None  # atomic
    else:
        return None  # exclusives
    flow = Flow(moves=True)
    for position, register in enumerate(registers):
        _transfer(flow, register, memory_place(0, position * each), each, is_load=is_load, is_vector=is_vector)
    return flow


def _transfer(flow: Flow, register: int, memory: int, size: int, *, is_load: bool, is_vector: bool) -> None:
    """Transfer one register.  What a load does not fill becomes 0 or, in a general register, perhaps the sign."""
    if not is_vector and register == _ZERO:
        flow.zero(memory, memory + (0 if is_load else size))
        return
    place = VECTOR + 16 * register if is_vector else general_place(register)
    if not is_load:
        flow.copy(memory, place, size)
        return
    flow.copy(place, memory, size)
    if is_vector:
        flow.zero(place + size, place + 16)
    else:
        flow.add(range(place + size, place + 8), [memory + size - 1])


def _structures(word: int, is_load: bool) -> Flow:
    """Return the rule for ld1-ld4 and st1-st4: whole registers, one lane, or one element to all lanes."""
    t, flow = word & 31, Flow(moves=True)
    if not word >> 24 & 1:
        opcode, size, width = word >> 12 & 15, 1 << (word >> 10 & 3), 16 if word >> 30 & 1 else 8
        registers, interleaved = {
            0: (4, True), 2: (4, False), 4: (3, True), 6: (3, False), 7: (1, False), 8: (2, True), 10: (2, False)
        }[opcode]  # fmt: skip
        for position in range(registers):
            place = VECTOR + 16 * ((t + position) % 32)
            for byte in range(width):
                element = byte // size * registers + position
                offset = element * size + byte % size if interleaved else position * width + byte
                _move(flow, place + byte, memory_place(0, offset), is_load)
            if is_load:
                flow.zero(place + width, place + 16)
        return flow
    opcode = word >> 13 & 7
    registers, scale = ((opcode & 1) << 1 | word >> 21 & 1) + 1, opcode >> 1
    if scale == 3:  # to all lanes
        size, width = 1 << (word >> 10 & 3), 16 if word >> 30 & 1 else 8
        for position in range(registers):
            place = VECTOR + 16 * ((t + position) % 32)
            flow.permute(place, [memory_place(0, position * size + byte % size) for byte in range(width)])
            flow.zero(place + width, place + 16)
        return flow
    if scale == 2 and word >> 10 & 1:
        scale = 3
    size = 1 << scale
    lane = (word >> 27 & 8 | word >> 10 & 7) >> scale  # Q, S, size: the byte in the register
    for position in range(registers):
        place = VECTOR + 16 * ((t + position) % 32)
        inside = range(lane * size, (lane + 1) * size)
        for byte in range(16):
            if byte in inside:
                _move(flow, place + byte, memory_place(0, position * size + byte - lane * size), is_load)
            elif is_load:
                flow.add([place + byte], [place + byte])
    return flow


def _move(flow: Flow, register: int, memory: int, is_load: bool) -> None:
    destination, source = (register, memory) if is_load else (memory, register)
    flow.add([destination], [source])
