"""Rules that small functions of codecs showed: calls and returns, lanes, loads that meet results, stores that wait."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.measure.pipeline.loops import IN_ORDER, code

from neonlab.measure.cores.pipeline import PipelineCore, load_pipeline
from neonlab.measure.pipeline.cost import steady_cycles, trace_cycles


def _with(core: str, **figures: int) -> PipelineCore:
    return replace(load_pipeline(core), _found={}, **figures)  # type: ignore[arg-type]


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55", "neoverse-n1"])
def test_only_branches_without_their_target_rest_for_the_bubble_of_far_ones(core: str) -> None:
    call = code("b 8", "nop", "ret")
    trace = np.tile(np.array([0, 2]), 500)
    cycles = [
        trace_cycles(call, trace, _with(core, taken_bubble=1, loop_bubble=1, far_bubble=far)).total / 500
        for far in (0, 1, 4, 6)
    ]
    assert cycles == pytest.approx([4, 4, 7, 9], abs=0.1)  # of the two branches the return alone


def test_a_return_costs_cortex_a53_and_a55_more_than_a_branch_and_others_nothing() -> None:
    assert {core for core in IN_ORDER if load_pipeline(core).far_bubble} == {"cortex-a53", "cortex-a55"}


@pytest.mark.parametrize(("line", "cycles"), [("ld1 {v0.b}[3], [x0], #1", 2), ("ld1 {v0.8b}, [x0], #8", 3)])
def test_the_address_behind_a_lane_is_there_a_cycle_sooner_on_cortex_a53(line: str, cycles: int) -> None:
    assert steady_cycles(code(line), load_pipeline("cortex-a53")) == cycles
    assert steady_cycles(code(line), _with("cortex-a53", lane_writeback=0)) == 3


def test_what_is_loaded_takes_room_for_results_on_cortex_a55() -> None:
    # Results of two cycles of latency, begun behind a load of four, come in its last cycle.
    loop = code(*(line for n in range(8) for line in (f"ldr q{n}, [x1]", f"urhadd v{8 + n}.8h, v16.8h, v17.8h")))
    freely = steady_cycles(loop, _with("cortex-a55", load_results=0))
    assert freely == 8 * 3  # two cycles of a load, one of a sum
    assert steady_cycles(loop, load_pipeline("cortex-a55")) == 8 * 4
    sums = code(*(f"urhadd v{n}.8h, v16.8h, v17.8h" for n in range(4)))
    assert steady_cycles(sums, load_pipeline("cortex-a55")) == 4


def test_stores_that_wait_for_their_data_fill_the_queue_of_their_port() -> None:
    # A chain, and more stores of its end than wait at the port: the next chain comes behind them.
    loop = code(*["mul v0.4h, v1.4h, v0.4h"] * 2, "add v3.4h, v0.4h, v0.4h", *["str d3, [x1]"] * 24, "movi v0.4h, #0")
    core = "neoverse-n1"
    free, ahead, waiting = (steady_cycles(loop, _with(core, store_ahead=cycles)) for cycles in (-1, 3, 0))
    assert free <= ahead <= waiting
    assert free < waiting
