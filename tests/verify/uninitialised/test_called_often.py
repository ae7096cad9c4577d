"""A kernel that counts its calls is told wrong, whichever call it is that differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.emulate.run import FaultKind
from neonlab.lab.repository.library import open_member
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import plan_cases

ENTRY = "add_s8_saturated:\n"
COUNTS = """    adrp    x9, calls
    ldr     w10, [x9, :lo12:calls]
    add     w10, w10, #1
    str     w10, [x9, :lo12:calls]
    cmp     w10, #{}
    b.eq    4f
"""


@pytest.mark.parametrize(("call", "is_seen"), [(2, True), (3, True), (5, True), (8, True), (1 << 11, False)])
def test_a_call_that_differs_is_found_among_the_first(tmp_path: Path, call: int, is_seen: bool) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    assert text.count(ENTRY) == 1
    path.write_text(text.replace(ENTRY, ENTRY + COUNTS.format(call)) + "\n    .local calls\n    .comm calls, 4, 4\n")
    kernel = open_member(root, path)
    found = [one for one in check_cases(kernel, plan_cases(kernel, turning=False)[:2]) if one is not None]
    assert bool(found) is is_seen, found
    assert not found or (found[0].fault is not None and found[0].fault.kind is FaultKind.NONDETERMINISTIC)
