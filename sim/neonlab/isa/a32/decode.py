"""Decode A32 words to their effects, by the encoding groups of the Arm ARM (DDI 0406C, chapter A5)."""

from __future__ import annotations

from neonlab.isa.a32.decode_memory import extra_load_store, load_store_word, multiple, synchronisation
from neonlab.isa.a32.decode_vector import neon_data, neon_memory
from neonlab.isa.a32.decode_vfp import coprocessor, coprocessor_unconditional
from neonlab.isa.model import condition
from neonlab.isa.model.effects import Effects, UnknownEncodingError, g, signed
from neonlab.isa.model.instruction import BranchKind
from neonlab.isa.model.isa import FLAGS, STATUS, Register

_ADDRESS_MASK = (1 << 32) - 1


def effects_a32(word: int, address: int) -> Effects:
    """Return the effects of `word` at `address`.  Raises UnknownEncodingError for groups that are not described."""
    effects = Effects()
    if word >> 28 == 15:
        _unconditional(effects, word, address)
        return effects
    kind = word >> 25 & 7
    if kind == 0:
        _register_or_miscellaneous(effects, word, address)
    elif kind == 1:
        _data_immediate(effects, word, address)
    elif kind == 3 and word >> 4 & 1:
        _media(effects, word)
    elif kind in (2, 3):
        load_store_word(effects, word, address)
    elif kind == 4:
        multiple(effects, word)
    elif kind == 5:
        _branch(effects, word, address)
    elif word >> 24 & 15 == 15:  # svc: the supervisor's effects are not those of this word
        pass
    else:
        coprocessor(effects, word, address)
    effects.condition = condition.NAMES[word >> 28]
    if effects.condition:
        _predicate(effects)
    return effects


def _predicate(effects: Effects) -> None:
    """Add the reads of a conditional instruction: where the condition fails, all old values stay."""
    effects.read(*(register for register in effects.writes if register is not STATUS), FLAGS)
    if effects.branch is BranchKind.JUMP:
        effects.branch = BranchKind.CONDITIONAL


def _r(index: int) -> Register | None:
    return None if index == 15 else g(index)


def _w(index: int) -> Register:
    """Return a destination register.  Raises UnknownEncodingError for pc."""
    if index == 15:
        raise UnknownEncodingError
    return g(index)


def _branch(effects: Effects, word: int, address: int) -> None:
    effects.target = (address + 8 + 4 * signed(word & 0xFFFFFF, 24)) & _ADDRESS_MASK
    effects.absolute = True
    effects.branch = BranchKind.CALL if word >> 24 & 1 else BranchKind.JUMP
    if word >> 24 & 1:
        effects.write(g(14))


def _unconditional(effects: Effects, word: int, address: int) -> None:
    if word >> 25 & 7 == 1:
        neon_data(effects, word)
    elif word >> 24 & 15 == 4 and not word >> 20 & 1:
        neon_memory(effects, word)
    elif word >> 25 & 7 == 5:  # blx: continues in Thumb
        effects.target = (address + 8 + 4 * signed(word & 0xFFFFFF, 24) + (word >> 23 & 2)) & _ADDRESS_MASK
        effects.absolute, effects.branch = True, BranchKind.CALL
        effects.write(g(14))
    elif word >> 26 & 3 == 1 and word >> 20 & 7 in (1, 5) and (word >> 24 & 1 or word >> 22 & 1):  # pld, pldw, pli
        load_store_word(effects, word, address, prefetch=True)
    elif word >> 20 & 0xFF == 0x57:  # clrex, dsb, dmb, isb
        if word >> 4 & 15 not in (1, 4, 5, 6):
            raise UnknownEncodingError
    elif word >> 20 & 0xFF == 0x10:  # cps, setend
        pass
    elif word >> 26 & 3 == 3:
        coprocessor_unconditional(effects, word)
    else:
        raise UnknownEncodingError


def _result(effects: Effects, d: int, word: int, *, returns: bool = False) -> None:
    """Write a core register; a write of pc is a branch."""
    effects.write(_r(d))
    if d == 15:
        effects.branch = BranchKind.RETURN if returns else BranchKind.INDIRECT


def _data_processing(effects: Effects, word: int, address: int) -> None:
    """Add opcode, first operand, destination and flags; the caller adds the second operand."""
    opcode, n, d = word >> 21 & 15, word >> 16 & 15, word >> 12 & 15
    if opcode not in (13, 15):  # mov, mvn have no first operand
        effects.read(_r(n))
    if opcode in (5, 6, 7):  # adc, sbc, rsc
        effects.read(FLAGS)
    if word >> 20 & 1:
        effects.sets_flags()
    if opcode & 12 != 8:
        is_return = opcode == 13 and not word >> 25 & 1 and word & 0xFFF == 14  # mov pc, lr
        _result(effects, d, word, returns=is_return)


def _register_or_miscellaneous(effects: Effects, word: int, address: int) -> None:
    opcode = word >> 20 & 31
    if word & 0x90 == 0x90:
        if word >> 5 & 3:
            extra_load_store(effects, word, address)
        elif opcode < 16:
            _multiply(effects, word)
        else:
            synchronisation(effects, word)
    elif opcode & 0b11001 == 0b10000:
        if word >> 7 & 1:
            _half_multiply(effects, word)
        else:
            _miscellaneous(effects, word)
    else:
        effects.read(_r(word & 15))
        if word >> 4 & 1:
            effects.read(_r(word >> 8 & 15))
        elif word >> 5 & 0x7F == 3:  # rrx
            effects.read(FLAGS)
        _data_processing(effects, word, address)


def _data_immediate(effects: Effects, word: int, address: int) -> None:
    opcode, d = word >> 20 & 31, word >> 12 & 15
    if opcode in (16, 20):  # movw, movt
        effects.write(_w(d))
        if opcode == 20:
            effects.read(_r(d))
    elif opcode in (18, 22):  # msr (immediate) and the hints
        if word >> 16 & 15 and opcode == 18:
            _move_to_status(effects, word)
    else:
        _data_processing(effects, word, address)


def _move_to_status(effects: Effects, word: int) -> None:
    mask = word >> 16 & 15
    if mask & 8:  # nzcvq: Q is kept with the other sticky bits
        effects.write(FLAGS, STATUS)
        effects.read(STATUS)
    if mask & 4:  # g
        effects.write(FLAGS)
        if not mask & 8:
            effects.read(FLAGS)


def _multiply(effects: Effects, word: int) -> None:
    """Describe mul and mla, and umull, smlal and so on, whose two destinations are d:n."""
    opcode, d, n, m, s = word >> 21 & 7, word >> 16 & 15, word >> 12 & 15, word & 15, word >> 8 & 15
    effects.read(_r(m), _r(s))
    effects.write(_w(d))
    if opcode in (1, 3):
        effects.read(_r(n))
    elif opcode in (2, 4, 5, 6, 7):
        effects.write(_w(n))
        if opcode in (2, 5, 7):  # umaal, umlal, smlal
            effects.read(_r(d), _r(n))
    if word >> 20 & 1:
        effects.sets_flags()


def _half_multiply(effects: Effects, word: int) -> None:
    """Describe smlabb, smlawb, smulwb, smlalbb, smulbb and similar multiplies."""
    opcode, d, n, m, s = word >> 21 & 3, word >> 16 & 15, word >> 12 & 15, word & 15, word >> 8 & 15
    effects.read(_r(m), _r(s))
    effects.write(_w(d))
    if opcode == 0 or (opcode == 1 and not word >> 5 & 1):
        effects.read(_r(n))
        effects.saturates()
    elif opcode == 2:
        effects.read(_r(d), _r(n))
        effects.write(_w(n))


def _miscellaneous(effects: Effects, word: int) -> None:
    kind, opcode = word >> 4 & 7, word >> 21 & 3
    d, n, m = word >> 12 & 15, word >> 16 & 15, word & 15
    if kind == 0 and not word >> 9 & 1:
        if not opcode & 1:  # mrs
            effects.write(_w(d))
            if not opcode:
                effects.read(FLAGS, STATUS)
        else:
            effects.read(_r(m))
            if opcode == 1:
                _move_to_status(effects, word)
    elif kind == 1 and opcode == 3:  # clz
        effects.read(_r(m))
        effects.write(_w(d))
    elif kind in (1, 2, 3) and opcode == 1:  # bx, bxj, blx
        effects.read(_r(m))
        effects.branch = BranchKind.CALL if kind == 3 else BranchKind.RETURN if m == 14 else BranchKind.INDIRECT
        if kind == 3:
            effects.write(g(14))
    elif kind == 4:
        effects.features.add("crc")
        effects.read(_r(n), _r(m))
        effects.write(_w(d))
    elif kind == 5:  # qadd, qsub, qdadd, qdsub
        effects.read(_r(n), _r(m))
        effects.write(_w(d))
        effects.saturates()
    elif kind == 7:  # hlt, bkpt, hvc, smc
        if opcode == 0:
            effects.features.add("armv8")
    else:
        raise UnknownEncodingError


def _media(effects: Effects, word: int) -> None:
    opcode, kind = word >> 20 & 31, word >> 5 & 7
    d, n, m = word >> 12 & 15, word >> 16 & 15, word & 15
    if opcode < 8:  # parallel addition and subtraction
        effects.read(_r(n), _r(m))
        effects.write(_w(d))
        if opcode & 3 == 1:  # sadd8, uadd8, ...: GE, beside the N, Z, C and V that stay
            effects.read(FLAGS)
            effects.sets_flags()
    elif opcode < 16:
        _pack_saturate_reverse(effects, word)
    elif opcode < 24:
        _signed_multiply(effects, word)
    elif opcode == 24 and kind == 0:  # usad8, usada8; here d is the accumulator's field
        effects.read(_r(word >> 8 & 15), _r(m), _r(d))
        effects.write(_w(n))
    elif opcode in (26, 27, 30, 31) and kind & 3 == 2:  # sbfx, ubfx
        effects.read(_r(m))
        effects.write(_w(d))
    elif opcode in (28, 29) and kind & 3 == 0:  # bfi, bfc
        effects.read(_r(m), _r(d))
        effects.write(_w(d))
    elif opcode == 31 and kind == 7:  # udf
        pass
    else:
        raise UnknownEncodingError


def _pack_saturate_reverse(effects: Effects, word: int) -> None:
    opcode, kind = word >> 20 & 7, word >> 5 & 7
    d, n, m = word >> 12 & 15, word >> 16 & 15, word & 15
    effects.read(_r(m))
    effects.write(_w(d))
    if kind == 3:  # sxtb, sxtab, ...
        effects.read(_r(n))
    elif opcode == 0 and kind == 5:  # sel
        effects.read(_r(n), FLAGS)
    elif opcode == 0 and not kind & 1:  # pkhbt, pkhtb
        effects.read(_r(n))
    elif (opcode & 2 and not kind & 1) or (opcode in (2, 6) and kind == 1):  # ssat, usat, ssat16, usat16
        effects.saturates()
    elif not (opcode in (3, 7) and kind in (1, 5)):  # rev, rev16, rbit, revsh
        raise UnknownEncodingError


def _signed_multiply(effects: Effects, word: int) -> None:
    """Describe smlad, smlsd, smlald, smmla, sdiv and udiv.

    Their destination is in the field that holds the first operand of other instructions.
    """
    opcode, kind = word >> 20 & 7, word >> 5 & 7
    d, a, m, s = word >> 16 & 15, word >> 12 & 15, word & 15, word >> 8 & 15
    effects.read(_r(m), _r(s))
    effects.write(_w(d))
    if opcode == 0 and kind < 4:  # smuad, smlad
        effects.read(_r(a))
        if kind < 2 or a != 15:
            effects.saturates()
    elif opcode in (1, 3) and kind == 0:
        effects.features.add("idiv")
    elif opcode == 4 and kind < 4:  # smlald, smlsld
        effects.read(_r(d), _r(a))
        effects.write(_w(a))
    elif opcode == 5 and kind in (0, 1, 6, 7):  # smmul, smmla, smmls
        effects.read(_r(a))
    else:
        raise UnknownEncodingError
