"""Decode the coprocessor space of A32: VFP arithmetic, loads, stores, moves between files (DDI 0406C, A7.5-A7.9).

Single-precision registers are parts of d registers, so writing one keeps the other half, and therefore reads it.
"""

from __future__ import annotations

from neonlab.isa.a32.decode_extension import neon_extension
from neonlab.isa.model.effects import Effects, UnknownEncodingError, g
from neonlab.isa.model.instruction import AccessKind
from neonlab.isa.model.isa import FLAGS, STATUS, Register


def _r(index: int) -> Register:
    """Return a core register.  Raises UnknownEncodingError for pc."""
    if index == 15:
        raise UnknownEncodingError
    return g(index)


def coprocessor(effects: Effects, word: int, address: int) -> None:
    """Add the effects of a conditional word of the coprocessor space."""
    number = word >> 8 & 15
    if number & 14 == 10 or number == 9:
        if not word >> 25 & 1:
            if word >> 21 & 13 == 0 and word >> 20 & 14 != 12:
                _move_two(effects, word)
            else:
                _memory(effects, word, address)
        elif not word >> 4 & 1:
            _arithmetic(effects, word)
        else:
            _move_one(effects, word)
    elif number in (14, 15) and word >> 24 & 15 == 14 and word >> 4 & 1:  # mcr, mrc
        t = word >> 12 & 15
        if not word >> 20 & 1:
            effects.read(_r(t))
        elif t == 15:
            effects.sets_flags()
        else:
            effects.write(g(t))
    elif number in (14, 15) and word >> 21 & 0x7F == 0b1100010:  # mcrr, mrrc
        pair = (_r(word >> 12 & 15), _r(word >> 16 & 15))
        if word >> 20 & 1:
            effects.write(*pair)
        else:
            effects.read(*pair)
    else:
        raise UnknownEncodingError


def coprocessor_unconditional(effects: Effects, word: int) -> None:
    """Describe the additions of ARMv8: vsel, vmaxnm, vrint, vcvta and so on; the dot products and similar."""
    if neon_extension(effects, word):
        return
    number = word >> 8 & 15
    if word >> 24 & 15 != 14 or word >> 4 & 1 or not (number & 14 == 10 or number == 9):
        raise UnknownEncodingError
    effects.features.update({"armv8", "fp16"} if number == 9 else {"armv8"})
    double = number == 11
    d, n, m = _register(word, 12, 22, double), _register(word, 16, 7, double), _register(word, 0, 5, double)
    if not word >> 23 & 1:  # vsel
        _combine(effects, d, [n, m], double)
        effects.read(FLAGS)
    elif word >> 20 & 3 == 0:  # vmaxnm, vminnm
        _combine(effects, d, [n, m], double)
        effects.arithmetic_fp()
    elif word >> 18 & 15 == 0b1110:  # vrinta, vrintn, vrintp, vrintm
        _combine(effects, d, [m], double)
        effects.arithmetic_fp()
    elif word >> 18 & 15 == 0b1111:  # vcvta, ...: the integer is in a single register
        _combine(effects, _register(word, 12, 22, False), [m], False)
        effects.arithmetic_fp()
    elif word >> 16 & 15 == 0 and number == 10 and word >> 20 & 3 == 3:  # vmovx, vins
        effects.features.add("fp16")
        _combine(effects, d, [m], False)
    else:
        raise UnknownEncodingError


def _register(word: int, field: int, extra: int, double: bool) -> int:
    """Return the d register that holds an operand; its number is the four bits at `field` and the bit at `extra`."""
    four, one = word >> field & 15, word >> extra & 1
    return one << 4 | four if double else four


def _combine(effects: Effects, d: int, sources: list[int], double: bool, *, keeps: bool = False) -> None:
    effects.read_vectors(sources)
    effects.write_vectors([d])
    if keeps or not double:
        effects.read_vectors([d])


def _arithmetic(effects: Effects, word: int) -> None:
    number, opcode = word >> 8 & 15, word >> 21 & 4 | word >> 20 & 3
    double = number == 11
    if number == 9 and word & 0x00BF0F40 == 0x00B30940:  # vcvtb.bf16.f32, vcvtt.bf16.f32
        effects.features.add("bf16")
        _combine(effects, word >> 12 & 15, [word & 15], False)
        effects.arithmetic_fp()
        return
    if number == 9:
        effects.features.add("fp16")
    if opcode == 7:
        _other(effects, word, double)
        return
    d, n, m = _register(word, 12, 22, double), _register(word, 16, 7, double), _register(word, 0, 5, double)
    keeps = opcode in (0, 1, 5, 6)  # vmla, vnmla, vfnma, vfma
    if opcode in (5, 6):
        effects.features.add("vfpv4")
    _combine(effects, d, [n, m], double, keeps=keeps)
    effects.is_multiply = keeps or opcode == 2
    effects.arithmetic_fp()


def _other(effects: Effects, word: int, double: bool) -> None:
    """Describe instructions with one operand: moves, square root, compares, conversions."""
    opcode, high, middle = word >> 16 & 15, word >> 7 & 1, word >> 6 & 1
    d, m = _register(word, 12, 22, double), _register(word, 0, 5, double)
    d_single, m_single = _register(word, 12, 22, False), _register(word, 0, 5, False)
    if not middle:  # vmov (immediate)
        _combine(effects, d, [], double)
        return
    if opcode in (0, 1):  # vmov, vabs; vneg, vsqrt
        _combine(effects, d, [m], double)
        if opcode == 1 and high:
            effects.arithmetic_fp()
        return
    effects.arithmetic_fp()
    if opcode in (2, 3):  # vcvtb, vcvtt: half precision lies in a half of a single register
        effects.features.add("armv8" if double else "vfpv4")
        if opcode == 3:
            _combine(effects, d_single, [m], False)
        else:
            _combine(effects, d, [m_single], double)
    elif opcode in (4, 5):  # vcmp, vcmpe
        effects.read_vectors([d] if opcode == 5 else [d, m])
    elif opcode in (6, 7) and not (opcode == 7 and high):  # vrintr, vrintz, vrintx
        effects.features.add("armv8")
        _combine(effects, d, [m], double)
    elif opcode == 7:  # vcvt between single and double
        _combine(effects, d_single if double else _register(word, 12, 22, True), [m], not double)
    elif opcode == 8:
        _combine(effects, d, [m_single], double)
    elif opcode == 9 and double and high:
        effects.features.add("jscvt")
        _combine(effects, d_single, [m], False)
    elif opcode in (10, 11, 14, 15):  # to and from fixed point, in place
        _combine(effects, d, [d], double)
    elif opcode in (12, 13):
        _combine(effects, d_single, [m], False)
    else:
        raise UnknownEncodingError


def _memory(effects: Effects, word: int, address: int) -> None:
    """Describe vldr, vstr, vldm, vstm, vpush and vpop."""
    before, up, writes, is_load = word >> 24 & 1, word >> 23 & 1, word >> 21 & 1, word >> 20 & 1
    n, amount, number = word >> 16 & 15, word & 255, word >> 8 & 15
    double = number == 11
    first = word >> 12 & 15
    effects.is_vector = True
    kind = AccessKind.LOAD if is_load else AccessKind.STORE
    kept: list[int] = []  # written in one half only
    if before and not writes:
        registers = [_register(word, 12, 22, double)]
        offset = amount * (2 if number == 9 else 4)
        if number == 9:
            effects.features.add("fp16")
        _place(effects, kind, 8 if double else 2 if number == 9 else 4, n, offset if up else -offset, address)
        kept = [] if double else registers
    else:
        if number == 9 or before == up or amount == 0:
            raise UnknownEncodingError
        size = 4 * amount
        if double:
            start = word >> 18 & 16 | first
            registers = list(range(start, start + amount // 2))
            count = amount // 2 * 8
        else:
            start, count = first << 1 | word >> 22 & 1, size
            registers = list(range(start // 2, (start + amount - 1) // 2 + 1))
            kept = [registers[0]] * (start & 1) + [registers[-1]] * ((start + amount) & 1)
        if registers[-1:] > [31] or not registers or (n == 15 and writes):
            raise UnknownEncodingError
        _place(effects, kind, count, n, -size if before else 0, address)
        if writes:
            effects.write_back(g(n), -size if before else size)
    if is_load:
        effects.write_vectors(registers)
        effects.read_vectors(kept)
    else:
        effects.read_vectors(registers)


def _place(effects: Effects, kind: AccessKind, count: int, n: int, displacement: int, address: int) -> None:
    if n == 15:
        effects.absolute = True
        effects.access(kind, count, None, displacement=(address + 8 + displacement) & 0xFFFFFFFF)
    else:
        effects.access(kind, count, g(n), displacement=displacement)


def _move_two(effects: Effects, word: int) -> None:
    """Describe vmov between two core registers and a d register or two s registers."""
    if word >> 4 & 13 != 1:
        raise UnknownEncodingError
    double, low = bool(word >> 8 & 1), word & 15
    if double:
        registers = [word >> 1 & 16 | low]
        keeps = False
    else:
        start = low << 1 | word >> 5 & 1
        if start == 31:
            raise UnknownEncodingError
        registers = sorted({start // 2, (start + 1) // 2})
        keeps = bool(start & 1)
    pair = (_r(word >> 12 & 15), _r(word >> 16 & 15))
    if word >> 20 & 1:
        effects.read_vectors(registers)
        effects.write(*pair)
    else:
        effects.read(*pair)
        effects.read_vectors(registers if keeps else [])
        effects.write_vectors(registers)


def _move_one(effects: Effects, word: int) -> None:
    """Describe vmov between a core register and an s register or a lane, vdup, vmrs and vmsr."""
    opcode, to_core, t = word >> 21 & 7, word >> 20 & 1, word >> 12 & 15
    is_lane = word >> 8 & 15 == 11
    if not is_lane and opcode == 7:
        _move_status(effects, word, bool(to_core), t)
    elif not is_lane:
        if opcode != 0:
            raise UnknownEncodingError
        if word >> 8 & 15 == 9:
            effects.features.add("fp16")
        _one_lane(effects, word >> 16 & 15, t, to_core=bool(to_core))
    elif word >> 23 & 1 and not to_core:  # vdup
        d = word >> 3 & 16 | word >> 16 & 15
        if word >> 21 & 1 and d & 1:
            raise UnknownEncodingError
        effects.read(_r(t))
        effects.write_vectors([d, d + 1] if word >> 21 & 1 else [d])
    else:
        _one_lane(effects, word >> 3 & 16 | word >> 16 & 15, t, to_core=bool(to_core))


def _one_lane(effects: Effects, d: int, t: int, *, to_core: bool) -> None:
    effects.read_vectors([d])
    if to_core:
        effects.write(_r(t))
    else:
        effects.read(_r(t))
        effects.write_vectors([d])


def _move_status(effects: Effects, word: int, to_core: bool, t: int) -> None:
    if word >> 16 & 15 != 1:  # fpsid, mvfr0, fpexc: not tracked
        if to_core:
            effects.write(_r(t))
        else:
            effects.read(_r(t))
    elif to_core:
        effects.read(STATUS)
        effects.write(FLAGS if t == 15 else g(t))
    else:
        effects.read(_r(t))
        if word >> 28 < 14:
            effects.read(STATUS)
        effects.write(STATUS)
