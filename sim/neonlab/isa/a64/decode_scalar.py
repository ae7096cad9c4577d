"""Decode scalar floating point of A64: arithmetic, compares, conversions and moves between the register files."""

from __future__ import annotations

from neonlab.isa.model.effects import Effects, UnknownEncodingError, g
from neonlab.isa.model.isa import FLAGS


def scalar_fp(effects: Effects, word: int) -> None:
    """Add the effects of a scalar floating-point data-processing word."""
    d, n, m, a = word & 31, word >> 5 & 31, word >> 16 & 31, word >> 10 & 31
    if word >> 22 & 3 == 3:
        effects.features.add("fp16")
    if word >> 31 and (word >> 24 & 1 or (word >> 21 & 1 and word >> 10 & 0x3F)):
        raise UnknownEncodingError
    if word >> 24 & 1:  # fmadd and its relatives
        effects.read_vectors([n, m, a])
        effects.write_vectors([d])
        effects.is_multiply = True
        effects.arithmetic_fp()
    elif not word >> 21 & 1:
        _fixed_point(effects, word)
    elif word >> 10 & 0x3F == 0:
        _integer(effects, word)
    elif word >> 10 & 0x1F == 0b10000:
        _one_source(effects, word)
    elif word >> 10 & 0xF == 0b1000:  # fcmp, fcmpe
        effects.read_vectors([n] if word >> 3 & 1 else [n, m])
        effects.sets_flags()
        effects.arithmetic_fp()
    elif word >> 10 & 7 == 0b100:  # fmov (immediate)
        effects.write_vectors([d])
    elif word >> 10 & 3 == 1:  # fccmp
        effects.read_vectors([n, m])
        effects.read(FLAGS)
        effects.sets_flags()
        effects.arithmetic_fp()
    elif word >> 10 & 3 == 2:
        effects.read_vectors([n, m])
        effects.write_vectors([d])
        effects.is_multiply = word >> 12 & 15 in (0, 8)  # fmul, fnmul
        effects.arithmetic_fp()
    else:  # fcsel
        effects.read_vectors([n, m])
        effects.read(FLAGS)
        effects.write_vectors([d])


def _to_or_from_general(effects: Effects, word: int, *, to_general: bool, keeps: bool = False) -> None:
    d, n = word & 31, word >> 5 & 31
    if to_general:
        effects.read_vectors([n])
        effects.write(None if d == 31 else g(d))
    else:
        effects.read(None if n == 31 else g(n))
        effects.read_vectors([d] if keeps else [])
        effects.write_vectors([d])


def _fixed_point(effects: Effects, word: int) -> None:
    opcode = word >> 16 & 31
    if opcode not in (0b00010, 0b00011, 0b11000, 0b11001):
        raise UnknownEncodingError
    _to_or_from_general(effects, word, to_general=opcode >= 0b11000)
    effects.arithmetic_fp()


def _integer(effects: Effects, word: int) -> None:
    mode, opcode = word >> 19 & 3, word >> 16 & 7
    if opcode in (6, 7) and word >> 22 & 3 == 2 and mode == 1:  # fmov x, v.d[1] and back: the lower half stays
        _to_or_from_general(effects, word, to_general=opcode == 6, keeps=opcode == 7)
    elif opcode in (6, 7) and mode == 0:  # fmov
        _to_or_from_general(effects, word, to_general=opcode == 6)
    elif opcode == 6 and mode == 3:  # fjcvtzs
        effects.features.add("jscvt")
        _to_or_from_general(effects, word, to_general=True)
        effects.sets_flags()
        effects.arithmetic_fp()
    elif opcode in (0, 1) or (opcode in (4, 5) and mode == 0):  # fcvt?s, fcvt?u, fcvtas
        _to_or_from_general(effects, word, to_general=True)
        effects.arithmetic_fp()
    elif opcode in (2, 3) and mode == 0:  # scvtf, ucvtf
        _to_or_from_general(effects, word, to_general=False)
        effects.arithmetic_fp()
    else:
        raise UnknownEncodingError


def _one_source(effects: Effects, word: int) -> None:
    d, n, opcode = word & 31, word >> 5 & 31, word >> 15 & 63
    effects.read_vectors([n])
    effects.write_vectors([d])
    if opcode > 2:  # fmov, fabs, fneg neither round nor raise
        effects.arithmetic_fp()
    if 4 <= opcode < 8:  # fcvt: conversions of half precision are in ARMv8.0
        effects.features.discard("fp16")
    if opcode == 6:
        effects.features.add("bf16")
    if 16 <= opcode < 24:
        effects.features.add("frintts")
