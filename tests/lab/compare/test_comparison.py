"""Comparisons: their figures are those of profiles, and the first is what the others are held against."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from tests.command_line import SUM, edit, new_repository

from neonlab import InputError, Profile, compare
from neonlab.lab.compare.figures import Change, Figures, changes, total
from neonlab.lab.repository.library import open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.cores.bands import NO_DIFFERENCE, band_of, ratio_band_of
from neonlab.measure.options import MemoryOptions
from neonlab.report.band_words import range_text
from neonlab.report.comparison_words import change_text, percent, with_share
from neonlab.report.json.documents import schemas
from neonlab.report.tables.comparison import comparison_markdown

LIBRARY = open_library(Path(__file__).parents[3])
CHW, LEFT, HWC = (LIBRARY.find(f"armv8/conv1x1_s8s32_{name}")[0] for name in ("chw_8x4", "chw_8x4_left4", "hwc_4x4"))
CORES = ("cortex-a53", "cortex-a72")


@pytest.mark.slow
def test_figures_are_those_of_profiles_made_alone() -> None:
    shapes = [parse_shape(CHW, text) for text in ("1x12x16x8", "1x8x16x4")]
    compared = compare([CHW, HWC], shapes, cores=CORES)
    assert tuple(map(str, compared.shapes)) == ("1x12x16x8", "1x8x16x4") and compared.cores == CORES and compared.passed
    for group, shape in zip(compared.groups, shapes, strict=True):
        for side, kernel in zip(group.sides, (CHW, HWC), strict=True):
            assert side.kernel == kernel.title and side.exact and side.figures is not None
            for core in CORES:
                alone = profiling.profile(kernel, shape, memory=MemoryOptions(core))
                assert isinstance(alone, Profile) and alone.cycles is not None
                assert side.figures.cycles[core] == alone.cycles.cycles
                assert side.figures.instructions == alone.counts.instructions
                assert side.figures.loaded_bytes == alone.counts.loaded_bytes
                assert side.figures.stored_bytes == alone.counts.stored_bytes


@pytest.mark.slow
def test_loops_are_looked_into_on_the_shape_with_most_work_of_kernels_of_one_instruction_set() -> None:
    other = LIBRARY.find("armv7/conv1x1_s8s32_chw_8x4")[0]
    shapes = [parse_shape(CHW, text) for text in ("1x8x16x4", "1x16x16x8")]
    compared = compare([CHW, LEFT, other], shapes, cores=["cortex-a53"])
    # left4 takes the first shape no more than the second: neither leaves 4 pixels.
    assert {side.kernel for group in compared.groups for side in group.sides} == {CHW.title, other.title}
    assert compared.loops == ()
    compared = compare([CHW, HWC], shapes, cores=["cortex-a53"])
    assert [(str(loop.shape), loop.before, loop.after) for loop in compared.loops] == [
        ("1x16x16x8", CHW.title, HWC.title)
    ]


def test_a_wrong_kernel_is_called_wrong_and_still_counted(tmp_path: Path) -> None:
    new_repository(tmp_path, "add_s8_other")
    edit(tmp_path, SUM, SUM.replace("sqadd", "sqsub"), "armv8/add_s8_other")
    library = open_library(tmp_path)
    kernels = [library.find(name)[0] for name in ("armv8/add_s8_saturated", "armv8/add_s8_other")]
    compared = compare(kernels, [parse_shape(kernels[0], "160")])
    right, broken = compared.groups[0].sides
    assert right.exact and not right.wrong and not compared.passed
    assert broken.exact is False and broken.failure is not None and broken.failure.identifier == "mismatch"
    assert broken.figures == right.figures
    jsonschema.validate({"command": "compare", "neonlab": "0", **compared.to_json()}, schemas()["compare"])
    assert "**no** (mismatch)" in comparison_markdown(compared)


def test_a_core_that_is_not_known_is_refused() -> None:
    with pytest.raises(InputError, match="cortex-a99"):
        compare([CHW], [parse_shape(CHW, "1x8x16x4")], cores=["cortex-a99"])


def test_changes_are_of_figures_that_both_have() -> None:
    before = Figures(100, 10, 5, {"cortex-a53": 50, "cortex-a9": 70})
    after = Figures(90, 10, 6, {"cortex-a53": 60, "cortex-a72": 30})
    assert {change.name: change.difference for change in changes(before, after)} == {
        "instructions": -10,
        "loaded_bytes": 0,
        "stored_bytes": 1,
        "cycles cortex-a53": 10,
    }
    assert total([before, after]) == Figures(190, 20, 11, {"cortex-a53": 110})


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (6120978, 5626634, "6,120,978 → 5,626,634 (−8.1 %)"),
        (5, 5, "5 (=)"),
        (100, 200, "100 → 200 (+100.0 %)"),
        (100000, 99999, "100,000 → 99,999 (−0.001 %)"),
        (10_000_000, 10_000_001, "10,000,000 → 10,000,001 (+0.0000 %)"),
        (0, 7, "0 → 7 (+0.0000 %)"),
    ],
)
def test_changes_are_written_with_as_many_digits_as_it_takes(before: int, after: int, text: str) -> None:
    assert change_text(Change("instructions", before, after)) == text
    assert percent(-0.5) == "−50.0 %"


@pytest.mark.parametrize("core", CORES)
def test_cycles_inside_the_band_of_ratios_are_no_difference_and_counts_always_are(core: str) -> None:
    band = ratio_band_of(core)
    assert band is not None
    least = min(band.low, 1 / band.high)  # whichever of the two is called the first
    for ratio, told in (
        (least - 0.01, True),
        (least + 0.001, False),
        (1 / least - 0.001, False),
        (1 / least + 0.02, True),
    ):
        change = Change(f"cycles {core}", 10**6, int(10**6 * ratio))
        assert change.core == core and change.told is told
        assert (NO_DIFFERENCE in change_text(change)) is not told
        assert range_text(core, change.after) in change_text(change)
        count = Change("instructions", 10**6, int(10**6 * ratio))
        assert count.told and count.core == "" and NO_DIFFERENCE not in change_text(count)
    assert not Change(f"cycles {core}", 5, 5).told


@pytest.mark.slow
def test_json_names_the_cores_that_cannot_tell_two_sides_and_the_ends_of_the_band() -> None:
    compared = compare([HWC, HWC, CHW], [parse_shape(CHW, "1x12x16x8")], cores=CORES)
    document = compared.to_json()
    jsonschema.validate({"command": "compare", "neonlab": "0", **document}, schemas()["compare"])
    first, _, other = document["groups"][0]["sides"]
    for core in CORES:
        base, cycles = first["figures"]["cycles"][core], other["figures"]["cycles"][core]
        band, ratios = band_of(core), ratio_band_of(core)
        assert band is not None and ratios is not None
        low, high = other["figures"]["cycles_low"][core], other["figures"]["cycles_high"][core]
        assert (low, high) == (round(cycles / band.high), round(cycles / band.low))
        assert (core in other["no_difference"]) is (ratios.low <= cycles / base <= ratios.high)


def test_markdown_says_which_changes_are_none_that_the_model_can_tell() -> None:
    compared = compare([HWC, HWC], [parse_shape(CHW, "1x12x16x8")], cores=["cortex-a53"])
    (group,) = compared.groups
    base = group.sides[0]
    assert base.figures is not None
    count = base.figures.cycles["cortex-a53"]
    near, far = (with_share(Change("cycles cortex-a53", count, int(count * ratio))) for ratio in (1.01, 1.5))
    assert f"+1.0 %, {NO_DIFFERENCE}; " in near and NO_DIFFERENCE not in far
    text = comparison_markdown(compared)
    assert f"{count:,} ({range_text('cortex-a53', count)})" in text
    assert "A range holds 80 % of measured functions: cortex-a53: " in text and f"is {NO_DIFFERENCE}." in text


@pytest.mark.slow
def test_markdown_tables_are_rectangular() -> None:
    shapes = [parse_shape(CHW, text) for text in ("1x12x16x8", "1x8x16x4")]
    lines = comparison_markdown(compare([CHW, LEFT, HWC], shapes, cores=CORES)).splitlines()
    rows = [line.count("|") for line in lines if line.startswith("|")]
    assert len(rows) == 2 * 2 + 3 + 2 and len(set(rows)) == 1
