"""A kernel that counts its calls is told wrong, whichever call it is that differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository
from tests.verify.small_kernels import drawn_arguments, kernel

from neonlab.emulate.run import FaultKind
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_member
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import plan_cases
from neonlab.verify.uninitialised.noise_check import UnsetCheck

ENTRY = "add_s8_saturated:\n"
COUNTS = """    adrp    x9, calls
    ldr     w10, [x9, :lo12:calls]
    add     w10, w10, #1
    str     w10, [x9, :lo12:calls]
    cmp     w10, #{}
    b.eq    4f
"""


@pytest.mark.parametrize(
    ("call", "is_seen"), [(2, True), (3, True), (5, True), (8, True), (40, True), (64, True), (1 << 11, False)]
)
def test_a_call_that_differs_is_found_among_the_first(tmp_path: Path, call: int, is_seen: bool) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    assert text.count(ENTRY) == 1
    path.write_text(text.replace(ENTRY, ENTRY + COUNTS.format(call)) + "\n    .local calls\n    .comm calls, 4, 4\n")
    member = open_member(root, path)
    found = [one for one in check_cases(member, plan_cases(member, turning=False)[:2]) if one is not None]
    assert bool(found) is is_seen, found
    assert not found or (found[0].fault is not None and found[0].fault.kind is FaultKind.NONDETERMINISTIC)


def test_an_empty_call_does_not_take_the_place_of_one_with_results() -> None:
    """Copy n bytes; the 40th call inverts them."""
    code = """    adrp x9, calls
    ldr w10, [x9, :lo12:calls]
    add w10, w10, #1
    str w10, [x9, :lo12:calls]
    cmp w10, #40
    csetm w11, eq
1:  cbz x2, 2f
    sub x2, x2, #1
    ldrb w12, [x0, x2]
    eor w12, w12, w11
    strb w12, [x1, x2]
    b 1b
2:  ret
    .local calls
    .comm calls, 4, 4"""
    arguments = {"x": 'read = "n"', "out": 'write = "n"', "n": "range = [0, 64]"}
    program, contract, _ = kernel(Isa.A64, "void k(const uint8_t *x, uint8_t *out, size_t n)", arguments, code)
    with UnsetCheck(program, contract) as check:
        found = [check.find(drawn_arguments(contract, {"n": n}, n), seed=n) for n in (0, 0, 0, 0, 8)]
    assert found[:-1] == [None] * 4
    assert found[-1] is not None
    assert found[-1].kind is FaultKind.NONDETERMINISTIC, found
