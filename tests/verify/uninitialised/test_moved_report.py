"""Results that depend on where something lies, and kernels that merely use addresses."""

from __future__ import annotations

import itertools

import pytest
from tests.verify.small_kernels import MARK, drawn_arguments, kernel

from neonlab.emulate.guest.address_space import HOME, elsewhere
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.uninitialised.noise_check import find_unset
from neonlab.verify.uninitialised.observed import ObservedPart

TWO = ("void k(const uint8_t *x, uint8_t *out)", {"x": 'read = "32"', "out": 'write = "4"'})
# The last pointer of five arrives on the stack in A32.
FIVE = (
    "void k(const uint8_t *x, const uint8_t *y, const uint8_t *z, const uint8_t *u, uint8_t *out)",
    {**dict.fromkeys("xyzu", 'read = "32"'), "out": 'write = "4"'},
)
RETURNED = ("uint8_t *k(const uint8_t *x, uint8_t *out)", TWO[1])

# name: (interface, what must be said to have moved, code)
WRONG = {
    Isa.A64: {
        "sp, copied and cut": (TWO, ObservedPart.STACK, f"""
            mov x9, sp
            mov x3, x9
            lsr x3, x3, #4              // {MARK}
            str w3, [x1]
            ret"""),
        "sp, by way of the frame": (TWO, ObservedPart.STACK, f"""
            mov x9, sp
            str x9, [sp, #-16]!
            ldr x3, [sp], #16
            str w3, [x1]                // {MARK}
            ret"""),
        "the return address": (TWO, ObservedPart.CALLER, f"""
            ldrb w3, [x0]
            add w3, w3, w30             // {MARK}
            str w3, [x1]
            ret"""),
        "the thread pointer": (TWO, ObservedPart.THREAD, f"""
            mrs x9, tpidr_el0
            lsr x9, x9, #4              // {MARK}
            str w9, [x1]
            ret"""),
        "the address of the code, low bits alone": (TWO, ObservedPart.CODE, f"""
            adr x9, k
            and x9, x9, #0xff0          // {MARK}
            str w9, [x1]
            ret"""),
        "an address in a literal pool": (TWO, ObservedPart.CODE, f"""
            ldr x9, =k
            add x9, x9, #1              // {MARK}
            str w9, [x1]
            ret"""),
        "where a call left its return address": (TWO, ObservedPart.CODE, f"""
            mov x10, x30
            bl 1f
        1:  mov x9, x30
            mov x30, x10
            ubfx x9, x9, #4, #8         // {MARK}
            str w9, [x1]
            ret"""),
        "the order of two buffers, by a branch": (TWO, ObservedPart.ORDER, f"""
            mov w3, #1
            cmp x0, x1                  // {MARK}
            b.lo 1f
            mov w3, #2
        1:  str w3, [x1]
            ret"""),
        "the distance of two buffers in pages": (TWO, ObservedPart.ORDER, f"""
            sub x3, x1, x0              // {MARK}
            lsr x3, x3, #12
            str w3, [x1]
            ret"""),
        "an element chosen by a pointer's low bits": (TWO, ObservedPart.ALIGNMENT, f"""
            and x9, x0, #15             // {MARK}
            ldrb w3, [x0, x9]
            str w3, [x1]
            ret"""),
        "the upper half of a pointer": (TWO, ObservedPart.ORDER, f"""
            lsr x3, x0, #32             // {MARK}
            str w3, [x1]
            ret"""),
        "a pointer that is returned as a number": (
            ("long k(const uint8_t *x, uint8_t *out)", TWO[1]), ObservedPart.ORDER, f"""
            str wzr, [x1]
            add x0, x0, #3              // {MARK}
            ret"""),
    },
    Isa.A32: {
        "sp, copied and cut": (TWO, ObservedPart.STACK, f"""
            mov r12, sp
            mov r3, r12
            lsr r3, r3, #3              // {MARK}
            str r3, [r1]
            bx lr"""),
        "the thread pointer": (TWO, ObservedPart.THREAD, f"""
            mrc p15, 0, r3, c13, c0, 3
            lsr r3, r3, #4              // {MARK}
            str r3, [r1]
            bx lr"""),
        "sp, by way of the frame": (TWO, ObservedPart.STACK, f"""
            mov r12, sp
            push {{r12, lr}}
            pop {{r3, lr}}
            str r3, [r1]                // {MARK}
            bx lr"""),
        "the return address": (TWO, ObservedPart.CALLER, f"""
            ldrb r3, [r0]
            add r3, r3, lr              // {MARK}
            str r3, [r1]
            bx lr"""),
        "the program counter": (TWO, ObservedPart.CODE, f"""
            mov r12, pc
            and r12, r12, #0xff0        // {MARK}
            str r12, [r1]
            bx lr"""),
        "an address in a literal pool": (TWO, ObservedPart.CODE, f"""
            ldr r12, =k
            add r12, r12, #1            // {MARK}
            str r12, [r1]
            bx lr"""),
        "the order of two buffers, by a predicate": (TWO, ObservedPart.ORDER, f"""
            mov r3, #1
            cmp r0, r1                  // {MARK}
            movhs r3, #2
            str r3, [r1]
            bx lr"""),
        "a pointer that came on the stack": (FIVE, ObservedPart.ORDER, f"""
            ldr r12, [sp]
            lsr r3, r12, #12            // {MARK}
            str r3, [r12]
            bx lr"""),
        "an element chosen by a pointer's low bits": (TWO, ObservedPart.ALIGNMENT, f"""
            and r12, r0, #15            // {MARK}
            ldrb r3, [r0, r12]
            str r3, [r1]
            bx lr"""),
    },
}  # fmt: skip
FOUND = [(isa, name) for isa, table in WRONG.items() for name in table]


@pytest.mark.parametrize(("isa", "name"), FOUND, ids=[f"{isa.value} {name}" for isa, name in FOUND])
def test_a_result_that_depends_on_an_address_is_found_at_its_line(isa: Isa, name: str) -> None:
    (prototype, arguments), part, code = WRONG[isa][name]
    program, contract, line = kernel(isa, prototype, arguments, code)
    for seed in range(4):
        fault = find_unset(program, contract, drawn_arguments(contract, {}, seed), seed=seed)
        assert fault is not None, seed
        assert fault.kind is FaultKind.NONDETERMINISTIC, fault
        assert fault.source is not None
        assert fault.source.line == line, fault
        assert part.value in fault.message, fault


RIGHT = {
    Isa.A64: {
        "a pointer that is returned": (
            RETURNED,
            """
            ldr w3, [x0]
            str w3, [x1]
            add x0, x1, #4
            ret""",
        ),
        "a loop that ends at an address, and a count made of two": (
            TWO,
            """
            mov x9, x0
            mov w4, #0
            add x10, x0, #32
        1:  ldrb w3, [x0], #1
            add w4, w4, w3
            cmp x0, x10
            b.ne 1b
            sub x9, x0, x9
            add w4, w4, w9
            str w4, [x1]
            ret""",
        ),
        "a choice by order that comes to the same": (
            TWO,
            """
            cmp x0, x1
            ldr w3, [x0]
            b.hi 1f
            str w3, [x1]
            ret
        1:  strb w3, [x1]
            lsr w4, w3, #8
            strb w4, [x1, #1]
            lsr w4, w3, #16
            strh w4, [x1, #2]
            ret""",
        ),
        "a frame on 64 bytes": (
            TWO,
            """
            mov x9, sp
            sub x10, x9, #48
            and sp, x10, #-16
            ldr q0, [x0]
            str q0, [sp]
            ldr w3, [sp]
            mov sp, x9
            str w3, [x1]
            ret""",
        ),
        "a jump table": (
            TWO,
            """
            ldrb w3, [x0]
            and w3, w3, #1
            adr x9, 1f
            add x9, x9, x3, lsl #3
            br x9
        1:  str wzr, [x1]
            ret
            str w3, [x1]
            ret""",
        ),
    },
    Isa.A32: {
        "a pointer that is returned": (
            RETURNED,
            """
            ldr r3, [r0]
            str r3, [r1]
            add r0, r1, #4
            bx lr""",
        ),
        "a pointer that came on the stack, used as one": (
            FIVE,
            """
            ldr r12, [sp]
            ldr r3, [r0]
            str r3, [r12]
            bx lr""",
        ),
        "a jump table": (
            TWO,
            """
            ldrb r3, [r0]
            and r3, r3, #1
            add pc, pc, r3, lsl #3
            nop
            str r3, [r1]
            bx lr
            str r3, [r1]
            bx lr""",
        ),
        "a count made of two addresses": (
            TWO,
            """
            mov r12, r0
            vld1.8 {q0, q1}, [r0]!
            sub r3, r0, r12
            str r3, [r1]
            bx lr""",
        ),
    },
}
HANDLED = [(isa, name) for isa, table in RIGHT.items() for name in table]


@pytest.mark.parametrize(("isa", "name"), HANDLED, ids=[f"{isa.value} {name}" for isa, name in HANDLED])
def test_using_addresses_is_no_fault(isa: Isa, name: str) -> None:
    (prototype, arguments), code = RIGHT[isa][name]
    program, contract, _ = kernel(isa, prototype, arguments, code)
    for seed in range(4):
        assert find_unset(program, contract, drawn_arguments(contract, {}, seed), seed=seed) is None


@pytest.mark.parametrize("isa", Isa)
def test_elsewhere_everything_is_in_another_order_with_other_low_bits(isa: Isa) -> None:
    code = "str wzr, [x1]\nret" if isa is Isa.A64 else "mov r3, #0\nstr r3, [r1]\nbx lr"
    program, contract, _ = kernel(isa, *TWO, code)
    assert program.linked_at is not None
    low_bits = []
    orders = []
    for space, placed in ((HOME, program), (elsewhere(isa), program.linked_at(0x9000_0000, 0xA54))):
        with Machine(placed, space=space) as machine:
            run = machine.call("k", drawn_arguments(contract, {}, 1), contract.signature)
            assert isinstance(run, Run)
            state = machine.entry_state
        named = {**run.addresses, "sp": state.read("sp"), "code": placed.symbols["k"]}
        named["caller"] = state.read("x30" if isa is Isa.A64 else "lr")
        low_bits.append({name: address % 4096 for name, address in named.items() if name not in run.addresses})
        orders.append(named)
    assert all(low_bits[0][name] != low_bits[1][name] for name in low_bits[0])
    unit = 16 if isa is Isa.A64 else 8
    assert [low["sp"] % (2 * unit) for low in low_bits] == [0, unit]
    for one, other in itertools.combinations(["x", "out", "sp"], 2):
        assert (orders[0][one] < orders[0][other]) != (orders[1][one] < orders[1][other])
