"""The manual as a person sees it, opened from disk: its search, and a console without errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.contrast import poor_contrast
from tests.docs.built_site import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


def _opened(browser: Browser, file: Path, scheme: Any = "light") -> tuple[Page, list[str]]:
    tab = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme, offline=True).new_page()
    problems: list[str] = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(file.as_uri())
    return tab, problems


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_reports_anything_to_the_console(browser: Browser, site: Path, scheme: str) -> None:
    told = {}
    # The page for what is not found is for servers: its paths begin at the root.
    for file in sorted(set(site.glob("*.html")) - {site / "404.html"}):
        tab, problems = _opened(browser, file, scheme)
        told[file.name] = problems + poor_contrast(tab)
        tab.context.close()
    assert len(told) > 20 and {name: found for name, found in told.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("covering", "checks.html"),
        ("--cold-weights", "profile.html"),
        ("sadalp", "ladder.html"),
        ("kullback", "network.html"),
        ("MemoryOptions", "api.html"),
    ],
)
def test_the_search_finds_a_page_by_its_words(browser: Browser, site: Path, asked: str, page: str) -> None:
    tab, problems = _opened(browser, site / "index.html")
    tab.keyboard.press("s")
    field = tab.locator("#mkdocs-search-query")
    field.wait_for(state="visible")
    field.press_sequentially(asked)
    links = [one.get_attribute("href") or "" for one in tab.locator("#mkdocs-search-results a").all()]
    assert any(link.partition("#")[0].endswith(page) for link in links), links
    tab.locator("#mkdocs-search-results a").first.click()
    assert tab.url.startswith(site.as_uri()) and "index.html" not in tab.url and problems == []
    tab.context.close()


@pytest.mark.slow
def test_what_is_nowhere_is_said_to_be_nowhere(browser: Browser, site: Path) -> None:
    tab, problems = _opened(browser, site / "limits.html")
    tab.keyboard.press("s")
    tab.locator("#mkdocs-search-query").fill("zzyzx <b>")
    assert tab.locator("#mkdocs-search-results").inner_text() == "Nothing found." and problems == []
    tab.context.close()
