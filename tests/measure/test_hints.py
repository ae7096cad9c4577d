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

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.link import link
from neonlab.assemble.program import Program
from neonlab.emulate.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.isa import Isa
from neonlab.isa.prototype import parse_prototype
from neonlab.measure.counts import CountsProbe
from neonlab.measure.hints.find import find_hints
from neonlab.measure.hints.hint import Hint
from neonlab.measure.hints.study import Study
from neonlab.measure.hot_loop import find_hot_loop
from neonlab.measure.pipeline_core import load_pipeline
from neonlab.measure.traffic import TrafficProbe

FOLDER = Path(__file__).parent / "hints"
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
