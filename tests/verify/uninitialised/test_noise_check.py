"""What depends on what nobody set is found, at its line."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify.small_kernels import COUNTED, IN_OUT, MARGIN, MARK, drawn_arguments, kernel

from neonlab.emulate.run import FaultKind
from neonlab.isa.model.condition import NAMES, holds
from neonlab.isa.model.isa import Isa
from neonlab.verify.uninitialised.noise_check import find_unset, third_flags

REGISTER, READ, UPPER = FaultKind.UNINITIALISED_REGISTER, FaultKind.UNINITIALISED_READ, FaultKind.UPPER_HALF_ARGUMENT
CLOCK = FaultKind.NONDETERMINISTIC
RETURNS = ("int k(const uint8_t *x)", {"x": 'read = "32"'})

# name: (interface, kind, what the message must name, code)
A64 = {
    "an accumulator that is never cleared": (IN_OUT, REGISTER, "v2", f"""
        ldp q0, q1, [x0]
        mov v3.16b, v2.16b
        smlal v3.8h, v0.8b, v1.8b       // {MARK}
        stp q3, q0, [x1]
        ret"""),
    "one lane that is never loaded": (IN_OUT, REGISTER, "v0 (byte 3)", f"""
        ld1 {{v0.b}}[0], [x0], #1
        ld1 {{v0.b}}[1], [x0], #1
        ld1 {{v0.b}}[2], [x0], #1
        movi v1.16b, #1
        mul v0.8b, v0.8b, v1.8b         // {MARK}
        str s0, [x1]
        ret"""),
    "a register spilled, reloaded and used": (IN_OUT, REGISTER, "v9", f"""
        str q9, [sp, #-16]!
        movi v9.16b, #3
        ldr q4, [sp], #16
        ldr q0, [x0]
        add v4.4s, v4.4s, v0.4s         // {MARK}
        str q4, [x1]
        ret"""),
    "a register stored as it is": (IN_OUT, REGISTER, "x7", f"""
        mov x8, x7
        str x8, [x1]                    // {MARK}
        ret"""),
    "an address": (IN_OUT, REGISTER, "x9", f"""
        and x9, x9, #15                 // {MARK}
        ldrb w3, [x0, x9]
        mov w3, #0
        strb w3, [x1]
        ret"""),
    "a way taken": (IN_OUT, REGISTER, "x9", f"""
        mov w3, #1
        cmp x9, #0                      // {MARK}
        b.eq 1f
        nop
    1:  strb w3, [x1]
        ret"""),
    "a choice by flags": (IN_OUT, REGISTER, "the flags", f"""
        mov w3, #1
        mov w4, #2
        csel w3, w3, w4, hi             // {MARK}
        strb w3, [x1]
        ret"""),
    "the returned value": (RETURNS, REGISTER, "x9", f"""
        ldr w0, [x0]
        add w0, w0, w9                  // {MARK}
        ret"""),
    "a returned register that nobody set": (RETURNS, REGISTER, "x9", f"""
        mov x0, x9
        ret                             // {MARK}"""),
    "a table index": (IN_OUT, REGISTER, "v5", f"""
        ldp q0, q1, [x0]
        tbl v2.16b, {{v0.16b, v1.16b}}, v5.16b  // {MARK}
        stp q2, q2, [x1]
        ret"""),
    "a stack slot that was never stored": (IN_OUT, READ, "sp-16", f"""
        sub sp, sp, #16
        ldr x3, [sp]                    // {MARK}
        add sp, sp, #16
        add x3, x3, #1
        str x3, [x1]
        ret"""),
    "an output added to": (IN_OUT, READ, "byte 16 of `out`", f"""
        ldp q0, q1, [x0]
        str q0, [x1]
        ldr q2, [x1, #16]               // {MARK}
        add v1.4s, v1.4s, v2.4s
        str q1, [x1, #16]
        ret"""),
    "an output added to and coming out as it was": (IN_OUT, READ, "byte 0 of `out`", f"""
        movi v0.16b, #0
        ldr q2, [x1]                    // {MARK}
        add v2.4s, v0.4s, v2.4s
        str q2, [x1]
        ret"""),
    "bytes beyond the end that may be read": (MARGIN, READ, "beyond the end of `x`", f"""
        ldp q0, q1, [x0]                // {MARK}
        stp q0, q1, [x1]
        ret"""),
    "the upper half of a narrow argument": (COUNTED, UPPER, "`n`", f"""
        subs x2, x2, #1                 // {MARK}
        b.eq 1f
        strb wzr, [x1]
    1:  ret"""),
    "a random number": (IN_OUT, CLOCK, "reads the system's state", f"""
        mrs x3, s3_3_c2_c4_0            // rndr
        str x3, [x1]                    // {MARK}
        ret"""),
    "a pointer in the result": (IN_OUT, CLOCK, "changes when the buffers are in another order", f"""
        str w0, [x1]                    // {MARK}
        ret"""),
}  # fmt: skip
A32 = {
    "an accumulator that is never cleared": (IN_OUT, REGISTER, "d4", f"""
        vld1.8 {{q0, q1}}, [r0]
        vmov q3, q2
        vmlal.s8 q3, d0, d1             // {MARK}
        vst1.8 {{q3}}, [r1]
        bx lr"""),
    "one lane that is never loaded": (IN_OUT, REGISTER, "d0 (byte 3)", f"""
        vld1.8 {{d0[0]}}, [r0]!
        vld1.8 {{d0[1]}}, [r0]!
        vld1.8 {{d0[2]}}, [r0]!
        vmov.i8 d1, #1
        vmul.i8 d0, d0, d1              // {MARK}
        vst1.32 {{d0[0]}}, [r1]
        bx lr"""),
    "a register spilled, reloaded and used": (IN_OUT, REGISTER, "d18", f"""
        vpush {{q9}}
        vmov.i8 q9, #3
        vpop {{q8}}
        vld1.8 {{q0}}, [r0]
        vadd.i32 q8, q8, q0             // {MARK}
        vst1.8 {{q8}}, [r1]
        bx lr"""),
    "a register stored as it is": (IN_OUT, REGISTER, "r2", f"""
        mov r3, r2
        str r3, [r1]                    // {MARK}
        bx lr"""),
    "an address": (IN_OUT, REGISTER, "r2", f"""
        and r2, r2, #15                 // {MARK}
        ldrb r3, [r0, r2]
        mov r3, #0
        strb r3, [r1]
        bx lr"""),
    "a way taken": (IN_OUT, REGISTER, "r12", f"""
        mov r3, #1
        cmp r12, #0                     // {MARK}
        beq 1f
        nop
    1:  strb r3, [r1]
        bx lr"""),
    "a choice by flags": (IN_OUT, REGISTER, "the flags", f"""
        mov r3, #1
        movhi r3, #2                    // {MARK}
        strb r3, [r1]
        bx lr"""),
    "a flag that tst keeps": (IN_OUT, REGISTER, "the flags", f"""
        mov r3, #1
        tst r3, #1
        movvs r3, #2                    // {MARK}
        strb r3, [r1]
        bx lr"""),
    "the returned value": (RETURNS, REGISTER, "r2", f"""
        ldr r0, [r0]
        add r0, r0, r2                  // {MARK}
        bx lr"""),
    "a table index": (IN_OUT, REGISTER, "d5", f"""
        vld1.8 {{d0, d1}}, [r0]
        vtbl.8 d2, {{d0, d1}}, d5       // {MARK}
        vst1.8 {{d2}}, [r1]
        bx lr"""),
    "a store under a condition that nobody set": (IN_OUT, REGISTER, "the flags", f"""
        mov r3, #0
        strb r3, [r1]
        strbeq r3, [r1]                 // {MARK}
        bx lr"""),
    "a stack slot that was never stored": (IN_OUT, READ, "sp-16", f"""
        sub sp, sp, #16
        ldr r3, [sp]                    // {MARK}
        add sp, sp, #16
        add r3, r3, #1
        str r3, [r1]
        bx lr"""),
    "an output added to": (IN_OUT, READ, "byte 16 of `out`", f"""
        vld1.8 {{q0, q1}}, [r0]
        vst1.8 {{q0}}, [r1]!
        vld1.8 {{q2}}, [r1]             // {MARK}
        vadd.i32 q1, q1, q2
        vst1.8 {{q1}}, [r1]
        bx lr"""),
    "bytes beyond the end that may be read": (MARGIN, READ, "beyond the end of `x`", f"""
        vld1.8 {{q0, q1}}, [r0]         // {MARK}
        vst1.8 {{q0, q1}}, [r1]
        bx lr"""),
    "a pointer in the result": (IN_OUT, CLOCK, "changes when the buffers are in another order", f"""
        str r0, [r1]                    // {MARK}
        bx lr"""),
}  # fmt: skip
WRONG = [(isa, name) for isa, table in ((Isa.A64, A64), (Isa.A32, A32)) for name in table]


@pytest.mark.slow(keep=12)
@pytest.mark.parametrize(("isa", "name"), WRONG, ids=[f"{isa.value} {name}" for isa, name in WRONG])
def test_a_dependence_is_found_at_its_line(isa: Isa, name: str) -> None:
    (prototype, arguments), kind, named, code = (A64 if isa is Isa.A64 else A32)[name]
    program, contract, line = kernel(isa, prototype, arguments, code)
    integers = {"n": 1} if "n" in arguments else {}
    faults = [find_unset(program, contract, drawn_arguments(contract, integers, seed), seed=seed) for seed in range(6)]
    found = [fault for fault in faults if fault is not None]
    assert found, "nothing found in six cases"
    for fault in found:
        assert fault.kind is kind, fault
        assert fault.source is not None
        assert fault.source.line == line, fault
        assert named in fault.message


def test_the_padding_of_a_narrow_argument_on_the_stack_is_no_part_of_it() -> None:
    names = "abcdefg"
    prototype = f"void k(uint8_t *out, {', '.join(f'long {name}' for name in names)}, unsigned int n)"
    arguments = {"out": 'write = "8"', **dict.fromkeys(names, "range = [1, 2]"), "n": "range = [1, 9]"}
    for load, kind in (("ldr x3", UPPER), ("ldr w3", None)):
        program, contract, line = kernel(Isa.A64, prototype, arguments, f"{load}, [sp] // {MARK}\nstr x3, [x0]\nret")
        integers = {**dict.fromkeys(names, 1), "n": 5}
        fault = find_unset(program, contract, drawn_arguments(contract, integers, 1))
        assert (fault.kind if fault is not None else None) is kind
        if fault is not None:
            assert "bits 32-63 of stack+0, above the 32-bit argument `n`" in fault.message
            assert fault.source is not None
            assert fault.source.line == line


def test_the_same_seed_finds_the_same_fault() -> None:
    (prototype, arguments), _, _, code = A64["an accumulator that is never cleared"]
    program, contract, _ = kernel(Isa.A64, prototype, arguments, code)
    passed = drawn_arguments(contract, {}, 5)
    assert find_unset(program, contract, passed, seed=5) == find_unset(program, contract, passed, seed=5)


def test_a_loop_that_may_never_end_is_explained_by_the_way_into_it() -> None:
    code = f"""
        mov w3, #7
        cbz x9, 2f                      // {MARK}
    1:  b 1b
    2:  str w3, [x1]
        ret"""
    program, contract, line = kernel(Isa.A64, *IN_OUT, code)
    fault = find_unset(program, contract, drawn_arguments(contract, {}, 1), step_budget=2_000_000)
    assert fault is not None
    assert fault.kind is REGISTER
    assert fault.source is not None
    assert fault.source.line == line


def test_a_call_too_long_to_record_is_still_found() -> None:
    code = """
        mov w3, #0x400000
    1:  subs w3, w3, #1
        b.ne 1b
        str x9, [x1]
        ret"""
    program, contract, _ = kernel(Isa.A64, *IN_OUT, code)
    fault = find_unset(program, contract, drawn_arguments(contract, {}, 1))
    assert fault is not None
    assert fault.kind is REGISTER
    assert np.int64(fault.address) == program.symbols["k"]


def test_each_condition_both_holds_and_fails_in_the_three_settings_of_the_flags() -> None:
    conditions = [name for name in NAMES if name]
    for flags in range(16):
        first = np.array([0, 0, 0, flags << 4], np.uint8)
        settings = (first, ~first, third_flags(first))
        for name in conditions:
            assert {holds(name, int(setting[3]) << 24) for setting in settings} == {True, False}, (flags, name)
