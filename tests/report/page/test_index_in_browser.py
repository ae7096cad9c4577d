"""The index of pages in a browser: sorted by its columns, and narrowed to what is looked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from neonlab.report.page.index import IndexRow
from neonlab.report.page.render import index_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CORES = ("cortex-a53", "cortex-a72")
ROWS = [
    (IndexRow("armv8/conv1x1_a", "exact", "8x8x16x16", 900, 4096, {"cortex-a53": 1200, "cortex-a72": 700},
              "conv1x1", "armv8 neon"), "a.html"),
    (IndexRow("armv8/conv1x1_b", "exact", "8x8x16x16", 300, 4096, {"cortex-a72": 90}, "conv1x1", "armv8 dotprod"),
     "b.html"),
    (IndexRow("armv7/relu_c", "wrong result", "64", 40, 0, {"cortex-a53": 10_000}, "relu", "armv7 neon"), "c.html"),
    (IndexRow("armv7/old_d", "exact", "64", 0, 0, {}), "d.html"),
]  # fmt: skip


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Page:
    file = tmp_path / "index.html"
    file.write_text(index_page(ROWS, CORES), encoding="utf-8")
    found = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True).new_page()
    problems: list[str] = []
    found.on("console", lambda message: problems.append(message.text))
    found.on("pageerror", lambda error: problems.append(str(error)))
    found.goto(file.as_uri())
    assert problems == []
    return found


def shown(tab: Page) -> str:
    """The last letters of the kernels in sight, from the top down."""
    rows = tab.locator("table.kernels tbody tr:visible td:first-child")
    return "".join(text[-1] for text in rows.all_inner_texts())


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("column", "up", "down"),
    [(0, "dcab", "bacd"), (3, "cbad", "abcd"), (4, "bacd", "abcd"), (5, "acbd", "cabd"), (8, "bacd", "abcd")],
)
def test_a_click_on_a_head_sorts_by_numbers_and_what_is_missing_comes_last(
    tab: Page, column: int, up: str, down: str
) -> None:
    head = tab.locator(f"th[data-column='{column}']")
    head.get_by_role("button").click()
    assert shown(tab) == up and head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").press("Enter")
    assert shown(tab) == down and head.get_attribute("aria-sort") == "descending"
    assert tab.locator("th[aria-sort]").count() == 1


def test_rows_are_chosen_by_name_operator_and_level_and_columns_by_core(tab: Page) -> None:
    assert shown(tab) == "abcd" and tab.get_by_role("status").inner_text() == "4 kernels"
    tab.get_by_label("operator").select_option("conv1x1")
    assert shown(tab) == "ab" and tab.get_by_role("status").inner_text() == "2 of 4 kernels"
    tab.get_by_label("level").select_option("armv8 dotprod")
    assert shown(tab) == "b"
    tab.get_by_label("level").select_option("")
    tab.get_by_label("Name").fill("conv _a")
    assert shown(tab) == "a"
    tab.get_by_label("cycles on").select_option("cortex-a72")
    heads = tab.locator("th[data-core]:visible").all_inner_texts()
    assert heads == ["cortex-a72", "a MAC"]
    assert tab.locator("tbody tr:visible td[data-core]:visible").all_inner_texts()[1] == f"{700 / 4096:.4f}"


def test_what_was_chosen_is_in_the_address(tab: Page) -> None:
    tab.get_by_label("operator").select_option("relu")
    tab.reload()
    assert shown(tab) == "c" and tab.get_by_label("operator").input_value() == "relu"


def test_without_scripts_all_rows_are_there(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.write_text(index_page(ROWS, CORES), encoding="utf-8")
    found = browser.new_context(java_script_enabled=False, offline=True).new_page()
    found.goto(file.as_uri())
    assert found.locator("table.kernels tbody tr").count() == len(ROWS)


def test_kernels_that_no_core_runs_are_sorted_and_narrowed_too(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.write_text(index_page([(IndexRow("armv7/old_d", "exact", "64", 0, 0, {}), "d.html")], ()), encoding="utf-8")
    tab = browser.new_page()
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(file.as_uri())
    assert tab.locator("[role=status]").inner_text() == "1 kernel" and shown(tab) == "d"
    tab.get_by_label("Name").fill("nothing")
    assert shown(tab) == "" and problems == []
