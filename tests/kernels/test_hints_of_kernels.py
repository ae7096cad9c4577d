"""What is said of the kernels' hot loops, where it is known from their headers what can be said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from neonlab.lab.repository.library import open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.loop.places import LinePlace
from neonlab.measure.loop.report import LoopReport
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile

MACS = {"chw_8x4": 256, "chw_8x4_left4": 256, "hwc_4x4": 512, "hwc_2x4": 256}  # of an iteration, as the headers say
LIBRARY = open_library(Path(__file__).parents[2])
KERNELS = {kernel.title: kernel for kernel in LIBRARY.kernels if kernel.name.partition("conv1x1_s8s32_")[2] in MACS}
CHW = sorted(title for title in KERNELS if "chw" in title)
HWC = sorted(title for title in KERNELS if "hwc" in title)


def runs_of(titles: Sequence[str]) -> list[tuple[str, str]]:
    """Each kernel with each core that can run it."""
    return [
        (title, core)
        for title in titles
        for core in pipeline_names()
        if load_core(core).refusal(KERNELS[title].isa, KERNELS[title].contract.features) is None
    ]


@cache
def report_of(title: str, core: str) -> LoopReport:
    kernel = KERNELS[title]
    profile = profiling.profile(kernel, parse_shape(kernel, "14x14x256x8"), memory=MemoryOptions(core, loop=True))
    assert isinstance(profile, Profile) and profile.loop is not None
    return profile.loop


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("title", sorted(KERNELS))
def test_the_hot_loop_is_the_one_whose_work_the_header_counts(title: str) -> None:
    report = report_of(title, "cortex-a53")
    assert report.macs == MACS[title.partition("s8s32_")[2]]
    assert report.always


@pytest.mark.parametrize("title", CHW)
def test_sums_that_go_through_memory_are_told_of_with_the_lines_that_load_and_store_them(title: str) -> None:
    report = report_of(title, "cortex-a53")
    hint = next(hint for hint in report.hints if hint.kind == "partial-sums")
    assert "`output`" in hint.text
    texts = {line.text for line in report.lines if LinePlace(line.path, line.line) in hint.places}
    assert all("[store]" in text or "[sums]" in text for text in texts)
    assert {"ld1", "st1", "vld1.32", "vst1.32"} >= {text.split()[0] for text in texts}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("title", "core"), runs_of(HWC))
def test_sums_in_registers_are_not(title: str, core: str) -> None:
    assert not [hint for hint in report_of(title, core).hints if hint.kind == "partial-sums"]


@pytest.mark.slow
@pytest.mark.parametrize("core", [core for _, core in runs_of(["armv8/conv1x1_s8s32_hwc_4x4"]) if core != "cortex-a53"])
def test_dot_products_are_spoken_of_where_the_core_has_them(core: str) -> None:
    from neonlab.measure.cores.pipeline import load_pipeline

    has = "sdot.16b" in load_pipeline(core).timings
    kinds = {hint.kind for hint in report_of("armv8/conv1x1_s8s32_hwc_4x4", core).hints}
    assert ("dot-product" in kinds) == has


@pytest.mark.parametrize(("title", "core"), runs_of(sorted(KERNELS)))
@pytest.mark.sweep
def test_nothing_is_said_that_hand_written_loops_have_seen_to(title: str, core: str) -> None:
    kinds = {hint.kind for hint in report_of(title, core).hints}
    assert not kinds & {"by-element", "flags-for-free", "clear-then-accumulate", "multiply-and-add", "widening-add",
                        "copies", "post-index", "load-and-duplicate", "wasted-prefetch", "idle-registers"}  # fmt: skip
    for hint in report_of(title, core).hints:
        assert (hint.before is None) == (hint.kind == "split-lines")
        assert hint.before is None or (hint.after is not None and hint.after < hint.before)


@pytest.mark.parametrize(("title", "core"), runs_of(sorted(KERNELS)))
@pytest.mark.sweep
def test_no_loop_beats_its_bounds_and_slots_are_not_more_than_full(title: str, core: str) -> None:
    report = report_of(title, core)
    bounds = report.bounds
    assert max(bounds.ports, bounds.dispatch, bounds.dependencies) <= report.cycles * 1.01
    assert report.slots <= report.slots_available * 1.01
    assert report.macs_per_cycle <= report.peak * 1.01
    assert report.path.cycles / report.path.iterations == pytest.approx(report.cycles, rel=0.02, abs=0.3)
    assert report.attack.endswith(".")
