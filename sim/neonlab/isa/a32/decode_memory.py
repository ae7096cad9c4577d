"""Decode loads, stores and prefetches of core registers in A32 (DDI 0406C, A5.2.8, A5.2.10, A5.3 and A5.5)."""

from __future__ import annotations

from neonlab.isa.model.effects import Effects, UnknownEncodingError, g
from neonlab.isa.model.instruction import AccessKind, BranchKind
from neonlab.isa.model.isa import FLAGS, Register

LOAD, STORE, PREFETCH = AccessKind.LOAD, AccessKind.STORE, AccessKind.PREFETCH


def _r(index: int) -> Register | None:
    return None if index == 15 else g(index)


def _addressed(
    effects: Effects,
    word: int,
    address: int,
    kind: AccessKind,
    count: int,
    *,
    offset: int = 0,
    index: Register | None = None,
    extend: str = "",
    shift: int = 0,
) -> None:
    """Add one access in the P (24), U (23), W (21) scheme; `offset` and `extend` already carry the sign."""
    n, before, writes = word >> 16 & 15, word >> 24 & 1, word >> 21 & 1
    base = _r(n)
    displacement = offset if before else 0
    if base is None:
        if writes or not before:
            raise UnknownEncodingError
        effects.absolute = True
        displacement = (displacement + address + 8) & 0xFFFFFFFF
    if before and index is not None:
        effects.access(kind, count, base, index=index, extend=extend, shift=shift, displacement=displacement)
    else:
        effects.access(kind, count, base, displacement=displacement)
    if index is not None and extend.endswith("rrx"):
        effects.read(FLAGS)
    if (writes or not before) and base is not None:
        effects.write_back(base, offset, index, extend, shift)


def _shifted(word: int) -> tuple[str, int]:
    """Return the shift of a register offset, with its sign."""
    kind, amount = word >> 5 & 3, word >> 7 & 31
    name = ("lsl", "lsr", "asr", "ror")[kind]
    if amount == 0 and kind:
        name, amount = ("rrx", 1) if kind == 3 else (name, 32)
    return ("" if word >> 23 & 1 else "-") + name, amount


def _load_registers(effects: Effects, registers: list[int], *, returns: bool) -> None:
    effects.write(*(_r(register) for register in registers))
    if 15 in registers:
        effects.branch = BranchKind.RETURN if returns else BranchKind.INDIRECT


def load_store_word(effects: Effects, word: int, address: int, *, prefetch: bool = False) -> None:
    """Describe ldr, str, ldrb, strb and their unprivileged forms; pld, pldw and pli."""
    is_load, count, t, n = word >> 20 & 1, 1 if word >> 22 & 1 else 4, word >> 12 & 15, word >> 16 & 15
    kind = LOAD if is_load else STORE
    if prefetch:  # bits 24 and 21 tell the kinds of prefetch apart, and do not ask for write-back
        kind, count, word = PREFETCH, 0, (word | 1 << 24) & ~(1 << 21)
    elif t == 15 and count == 1:
        raise UnknownEncodingError
    if word >> 25 & 1:
        extend, shift = _shifted(word)
        index = _r(word & 15)
        if index is None:
            raise UnknownEncodingError
        _addressed(effects, word, address, kind, count, index=index, extend=extend, shift=shift)
    else:
        offset = word & 0xFFF
        _addressed(effects, word, address, kind, count, offset=offset if word >> 23 & 1 else -offset)
    if prefetch:
        return
    if is_load:
        _load_registers(effects, [t], returns=n == 13)
    else:
        effects.read(_r(t))


def extra_load_store(effects: Effects, word: int, address: int) -> None:
    """Describe loads and stores of halfwords, signed bytes, and pairs."""
    kind, is_load, t = word >> 5 & 3, bool(word >> 20 & 1), word >> 12 & 15
    count, registers = 2 if kind in (1, 3) else 1, [t]
    if not is_load and kind >= 2:  # ldrd, strd
        if t & 1 or t == 14:
            raise UnknownEncodingError
        count, registers, is_load = 8, [t, t + 1], kind == 2
    elif t == 15:
        raise UnknownEncodingError
    access = LOAD if is_load else STORE
    if word >> 22 & 1:
        offset = word >> 4 & 0xF0 | word & 15
        _addressed(effects, word, address, access, count, offset=offset if word >> 23 & 1 else -offset)
    else:
        index = _r(word & 15)
        if index is None:
            raise UnknownEncodingError
        extend = "lsl" if word >> 23 & 1 else "-lsl"
        _addressed(effects, word, address, access, count, index=index, extend=extend)
    if is_load:
        _load_registers(effects, registers, returns=False)
    else:
        effects.read(*(_r(register) for register in registers))


def multiple(effects: Effects, word: int) -> None:
    """Describe ldm and stm in their four directions, push and pop.

    Raises UnknownEncodingError for the user-bank forms.
    """
    before, up, writes, is_load = word >> 24 & 1, word >> 23 & 1, word >> 21 & 1, word >> 20 & 1
    if word >> 22 & 1:
        raise UnknownEncodingError
    base, registers = _r(word >> 16 & 15), [i for i in range(16) if word >> i & 1]
    if base is None or not registers:
        raise UnknownEncodingError
    count = 4 * len(registers)
    lowest = (4 if before else 0) if up else (-count if before else 4 - count)
    effects.access(LOAD if is_load else STORE, count, base, displacement=lowest)
    if is_load:
        _load_registers(effects, registers, returns=base == g(13))
    else:
        effects.read(*(_r(register) for register in registers))
    if writes:
        effects.write_back(base, count if up else -count)


def synchronisation(effects: Effects, word: int) -> None:
    """Describe swp, the exclusives, and the acquire and release forms of ARMv8."""
    opcode, base, d, t = word >> 20 & 15, _r(word >> 16 & 15), word >> 12 & 15, word & 15
    if base is None:
        raise UnknownEncodingError
    if not opcode & 8:  # swp
        count = 1 if opcode & 4 else 4
        effects.access(LOAD, count, base)
        effects.access(STORE, count, base)
        effects.read(_r(t))
        effects.write(_r(d))
        return
    is_load, size = opcode & 1, opcode >> 1 & 3
    count, mode = (4, 8, 1, 2)[size], word >> 8 & 3
    first = d if is_load else t
    registers = [first, first + 1] if count == 8 else [first]
    if registers[-1] > 14 or mode == 1 or (mode == 0 and count == 8):
        raise UnknownEncodingError
    if mode != 3:  # lda, stl, ldaex, stlex
        effects.features.add("armv8")
    effects.access(LOAD if is_load else STORE, count, base)
    if is_load:
        effects.write(*(_r(register) for register in registers))
    else:
        effects.read(*(_r(register) for register in registers))
        if mode != 0:
            effects.write(_r(d))
