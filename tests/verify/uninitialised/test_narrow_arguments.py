"""Narrow arguments whose upper halves matter, and buffers no better placed than promised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.verify.sanitized_call import contract_of, standard_contract

from neonlab.contract.header import Contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.verify.memory.placement import exact_placement, place_arguments
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.uninitialised.narrow_arguments import depends_on_upper_half

A64 = Isa.A64
COUNT, ROWS = 5, 7


def _contract(types: str = "int32_t") -> Contract:
    return contract_of(
        A64,
        f"int64_t ({types} count, uint16_t rows)",
        {"count": "range = [-9, 9]", "rows": "range = [0, 9]"},
    )


def _wrong_unless(value: int) -> Callable[[Run | Fault], bool]:
    return lambda outcome: isinstance(outcome, Fault) or outcome.returned != value


@pytest.mark.parametrize(
    ("text", "result", "argument", "register", "line"),
    [
        ("nop\n add x0, x0, #1\n ret", COUNT + 1, "count", "x0", 2),
        ("mov w9, w0\n add x0, x9, x1\n ret", COUNT + ROWS, "rows", "x1", 2),
        ("sxtw x2, w0\n and x3, x0, #0xff\n lsl x0, x0, #2\n ret", COUNT * 4, "count", "x0", 3),
        ("cbz x2, 1f\n 1: mov x9, x1\n uxtw x0, w0\n add x0, x0, x9\n ret", COUNT + ROWS, "rows", "x1", 4),
        ("str x0, [sp, #-16]!\n ldr x9, [sp], #16\n lsr x9, x9, #32\n add w0, w0, w9\n ret", COUNT, "count", "x0", 3),
        ("and w1, w1, #0xffff\n add x0, x0, x1\n ret", COUNT + ROWS, "count", "x0", 2),
    ],
)
def test_the_first_use_of_an_upper_half_other_than_a_copy_is_named(
    text: str, result: int, argument: str, register: str, line: int
) -> None:
    contract = _contract()
    fault = depends_on_upper_half(assembled(A64, text), contract, [COUNT, ROWS], _wrong_unless(result))
    assert fault is not None
    assert fault.source is not None
    assert (fault.kind, fault.register, fault.source.line) == (FaultKind.UPPER_HALF_ARGUMENT, register, line)
    assert f"`{argument}`" in fault.message


def test_a_negative_argument_may_need_its_sign() -> None:
    fault = depends_on_upper_half(assembled(A64, "add x0, x0, #1\n ret"), _contract(), [-3, ROWS], _wrong_unless(-2))
    assert fault is not None
    assert "sign-extends" in fault.message


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("sxtw x0, w0\n and w1, w1, #0xffff\n add x0, x0, x1\n ret", COUNT + ROWS),  # right
        ("sxtw x0, w0\n ret", COUNT + 1),  # wrong either way
        ("sxtw x0, w0\n str x0, [x1]\n ret", COUNT + 1),
    ],
)
def test_what_does_not_depend_on_it_is_not_blamed_on_it(text: str, result: int) -> None:
    assert depends_on_upper_half(assembled(A64, text), _contract(), [COUNT, ROWS], _wrong_unless(result)) is None


def test_a_stack_slot_read_whole_is_found() -> None:
    names = [f"a{i}" for i in range(8)]
    prototype = f"int64_t ({', '.join(f'size_t {name}' for name in names)}, int32_t last)"
    contract = contract_of(A64, prototype, dict.fromkeys([*names, "last"], "range = [0, 9]"))
    program = assembled(A64, "ldr w0, [sp]\n ldr x0, [sp]\n ret")
    fault = depends_on_upper_half(program, contract, [*range(8), 6], _wrong_unless(6))
    assert fault is not None
    assert fault.source is not None
    assert (fault.register, fault.source.line) == ("stack+0", 2)


def test_registers_of_a32_have_no_upper_half() -> None:
    contract = contract_of(Isa.A32, "int32_t (int32_t n)", {"n": "range = [0, 9]"})
    program = assembled(Isa.A32, "mov r0, #3\n bx lr")
    assert depends_on_upper_half(program, contract, [4], _wrong_unless(4)) is None


@pytest.mark.parametrize("align", [1, 2, 8, 16, 64, 256])
@pytest.mark.parametrize("turn", range(6))
def test_exact_placement_is_aligned_as_promised_and_no_better(align: int, turn: int) -> None:
    contract = standard_contract(A64, src=f", align = {align}")
    alignment, offset = exact_placement(contract.argument("src"), turn)
    assert offset % align == 0
    assert offset % (2 * align) == align
    assert alignment % (2 * align) == 0
    with Machine(assembled(A64, "ret")) as machine:
        buffers = [Buffer("src", np.zeros(29, np.uint8)), Buffer("dst", np.zeros(29, np.uint8), True)]
        run = machine.call("kernel", place_arguments(contract, [*buffers, 29], turn + 1), contract.signature)
        assert isinstance(run, Run)
        assert run.addresses["src"] % (2 * align) == align
        run = machine.call("kernel", place_arguments(contract, [*buffers, 29], 0), contract.signature)
        assert isinstance(run, Run)
        assert run.addresses["dst"] + 29 == -(-(run.addresses["dst"] + 29) // 4096) * 4096


def test_a_promise_kept_is_a_hint_kept() -> None:
    isa = Isa.A32
    buffers = [Buffer("src", np.zeros(29, np.uint8)), Buffer("dst", np.zeros(29, np.uint8), True)]
    program = assembled(isa, "vld1.8 {d0-d1}, [r0 :128]\n bx lr")
    for align, right in ((16, True), (32, True), (8, False), (1, False)):
        contract = standard_contract(isa, src=f", align = {align}")
        with SanitizedMachine(program, contract) as machine:
            for turn in range(1, 5):
                outcome = machine.call("kernel", place_arguments(contract, [*buffers, 29], turn), contract.signature)
                assert isinstance(outcome, Run) is right
                if isinstance(outcome, Fault):
                    assert outcome.kind is FaultKind.ALIGNMENT_HINT
                    assert f"align = {align}" in outcome.clause
