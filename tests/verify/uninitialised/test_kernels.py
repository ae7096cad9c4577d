"""No kind of kernel depends on what nobody set; one line of it changed, and the line is found."""

from __future__ import annotations

from typing import Any

import pytest
from tests.kernel_sources import file_of, inlined
from tests.sample import ONE_OF_EACH

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.contract.header import parse_contract
from neonlab.emulate.run import FaultKind
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.verify.cases.case import Depth
from neonlab.verify.check_case import call_arguments, step_budget
from neonlab.verify.uninitialised.noise_check import UnsetCheck

REGISTER, READ = FaultKind.UNINITIALISED_REGISTER, FaultKind.UNINITIALISED_READ
CASES = 20  # of each kernel, evenly spaced


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(parts=2)
def test_no_kind_of_kernel_depends_on_what_nobody_set(kernel: Kernel) -> None:
    planned = plan_cases(kernel)  # of which `check` looks at as many as have few steps
    names = planned[:: max(len(planned) // CASES, 1)]
    assert len(names) >= CASES
    with UnsetCheck(kernel_program(kernel), kernel.contract) as check:
        for number, name in enumerate(names):
            case = draw_case(kernel, name)
            budget = step_budget(kernel.contract, case.integers)
            fault = check.find(call_arguments(kernel.contract, case), seed=number, step_budget=budget)
            assert fault is None, (case.title, fault)


# file, text to replace (its first occurrence), its replacement, kind, what the line blamed begins with
CHANGES = [
    ("armv8/conv1x1_s8s32_chw_8x4", "stp     xzr, xzr, [sp]\n", "nop\n", READ,
     ("ld1     {\\low\\().4s", "ld1r    {v8.")),
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


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=[f"{change[0]} {change[1].strip()}" for change in CHANGES])
def test_one_line_changed_in_a_kernel_of_the_library_is_found_where_it_shows(change: tuple[Any, ...]) -> None:
    name, old, new, kind, blamed = change
    path = file_of(name)
    text = inlined(path)
    assert old in text
    text = text.replace(old, new, 1)
    opened = open_kernel(path)
    contract = parse_contract(text, str(path))
    assert contract is not None
    program = link(assemble_text(text, isa=opened.isa, path=str(path)))
    found = []
    with UnsetCheck(program, contract) as check:
        names = [name for name in plan_cases(opened) if name.depth in (Depth.FULL, Depth.WATCHED)]
        for number, case_name in enumerate(names[::2]):
            case = draw_case(opened, case_name)
            budget = step_budget(contract, case.integers)
            fault = check.find(call_arguments(contract, case), seed=number, step_budget=budget)
            if fault is not None:
                found.append(fault)
    assert found
    assert {fault.kind for fault in found} == {kind}, [fault.message for fault in found]
    lines = {fault.source.text.strip() for fault in found if fault.source is not None}
    assert all(line.startswith(tuple(blamed)) for line in lines), lines
