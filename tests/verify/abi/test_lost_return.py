"""Calls that lose their way back, and the instruction that spoilt it, however late that shows."""

from __future__ import annotations

import pytest
from tests.verify.sanitized_call import call, line_of, standard_contract

from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa

A64, A32 = Isa.A64, Isa.A32

# isa, text (one statement a line), line to blame, part of the message.
WRONG = [
    # What follows the call is executed for ever, until a pointer leaves its buffer, or until sp is beyond the stack.
    (A64, "bl 1f\n ret\n 1: ret", 1, "without having been saved: `ret` (line 2) goes back into the program"),
    (A64, "bl 1f\n ldrb w9, [x0], #1\n ret\n 1: ret", 1, "without having been saved"),
    (A32, "bl 1f\n ldrb r3, [r0], #1\n bx lr\n 1: bx lr", 1, "without having been saved"),
    (A32, "bl 1f\n sub sp, sp, #8\n mov pc, lr\n 1: bx lr", 1, "`mov pc, lr` (line 3) goes back"),
    (A64, "mov x9, x30\n bl 1f\n ret\n 1: ret", 2, "not restored"),
    (A64, "mov x9, x30\n adr x9, 1f\n blr x9\n ret\n 1: ret", 3, "not restored"),
    (
        A64,
        "stp x29, x30, [sp, #-16]!\n bl 1f\n ldr x29, [sp], #16\n ret\n 1: ret",
        2,
        "overwritten here and not restored",
    ),
    # A call inside a call, the outer of which saves nothing.
    (
        A64,
        "str x30, [sp, #-16]!\n bl 1f\n ldr x30, [sp], #16\n ret\n 1: bl 2f\n strb wzr, [x1], #1\n ret\n 2: ret",
        5,
        "without",
    ),
    (
        A32,
        "push {r4, lr}\n bl 1f\n pop {r4, lr}\n add lr, lr, #4\n bx lr\n 1: bx lr",
        4,
        "overwritten here and not restored",
    ),
    (A32, "push {r3, lr}\n mov lr, #0\n ldr lr, [sp]\n add sp, sp, #8\n bx lr", 3, "restored wrongly here"),
    # The condition of the first return does not hold; the second goes wrong.
    (A32, "bl 1f\n cmp r2, #0\n bxeq lr\n bx lr\n 1: bx lr", 1, "`bx lr` (line 4)"),
    # Of another register than lr the return itself is to blame.
    (A64, "ret x0", 1, "`ret x0` returns to"),
    (A32, "push {r0, r4}\n pop {r4, pc}", 2, "`pop {r4, pc}` returns to"),
]


@pytest.mark.parametrize(("isa", "text", "line", "words"), WRONG)
def test_the_instruction_that_spoilt_the_return_is_named(isa: Isa, text: str, line: int, words: str) -> None:
    fault = call(isa, text, standard_contract(isa))
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault)) == (FaultKind.BAD_RETURN, line), fault
    assert words in fault.message
    assert "Subroutine Calls" in fault.clause


@pytest.mark.parametrize(
    ("isa", "text", "kind", "line"),
    [
        # Calls that come back as they should; what went wrong is something else.
        (A64, "mov x9, x30\n bl 1f\n mov x30, x9\n 2: b 2b\n 1: ret", FaultKind.STEP_BUDGET, 4),
        (
            A64,
            "mov x9, x30\n bl 1f\n mov x30, x9\n strb w9, [x1, #29]\n ret\n 1: ret",
            FaultKind.OUT_OF_BOUNDS_WRITE,
            4,
        ),
        (A64, "mov x9, x30\n bl 1f\n 1: mov x30, x9\n mov x19, #0\n ret", FaultKind.CLOBBERED_CALLEE_SAVED, 4),
        (
            A32,
            "push {r4, lr}\n blne 1f\n ldrb r3, [r0, #29]\n pop {r4, pc}\n 1: bx lr",
            FaultKind.OUT_OF_BOUNDS_READ,
            3,
        ),
        # The fault comes before the wrong return.
        (A64, "bl 1f\n ldrb w9, [x0, #29]\n ret\n 1: ret", FaultKind.OUT_OF_BOUNDS_READ, 2),
    ],
)
def test_a_return_that_is_right_is_not_blamed(isa: Isa, text: str, kind: FaultKind, line: int) -> None:
    fault = call(isa, text, standard_contract(isa))
    assert isinstance(fault, Fault)
    assert (fault.kind, line_of(fault)) == (kind, line), fault


def test_calls_that_come_back_raise_nothing() -> None:
    text = "stp x29, x30, [sp, #-16]!\n bl 1f\n bl 1f\n ldp x29, x30, [sp], #16\n ret\n 1: strb wzr, [x1], #1\n ret"
    assert isinstance(call(A64, text, standard_contract(A64)), Run)
