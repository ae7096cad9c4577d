"""Each way of not returning as the procedure call standards ask, done once, and the instruction that did it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.statements import gnu_words
from tests.verify.sanitized_call import call, contract_of, line_of, standard_contract

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.linking import link
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.decode import decode_word
from neonlab.isa.model.isa import Isa
from neonlab.verify.abi.obligations import is_privileged, missing_features, preserved_registers
from neonlab.verify.memory.placement import place_arguments
from neonlab.verify.sanitized_machine import SanitizedMachine

A64, A32 = Isa.A64, Isa.A32
K = FaultKind
SAVED = K.CLOBBERED_CALLEE_SAVED

# isa, text (one statement a line), kind, line, register, part of the message.
WRONG = [
    (A64, "nop\n mov x19, #1\n add x19, x19, #1\n ret", SAVED, 2, "x19", "overwritten and not restored"),
    (A64, "mov x29, sp\n ret", SAVED, 1, "x29", "overwritten"),
    (A64, "cmp x0, x0\n csel x28, x28, x0, eq\n csel x28, x28, x0, ne\n ret", SAVED, 3, "x28", "x28"),
    (A64, "movi v8.16b, #1\n ret", SAVED, 1, "d8", "d8"),
    (A64, "mov v15.d[1], x0\n mov v14.s[1], w0\n ret", SAVED, 2, "d14", "d14"),
    (A64, "ldr q9, [x0]\n fmov d10, d9\n ret", SAVED, 1, "d9", "and d10 changed too"),
    (
        A64,
        "stp x19, x20, [sp, #-32]!\n mov x19, #0\n mov x20, #0\n ldr x19, [sp]\n add sp, sp, #32\n ret",
        SAVED,
        3,
        "x20",
        "overwritten",
    ),
    (
        A64,
        "stp d8, d9, [sp, #-32]!\n movi d8, #0\n movi d9, #0\n ldp d9, d8, [sp], #32\n ret",
        SAVED,
        4,
        "d8",
        "d8 is restored wrongly",
    ),
    (
        A64,
        "str x19, [sp, #-16]!\n mov x19, #7\n ldr w19, [sp], #16\n ret",
        SAVED,
        3,
        "x19",
        "x19 is restored wrongly",
    ),
    (
        A64,
        "str x19, [sp, #-16]!\n mov x19, #7\n ldr x19, [sp], #16\n nop\n mov x19, x0\n ret",
        SAVED,
        5,
        "x19",
        "overwritten and not restored",
    ),
    (
        A64,  # what is loaded from the frame and used is no restored value
        "stp x19, x0, [sp, #-16]!\n mov x19, #7\n ldr x19, [sp, #8]\n ldrb w9, [x19]\n add sp, sp, #16\n ret",
        SAVED,
        2,
        "x19",
        "overwritten and not restored",
    ),
    (
        A64,  # the save was dropped, so what is restored is nothing: the first write that needed it is to blame
        "sub sp, sp, #16\n mov x20, #0\n mov x19, #7\n mov x20, x19\n ldp x19, x20, [sp], #16\n ret",
        SAVED,
        2,
        "x20",
        "x20 is overwritten without having been saved",
    ),
    (
        A64,  # saved in time for the second use, not for the first
        "sub sp, sp, #16\n movi v9.4s, #0\n str d9, [sp]\n movi v9.4s, #1\n ldr d9, [sp], #16\n ret",
        SAVED,
        2,
        "d9",
        "d9 is overwritten without having been saved",
    ),
    (
        A64,  # an address in it is no save
        "sub sp, sp, #16\n mov x20, sp\n str x0, [x20]\n ldr x20, [sp], #16\n ret",
        SAVED,
        2,
        "x20",
        "without having been saved",
    ),
    (
        A64,
        "mov x9, x19\n str x9, [sp, #-16]!\n mov x19, #7\n ldr w19, [sp], #16\n ret",
        SAVED,
        4,
        "x19",
        "x19 is restored wrongly",
    ),
    (A64, "mov x9, x18\n mov x18, #3\n mov x18, #4\n ret", SAVED, 2, "x18", "x18 is overwritten"),
    (A64, "sub sp, sp, #32\n add sp, sp, #16\n ret", K.STACK_POINTER, 2, "sp", "16 bytes below"),
    (A64, "mrs x9, fpcr\n orr x9, x9, #0x1000000\n msr fpcr, x9\n ret", K.FLOATING_POINT_CONTROL, 3, "fpcr", "FPCR"),
    (A64, "mov x9, #0x1000000\n msr fpcr, x9\n msr fpcr, xzr\n ret", K.FLOATING_POINT_CONTROL, 3, "fpcr", "FPCR = 0x0"),
    (A64, "mov x9, #0x400000\n msr fpcr, x9\n mov x9, #0\n ret", K.FLOATING_POINT_CONTROL, 2, "fpcr", "0x400000"),
    (A32, "mov r4, #1\n bx lr", SAVED, 1, "r4", "overwritten"),
    (A32, "cmp r0, r0\n movne r9, #1\n moveq r9, #2\n bx lr", SAVED, 3, "r9", "overwritten"),
    (
        A32,
        "push {r4-r6, lr}\n mov r5, #0\n mov r6, r5\n pop {r4, r5}\n add sp, sp, #4\n pop {pc}",
        SAVED,
        3,
        "r6",
        "r6",
    ),
    (A32, "push {r4, r5}\n mov r4, #0\n mov r5, #0\n pop {r5}\n pop {r4}\n bx lr", SAVED, 4, "r5", "restored wrongly"),
    (A32, "vmov.i8 q4, #1\n bx lr", SAVED, 1, "d8", "and d9 changed too"),
    (A32, "vmov.f32 s31, #1.0\n bx lr", SAVED, 1, "d15", "d15"),
    (
        A32,
        "vpush {d8-d9}\n vmov.i8 q4, #1\n vldr d8, [sp, #8]\n vldr d9, [sp]\n add sp, sp, #16\n bx lr",
        SAVED,
        3,
        "d8",
        "d9",
    ),
    (
        A32,
        "push {r4, r12}\n mov r4, #0\n mov r5, #1\n pop {r4, r5}\n bx lr",
        SAVED,
        3,
        "r5",
        "without having been saved",
    ),
    (
        A32,
        "sub sp, sp, #16\n vmov.i8 d8, #1\n vadd.i8 d9, d8, d8\n vpop {d8-d9}\n bx lr",
        SAVED,
        2,
        "d8",
        "without having been saved",
    ),
    (A32, "push {r4, r5}\n pop {r4}\n bx lr", K.STACK_POINTER, 2, "sp", "4 bytes below"),
    (
        A32,
        "vmrs r3, fpscr\n orr r3, r3, #0x1000000\n vmsr fpscr, r3\n bx lr",
        K.FLOATING_POINT_CONTROL,
        3,
        "fpscr",
        "FPSCR",
    ),
    (A32, "mov r3, #0\n vmsr fpscr, r3\n bx lr", K.FLOATING_POINT_CONTROL, 2, "fpscr", "FPSCR = 0x0"),
    (A64, "mov x30, x0\n ret", K.BAD_RETURN, 1, "x30", "returns to"),
    (A32, "mov lr, r0\n bx lr", K.BAD_RETURN, 1, "lr", "returns to"),
]


@pytest.mark.parametrize(("isa", "text", "kind", "line", "register", "message"), WRONG, ids=lambda value: None)
def test_one_thing_not_preserved_is_one_fault_at_the_instruction_to_blame(
    isa: Isa, text: str, kind: FaultKind, line: int, register: str | None, message: str
) -> None:
    fault = call(isa, text, standard_contract(isa))
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault), fault.register) == (kind, line, register), fault
    assert message in fault.message
    assert fault.clause
    assert fault.seed == 3


RIGHT = [
    (A64, "mov x0, #1\n mov x17, #1\n movi v0.16b, #1\n movi v31.16b, #1\n mov v8.d[1], x1\n ins v15.s[3], w1\n ret"),
    (
        A64,
        "stp x19, x30, [sp, #-64]!\n stp d8, d15, [sp, #16]\n mov x19, #1\n mov x30, #2\n movi v8.16b, #1\n"
        " movi v15.16b, #1\n ldp d8, d15, [sp, #16]\n ldp x19, x30, [sp], #64\n ret",
    ),
    (A64, "mov x9, x19\n mov x19, #7\n mov x19, x9\n ret"),
    (A64, "movi v0.4s, #127, msl #8\n sqadd v0.4s, v0.4s, v0.4s\n sqneg v0.16b, v0.16b\n cmp x0, x1\n ret"),
    (A64, "mrs x9, fpcr\n orr x10, x9, #0x1000000\n msr fpcr, x10\n msr fpcr, x9\n ret"),
    (A64, "mov x9, #0x8000000\n msr fpsr, x9\n ret"),
    (A64, "mrs x9, fpcr\n msr fpcr, xzr\n fcvt h0, s0\n msr fpcr, x9\n ret"),
    (A64, "hint #34\n hint #25\n hint #29\n ret"),
    (A32, "mov r0, #1\n mov r12, #1\n vmov.i8 q0, #1\n vmov.i8 q8, #1\n vmov.i8 q15, #1\n bx lr"),
    (A32, "push {r4-r11, lr}\n mov r4, #1\n mov r11, #1\n pop {r4-r11, pc}"),
    (A32, "cmp r0, r0\n movne r4, #1\n vmovne.f32 s16, s0\n bx lr"),
    (A32, "vmvn.i8 q0, q0\n vqadd.s8 q0, q0, q0\n ssat r3, #8, r0\n cmp r0, r1\n bx lr"),
    (A32, "vmrs r3, fpscr\n orr r12, r3, #0xf8000000\n vmsr fpscr, r12\n bx lr"),
]


@pytest.mark.parametrize(("isa", "text"), RIGHT, ids=lambda value: None)
def test_what_may_change_raises_nothing(isa: Isa, text: str) -> None:
    assert isinstance(call(isa, text, standard_contract(isa)), Run)


@pytest.mark.parametrize(
    ("isa", "write"),
    [
        *((A64, f"mov x{i}, #5") for i in range(19, 30)),
        *((A64, f"movi d{i}, #0") for i in range(8, 16)),
        *((A32, f"mov r{i}, #5") for i in range(4, 12)),
        *((A32, f"vmov.i32 d{i}, #0") for i in range(8, 16)),
    ],
)
def test_every_register_that_must_be_preserved_is_watched(isa: Isa, write: str) -> None:
    fault = call(isa, f"nop\n {write}\n {'ret' if isa is A64 else 'bx lr'}", standard_contract(isa))
    assert isinstance(fault, Fault)
    register = write.split()[1].rstrip(",")
    assert (fault.kind, fault.register, line_of(fault)) == (SAVED, register, 2)
    assert register in preserved_registers(isa)


@pytest.mark.parametrize("seed", range(5))
def test_the_fault_is_the_same_whatever_the_registers_hold(seed: int) -> None:
    fault = call(A64, "mov w20, #0\n ret", standard_contract(A64), seed=seed)
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault), fault.seed) == (SAVED, 1, seed)


@pytest.mark.parametrize(
    ("isa", "text", "features", "line"),
    [
        (A64, "sdot v0.4s, v1.16b, v2.16b\n ret", ("dotprod",), 1),
        (A64, "nop\n smmla v0.4s, v1.16b, v2.16b\n ret", ("i8mm",), 2),
        (A64, "sqrdmlah v0.4s, v1.4s, v2.4s\n ret", ("rdm",), 1),
        (A32, "vadd.i8 q0, q0, q0\n bx lr", ("neon",), 1),
        (A32, "add r0, r0, r1\n vld1.8 {d0}, [r1]\n bx lr", ("neon",), 2),
        (A32, "vmov.u8 r3, d0[1]\n bx lr", ("neon",), 1),
        (A32, "vdup.8 d0, r3\n bx lr", ("neon",), 1),
        (A32, "vrintn.f32 q0, q0\n bx lr", ("armv8", "neon"), 1),
    ],
    ids=lambda value: None,
)
def test_a_feature_not_declared_is_a_fault_where_it_is_first_used(
    isa: Isa, text: str, features: tuple[str, ...], line: int
) -> None:
    arguments = {"src": 'read = "n"', "dst": 'write = "n"', "n": "range = [1, 4096]"}
    prototype = "void (const uint8_t *src, uint8_t *dst, size_t n)"
    for declared in ((), features[:-1]):
        fault = call(isa, text, contract_of(isa, prototype, arguments, "", declared), turn=0)
        assert isinstance(fault, Fault)
        assert (fault.kind, line_of(fault)) == (K.FEATURE_NOT_DECLARED, line)
        assert features[-1] in fault.message
    assert isinstance(call(isa, text, contract_of(isa, prototype, arguments, "", features), turn=0), Run)


def test_a_feature_that_is_not_executed_is_none() -> None:
    text = "cbnz x2, 1f\n sdot v0.4s, v1.16b, v2.16b\n 1: ret"
    assert isinstance(call(A64, text, standard_contract(A64)), Run)


@pytest.mark.parametrize(
    ("word", "vector"),
    [
        (0xEE103B10, False),  # vmov.32 r3, d0[0]: VFP
        (0xEE003B10, False),  # vmov.32 d0[0], r3
        (0xEE503B10, True),  # vmov.s8 r3, d0[0]
        (0xEE103B30, True),  # vmov.s16 r3, d0[0]
        (0xEE803B10, True),  # vdup.32 d0, r3
        (0xEE300A20, False),  # vadd.f32 s0, s0, s1
        (0xED900B00, False),  # vldr d0, [r0]
        (0xF4200A8F, True),  # vld1.32 {d0, d1}, [r0]
        (0xF2000850, True),  # vmul / vtst in the Advanced SIMD space
    ],
)
def test_advanced_simd_and_vfp_are_told_apart(word: int, vector: bool) -> None:
    missing = missing_features(decode_word(A32, word, 0), ())
    assert ("neon" in missing) is vector


@pytest.mark.parametrize(
    ("isa", "text", "privileged"),
    [
        *((A32, text, True) for text in (
            "cps #0x10", "cpsid i", "cpsie aif", "msr cpsr_c, #0xd3", "msr cpsr_fc, r0", "msr spsr_f, r0",
            "mrs r0, spsr", "movs pc, lr", "subs pc, lr, #4", "msrne cpsr_c, r0",
        )),
        *((A32, text, False) for text in (
            "msr apsr_nzcvq, r0", "msr cpsr_f, #0", "mrs r0, apsr", "mov pc, lr", "nop", "bx lr", "subs r0, lr, #4",
            "cmp r0, pc", "vmrs r0, fpscr",
        )),
        *((A64, text, True) for text in (
            "msr sctlr_el1, x0", "msr spsel, #0", "msr daifset, #2", "msr daifclr, #15", "ic iallu", "ic ialluis",
            "dc isw, x0", "dc ivac, x0", "tlbi vmalle1", "tlbi vae1is, x0", "at s1e0r, x0",
        )),
        *((A64, text, False) for text in (
            "msr fpcr, x0", "msr nzcv, x0", "msr tpidr_el0, x0", "mrs x0, dczid_el0", "mrs x0, id_aa64isar0_el1",
            "dc cvau, x0", "ic ivau, x0", "dsb ish", "isb", "nop", "yield", "clrex",
        )),
    ],
)  # fmt: skip
def test_what_only_an_operating_system_may_execute_is_told_by_its_encoding(
    isa: Isa, text: str, privileged: bool, tmp_path: Path
) -> None:
    (word,) = gnu_words(isa, [text], tmp_path)
    assert is_privileged(decode_word(isa, word, 0x10000)) is privileged


@pytest.mark.parametrize("name", ["loop.inc", "loop.h", "loop.S"])
def test_a_write_of_x18_in_an_included_file_is_one_all_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(".macro step\n    mov x18, x0\n.endm\n")
    main = tmp_path / "kernel.S"
    main.write_text(f'#include "{name}"\n    .text\n    .global kernel\nkernel:\n    step\n    ret\n')
    arguments: list[Argument] = [Buffer("src", np.zeros(8, np.uint8)), Buffer("dst", np.zeros(8, np.uint8), True), 8]
    contract = standard_contract(A64)
    with SanitizedMachine(link(assemble_file(main, isa=A64)), contract) as machine:
        fault = machine.call("kernel", place_arguments(contract, arguments, 1), contract.signature, seed=3)
    assert isinstance(fault, Fault) and fault.kind is SAVED and fault.source is not None
    assert (Path(fault.source.path).name, fault.source.line) == (name, 2)
