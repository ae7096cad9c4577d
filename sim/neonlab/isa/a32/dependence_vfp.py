"""Byte dependence of VFP: moves between the files, loads and stores, scalar arithmetic (DDI 0406C, A7.5-A7.9)."""

from __future__ import annotations

from neonlab.isa.model.dependence import VECTOR, Flow, general_place, memory_place
from neonlab.isa.model.instruction import AccessKind, Instruction


def vfp_flow(instruction: Instruction) -> Flow | None:
    """Return the rule for a conditional word of the coprocessor space; None where it has no special rule."""
    word = instruction.word
    number = word >> 8 & 15
    if number not in (10, 11):
        return None  # half precision, and coprocessors other than 10 and 11
    double = number == 11
    if not word >> 25 & 1:
        return _memory(instruction, double) if instruction.accesses else _move_two(word, double)
    if word >> 4 & 1:
        return _move_one(word, lane=double)
    return _arithmetic(word, double)


def _register(word: int, field: int, extra: int, double: bool) -> int:
    """Return the place where a register starts; its number is the four bits at `field` and the one at `extra`."""
    four, one = word >> field & 15, word >> extra & 1
    return VECTOR + (8 * (one << 4 | four) if double else 4 * (four << 1 | one))


def _keep(flow: Flow, start: int, size: int) -> None:
    """Keep the rest of the d register that a single-precision result is part of."""
    whole = start // 8 * 8
    for place in range(whole, whole + 8 * -(-size // 8)):
        if not start <= place < start + size:
            flow.add([place], [place])


def _memory(instruction: Instruction, double: bool) -> Flow:
    word, access = instruction.word, instruction.accesses[0]
    first = _register(word, 12, 22, double)
    flow = Flow(moves=True)
    if access.kind is AccessKind.STORE:
        flow.copy(memory_place(0), first, access.count)
        return flow
    flow.copy(first, memory_place(0), access.count)
    end = first + access.count
    for place in (*range(first // 8 * 8, first), *range(end, -(-end // 8) * 8)):
        flow.add([place], [place])
    return flow


def _move_two(word: int, double: bool) -> Flow:
    low, high, flow = word >> 12 & 15, word >> 16 & 15, Flow(moves=True)
    start = _register(word, 0, 5, double)
    for general, place in ((low, start), (high, start + 4)):
        if word >> 20 & 1:
            flow.copy(general_place(general), place, 4)
        else:
            flow.copy(place, general_place(general), 4)
    if not word >> 20 & 1:
        for place in (*range(start // 8 * 8, start), *range(start + 8, -(-(start + 8) // 8) * 8)):
            flow.add([place], [place])
    return flow


def _move_one(word: int, *, lane: bool) -> Flow | None:
    opcode, to_core, t = word >> 21 & 7, word >> 20 & 1, word >> 12 & 15
    flow = Flow(moves=True)
    if not lane:
        if opcode != 0:
            return None  # vmrs, vmsr
        start, size = _register(word, 16, 7, False), 4
    else:
        start = _register(word, 16, 7, True)
        if word >> 23 & 1 and not to_core:  # vdup
            wide, half = 16 if word >> 21 & 1 else 8, word >> 5 & 1
            size = 1 if word >> 22 & 1 else 2 if half else 4
            flow.moves = False
            flow.permute(start, [general_place(t, byte % size) for byte in range(wide)])
            return flow
        field = (opcode & 3) << 2 | word >> 5 & 3  # opc1, opc2: size and index
        size = 1 if field & 8 else 2 if field & 1 else 4
        start += size * ((field & 7) // size)
    if to_core:
        flow.copy(general_place(t), start, size)
        flow.add(range(general_place(t, size), general_place(t, 4)), [start + size - 1])
    else:
        flow.copy(start, general_place(t), size)
        _keep(flow, start, size)
    return flow


def _arithmetic(word: int, double: bool) -> Flow | None:
    opcode, size, flow = word >> 21 & 4 | word >> 20 & 3, 8 if double else 4, Flow()
    d, n, m = _register(word, 12, 22, double), _register(word, 16, 7, double), _register(word, 0, 5, double)
    if opcode != 7:
        keeps = opcode in (0, 1, 5, 6)
        flow.lanes(d, size, 1, [(n, size), (m, size)] + [(d, size)] * keeps)
    elif not word >> 6 & 1:  # vmov (immediate)
        flow.moves = True
        flow.zero(d, d + size)
    elif word >> 16 & 15 in (0, 1):  # vmov, vabs, vneg, vsqrt
        flow.moves = word >> 16 & 15 == 0 and not word >> 7 & 1
        if flow.moves:
            flow.copy(d, m, size)
        else:
            flow.lanes(d, size, 1, [(m, size)])
    else:
        return None
    _keep(flow, d, size)
    return flow
