"""Hints against pairs of loops that do the same, one with something to be said of it, one without.

In hints/*.S, `bad` and `mended` are functions of (n, a: 4 KiB read-only, c: 4 KiB writable), and `<-` marks the lines
that the hint must name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop.hints.find import find_hints
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study
from neonlab.measure.loop.hot_loop import find_hot_loop
from neonlab.measure.memory_probe import TrafficProbe

FOLDER = Path(__file__).parent
PAIRS = sorted(FOLDER.glob("*.S"))
ITERATIONS = 24
pairs = pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.stem)


def kind_of(path: Path) -> str:
    return path.stem.partition("_")[2].replace("_", "-")


@dataclass(frozen=True)
class Told:
    hints: tuple[Hint, ...]
    cycles: float
    iterations: int
    result: bytes


@cache
def program_of(path: Path) -> Program:
    isa = Isa.A32 if path.stem.startswith("a32") else Isa.A64
    return link(assemble_file(path, isa=isa))


@cache
def told(path: Path, function: str) -> Told:
    program = program_of(path)
    core = re.search(r"core: (\S+)", path.read_text())
    assert core is not None
    seed = 17
    print(f"seed {seed}")
    data = np.random.default_rng(seed).integers(-9, 10, 4096, dtype=np.int8)
    counts, traffic = CountsProbe(program), TrafficProbe(program)
    signature = parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", program.isa)
    with Machine(program, probes=(counts, traffic)) as machine:
        out = Buffer("c", np.zeros(4096, np.int8), writable=True)
        run = machine.call(function, [ITERATIONS, Buffer("a", data), out], signature)
        assert isinstance(run, Run), run
        result = run.outputs["c"].tobytes()
        loop = find_hot_loop(program, counts.collect().executions.tolist())
        assert loop is not None
        study = Study(program, loop, load_pipeline(core[1]), traffic.collect())
        return Told(find_hints(study), study.total, loop.iterations, result)


def of_kind(path: Path, function: str) -> Hint | None:
    return next((hint for hint in told(path, function).hints if hint.kind == kind_of(path)), None)


@pairs
def test_the_bad_loop_is_told_so_at_its_lines(path: Path) -> None:
    hint = of_kind(path, "bad")
    marked = [number for number, line in enumerate(path.read_text().splitlines(), 1) if "<-" in line]
    assert hint is not None, told(path, "bad").hints
    assert hint.lines == tuple(marked)


@pairs
def test_the_mended_loop_is_not(path: Path) -> None:
    assert of_kind(path, "mended") is None


@pairs
def test_both_compute_the_same(path: Path) -> None:
    assert told(path, "bad").result == told(path, "mended").result
    assert any(told(path, "bad").result)


@pairs
def test_the_mended_loop_is_faster_by_what_the_hint_says(path: Path) -> None:
    bad, mended, hint = told(path, "bad"), told(path, "mended"), of_kind(path, "bad")
    assert hint is not None and hint.before == bad.cycles
    whole_bad, whole_mended = bad.cycles * bad.iterations, mended.cycles * mended.iterations
    assert whole_mended < whole_bad
    assert whole_mended <= 1.1 * whole_bad * (1 - hint.gain)


# What looks like something to be said of, and is not: loops of A64 on a core, and the kind that must not be spoken of.
REFUTED = {
    "bytes have no by-element form": (
        "by-element", "cortex-a53", "dup v2.8b, v0.b[1]|smlal v16.8h, v1.8b, v2.8b"),
    "a lane of v16 or higher cannot be named": (
        "by-element", "cortex-a53", "dup v2.8h, v20.h[1]|mla v16.8h, v1.8h, v2.8h"),
    "a lane that is gone when it is multiplied by": (
        "by-element", "cortex-a53", "dup v2.8h, v0.h[1]|add v0.8h, v0.8h, v1.8h|mla v16.8h, v1.8h, v2.8h"),
    "a copied lane that is added as well": (
        "by-element", "cortex-a53", "dup v2.8h, v0.h[1]|mla v16.8h, v1.8h, v2.8h|add v17.8h, v17.8h, v2.8h"),
    "a condition on overflow, which cmp clears and subs does not": (
        "flags-for-free", "cortex-a53", "add v0.8h, v0.8h, v1.8h|sub x3, x3, #1|cmp x3, #0|csel x5, x4, x5, gt"),
    "a comparison of something else": (
        "flags-for-free", "cortex-a53", "sub x3, x3, #1|cmp x4, #0|csel x5, x4, x5, ne"),
    "a cleared register that is multiplied by": (
        "clear-then-accumulate", "cortex-a53", "movi v2.8h, #0|smlal v2.8h, v2.8b, v1.8b|add v16.8h, v16.8h, v2.8h"),
    "a register cleared for two sums": (
        "clear-then-accumulate", "cortex-a53",
        "movi v2.8h, #0|add v17.8h, v17.8h, v2.8h|smlal v2.8h, v1.8b, v3.8b|add v16.8h, v16.8h, v2.8h"),
    "a product that is needed again": (
        "multiply-and-add", "cortex-a53",
        "mul v2.8h, v1.8h, v0.8h|add v16.8h, v16.8h, v2.8h|add v17.8h, v17.8h, v2.8h"),
    "a product subtracted from": (
        "multiply-and-add", "cortex-a53", "mul v2.8h, v1.8h, v0.8h|sub v16.8h, v2.8h, v16.8h"),
    "a widened value subtracted from": (
        "widening-add", "cortex-a53", "sxtl v2.8h, v1.8b|sub v16.8h, v2.8h, v16.8h"),
    "a copy of what changes": (
        "copies", "cortex-a53",
        "mov v2.16b, v1.16b|add v1.16b, v1.16b, v0.16b|add v16.16b, v16.16b, v2.16b|eor v17.16b, v17.16b, v1.16b"),
    "half a copy, which clears the other half": (
        "copies", "cortex-a53", "mov v2.8b, v1.8b|add v16.16b, v16.16b, v2.16b|eor v17.16b, v17.16b, v1.16b"),
    "a step that post-index of ld1 does not have": (
        "post-index", "cortex-a53", "ld1 {v1.16b}, [x1]|add x1, x1, #32|add v16.16b, v16.16b, v1.16b"),
    "a pointer that is read again before its step": (
        "post-index", "cortex-a53", "ld1 {v1.16b}, [x1]|add x4, x1, x4|add x1, x1, #16|add v16.16b, v16.16b, v1.16b"),
    "loads through pointers of their own": (
        "pair-accesses", "cortex-a53", "ldr d1, [x1]|ldr d2, [x4, #8]|ldr d3, [x1, #32]|ldr d4, [x4, #64]"),
    "a load that a store may have written": (
        "load-earlier", "cortex-a55",
        "eor v18.16b, v18.16b, v0.16b|eor v19.16b, v19.16b, v0.16b|str q18, [x2]|"
        "ldr q1, [x1]|add v16.8h, v16.8h, v1.8h"),
    "two vectors multiplied, which have no third to share them with": (
        "idle-registers", "cortex-a53",
        "ldr q1, [x1]|ldr q2, [x4]|smull v3.8h, v1.8b, v2.8b|smlal2 v3.8h, v1.16b, v2.16b|sadalp v16.4s, v3.8h"),
    "sums of bytes of which one is looked at before it is widened": (
        "widen-less", "cortex-a53",
        "smull v3.8h, v1.8b, v2.8b|sadalp v16.4s, v3.8h|add v17.8h, v17.8h, v3.8h|smull v3.8h, v4.8b, v2.8b|"
        "sadalp v16.4s, v3.8h"),
    "products of int16, which fill int32 alone": (
        "widen-less", "cortex-a53",
        "smull v3.4s, v1.4h, v2.4h|sadalp v16.2d, v3.4s|smull v3.4s, v4.4h, v2.4h|sadalp v16.2d, v3.4s"),
    "products for different sums": (
        "widen-less", "cortex-a53",
        "smull v3.8h, v1.8b, v2.8b|sadalp v16.4s, v3.8h|smull v3.8h, v4.8b, v2.8b|sadalp v17.4s, v3.8h"),
    "products with other bytes above": (
        "dot-product", "neoverse-n1",
        "smull v3.8h, v1.8b, v2.8b|smlal2 v3.8h, v4.16b, v2.16b|sadalp v16.4s, v3.8h"),
    "prefetches that come in time": (
        "wasted-prefetch", "cortex-a53", "prfm pldl1keep, [x1, #256]|ldp q1, q2, [x1], #32|ldp q3, q4, [x1], #32"),
    "a sum that stays in its register": (
        "partial-sums", "cortex-a53", "ldr q1, [x1]|add v16.16b, v16.16b, v1.16b|str q1, [x2]"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "core", "loop"), REFUTED.values(), ids=REFUTED)
def test_what_only_looks_alike_is_not_spoken_of(kind: str, core: str, loop: str) -> None:
    body = loop.replace("|", "\n")
    text = f"kernel: mov x4, x1\n1:\n{body}\nsubs x0, x0, #1\nb.ne 1b\nstp q16, q17, [x2]\nstr x5, [x2, #32]\nret\n"
    program = link(assemble_text(text, isa=Isa.A64))
    counts, traffic = CountsProbe(program), TrafficProbe(program)
    signature = parse_prototype("void f(size_t n, const int8_t *a, int8_t *c)", program.isa)
    with Machine(program, probes=(counts, traffic)) as machine:
        out = Buffer("c", np.zeros(4096, np.int8), writable=True)
        run = machine.call("kernel", [ITERATIONS, Buffer("a", np.zeros(4096, np.int8)), out], signature)
        assert isinstance(run, Run), run
        found = find_hot_loop(program, counts.collect().executions.tolist())
        assert found is not None and len(found.body) == loop.count("|") + 3
        study = Study(program, found, load_pipeline(core), traffic.collect(), confirmed=False)
        assert kind not in {hint.kind for hint in find_hints(study)}
