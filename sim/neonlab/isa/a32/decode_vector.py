"""Decode Advanced SIMD of A32 (DDI 0406C, A7.4 and A7.7; DDI 0487 for the additions of ARMv8).

Registers are counted in d registers.
"""

from __future__ import annotations

from neonlab.isa.model.effects import Effects, UnknownEncodingError, g
from neonlab.isa.model.instruction import AccessKind


def vector_d(word: int) -> int:
    """Return the number D:Vd."""
    return word >> 18 & 16 | word >> 12 & 15


def vector_n(word: int) -> int:
    """Return the number N:Vn."""
    return word >> 3 & 16 | word >> 16 & 15


def vector_m(word: int) -> int:
    """Return the number M:Vm."""
    return word >> 1 & 16 | word & 15


def span(first: int, quad: int) -> list[int]:
    """Return the d registers of a d or q operand.  Raises UnknownEncodingError for a q register with an odd number."""
    if quad and first & 1:
        raise UnknownEncodingError
    return [first, first + 1] if quad else [first]


def operate(effects: Effects, destination: list[int], *sources: list[int], keeps: bool = False) -> None:
    """Write the destination and read the sources; read the destination too when it `keeps` something."""
    effects.write_vectors(destination)
    for source in sources:
        effects.read_vectors(source)
    if keeps:
        effects.read_vectors(destination)


def neon_data(effects: Effects, word: int) -> None:
    """Add the effects of a word of the Advanced SIMD data-processing group."""
    if not word >> 23 & 1:
        _three_same(effects, word)
    elif word >> 4 & 1:
        if word >> 19 & 7 == 0 and not word >> 7 & 1:
            _modified_immediate(effects, word)
        else:
            _shift_immediate(effects, word)
    elif word >> 20 & 3 != 3:
        if word >> 6 & 1:
            _by_scalar(effects, word)
        else:
            _three_different(effects, word)
    elif not word >> 24 & 1:  # vext
        _extract(effects, word)
    elif not word >> 11 & 1:
        _two_miscellaneous(effects, word)
    elif word >> 10 & 3 == 2:  # vtbl, vtbx
        table = [vector_n(word) + i for i in range((word >> 8 & 3) + 1)]
        if table[-1] > 31:
            raise UnknownEncodingError
        operate(effects, [vector_d(word)], table, [vector_m(word)], keeps=bool(word >> 6 & 1))
    elif word >> 7 & 31 == 24:  # vdup (scalar)
        operate(effects, span(vector_d(word), word >> 6 & 1), [vector_m(word)])
    else:
        raise UnknownEncodingError


def _extract(effects: Effects, word: int) -> None:
    """Describe vext, which takes the bytes from `start` on of the second source above the first.

    It reads only the halves that contain these bytes.
    """
    quad, start = word >> 6 & 1, word >> 8 & 15
    length = 16 if quad else 8
    if start >= length:
        raise UnknownEncodingError
    halves = span(vector_n(word), quad) + span(vector_m(word), quad)
    operate(effects, span(vector_d(word), quad), halves[start // 8 : (start + length - 1) // 8 + 1])


# (opcode, bit 4): vqadd, vqsub, vqshl, vqrshl, vqdmulh and vqrdmulh
_SATURATES = {(0, 1), (2, 1), (4, 1), (5, 1), (11, 0)}


def _three_same(effects: Effects, word: int) -> None:
    u, size, opcode, low, quad = word >> 24 & 1, word >> 20 & 3, word >> 8 & 15, word >> 4 & 1, word >> 6 & 1
    keeps = False
    if opcode >= 12 and not (opcode == 12 and not low):
        keeps = _three_same_float(effects, word)
    elif opcode == 12:  # sha1c, sha1p, sha1m, sha1su0, sha256h, ...
        effects.features.add("crypto")
        keeps = True
    elif opcode == 11 and low and u:
        effects.features.add("rdm")
        effects.saturates()
        effects.is_multiply = keeps = True
    else:
        keeps = (opcode, low) in ((7, 1), (9, 0)) or ((opcode, low, u) == (1, 1, 1) and size != 0)
        effects.is_multiply = opcode == 9 or (opcode, low) == (11, 0)
        if (opcode, low) in _SATURATES:
            effects.saturates()
    operate(effects, span(vector_d(word), quad), span(vector_n(word), quad), span(vector_m(word), quad), keeps=keeps)


def _three_same_float(effects: Effects, word: int) -> bool:
    """Describe opcodes 12 to 15; return whether the destination is accumulated into."""
    u, size, opcode, low = word >> 24 & 1, word >> 20 & 3, word >> 8 & 15, word >> 4 & 1
    if opcode == 12 and u:  # vqrdmlsh
        effects.features.add("rdm")
        effects.saturates()
        effects.is_multiply = True
        return True
    effects.arithmetic_fp(reads_control=bool(size & 1))
    if size & 1:
        effects.features.add("fp16")
    if opcode == 12:  # vfma, vfms
        effects.features.add("vfpv4")
    if opcode == 15 and low and u:  # vmaxnm, vminnm
        effects.features.add("armv8")
    effects.is_multiply = opcode == 12 or (opcode == 13 and bool(low))
    return opcode == 12 or (opcode == 13 and bool(low) and not u)


def _three_different(effects: Effects, word: int) -> None:
    opcode, size = word >> 8 & 15, word >> 20 & 3
    if opcode == 15:
        raise UnknownEncodingError
    wide_first = opcode in (1, 3, 4, 6)
    narrows = opcode in (4, 6)
    keeps = opcode in (5, 8, 9, 10, 11)
    effects.is_multiply = opcode >= 8
    if opcode in (9, 11, 13):
        effects.saturates()
    if opcode == 14 and size == 2:
        effects.features.add("crypto")
    second = span(vector_m(word), narrows)
    operate(effects, span(vector_d(word), not narrows), span(vector_n(word), wide_first), second, keeps=keeps)


def _by_scalar(effects: Effects, word: int) -> None:
    opcode, size, quad = word >> 8 & 15, word >> 20 & 3, word >> 24 & 1
    is_long = opcode in (2, 3, 6, 7, 10, 11)
    if size == 0:
        raise UnknownEncodingError
    scalar = word & 7 if size == 1 else word & 15
    effects.is_multiply = True
    if opcode in (3, 7, 11, 12, 13, 14, 15):
        effects.saturates()
    if opcode in (14, 15):
        effects.features.add("rdm")
    if opcode in (1, 5, 9):
        effects.arithmetic_fp(reads_control=size == 1)
        if size == 1:
            effects.features.add("fp16")
    keeps = opcode < 8 or opcode in (14, 15)
    source = span(vector_n(word), not is_long and quad)
    operate(effects, span(vector_d(word), is_long or quad), source, [scalar], keeps=keeps)


def _modified_immediate(effects: Effects, word: int) -> None:
    cmode = word >> 8 & 15
    keeps = bool(cmode & 1 and cmode < 12)  # vorr, vbic
    operate(effects, span(vector_d(word), word >> 6 & 1), keeps=keeps)


def _shift_immediate(effects: Effects, word: int) -> None:
    u, opcode, quad = word >> 24 & 1, word >> 8 & 15, word >> 6 & 1
    d, m = vector_d(word), vector_m(word)
    if opcode < 8:
        keeps = opcode in (1, 3, 4) or (opcode == 5 and bool(u))  # vsra, vrsra, vsri, vsli
        operate(effects, span(d, quad), span(m, quad), keeps=keeps)
        if opcode in (6, 7):
            effects.saturates()
    elif opcode in (8, 9):  # vshrn, vqshrn and so on
        operate(effects, [d], span(m, 1))
        if opcode == 9 or u:
            effects.saturates()
    elif opcode == 10:  # vshll, vmovl
        operate(effects, span(d, 1), [m])
    elif opcode >= 12:  # vcvt with fraction bits
        operate(effects, span(d, quad), span(m, quad))
        is_half = opcode in (12, 13)
        effects.arithmetic_fp(reads_control=is_half)
        if is_half:
            effects.features.add("fp16")
    else:
        raise UnknownEncodingError


def _two_miscellaneous(effects: Effects, word: int) -> None:
    group, opcode, quad = word >> 16 & 3, word >> 7 & 15, word >> 6 & 1
    d, m = vector_d(word), vector_m(word)
    keeps = False
    if group == 0:
        keeps = opcode in (12, 13) or opcode == 6  # vpadal; aese, aesd
        if opcode in (6, 7):
            effects.features.add("crypto")
            quad = 1
        if opcode in (14, 15):
            effects.saturates()
    elif group == 1:
        if opcode == 5:  # sha1h
            effects.features.add("crypto")
        elif word >> 10 & 1 and opcode & 7 < 5:  # compares of floats with zero
            effects.arithmetic_fp(reads_control=word >> 18 & 3 == 1)
        if word >> 10 & 1 and word >> 18 & 3 == 1:
            effects.features.add("fp16")
    elif group == 2:
        _miscellaneous_narrow_or_permute(effects, word)
        return
    else:
        is_half = word >> 18 & 3 == 1
        if is_half:
            effects.features.add("fp16")
        if opcode < 8:
            effects.features.add("armv8")
        if opcode not in (8, 9):  # vrecpe and vrsqrte of integers
            effects.arithmetic_fp(reads_control=is_half)
    operate(effects, span(d, quad), span(m, quad), keeps=keeps)


def _miscellaneous_narrow_or_permute(effects: Effects, word: int) -> None:
    opcode, quad, size = word >> 7 & 15, word >> 6 & 1, word >> 18 & 3
    d, m = vector_d(word), vector_m(word)
    if opcode < 4:  # vswp, vtrn, vuzp, vzip: both operands change
        both = span(d, quad) + span(m, quad)
        operate(effects, both, both)
    elif opcode in (4, 5):  # vmovn; vqmovun, vqmovn
        operate(effects, [d], span(m, 1))
        if opcode == 5 or quad:
            effects.saturates()
    elif opcode == 6 and not quad:  # vshll
        operate(effects, span(d, 1), [m])
    elif opcode == 7:  # sha1su1, sha256su0
        effects.features.add("crypto")
        operate(effects, span(d, 1), span(m, 1), keeps=True)
    elif opcode == 12 and quad:  # vcvt.bf16.f32
        operate(effects, [d], span(m, 1))
        effects.arithmetic_fp()
        effects.features.add("bf16")
    elif opcode in (12, 14) and not quad:  # vcvt.f16.f32, vcvt.f32.f16
        operate(effects, span(d, opcode == 14), span(m, opcode == 12))
        effects.arithmetic_fp()
        effects.features.add("vfpv4")
    elif opcode in (8, 9, 10, 11, 13, 15):  # vrint
        effects.features.update({"armv8", "fp16"} if size == 1 else {"armv8"})
        operate(effects, span(d, quad), span(m, quad))
        effects.arithmetic_fp(reads_control=size == 1)
    else:
        raise UnknownEncodingError


def neon_memory(effects: Effects, word: int) -> None:
    """Describe vld1-vld4 and vst1-vst4 of whole registers, of one lane, and of one element to all lanes."""
    is_load, base, mode = bool(word >> 21 & 1), word >> 16 & 15, word & 15
    if base == 15:
        raise UnknownEncodingError
    keeps_lanes = False
    if not word >> 23 & 1:
        registers, count, alignment = _whole(word)
    elif word >> 10 & 3 == 3:
        registers, count, alignment = _replicated(word)
    else:
        registers, count, alignment = _lane(word)
        keeps_lanes = is_load
    if registers[-1] > 31:
        raise UnknownEncodingError
    effects.access(AccessKind.LOAD if is_load else AccessKind.STORE, count, g(base), alignment=alignment)
    effects.is_vector = True
    if is_load:
        effects.write_vectors(registers)
    if keeps_lanes or not is_load:
        effects.read_vectors(registers)
    if mode == 13:
        effects.write_back(g(base), count)
    elif mode != 15:
        effects.write_back(g(base), register=g(mode))


# type field -> (registers, distance between them)
_WHOLE = {
    7: (1, 1), 10: (2, 1), 6: (3, 1), 2: (4, 1),
    8: (2, 1), 9: (2, 2), 3: (4, 1),
    4: (3, 1), 5: (3, 2), 0: (4, 1), 1: (4, 2),
}  # fmt: skip


def _whole(word: int) -> tuple[list[int], int, int]:
    kind, align = word >> 8 & 15, word >> 4 & 3
    if kind not in _WHOLE:
        raise UnknownEncodingError
    registers, step = _WHOLE[kind]
    return _listed(word, registers, step), 8 * registers, 4 << align if align else 1


def _listed(word: int, registers: int, step: int) -> list[int]:
    return [vector_d(word) + step * i for i in range(registers)]


def _replicated(word: int) -> tuple[list[int], int, int]:
    elements, size, t, align = (word >> 8 & 3) + 1, word >> 6 & 3, word >> 5 & 1, word >> 4 & 1
    if not word >> 21 & 1 or (size == 3 and elements != 4):
        raise UnknownEncodingError
    width = 4 if size == 3 else 1 << size
    count = elements * width
    listed = _listed(word, 1 + t, 1) if elements == 1 else _listed(word, elements, 1 + t)
    if not align:
        return listed, count, 1
    if elements == 4:
        return listed, count, 16 if size == 3 else 8 if size == 2 else count
    return listed, count, count


def _lane(word: int) -> tuple[list[int], int, int]:
    elements, size, field = (word >> 8 & 3) + 1, word >> 10 & 3, word >> 4 & 15
    count = elements << size
    step = 1 + (field >> size & 1 if size else 0)
    align = field & (3 if size == 2 else 1)
    if elements in (1, 3):
        step = step if elements == 3 else 1
        alignment = count if elements == 1 and align and size else 1
    elif elements == 2:
        alignment = count if align else 1
    else:  # four words are promised to lie at a multiple of 8 or 16
        alignment = (4 << align if size == 2 else count) if align else 1
    return _listed(word, elements, step), count, alignment
