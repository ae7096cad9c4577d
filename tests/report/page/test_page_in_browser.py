"""The page of a kernel as a person sees it in a browser."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from neonlab.lab.run import profile as profiling
from neonlab.lab.run.check import check
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.page import labels, pipeline_picture
from neonlab.report.page.gather import KernelPage
from neonlab.report.page.render import page_name, write_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

from tests.contrast import poor_contrast
from tests.report.page.sample_pages import KERNELS, RUN_ON


@pytest.fixture(scope="module")
def file(page: KernelPage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for path, contents in write_pages([page], RUN_ON, folder).items():
        path.write_bytes(contents)
    return folder / page_name(page.kernel.title)


def opened(
    browser: Browser, file: Path, width: int, scheme: Any = "light", script: bool = True
) -> tuple[Page, list[str]]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script, offline=True
    )
    tab = context.new_page()
    problems: list[str] = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(file.as_uri())
    return tab, problems


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_page_fits_its_window_and_reports_nothing(browser: Browser, file: Path, width: int, scheme: str) -> None:
    for name in (file, file.parent / "index.html"):
        tab, problems = opened(browser, name, width, scheme)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert problems == [] and poor_contrast(tab, least=10) == []
        tab.context.close()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("heat", "column"), [("cycles", 2), ("executed", 1), ("stalled", 3)])
def test_a_narrow_window_has_the_count_that_is_the_heat_and_room_for_statements(
    browser: Browser, file: Path, heat: str, column: int
) -> None:
    tab, problems = opened(browser, file, 390)
    tab.select_option("#heat", heat)
    cells = tab.locator("table.source").first.locator("thead th")
    assert [number for number in range(1, 4) if cells.nth(number).is_visible()] == [column]
    box = cells.nth(4).bounding_box()
    assert box is not None and box["x"] < 390 / 2
    assert problems == []
    tab.context.close()


@pytest.mark.slow
def test_another_core_shows_its_own_cycles(browser: Browser, file: Path, page: KernelPage) -> None:
    tab, problems = opened(browser, file, 1440)
    for core, profile in page.profiles.items():
        tab.select_option("#core", core)
        assert profile.cycles is not None
        hottest = max(profile.cycles.lines, key=lambda line: line.cycles)
        rows = tab.locator("table.source tr")  # of the kernel's file, and of those that it includes
        for column, number in ((1, f"{hottest.line}"), (3, f"{hottest.cycles:,}")):
            rows = rows.filter(has=tab.locator(f"td:nth-child({column}):text-is('{number}')"))
        assert rows.count() == 1
        cells = rows.locator("td")
        assert "h9" in (cells.nth(2).get_attribute("class") or "")
        shown = tab.locator("section[data-core]:visible").first.inner_text()
        assert f"{profile.cycles.cycles:,}" in shown
        assert (
            tab.locator(f"section[data-core='{core}']:visible").count()
            == tab.locator("section[data-core]:visible").count()
        )
    assert problems == []
    tab.context.close()


@pytest.mark.slow
def test_arrow_keys_walk_through_the_pipeline_and_show_what_is_waited_for(
    browser: Browser, file: Path, page: KernelPage
) -> None:
    tab, problems = opened(browser, file, 1440)
    profile = page.profiles[RUN_ON[0]]
    assert profile.loop is not None
    picture = pipeline_picture.pipeline_picture(profile.loop)
    row = tab.locator("section:visible .pipeline .row").first
    row.focus()
    for at in range(12):
        assert tab.locator("section:visible .pipeline .dependence").count() == len(picture.rows[at].waits_for)
        sources = tab.locator("section:visible .pipeline .labels .source").count()
        assert sources == len(picture.rows[at].waits_for)
        told = tab.locator(".told").inner_text()
        assert told.startswith(f"line {picture.rows[at].line} ") and ("takes results of" in told) == bool(sources)
        tab.keyboard.press("ArrowDown")
    assert problems == []
    tab.context.close()


@pytest.mark.slow
def test_the_row_under_the_mouse_is_told_of(browser: Browser, file: Path, page: KernelPage) -> None:
    tab, problems = opened(browser, file, 1440)
    profile = page.profiles[RUN_ON[0]]
    assert profile.loop is not None
    picture = pipeline_picture.pipeline_picture(profile.loop)
    drawn = tab.locator("section:visible .pipeline").first
    for at in (0, 7, 11):
        drawn.hover(position={"x": 500, "y": picture.rows[at].y + pipeline_picture.ROW / 2})
        waits = profile.loop.timeline[at].marks.count("=")
        told = tab.locator(".told").inner_text()
        assert told.startswith(f"line {picture.rows[at].line} ")
        assert (f"waits {waits} cycle" in told) if waits else ("waits" not in told)
    tab.locator("h1").hover()
    assert tab.locator(".told").is_hidden() and problems == []
    tab.context.close()


@pytest.mark.slow
def test_the_pipeline_fills_the_window_and_its_cycles_get_wider_below_a_ruler_that_stays(
    browser: Browser, file: Path, page: KernelPage
) -> None:
    tab, problems = opened(browser, file, 1440)
    part = tab.locator("section:visible .picture").first
    bars, ruler = part.locator(".bars"), part.locator(".ruler span")
    assert page.profiles[RUN_ON[0]].loop is not None

    def far() -> float:  # pixels from cycle 0 to cycle 10
        boxes = [ruler.nth(at).bounding_box() for at in (0, 1)]
        return boxes[1]["x"] - boxes[0]["x"]  # type: ignore[index]

    assert far() == pytest.approx(10 * pipeline_picture.CYCLE, rel=0.01)
    button = part.get_by_role("button", name="Whole window")
    button.focus()
    tab.keyboard.press("Enter")
    box = part.bounding_box()
    assert box is not None and (box["width"], box["height"]) == (1440, 900)
    width = bars.bounding_box()["width"]  # type: ignore[index]
    part.get_by_role("button", name="wider cycles").click()
    assert far() == pytest.approx(15 * pipeline_picture.CYCLE, rel=0.01)
    assert bars.bounding_box()["width"] == pytest.approx(1.5 * width, rel=0.01)  # type: ignore[index]
    above = ruler.first.bounding_box()["y"]  # type: ignore[index]
    part.locator(".scroll").evaluate("(one) => { one.scrollTop = 200 }")
    assert part.locator(".scroll").evaluate("(one) => one.scrollTop") > 0
    assert ruler.first.bounding_box()["y"] == above  # type: ignore[index]
    part.locator(".row").first.focus()
    assert part.locator(".said").inner_text().startswith("line ")
    tab.keyboard.press("Escape")
    assert part.bounding_box()["width"] < 1440  # type: ignore[index]
    assert tab.evaluate("document.activeElement.textContent") == "Whole window" and problems == []
    tab.context.close()


@pytest.mark.slow(keep=1)
def test_heat_follows_what_is_chosen(browser: Browser, file: Path, page: KernelPage) -> None:
    tab, problems = opened(browser, file, 1440)
    profile = page.profiles[RUN_ON[0]]
    assert profile.cycles is not None
    most_executed = max(line.executions for line in profile.counts.lines)
    most_stalled = max(
        sum(n for cause, n in one.causes.items() if cause != "issue width") for one in profile.cycles.lines
    )
    for chosen, column, most in (("executed", 1, most_executed), ("stalled", 3, most_stalled)):
        tab.select_option("#heat", chosen)
        hottest = tab.locator("table.source td.h9").first
        assert hottest.inner_text() == f"{most:,}"
        assert hottest.evaluate("(cell) => cell.cellIndex") == column
    row = tab.locator("table.source tr[data-cost]").first
    row.focus()
    before = tab.locator(".told").inner_text()
    tab.keyboard.press("ArrowDown")
    assert before.startswith(f"line {row.locator('td').first.inner_text()}: executed ")
    assert tab.locator(".told").inner_text() != before and problems == []
    tab.context.close()


@pytest.mark.slow
def test_of_several_loops_each_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    kernel = KERNELS["armv7/dwconv3x3_s8s8_hwc_3x8_ruy"]
    shape = parse_shape(kernel, "14x14x32")
    profile = profiling.profile(kernel, shape, memory=MemoryOptions("cortex-a53", loop=True))
    assert isinstance(profile, Profile) and len(profile.loops) >= 2
    one, core = {kernel.title: profile}, "cortex-a53"
    page = KernelPage(kernel, check(kernel, shapes=[shape]), shape, {core: profile}, {core: one}, {core: {}})
    (path, contents), _ = write_pages([page], (core,), tmp_path).items()
    path.write_bytes(contents)
    tab, problems = opened(browser, path, 1440)
    for number, loop in enumerate(profile.loops):
        tab.select_option("select.loops", str(number))
        shown = tab.locator("[data-loop]:visible")
        assert shown.count() == 2 and f"{loop.iterations:,} iterations" in shown.first.inner_text()
        assert shown.first.locator(".row").count() == len(loop.timeline)
        assert f"{len(loop.lines)} instructions of an iteration" in shown.nth(1).inner_text()
    assert problems == []
    tab.context.close()


@pytest.mark.slow(keep=1)
def test_a_variant_chosen_in_the_table_stands_out_in_the_charts(browser: Browser, file: Path, page: KernelPage) -> None:
    tab, problems = opened(browser, file, 1440)
    assert tab.locator(".variant.chosen").count() == 0
    row = tab.locator("table.variants:visible tr[data-number]").first
    row.focus()
    chosen = tab.locator("section:visible .variant.chosen")
    assert chosen.count() == 2  # the point and the line
    assert set(chosen.locator(".tag").all_text_contents()) == {row.locator("td").first.inner_text()}
    assert problems == []
    tab.context.close()


def test_numbers_in_a_chart_do_not_cover_one_another() -> None:
    points = [(100.0 + 3 * at, 80.0 + (at % 3)) for at in range(8)]
    found = labels.beside_points(points, [str(at) for at in range(8, 16)])
    for at, one in enumerate(found):
        for other in found[:at]:
            apart_x = abs(one.x - other.x) >= 6.5 * min(len(one.text), len(other.text))
            assert apart_x or abs(one.y - other.y) >= 11
    below = labels.below_one_another(600, [50, 51, 52, 400, 10], list("abcde"), 14, 268)
    heights = sorted(one.y for one in below)
    assert all(14 <= height - 4 <= 268 for height in heights)
    assert all(second - first >= 11 for first, second in pairwise(heights))
    assert [one.text for one in sorted(below, key=lambda one: one.y)] == ["e", "a", "b", "c", "d"]


@pytest.mark.slow(keep=1)
def test_without_scripts_and_in_print_a_page_shows_its_first_core(
    browser: Browser, file: Path, page: KernelPage
) -> None:
    tab, _ = opened(browser, file, 1440, script=False)
    cores = {part.get_attribute("data-core") for part in tab.locator("section[data-core]:visible").all()}
    assert cores == {next(iter(page.profiles))}
    tab.emulate_media(media="print")
    assert not tab.locator("nav").is_visible()
    tab.set_viewport_size({"width": 794, "height": 1123})  # A4
    assert tab.evaluate("document.documentElement.scrollWidth") <= 794
    assert tab.locator("table.source").first.is_visible()
    tab.context.close()
