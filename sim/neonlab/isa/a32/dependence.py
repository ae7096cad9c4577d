"""Byte dependence of A32 outside the vector file: moves, loads and stores (DDI 0406C, A5).

Integer arithmetic has no rules of its own: its 4 bytes are close enough to one lane.
"""

from __future__ import annotations

from neonlab.isa.a32.dependence_memory import vector_memory_flow
from neonlab.isa.a32.dependence_vector import extension_flow, neon_data_flow
from neonlab.isa.a32.dependence_vfp import vfp_flow
from neonlab.isa.model.dependence import Flow, general_place, memory_place
from neonlab.isa.model.instruction import AccessKind, Instruction

_PC = 15


def flow_a32(instruction: Instruction) -> Flow | None:
    """Return the rule for `instruction`, which has no condition; None where it has no special rule."""
    word = instruction.word
    kind = word >> 25 & 7
    if word >> 28 == 15:
        if kind == 1:
            return neon_data_flow(word)
        if word >> 24 & 15 == 4 and not word >> 20 & 1:
            return vector_memory_flow(word)
        return extension_flow(word) if word >> 26 & 3 == 3 else None
    if word >> 26 & 3 == 3 and word >> 24 & 15 != 15:
        return vfp_flow(instruction)
    if instruction.accesses:
        return _memory(instruction)
    if word & 0x0FEF0FF0 == 0x01A00000 and word >> 12 & 15 != _PC and word & 15 != _PC:  # mov, movs of a register
        flow = Flow(moves=not word >> 20 & 1)
        flow.copy(general_place(word >> 12 & 15), general_place(word & 15), 4)
        return flow
    if word & 0x0FF00000 == 0x03400000 and word >> 12 & 15 != _PC:  # movt
        flow = Flow()
        flow.copy(general_place(word >> 12 & 15), general_place(word >> 12 & 15), 2)
        flow.zero(general_place(word >> 12 & 15, 2), general_place(word >> 12 & 15, 4))
        return flow
    return None


def _memory(instruction: Instruction) -> Flow | None:
    word = instruction.word
    if len(instruction.accesses) != 1:
        return None
    access = instruction.accesses[0]
    if access.kind is AccessKind.PREFETCH:
        return Flow()
    is_load, t, each = access.kind is AccessKind.LOAD, word >> 12 & 15, min(access.count, 4)
    if word >> 25 & 7 == 4:
        registers, each = [i for i in range(16) if word >> i & 1], 4
    elif word >> 26 & 3 == 1:
        registers = [t]
    elif word >> 25 & 7 == 0 and word >> 5 & 3:  # halfwords, signed bytes, pairs
        registers = [t, t + 1] if access.count == 8 else [t]
    else:
        return None  # swp and the exclusives
    flow = Flow(moves=True)
    for position, register in enumerate(registers):
        memory = memory_place(0, each * position)
        if register == _PC:
            flow.zero(memory, memory + (0 if is_load else each))
        elif is_load:
            flow.copy(general_place(register), memory, each)
            flow.add(range(general_place(register, each), general_place(register, 4)), [memory + each - 1])
        else:
            flow.copy(memory, general_place(register), each)
    return flow
