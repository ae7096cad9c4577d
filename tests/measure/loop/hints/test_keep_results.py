"""Random loops, and each as a hint would have it: both must leave the same in registers and memory."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop.hints.find import REWRITING
from neonlab.measure.loop.hints.study import Study
from neonlab.measure.loop.hot_loop import find_hot_loop
from neonlab.measure.memory_probe import TrafficProbe

SAME = {
    "by-element", "flags-for-free", "clear-then-accumulate", "multiply-and-add", "widening-add", "copies",
    "post-index", "single-step", "pair-accesses", "load-and-duplicate", "load-earlier", "move-up", "another-order",
    "wasted-prefetch",
}  # fmt: skip
POOL = {
    Isa.A64: [
        "ldr q{t}, [x1], #16", "ldr q{t}, [x1]|add x1, x1, #16", "ldr d{t}, [x3], #8|ldr d{u}, [x3], #8",
        "ldr q{t}, [x4]|ldr q{u}, [x4, #16]", "ldp q{t}, q{u}, [x4], #32", "ldrb w9, [x3], #1|dup v{t}.8b, w9",
        "ldr x9, [x1], #8|ldr x10, [x1], #8", "ld1 {{v{t}.16b}}, [x3]|add x3, x3, #16",
        "dup v{t}.8h, v{b}.h[{lane}]|mla v{s}.8h, v{a}.8h, v{t}.8h",
        "dup v{t}.4h, v{b}.h[1]|smlal v{s}.4s, v{a}.4h, v{t}.4h",
        "dup v{t}.4s, v{b}.s[1]|mul v{u}.4s, v{a}.4s, v{t}.4s|add v{s}.4s, v{s}.4s, v{u}.4s",
        "movi v{t}.8h, #0|smlal v{t}.8h, v{a}.8b, v{b}.8b|sadalp v{s}.4s, v{t}.8h",
        "movi v{t}.16b, #0|mla v{t}.16b, v{a}.16b, v{b}.16b|add v{s}.16b, v{s}.16b, v{t}.16b",
        "smull v{t}.8h, v{a}.8b, v{b}.8b|sub v{s}.8h, v{s}.8h, v{t}.8h",
        "mul v{t}.16b, v{a}.16b, v{b}.16b|add v{s}.16b, v{t}.16b, v{s}.16b",
        "sxtl v{t}.8h, v{a}.8b|add v{s}.8h, v{s}.8h, v{t}.8h", "uxtl2 v{t}.8h, v{a}.16b|sub v{s}.8h, v{s}.8h, v{t}.8h",
        "uxtl v{t}.8h, v{a}.8b|sub v{s}.8h, v{t}.8h, v{s}.8h",
        "mov v{t}.16b, v{a}.16b|eor v{s}.16b, v{s}.16b, v{t}.16b",
        "mov v{t}.8b, v{a}.8b|add v{s}.16b, v{s}.16b, v{t}.16b", "add v{t}.16b, v{a}.16b, v{b}.16b",
        "eor v{s}.16b, v{s}.16b, v{a}.16b", "str q{a}, [x2]|add x2, x2, #16", "str q{s}, [x2], #16",
        "prfm pldl1keep, [x1]", "trn1 v{t}.16b, v{a}.16b, v{b}.16b",
    ],
    Isa.A32: [
        "vld1.8 {{d{t2}, d{t3}}}, [r1]!", "vld1.8 {{d{t2}, d{t3}}}, [r1]|add r1, r1, #16",
        "vld1.8 {{d{t2}}}, [r3]!|vld1.8 {{d{t3}}}, [r3]!", "ldrb r12, [r3], #1|vdup.8 q{t}, r12",
        "vdup.16 q{t}, d{b2}[{low}]|vmla.i16 q{s}, q{a}, q{t}", "vdup.16 d{t2}, d{b2}[1]|vmlal.s16 q{s}, d{a2}, d{t2}",
        "vmov.i32 q{t}, #0|vmlal.s8 q{t}, d{a2}, d{b2}|vpadal.s16 q{s}, q{t}",
        "vmov.i32 q{t}, #0|vmla.i8 q{t}, q{a}, q{b}|vadd.i8 q{s}, q{s}, q{t}",
        "vmull.s8 q{t}, d{a2}, d{b2}|vsub.i16 q{s}, q{s}, q{t}", "vmul.i8 q{t}, q{a}, q{b}|vadd.i8 q{s}, q{t}, q{s}",
        "vmovl.s8 q{t}, d{a2}|vadd.i16 q{s}, q{s}, q{t}", "vmovl.u8 q{t}, d{a3}|vsub.i16 q{s}, q{s}, q{t}",
        "vmov q{t}, q{a}|veor q{s}, q{s}, q{t}", "vmov d{t2}, d{a2}|vadd.i8 q{s}, q{s}, q{t}",
        "vadd.i8 q{t}, q{a}, q{b}", "veor q{s}, q{s}, q{a}", "vst1.8 {{d{a2}, d{a3}}}, [r2]|add r2, r2, #16",
        "vst1.8 {{d{s2}, d{s3}}}, [r2]!", "pld [r1]", "vtrn.8 q{t}, q{u}",
    ],
}  # fmt: skip
VALUES, SUMS = {Isa.A64: range(8), Isa.A32: range(4)}, {Isa.A64: range(16, 20), Isa.A32: range(8, 12)}
ITERATIONS, SEEDS = 5, 30


def loop_of(isa: Isa, chooser: random.Random) -> list[str]:
    lines: list[str] = []
    for _ in range(chooser.randrange(3, 12)):
        a, b, t, u = (chooser.choice(VALUES[isa]) for _ in range(4))
        s = chooser.choice(SUMS[isa])
        numbers = {f"{name}{half}": 2 * number + half - 2
                   for name, number in zip("abtus", (a, b, t, u, s), strict=True) for half in (2, 3)}  # fmt: skip
        text = chooser.choice(POOL[isa]).format(
            a=a, b=b, t=t, u=u if u != t else (t + 1) % 4, s=s, lane=chooser.randrange(8), low=chooser.randrange(4),
            **numbers,
        )  # fmt: skip
        lines += text.split("|")
    counter = "x0" if isa is Isa.A64 else "r0"
    down = [f"subs {counter}, {counter}, #1"] if chooser.random() < 0.5 else [
        f"sub {counter}, {counter}, #1", f"cmp {counter}, #0"
    ]  # fmt: skip
    return [*lines, *down, "b.ne 1b" if isa is Isa.A64 else "bne 1b"]


def function(isa: Isa, loop: list[str]) -> str:
    """The loop, begun with registers of known contents; the sums and the pointers go to memory behind it."""
    if isa is Isa.A64:
        head = ["add x3, x1, #1024", "add x4, x1, #2048", "mov x5, x2", "mov x9, #0", "mov x10, #0"]
        head += [f"ldr q{n}, [x1, #{16 * n}]" for n in (*VALUES[isa], *SUMS[isa])]
        tail = ["add x5, x5, #3072", *(f"str q{n}, [x5], #16" for n in SUMS[isa]), "sub x1, x1, x3", "sub x2, x2, x5",
                "stp x0, x1, [x5]", "str x2, [x5, #16]", "ret"]  # fmt: skip
    else:
        head = ["push {r4-r6, lr}", "mov r6, r1", *(f"vld1.8 {{d{2 * n}, d{2 * n + 1}}}, [r6]!"
                for n in (*VALUES[isa], *SUMS[isa])), "add r3, r1, #1024", "mov r5, r2", "mov r12, #0"]  # fmt: skip
        tail = ["add r5, r5, #3072", *(f"vst1.8 {{d{2 * n}, d{2 * n + 1}}}, [r5]!" for n in SUMS[isa]),
                "sub r1, r1, r3", "sub r2, r2, r5", "str r0, [r5]", "str r1, [r5, #4]", "str r2, [r5, #8]",
                "pop {r4-r6, pc}"]  # fmt: skip
    return "\n".join([*head, "1:", *loop, *tail])


def assembled(isa: Isa, text: str) -> Program:
    return link(assemble_text(f"kernel:\n{text}\n", isa=isa))


def arguments(seed: int) -> list[int | Buffer]:
    data = np.random.default_rng(seed).integers(-128, 128, 4096, dtype=np.int8)
    return [ITERATIONS, Buffer("a", data), Buffer("c", np.zeros(4096, np.int8), writable=True)]


def left_by(program: Program, seed: int) -> bytes:
    with Machine(program) as machine:
        signature = parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", program.isa)
        run = machine.call("kernel", arguments(seed), signature)
        assert isinstance(run, Run), run
        return run.outputs["c"].tobytes()


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.sweep(keep=16)
def test_a_change_that_is_proposed_keeps_the_results(isa: Isa, seed: int) -> None:
    print(f"seed {seed}")
    loop = loop_of(isa, random.Random(seed))
    program = assembled(isa, function(isa, loop))
    counts, traffic = CountsProbe(program), TrafficProbe(program)
    with Machine(program, probes=(counts, traffic)) as machine:
        signature = parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", isa)
        run = machine.call("kernel", arguments(seed), signature)
        assert isinstance(run, Run), run
        hot = find_hot_loop(program, counts.collect().executions.tolist())
        assert hot is not None
        study = Study(program, hot, load_pipeline("cortex-a55"), traffic.collect(), confirmed=False)
    found = [hint for look in REWRITING for hint in look(study)]
    for hint in found:
        if hint.kind in SAME:
            mended = [re.sub(r"^(b\.?ne) .*", r"\1 1b", text) for text in hint.mended]
            assert left_by(assembled(isa, function(isa, mended)), seed) == run.outputs["c"].tobytes(), (hint, loop)


@pytest.mark.slow
@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_every_kind_of_change_was_tried(isa: Isa) -> None:
    kinds = set()
    for seed in range(SEEDS):
        loop = loop_of(isa, random.Random(seed))
        program = assembled(isa, function(isa, loop))
        counts = CountsProbe(program)
        with Machine(program, probes=(counts,)) as machine:
            signature = parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", isa)
            assert isinstance(machine.call("kernel", arguments(seed), signature), Run)
        hot = find_hot_loop(program, counts.collect().executions.tolist())
        assert hot is not None
        study = Study(program, hot, load_pipeline("cortex-a55"), confirmed=False)
        kinds |= {hint.kind for look in REWRITING for hint in look(study)}
    assert SAME - {"wasted-prefetch", *({"single-step"} if isa is Isa.A32 else ())} <= kinds
