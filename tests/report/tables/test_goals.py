"""Goals are those of the file, figures beside them what runs cost; what stays above one is said, with why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.kernel_sources import file_of

from neonlab.errors import InputError
from neonlab.isa.model.instruction import InstructionClass
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, Library, open_kernel, open_library
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.profile import Profile
from neonlab.report.tables.goals import Goal, goal_lines, ladder_file, read_goals
from neonlab.report.tables.hot_loop_cost import hot_loop_cost
from neonlab.report.tables.variants import VariantRow

ROOT = Path(__file__).resolve().parents[3]
GOALS = read_goals(open_library(ROOT))
GENERAL, SHALLOW = "armv8/conv1x1_s8s32_hwc_4x16_dotprod", "armv8/conv1x1_s8s32_hwc_4x8_dotprod_ic32"


def ran(title: str, shape: str) -> tuple[Kernel, Profile]:
    kernel = open_kernel(file_of(title))
    found = profile(kernel, parse_shape(kernel, shape))
    assert isinstance(found, Profile)
    return kernel, found


def row_of(title: str, shape: str, layer: str) -> VariantRow:
    kernel, found = ran(title, shape)
    return VariantRow(title, layer, shape, True, True, found, hot_loop_cost(kernel_program(kernel), found.counts))


@pytest.fixture(scope="module")
def rows() -> list[VariantRow]:
    layers = ((GENERAL, "1x8x32x16", "few"), (SHALLOW, "1x8x32x16", "few"), (GENERAL, "1x8x64x16", "more"))
    return [row_of(*layer) for layer in layers]


def test_a_layer_is_done_by_the_kernel_that_takes_least_and_is_bold_above_the_margin(rows: list[VariantRow]) -> None:
    few = min(row.profile.instructions_per_mac for row in rows[:2] if row.profile)
    more = rows[2].profile
    assert more is not None
    for reach, bold in ((few / 1.1 + 1e-6, False), (few / 1.1 - 1e-6, True)):
        lines = list(goal_lines([Goal("dotprod", "HWC rows", 0.0625, reach, (GENERAL, SHALLOW), "Because.")], rows))
        text = "\n".join(lines)
        assert (f"| few | **{few:.4f}** |" in text) == bold and (f"| few | {few:.4f} |" in text) != bold
        assert re.search(rf"^\| more \| \**{more.instructions_per_mac:.4f}\** \|$", text, re.MULTILINE)
        assert (f"on few: {few:.4f}; the limit is {1.1 * reach:.4f}." in text) == bold
        assert all(line.endswith(" Because.") for line in lines if line.startswith("- "))


def test_the_hot_loop_is_that_of_the_first_kernel_and_bold_above_the_goal(rows: list[VariantRow]) -> None:
    for reach, figure in ((0.07, "0.0693"), (0.069, "**0.0693**")):
        lines = list(goal_lines([Goal("dotprod", "HWC rows", 0.0625, reach, (GENERAL, SHALLOW))], rows))
        assert f"| dotprod | HWC rows | 0.0625 | {reach:g} | {figure} | `{GENERAL}` |" in lines


def test_what_is_left_without_branches_and_integers_is_counted_from_what_ran(rows: list[VariantRow]) -> None:
    kernel, found = ran(GENERAL, "1x8x32x16")
    outside = {InstructionClass.BRANCH, InstructionClass.INTEGER, InstructionClass.PREFETCH}
    executed = zip(kernel_program(kernel).instructions, found.counts.executions.tolist(), strict=True)
    work = sum(times for instruction, times in executed if instruction.instruction_class not in outside) / found.macs
    (line,) = (line for line in goal_lines([Goal("x", "y", 0.01, 0.01, (GENERAL,))], rows[:1]) if line[0:1] == "-")
    assert line.endswith(f"Without branches and integer instructions it would be {work:.4f}.")


def test_the_library_reaches_its_goals_but_where_the_report_says_why_not() -> None:
    section = (ROOT / "reports" / "ladder.md").read_text().split("## Goals\n")[1].split("\n## ")[0]
    loops = re.findall(r"^\| ([^|]+) \| (packed|HWC rows) \| .* \| ([*.\d]+) \| `(\S+)` \|$", section, re.MULTILINE)
    assert [(level, operands, kernel) for level, operands, _, kernel in loops] == [
        (goal.level, goal.operands, goal.kernels[0]) for goal in GOALS
    ]
    assert all(float(figure) <= goal.reach for (_, _, figure, _), goal in zip(loops, GOALS, strict=True))
    above = re.findall(r"^- .*$", section, re.MULTILINE)
    assert len(above) == len(re.findall(r"\*\*0\.\d+\*\*", section)) <= 2
    for line in above:
        limit, work = re.findall(r"the limit is (0\.\d+)\..* would be (0\.\d+)\.", line)[0]
        assert float(work) > float(limit), "no order of the same work gets there"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[goal]]\nlevel = "x"', "kernels"),
        ('[[goal]]\nlevel = "x"\nkernels = ["armv9/x"]\nwhat = 1', "what"),
        ('[[goal]]\nlevel = "x"\noperands = "y"\nfloor = 1\nreach = 2\nkernels = ["armv9/x"]', "no kernel `armv9/x`"),
        ("[[goal", "ladder.toml"),
    ],
)
def test_goals_that_cannot_be_read_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "ladder.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_goals(Library(tmp_path, (), ()))


def test_a_library_without_goals_has_no_section(tmp_path: Path, rows: list[VariantRow]) -> None:
    assert read_goals(Library(tmp_path, (), ())) == () and ladder_file(Library(tmp_path, (), ()))[1] is None
    assert list(goal_lines([], rows)) == []
