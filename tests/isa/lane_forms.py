"""Statements that stand for the forms of integer NEON: each mnemonic at each width, length and kind of operand.

Registers are v0-v7 and w2, w3 in A64, q0-q3 (d0-d7) and r2, r3 in A32; the first is the destination.
"""

# ruff: noqa: SIM905 - rows of mnemonics read better as one string

from __future__ import annotations

import re
from collections.abc import Iterator

from neonlab.isa.model.isa import Isa

_B = {8: "b", 16: "h", 32: "s", 64: "d"}


def _v(register: int, bits: int, size: int) -> str:
    return f"v{register}.{8 * size // bits}{_B[bits]}"


def _same_a64() -> Iterator[str]:
    names = {
        "add sub": (8, 16, 32, 64),
        "addp": (8, 16, 32, 64),
        "mul mla mls": (8, 16, 32),
        "shadd uhadd srhadd urhadd shsub uhsub sabd uabd saba uaba smax umax smin umin smaxp umaxp sminp uminp": (
            8,
            16,
            32,
        ),
        "sqadd uqadd sqsub uqsub sshl ushl srshl urshl sqshl uqshl sqrshl uqrshl": (8, 16, 32, 64),
        "cmeq cmgt cmge cmhi cmhs cmtst": (8, 16, 32, 64),
        "sqdmulh sqrdmulh sqrdmlah sqrdmlsh": (16, 32),
        "pmul": (8,),
        "zip1 zip2 uzp1 uzp2 trn1 trn2": (8, 16, 32, 64),
        "and orr eor bic orn bsl bit bif": (8,),
    }
    for group, widths in names.items():
        for name in group.split():
            for bits in widths:
                for size in (8, 16):
                    if bits == 64 and size == 8:
                        continue
                    yield f"{name} {_v(0, bits, size)}, {_v(1, bits, size)}, {_v(2, bits, size)}"


def _unary_a64() -> Iterator[str]:
    names = {
        "abs neg sqabs sqneg suqadd usqadd": (8, 16, 32, 64),
        "mvn rbit cnt rev16": (8,),
        "rev32": (8, 16),
        "rev64 cls clz": (8, 16, 32),
    }
    for group, widths in names.items():
        for name in group.split():
            for bits in widths:
                for size in (8, 16):
                    if bits == 64 and size == 8:
                        continue
                    yield f"{name} {_v(0, bits, size)}, {_v(1, bits, size)}"
    for name in "cmeq cmgt cmge cmlt cmle".split():
        for bits in (8, 16, 32, 64):
            yield f"{name} {_v(0, bits, 16)}, {_v(1, bits, 16)}, #0"
    for bits in (8, 16, 32):
        for size in (8, 16):
            for name in "saddlp uaddlp sadalp uadalp".split():
                yield f"{name} {_v(0, 2 * bits, size)}, {_v(1, bits, size)}"
            if bits == 32 and size == 8:
                continue
            for name in "addv smaxv umaxv sminv uminv".split():
                yield f"{name} {_B[bits]}0, {_v(1, bits, size)}"
            for name in "saddlv uaddlv".split():
                yield f"{name} {_B[2 * bits]}0, {_v(1, bits, size)}"
    yield "addp d0, v1.2d"


def _widths_a64() -> Iterator[str]:
    for bits in (8, 16, 32):
        for half in ("", "2"):
            narrow, wide, size = bits, 2 * bits, 16 if half else 8
            d, n, m = _v(0, wide, 16), _v(1, narrow, size), _v(2, narrow, size)
            names = "mull mlal mlsl addl subl abdl abal"
            for name in (s + base for base in names.split() for s in "su"):
                yield f"{name}{half} {d}, {n}, {m}"
            for name in "saddw uaddw ssubw usubw".split():
                yield f"{name}{half} {d}, {_v(1, wide, 16)}, {m}"
            if bits > 8:
                for name in "sqdmull sqdmlal sqdmlsl".split():
                    yield f"{name}{half} {d}, {n}, {m}"
            else:
                yield f"pmull{half} {d}, {n}, {m}"
            for name in "addhn raddhn subhn rsubhn".split():
                yield f"{name}{half} {_v(0, narrow, size)}, {_v(1, wide, 16)}, {_v(2, wide, 16)}"
            for name in "xtn sqxtn uqxtn sqxtun".split():
                yield f"{name}{half} {_v(0, narrow, size)}, {_v(1, wide, 16)}"
            for name in "shrn rshrn sqshrn uqshrn sqrshrn uqrshrn sqshrun sqrshrun".split():
                for shift in (1, bits // 2, bits):
                    yield f"{name}{half} {_v(0, narrow, size)}, {_v(1, wide, 16)}, #{shift}"
            for name in "sshll ushll".split():
                for shift in (0, bits - 1):
                    yield f"{name}{half} {d}, {n}, #{shift}"
            yield f"shll{half} {d}, {n}, #{bits}"


def _shifts_a64() -> Iterator[str]:
    for bits in (8, 16, 32, 64):
        for size in (8, 16):
            if bits == 64 and size == 8:
                continue
            d, n = _v(0, bits, size), _v(1, bits, size)
            for name in "shl sqshl uqshl sqshlu sli".split():
                for shift in (0, 3, bits - 1):
                    yield f"{name} {d}, {n}, #{shift}"
            for name in "sshr ushr srshr urshr ssra usra srsra ursra sri".split():
                for shift in (1, 5, bits):
                    yield f"{name} {d}, {n}, #{shift}"


def _elements_a64() -> Iterator[str]:
    for bits in (16, 32):
        last = 64 // bits * 2 - 1
        for index in (0, last):
            element = f"v2.{_B[bits]}[{index}]"
            for size in (8, 16):
                for name in "mul mla mls sqdmulh sqrdmulh sqrdmlah sqrdmlsh".split():
                    yield f"{name} {_v(0, bits, size)}, {_v(1, bits, size)}, {element}"
                half = "2" if size == 16 else ""
                for name in "smull umull smlal umlal smlsl umlsl sqdmull sqdmlal sqdmlsl".split():
                    yield f"{name}{half} {_v(0, 2 * bits, 16)}, {_v(1, bits, size)}, {element}"
    for size in (8, 16):
        for name in "sdot udot usdot".split():
            yield f"{name} {_v(0, 32, size)}, {_v(1, 8, size)}, {_v(2, 8, size)}"
        for name in "sdot udot usdot sudot".split():
            for index in (0, 3):
                yield f"{name} {_v(0, 32, size)}, {_v(1, 8, size)}, v2.4b[{index}]"
    for name in "smmla ummla usmmla".split():
        yield f"{name} v0.4s, v1.16b, v2.16b"


def _moves_a64() -> Iterator[str]:
    for bits in (8, 16, 32, 64):
        letter, last = _B[bits], 128 // bits - 1
        for size in (8, 16):
            if bits == 64 and size == 8:
                continue
            yield f"dup {_v(0, bits, size)}, v1.{letter}[{last}]"
            yield f"dup {_v(0, bits, size)}, {'x' if bits == 64 else 'w'}2"
        yield f"mov v0.{letter}[{last}], v1.{letter}[0]"
        yield f"mov v0.{letter}[0], {'x' if bits == 64 else 'w'}2"
        yield f"mov {letter}0, v1.{letter}[{last}]"
        yield f"umov {'x' if bits == 64 else 'w'}3, v1.{letter}[{last}]"
        if bits < 64:
            yield f"smov x3, v1.{letter}[{last}]"
        if bits < 32:
            yield f"smov w3, v1.{letter}[{last}]"
    yield from ("mov v0.16b, v1.16b", "mov v0.8b, v1.8b", "fmov s0, w2", "fmov d0, x2", "fmov w3, s1", "fmov x3, d1")
    for text in ("v0.16b, #128", "v0.8b, #1", "v0.2d, #0", "v0.2d, #0xff00ff0000ff00ff", "d0, #0xffff"):
        yield f"movi {text}"
    for name in ("movi", "mvni", "orr", "bic"):
        for lanes, size in (("4h", 16), ("8h", 16), ("2s", 32), ("4s", 32)):
            yield f"{name} v0.{lanes}, #3"
            yield from (f"{name} v0.{lanes}, #129, lsl #{shift}" for shift in range(8, size, 8))
            if size == 32 and name in ("movi", "mvni"):
                yield from (f"{name} v0.{lanes}, #7, msl #{shift}" for shift in (8, 16))
    for size in (8, 16):
        yield from (f"ext {_v(0, 8, size)}, {_v(1, 8, size)}, {_v(2, 8, size)}, #{n}" for n in (0, 3, 7))
        for name in ("tbl", "tbx"):
            for count in (1, 2, 3, 4):
                table = ", ".join(f"v{3 + i}.16b" for i in range(count))
                yield f"{name} {_v(0, 8, size)}, {{{table}}}, {_v(1, 8, size)}"


def _scalars_a64() -> Iterator[str]:
    yield from ("add d0, d1, d2", "sub d0, d1, d2", "sshl d0, d1, d2", "abs d0, d1", "neg d0, d1", "shl d0, d1, #5")
    yield from ("sqadd b0, b1, b2", "uqsub h0, h1, h2", "sqxtn b0, h1", "sqxtun h0, s1", "sqshrn h0, s1, #4")
    yield from ("sqdmulh h0, h1, h2", "sqrdmulh s0, s1, v2.s[1]", "sqdmull s0, h1, h2", "sqrshl s0, s1, s2")


_FIXED_A32 = (
    "vmov.i8 d0, #128", "vmov.i64 d0, #0xff00ff", "vmov q0, q1", "vmov d0, d1", "vmov d0, r2, r3", "vmov r2, r3, d1",
    "vmov.32 r3, d1[1]", "vmov.32 d0[1], r2", "vext.8 q0, q1, q2, #3", "vext.8 d0, d1, d2, #7",
    "vmov.i8 q0, #1", "vext.16 d0, d1, d2, #1", "vext.32 d0, d1, d2, #1",
    "vext.32 q0, q1, q2, #3", "vtbl.8 d0, {d1}, d7", "vtbl.8 d0, {d1, d2}, d7", "vtbl.8 d0, {d1, d2, d3}, d7",
    "vtbl.8 d0, {d1, d2, d3, d4}, d7", "vtbx.8 d0, {d1}, d7", "vtbx.8 d0, {d1, d2, d3, d4}, d7",
    "vswp d0, d1", "vswp q0, q1", "vsdot.s8 d0, d1, d2", "vsdot.s8 q0, q1, q2", "vudot.u8 d0, d1, d2",
    "vudot.u8 q0, q1, q2", "vsdot.s8 q0, q1, d4[1]", "vudot.u8 d0, d1, d4[0]", "vusdot.s8 q0, q1, q2",
    "vusdot.s8 q0, q1, d4[1]", "vsudot.u8 q0, q1, d4[1]", "vsudot.u8 d0, d1, d4[0]", "vsmmla.s8 q0, q1, q2",
    "vummla.u8 q0, q1, q2", "vusmmla.s8 q0, q1, q2", "vmull.p8 q0, d2, d4", "vmul.p8 q0, q1, q2",
)  # fmt: skip


def _same_a32() -> Iterator[str]:
    groups = {
        "vadd.i vsub.i": (8, 16, 32, 64),
        "vmul.i vmla.i vmls.i": (8, 16, 32),
        "vhadd.s vhadd.u vrhadd.s vrhadd.u vhsub.s vhsub.u vabd.s vabd.u vaba.s vaba.u vmax.s vmax.u vmin.s vmin.u": (
            8,
            16,
            32,
        ),
        "vqadd.s vqadd.u vqsub.s vqsub.u vshl.s vshl.u vrshl.s vrshl.u vqshl.s vqshl.u vqrshl.s vqrshl.u": (
            8,
            16,
            32,
            64,
        ),
        "vceq.i vcgt.s vcgt.u vcge.s vcge.u vtst.": (8, 16, 32),
        "vqdmulh.s vqrdmulh.s vqrdmlah.s vqrdmlsh.s": (16, 32),
        "vand. vorr. veor. vbic. vorn. vbsl. vbit. vbif.": (8,),
    }
    for group, widths in groups.items():
        for name in group.split():
            for bits in widths:
                for d, n, m in (("d0", "d1", "d2"), ("q0", "q1", "q2")):
                    yield f"{name}{bits} {d}, {n}, {m}"
    for bits in (8, 16, 32):
        for name in "vpadd.i vpmax.s vpmax.u vpmin.s vpmin.u".split():
            yield f"{name}{bits} d0, d1, d2"
        for d, n in (("d0", "d1"), ("q0", "q1")):
            for name in "vabs.s vneg.s vqabs.s vqneg.s vcls.s vclz.i vpaddl.s vpaddl.u vpadal.s vpadal.u".split():
                yield f"{name}{bits} {d}, {n}"
            for name in "vceq.i vcgt.s vcge.s vclt.s vcle.s".split():
                yield f"{name}{bits} {d}, {n}, #0"
            for name in "vzip vuzp vtrn vrev64".split():
                if not (name in ("vzip", "vuzp") and bits == 32 and d == "d0"):  # those are vtrn.32
                    yield f"{name}.{bits} {d}, {n}"
            yield f"vdup.{bits} {d}, d1[{64 // bits - 1}]"
            yield f"vdup.{bits} {d}, r2"
    for d, n in (("d0", "d1"), ("q0", "q1")):
        yield from (
            f"vmvn {d}, {n}",
            f"vcnt.8 {d}, {n}",
            f"vrev16.8 {d}, {n}",
            f"vrev32.8 {d}, {n}",
            f"vrev32.16 {d}, {n}",
        )
    for bits in (8, 16):
        yield from (f"vmov.s{bits} r3, d1[1]", f"vmov.u{bits} r3, d1[{64 // bits - 1}]", f"vmov.{bits} d0[1], r2")


def _widths_a32() -> Iterator[str]:
    for bits in (8, 16, 32):
        for sign in "su":
            for name in "vmull vmlal vmlsl vaddl vsubl vabdl vabal".split():
                yield f"{name}.{sign}{bits} q0, d2, d4"
            for name in "vaddw vsubw".split():
                yield f"{name}.{sign}{bits} q0, q1, d4"
            yield f"vmovl.{sign}{bits} q0, d2"
            yield f"vshll.{sign}{bits} q0, d2, #{bits - 1}"
            yield f"vqmovn.{sign}{2 * bits} d0, q1"
            for name in "vqshrn vqrshrn".split():
                for shift in (1, bits // 2, bits):
                    yield f"{name}.{sign}{2 * bits} d0, q1, #{shift}"
        for name in "vaddhn vraddhn vsubhn vrsubhn".split():
            yield f"{name}.i{2 * bits} d0, q1, q2"
        for name in "vshrn vrshrn".split():
            for shift in (1, bits // 2, bits):
                yield f"{name}.i{2 * bits} d0, q1, #{shift}"
        for name in "vqshrun vqrshrun".split():
            for shift in (1, bits // 2, bits):
                yield f"{name}.s{2 * bits} d0, q1, #{shift}"
        yield f"vmovn.i{2 * bits} d0, q1"
        yield f"vqmovun.s{2 * bits} d0, q1"
        yield f"vshll.i{bits} q0, d2, #{bits}"
        if bits > 8:
            for name in "vqdmull vqdmlal vqdmlsl".split():
                yield f"{name}.s{bits} q0, d2, d4"
    for bits in (8, 16, 32, 64):
        for d, n in (("d0", "d1"), ("q0", "q1")):
            for shift in (0, 3, bits - 1):
                yield from (f"vshl.i{bits} {d}, {n}, #{shift}", f"vsli.{bits} {d}, {n}, #{shift}")
                yield from (f"vqshl.{sign}{bits} {d}, {n}, #{shift}" for sign in "su")
                yield f"vqshlu.s{bits} {d}, {n}, #{shift}"
            for shift in (1, 5, bits):
                yield f"vsri.{bits} {d}, {n}, #{shift}"
                for name in "vshr vrshr vsra vrsra".split():
                    yield from (f"{name}.{sign}{bits} {d}, {n}, #{shift}" for sign in "su")


def _elements_a32() -> Iterator[str]:
    for bits in (16, 32):
        for index in (0, 64 // bits - 1):
            for d, n in (("d0", "d1"), ("q0", "q1")):
                yield from (f"{name}.i{bits} {d}, {n}, d4[{index}]" for name in "vmul vmla vmls".split())
                names = "vqdmulh vqrdmulh vqrdmlah vqrdmlsh"
                yield from (f"{name}.s{bits} {d}, {n}, d4[{index}]" for name in names.split())
            for sign in "su":
                yield from (f"{name}.{sign}{bits} q0, d2, d4[{index}]" for name in "vmull vmlal vmlsl".split())
            yield from (f"{name}.s{bits} q0, d2, d4[{index}]" for name in "vqdmull vqdmlal vqdmlsl".split())


def _immediates_a32() -> Iterator[str]:
    for name in "vmov vmvn vorr vbic".split():
        for bits in (16, 32):
            for register in ("d0", "q0"):
                yield from (f"{name}.i{bits} {register}, #{0x81 << shift:#x}" for shift in range(0, bits, 8))
                if bits == 32 and name in ("vmov", "vmvn"):
                    yield from (f"{name}.i32 {register}, #{value:#x}" for value in (0x81FF, 0x81FFFF))


def forms(isa: Isa) -> list[str]:
    """All statements for one instruction set, each once."""
    parts: tuple[Iterator[str], ...]
    if isa is Isa.A64:
        parts = (_same_a64(), _unary_a64(), _widths_a64(), _shifts_a64(), _elements_a64(), _moves_a64(), _scalars_a64())
    else:
        parts = (_same_a32(), _widths_a32(), _elements_a32(), _immediates_a32(), iter(_FIXED_A32))
    return list(dict.fromkeys(text for part in parts for text in part))


def shape_of(text: str) -> str:
    """A statement without register numbers, indices and amounts: what makes two of them one form."""
    text = re.sub(r"\b(sb|sl|fp|ip|lr)\b", "r12", text.lower())  # names of r9 to r14
    text = re.sub(r"\[[0-9a-fx]+\]", "[]", text)
    text = re.sub(r"^(vand|vorr|veor|vbic|vorn|vbsl|vbit|vbif)\.8 ", r"\1 ", text)  # the width means nothing
    text = re.sub(r"#-?[0-9a-fx]+", "#", text)
    return re.sub(r"(?<![.\w])([vqdsbhwxr])\d+", r"\1", text)
