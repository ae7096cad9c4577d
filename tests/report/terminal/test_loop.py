"""The hot loop in the terminal: it fits, and the drawing says what the timeline does."""

from __future__ import annotations

import re
from functools import cache

import pytest
from tests.sample import CONV1X1

from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.caches import load_core
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.terminal.loop import hint_lines, path_lines, port_lines, summary_lines, timeline_lines

CASES = [
    (kernel.title, core)
    for kernel in CONV1X1
    for core in ("cortex-a53", "cortex-a55", "neoverse-n1")
    if load_core(core).refusal(kernel.isa, kernel.contract.features) is None
]


@cache
def report_of(title: str, core: str) -> LoopReport:
    kernel = next(one for one in CONV1X1 if one.title == title)
    depth = min(64, int((kernel.contract.argument("in_channels").value_range or (1, 64))[1]))
    shape = parse_shape(kernel, f"14x14x{depth}x8")
    profile = profiling.profile(kernel, shape, memory=MemoryOptions(core, loop=True))
    assert isinstance(profile, Profile) and profile.loop is not None
    return profile.loop


@pytest.mark.parametrize(("title", "core"), CASES)
@pytest.mark.sweep(parts=2)
def test_everything_fits_80_columns(title: str, core: str) -> None:
    report = report_of(title, core)
    lines = [*summary_lines(title, report), *hint_lines(report, 99), *port_lines(report), *path_lines(report),
             *timeline_lines(report)]  # fmt: skip
    assert max(map(len, lines)) <= 80
    assert all(line.strip() for line in lines)


def test_the_head_names_the_file_where_lines_are_not_the_kernels_own() -> None:
    for title, words in (
        ("armv8/conv1x1_s8s32_hwc_2x8_ic32", "hot loop, lines 50 to 95: "),
        ("armv8/conv1x1_s8s32_chw_8x4", " of conv1x1/conv1x1_s8s32_chw_8x4.inc (b)"),
        ("armv8/conv1x1_s8s32_hwc_4x4", " of conv1x1/conv1x1_hwc_4x4.inc"),
    ):
        assert words in " ".join(summary_lines(title, report_of(title, "cortex-a53")))


@pytest.mark.parametrize(("title", "core"), CASES)
@pytest.mark.sweep(parts=2)
def test_the_drawing_has_each_letter_at_its_cycle(title: str, core: str) -> None:
    report = report_of(title, core)
    rows = iter(report.timeline)
    origin, at_column = None, None
    drawn = 0
    for line in list(timeline_lines(report))[1:]:
        found = re.match(r"\[(\d+),(\d+)\] +", line)
        if found is None:  # the ruler: a number stands at its cycle
            number = re.search(r"\d+", line)
            assert number is not None
            origin, at_column = int(number[0]), number.start()
            continue
        row = next(rows)
        drawn += 1
        assert (int(found[1]), int(found[2])) == (row.iteration, row.instruction)
        assert origin is not None and at_column is not None
        end = row.start + row.marks.index("E")
        assert line[at_column + end - origin] == "E"
        assert f" {report.label(report.lines[row.instruction])} " in line[at_column:]
    assert drawn == len(report.timeline) == 2 * report.instructions


@pytest.mark.parametrize(("title", "core"), CASES)
@pytest.mark.sweep(parts=2)
def test_the_path_adds_up_as_shown(title: str, core: str) -> None:
    report = report_of(title, core)
    head, _, *links = path_lines(report)
    total = re.search(r"(\d+) cycles$", head)
    assert total is not None
    assert sum(int(line.split()[0]) for line in links) == int(total[1]) == report.path.cycles


def test_further_hints_are_counted() -> None:
    report = report_of("armv8/conv1x1_s8s32_chw_8x4", "cortex-a53")
    assert len(report.hints) > 1
    assert list(hint_lines(report, 1))[-1].strip() == f"* {len(report.hints) - 1} more: --timeline shows them"
    assert not any("more: --timeline" in line for line in hint_lines(report, 99))
