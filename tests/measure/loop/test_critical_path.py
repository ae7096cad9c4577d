"""The critical path against the cycles of the loop, and against chains that are seen at a glance."""

from __future__ import annotations

import itertools

import pytest
from tests.measure.pipeline.loops import CORES, code, random_loop

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.loop.critical_path import critical_path
from neonlab.measure.pipeline.cost import loop_cycles

SEEDS = range(10)


@pytest.mark.parametrize(("core", "seed"), [*itertools.product(CORES, SEEDS)])
@pytest.mark.sweep(keep=30)
def test_its_links_add_up_to_what_the_loop_takes(core: str, seed: int) -> None:
    body, pipeline = random_loop(seed), load_pipeline(core)
    total = loop_cycles(body, pipeline).total
    path = critical_path(body, pipeline, total)
    assert path.cycles == sum(link.cycles for link in path.links)
    assert all(link.cycles >= 0 for link in path.links)
    assert path.cycles / path.iterations == pytest.approx(total, rel=0.02, abs=0.3)


@pytest.mark.parametrize("core", CORES)
def test_a_chain_of_results_is_followed_from_one_to_the_next(core: str) -> None:
    body = code("ldr x0, [x0]", "add x1, x1, #1", "eor x0, x0, x2", "add x3, x3, #1")
    pipeline = load_pipeline(core)
    path = critical_path(body, pipeline, loop_cycles(body, pipeline).total)
    assert {(link.kind, link.through) for link in path.links} == {("result", "x0")}
    assert [link.instruction for link in path.links] in ([0, 2, 0, 2], [2, 0, 2, 0])


def test_a_loop_that_a_port_holds_up_goes_from_one_use_of_it_to_the_next() -> None:
    body = code(*(f"mul v{n}.8h, v30.8h, v31.8h" for n in range(6)))
    pipeline = load_pipeline("neoverse-n1")
    path = critical_path(body, pipeline, loop_cycles(body, pipeline).total)
    assert {(link.kind, link.through) for link in path.links} == {("port", "V0")}
    assert [link.cycles for link in path.links] == [2] * 12


def test_a_loop_that_dispatch_holds_up_goes_from_one_instruction_to_the_next() -> None:
    body = code(
        "add x1, x2, x3", "orr v0.16b, v1.16b, v2.16b", "ldr x4, [x5]", "nop", "orr v3.16b, v1.16b, v2.16b", "nop"
    )
    pipeline = load_pipeline("cortex-a72")
    cycles = loop_cycles(body, pipeline)
    path = critical_path(body, pipeline, cycles.total)
    assert {link.kind for link in path.links} == {"dispatch"}
    assert cycles.total == pytest.approx(cycles.bounds.dispatch)
