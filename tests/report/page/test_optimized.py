"""The page of a kernel shows what `neonlab optimize` found for it, with the change as a folded diff."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, SUM, edit, neonlab, new_repository
from tests.contrast import poor_contrast
from tests.report.optimized_rows import row_of
from tests.report.page.sample_pages import RUN_ON

from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import open_library
from neonlab.report.page.gather import KernelPage
from neonlab.report.page.render import kernel_page, page_name
from neonlab.report.tables.loops.rows import Row, json_document

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def section(text: str) -> str:
    """The part of a page on what was found, as it is."""
    found = re.search(r'<h2 id="optimized">(.*?)<h2 id="registers">', text, re.DOTALL)
    assert found is not None
    return found[1]


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", markup)))


def shown(page: KernelPage, *rows: Row) -> str:
    return section(kernel_page(replace(page, optimized=rows)))


@pytest.mark.slow
def test_a_page_shows_cycles_how_it_is_shown_and_the_change(page: KernelPage) -> None:
    markup = shown(page, row_of(page.kernel))
    told = words(markup)
    assert "cortex-a53 20 16 20 % 12.25 −26 %" in told
    assert "proved at all 17 small shapes that run the new code. Changed: loads of 64 bits (3 places), 2 instr" in told
    assert "<details" in markup and "<details open" not in markup and "1 line added, 0 removed" in told
    assert '<span class="good">+    nop</span>' in markup and re.search('<span class="dim">@@ [^<]* @@</span>', markup)
    assert "older loop" not in told and "+++" not in markup


def test_a_loop_for_which_nothing_was_found_has_the_reason_and_no_diff(page: KernelPage) -> None:
    markup = shown(page, row_of(page.kernel, better=False))
    assert "no cheaper loop found. No order costs less." in words(markup) and "<details" not in markup


def test_a_row_that_was_kept_without_its_diff_says_so(page: KernelPage) -> None:
    row = {key: value for key, value in row_of(page.kernel).items() if key != "diff"}
    markup = shown(page, row)
    assert "The row was kept without its diff." in words(markup) and "<details" not in markup


def test_a_row_of_other_code_is_of_an_older_loop(page: KernelPage) -> None:
    now, other = row_of(page.kernel), {**row_of(page.kernel, "cortex-a72"), "code": 64 * "0"}
    assert now["code"] == code_digest(page.kernel)
    told = words(shown(page, now, other))
    assert "On cortex-a72 the figures are of an older loop: the kernel's code has changed since." in told
    assert f"neonlab optimize {page.kernel.title} --core cortex-a72 --into reports" in told
    assert "cortex-a72 , an older loop, at 8" in told and "cortex-a53 , at 8" in told


def test_a_page_without_rows_has_no_such_part(text: str) -> None:
    assert 'id="optimized"' not in text and "#optimized" not in text


@pytest.mark.slow
def test_the_pages_of_a_repository_show_its_rows_until_the_code_changes(tmp_path: Path) -> None:
    root = new_repository(tmp_path / "kernels")
    (kernel,) = (one for one in open_library(root).kernels if one.title == ADD)
    (root / "reports").mkdir(exist_ok=True)
    (root / "reports" / "optimize.json").write_text(json_document([row_of(kernel)]))
    for change, older in (("    // a comment\n", False), ("    mov x9, x9\n", True)):
        edit(root, SUM, f"{SUM}{change}")
        done = neonlab("-q", "report", ADD, "--core", "cortex-a53", cwd=root)
        assert done.returncode == 0, done.stderr
        told = words(section((root / "reports" / "pages" / page_name(ADD)).read_text()))
        assert "+ nop" in told and ("the figures are of an older loop" in told) == older


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_change_is_folded_and_fits_its_window(
    browser: Browser, page: KernelPage, tmp_path: Path, width: int, scheme: str
) -> None:
    rows = [row_of(page.kernel, added="    // " + 30 * "long "), {**row_of(page.kernel, RUN_ON[1]), "code": "0"}]
    path = tmp_path / "page.html"
    path.write_text(kernel_page(replace(page, optimized=rows)))
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    tab = context.new_page()
    tab.goto(path.as_uri())
    diffs = tab.locator("#optimized ~ details pre.difference")
    assert diffs.count() == 2 and not diffs.first.is_visible()
    for summary in tab.locator("#optimized ~ details summary").all():
        summary.click()
    assert diffs.first.is_visible() and tab.evaluate("document.documentElement.scrollWidth") <= width
    assert poor_contrast(tab) == []
    context.close()
