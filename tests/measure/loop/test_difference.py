"""Loops line against line: nothing is lost, nothing invented, and costs add up to what the model says of the whole."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest
from tests.command_line import ADD, HEAD, LAYER, edit

from neonlab.lab.repository.library import open_kernel, open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.start.repository import start_repository
from neonlab.measure.loop.difference import LoopDifference, line_costs, loop_difference
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile

ROOT = Path(__file__).parents[3]
KERNELS = {
    title: open_library(ROOT).find(title)[0]
    for title in (
        "armv7/conv1x1_s8s32_chw_8x4",
        "armv7/conv1x1_s8s32_hwc_2x4",
        "armv8/conv1x1_s8s32_chw_8x4",
        "armv8/conv1x1_s8s32_chw_8x4_left4",
        "armv8/conv1x1_s8s32_hwc_4x4",
    )
}
PAIRS = [(a, b) for a, b in itertools.permutations(KERNELS, 2) if a.split("/")[0] == b.split("/")[0]]
CORES = ("cortex-a53", "cortex-a72")
SHAPE = "14x14x64x8"
SUBTRACTION = "    subs    count, count, #16\n    b.hs"  # at the end of the hot loop


def loop_of(path: Path, core: str, shape: str = SHAPE) -> LoopReport:
    kernel = open_kernel(path)
    profile = profiling.profile(kernel, parse_shape(kernel, shape), memory=MemoryOptions(core, loop=True))
    assert isinstance(profile, Profile) and profile.loop is not None
    return profile.loop


@cache
def known_loop(title: str, core: str) -> LoopReport:
    return loop_of(KERNELS[title].path, core)


def texts(difference: LoopDifference, side: str) -> list[str]:
    return [cost.text for row in difference.rows if (cost := getattr(row, side)) is not None]


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("title", KERNELS)
def test_costs_of_the_lines_add_up_to_the_iteration(title: str, core: str) -> None:
    loop = known_loop(title, core)
    assert sum(cost.cycles for cost in line_costs(loop)) == pytest.approx(loop.cycles, abs=1e-6)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_rows_hold_both_loops_whole_and_in_order(first: str, second: str, core: str) -> None:
    before, after = known_loop(first, core), known_loop(second, core)
    difference = loop_difference(before, after, parse_shape(KERNELS[first], SHAPE), (first, second))
    assert 0 <= difference.shared <= 1
    if not difference.rows:
        assert difference.shared < 0.5
        for costs, loop in zip(difference.beside, (before, after), strict=True):
            assert [cost.text for cost in costs] == [line.instruction for line in loop.lines]
            assert sum(cost.cycles for cost in costs) == pytest.approx(loop.cycles, abs=1e-6)
        return
    assert difference.beside == ((), ())
    assert texts(difference, "before") == [line.text for line in before.lines]
    assert texts(difference, "after") == [line.text for line in after.lines]
    total = sum(row.after.cycles for row in difference.rows if row.after is not None)
    assert total == pytest.approx(after.cycles, abs=1e-6)


@pytest.mark.parametrize("title", KERNELS)
def test_a_loop_does_not_differ_from_itself(title: str) -> None:
    loop = known_loop(title, "cortex-a53")
    difference = loop_difference(loop, loop, parse_shape(KERNELS[title], SHAPE), (title, title))
    assert difference.shared == 1 and not difference.changed and all(row.same for row in difference.rows)


def test_what_was_put_in_and_what_was_changed_is_told_by_its_line(tmp_path: Path) -> None:
    start_repository(tmp_path)
    path = tmp_path / "asm" / f"{ADD}.S"
    before = loop_of(path, "cortex-a53", LAYER)
    step = edit(tmp_path, SUBTRACTION, SUBTRACTION.replace("#16", "16"))
    head = edit(tmp_path, HEAD, f"    nop\n{HEAD}")
    shape = parse_shape(open_kernel(path), LAYER)
    rows = loop_difference(before, loop_of(path, "cortex-a53", LAYER), shape, ("a", "b")).rows
    added = [row.after for row in rows if row.before is None]
    assert [(cost.text, cost.line) for cost in added if cost is not None] == [("nop", head)]
    paired = [(row.before, row.after) for row in rows if not row.same and row.before is not None]
    assert [(a.line, b.line) for a, b in paired if a is not None and b is not None] == [(step, step + 1)]
