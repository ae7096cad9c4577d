"""Timelines against llvm-mca's, on loops of whose latencies both models think alike, and against their own schedule."""

from __future__ import annotations

import re
import subprocess

import pytest
from tests.measure.pipeline.loops import CORES, IN_ORDER, random_loop
from tests.tools import require

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.loop.timeline import TimelineRow, timeline
from neonlab.measure.pipeline.cost import loop_cycles
from neonlab.measure.silicon.encoded import encoded

LOOPS = {
    "independent": ["add x1, x2, x3", "add x4, x5, x6", "add x7, x8, x9", "eor x10, x11, x12"],
    "a chain": ["add x1, x1, #1", "add x2, x1, #1", "add x3, x2, #1", "eor x4, x4, x5"],
    "load and use": ["ldr x1, [x0]", "add x2, x1, x2", "ldr x3, [x0, #8]", "add x2, x2, x3"],
    "pointers": ["ldr x0, [x0]", "add x2, x0, x2"],
    "vectors": ["add v0.8h, v0.8h, v1.8h", "add v0.8h, v0.8h, v1.8h"],
    "products": ["smlal v0.8h, v1.8b, v2.8b", "smlal v3.8h, v1.8b, v2.8b", "add v4.8h, v0.8h, v3.8h"],
}
ALIKE = [
    *(("cortex-a55", name) for name in LOOPS),
    # of a chain, llvm-mca sends each operation to the port that will be free first
    *(("cortex-a72", name) for name in LOOPS if name not in ("products", "a chain")),
    ("neoverse-n1", "pointers"), ("neoverse-n1", "vectors"),
]  # fmt: skip
SETTLED = 8  # iterations after which llvm-mca's is compared


def drawn_by_llvm_mca(core: str, lines: list[str]) -> list[tuple[int, str]]:
    """Cycle of the D and the letters, of two iterations."""
    told = subprocess.run(
        [require("llvm-mca-19"), "-mtriple=aarch64", f"-mcpu={core}", "-timeline", "-iterations=50",
         f"-timeline-max-iterations={SETTLED + 2}", "-timeline-max-cycles=500"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = []
    for line in told.splitlines():
        found = re.match(r"\[(\d+),\d+\]\s", line)
        if found and int(found[1]) >= SETTLED:
            cells = line[10:].partition("\t")[0]
            letters = re.search(r"D[=eE-]*R?", cells)
            assert letters is not None
            rows.append((letters.start(), letters[0]))
    return rows


def begins(rows: list[tuple[int, str]], *, in_order: bool) -> list[int]:
    """Cycle, from the first on, at which each row's execution begins."""
    cycles = [at if in_order else at + letters.index("e") for at, letters in rows]
    return [cycle - cycles[0] for cycle in cycles]


def from_dispatch(row: TimelineRow) -> tuple[int, str]:
    at = row.marks.index("D")
    return row.start + at, row.marks[at:]


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize(("core", "name"), ALIKE)
def test_it_is_drawn_as_llvm_mca_draws_it(core: str, name: str) -> None:
    lines = LOOPS[name]
    ours = [from_dispatch(row) for row in timeline(encoded(Isa.A64, lines), load_pipeline(core))]
    theirs = drawn_by_llvm_mca(core, lines)
    in_order = core in IN_ORDER
    assert begins(ours, in_order=in_order) == begins(theirs, in_order=in_order)
    if not in_order:  # in order llvm-mca lets each instruction take as long as a pipeline is deep
        assert [letters.count("e") for _, letters in ours] == [letters.count("e") for _, letters in theirs]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sweep(keep=15)
def test_the_letters_tell_what_the_schedule_does(core: str, seed: int) -> None:
    body = random_loop(seed)
    pipeline = load_pipeline(core)
    shape = r"=*D=*e*E" if pipeline.in_order else r"D=*e+E-*R"
    rows = timeline(body, pipeline)
    assert [(row.iteration, row.instruction) for row in rows] == [(i, at) for i in (0, 1) for at in range(len(body))]
    for row in rows:
        assert re.fullmatch(shape, row.marks), row.marks
        at = row.scheduled
        dispatched = row.start + row.marks.index("D")
        first = rows[0]
        offset = first.start + first.marks.index("D") - first.scheduled.dispatched
        assert dispatched == at.dispatched + offset
        later = 0 if pipeline.in_order else 1  # D has a cycle of its own
        assert row.start + row.marks.index("E") == max(at.ready, at.issued + 1) + offset + later
    assert min(row.start for row in rows) == 0


@pytest.mark.parametrize("core", CORES)
def test_an_iteration_is_drawn_as_long_as_it_takes(core: str) -> None:
    body = random_loop(2)
    pipeline = load_pipeline(core)
    rows = timeline(body, pipeline, 41)
    begun = [row.scheduled.dispatched for row in rows if row.instruction == 0]
    assert (begun[-1] - begun[0]) / 40 == pytest.approx(loop_cycles(body, pipeline).total, rel=0.03, abs=0.3)
