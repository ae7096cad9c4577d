"""What a notebook shows: well-formed HTML with the figures of the values, and a picture with a mark for each cycle."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.command_line import ADD, HEAD, edit

from neonlab import InputError, Profile, check, compare
from neonlab.lab.repository.library import open_kernel, open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.start.repository import start_repository
from neonlab.measure.options import MemoryOptions
from neonlab.report.pipeline_svg import pipeline_svg

ROOT = Path(__file__).parents[2]
HWC, CHW = (open_library(ROOT).find(f"armv8/conv1x1_s8s32_{name}")[0] for name in ("hwc_4x4", "chw_8x4"))
WRONG = ROOT / "tests" / "saboteurs" / "armv8" / "conv1x1_s8s32_hwc_4x4_wrong_pixel.S"
_EMPTY = {"br"}


class _Reader(HTMLParser):
    """Keeps the text, and fails where tags do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def text_of(html: str | None) -> str:
    assert html is not None
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return " ".join(reader.text)


@cache
def profiled(core: str) -> Profile:
    memory = MemoryOptions(core, loop=True)
    profile = profiling.profile(HWC, parse_shape(HWC, "1x8x64x8"), memory=memory)
    assert isinstance(profile, Profile)
    return profile


def numbers(text: str) -> Iterator[int]:
    return (int(found.replace(",", "")) for found in re.findall(r"\b\d[\d,]*\b", text))


def test_a_verdict_shows_its_word_and_where_to_look() -> None:
    right = check(HWC, shapes=[parse_shape(HWC, "1x4x16x4")], patterns=["random"])
    assert "exact" in text_of(right._repr_html_())
    kernel = open_kernel(WRONG)
    wrong = check(kernel, shapes=[parse_shape(kernel, "1x4x1x1")], patterns=["random"])
    shown = text_of(wrong._repr_html_())
    failure = wrong.failures[0]
    assert failure.mismatch is not None and failure.where in shown and "WRONG" in shown
    assert f"= {failure.mismatch.got}, expected {failure.mismatch.expected}" in shown


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_a_profile_shows_its_counts_and_cycles(core: str) -> None:
    profile = profiled(core)
    assert profile.cycles is not None
    shown = set(numbers(text_of(profile._repr_html_())))
    assert profile.cycles.model_error in text_of(profile._repr_html_())
    counts = profile.counts
    wanted = {counts.instructions, counts.loaded_bytes, counts.stored_bytes, profile.cycles.cycles, profile.macs}
    assert wanted | {count for count in profile.cycles.causes.values() if count} <= shown


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_the_picture_has_every_cycle_of_the_timeline_where_it_belongs(core: str) -> None:
    loop = profiled(core).loop
    assert loop is not None
    picture = ElementTree.fromstring(pipeline_svg(loop))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [{name: float(one.get(name, "")) for name in ("x", "y", "width")} for one in picture.iter(f"{space}rect")]
    drawn = [(box["x"], box["width"] + 1, box["y"]) for box in boxes]
    left = min(x for x, _, _ in drawn)
    cell = 7
    rows: dict[float, set[int]] = {}
    for x, width, y in drawn:
        cycles = range(round((x - left) / cell), round((x - left + width) / cell))
        assert not rows.setdefault(y, set()).intersection(cycles)
        rows[y].update(cycles)
    assert [rows[y] for y in sorted(rows)] == [set(range(row.start, row.end)) for row in loop.timeline]
    assert float(picture.get("width", "0")) >= max(x + width for x, width, _ in drawn)


def test_a_comparison_shows_each_side_and_the_loops() -> None:
    compared = compare([CHW, HWC], [parse_shape(CHW, "1x8x64x8")], cores=["cortex-a53"])
    shown = text_of(compared._repr_html_())
    for side in compared.groups[0].sides:
        assert side.kernel in shown and side.figures is not None
        assert set(side.figures.named().values()) <= set(numbers(shown))
    assert "cycles per iteration" in shown


def test_text_from_files_is_escaped(tmp_path: Path) -> None:
    start_repository(tmp_path)
    edit(tmp_path, HEAD, f"    nop // <script>&\n{HEAD}")
    kernel = open_kernel(tmp_path / "asm" / f"{ADD}.S")
    profile = profiling.profile(kernel, parse_shape(kernel, "160"))
    assert isinstance(profile, Profile)
    shown = profile._repr_html_()
    assert shown is not None and "<script" not in shown and "nop // <script>&" in text_of(shown)


def test_a_frame_has_a_row_a_line_and_its_columns_add_up() -> None:
    pandas = pytest.importorskip("pandas")
    profile = profiled("cortex-a53")
    assert profile.cycles is not None
    frame = profile.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(profile.counts.lines)
    assert frame["executions"].sum() == profile.counts.instructions
    assert frame["cycles"].sum() == sum(line.cycles for line in profile.cycles.lines)
    causes = frame[[column for column in frame.columns if column in profile.cycles.causes]]
    assert (causes.sum(axis=1) == frame["cycles"]).all()
    counted = profiling.profile(HWC, parse_shape(HWC, "1x8x64x8"))
    assert isinstance(counted, Profile) and list(counted.to_frame().columns) == ["path", "line", "text", "executions"]


def test_without_pandas_a_frame_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        profiled("cortex-a53").to_frame()
