"""Loops stand beside the bounds of cores that pick their kernels; what is near its bound stays near."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.sample import KERNELS

from neonlab.errors import InputError
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Library, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.bounds import issue_bound
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.measure.profile import Profile
from neonlab.report.tables.loops.bounds import (
    Asked,
    Bounded,
    BoundedLoop,
    Call,
    bound_lines,
    bounded_loops,
    calls_of_bounds,
    near_words,
    read_asked,
)

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = open_library(ROOT)
ASKED = read_asked(LIBRARY) or Asked((), {})
CALLS = calls_of_bounds(LIBRARY, ASKED)
SECTION = (ROOT / "reports" / "ladder.md").read_text().split("## Bounds of the core\n")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| `([^`]+)`(?: and (\d+) more)? \| (\d+) \| [^|]+ \| (.*) \|$", SECTION, re.MULTILINE)
#: Loops that are more than a tenth above a bound today: kernel, instructions and core.  They may not come back.
FAR: set[tuple[str, int, str]] = {
    ("armv7/conv3x3_s8s8_hwc_2x4_ic3_ruy", 108, "cortex-a53"),
    ("armv7/conv3x3_s8s8_hwc_2x4_ic3_ruy", 108, "cortex-a55"),
    ("armv7/conv3x3_s8s8_hwc_2x4_dotprod_ic3_ruy", 57, "cortex-a55"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", 53, "cortex-a53"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", 53, "cortex-a55"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", 53, "cortex-a72"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_gemmlowp", 49, "cortex-a53"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_gemmlowp", 49, "cortex-a55"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_gemmlowp", 49, "cortex-a72"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_ruy", 41, "cortex-a53"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_ruy", 41, "cortex-a55"),
    ("armv7/dwconv3x3_s8s8_hwc_3x8_ruy", 41, "cortex-a72"),
    ("armv7/dwconv5x5_s8s32_hwc_5x8", 172, "cortex-a55"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_fp32", 53, "cortex-a53"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_fp32", 53, "cortex-a55"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_fp32", 53, "cortex-a72"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_fp32", 167, "cortex-a55"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_gemmlowp", 49, "cortex-a53"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_gemmlowp", 49, "cortex-a55"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_gemmlowp", 49, "cortex-a72"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_ruy", 41, "cortex-a53"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_ruy", 41, "cortex-a55"),
    ("armv7/dwconv5x5_s8s8_hwc_5x8_ruy", 41, "cortex-a72"),
    ("armv7/dwconv5x5s2_s8s32_hwc_5x8", 187, "cortex-a55"),
    ("armv7/dwconv5x5s2_s8s8_hwc_5x8_fp32", 182, "cortex-a55"),
    ("armv8/dwconv3x3_s8s8_hwc_3x16_fp32", 37, "cortex-a53"),
    ("armv8/dwconv5x5_s8s8_hwc_5x8_fp32", 38, "cortex-a53"),
    ("armv8/dwconv5x5_s8s8_hwc_5x8_fp32", 38, "cortex-a72"),
}
ONE = Bounded(105, {"ports": 90, "issue": 100}, {"load-use": 3, "dependency": 7.25, "branch": 1})
LOOP = BoundedLoop(("armv8/x", "armv8/y"), 64, 512, {"cortex-a53": ONE})


def far_in_report() -> set[tuple[str, int, str]]:
    """Return the rows that are bold in the report."""
    found = set()
    for kernel, _, instructions, cells in ROWS:
        for core, over in zip(ASKED.cores, cells.split(" | ")[2::3], strict=True):
            if over.startswith("**"):
                found.add((kernel, int(instructions), core))
    return found


def test_what_is_near_its_bound_stays_near() -> None:
    assert far_in_report() == FAR
    others = re.findall(r"^- `([^`]+)`[^,]*, (\d+) instructions, on (\S+): .* above", SECTION, re.MULTILINE)
    assert {(kernel, int(instructions), core) for kernel, instructions, core in others} == FAR
    near, each = (int(number) for number in re.findall(r"^(\d+) of (\d+) are within", SECTION, re.MULTILINE)[0])
    assert each - near == len(FAR)


def test_every_kernel_of_the_operators_has_a_loop_in_the_report() -> None:
    kernels = {kernel.title for kernel, _, _ in CALLS}
    assert {kernel for kernel, *_ in ROWS} <= kernels
    counts = sum(1 + int(more or 0) for _, more, *_ in ROWS)
    # those of fused depthwise kernels have loops for windows and one that scales; of ARMv7's 5x5 two for windows
    fused = {one for one in kernels if "/dwconv" in one and "_s8s8_" in one}
    parts = {one for one in kernels if one.startswith("armv7/dwconv5x5")}
    assert counts == len(kernels) + len(fused) + len(parts)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "call", CALLS[::17], ids=[f"{kernel.title} on {memory.core}" for kernel, _, memory in CALLS[::17]]
)
def test_a_loop_stands_in_the_report_with_the_figures_of_its_profile(call: Call) -> None:
    kernel, shape, memory = call
    assert memory.core is not None
    found = profile(kernel, shape, memory=memory)
    assert isinstance(found, Profile) and found.loops
    code = {one.address: one for one in kernel_program(kernel).instructions}
    pipeline = load_pipeline(memory.core.name)
    at = 3 * ASKED.cores.index(memory.core.name)
    for loop in found.loops:
        body = compile_instructions([code[line.address] for line in loop.lines], pipeline)
        issue = max(issue_bound(body, np.ones(len(loop.lines), np.int64), pipeline), loop.bounds.dispatch)
        least = max(loop.bounds.ports, issue)
        row = [
            f"{loop.cycles:.4g}",
            f"{least:.4g}" + " i" * (issue > loop.bounds.ports),
            f"{100 * (loop.cycles / least - 1):.0f} %",
        ]
        there = [
            cells.replace("*", "").split(" | ")[at : at + 3]
            for _, _, many, cells in ROWS
            if int(many) == len(loop.lines)
        ]
        assert row in there


def test_kernels_are_called_on_the_cores_that_pick_them() -> None:
    names = {(kernel.name, memory.core.name) for kernel, _, memory in CALLS if memory.core is not None}
    assert ("gemv_s8s32_rows_8_inorder", "cortex-a53") in names and ("gemv_s8s32_rows_8", "cortex-a72") in names
    assert ("gemv_s8s32_rows_8", "cortex-a53") not in names and ("gemv_s8s32_rows_8_inorder", "cortex-a72") not in names
    shapes = {kernel.name: str(shape) for kernel, shape, _ in CALLS}
    assert shapes["conv3x3_s8s8_hwc_4x4_ruy"] == "2x8x64x16" and shapes["conv3x3_s8s8_hwc_4x4_ic3_ruy"] == "2x8x3x32"


@pytest.mark.slow
def test_a_loop_of_several_kernels_stands_once_with_the_cores_of_all() -> None:
    asked = replace(ASKED, operators={"gemv": ("8x512",)})
    few = Library(
        LIBRARY.root, LIBRARY.operators, tuple(one for one in KERNELS if one.title.startswith("armv8/gemv_s8"))
    )
    with Workers(1) as workers:
        loops = bounded_loops(workers, few, replace(asked, cores=("cortex-a53", "cortex-a72")))
    inorder = next(one for one in loops if "armv8/gemv_s8s32_rows_8_inorder" in one.kernels)
    assert inorder.kernels == ("armv8/gemv_s8s32_rows_8_inorder", "armv8/gemv_s8s8_rows_8_inorder_ruy")
    assert list(inorder.on) == ["cortex-a53"] and inorder.title.endswith(" and 1 more")
    assert len({one.instructions for one in loops}) > 1


def test_the_largest_limit_is_the_bound_and_a_tenth_above_it_is_near() -> None:
    assert ONE.largest == ("issue", 100) and ONE.over == pytest.approx(0.05) and ONE.is_near
    assert replace(ONE, cycles=110).is_near and not replace(ONE, cycles=110.5).is_near
    assert replace(ONE, limits={"ports": 105, "issue": 100}).largest == ("ports", 105)


def test_a_row_has_cycles_bound_and_what_is_over() -> None:
    far = replace(LOOP, macs=0, on={"cortex-a53": replace(ONE, cycles=120.25), "cortex-a72": replace(ONE, waits={})})
    lines = list(bound_lines([LOOP, far], ["cortex-a53", "cortex-a72"]))
    assert "| `armv8/x` and 1 more | 64 | 512 | 105 | 100 i | 5 % |  |  |  |" in lines
    assert "| `armv8/x` and 1 more | 64 | – | 120.2 | 100 i | **20 %** | 105 | 100 i | 5 % |" in lines
    assert lines[-1] == (
        "- `armv8/x` and 1 more, 64 instructions, on cortex-a53: 120.2 cycles, 20.2 above the 100 of its issue: "
        "9 by ports and slots that other work has and 7.25 by dependency."
    )
    assert near_words([LOOP, far]) == "2 of 3 are within 10 % of their bounds"


def test_a_library_that_asks_for_nothing_has_no_section(tmp_path: Path) -> None:
    assert read_asked(Library(tmp_path, (), ())) is None and calls_of_bounds(LIBRARY, None) == []
    assert list(bound_lines([], ["cortex-a53"])) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bounds = 3", "cannot be read"),
        ('[bounds]\ncores = ["cortex-a53"]', "shapes"),
        ('[bounds]\ncores = ["cortex-a99"]\nshapes = { gemv = ["8x8"] }', "cortex-a99"),
        ('[bounds]\ncores = ["cortex-a53"]\nshapes = { gemm = ["8x8"] }', "no operator gemm"),
        ('[bounds]\ncores = ["cortex-a53"]\nshapes = {}\nwhat = 1', "no key what"),
    ],
)
def test_bounds_that_cannot_be_read_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "ladder.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_asked(Library(tmp_path, LIBRARY.operators, ()))
