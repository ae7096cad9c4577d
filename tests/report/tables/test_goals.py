"""Goals are those of the file, figures beside them what the models say; a goal that is met stays met."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.sample import KERNELS

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Library, open_library
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.tables.findings import takes_all_numbers
from neonlab.report.tables.goals import (
    Goal,
    Peer,
    Reached,
    calls_of_goals,
    goal_lines,
    ladder_file,
    met_words,
    reach_goals,
    read_goals,
)

ROOT = Path(__file__).resolve().parents[3]
GOALS = read_goals(open_library(ROOT))
EACH = [(goal, core) for goal in GOALS for core in goal.reach]
NAMES = [f"{goal.level}, {goal.operands} on {core}" for goal, core in EACH]
#: What is above its goal today.  A goal that is reached is taken out of here, and may not come back.
MISSED: set[str] = set()
GOAL_OF_ONE = Peer(0.25, "others' kernel", tables_hash("cortex-a53"))
ONE = Reached("NEON", "int8", "cortex-a53", GOAL_OF_ONE, "armv8/x", 0.24, 0.1875, 512)


def row_of(one: Reached) -> str:
    """The row of the table."""
    (row,) = [line for line in goal_lines([one]) if line.startswith(f"| {one.level} ")]
    return row


@pytest.mark.slow
def test_the_figure_is_the_median_difference_of_depths_and_the_best_kernel_counts() -> None:
    core = "cortex-a53"
    kernels = {one.title: one for one in KERNELS}
    titles = ("armv8/matmul_s8s32_packed_4x4", "armv8/conv1x1_s8s32_hwc_4x4_inorder")
    shapes = (
        ("4x4x512", "4x4x768", "4x4x1024", "4x4x1280"),
        ("1x4x512x4", "1x4x768x4", "1x4x1024x4", "1x4x1280x4"),
    )
    expected, bounds = [], []
    for title, texts in zip(titles, shapes, strict=True):
        kernel = kernels[title]
        ran = [profile(kernel, parse_shape(kernel, one), core=core, warm=True) for one in texts]
        cycles = [one.cycles.cycles for one in ran if isinstance(one, Profile) and one.cycles is not None]
        expected.append(sorted(np.diff(cycles))[1] / (4 * 4 * 256))
        last = ran[-1]
        assert isinstance(last, Profile) and last.loop is not None
        bounds.append(last.loop.bounds.ports / last.loop.macs)
    goal = Goal("NEON", "int8", {core: GOAL_OF_ONE}, tuple(kernels[title] for title in titles))
    with Workers(1) as workers:
        (found,) = reach_goals(workers, [goal])
    best = expected.index(min(expected))
    assert (found.kernel, found.cycles, found.bound) == (titles[best], expected[best], bounds[best])
    assert expected[0] != expected[1], "one is better"


@pytest.mark.parametrize(
    ("goal", "cycles", "word"),
    [
        (0.25, 0.25, "yes"),
        (0.333333, 1 / 3, "yes"),
        (0.25, 0.2504, "no: 0.2 of 128.2 cycles above"),
        (0.031, 0.03125, "no: 0.13 of 16 cycles above"),
        (0.0625, 0.0626, "no: 0.051 of 32.05 cycles above"),
    ],
)
def test_what_is_above_a_goal_is_said_in_cycles_of_an_iteration(goal: float, cycles: float, word: str) -> None:
    one = replace(ONE, goal=replace(GOAL_OF_ONE, cycles=goal), cycles=cycles)
    assert one.word == word and one.is_met == (word == "yes")
    figure = f"{cycles:.5f}" if one.is_met else f"**{cycles:.5f}**"
    assert row_of(one) == (
        f"| NEON | int8 | cortex-a53 | others' kernel | {goal:.5f} | `armv8/x` | {figure} | 0.18750 | {word} |"
    )


def test_a_goal_that_was_costed_with_other_tables_is_marked() -> None:
    older = replace(ONE, goal=replace(GOAL_OF_ONE, tables="0123456789abcdef"))
    assert "| 0.25000 † |" in row_of(older) and "† |" not in row_of(ONE)
    assert any(line.startswith("†: costed before") for line in goal_lines([ONE, older]))
    assert not any(line.startswith("†") for line in goal_lines([ONE]))


def test_the_sum_says_how_many_are_met() -> None:
    assert met_words([ONE, ONE, replace(ONE, cycles=0.3)]) == "2 of 3 goals are met"


def test_every_kernel_of_the_work_that_takes_all_numbers_may_reach_the_goal_of_its_level() -> None:
    levels = {
        ("armv7", ""): "ARMv7 NEON", ("armv7", "dotprod"): "AArch32 with dotprod", ("armv8", ""): "ARMv8.0 NEON",
        ("armv8", "dotprod"): "ARMv8.2 dotprod", ("armv8", "i8mm"): "i8mm",
    }  # fmt: skip
    named = {goal.level: {kernel.title for kernel in goal.kernels} for goal in GOALS if goal.operands == "int8"}
    there: dict[str, set[str]] = {level: set() for level in levels.values()}
    for kernel in KERNELS:
        parsed = KernelName.parse(kernel.name)
        few = any(variant.startswith("ic") for variant in parsed.variants)
        is_work = kernel.operator is not None and kernel.operator.name in ("matmul", "conv1x1")
        is_work = is_work and "_s8s32_" in kernel.name and parsed.layout in ("packed", "hwc") and not few
        if is_work and takes_all_numbers(kernel):
            there[levels[kernel.title.partition("/")[0], parsed.level or ""]].add(kernel.title)
    assert named == there


@pytest.mark.slow
@pytest.mark.parametrize(("goal", "core"), EACH, ids=NAMES)
def test_a_goal_that_is_met_stays_met_and_the_report_says_so(goal: Goal, core: str) -> None:
    with Workers(1) as workers:
        (found,) = reach_goals(workers, [replace(goal, reach={core: goal.reach[core]})])
    assert found.is_met or f"{goal.level}, {goal.operands} on {core}" in MISSED, found.word
    section = (ROOT / "reports" / "ladder.md").read_text().split("## Goals\n")[1].split("\n## ")[0]
    assert row_of(found) in section.splitlines()


def test_the_report_has_all_goals_and_misses_none_that_was_met() -> None:
    section = (ROOT / "reports" / "ladder.md").read_text().split("## Goals\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (\S+) \| ([^|]+) \| ([\d.]+) .* \| ([^|]+) \|$", section, re.M)
    names = [f"{level}, {operands} on {core}" for level, operands, core, *_ in rows]
    assert names == NAMES
    assert [row[3:5] for row in rows] == [(one.kernel, f"{one.cycles:.5f}") for one in (g.reach[c] for g, c in EACH)]
    assert {name for name, row in zip(names, rows, strict=True) if row[5].startswith("no")} <= MISSED
    assert set(NAMES) >= MISSED, "of goals that there are"


def test_a_kernel_is_called_at_four_depths_on_one_tile() -> None:
    goal = next(goal for goal in GOALS if goal.level == "ARMv8.2 dotprod")
    calls = calls_of_goals([replace(goal, reach={"cortex-a55": goal.reach["cortex-a55"]})])
    assert [str(shape) for _, shape, _ in calls[:4]] == ["8x12x512", "8x12x768", "8x12x1024", "8x12x1280"]
    assert [str(shape) for _, shape, _ in calls[8:11]] == ["1x4x512x16", "1x4x768x16", "1x4x1024x16"]
    assert all(memory.warm and memory.core is not None for _, _, memory in calls)
    assert calls[0][2] != MemoryOptions("cortex-a55", warm=True, loop=True) == calls[3][2]


PEER = '{ cycles = 1, of = "z", tables = "0" }'
GOAL = '[[goal]]\nlevel = "x"\noperands = "y"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[goal]]\nlevel = "x"', "operands"),
        (f"{GOAL}reach = 3\nkernels = []", "cannot be read"),
        (f"{GOAL}reach = {{ cortex-a53 = 1 }}\nkernels = []", "cannot be read"),
        (f'{GOAL}reach = {{ cortex-a53 = {PEER} }}\nkernels = ["armv9/x"]\nwhat = 1', "no key what"),
        (f'{GOAL}reach = {{ cortex-a53 = {PEER} }}\nkernels = ["armv9/x"]', "no kernel `armv9/x`"),
        (f"{GOAL}reach = {{ cortex-a53 = {PEER} }}\nkernels = []", "needs `kernels`"),
        (f'{GOAL}reach = {{ cortex-a99 = {PEER} }}\nkernels = ["armv8/matmul_s8s32_packed_4x4"]', "cortex-a99"),
        (f'{GOAL}reach = {{ cortex-a7 = {PEER} }}\nkernels = ["armv8/matmul_s8s32_packed_4x4"]', "does not run on"),
        (f'{GOAL}reach = {{ cortex-a53 = {PEER} }}\nkernels = ["armv8/clip_s8s8_flat_64"]', "has no depth"),
        ("[[goal", "ladder.toml"),
    ],
)
def test_goals_that_cannot_be_read_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "ladder.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_goals(Library(tmp_path, (), tuple(KERNELS)))


def test_a_library_without_goals_has_no_section(tmp_path: Path) -> None:
    assert read_goals(Library(tmp_path, (), ())) == () and ladder_file(Library(tmp_path, (), ()))[1] is None
    assert list(goal_lines([])) == []
