"""The hot loop laid out flat: all instructions, in order, with cycles that add up."""

from __future__ import annotations

import re

import pytest
from tests.command_line import neonlab

from neonlab.lab.run import profile as profiling
from neonlab.measure.form_table.rate import busy_ports
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.flat_loop import flat_rows, flat_title
from neonlab.report.notebook import loops_html
from neonlab.report.terminal.flat_loop import flat_lines

KERNEL, CORE = "armv8/conv1x1_s8s32_hwc_4x4", "cortex-a53"
QUEUE = 5  # places of the core's NEON queue, and the instruction behind it


def registers(text: str) -> set[str]:
    return set(re.findall(r"\b[vxwqd](\d+)", text))


@pytest.fixture(scope="module")
def loop() -> LoopReport:
    found = profiling.profile(KERNEL, "4x4x64x16", memory=MemoryOptions(CORE, loop=True))
    assert isinstance(found, Profile) and found.loop is not None
    return found.loop


def test_every_instruction_is_there_in_order_and_cycles_add_up(loop: LoopReport) -> None:
    rows = list(flat_rows(loop))
    assert [row.instruction for row in rows] == [line.instruction for line in loop.lines]
    assert sum(row.cycles for row in rows) == pytest.approx(loop.cycles)
    assert all(not re.search(r"\\|\(", row.instruction) for row in rows), "no macro argument is left"
    assert {row.label for row in rows} == {loop.label(line) for line in loop.lines}


def test_ports_are_those_of_the_table_and_waits_name_an_earlier_result(loop: LoopReport) -> None:
    from neonlab.measure.cores.pipeline import load_pipeline

    core = load_pipeline(CORE)
    waiting = 0
    for line, row in zip(loop.lines, flat_rows(loop), strict=True):
        assert row.ports == (busy_ports(core.timings[line.form], core) if line.form in core.timings else row.ports)
        if line.waits_for is None:
            continue
        waiting += 1
        producer = loop.lines[line.waits_for]
        assert f"({loop.label(producer)})" in row.waits
        # It may wait in a queue behind what needs the result: the next that reads it is this instruction or before it.
        between = loop.lines[max(0, loop.lines.index(line) - QUEUE) : loop.lines.index(line) + 1]
        read = set().union(*(registers(one.instruction) for one in between))
        assert registers(producer.instruction.partition(",")[0]) & read, (producer.instruction, line.instruction)
    assert waiting


def test_the_terminal_has_a_line_each_in_80_columns(loop: LoopReport) -> None:
    lines = list(flat_lines(loop))
    assert lines[0].strip() == flat_title(loop) and len(lines) == 2 + loop.instructions
    assert max(map(len, lines)) <= 80
    assert any(" smlal2 v12.8h, v0.16b, v8.16b" in line for line in lines)


def test_the_browser_has_a_row_each(loop: LoopReport) -> None:
    shown = loops_html(KERNEL, [loop], lambda _: "")
    table = shown.partition('<details class="flat">')[2].partition("</details>")[0]
    assert table.count("<tr>") == 1 + loop.instructions


@pytest.mark.slow
def test_loop_needs_a_core_and_one_shape() -> None:
    for options, words in (
        (("--shape", "4x4x64x16", "--loop"), "--loop shows cycles: name a core"),
        (("--layers", "--core", CORE, "--loop"), "--loop shows one --shape"),
    ):
        done = neonlab("-q", "profile", KERNEL, *options)
        assert done.returncode == 2 and words in done.stderr
