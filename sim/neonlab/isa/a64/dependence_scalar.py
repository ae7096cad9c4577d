"""Byte dependence of scalar floating point of A64, and of moves between the register files (DDI 0487, C4.1)."""

from __future__ import annotations

from neonlab.isa.model.condition import NAMES
from neonlab.isa.model.dependence import FLAG_N, FLAG_V, Flow, condition_places, general_place
from neonlab.isa.model.dependence import vector_place as _v

_SIZE = 16  # bytes of a vector register
_FLOAT_SIZE = {0: 4, 1: 8, 3: 2}


def scalar_flow(word: int) -> Flow | None:
    """Return the rule for fmov, fcsel and arithmetic with 1-3 sources; the rest of the destination becomes 0."""
    d, n, m, lane = word & 31, word >> 5 & 31, word >> 16 & 31, _FLOAT_SIZE.get(word >> 22 & 3)
    flow = Flow()
    if word >> 24 & 1:  # fmadd and its relatives
        if lane is None:
            return None
        flow.lanes(_v(d), lane, 1, [(_v(n), lane), (_v(m), lane), (_v(word >> 10 & 31), lane)])
    elif not word >> 21 & 1:
        return None  # fixed point
    elif word >> 10 & 0x3F == 0:
        return _between_files(word)
    elif lane is None or word >> 31:
        return None
    elif word >> 10 & 0x1F == 0b10000:  # one source
        opcode = word >> 15 & 63
        size = _FLOAT_SIZE.get(opcode & 3, 8) if 4 <= opcode <= 7 else lane  # fcvt
        flow.moves = opcode == 0
        if flow.moves:
            flow.copy(_v(d), _v(n), lane)
        else:
            flow.lanes(_v(d), size, 1, [(_v(n), lane)])
    elif word >> 10 & 0xF == 0b1000:  # fcmp
        second = [] if word >> 3 & 1 else [(_v(m), lane)]
        flow.lanes(FLAG_N, FLAG_V - FLAG_N + 1, 1, [(_v(n), lane), *second])
        return flow
    elif word >> 10 & 7 == 0b100:  # fmov (immediate)
        flow.moves = True
        flow.zero(_v(d), _v(d) + 1)
    elif word >> 10 & 3 == 0b10:
        flow.lanes(_v(d), lane, 1, [(_v(n), lane), (_v(m), lane)])
    elif word >> 10 & 3 == 0b11:  # fcsel
        flow.lanes(_v(d), lane, 1, [(_v(n), lane), (_v(m), lane)])
        flow.add(range(_v(d), _v(d) + lane), condition_places(NAMES[word >> 12 & 15]))
    else:
        return None
    flow.zero(_v(d), _v(d) + _SIZE)
    return flow


def _between_files(word: int) -> Flow | None:
    """Return the rule for fmov, scvtf, fcvtzs between a general and a vector register."""
    d, n, width, kind, opcode = word & 31, word >> 5 & 31, 8 if word >> 31 else 4, word >> 22 & 3, word >> 16 & 31
    is_move = opcode & 0b110 == 0b110 and (opcode >> 3 == 0 or (opcode >> 3 == 1 and kind == 2))
    to_vector = opcode in (2, 3) or (is_move and opcode & 1)
    flow = Flow(moves=bool(is_move))
    lane = 8 if kind == 2 else _FLOAT_SIZE[kind]
    upper = 8 if kind == 2 else 0  # fmov v.d[1]
    if to_vector:
        source = [] if n == 31 else [general_place(n)]
        if is_move:
            for place in source:
                flow.copy(_v(d, upper), place, min(lane, width))
            flow.zero(_v(d, upper), _v(d, upper) + lane)
            if upper:
                flow.copy(_v(d), _v(d), 8)
        else:
            flow.lanes(_v(d), lane, 1, [(place, width) for place in source])
        flow.zero(_v(d), _v(d) + _SIZE)
    elif d != 31:
        if is_move:
            flow.copy(general_place(d), _v(n, upper), min(lane, width))
        else:
            flow.lanes(general_place(d), width, 1, [(_v(n), lane)])
        flow.zero(general_place(d), general_place(d, 8))
    return flow
