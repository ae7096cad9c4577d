"""Who wrote which byte last."""

from __future__ import annotations

import numpy as np
import pytest
from tests.emulate.guest_programs import BASE, assembled
from unicorn import UC_HOOK_MEM_WRITE, arm64_const, arm_const

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.emulate.engine import Uc
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.last_writer import LastWriterProbe
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa

PROGRAMS = {
    Isa.A64: "str q0, [x0]\nstr w1, [x0, #3]\nst4 {v0.8b-v3.8b}, [x0]\nadd x2, x0, #40\nst1 {v1.b}[3], [x2], #1\n"
    "stp q0, q1, [x2]\nmov w4, #3\n1: strb w4, [x2], #2\nsubs w4, w4, #1\nb.ne 1b\nstr x4, [x1]\nret",
    Isa.A32: "vst1.8 {q0}, [r0]\nstr r1, [r0, #3]\nvst4.8 {d0-d3}, [r0]\nadd r2, r0, #40\nvst1.8 {d1[3]}, [r2]!\n"
    "vst1.8 {q0,q1}, [r2]\nmov r3, #3\n1: strb r3, [r2], #2\nsubs r3, r3, #1\nbne 1b\nstrne r3, [r0]\n"
    "streq r3, [r1]\nbx lr",
}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_each_byte_names_the_instruction_that_wrote_it_last(isa: Isa) -> None:
    probe = LastWriterProbe()
    a, b = Buffer("a", np.zeros(200, np.uint8), writable=True), Buffer("b", np.zeros(9, np.uint8), writable=True)
    signature = parse_prototype("void f(uint8_t *a, uint8_t *b)", isa)
    program = assembled(isa, PROGRAMS[isa])
    with Machine(program, probes=(probe,)) as machine:
        run = machine.call("kernel", [a, b], signature)
    assert isinstance(run, Run)
    got = {name: probe.collect(name) for name in "ab"}

    pc = arm64_const.UC_ARM64_REG_PC if isa is Isa.A64 else arm_const.UC_ARM_REG_PC
    want = {name: np.zeros(size, np.uint32) for name, size in (("a", 200), ("b", 9))}

    def written(engine: Uc, _kind: int, address: int, size: int, _value: int, _user: object) -> None:
        for name, shadow in want.items():
            offset = address - run.addresses[name]
            if 0 <= offset < shadow.size:
                shadow[offset : offset + size] = engine.reg_read(pc)

    with Machine(program) as machine:
        machine.engine.hook_add(UC_HOOK_MEM_WRITE, written)
        machine.call("kernel", [a, b], signature)
    for name in "ab":
        np.testing.assert_array_equal(got[name], want[name])
    assert probe.writer("a", 0) == BASE + 8
    assert probe.writer("a", 35) is None
    assert probe.writer("b", 8) is None


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_each_call_starts_unwritten(isa: Isa) -> None:
    probe = LastWriterProbe()
    signature = parse_prototype("void f(uint8_t *a)", isa)
    store = "strb w0, [x0]\nret" if isa is Isa.A64 else "strb r0, [r0]\nbx lr"
    with Machine(assembled(isa, store), probes=(probe,)) as machine:
        for size in (3, 5000, 1):
            machine.call("kernel", [Buffer("a", np.zeros(size, np.uint8), writable=True)], signature)
            assert probe.collect("a").shape == (size,)
            assert np.flatnonzero(probe.collect("a")).tolist() == [0]


def test_a_block_that_dc_zva_cleared_names_it_as_far_as_it_lies_in_the_buffer() -> None:
    text = "str q0, [x0]; str q0, [x0, #112]; add x1, x0, #77; dc zva, x1; str w1, [x0, #80]; ret"
    code = ".global kernel\nkernel:\n" + text.replace("; ", "\n") + "\n"
    program = link(assemble_text(code, isa=Isa.A64, path="kernel.S"))
    probe = LastWriterProbe(program)
    a = Buffer("a", np.full(192, 7, np.uint8), writable=True)
    with Machine(program, probes=(probe,)) as machine:
        run = machine.call("kernel", [a], parse_prototype("void f(uint8_t *a)", Isa.A64))
    assert isinstance(run, Run) and run.addresses["a"] % 64 == 0
    want = np.zeros(192, np.uint32)
    for first, size, number in ((0, 16, 0), (112, 16, 1), (64, 64, 3), (80, 4, 4)):
        want[first : first + size] = program.instructions[number].address
    np.testing.assert_array_equal(probe.collect("a"), want)
    assert not run.outputs["a"][64:80].any() and (run.outputs["a"][128:] == 7).all()
