"""The difference that a comparison is said to look at has the flags that the emulator computes."""

from __future__ import annotations

from random import Random

import pytest

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.comparisons import comparisons_of
from neonlab.isa.model.isa import Isa

A64 = [
    "cmp x0, x1", "cmp w0, w1", "cmp x0, #5", "cmp x0, x1, lsl #2", "cmp x0, x1, asr #1", "cmn x0, x1", "cmn w0, #7",
    "cmn x0, x1, lsl #1", "subs x2, x0, x1", "subs w2, w0, #3", "adds x2, x0, x1", "adds x2, x0, #4",
    "adds x2, x0, x1, lsl #3", "subs x0, x0, x1",
]  # fmt: skip
A32 = [
    "cmp r0, r1", "cmp r0, #5", "cmp r0, r1, lsl #2", "cmp r0, r1, asr #1", "cmn r0, r1", "cmn r0, #7",
    "cmn r0, r1, lsl #1", "subs r2, r0, r1", "subs r2, r0, #3", "subs r0, #3", "adds r2, r0, r1", "adds r2, r0, #4",
    "adds r0, r1", "rsbs r2, r0, r1", "rsbs r2, r0, #9", "rsbs r2, r0, r1, lsl #2",
]  # fmt: skip
FORMS = [(Isa.A64, text) for text in A64] + [(Isa.A32, text) for text in A32]
N, Z, V = 31, 30, 28


@pytest.mark.parametrize(("isa", "text"), FORMS, ids=[f"{isa.value} {text}" for isa, text in FORMS])
def test_the_difference_has_the_flags_that_the_emulator_computes(isa: Isa, text: str) -> None:
    end = {Isa.A64: "mrs x0, nzcv\nret", Isa.A32: "mrs r0, apsr\nbx lr"}[isa]
    program = link(assemble_text(f".globl f\nf:\n{text}\n{end}\n", isa=isa))
    (comparison,) = comparisons_of(program.instructions)
    prototype = parse_prototype("long f(long a, long b)", isa)
    random = Random(1)
    signs = set()
    with Machine(program) as machine:
        for number in range(60):
            both = [random.randrange(-9, 10) if number % 2 else random.randrange(-(2**20), 2**20) for _ in range(2)]
            ran = machine.call("f", both, prototype)
            assert isinstance(ran, Run) and isinstance(ran.returned, int)
            held = tuple(both[int(register.index)] % 2**64 for register in comparison.registers)
            difference = comparison.difference(held)
            assert difference is not None
            flags = ran.returned
            assert (difference == 0) == bool(flags >> Z & 1), (both, difference)
            assert (difference < 0) == bool((flags >> N ^ flags >> V) & 1), (both, difference)
            signs.add((difference > 0) - (difference < 0))
    assert {-1, 1} <= signs
