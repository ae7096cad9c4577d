"""What merely handles what nobody set is left alone: copies, spills, lanes that are dropped, bits that cancel."""

from __future__ import annotations

import pytest
from tests.verify.small_kernels import COUNTED, IN_OUT, MARGIN, drawn_arguments, kernel

from neonlab.isa.model.isa import Isa
from neonlab.verify.uninitialised.noise_check import find_unset

RIGHT = {
    Isa.A64: {
        "spills of what the caller keeps": (IN_OUT, """
            stp d8, d9, [sp, #-32]!
            stp x19, x20, [sp, #16]
            ldp q8, q9, [x0]
            mov x19, #4
            stp q8, q9, [x1]
            ldp x19, x20, [sp, #16]
            ldp d8, d9, [sp], #32
            ret"""),
        "clearing by itself": (IN_OUT, """
            eor v0.16b, v0.16b, v0.16b
            sub v1.4s, v1.4s, v1.4s
            eor x3, x3, x3
            stp q0, q1, [x1]
            str x3, [x1]
            ret"""),
        "lanes that are computed and dropped": (IN_OUT, """
            ld1 {v0.b}[0], [x0]
            mul v0.16b, v0.16b, v0.16b
            addp v0.16b, v0.16b, v1.16b
            umov w3, v0.b[15]
            ld1 {v0.b}[0], [x0]
            str b0, [x1]
            ret"""),
        "a prefetch of anywhere, and a choice between equals": (IN_OUT, """
            prfm pldl1keep, [x9]
            mov w3, #1
            csel w3, w3, w3, ne
            strb w3, [x1]
            ret"""),
        "margins that are read and not used": (MARGIN, """
            ldp q0, q1, [x0]
            str q0, [x1]
            str s1, [x1, #16]
            str xzr, [x1, #20]
            str wzr, [x1, #28]
            ret"""),
        "gaps in what is written": (IN_OUT, """
            ldr w3, [x0]
            str w3, [x1]
            str w3, [x1, #20]
            ret"""),
        "a narrow argument, widened": (COUNTED, """
        1:  subs w2, w2, #1
            strb wzr, [x1, w2, uxtw]
            b.ne 1b
            ret"""),
        "a mask over what nobody set": (IN_OUT, """
            and x9, x9, #0xff00
            and x9, x9, #0xff
            ldrb w3, [x0, x9]
            strb w3, [x1]
            ret"""),
    },
    Isa.A32: {
        "spills of what the caller keeps": (IN_OUT, """
            push {r4-r7, lr}
            vpush {d8-d11}
            vld1.8 {q4, q5}, [r0]
            mov r4, #4
            vst1.8 {q4, q5}, [r1]
            vpop {d8-d11}
            pop {r4-r7, pc}"""),
        "clearing by itself": (IN_OUT, """
            veor q0, q0, q0
            vsub.i32 q1, q1, q1
            eor r3, r3, r3
            vst1.8 {q0, q1}, [r1]
            str r3, [r1]
            bx lr"""),
        "lanes that are computed and dropped": (IN_OUT, """
            vld1.8 {d0[0]}, [r0]
            vmul.i8 d0, d0, d0
            vpadd.i8 d0, d0, d1
            vmov.u8 r3, d0[7]
            vld1.8 {d0[0]}, [r0]
            vst1.8 {d0[0]}, [r1]
            bx lr"""),
        "a prefetch of anywhere, and a choice between equals": (IN_OUT, """
            pld [r2]
            mov r3, #1
            moveq r3, #1
            strb r3, [r1]
            bx lr"""),
        "margins that are read and not used": (MARGIN, """
            vld1.8 {q0, q1}, [r0]
            vst1.8 {q0}, [r1]!
            vst1.32 {d2[0]}, [r1]!
            mov r3, #0
            str r3, [r1], #4
            str r3, [r1], #4
            str r3, [r1]
            bx lr"""),
        "gaps in what is written": (IN_OUT, """
            ldr r3, [r0]
            str r3, [r1]
            str r3, [r1, #20]
            bx lr"""),
    },
}  # fmt: skip
HANDLED = [(isa, name) for isa, table in RIGHT.items() for name in table]


@pytest.mark.parametrize(("isa", "name"), HANDLED, ids=[f"{isa.value} {name}" for isa, name in HANDLED])
def test_handling_what_nobody_set_is_no_fault(isa: Isa, name: str) -> None:
    (prototype, arguments), code = RIGHT[isa][name]
    program, contract, _ = kernel(isa, prototype, arguments, code)
    integers = {"n": 3} if "n" in arguments else {}
    for seed in range(6):
        assert find_unset(program, contract, drawn_arguments(contract, integers, seed), seed=seed) is None
