"""Decode A64 words to their effects, by the encoding groups of the Arm ARM (DDI 0487, chapter C4)."""

from __future__ import annotations

from neonlab.isa.a64.decode_memory import memory
from neonlab.isa.a64.decode_vector import vector_data
from neonlab.isa.model import condition
from neonlab.isa.model.effects import Effects, UnknownEncodingError, g, signed
from neonlab.isa.model.instruction import AccessKind, BranchKind
from neonlab.isa.model.isa import FLAGS, STATUS, Register


def effects_a64(word: int, address: int) -> Effects:
    """Return the effects of `word` at `address`.

    Raises UnknownEncodingError for groups that are not described (SVE, SME, unallocated).
    """
    effects = Effects()
    group = word >> 25 & 0xF
    if group in (0b1000, 0b1001):
        _immediate(effects, word, address)
    elif group in (0b1010, 0b1011):
        _branch_or_system(effects, word, address)
    elif group & 0b0101 == 0b0100:
        memory(effects, word, address)
    elif group & 0b0111 == 0b0101:
        _register(effects, word)
    elif group & 0b0111 == 0b0111:
        vector_data(effects, word)
    elif word >> 16:  # else udf
        raise UnknownEncodingError
    return effects


def _x(index: int) -> Register | None:
    return None if index == 31 else g(index)


def _immediate(effects: Effects, word: int, address: int) -> None:
    d, n, kind = word & 31, word >> 5 & 31, word >> 23 & 7
    if kind in (0, 1):  # adr, adrp
        effects.write(_x(d))
        effects.absolute = True
    elif kind == 2:  # add, sub (immediate)
        effects.read(g(n))
        if word >> 29 & 1:
            effects.write(_x(d), FLAGS)
        else:
            effects.write(g(d))
    elif kind == 3:  # addg, subg
        effects.features.add("mte")
        effects.read(g(n))
        effects.write(g(d))
    elif kind == 4:  # and, orr, eor, ands (immediate)
        effects.read(_x(n))
        if word >> 29 & 3 == 3:
            effects.write(_x(d), FLAGS)
        else:
            effects.write(g(d))
    elif kind == 5:  # movn, movz, movk
        if word >> 29 & 3 == 3:
            effects.read(_x(d))
        effects.write(_x(d))
    elif kind == 6:  # sbfm, bfm, ubfm
        if word >> 29 & 3 == 1:
            effects.read(_x(d))
        effects.read(_x(n))
        effects.write(_x(d))
    else:  # extr
        effects.read(_x(n), _x(word >> 16 & 31))
        effects.write(_x(d))


def _branch_or_system(effects: Effects, word: int, address: int) -> None:
    top = word >> 24
    if top & 0x7C == 0x14:  # b, bl
        effects.branch = BranchKind.CALL if word >> 31 else BranchKind.JUMP
        effects.target = address + 4 * signed(word & 0x3FFFFFF, 26)
        effects.absolute = True
        if word >> 31:
            effects.write(g(30))
    elif top & 0x7E == 0x34:  # cbz, cbnz
        effects.branch, effects.absolute = BranchKind.CONDITIONAL, True
        effects.target = address + 4 * signed(word >> 5 & 0x7FFFF, 19)
        effects.read(_x(word & 31))
    elif top & 0x7E == 0x36:  # tbz, tbnz
        effects.branch, effects.absolute = BranchKind.CONDITIONAL, True
        effects.target = address + 4 * signed(word >> 5 & 0x3FFF, 14)
        effects.read(_x(word & 31))
    elif top == 0x54:  # b.cond
        effects.condition, effects.absolute = condition.NAMES[word & 15], True
        effects.target = address + 4 * signed(word >> 5 & 0x7FFFF, 19)
        effects.branch = BranchKind.CONDITIONAL if effects.condition else BranchKind.JUMP
        if effects.condition:
            effects.read(FLAGS)
    elif top == 0xD4:  # svc, hvc, smc, brk, hlt: the handler's effects are not those of this word
        pass
    elif top == 0xD5:
        _system(effects, word)
    elif top & 0xFE == 0xD6:
        _branch_register(effects, word)
    else:
        raise UnknownEncodingError
    if effects.target is not None:
        effects.target &= (1 << 64) - 1


def _branch_register(effects: Effects, word: int) -> None:
    kind, n, m, authenticated = word >> 21 & 15, word >> 5 & 31, word & 31, word >> 11 & 1
    if kind & 7 == 0:
        effects.branch = BranchKind.INDIRECT
    elif kind & 7 == 1:
        effects.branch = BranchKind.CALL
        effects.write(g(30))
    elif kind in (2, 4, 5):  # ret, eret, drps
        effects.branch = BranchKind.RETURN
        n = 30 if authenticated else n
    else:
        raise UnknownEncodingError
    if kind not in (4, 5):
        effects.read(_x(n))
    if authenticated:
        effects.features.add("pauth")
        if kind == 2:
            effects.read(g(31))
        elif kind & 8:
            effects.read(g(m))


# op0:op1:CRn:CRm:op2 of the special registers that the lab tracks
_NZCV, _FPCR, _FPSR = 0b11_011_0100_0010_000, 0b11_011_0100_0100_000, 0b11_011_0100_0100_001


def _system(effects: Effects, word: int) -> None:
    t = word & 31
    if word & 0xFFFFF01F == 0xD503201F:
        _hint(effects, word >> 5 & 0x7F)
    elif word & 0xFFFFF000 == 0xD5033000:  # barriers, clrex
        if word == 0xD50330FF:
            effects.features.add("sb")
    elif word & 0xFFF8F01F == 0xD500401F:  # msr (immediate), cfinv, xaflag, axflag
        if word & 0x7FF00 == 0x04000 and word >> 5 & 7 < 3:
            effects.features.add("flagm")
            effects.read(FLAGS)
            effects.write(FLAGS)
    elif word >> 19 & 0x1FFF == 0xD5080000 >> 19:  # sys: dc, ic, at, tlbi
        if word & 0xFFFFFFE0 in (0xD50B7460, 0xD50B7480):  # dc gva, gzva: they write allocation tags
            raise UnknownEncodingError
        if word & 0xFFFFFFE0 == 0xD50B7420:  # dc zva: DCZID_EL0 says 64 bytes here, as on the cores that are modelled
            effects.access(AccessKind.STORE, 64, None, index=_x(t), extend="align", shift=6)
        effects.read(_x(t))
    elif word >> 19 & 0x1FFF == 0xD5280000 >> 19:  # sysl
        effects.write(_x(t))
    elif word >> 20 & 1:
        number = word >> 5 & 0xFFFF | 0x8000
        tracked = {_NZCV: FLAGS, _FPCR: STATUS, _FPSR: STATUS}.get(number)
        if word >> 21 & 1:  # mrs
            effects.read(tracked)
            effects.write(_x(t))
        else:  # msr; FPCR and FPSR are one unit, so writing one keeps the other
            effects.read(_x(t), tracked if tracked is STATUS else None)
            effects.write(tracked)
    else:
        raise UnknownEncodingError


def _hint(effects: Effects, number: int) -> None:
    if number in (32, 34, 36, 38):
        effects.features.add("bti")
    elif number == 7:  # xpaclri
        effects.features.add("pauth")
        effects.read(g(30))
        effects.write(g(30))
    elif number in (8, 10, 12, 14):  # pacia1716 and so on
        effects.features.add("pauth")
        effects.read(g(16), g(17))
        effects.write(g(17))
    elif 24 <= number < 32:  # paciaz, paciasp, ...
        effects.features.add("pauth")
        effects.read(g(30), g(31) if number & 1 else None)
        effects.write(g(30))


def _register(effects: Effects, word: int) -> None:
    d, n, m, a = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 10 & 31
    kind = word >> 21 & 15
    if not word >> 28 & 1:
        if kind & 0b1001 == 0b1001:  # add, sub (extended register)
            effects.read(g(n), _x(m))
            if word >> 29 & 1:
                effects.write(_x(d), FLAGS)
            else:
                effects.write(g(d))
            return
        effects.read(_x(n), _x(m))  # logical, add, sub (shifted register)
        effects.write(_x(d))
        if word >> 29 & (1 if kind & 8 else 3) == (1 if kind & 8 else 3):
            effects.sets_flags()
    elif kind & 8:  # madd and its relatives
        effects.read(_x(n), _x(m))
        effects.write(_x(d))
        if word >> 21 & 3 != 2:  # smulh, umulh have no addend
            effects.read(_x(a))
    elif kind == 0:
        _carry(effects, word)
    elif kind == 2:  # ccmp, ccmn
        effects.read(_x(n), FLAGS)
        if not word >> 11 & 1:
            effects.read(_x(m))
        effects.sets_flags()
    elif kind == 4:  # csel and its relatives
        effects.read(_x(n), _x(m), FLAGS)
        effects.write(_x(d))
    elif kind == 6 and word >> 30 & 1:
        effects.read(_x(n))
        effects.write(_x(d))
        if m == 1:  # pacia and its relatives: change d, modified by n
            effects.features.add("pauth")
            effects.read(_x(d))
            if word >> 10 & 0x3F < 8:
                effects.read(g(n))
    elif kind == 6:
        _two_sources(effects, word)
    else:
        raise UnknownEncodingError


def _carry(effects: Effects, word: int) -> None:
    d, n, m = word & 31, word >> 5 & 31, word >> 16 & 31
    if word >> 10 & 0x3F == 0:  # adc, sbc
        effects.read(_x(n), _x(m), FLAGS)
        effects.write(_x(d), FLAGS if word >> 29 & 1 else None)
    elif (word >> 29 == 0b101 and word >> 10 & 0x1F == 1) or word & 0xFFFFBC1F == 0x3A00080D:  # rmif, setf8, setf16
        effects.features.add("flagm")
        effects.read(_x(n), FLAGS)
        effects.sets_flags()
    else:
        raise UnknownEncodingError


def _two_sources(effects: Effects, word: int) -> None:
    d, n, m, opcode = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 10 & 0x3F
    if opcode in (2, 3, 8, 9, 10, 11):  # udiv, sdiv, lslv, lsrv, asrv, rorv
        effects.read(_x(n), _x(m))
        effects.write(_x(d))
    elif 16 <= opcode < 24:
        effects.features.add("crc")
        effects.read(_x(n), _x(m))
        effects.write(_x(d))
    elif opcode == 12:
        effects.features.add("pauth")
        effects.read(_x(n), g(m))
        effects.write(_x(d))
    elif opcode in (0, 4, 5):  # subp(s), irg, gmi
        effects.features.add("mte")
        effects.read(g(n), g(m) if opcode == 0 else _x(m))
        effects.write(g(d) if opcode == 4 else _x(d), FLAGS if word >> 29 & 1 else None)
    else:
        raise UnknownEncodingError
