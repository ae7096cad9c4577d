"""The report on the hot loop of a run: what it takes from the run, and that the parts fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tools import require_compiler

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.contract.options import Given
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernels, open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop.report import LoopReport, report_hot_loops
from neonlab.measure.memory_probe import TrafficProbe
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.run_cycles import RunCycles
from neonlab.report.pipeline_svg import pipeline_svg
from neonlab.report.terminal.loop import at_lines, hint_lines, path_lines, timeline_lines

# Functions of (n, a: 64 KiB read-only).
SHORT = "kernel: mov x3, #{trips}\n1: add x4, x4, #1\nsubs x3, x3, #1\nb.ne 1b\nsubs x0, x0, #1\nb.ne kernel\nret"
SPARSE = "kernel: ldr x3, [x1]\nadd x1, x1, #256\nadd x4, x4, x3\nsubs x0, x0, #1\nb.ne kernel\nret"


def report(text: str, n: int, core: str = "cortex-a53") -> tuple[LoopReport, RunCycles]:
    return report_on(link(assemble_text(text + "\n", isa=Isa.A64, path="x.S")), n, core)


def report_on(program: Program, n: int, core: str = "cortex-a53") -> tuple[LoopReport, RunCycles]:
    pipeline = load_pipeline(core)
    counts, traffic = CountsProbe(program), TrafficProbe(program, load_core(core), pipeline=pipeline, prefetcher=False)
    with Machine(program, probes=(counts, traffic)) as machine:
        buffer = Buffer("a", np.zeros(1 << 16, np.int8))
        signature = parse_prototype("void f(size_t n, const int8_t *a)", Isa.A64)
        assert isinstance(machine.call("kernel", [n, buffer], signature), Run)
        counted = counts.collect()
        run = traffic.collect_cycles(counted.executions)
        assert run is not None
        spent = traffic.cycles_of_instructions()
        return report_hot_loops(program, pipeline, counted, run, spent, traffic.collect())[0], run


def test_the_cycles_of_the_loop_are_those_of_its_lines_in_the_run() -> None:
    found, run = report(SPARSE, 200)
    lines = {line.line for line in found.lines}
    assert found.cycles_in_run * found.iterations == pytest.approx(sum(x.cycles for x in run.lines if x.line in lines))
    assert found.share == pytest.approx(sum(x.cycles for x in run.lines if x.line in lines) / sum(
        x.cycles for x in run.lines
    ))  # fmt: skip


def test_a_loop_that_waits_for_memory_is_told_so() -> None:
    found, run = report(SPARSE, 200)
    inside = [line for line in run.lines if line.line in {one.line for one in found.lines}]
    missed = sum(line.causes.get(cause, 0) for line in inside for cause in ("cache miss", "instruction fetch"))
    assert missed > 0 and found.missed * found.iterations == pytest.approx(missed)
    assert found.attack.startswith("Waits ")
    assert found.bounds.memory > found.cycles
    assert found.bounds.memory <= found.cycles_in_run * 1.01


@pytest.mark.parametrize(("trips", "told"), [(3, True), (15, True), (200, False)])
def test_ends_that_are_mispredicted_are_spoken_of_where_they_count(trips: int, told: bool) -> None:
    found, _ = report(SHORT.format(trips=trips), 400)
    hints = [hint for hint in found.hints if hint.kind == "short-trips"]
    assert bool(hints) == told
    if told:
        assert hints[0].lines == (4,) and f"the loop runs {trips} iterations each time" in hints[0].text


def test_the_document_has_the_parts() -> None:
    found, _ = report(SHORT.format(trips=50), 9)
    document = found.to_json()
    assert document["instructions"] == len(document["lines"]) == 3
    assert [line["line"] for line in document["lines"]] == [2, 3, 4]
    assert len(document["timeline"]) == 6
    assert document["iterations"] == 450
    assert sum(link["cycles"] for link in document["critical_path"]["links"]) == document["critical_path"]["cycles"]


def test_lines_of_several_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "step.inc").write_text("// a remark\n.macro step\n    ldr x3, [x1], #8\n    add x4, x4, x3\n.endm\n")
    path = tmp_path / "kernel.S"
    path.write_text(
        '.include "step.inc"\nkernel:\n1: subs x0, x0, #1\n    mul x5, x6, x7\n    step\n    b.ne 1b\n    ret\n'
    )
    found, _ = report_on(link(assemble_file(path, isa=Isa.A64)), 200)
    assert [found.label(line) for line in found.lines] == ["3a", "4a", "3b", "4b", "6a"]
    assert found.place("kernel") == f"lines 3 to 6 (a) and lines 3 to 4 of {tmp_path.name}/step.inc (b)"
    places = [hint for hint in found.hints if hint.places]
    told = {label for hint in places for label in found.labels(hint.places)}
    assert told and told <= {"3a", "4a", "6a", "3-4a", "3b", "4b", "3-4b"}, told
    shown = "\n".join([*hint_lines(found, len(found.hints)), *path_lines(found), *timeline_lines(found)])
    assert (
        at_lines(found, places[0]) in shown and " 4b " in shown and found.label(found.lines[0]) in pipeline_svg(found)
    )
    assert {path for hint in places for path in hint.to_json()["paths"]} <= {str(path), str(tmp_path / "step.inc")}


def test_of_compiled_code_the_instructions_are_told_and_of_assembly_the_statements() -> None:
    require_compiler(Isa.A64)
    root = Path(__file__).parents[3]
    compiled = next(k for k in open_kernels(root / "tests/c/dot_s8.c", Given()) if k.isa is Isa.A64)
    [written] = open_library(root).find("armv8/conv1x1_s8s32_chw_8x4")
    for kernel, shape in ((compiled, "100"), (written, "4x4x16x8")):
        profile = profiling.profile(kernel, parse_shape(kernel, shape), memory=MemoryOptions("cortex-a53", loop=True))
        assert isinstance(profile, Profile) and profile.loop is not None
        program = kernel_program(kernel)
        for line in profile.loop.lines:
            source = program.line_at(line.address)
            assert source is not None
            expected = program.by_address[line.address].text if kernel is compiled else source.expanded
            assert line.text == " ".join(expected.split())
