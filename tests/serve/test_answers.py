"""What the page tells of a place in its text: hover and completion, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, new_repository
from tests.serve.served import CORE, SHAPE, WAIT, Served, start, stop

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = new_repository(tmp_path_factory.mktemp("asked"))
    served = start(root / "asm" / f"{ADD}.S", "--shape", SHAPE, "--core", CORE)
    yield served
    errors = stop(served)[1]
    assert "Traceback" not in errors, errors


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Page]:
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    problems: list[str] = []
    tab.set_default_timeout(WAIT)
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(served.address)
    tab.wait_for_selector(".cm-content:visible")
    tab.wait_for_selector("body[data-neonlab=done]")
    yield tab
    tab.close()
    assert problems == []


@pytest.mark.slow
def test_the_pointer_over_an_instruction_shows_what_it_does_and_takes(tab: Page) -> None:
    place = tab.locator(".cm-line:visible", has_text="sqadd").first
    box = place.locator("span").first.bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + 1, box["y"] + 4)
    tab.mouse.move(box["x"] + 4, box["y"] + 6)
    shown = tab.locator(".neonlab-hover").inner_text()
    assert "v0.b[i] += v1.b[i]" in shown and "clamped" in shown and f"{CORE} latency" in shown


@pytest.mark.slow
def test_half_a_word_is_completed_by_mnemonics_and_by_registers_of_a_role(tab: Page) -> None:
    line = tab.locator(".cm-line:visible", has_text="sqadd").first
    line.click()
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    tab.keyboard.type("sqad", delay=50)
    tab.locator(".cm-tooltip-autocomplete", has_text="sqadd").wait_for()
    tab.keyboard.press("Escape")
    tab.keyboard.type("d x9, cou", delay=50)
    tab.locator(".cm-tooltip-autocomplete", has_text="count").wait_for()
    tab.keyboard.press("Escape")
