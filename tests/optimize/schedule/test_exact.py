"""CP-SAT finds the cheapest order of small loops, which trying all orders finds too, and never takes a wrong one."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import pytest
from tests.optimize.loops import SAFE, SAFE_OF_A32, code_of_text
from tests.optimize.schedule.orders import every_order, times_of
from tests.tools import require_module

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import exact_cycles, order_of
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.schedule.exact import Exact, ExactSearch, may_be_tried
from neonlab.optimize.schedule.limits import fewest_cycles
from neonlab.optimize.schedule.steady import Answer, Schedule

CHAIN = """
    ldr q0, [x0], #16
    smull v1.8h, v0.8b, v0.8b
    smull2 v2.8h, v0.16b, v0.16b
    sadalp v16.4s, v1.8h
    sadalp v17.4s, v2.8h
    subs x2, x2, #16
    b.ne loop
"""
SMALL = [
    (SAFE, Isa.A64, "cortex-a53"),
    (SAFE, Isa.A64, "cortex-a55"),
    (CHAIN, Isa.A64, "cortex-a53"),
    (CHAIN, Isa.A64, "cortex-a55"),
    (SAFE_OF_A32, Isa.A32, "cortex-a7"),
]
STEPS = 6000


@functools.cache
def costs(text: str, isa: Isa, core: str) -> Mapping[tuple[int, ...], float]:
    code = code_of_text(text, isa)
    return {
        one: exact_cycles(code, one, load_pipeline(core)) for one in {sequence for sequence, _ in every_order(code)}
    }


def searched(code: LoopCode, core: str, start: tuple[Sequence[int], Sequence[int]], steps: int = STEPS) -> Exact:
    pipeline, order = load_pipeline(core), order_of(code)
    order.put(*start)

    def cost(sequence: Sequence[int]) -> float:
        return exact_cycles(code, sequence, pipeline)

    return ExactSearch(code, pipeline, order, cost(start[0]), cost, 1).run(steps, lambda _steps, _cycles: True)


def worst(text: str, isa: Isa, core: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    known = costs(text, isa, core)
    return max(every_order(code_of_text(text, isa)), key=lambda one: known[one[0]])


@pytest.mark.slow
@pytest.mark.parametrize(("text", "isa", "core"), SMALL)
def test_the_cheapest_of_all_orders_is_found_and_shown_to_be(text: str, isa: Isa, core: str) -> None:
    require_module("ortools")
    code, known = code_of_text(text, isa), costs(text, isa, core)
    exact = searched(code, core, worst(text, isa, core))
    least = min(known.values())
    assert exact.found is not None and exact.found.cycles == least < max(known.values())
    assert exact.bound == least > fewest_cycles(code, load_pipeline(core)), "what ports and slots take does not show it"
    assert (exact.found.sequence, exact.found.ahead) in set(every_order(code))
    assert all(times_of(code, one, load_pipeline(core)) for one in known), "the bound holds for all of them"


@pytest.mark.parametrize(("text", "isa", "core"), SMALL[:1])
def test_the_bound_of_the_cheapest_order_is_no_more_than_it_takes(text: str, isa: Isa, core: str) -> None:
    require_module("ortools")
    code, known = code_of_text(text, isa), costs(text, isa, core)
    best = min(every_order(code), key=lambda one: known[one[0]])
    exact = searched(code, core, best)
    assert exact.found is None and exact.bound == known[best[0]]


@pytest.mark.slow
def test_the_same_input_gives_the_same_output() -> None:
    require_module("ortools")
    start = worst(*SMALL[0])
    code = code_of_text(SAFE, Isa.A64)
    assert searched(code, "cortex-a53", start) == searched(code, "cortex-a53", start)


def test_no_more_is_done_than_the_steps_allow() -> None:
    require_module("ortools")
    exact = searched(code_of_text(SAFE, Isa.A64), "cortex-a53", worst(*SMALL[0]), steps=3)
    assert exact.steps <= 30 and exact.bound <= min(costs(*SMALL[0]).values()), "a piece of work is done to its end"


def test_a_search_ends_when_it_is_told_to() -> None:
    require_module("ortools")
    told = []

    def advance(steps: int, cycles: float) -> bool:
        told.append((steps, cycles))
        return False

    text = "\n".join(
        f"smull v{at}.8h, v{at + 1}.8b, v{at + 2}.8b\nsadalp v{20 + at}.4s, v{at}.8h\nsqxtn v{at}.8b, v{at}.8h"
        for at in range(12)
    )
    code = code_of_text(f"{text}\nsubs x2, x2, #1\nb.ne loop", Isa.A64, kept=tuple(range(20, 32)))
    pipeline = load_pipeline("cortex-a53")
    exact = ExactSearch(code, pipeline, order_of(code), 99.0, lambda _: 99.0, 1).run(10**8, advance)
    assert exact.found is None and told[-1][0] == exact.steps < 10**7


def _without_a_dependence(sequence: tuple[int, ...]) -> Schedule:
    """Return an order in which a product is added up before it is made."""
    return Schedule(Answer.FOUND, tuple({2: 3, 3: 2}.get(one, one) for one in sequence), ())


def _with_an_instruction_twice(sequence: tuple[int, ...]) -> Schedule:
    return Schedule(Answer.FOUND, (*sequence[:-1], sequence[0]), ())


def _ahead_of_what_decides(sequence: tuple[int, ...]) -> Schedule:
    return Schedule(Answer.FOUND, sequence, (0,))


@pytest.mark.parametrize("wrong", [_without_a_dependence, _with_an_instruction_twice, _ahead_of_what_decides])
def test_an_order_that_breaks_the_loop_is_not_taken_however_cheap(wrong: object) -> None:
    assert callable(wrong)
    code, costed = code_of_text(SAFE, Isa.A64), []
    straight = tuple(range(len(code.body)))

    def cost(sequence: Sequence[int]) -> float:
        costed.append(tuple(sequence))
        return 1.0

    order = order_of(code)
    search = ExactSearch(code, load_pipeline("cortex-a53"), order, 18.0, cost, 1)
    assert not search.take(wrong(straight)) and not costed
    assert tuple(order.sequence) == straight and not order.ahead, "the order is as it was"
    assert search.take(Schedule(Answer.FOUND, straight, ())) and costed == [straight]


def test_an_order_that_the_model_of_the_core_finds_no_cheaper_is_not_taken() -> None:
    code = code_of_text(SAFE, Isa.A64)
    search = ExactSearch(code, load_pipeline("cortex-a53"), order_of(code), 18.0, lambda _: 18.0, 1)
    assert not search.take(Schedule(Answer.FOUND, tuple(range(len(code.body))), ()))


@pytest.mark.parametrize(("core", "tried"), [("cortex-a53", True), ("cortex-a7", True), ("cortex-a72", False)])
def test_it_is_tried_on_cores_that_issue_in_order(core: str, tried: bool) -> None:
    assert may_be_tried(code_of_text(SAFE, Isa.A64), load_pipeline(core)) == tried
