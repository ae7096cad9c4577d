"""The fast cost of an order is that of `profile` for the same loop."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.optimize.loops import SAFE, SAFE_A32, SAFE_A64, SAFE_OF_A32, code_of_text

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.measure.silicon.mca import closed_loops
from neonlab.optimize.loop.cost import LoopCost

#: Of the cycles: the loop is timed over few iterations, and out of order its period may be longer.
TOLERANCE_IN_ORDER, TOLERANCE_OUT_OF_ORDER = 0.0, 0.08


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55", "cortex-a7", "cortex-a72", "cortex-a76"])
def test_orders_cost_what_a_profile_says(core: str) -> None:
    path = SAFE_A32 if core == "cortex-a7" else SAFE_A64
    body = max(closed_loops(kernel_program(open_kernel(path))), key=len)
    pipeline, chance = load_pipeline(core), random.Random(5)
    cost, order = LoopCost(body, pipeline), list(range(len(body) - 1))
    tolerance = TOLERANCE_IN_ORDER if pipeline.in_order else TOLERANCE_OUT_OF_ORDER
    for _ in range(8):
        there = [replace(body[one], address=4 * at) for at, one in enumerate(order)]
        there.append(replace(body[-1], address=4 * len(order), target=0))
        assert cost(order) == pytest.approx(steady_cycles(there, pipeline), rel=tolerance, abs=1e-9), order
        chance.shuffle(order)


def test_no_order_costs_less_than_the_bound() -> None:
    code = code_of_text(SAFE, Isa.A64)
    cost, order = LoopCost(code.instructions, load_pipeline("cortex-a53")), list(range(len(code.body)))
    for seed in range(20):
        random.Random(seed).shuffle(order)
        assert cost(order) >= cost.bound - 1e-9
    assert cost.evaluations == 20


def test_an_order_costs_the_same_whatever_was_costed_before() -> None:
    code = code_of_text(SAFE_OF_A32, Isa.A32)
    cost = LoopCost(code.instructions, load_pipeline("cortex-a7"))
    forwards = list(range(len(code.body)))
    first = cost(forwards)
    cost(forwards[::-1])
    assert cost(forwards) == first
