"""Refuse what addresses or earlier calls may decide, by its line; do not refuse what only points into a buffer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.command_line import new_repository
from tests.kernel_sources import ROOT
from tests.sample import ONE_OF_EACH

from neonlab.emulate.trace import TraceProbe
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.lookup import one_shape
from neonlab.lab.run.plan import shapes_to_prove
from neonlab.measure.shape import Shape
from neonlab.prove import addresses
from neonlab.prove.addresses import refuse_addresses
from neonlab.prove.kernel import symbolic_run
from neonlab.prove.refusal import Refusal

DECIDES, COMPUTES, KEPT, PATH = "decide what this", "computes with an address", "data of the kernel's own", "the path"
COUNT = '.section .data, "aw"\n.balign 8\ncalls: .word 0\n.text\n'
FIXED = '.section .rodata, "a"\n.balign 8\ncalls: .word 0\n.text\n'
# instruction set, statements at the beginning, what follows the kernel, reason
REFUSED = [
    (Isa.A64, "cmp w0, w1", "", DECIDES), (Isa.A64, "cmp x0, x1", "", DECIDES), (Isa.A64, "cmp w0, #0", "", DECIDES),
    (Isa.A64, "add x9, x0, x3\n cmp w9, w0", "", DECIDES), (Isa.A64, "tst x0, #64", "", DECIDES),
    (Isa.A64, "tbz x0, #40, 9f\n9:", "", DECIDES), (Isa.A64, "cmp x0, x1, lsl #1", "", DECIDES),
    (Isa.A64, "sub x9, x0, x1", "", COMPUTES), (Isa.A64, "and x9, x0, #0xfff", "", COMPUTES),
    (Isa.A64, "and x9, x0, #1", "", COMPUTES), (Isa.A64, "lsr x9, x2, #40", "", COMPUTES),
    (Isa.A64, "add x9, x0, x1", "", COMPUTES), (Isa.A64, "dup v30.2d, x0", "", COMPUTES),
    (Isa.A64, "mov w9, w0", "", COMPUTES), (Isa.A64, "mov x9, sp\n ubfx x9, x9, #6, #10", "", COMPUTES),
    (Isa.A64, "sub x9, x0, x2\n cbz x9, 9f\n9:", "", COMPUTES),
    (Isa.A64, "adrp x9, calls\n ldr w9, [x9, :lo12:calls]", COUNT, KEPT),
    (Isa.A32, "cmp r0, r1", "", DECIDES), (Isa.A32, "tst r0, #64", "", DECIDES), (Isa.A32, "cmp r0, #5", "", DECIDES),
    (Isa.A32, "sub r12, r0, r1", "", COMPUTES), (Isa.A32, "lsr r12, r2, #20", "", COMPUTES),
    (Isa.A32, "and r12, r0, #1", "", COMPUTES), (Isa.A32, "vdup.32 q15, r0", "", COMPUTES),
]  # fmt: skip
ALLOWED = [
    (Isa.A64, "mov x9, x0\n add x9, x9, #3\n cmp x9, x0", ""), (Isa.A64, "cbz x0, 9f\n9:", ""),
    (Isa.A64, "cmp x0, #0", ""), (Isa.A64, "add x9, x0, x3\n sub x9, x9, x0\n cmp x9, #5", ""),
    (Isa.A64, "stp x0, x1, [sp, #-16]!\n ldp x0, x1, [sp], #16", ""), (Isa.A64, "tst x3, #1\n dup v30.2d, x3", ""),
    (Isa.A64, "adrp x9, calls\n ldr w9, [x9, :lo12:calls]", FIXED),
    (Isa.A64, "adrp x9, calls\n str w3, [x9, :lo12:calls]", COUNT),
    (Isa.A32, "mov r12, r0\n add r12, r12, #3\n cmp r12, r0", ""), (Isa.A32, "push {r0, r1}\n pop {r0, r1}", ""),
    (Isa.A32, "cmp r0, #0", ""), (Isa.A32, "tst r3, #1\n vdup.32 q15, r3", ""),
]  # fmt: skip


def added(isa: Isa, text: str, after: str, folder: Path) -> Kernel:
    """Return the sum that `neonlab init` begins with, with statements before all that it does."""
    root = new_repository(folder / "new")
    path = root / "asm" / ("armv8" if isa is Isa.A64 else "armv7") / "add_s8_saturated.S"
    whole = path.read_text()
    assert "\nadd_s8_saturated:\n" in whole
    path.write_text(whole.replace("\nadd_s8_saturated:\n", f"\nadd_s8_saturated:\n    {text}\n", 1) + after)
    return open_kernel(path)


def refuse(kernel: Kernel, shape: Shape) -> None:
    assert kernel.operator is not None
    case = kernel.operator.case(kernel.contract, shape, "random", 1)
    refuse_addresses(kernel_program(kernel), kernel.contract, case)


@pytest.mark.parametrize(
    ("isa", "text", "after", "reason"), REFUSED, ids=[f"{one[0].value} {one[1]}" for one in REFUSED]
)
@pytest.mark.sweep(keep=12)
def test_what_an_address_or_an_earlier_call_decides_is_refused_with_its_line(
    isa: Isa, text: str, after: str, reason: str, tmp_path: Path
) -> None:
    kernel = added(isa, text, after, tmp_path)
    with pytest.raises(Refusal) as refused:
        refuse(kernel, one_shape(kernel, "37"))
    assert reason in refused.value.reason and refused.value.place.startswith(str(kernel.path))


@pytest.mark.parametrize(("isa", "text", "after"), ALLOWED, ids=[f"{one[0].value} {one[1]}" for one in ALLOWED])
@pytest.mark.sweep(keep=6)
def test_addresses_that_only_point_into_their_buffers_are_not_refused(
    isa: Isa, text: str, after: str, tmp_path: Path
) -> None:
    kernel = added(isa, text, after, tmp_path)
    refuse(kernel, one_shape(kernel, "37"))


@pytest.mark.parametrize("text", ["and x9, x0, #15\n cbz x9, 9f\n add x9, x9, #1\n9:"])
def test_a_path_that_addresses_decide_is_refused(text: str, tmp_path: Path) -> None:
    kernel = added(Isa.A64, text, "", tmp_path)
    with pytest.raises(Refusal, match=PATH):
        refuse(kernel, one_shape(kernel, "37"))


def test_a_call_that_was_followed_is_not_recorded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = open_kernel(ROOT / "asm/armv8/relu/relu_s8s8_flat_64.S")
    assert kernel.operator is not None
    program, contract = kernel_program(kernel), kernel.contract
    case = kernel.operator.case(contract, one_shape(kernel, "67"), "random", 1)
    trace, _ = symbolic_run.record(program, contract, case, 1 << 20)
    made: list[int] = []

    def counted(*given: Any) -> TraceProbe:
        made.append(1)
        return TraceProbe(*given)

    monkeypatch.setattr(addresses, "TraceProbe", counted)
    refuse_addresses(program, contract, case)
    assert len(made) == 1
    assert symbolic_run.record(program, contract, case, 1 << 20)[0] is trace
    with pytest.raises(Refusal, match="more than 5 instructions"):
        symbolic_run.record(program, contract, case, 5)
    other = kernel.operator.case(contract, one_shape(kernel, "67"), "random", 1)  # equal, but another one
    assert symbolic_run.recorded(program, contract, other) is None


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(parts=2)
def test_no_kind_of_kernel_is_refused(kernel: Kernel) -> None:
    shapes = shapes_to_prove(kernel)
    for shape in shapes[:: max(len(shapes) // 3, 1)]:
        if shape.work < 1 << 16:
            refuse(kernel, shape)
