"""Counts against a Python hook on every instruction, and against sums worked out by hand."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled, compiled
from unicorn import UC_HOOK_CODE

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import Signature, parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.counts import CountsProbe

both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)

# Each is a function of (n, a: 4 KiB read-only, c: 4 KiB writable).
A64 = {
    "nested loops": "mov x3, #3\n1: mov x4, x0\n2: subs x4, x4, #1\nadd x5, x5, #1\nb.ne 2b\nsubs x3, x3, #1\n"
    "b.ne 1b\nret",
    "branches over": "1: tst x0, #1\nb.eq 2f\nadd x3, x3, #1\ncbz x3, 2f\nnop\n2: tbz x0, #1, 3f\nnop\nnop\n"
    "3: subs x0, x0, #1\nb.hi 1b\nret",
    "calls": "stp x29, x30, [sp, #-16]!\n1: bl 2f\nsubs x0, x0, #1\nb.ne 1b\nldp x29, x30, [sp], #16\nret\n"
    "2: add x3, x3, #1\ncbnz x3, 3f\nnop\n3: ret",
    "jump table": "1: and x3, x0, #3\nadr x4, 2f\nadd x4, x4, x3, lsl #2\nbr x4\n2: nop\nnop\nnop\n"
    "subs x0, x0, #1\nb.ne 1b\nret",
    "matrix instructions": "1: ldr q1, [x1]\nsmmla v0.4s, v1.16b, v2.16b\nnop\nusdot v0.4s, v1.16b, v2.16b\n"
    "ummla v0.4s, v1.16b, v2.16b\nsubs x0, x0, #1\nb.ne 1b\nsudot v0.4s, v1.16b, v2.4b[1]\nret",
    "a block of two pages": "1:\n.rept 2100\nadd v0.16b, v0.16b, v1.16b\n.endr\nsubs x0, x0, #1\nb.ne 1b\nret",
    "a block that starts near the end of a page": "b 1f\n.org 4088\n1: ldr q0, [x1]\nstr q0, [x2]\nadd x3, x3, #1\n"
    "subs x0, x0, #1\nb.ne 1b\nret",
    "into the middle of a block": "1: mov x3, x0\nadd x4, x4, #1\n2: add x4, x4, #1\nadd x5, x5, #1\n"
    "subs x3, x3, #1\nb.hi 2b\nsubs x0, x0, #1\nb.hi 1b\nret",
}
A32 = {
    "nested loops": "mov r3, #3\n1: mov r12, r0\n2: subs r12, r12, #1\nadd r2, r2, #1\nbne 2b\nsubs r3, r3, #1\n"
    "bne 1b\nbx lr",
    "predicated": "1: tst r0, #1\naddne r3, r3, #1\nldreq r3, [r1]\nstrne r3, [r2]\ntst r0, #2\nbeq 2f\nnop\n"
    "2: subs r0, r0, #1\nbhi 1b\nbxls lr\nbx lr",
    "calls": "push {r4, lr}\n1: bl 2f\nsubs r0, r0, #1\nbne 1b\npop {r4, pc}\n2: add r3, r3, #1\nbxne lr\nbx lr",
    "jump table": "1: and r3, r0, #3\nadd pc, pc, r3, lsl #2\nnop\nnop\nnop\nnop\nnop\nsubs r0, r0, #1\nbne 1b\nbx lr",
    "matrix instructions": "1: vld1.8 {q1}, [r1]\nvsmmla.s8 q0, q1, q2\nnop\nvusdot.s8 q0, q1, q2\n"
    "vummla.u8 q0, q1, q2\nsubs r0, r0, #1\nbne 1b\nvsudot.u8 q0, q1, d4[1]\nbx lr",
    "a block of two pages": "1:\n.rept 2100\nvadd.i8 q0, q0, q1\n.endr\nsubs r0, r0, #1\nbne 1b\nbx lr",
    "a block that starts near the end of a page": "b 1f\n.org 4088\n1: vld1.8 {q0}, [r1]\nvst1.8 {q0}, [r2]\n"
    "add r3, r3, #1\nsubs r0, r0, #1\nbne 1b\nbx lr",
    "into the middle of a block": "1: mov r3, r0\nadd r12, r12, #1\n2: add r12, r12, #1\nadd r12, r12, #1\n"
    "subs r3, r3, #1\nbhi 2b\nsubs r0, r0, #1\nbhi 1b\nbx lr",
}
CASES = [
    pytest.param(isa, text, id=f"{isa.value}, {name}")
    for isa, table in ((Isa.A64, A64), (Isa.A32, A32))
    for name, text in table.items()
]


def arguments(n: int) -> list[Argument]:
    return [n, Buffer("a", np.arange(4096) % 251), Buffer("c", np.zeros(4096, np.int8), writable=True)]


def signature(isa: Isa) -> Signature:
    return parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", isa)


def stepwise(program: Program, n: int) -> Counter[int]:
    """Executions by address, one Python call for each."""
    seen: Counter[int] = Counter()

    def execute(_engine: Any, address: int, _size: int, _user: Any) -> None:
        seen[address] += 1

    with Machine(program, meter=False) as machine:
        machine.engine.hook_add(UC_HOOK_CODE, execute)
        assert isinstance(machine.call("kernel", arguments(n), signature(program.isa)), Run)
    return seen


@pytest.mark.parametrize(("isa", "text"), CASES)
def test_every_instruction_is_counted_exactly(isa: Isa, text: str) -> None:
    program = assembled(isa, text)
    probe = CountsProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        for n in (1, 2, 37, 5):
            run = machine.call("kernel", arguments(n), signature(isa))
            assert isinstance(run, Run), run
            counts = probe.collect()
            want = stepwise(program, n)
            words = probe.executions()[::2]
            assert {probe.base + 4 * int(i): int(words[i]) for i in np.flatnonzero(words)} == dict(want)
            known = {int(a): int(e) for a, e in zip(counts.addresses, counts.executions, strict=True) if e}
            assert known == {address: times for address, times in want.items() if address in program.by_address}
            assert counts.instructions == run.steps == want.total()


@both
def test_compiled_code_is_counted_exactly(isa: Isa) -> None:
    source = """
    static int odd(unsigned n);
    static int __attribute__((noinline)) even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
    static int __attribute__((noinline)) odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
    void kernel(__SIZE_TYPE__ n, const signed char *a, signed char *c) {
        for (__SIZE_TYPE__ i = 0; i < n; i++) {
            int s = 0;
            for (__SIZE_TYPE__ k = 0; k < 100; k++) s += a[i + k] * a[k];
            switch (a[i] % 7) { case 0: c[i] = s; break; case 3: c[i] += even(i); break; case 5: return;
                                default: c[i] = s >> 3; }
        }
    }"""
    program = compiled(isa, source, *(("-mfpu=neon",) if isa is Isa.A32 else ()))
    probe = CountsProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        assert isinstance(machine.call("kernel", arguments(200), signature(isa)), Run)
    counts = probe.collect()
    want = stepwise(program, 200)
    got = {int(a): int(e) for a, e in zip(counts.addresses, counts.executions, strict=True) if e}
    assert got == {address: times for address, times in want.items() if address in program.by_address}
    assert counts.instructions == want.total()


SUMMARY = {
    Isa.A64: "1: ld1 {v0.16b, v1.16b}, [x1]\nldr q2, [x1]\nprfm pldl1keep, [x1, #64]\nsmull v4.8h, v0.8b, v2.8b\n"
    "smlal2 v4.8h, v1.16b, v2.16b\nsadalp v16.4s, v4.8h\nstr q16, [x2]\nsubs x0, x0, #1\nb.ne 1b\nret",
    Isa.A32: "1: vld1.8 {d0-d3}, [r1]\nvld1.8 {d4-d5}, [r1]\npld [r1, #64]\nvmull.s8 q8, d0, d4\n"
    "vmlal.s8 q8, d2, d5\nvpadal.s16 q9, q8\nvst1.8 {d18-d19}, [r2]\nsubs r0, r0, #1\nbne 1b\nbx lr",
}


@both
def test_totals_follow_from_the_executions(isa: Isa) -> None:
    program = assembled(isa, SUMMARY[isa])
    probe = CountsProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        assert isinstance(machine.call("kernel", arguments(10), signature(isa)), Run)
    counts = probe.collect()
    assert counts.instructions == 91
    assert counts.by_class == {
        "neon multiply-accumulate": 20,
        "neon other": 10,
        "load": 20,
        "store": 10,
        "prefetch": 10,
        "branch": 11,
        "integer": 10,
    }
    assert (counts.loaded_bytes, counts.stored_bytes, counts.branches) == (480, 160, 11)
    assert counts.neon_registers == 5
    # n, a, c and, as the return reads it, the link register
    assert (counts.general_registers, counts.peak_live_general) == (4, 4)
    # In A64 v16 and the two loads' three; in A32 q9, q0, q1 and q2: the products replace what they read last.
    assert counts.peak_live_neon == 4
    assert [line.executions for line in counts.lines] == [10] * 9 + [1]
    assert json.loads(json.dumps(counts.to_json()))["instructions"] == 91
    assert pickle.loads(pickle.dumps(counts)).to_json() == counts.to_json()


@both
def test_a_program_that_repeats_a_line_adds_its_executions_up(isa: Isa) -> None:
    text = ".rept 3\nnop\n.endr\n" + ("ret" if isa is Isa.A64 else "bx lr")
    program = assembled(isa, text)
    first = next(iter(program.lines.values()))
    same = dict.fromkeys(program.lines, first)
    program = Program(isa, program.path, program.segments, program.symbols, program.instructions, same)
    probe = CountsProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        machine.call("kernel", arguments(1), signature(isa))
    assert [line.executions for line in probe.collect().lines] == [4]
