"""The search finds cheaper loops, each of which keeps what the loop needs in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.optimize.loops import SAFE_A32, SAFE_A64, longest_loop

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import Candidate, Exploration, control_of
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.dependence import edges_of, places_of
from neonlab.optimize.loop.find import code_of
from neonlab.optimize.schedule.order import Order

_STEPS = 900


def explored(path: Path, core: str, seed: int = 1) -> tuple[LoopCode, list[Candidate]]:
    kernel = open_kernel(path)
    code = code_of(kernel_program(kernel), kernel.contract, [longest_loop(kernel)])
    exploration = Exploration(kernel.contract, load_pipeline(core), seed, lambda _steps, _cycles: True)
    return code, exploration.run(code, _STEPS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "core", "as_it_is", "at_most"),
    [(SAFE_A64, "cortex-a53", 110, 92), (SAFE_A32, "cortex-a7", 139, 96)],
    ids=["a64", "a32"],
)
def test_the_goal_is_reached_by_negated_sums_and_every_candidate_is_legal(
    path: Path, core: str, as_it_is: float, at_most: float
) -> None:
    code, candidates = explored(path, core)
    best = candidates[0]
    assert best.cycles <= at_most and any("negated" in change.name for change in best.code.changes)
    assert [one.cycles for one in candidates] == sorted(one.cycles for one in candidates)
    plain = next(one for one in candidates if not one.code.changes)
    assert best.cycles < plain.cycles <= as_it_is, "a rewrite gains more than an order alone"
    for one in candidates:
        assert sorted(one.found.sequence) == list(range(len(one.code.body)))
        edges = edges_of([step.instruction for step in one.code.body], places_of(one.code))
        order = Order(len(one.code.body), edges, control_of(one.code))
        order.put(one.found.sequence, one.found.ahead)
        assert order.is_legal
        sums = {register for step in code.body for register in step.instruction.writes} & code.kept
        changed = {register for step in one.code.body for register in step.instruction.writes} & code.kept
        assert changed == sums, "no register that matters behind the loop is used for anything else"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_candidates() -> None:
    one, other = (explored(SAFE_A32, "cortex-a7")[1] for _ in range(2))
    assert [(a.cycles, a.found, [s.text for s in a.code.body]) for a in one] == [
        (a.cycles, a.found, [s.text for s in a.code.body]) for a in other
    ]
