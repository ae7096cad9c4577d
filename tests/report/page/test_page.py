"""The page of a kernel as text."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.report.page.sample_pages import KERNELS, LIBRARY, MOST_BYTES, ROOT, RUN_ON, TITLES
from tests.saboteurs import find_saboteur

from neonlab.isa.model.isa import RegisterKind
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import layers_of, parse_shape
from neonlab.measure.cores.modelled import ModelledCore, cores_named
from neonlab.measure.loop.timeline import TimelineRow
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.report.page import charts, pipeline_picture
from neonlab.report.page.gather import CORES, CurvePoint, KernelPage, pages_of, work_of_pages
from neonlab.report.page.render import kernel_page, page_name, write_pages
from neonlab.report.page.source_listing import coloured_lines, listings
from neonlab.report.wait_words import label_words, wait_words


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]


@pytest.mark.slow
def test_a_page_needs_no_other_file_and_is_small(text: str) -> None:
    tags = _Tags()
    tags.feed(text)
    assert all(link.startswith("#") or link == "index.html" for link in tags.links)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/2000/svg)", text)
    assert len(text.encode()) < MOST_BYTES


@pytest.mark.slow
def test_the_same_figures_make_the_same_page(page: KernelPage, text: str) -> None:
    assert kernel_page(page) == text


def test_the_costs_of_a_page_are_those_of_the_profiles(page: KernelPage, text: str) -> None:
    found = re.search(r'<script type="application/json" id="costs">(.*?)</script>', text)
    assert found is not None
    costs = json.loads(found[1])
    assert list(costs) == list(page.profiles)
    listed = listings(page.kernel.path, page.profiles)
    for core, profile in page.profiles.items():
        assert profile.cycles is not None
        shown = sum(cost[0] for listing in costs[core] for cost in listing)
        assert shown == sum(line.cycles for line in profile.cycles.lines)
        for listing, rows in zip(listed, costs[core], strict=True):
            assert len(rows) == sum(line.executions > 0 for line in listing.lines)
            assert all(0 <= heat <= 9 and stalled <= cycles for cycles, stalled, _, heat in rows)
        assert max(cost[3] for listing in costs[core] for cost in listing) == 9
        assert profile.loop is not None
        hot = {(Path(line.path).name, line.line) for line in profile.loop.lines}
        assert hot <= {
            (listing.title, line.number) for listing in listed for line in listing.lines if line.number in listing.hot
        }
    executed = sum(line.executions for listing in listed for line in listing.lines)
    assert executed == next(iter(page.profiles.values())).counts.instructions


def test_a_page_names_what_the_loop_waits_for_and_explains_its_labels(page: KernelPage, text: str) -> None:
    told = re.sub(r"<[^>]+>", "", html.unescape(text))
    for profile in page.profiles.values():
        loop = profile.loop
        assert loop is not None and loop.wait is not None
        words = wait_words(loop).replace("`", "")
        assert loop.lines[loop.wait.at].instruction in words
        assert told.count(words) >= 2, "with the cost of the call, and with the loop"
        assert label_words(loop) == "" or label_words(loop) in told


@pytest.mark.parametrize("path", sorted(ROOT.glob("asm/**/*.[Si]*")), ids=lambda path: path.stem)
def test_colours_leave_the_source_as_it_is(path: Path) -> None:
    text = path.read_text()
    assert [html.unescape(re.sub(r"</?span[^>]*>", "", line)) for line in coloured_lines(text)] == text.split("\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  smlal2 v4.8h, v0.16b, v16.16b // s", {"m": ["smlal2"], "r": ["v4.8h", "v0.16b", "v16.16b"], "c": ["// s"]}),
        ("loop: subs x9, x9, #-8", {"l": ["loop:"], "m": ["subs"], "r": ["x9", "x9"], "n": ["#-8"]}),
        ("    vmull.s8 q4, d0, d2 @ low", {"r": ["q4", "d0", "d2"], "c": ["@ low"]}),
        (".macro step a, b", {"k": [".macro"]}),
        ("#define TILE 8", {"p": ["#define TILE 8"]}),
        ("    ld1 {\\a\\().8b}, [x1], #8", {"a": ["\\a", "\\()"], "r": ["x1"]}),
    ],
)  # fmt: skip
def test_each_kind_of_token_has_its_colour(line: str, expected: dict[str, list[str]]) -> None:
    (shown,) = coloured_lines(line)
    for name, pieces in expected.items():
        assert re.findall(rf'<span class="{name}">(.*?)</span>', shown) == pieces


def test_the_picture_says_what_the_timeline_says(page: KernelPage) -> None:
    for profile in page.profiles.values():
        assert profile.loop is not None
        picture = pipeline_picture.pipeline_picture(profile.loop)
        cells = {
            (round((int(x) - pipeline_picture.TEXT) / pipeline_picture.CYCLE + at), int(y))
            for path in picture.paths.values()
            for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)", path)
            for at in range(int(width) // pipeline_picture.CYCLE)
        }
        expected = {
            (row.start + at, shown.y + 2)
            for row, shown in zip(profile.loop.timeline, picture.rows, strict=True)
            for at in range(len(row.marks))
        }
        assert cells == expected


def test_rows_wait_for_the_last_that_wrote_what_they_read(page: KernelPage) -> None:
    program = kernel_program(page.kernel)
    profile = next(iter(page.profiles.values()))
    assert profile.loop is not None
    rows: tuple[TimelineRow, ...] = profile.loop.timeline
    picture = pipeline_picture.pipeline_picture(profile.loop)
    order = [program.by_address[profile.loop.lines[row.instruction].address] for row in rows]
    for at, instruction in enumerate(order):
        expected = set()
        for register in instruction.reads:
            writers = [earlier for earlier in range(at) if register in order[earlier].writes]
            expected |= set(writers[-1:])
        assert set(picture.rows[at].waits_for) == expected


def test_registers_are_drawn_as_each_instruction_uses_them(page: KernelPage) -> None:
    program = kernel_program(page.kernel)
    profile = next(iter(page.profiles.values()))
    assert profile.loop is not None
    rows = pipeline_picture.register_rows(profile.loop, program)
    halves = 2 if len(rows) == 16 else 1
    for at, line in enumerate(profile.loop.lines):
        instruction = program.by_address[line.address]
        written = {one.index // halves for one in instruction.writes if one.kind is RegisterKind.VECTOR}
        assert {number for number, row in enumerate(rows) if row.states[at] == "written"} == written
    paths = pipeline_picture.register_paths(rows, 1, 3)
    drawn = sum(int(width) for path in paths.values() for width in re.findall(r"h(\d+)v", path))
    assert drawn == sum(state != "" for row in rows for state in row.states)


def test_charts_stay_within_their_frames(page: KernelPage) -> None:
    for core in RUN_ON:
        for chart in (
            charts.roofline(page.variants[core], page.kernel.title, ModelledCore.named(core), {page.kernel.title: 1}),
            charts.cycles_over_layers(page.curves[core], page.kernel.title, {page.kernel.title: 1}),
        ):
            assert chart is not None
            for mark in (*chart.marks, *(mark for curve in chart.curves for mark in curve.marks)):
                assert charts.LEFT <= mark.x <= charts.WIDTH - charts.RIGHT
                assert charts.TOP <= mark.y <= charts.HEIGHT - charts.BOTTOM
                assert mark.own


def sizes(text: str) -> Shape:
    return Shape.parse(text, ("rows", "cols"))


def test_layers_stand_in_order_of_their_work_and_axes_at_round_numbers() -> None:
    points = tuple(
        CurvePoint(sizes(shape), 0, cycles) for shape, cycles in (("49x8", 3_975_567), ("8x8", 70), ("784x4", 1))
    )
    chart = charts.cycles_over_layers({"one": points}, "one", {"one": 1})
    assert chart is not None and [tick.label for tick in chart.x_ticks] == ["8x8", "49x8", "784x4"]
    assert [tick.label for tick in chart.y_ticks] == ["0", "500k", *(f"{at / 2:g}M" for at in range(2, 9))]
    points = tuple(CurvePoint(sizes(shape), macs, 10) for shape, macs in (("1x1", 31), ("2x1", 20)))
    few = charts.cycles_over_layers({"one": points}, "one", {"one": 1})
    assert few is not None and [tick.label for tick in few.y_ticks] == ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"]


def test_a_page_shows_the_variants_that_have_none_themselves() -> None:
    kernel = KERNELS[TITLES[0]]
    work = work_of_pages([kernel], cores_named(["cortex-a53"]))
    [shape] = {one.shape for one in work if one.memory.loop}
    others = {one.kernel.title for one in work if one.shape == shape} - {kernel.title}
    assert {"armv8/conv1x1_s8s32_chw_8x4", "armv8/conv1x1_s8s8_hwc_4x4_ruy"} <= others
    assert not any("dotprod" in title or title.startswith("armv7") for title in others)
    elsewhere = {one.shape for one in work if one.kernel is kernel} - {shape}
    fused = KERNELS["armv8/conv1x1_s8s8_hwc_4x4_ruy"]
    assert len(elsewhere) == 5
    assert {one.shape for one in work if one.kernel.title == fused.title} >= {
        s for s in elsewhere if s in layers_of(fused)
    }
    verdict = check(kernel, shapes=[parse_shape(kernel, "1x1x8x8")])
    assert [page.kernel for page in pages_of(work, [None] * len(work), {kernel.title: verdict})] == [kernel]


def test_a_kernel_has_a_page_though_none_of_the_usual_cores_can_run_it() -> None:
    kernel = KERNELS["armv8/matmul_s8s32_packed_8x12_i8mm"]
    work = work_of_pages([kernel], cores_named(CORES))
    assert {str(one.memory.core) for one in work} == {"neoverse-v1"}
    both = work_of_pages([kernel, KERNELS["armv8/matmul_s8s32_packed_4x4"]], cores_named(RUN_ON))
    assert {one.kernel.name for one in both if str(one.memory.core) == "neoverse-v1"} >= {
        kernel.name,
        "matmul_s8s32_packed_4x4",
    }
    assert len(both) == len(set(both)) == len({(one.kernel.title, one.shape, one.memory.core) for one in both})
    old = KERNELS[TITLES[1]]
    contract = replace(old.contract, features=old.contract.features | {"i8mm"})
    unable = replace(old, code=replace(old.code, contract=contract))
    work = work_of_pages([unable], cores_named(CORES))
    verdict = check(old, shapes=[parse_shape(old, "1x1x8x8")])
    [page] = pages_of(work, [None] * len(work), {old.title: verdict})
    assert "no core known here" in kernel_page(page)
    assert old.title in write_pages([page], CORES, Path())[Path("index.html")].decode()


def test_the_contract_is_shown_to_the_last_digit() -> None:
    kernel = KERNELS["armv8/requantize_s32s8_rows_1x16_ruy"]
    shape = parse_shape(kernel, "1x16")
    text = kernel_page(KernelPage(kernel, check(kernel, shapes=[shape]), shape, {}, {}, {}))
    assert "-1,073,741,824 to 1,073,741,824" in text and "1 to 1,048,576" in text and "e+0" not in text


@pytest.mark.slow
def test_no_page_shows_a_core_that_cannot_run_the_kernel() -> None:
    work = work_of_pages(LIBRARY.kernels, cores_named(CORES))
    for one in work:
        assert one.memory.core is not None
        assert not (str(one.memory.core) == "cortex-a7" and one.kernel.isa.name == "A64")
        assert not ("dotprod" in one.kernel.name and str(one.memory.core) in ("cortex-a7", "cortex-a53", "cortex-a72"))
    assert {one.kernel.title for one in work} >= set(TITLES)


def test_a_kernel_that_faults_has_a_page_with_its_verdict_alone(tmp_path: Path) -> None:
    kernel = open_kernel(find_saboteur("armv8/oob_write_between_rows").write(tmp_path))
    work = work_of_pages([kernel], cores_named(RUN_ON[:1]))
    verdict = check(kernel)
    assert not verdict.passed
    (page,) = pages_of(
        work, [profiling.profile(one.kernel, one.shape, memory=one.memory) for one in work], {kernel.title: verdict}
    )
    text = kernel_page(page)
    assert verdict.failures[0].identifier in text


@pytest.mark.slow
def test_the_index_keeps_pages_that_are_there_and_replaces_those_written_again(tmp_path: Path) -> None:
    pages = []
    for title, text in ((TITLES[0], "1x1x8x8"), (TITLES[1], "2x1x8x8"), (TITLES[1], "3x1x8x8")):
        kernel = KERNELS[title]
        shape = parse_shape(kernel, text)
        profile = profiling.profile(kernel, shape, memory=MemoryOptions("cortex-a53"))
        assert isinstance(profile, Profile)
        profiles, variants = {"cortex-a53": profile}, {"cortex-a53": {title: profile}}
        verdict = check(kernel, shapes=[shape])
        pages.append(KernelPage(kernel, verdict, shape, profiles, variants, {"cortex-a53": {}}))
    (tmp_path / "mine.html").write_text("<p>not a page of a kernel</p>")
    (tmp_path / "broken.html").write_text('<script type="application/json" id="row">{"title":1}</script>')

    def written(page: KernelPage, *, keep: bool) -> list[tuple[str, str]]:
        for path, contents in write_pages([page], CORES, tmp_path, keep=keep).items():
            path.write_bytes(contents)
        text = (tmp_path / "index.html").read_text()
        return re.findall(r'<tr data-[^>]*><td><a href="([^"]+)">.*?</td><td>(\d\w+)</td>', text)

    first, second = page_name(TITLES[0]), page_name(TITLES[1])
    assert written(pages[0], keep=True) == [(first, "1x1x8x8")]
    assert written(pages[1], keep=True) == [(second, "2x1x8x8"), (first, "1x1x8x8")]
    assert written(pages[2], keep=True) == [(second, "3x1x8x8"), (first, "1x1x8x8")]
    assert written(pages[0], keep=False) == [(first, "1x1x8x8")]
