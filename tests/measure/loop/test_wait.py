"""Test what a loop is said to wait for: the line, the cause, and what holds it up."""

from __future__ import annotations

import pytest
from tests.measure.loop.test_report import SPARSE, report
from tests.measure.pipeline.loops import code

from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.loop.wait import LoopWait, loop_wait
from neonlab.measure.pipeline.cost import loop_cycles

MULTIPLIES = [f"mul v{n}.8h, v30.8h, v31.8h" for n in range(4)]
STORED = ["ldr q0, [x1]", "mul v1.8h, v0.8h, v31.8h", "mul v1.8h, v1.8h, v31.8h", "str q1, [x2]"]
MIXED = [*MULTIPLIES, "ldr x5, [x10]", "add x6, x5, #1"]


def waits(core: str, lines: list[str], places: list[int] | None = None, bound: str = "") -> LoopWait:
    body, pipeline = code(*lines), load_pipeline(core)
    found = loop_wait(body, pipeline, loop_cycles(body, pipeline).stalls, places or list(range(len(body))), {}, bound)
    assert found is not None
    return found


def test_a_result_is_waited_for_by_the_instruction_that_reads_it() -> None:
    found = waits("cortex-a55", STORED)
    assert (found.cause, found.at, found.producer) == ("dependency", 2, 1)
    assert found.cycles == 3 and found.of_cause > found.cycles, "the store waits too"


def test_what_is_loaded_is_waited_for_by_the_instruction_that_reads_it() -> None:
    found = waits("cortex-a53", ["ldr x5, [x10]", "add x6, x5, #1"])
    assert (found.cause, found.at, found.producer) == ("load-use", 1, 0)


@pytest.mark.parametrize(("core", "ports"), [("cortex-a53", ("N0", "N1")), ("neoverse-n1", ("V0",))])
def test_a_full_port_is_named_with_what_holds_it(core: str, ports: tuple[str, ...]) -> None:
    found = waits(core, MIXED, bound="ports")
    assert (found.cause, found.ports, found.holders) == ("port", ports, ("mul",))
    assert MIXED[found.at].startswith("mul") and found.producer is None


def test_instructions_of_one_line_count_together() -> None:
    body, pipeline = code(*MULTIPLIES), load_pipeline("cortex-a53")
    stalls = [stall for stall in loop_cycles(body, pipeline).stalls if stall.cause == "port"]
    found = waits("cortex-a53", MULTIPLIES, [7, 7, 7, 8], "ports")
    of_line = sum(stall.cycles for stall in stalls if stall.address < body[3].address)
    assert found.cycles == pytest.approx(of_line) and found.at < 3
    assert found.times == len({stall.address for stall in stalls if stall.address < body[3].address}) > 1
    assert found.of_cause == pytest.approx(sum(stall.cycles for stall in stalls))


def test_where_nothing_else_waits_it_is_the_instruction_behind_the_one_with_most_slots() -> None:
    found = waits("cortex-a53", ["add x1, x2, #1", "add x3, x2, #1", "ldp q0, q1, [x4]", "add x5, x2, #1"])
    assert (found.cause, found.at) == ("issue width", 3)


def test_a_load_that_misses_comes_first_where_much_is_missed() -> None:
    found, run = report(SPARSE, 200)
    [load] = [line for line in run.lines if line.line == 1]
    missed = sum(load.causes.get(cause, 0) for cause in ("cache miss", "store buffer", "instruction fetch"))
    using = max(run.lines, key=lambda line: line.causes.get("cache miss", 0)).line
    assert found.wait is not None and found.wait.cause == "cache miss"
    assert found.lines[found.wait.at].line == using
    assert missed <= found.wait.of_cause * found.iterations == pytest.approx(found.missed * found.iterations)
