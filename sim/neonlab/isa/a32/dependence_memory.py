"""Byte dependence of vld1-vld4 and vst1-vst4 of A32 (DDI 0406C, A7.7)."""

from __future__ import annotations

from neonlab.isa.model.dependence import VECTOR, Flow, memory_place

# Type field: structures of so many elements, from registers so far apart, and how many structures follow one another
# in further registers.
_STRUCTURES = {
    7: (1, 1, 1), 10: (1, 1, 2), 6: (1, 1, 3), 2: (1, 1, 4),
    8: (2, 1, 1), 9: (2, 2, 1), 3: (2, 2, 2),
    4: (3, 1, 1), 5: (3, 2, 1),
    0: (4, 1, 1), 1: (4, 2, 1),
}  # fmt: skip


def vector_memory_flow(word: int) -> Flow:
    """Return the rule for a word of the group."""
    is_load, first = bool(word >> 21 & 1), word >> 18 & 16 | word >> 12 & 15
    flow = Flow(moves=True)
    if not word >> 23 & 1:
        _whole(flow, word, first, is_load)
    elif word >> 10 & 3 == 3:
        _replicated(flow, word, first)
    else:
        _lane(flow, word, first, is_load)
    return flow


def _move(flow: Flow, d: int, byte: int, memory: int, is_load: bool) -> None:
    register = VECTOR + 8 * d + byte
    flow.add([register if is_load else memory], [memory if is_load else register])


def _whole(flow: Flow, word: int, first: int, is_load: bool) -> None:
    elements, distance, repeats = _STRUCTURES[word >> 8 & 15]
    size, offset = 1 << (word >> 6 & 3), 0
    for repeat in range(repeats):
        for at in range(0, 8, size):
            for element in range(elements):
                for byte in range(size):
                    _move(flow, first + repeat + distance * element, at + byte, memory_place(0, offset), is_load)
                    offset += 1


def _replicated(flow: Flow, word: int, first: int) -> None:
    elements, wide = (word >> 8 & 3) + 1, word >> 5 & 1
    size = 1 << min(word >> 6 & 3, 2)
    for element in range(elements):
        registers = range(first, first + 1 + wide) if elements == 1 else [first + element * (1 + wide)]
        for register in registers:
            for byte in range(8):
                _move(flow, register, byte, memory_place(0, element * size + byte % size), True)


def _lane(flow: Flow, word: int, first: int, is_load: bool) -> None:
    elements, scale, field = (word >> 8 & 3) + 1, word >> 10 & 3, word >> 4 & 15
    size, at = 1 << scale, (field >> scale + 1) << scale
    distance = 1 + (field >> scale & 1 if scale and elements > 1 else 0)
    for element in range(elements):
        d = first + element * distance
        if is_load:
            flow.copy(VECTOR + 8 * d, VECTOR + 8 * d, 8)
        for byte in range(size):
            memory = memory_place(0, element * size + byte)
            if is_load:
                flow.sources[VECTOR + 8 * d + at + byte] = {memory}
            else:
                _move(flow, d, at + byte, memory, False)
