"""A kernel with a cheaper hot loop comes out proved; what a wrong rewrite makes of it is thrown away."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import pytest
from tests.optimize.loops import SAFE_A32, SAFE_A64

from neonlab.contract.model import Contract
from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.profile import profile
from neonlab.measure.profile import Profile
from neonlab.optimize.kernel import optimize
from neonlab.optimize.loop.code import Change, LoopCode
from neonlab.optimize.outcome import Optimized, Standing
from neonlab.optimize.rewrites.rewrite import Rewrite
from neonlab.optimize.rewrites.sums import joined

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; test_exploration.py and test_judgement.py do without it"
)

SHAPES = {SAFE_A64: "1x4x64x4", SAFE_A32: "1x2x64x4"}
STEPS = 1200


@functools.cache
def safe(path: Path, core: str) -> Optimized:
    """Return the outcome for a safe loop, found once."""
    return made(path, core)


def made(path: Path, core: str, *rewrites: Rewrite, steps: int = STEPS) -> Optimized:
    with Workers(1) as workers:
        if rewrites:
            return optimize(path, core, shape=SHAPES[path], steps=steps, workers=workers, rewrites=rewrites)
        return optimize(path, core, shape=SHAPES[path], steps=steps, workers=workers)


@pytest.mark.parametrize(
    ("path", "core", "at_most"), [(SAFE_A64, "cortex-a53", 92), (SAFE_A32, "cortex-a7", 96)], ids=["a64", "a32"]
)
def test_a_safe_loop_becomes_cheaper_and_is_proved(path: Path, core: str, at_most: float, tmp_path: Path) -> None:
    found = safe(path, core)
    assert found.standing is Standing.PROVED and not found.reason and found.proved >= 20
    assert found.new.cycles <= at_most < found.old.cycles, "the goal, and not reached before"
    assert found.new.cycles >= found.new.bound - 1e-9 and found.call_after < found.call_before
    assert any("negated" in change.name for change in found.changes), "-128 * -128 twice fits only so"
    new = tmp_path / path.name
    new.write_text(found.text)
    measured = profile(new, SHAPES[path], core=core, warm=True)
    assert isinstance(measured, Profile) and measured.loop is not None
    assert measured.loop.cycles == pytest.approx(found.new.cycles * found.new.times)


def test_the_same_input_gives_the_same_output() -> None:
    found, again = safe(SAFE_A32, "cortex-a7"), made(SAFE_A32, "cortex-a7")
    assert again.text == found.text and again.to_json() == found.to_json()


def test_where_or_tools_is_missing_it_is_said_and_nothing_else_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kernel", "exploration"):
        monkeypatch.setattr(f"neonlab.optimize.{name}.is_installed", lambda: False)
    found = made(SAFE_A32, "cortex-a7", steps=0)
    assert found.untried == "CP-SAT was not tried: `pip install 'neonlab[optimize]'` is missing"
    assert found.to_json()["untried"] == found.untried and found.least <= found.new.cycles and not found.steady
    assert not made(SAFE_A32, "cortex-a72", steps=0).untried, "where it is never asked, nothing is missing"


def _joined_although_it_wraps(code: LoopCode, _contract: Contract) -> LoopCode | None:
    return joined(code, 2, negated=False)


def _without_negation(code: LoopCode, _contract: Contract) -> LoopCode | None:
    new = joined(code, 2, negated=True)
    return replace(new, before=(), after=()) if new is not None else None


def _sums_left_out(code: LoopCode, _contract: Contract) -> LoopCode | None:
    left = [at for at, step in enumerate(code.body) if "adal" in step.text][-8:]
    return code.changed(
        Change("left out", 8, "it saves additions"), [s for at, s in enumerate(code.body) if at not in left]
    )


def _loads_left_out(code: LoopCode, _contract: Contract) -> LoopCode | None:
    loads = [at for at, step in enumerate(code.body) if step.instruction.accesses][:3]
    return code.changed(
        Change("left out", 3, "it loads less"), [s for at, s in enumerate(code.body) if at not in loads]
    )


@pytest.mark.parametrize(
    "wrong",
    [
        _joined_although_it_wraps,
        _without_negation,
        _sums_left_out,
        _loads_left_out,
    ],
    ids=lambda function: function.__name__,
)
def test_what_a_wrong_rewrite_makes_is_thrown_away(wrong: object) -> None:
    found = made(SAFE_A64, "cortex-a53", Rewrite("saboteur", wrong), steps=300)  # type: ignore[arg-type]
    assert found.refused and all(one.reason for one in found.refused)
    assert any(one.changes for one in found.refused), "the rewrite was tried and found wrong"
    assert not any(change.name for change in found.changes), "and nothing of it is in the outcome"


def test_where_nothing_is_gained_the_text_stays() -> None:
    with Workers(1) as workers:
        found = optimize("armv8/matmul_s8s32_packed_8x12_dotprod", "cortex-a76", steps=0, workers=workers)
    assert found.standing is Standing.UNCHANGED and not found.is_better and found.diff() == ""
    assert found.text == found.original and "bound" in found.reason


def test_a_search_that_is_ended_keeps_what_it_has() -> None:
    calls = []

    def end(_steps: int, cycles: float) -> bool:
        calls.append(cycles)
        return len(calls) < 3

    with Workers(1) as workers:
        found = optimize(SAFE_A64, "cortex-a53", shape=SHAPES[SAFE_A64], steps=5000, workers=workers, advance=end)
    assert found.stopped and found.tried < 1000 and found.is_better
    assert found.new.cycles <= min(calls) + 1e-9


def test_the_new_kernel_is_for_the_folder_that_was_named(tmp_path: Path) -> None:
    source = Path("asm/armv7/relu/relu_s8s8_flat_64.S")
    with Workers(1) as workers:
        found = optimize(source, "cortex-a7", steps=200, into=tmp_path, workers=workers)
    (tmp_path / source.name).write_text(found.text)
    assert (code_digest(open_kernel(tmp_path / source.name)) == code_digest(open_kernel(source))) != found.is_better


def test_a_kernel_without_a_plain_hot_loop_is_refused() -> None:
    with pytest.raises(InputError, match="no loop to optimize"):
        optimize(SAFE_A64, "cortex-a53", shape="1x4x16x4", steps=0)
    with pytest.raises(InputError, match="there are apple-m1"):
        optimize(SAFE_A64, "generic", shape="1x4x64x4", steps=0)


def test_a_distance_of_prefetches_is_chosen_by_the_whole_call() -> None:
    with Workers(1) as workers:
        found = optimize(
            "armv8/conv1x1_s8s32_hwc_4x4_inorder", "cortex-a53", shape="14x14x256x64", steps=50, workers=workers
        )
    assert [change.name for change in found.changes] == ["prefetch distance"] and found.standing is Standing.PROVED
    assert found.new.cycles == found.old.cycles and found.call_after < found.call_before
    assert "128 cycles an iteration as before" in found.text
