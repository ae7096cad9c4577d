"""Decode loads, stores and prefetches of A64 (DDI 0487, section C4.1 "Loads and Stores")."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.isa.model.effects import Effects, UnknownEncodingError, g, signed, v
from neonlab.isa.model.instruction import AccessKind
from neonlab.isa.model.isa import Register

LOAD, STORE, PREFETCH = AccessKind.LOAD, AccessKind.STORE, AccessKind.PREFETCH


def _x(index: int) -> Register | None:
    return None if index == 31 else g(index)


def _transfer(effects: Effects, registers: Sequence[Register | None], is_load: bool, **address: object) -> None:
    """Move all of one access between memory and registers; `address` as in Effects.access, `count` in bytes."""
    if is_load:
        effects.write(*registers)
    else:
        effects.read(*registers)
    effects.access(LOAD if is_load else STORE, **address)  # type: ignore[arg-type]


def memory(effects: Effects, word: int, address: int) -> None:
    """Add the effects of a word of the loads and stores group."""
    if word >> 24 & 0x3F == 0b001000:
        _exclusive(effects, word)
    elif word >> 24 & 0xBE == 0b00001100:
        _structures(effects, word)
    elif word >> 27 & 7 == 0b011 and word >> 24 & 3 == 0:
        _literal(effects, word, address)
    elif word >> 24 & 0x3F == 0b011001:
        _release_or_tag(effects, word)
    elif word >> 27 & 7 == 0b101:
        _pair(effects, word)
    elif word >> 27 & 7 == 0b111:
        _single(effects, word)
    else:
        raise UnknownEncodingError


def _exclusive(effects: Effects, word: int) -> None:
    size, ordered_only, is_load, o1 = word >> 30, word >> 23 & 1, word >> 22 & 1, word >> 21 & 1
    s, t2, base, t = word >> 16 & 31, word >> 10 & 31, g(word >> 5 & 31), word & 31
    count = 1 << size
    if ordered_only and not o1:  # ldar, stlr; ldlar, stllr
        if not word >> 15 & 1:
            effects.features.add("lor")
        _transfer(effects, [_x(t)], bool(is_load), count=count, base=base)
    elif ordered_only or (o1 and size < 2):  # cas; casp of 32 or 64 bits
        effects.features.add("lse")
        if ordered_only:
            compared, stored = [_x(s)], [_x(t)]
        else:
            count, compared, stored = 8 << size, [_x(s), _x(s + 1)], [_x(t), _x(t + 1)]
        effects.read(*compared, *stored)
        effects.write(*compared)
        effects.access(LOAD, count, base)
        effects.access(STORE, count, base)
    else:  # ldxr, stxr, ldxp, stxp
        registers = [_x(t), _x(t2)] if o1 else [_x(t)]
        _transfer(effects, registers, bool(is_load), count=count * len(registers) if o1 else count, base=base)
        if not is_load:
            effects.write(_x(s))


def _structures(effects: Effects, word: int) -> None:
    """Describe ld1-ld4 and st1-st4, of whole registers or of one lane."""
    is_load, base, t = bool(word >> 22 & 1), g(word >> 5 & 31), word & 31
    keeps_lanes = False
    if word >> 24 & 1:
        opcode = word >> 13 & 7
        registers = ((opcode & 1) << 1 | word >> 21 & 1) + 1
        size = opcode >> 1
        if size == 3:
            size = word >> 10 & 3
        else:
            keeps_lanes = is_load
            if size == 2 and word >> 10 & 1:
                size = 3
        count = registers << size
    else:
        by_opcode = {0: 4, 2: 4, 4: 3, 6: 3, 7: 1, 8: 2, 10: 2}
        if word >> 12 & 15 not in by_opcode:
            raise UnknownEncodingError
        registers = by_opcode[word >> 12 & 15]
        count = registers * (8 << (word >> 30 & 1))
    names = [v((t + i) % 32) for i in range(registers)]
    effects.is_vector = True
    _transfer(effects, names, is_load, count=count, base=base)
    if keeps_lanes:
        effects.read(*names)
    if word >> 23 & 1:
        m = word >> 16 & 31
        if m == 31:
            effects.write_back(base, count)
        else:
            effects.write_back(base, register=g(m))


def _literal(effects: Effects, word: int, address: int) -> None:
    size, is_vector, t = word >> 30, bool(word >> 26 & 1), word & 31
    place = (address + 4 * signed(word >> 5 & 0x7FFFF, 19)) & ((1 << 64) - 1)
    effects.absolute = True
    if size == 3:
        if is_vector:
            raise UnknownEncodingError
        effects.access(PREFETCH, 0, None, displacement=place)
        return
    effects.is_vector = is_vector
    count = 4 << size if is_vector else (4, 8, 4)[size]
    _transfer(effects, [v(t) if is_vector else _x(t)], True, count=count, base=None, displacement=place)


def _release_or_tag(effects: Effects, word: int) -> None:
    base, t, offset = g(word >> 5 & 31), word & 31, signed(word >> 12 & 0x1FF, 9)
    if not word >> 21 & 1 and word >> 10 & 3 == 0:  # ldapur, stlur
        effects.features.add("rcpc2")
        _transfer(effects, [_x(t)], bool(word >> 22 & 3), count=1 << (word >> 30), base=base, displacement=offset)
    else:
        raise UnknownEncodingError


def _pair(effects: Effects, word: int) -> None:
    size, is_vector, mode, is_load = word >> 30, bool(word >> 26 & 1), word >> 23 & 3, bool(word >> 22 & 1)
    t, base, t2 = word & 31, g(word >> 5 & 31), word >> 10 & 31
    if size == 3 or (size == 1 and not is_vector and (not is_load or mode == 0)):
        raise UnknownEncodingError
    each = 4 << size if is_vector else (4, 4, 8)[size]
    offset = signed(word >> 15 & 0x7F, 7) * each
    effects.is_vector = is_vector
    registers = [v(t), v(t2)] if is_vector else [_x(t), _x(t2)]
    displacement = 0 if mode == 1 else offset
    _transfer(effects, registers, is_load, count=2 * each, base=base, displacement=displacement)
    if mode & 1:
        effects.write_back(base, offset)


def _single(effects: Effects, word: int) -> None:
    size, is_vector, opcode = word >> 30, bool(word >> 26 & 1), word >> 22 & 3
    t, base = word & 31, g(word >> 5 & 31)
    if not word >> 24 & 1 and word >> 21 & 1 and word >> 10 & 3 != 2:
        _atomic_or_authenticated(effects, word)
        return
    if is_vector:
        size = size | (opcode & 2) << 1
        is_load = bool(opcode & 1)
        if size > 4:
            raise UnknownEncodingError
    else:
        is_load = opcode != 0
    address: dict[str, object] = {"base": base}
    written_back: int | None = None
    if word >> 24 & 1:
        address["displacement"] = (word >> 10 & 0xFFF) << size
    elif word >> 21 & 1:
        option = word >> 13 & 7
        if not option & 2:
            raise UnknownEncodingError
        m = word >> 16 & 31
        if m != 31:
            extend = {2: "uxtw", 6: "sxtw"}.get(option, "lsl")
            address |= {"index": g(m), "extend": extend, "shift": size if word >> 12 & 1 else 0}
    else:
        offset, mode = signed(word >> 12 & 0x1FF, 9), word >> 10 & 3
        address["displacement"] = 0 if mode == 1 else offset
        if mode & 1:
            written_back = offset
    if not is_vector and size == 3 and opcode >= 2:
        if opcode == 3 or written_back is not None:
            raise UnknownEncodingError
        effects.access(PREFETCH, 0, **address)  # type: ignore[arg-type]
        return
    if not is_vector and size == 2 and opcode == 3:
        raise UnknownEncodingError
    effects.is_vector = is_vector
    _transfer(effects, [v(t) if is_vector else _x(t)], is_load, count=1 << size, **address)
    if written_back is not None:
        effects.write_back(base, written_back)


def _atomic_or_authenticated(effects: Effects, word: int) -> None:
    size, t, base, s = word >> 30, word & 31, g(word >> 5 & 31), word >> 16 & 31
    if word >> 26 & 1:
        raise UnknownEncodingError
    if word >> 10 & 1:  # ldraa, ldrab
        if size != 3:
            raise UnknownEncodingError
        effects.features.add("pauth")
        offset = 8 * signed((word >> 22 & 1) << 9 | word >> 12 & 0x1FF, 10)
        _transfer(effects, [_x(t)], True, count=8, base=base, displacement=offset)
        if word >> 11 & 1:
            effects.write_back(base, offset)
        return
    if word >> 10 & 3:
        raise UnknownEncodingError
    opcode = word >> 12 & 15
    if opcode == 0b1100:  # ldapr
        effects.features.add("rcpc")
        _transfer(effects, [_x(t)], True, count=1 << size, base=base)
    elif opcode <= 0b1000:  # ldadd, ldclr, ldeor, ldset, ldsmax, ..., swp
        effects.features.add("lse")
        effects.read(_x(s))
        effects.write(_x(t))
        effects.access(LOAD, 1 << size, base)
        effects.access(STORE, 1 << size, base)
    else:
        raise UnknownEncodingError
