"""Kernels that set how floats are rounded, or read what the CPU is, are not proved, by the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.prove.test_addresses import added

from neonlab.emulate.trace import Trace
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.run.lookup import one_shape
from neonlab.prove.kernel.symbolic_run import record, refuse_system_registers
from neonlab.prove.refusal import Refusal

MODE, CPU = "sets how floats are rounded", "reads what only this CPU says"
REFUSED = [
    (Isa.A64, "mrs x9, fpcr\n msr fpcr, x9", MODE), (Isa.A64, "msr fpcr, xzr", MODE),
    (Isa.A64, "mrs x9, dczid_el0", CPU), (Isa.A64, "mrs x9, ctr_el0\n ubfx x9, x9, #0, #4", CPU),
    (Isa.A64, "mrs x9, midr_el1", CPU), (Isa.A64, "mrs x9, id_aa64isar0_el1", CPU),
    (Isa.A32, "vmrs r12, fpscr\n vmsr fpscr, r12", MODE), (Isa.A32, "mov r12, #0\n vmsr fpscr, r12", MODE),
]  # fmt: skip
FOLLOWED = [
    (Isa.A64, "mrs x9, fpcr\n mrs x9, fpsr\n mrs x9, nzcv"), (Isa.A64, "msr nzcv, xzr"),
    (Isa.A64, "cbz x3, 9f\n b 8f\n9: mrs x9, ctr_el0\n8:"),  # of 37 elements it is not executed
    (Isa.A32, "vmrs r12, fpscr"), (Isa.A32, "mrs r12, apsr"),
]  # fmt: skip


def traced(isa: Isa, text: str, folder: Path) -> Trace:
    """Return the trace of a call of the kernel that begins with these statements."""
    kernel = added(isa, text, "", folder)
    assert kernel.operator is not None
    case = kernel.operator.case(kernel.contract, one_shape(kernel, "37"), "random", 1)
    return record(kernel_program(kernel), kernel.contract, case, 1 << 16)[0]


@pytest.mark.parametrize(("isa", "text", "reason"), REFUSED, ids=[f"{one[0].value} {one[1]}" for one in REFUSED])
def test_what_one_cpu_or_mode_decides_is_refused_with_its_line(
    isa: Isa, text: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(Refusal) as refused:
        refuse_system_registers(traced(isa, text, tmp_path))
    assert reason in refused.value.reason and "add_s8_saturated.S:" in refused.value.place


@pytest.mark.parametrize(("isa", "text"), FOLLOWED, ids=[f"{one[0].value} {one[1]}" for one in FOLLOWED])
def test_flags_and_what_is_not_executed_are_not_refused(isa: Isa, text: str, tmp_path: Path) -> None:
    refuse_system_registers(traced(isa, text, tmp_path))
