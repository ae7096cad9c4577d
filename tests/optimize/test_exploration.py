"""The search finds cheaper loops, each of which keeps what the loop needs in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.optimize.loops import CONTRACT, SAFE, SAFE_A32, SAFE_A64, code_of_text, longest_loop
from tests.tools import require_module

from neonlab.isa.model.isa import Isa
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


@pytest.mark.parametrize("steps", [40, 400])
def test_no_more_orders_are_tried_than_asked_for_and_all_are_told_of(steps: int) -> None:
    kernel = open_kernel(SAFE_A32)
    code = code_of(kernel_program(kernel), kernel.contract, [longest_loop(kernel)])
    told = 0

    def advance(made: int, _cycles: float) -> bool:
        nonlocal told
        told += made
        assert told <= steps
        return True

    exploration = Exploration(kernel.contract, load_pipeline("cortex-a7"), 1, advance)
    exploration.run(code, steps)
    assert steps / 2 < told <= steps and exploration.tried <= told


@pytest.mark.slow
def test_the_same_seed_gives_the_same_candidates() -> None:
    one, other = (explored(SAFE_A32, "cortex-a7")[1] for _ in range(2))
    assert [(a.cycles, a.found, [s.text for s in a.code.body]) for a in one] == [
        (a.cycles, a.found, [s.text for s in a.code.body]) for a in other
    ]


def ordered(core: str, monkeypatch: pytest.MonkeyPatch, *, installed: bool, stops: bool = False) -> list[Candidate]:
    """Return what orders alone make of a small loop."""
    monkeypatch.setattr("neonlab.optimize.exploration.is_installed", lambda: installed)
    exploration = Exploration(CONTRACT, load_pipeline(core), 1, lambda _steps, _cycles: not stops, ())
    return exploration.run(code_of_text(SAFE, Isa.A64), _STEPS)


def asked_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the steps that CP-SAT will have been asked for."""
    asked: list[int] = []
    monkeypatch.setattr(
        "neonlab.optimize.exploration.ExactSearch.run", lambda _self, steps, _advance: asked.append(steps)
    )
    return asked


def test_cp_sat_shows_of_a_small_loop_that_no_order_is_cheaper(monkeypatch: pytest.MonkeyPatch) -> None:
    require_module("ortools")
    best = ordered("cortex-a55", monkeypatch, installed=True)[0]
    assert best.steady == best.cycles, "in other registers it takes as many cycles as the bound"
    assert ordered("cortex-a55", monkeypatch, installed=True)[0] == best


def test_without_or_tools_the_search_has_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "neonlab.optimize.exploration.ExactSearch.run", lambda _self, steps, _advance: asked.append(steps)
    )
    found = ordered("cortex-a53", monkeypatch, installed=False)
    assert found and not asked and not any(one.steady for one in found)


@pytest.mark.parametrize(("core", "stops"), [("cortex-a72", False), ("cortex-a53", True)])
def test_cp_sat_is_not_asked_out_of_order_nor_once_stopped(
    core: str, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "neonlab.optimize.exploration.ExactSearch.run", lambda _self, steps, _advance: asked.append(steps)
    )
    assert ordered(core, monkeypatch, installed=True, stops=stops) and not asked
