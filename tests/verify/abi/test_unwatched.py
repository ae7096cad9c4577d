"""A run that compares results alone notices faults that leave the results right."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import new_repository

from neonlab.emulate.run import FaultKind
from neonlab.lab.repository.library import open_member
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import plan_cases
from neonlab.verify.cases.case import Depth

NAME = "add_s8_saturated"
#: By instruction set: code before the first instruction, and the fault that it is.
FAULTS = {
    ("armv8", "mov x19, #0"): FaultKind.CLOBBERED_CALLEE_SAVED,
    ("armv8", "movi v8.16b, #0"): FaultKind.CLOBBERED_CALLEE_SAVED,
    ("armv8", "mov x18, #0"): FaultKind.CLOBBERED_CALLEE_SAVED,
    ("armv8", "sub sp, sp, #16"): FaultKind.STACK_POINTER,
    ("armv8", "mov x9, #0x1000000\n    msr fpcr, x9"): FaultKind.FLOATING_POINT_CONTROL,
    ("armv8", "sdot v20.4s, v21.16b, v22.16b"): FaultKind.FEATURE_NOT_DECLARED,
    ("armv8", "stur x9, [sp, #-16]"): FaultKind.BELOW_STACK,
    ("armv7", "mov r11, #0"): FaultKind.CLOBBERED_CALLEE_SAVED,
    ("armv7", "vmov.i8 d15, #0"): FaultKind.CLOBBERED_CALLEE_SAVED,
    ("armv7", "sub sp, sp, #8"): FaultKind.STACK_POINTER,
}


def found(tmp_path: Path, folder: str, code: str) -> list[FaultKind | None]:
    """Return the faults of three cases that compare results alone."""
    root = new_repository(tmp_path)
    path = root / "asm" / folder / f"{NAME}.S"
    text = path.read_text()
    assert text.count(f"\n{NAME}:\n") == 1
    path.write_text(text.replace(f"\n{NAME}:\n", f"\n{NAME}:\n    {code}\n"))
    kernel = open_member(root, path)
    names = [name for name in plan_cases(kernel, turning=False) if name.depth is Depth.QUICK][:3]
    assert len(names) == 3
    outcomes = check_cases(kernel, names)
    return [one.fault.kind if one is not None and one.fault is not None else None for one in outcomes]


@pytest.mark.parametrize(("folder", "code"), FAULTS, ids=str)
def test_a_fault_beside_a_right_result_is_told(tmp_path: Path, folder: str, code: str) -> None:
    assert found(tmp_path, folder, code) == [FAULTS[folder, code]] * 3


@pytest.mark.parametrize(
    ("folder", "code"), [("armv8", "mov x17, #0"), ("armv8", "movi v31.2d, #0"), ("armv7", "mov r12, #0")]
)
def test_what_a_call_may_change_is_no_fault(tmp_path: Path, folder: str, code: str) -> None:
    assert found(tmp_path, folder, code) == [None] * 3
