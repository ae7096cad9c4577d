"""Decode data processing on A64 vector registers (DDI 0487, C4.1 "Data Processing -- Scalar FP and Advanced SIMD").

A destination is read where lanes of it are kept (ins, the narrowing forms for the upper half) or accumulated into.
"""

from __future__ import annotations

from neonlab.isa.a64.decode_scalar import scalar_fp
from neonlab.isa.model.effects import Effects, UnknownEncodingError, g

# Three registers of the same type, integer: opcodes that accumulate, saturate, multiply (DDI 0487 table C4-283 ff.)
_SAME_ACCUMULATE = {(u, opcode) for u in (0, 1) for opcode in (0b01111, 0b10010)}  # saba, mla, mls
_SAME_SATURATE = {0b00001, 0b00101, 0b01001, 0b01011, 0b10110}
_SAME_MULTIPLY = {0b10010, 0b10011, 0b10110}
# Three registers of different types
_LONG_ACCUMULATE = {0b0101, 0b1000, 0b1001, 0b1010, 0b1011}
_LONG_SATURATE = {0b1001, 0b1011, 0b1101}
_LONG_MULTIPLY = {0b1000, 0b1001, 0b1010, 0b1011, 0b1100, 0b1101, 0b1110}


def vector_data(effects: Effects, word: int) -> None:
    """Add the effects of a word of the scalar floating-point and Advanced SIMD group."""
    top = word >> 24 & 0x1F
    is_scalar_or_fp = top & 0x1E == 0b11110
    if word >> 24 == 0b11001110:
        _crypto_four(effects, word)
    elif not word >> 31 and not word >> 28 & 1:
        _advanced(effects, word, scalar=False)
    elif word >> 30 == 1 and is_scalar_or_fp:
        _advanced(effects, word, scalar=True)
    elif not word >> 30 & 1 and is_scalar_or_fp:
        scalar_fp(effects, word)
    else:
        raise UnknownEncodingError


def _registers(effects: Effects, word: int, *, sources: int, keeps: bool = False) -> None:
    """Write Vd; read Vn and, with two sources, Vm; read Vd too when it `keeps` something."""
    d, n, m = word & 31, word >> 5 & 31, word >> 16 & 31
    effects.read_vectors([n, m][:sources] + [d] * keeps)
    effects.write_vectors([d])


def _advanced(effects: Effects, word: int, *, scalar: bool) -> None:
    """Describe the Advanced SIMD groups; `scalar` is for their one-lane forms, which share the opcodes."""
    if word >> 24 & 1:
        if not word >> 10 & 1:
            _by_element(effects, word)
        elif word >> 23 & 1:
            raise UnknownEncodingError
        elif word >> 19 & 15:
            _shift_immediate(effects, word)
        elif not scalar:
            _modified_immediate(effects, word)
        else:
            raise UnknownEncodingError
    elif word >> 21 & 1:
        _with_size(effects, word, scalar=scalar)
    elif word >> 10 & 1 and word >> 15 & 1:
        _same_extra(effects, word)
    elif word >> 10 & 1 and word >> 22 & 3 == 0:
        _copy(effects, word, scalar=scalar)
    elif word >> 10 & 1 and word >> 22 & 1 and not word >> 14 & 1:
        _same_fp16(effects, word)
    elif scalar and word >> 10 & 3 == 0 and not word >> 15 & 1 and not word >> 29 & 1 and word >> 22 & 3 == 0:
        effects.features.add("crypto")  # sha1c, sha256h, ...
        _registers(effects, word, sources=2, keeps=True)
    elif scalar or word >> 15 & 1:
        raise UnknownEncodingError
    elif word & 0x20C00400 == 0x20000000 or word & 0x20000C00 == 0x00000800:  # ext; zip, uzp, trn
        _registers(effects, word, sources=2)
    elif not word >> 29 & 1 and word >> 22 & 3 == 0 and word >> 10 & 3 == 0:  # tbl, tbx
        d, n, m, length = word & 31, word >> 5 & 31, word >> 16 & 31, (word >> 13 & 3) + 1
        effects.read_vectors([(n + i) % 32 for i in range(length)] + [m] + [d] * (word >> 12 & 1))
        effects.write_vectors([d])
    else:
        raise UnknownEncodingError


def _with_size(effects: Effects, word: int, *, scalar: bool) -> None:
    """Describe the groups with bit 21 set.

    They are three same, three different, two-register miscellaneous, across lanes and pairwise.
    """
    if word >> 10 & 1:
        _three_same(effects, word)
    elif not word >> 11 & 1:
        _three_different(effects, word)
    elif word >> 17 & 15 == 0b0000:
        _two_miscellaneous(effects, word)
    elif word >> 17 & 15 == 0b1000:
        _across(effects, word, scalar=scalar)
    elif word >> 17 & 15 == 0b1100:
        effects.features.add("fp16")
        _two_miscellaneous(effects, word)
    elif word >> 17 & 15 == 0b0100 and word >> 22 & 3 == 0 and not word >> 29 & 1:
        effects.features.add("crypto")  # aese, aesd (which mix Vd in), aesmc, aesimc; sha1h, sha1su1, sha256su0
        opcode = word >> 12 & 31
        _registers(effects, word, sources=1, keeps=opcode in (1, 2) if scalar else opcode in (4, 5))
    else:
        raise UnknownEncodingError


def _three_same(effects: Effects, word: int) -> None:
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 11 & 31
    if opcode < 0b11000:
        keeps = (u, opcode) in _SAME_ACCUMULATE or (opcode == 0b00011 and u == 1 and size != 0)  # bsl, bit, bif
        _registers(effects, word, sources=2, keeps=keeps)
        if opcode in _SAME_SATURATE:
            effects.saturates()
        effects.is_multiply = opcode in _SAME_MULTIPLY
        return
    if (u, opcode) in ((0, 0b11101), (1, 0b11001)) and not size & 1:  # fmlal, fmlsl and their upper halves
        effects.features.add("fp16fml")
        _registers(effects, word, sources=2, keeps=True)
        effects.is_multiply = True
    else:
        keeps = opcode == 0b11001 and not u  # fmla, fmls
        _registers(effects, word, sources=2, keeps=keeps)
        effects.is_multiply = keeps or (opcode == 0b11011 and (u == 0 or not size & 2))  # fmul, fmulx
    effects.arithmetic_fp()


def _same_fp16(effects: Effects, word: int) -> None:
    effects.features.add("fp16")
    u, a, opcode = word >> 29 & 1, word >> 23 & 1, word >> 11 & 7
    keeps = opcode == 1 and not u
    _registers(effects, word, sources=2, keeps=keeps)
    effects.is_multiply = keeps or (opcode == 3 and not a)
    effects.arithmetic_fp()


def _same_extra(effects: Effects, word: int) -> None:
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 11 & 15
    keeps = True
    if opcode in (0, 1) and u:
        effects.features.add("rdm")
        effects.saturates()
    elif opcode == 2:
        effects.features.add("dotprod")
    elif (opcode == 3 and not u) or opcode == 4 or (opcode == 5 and not u):
        effects.features.add("i8mm")
    elif opcode & 12 == 8 and u:
        effects.features.update({"complex", "fp16"} if size == 1 else {"complex"})
        effects.arithmetic_fp()
    elif opcode in (12, 14) and u:
        effects.features.update({"complex", "fp16"} if size == 1 else {"complex"})
        effects.arithmetic_fp()
        keeps = False
    elif opcode in (13, 15) and u:
        effects.features.add("bf16")
        if opcode == 15 and size == 3:  # bfmlalb, bfmlalt; bfdot and bfmmla have a rounding of their own
            effects.arithmetic_fp()
    else:
        raise UnknownEncodingError
    _registers(effects, word, sources=2, keeps=keeps)
    effects.is_multiply = keeps


def _three_different(effects: Effects, word: int) -> None:
    upper, size, opcode = word >> 30 & 1, word >> 22 & 3, word >> 12 & 15
    if opcode == 15:
        raise UnknownEncodingError
    is_narrowing = opcode in (0b0100, 0b0110)  # addhn2, subhn2 and the rounding ones keep the lower half
    keeps = opcode in _LONG_ACCUMULATE or (is_narrowing and bool(upper))
    _registers(effects, word, sources=2, keeps=keeps)
    if opcode in _LONG_SATURATE:
        effects.saturates()
    if opcode == 0b1110 and size == 3:  # pmull of 64 bits
        effects.features.add("crypto")
    effects.is_multiply = opcode in _LONG_MULTIPLY


def _two_miscellaneous(effects: Effects, word: int) -> None:
    u, size, opcode, upper = word >> 29 & 1, word >> 22 & 3, word >> 12 & 31, word >> 30 & 1
    is_scalar = word >> 28 & 1
    narrows = opcode in (0b10010, 0b10100, 0b10110) or (opcode == 0b10011 and not u)
    keeps = opcode in (0b00011, 0b00110) or (narrows and bool(upper) and not is_scalar)  # suqadd, adalp; xtn2, fcvtn2
    _registers(effects, word, sources=1, keeps=keeps)
    if opcode in (0b00011, 0b00111, 0b10100) or (opcode == 0b10010 and u):  # suqadd, sqabs, sqxtn, sqxtun
        effects.saturates()
    is_fp = opcode >= 0b10110 or (0b01100 <= opcode <= 0b01111 and size & 2)
    if is_fp and not (opcode == 0b01111 or (opcode == 0b11100 and size & 2 and "fp16" not in effects.features)):
        effects.arithmetic_fp()  # fabs, fneg, urecpe and ursqrte do not round
    if opcode in (0b11110, 0b11111) and not size & 2:
        effects.features.add("frintts")
    if opcode == 0b10110 and size == 2:
        effects.features.add("bf16")


def _across(effects: Effects, word: int, *, scalar: bool) -> None:
    u, opcode = word >> 29 & 1, word >> 12 & 31
    _registers(effects, word, sources=1)
    if opcode in (0b01100, 0b01111) or (scalar and opcode == 0b01101):  # fmaxnmv, fmaxv; fmaxnmp, faddp, fmaxp
        effects.arithmetic_fp()
        if not u:
            effects.features.add("fp16")


def _copy(effects: Effects, word: int, *, scalar: bool) -> None:
    d, n, is_insert_element, kind = word & 31, word >> 5 & 31, word >> 29 & 1, word >> 11 & 15
    if is_insert_element or kind == 0 or scalar:  # ins (element), dup (element)
        _registers(effects, word, sources=1, keeps=bool(is_insert_element))
    elif kind in (1, 3):  # dup, ins (general)
        effects.read(None if n == 31 else g(n))
        effects.read_vectors([d] if kind == 3 else [])
        effects.write_vectors([d])
    elif kind in (5, 7):  # smov, umov
        effects.read_vectors([n])
        effects.write(None if d == 31 else g(d))
    else:
        raise UnknownEncodingError


def _modified_immediate(effects: Effects, word: int) -> None:
    d, cmode = word & 31, word >> 12 & 15
    if word >> 11 & 1:
        effects.features.add("fp16")
        effects.write_vectors([d])
        return
    effects.read_vectors([d] if cmode & 1 and cmode < 12 else [])  # orr, bic
    effects.write_vectors([d])


def _shift_immediate(effects: Effects, word: int) -> None:
    u, opcode, upper, is_scalar = word >> 29 & 1, word >> 11 & 31, word >> 30 & 1, word >> 28 & 1
    narrows = 0b10000 <= opcode <= 0b10011
    accumulates = opcode in (0b00010, 0b00110, 0b01000) or (opcode == 0b01010 and bool(u))  # sra, rsra, sri, sli
    _registers(effects, word, sources=1, keeps=accumulates or (narrows and bool(upper) and not is_scalar))
    if opcode in (0b01100, 0b01110, 0b10010, 0b10011) or (u and opcode in (0b10000, 0b10001)):
        effects.saturates()
    if opcode in (0b11100, 0b11111):
        effects.arithmetic_fp()
        if word >> 19 & 15 in (2, 3):
            effects.features.add("fp16")


def _by_element(effects: Effects, word: int) -> None:
    """Describe vector by element.

    The index register is v0-v15 where the element has 16 bits and is not one of a pair.
    """
    u, size, opcode = word >> 29 & 1, word >> 22 & 3, word >> 12 & 15
    d, n, m = word & 31, word >> 5 & 31, word >> 16 & 31
    accumulates = True
    m_is_short = size == 1 if size in (1, 2) else size == 0
    if (opcode in (0, 4) and not u) or (opcode in (8, 12) and u):  # fmlal, fmlsl
        effects.features.add("fp16fml")
        effects.arithmetic_fp()
        m_is_short = True
    elif (opcode in (1, 5) and not u) or opcode == 9:  # fmla, fmls, fmul, fmulx
        accumulates = opcode != 9
        effects.arithmetic_fp()
        if size == 0:
            effects.features.add("fp16")
    elif u and opcode & 9 == 1:  # fcmla
        effects.features.update({"complex", "fp16"} if size == 1 else {"complex"})
        effects.arithmetic_fp()
        m_is_short = False
    elif opcode in (2, 6) or (opcode in (0, 4) and u):  # smlal, mla
        pass
    elif opcode in (3, 7, 11, 12) and not u:  # sqdmlal, sqdmlsl, sqdmull, sqdmulh
        accumulates = opcode in (3, 7)
        effects.saturates()
    elif opcode in (8, 10):  # mul, smull
        accumulates = False
    elif opcode == 13:
        effects.saturates()
        accumulates = bool(u)
        if u:
            effects.features.add("rdm")
    elif opcode == 15 and u:
        effects.saturates()
        effects.features.add("rdm")
    elif opcode == 14:
        effects.features.add("dotprod")
        m_is_short = False
    elif opcode == 15:  # sudot, bfdot, usdot, bfmlal
        effects.features.add("bf16" if size & 1 else "i8mm")
        if size == 3:
            effects.arithmetic_fp()
        m_is_short = size == 3
    else:
        raise UnknownEncodingError
    effects.read_vectors([n, m & 15 if m_is_short else m] + [d] * accumulates)
    effects.write_vectors([d])
    effects.is_multiply = True


def _crypto_four(effects: Effects, word: int) -> None:
    """Describe sha512, sha3, sm3 and sm4."""
    d, n, m, a = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 10 & 31
    kind = word >> 21 & 7
    sources, keeps = [n, m], False
    if kind in (0, 1) and not word >> 15 & 1:  # eor3, bcax
        effects.features.add("sha3")
        sources.append(a)
    elif kind == 2 and not word >> 15 & 1:  # sm3ss1
        effects.features.add("sm3")
        sources.append(a)
    elif kind == 2 and word >> 14 & 3 == 2:  # sm3tt1a, ...
        effects.features.add("sm3")
        keeps = True
    elif kind == 4:  # xar
        effects.features.add("sha3")
    elif kind == 3 and word >> 12 & 11 == 8:
        opcode = word >> 10 & 3
        if not word >> 14 & 1:  # sha512h, sha512h2, sha512su1, rax1
            effects.features.add("sha3" if opcode == 3 else "sha512")
            keeps = opcode != 3
        else:  # sm3partw1, sm3partw2, sm4ekey
            effects.features.add("sm4" if opcode == 2 else "sm3")
            keeps = opcode != 2
    elif word >> 12 & 0xFFF == 0xC08 and word >> 10 & 3 < 2:  # sha512su0, sm4e
        effects.features.add("sm4" if word >> 10 & 1 else "sha512")
        sources, keeps = [n], True
    else:
        raise UnknownEncodingError
    effects.read_vectors(sources + [d] * keeps)
    effects.write_vectors([d])
