"""Orders of a loop, some of whose instructions run an iteration ahead."""

from __future__ import annotations

import random

import pytest
from tests.optimize.loops import SAFE, SAFE_OF_A32, code_of_text

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import control_of
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.cost import LoopCost
from neonlab.optimize.loop.dependence import edges_of, places_of
from neonlab.optimize.schedule.order import Order
from neonlab.optimize.schedule.search import Search


def order_of(code: LoopCode) -> Order:
    return Order(len(code.body), edges_of([step.instruction for step in code.body], places_of(code)), control_of(code))


@pytest.mark.parametrize(("text", "isa"), [(SAFE, Isa.A64), (SAFE_OF_A32, Isa.A32)])
def test_every_move_within_its_room_keeps_the_order_legal(text: str, isa: Isa) -> None:
    order, chance = order_of(code_of_text(text, isa)), random.Random(1)
    moved = 0
    for _ in range(400):
        one, stage = chance.randrange(len(order.sequence)), chance.randrange(2)
        low, high = order.room(one, stage)
        if low > high:
            continue
        back = order.move(one, chance.randint(low, high), stage)
        whole = 0 not in order.stage or all(order.stage[other] == 0 for other in order.control)
        assert order.is_legal == whole
        moved += 1
        if chance.random() < 0.3:
            order.move(*back)
    assert moved > 50


def test_a_use_cannot_move_before_its_load_and_a_load_can_run_ahead() -> None:
    order = order_of(code_of_text(SAFE, Isa.A64))
    assert order.room(2, 1)[0] == 2, "the product waits for both loads"
    assert order.room(0, 0)[0] > order.room(0, 0)[1] or order.room(0, 0)[0] >= 4, "behind the last use of the register"


def test_a_search_depends_on_its_seed_alone_and_finds_no_worse() -> None:
    code, pipeline = code_of_text(SAFE, Isa.A64), load_pipeline("cortex-a53")
    found = []
    for _ in range(2):
        cost = LoopCost(code.instructions, pipeline)
        search = Search(order_of(code), cost, cost.bound, seed=3)
        start = search.now
        found.append(search.run(300, lambda _steps, _cycles: True))
        assert found[-1].cycles <= start
    assert found[0] == found[1]


def test_a_search_ends_when_it_is_told_to() -> None:
    code, cost = code_of_text(SAFE, Isa.A64), None
    cost = LoopCost(code.instructions, load_pipeline("cortex-a53"))
    Search(order_of(code), cost, 0.0, seed=3).run(10_000, lambda _steps, _cycles: False)
    assert cost.evaluations < 200


@pytest.mark.parametrize("steps", [10, 64, 100])
def test_a_search_tells_of_every_step_and_of_the_best(steps: int) -> None:
    code = code_of_text(SAFE, Isa.A64)
    cost, told = LoopCost(code.instructions, load_pipeline("cortex-a53")), []

    def advance(made: int, cycles: float) -> bool:
        told.append((made, cycles))
        return True

    found = Search(order_of(code), cost, 0.0, seed=3).run(steps, advance)
    assert sum(made for made, _ in told) == steps and told[-1][1] == found.cycles
