"""What depends on what nobody set is found, at its line; what merely handles it is left alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.verify.small_kernels import MARK, drawn_arguments, kernel

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.contract import parse_contract
from neonlab.assemble.link import link
from neonlab.emulate.run import FaultKind
from neonlab.isa.condition import NAMES, holds
from neonlab.isa.isa import Isa
from neonlab.library import open_kernel
from neonlab.verify.check_case import call_arguments, step_budget
from neonlab.verify.unset import UnsetCheck, find_unset, third_flags

REGISTER, READ, UPPER = FaultKind.UNINITIALISED_REGISTER, FaultKind.UNINITIALISED_READ, FaultKind.UPPER_HALF_ARGUMENT
CLOCK = FaultKind.NONDETERMINISTIC
IN_OUT = ("void k(const uint8_t *x, uint8_t *out)", {"x": 'read = "32"', "out": 'write = "32"'})
RETURNS = ("int k(const uint8_t *x)", {"x": 'read = "32"'})
COUNTED = (
    "void k(const uint8_t *x, uint8_t *out, unsigned int n)",
    {"x": 'read = "n"', "out": 'write = "n"', "n": "range = [1, 16]"},
)
MARGIN = (
    "void k(const uint8_t *x, uint8_t *out)",
    {"x": 'read = "20", over_read = 12', "out": 'write = "32"'},
)
GAPS = ("void k(const uint8_t *x, uint8_t *out)", {"x": 'read = "32"', "out": 'write = "32"'})

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
    "a pointer in the result": (IN_OUT, CLOCK, "changes when the buffers lie in another order", f"""
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
    "a pointer in the result": (IN_OUT, CLOCK, "changes when the buffers lie in another order", f"""
        str r0, [r1]                    // {MARK}
        bx lr"""),
}  # fmt: skip
WRONG = [(isa, name) for isa, table in ((Isa.A64, A64), (Isa.A32, A32)) for name in table]


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
        "gaps in what is written": (GAPS, """
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
        "gaps in what is written": (GAPS, """
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


ASM = Path(__file__).resolve().parents[2] / "asm"
KERNELS = sorted(ASM.glob("*/*.S"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_no_kernel_of_the_library_depends_on_what_nobody_set(path: Path) -> None:
    from neonlab.kernel_code import kernel_program
    from neonlab.plan import draw_case, plan_cases

    opened = open_kernel(path)
    names = plan_cases(opened)[::3]
    assert len(names) >= 10
    with UnsetCheck(kernel_program(opened), opened.contract) as check:
        for number, name in enumerate(names):
            case = draw_case(opened, name)
            budget = step_budget(opened.contract, case.integers)
            fault = check.find(call_arguments(opened.contract, case), seed=number, step_budget=budget)
            assert fault is None, (case.title, fault)


# file, text to replace (its first occurrence), its replacement, kind, what the line blamed begins with
CHANGES = [
    ("armv8/conv1x1_s8s32_chw_8x4", "stp     xzr, xzr, [sp]\n", "nop\n", READ, ("ld1     {v8.4s", "ld1r    {v8.")),
    ("armv8/conv1x1_s8s32_chw_8x4", "ld1r    {v0.8b}, [in], pixels  ", "ld1     {v0.b}[1], [in], pixels  ", REGISTER,
     ("smull   v4.8h, v0.8b, v16.8b", "smull   v5.8h, v0.8b, v17.8b")),  # the second where the first weight is 0
    ("armv8/conv1x1_s8s32_chw_8x4", "lsr     count, pixels, #3", "lsr     count, x17, #3", REGISTER,
     ("lsr     count, x17",)),
    ("armv8/conv1x1_s8s32_chw_8x4", "    zip2    \\d\\().4s, \\c\\().4s, \\c\\().4s", "    nop", REGISTER,
     ("\\op     v", "smlal2  v", "smull   v")),
    ("armv7/conv1x1_s8s32_hwc_2x4", "  .irp s, q8, q10, q12, q14", "  .irp s, q8, q10, q12", REGISTER,
     ("\\op\\().s16  \\s0, q6",)),
    ("armv7/conv1x1_s8s32_hwc_2x4", "  .irp a, q0, q1, q2, q3, q4, q5", "  .irp a, q2, q3, q4, q5", REGISTER,
     ("vmull.s8    q6, \\a0, \\w", "vmlal.s8    q6, \\a0h, \\wh")),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=[f"{change[0]} {change[1].strip()}" for change in CHANGES])
def test_one_line_changed_in_a_kernel_of_the_library_is_found_where_it_shows(change: tuple[Any, ...]) -> None:
    from neonlab.plan import draw_case, plan_cases

    name, old, new, kind, blamed = change
    path = ASM / f"{name}.S"
    shared = re.compile(r'^#include "(.*)"\n', re.MULTILINE)
    text = shared.sub(lambda match: (path.parent / match[1]).read_text(), path.read_text())
    assert old in text
    text = text.replace(old, new, 1)
    opened = open_kernel(path)
    contract = parse_contract(text, str(path))
    assert contract is not None
    program = link(assemble_text(text, isa=opened.isa, path=str(path)))
    found = []
    with UnsetCheck(program, contract) as check:
        for number, case_name in enumerate(plan_cases(opened)[::2]):
            case = draw_case(opened, case_name)
            budget = step_budget(contract, case.integers)
            fault = check.find(call_arguments(contract, case), seed=number, step_budget=budget)
            if fault is not None:
                found.append(fault)
    assert found
    assert {fault.kind for fault in found} == {kind}, [fault.message for fault in found]
    lines = {fault.source.text.strip() for fault in found if fault.source is not None}
    assert all(line.startswith(tuple(blamed)) for line in lines), lines


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
