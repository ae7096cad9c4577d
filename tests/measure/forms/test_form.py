"""The form of an instruction says what decides its time, and is the same in both instruction sets."""

from __future__ import annotations

import pytest
from tests.measure.pipeline.loops import code

from neonlab.isa.model.isa import Isa
from neonlab.measure.forms.form import form_of


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("smlal v0.8h, v1.8b, v2.8b", "smlal.8b"),
        ("mul v0.8h, v1.8h, v2.h[3]", "mul.8h[]"),
        ("sdot v0.4s, v1.16b, v2.4b[1]", "sdot.16b[]"),
        ("movi v0.16b, #0", "movi.16b #0"),
        ("movi d0, #0", "movi.2s #0"),
        ("movi v0.2d, #0", "movi.4s #0"),
        ("cmeq v0.16b, v1.16b, #0", "cmeq.16b #"),
        ("ldr q0, [x0], #16", "ldr.q ,"),
        ("ldr x0, [x1, x2]", "ldr.x [r]"),
        ("ld1 {v0.16b, v1.16b}, [x0]", "ld1.16b*2"),
        ("ld1 {v0.b}[3], [x0]", "ld1.b[]*1"),
        ("add x0, x1, x2, lsl #3", "add lsl"),
        ("add x0, x1, x2, lsl #17", "add shift"),
        ("umov w0, v1.b[2]", "umov.b"),
        ("mov h0, v1.h[3]", "dup.4h[]"),
        ("faddp d0, v1.2d", "faddp.d"),
        ("mul w0, w1, w2", "mul.w"),
    ],
)
def test_an_a64_form_says_what_decides_the_time(line: str, form: str) -> None:
    assert form_of(code(line)[0]) == form


@pytest.mark.parametrize(
    ("a32", "a64"),
    [
        ("vmlal.s8 q0, d2, d3", "smlal v0.8h, v1.8b, v2.8b"),
        ("vmull.u16 q0, d2, d3", "umull v0.4s, v1.4h, v2.4h"),
        ("vpadal.s16 q0, q1", "sadalp v0.4s, v1.8h"),
        ("vaddw.s16 q0, q1, d4", "saddw v0.4s, v1.4s, v2.4h"),
        ("vmul.i16 q0, q1, d4[2]", "mul v0.8h, v1.8h, v2.h[2]"),
        ("vld1.8 {d0, d1}, [r0]!", "ld1 {v0.16b}, [x0], #16"),
        ("vdup.16 q0, d2[1]", "dup v0.8h, v1.h[1]"),
        ("vqrdmulh.s32 q0, q1, q2", "sqrdmulh v0.4s, v1.4s, v2.4s"),
        ("vqmovn.s16 d0, q1", "sqxtn v0.8b, v1.8h"),
        ("addeq r0, r1, r2, lsl #2", "add x0, x1, x2, lsl #2"),
    ],
)
def test_an_a32_form_is_that_of_the_same_operation_in_a64(a32: str, a64: str) -> None:
    assert form_of(code(a32, isa=Isa.A32)[0]) == form_of(code(a64)[0])
