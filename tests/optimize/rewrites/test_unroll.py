"""An unrolled loop does what the loop did, for every count of iterations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.optimize.loops import CONTRACT, code_of_text
from tests.optimize.running import left_behind, written

from neonlab.isa.model.isa import Isa, general
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import Exploration, exact_cycles
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.rewrites.unroll import UNROLLING, unrolled, with_room

BODY = {
    Isa.A64: "ldr q0, [x0], #16\n ldr q1, [x1], #16\n smull v2.8h, v0.8b, v1.8b\n smlal2 v2.8h, v0.16b, v1.16b\n"
    " sadalp v16.4s, v2.8h\n add v17.4s, v17.4s, v0.4s\n subs x3, x3, #{step}\n b.{condition} loop",
    Isa.A32: "vld1.8 {{d0, d1}}, [r0]!\n vld1.8 {{d2, d3}}, [r1]!\n vmull.s8 q2, d0, d2\n vmlal.s8 q2, d1, d3\n"
    " vpadal.s16 q8, q2\n vadd.i32 q9, q9, q0\n subs r3, r3, #{step}\n b{condition} loop",
}
STEP = 4
#: Counts with which a loop of steps of 4 does 1 to 11 iterations, with all that may be left of a step.
EXACT, UP, DOWN = range(STEP, 45, STEP), range(1, 45), range(44)
COUNTS = {"ne": EXACT, "hi": UP, "gt": UP, "hs": DOWN, "cs": DOWN, "ge": DOWN}


def loop_of(isa: Isa, condition: str) -> tuple[str, LoopCode]:
    text = BODY[isa].format(step=STEP, condition=condition)
    return text, code_of_text(text, isa, kept=(16, 17, 18, 19), free=(4, 5, 6, 7))


@pytest.mark.parametrize("isa", list(Isa))
@pytest.mark.parametrize("condition", COUNTS)
@pytest.mark.parametrize("times", [2, 4])
def test_an_unrolled_loop_does_the_same_for_every_count(isa: Isa, condition: str, times: int) -> None:
    text, code = loop_of(isa, condition)
    new = unrolled(code, times)
    assert new is not None and new.times == times and len(new.body) == times * (len(code.body) - 1) + 1
    counts = COUNTS[condition]
    before = left_behind(f"loop:\n{text}", isa, counts)
    assert left_behind(written(text, code, new), isa, counts) == before
    assert len(set(before)) == len(before), "each count leaves something else"


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("isa", "core"), [(Isa.A64, "cortex-a53"), (Isa.A64, "cortex-a72"), (Isa.A32, "cortex-a53")])
@pytest.mark.parametrize("condition", ["ne", "hs"])
def test_orders_of_an_unrolled_loop_do_the_same_and_cost_less(isa: Isa, core: str, condition: str) -> None:
    text, code = loop_of(isa, condition)
    pipeline = load_pipeline(core)
    now = exact_cycles(code, range(len(code.body)), pipeline)
    exploration = Exploration(CONTRACT, pipeline, 1, lambda _steps, _cycles: True, UNROLLING)
    candidates = exploration.run(code, 600)
    before = left_behind(f"loop:\n{text}", isa, COUNTS[condition])
    for one in candidates:
        assert left_behind(written(text, code, one.code, one.found), isa, COUNTS[condition]) == before, one
    assert min(one.cycles for one in candidates if one.code.times > 1) < now


@pytest.mark.parametrize("isa", list(Isa))
@pytest.mark.parametrize("wrong", ["done", "few", "again", "restore"])
def test_an_unrolled_loop_with_a_mistake_around_it_does_something_else(isa: Isa, wrong: str) -> None:
    text, code = loop_of(isa, "hs")
    new = unrolled(code, 2)
    assert new is not None and new.unrolled is not None
    mistakes: dict[str, Any] = {"done": "al", "few": "ls", "again": "hi", "restore": new.unrolled.lower}
    spoilt = replace(new, unrolled=replace(new.unrolled, **{wrong: mistakes[wrong]}))
    before, after = (left_behind(one, isa, DOWN) for one in (f"loop:\n{text}", written(text, code, spoilt)))
    # A branch that goes to the loop of one iteration too early is slow, not wrong.
    assert (before == after) == (wrong in ("few", "again"))


@pytest.mark.slow
def test_the_caller_keeps_what_waits_in_general_registers() -> None:
    text, code = loop_of(Isa.A64, "ne")
    roomy = with_room(replace(code, free=code.free | {general(12), general(13), general(14)}))
    assert roomy is not None and [step.text for step in roomy.before] == [
        "fmov x12, d8",
        "fmov x13, d9",
        "fmov x14, d10",
    ]
    new = unrolled(roomy, 4)
    assert new is not None
    exploration = Exploration(CONTRACT, load_pipeline("cortex-a53"), 1, lambda _steps, _cycles: True, ())
    best = exploration.run(new, 300)[0]
    assert any("v8" in step.text for step in best.code.body), "the room is used"
    # The machine faults where a function does not keep v8-v15.
    assert left_behind(written(text, code, best.code, best.found), Isa.A64, EXACT) == left_behind(
        f"loop:\n{text}", Isa.A64, EXACT
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("subs x3, x3, #4", "cmp x0, x9"),
        ("subs x3, x3, #4", "subs x3, x4, #4"),
        ("b.ne", "b.mi"),
        ("add v17.4s, v17.4s, v0.4s", "ldr q3, [x1, x3]"),
        ("add v17.4s, v17.4s, v0.4s", "adds x5, x5, #1"),
    ],
)
def test_a_loop_that_counts_otherwise_is_not_unrolled(old: str, new: str) -> None:
    text, code = loop_of(Isa.A64, "ne")
    assert old in text and unrolled(code, 2) is not None
    assert unrolled(code_of_text(text.replace(old, new), Isa.A64), 2) is None


def test_an_unrolled_loop_is_not_unrolled_again_and_a_long_one_not_at_all() -> None:
    _, code = loop_of(Isa.A64, "ne")
    twice = unrolled(code, 2)
    assert twice is not None and unrolled(twice, 2) is None
    assert unrolled(replace(code, body=code.body * 30), 2) is None


def test_unrolling_comes_late() -> None:
    assert all(isinstance(one, Rewrite) and one.late for one in UNROLLING)
