"""Tell a person who waits for `neonlab serve` what is being done: a text of 600 KB takes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, new_repository
from tests.serve.served import CORE, DONE, SHAPE, start, stop
from tests.serve.test_serving import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LINES = 20_000
SECONDS = 2.0  # within which one is told; the first is a pause in which most texts are done
OBSERVE = """() => {
  const place = document.querySelector(".neonlab-doing");
  const note = () => { if (place.textContent) window.told ??= performance.now() };
  new MutationObserver(note).observe(place, { childList: true, characterData: true, subtree: true });
  window.began = performance.now();
}"""
COUNT = ".neonlab-figures td.number >> nth=0"
IDLE = 'document.querySelector(".neonlab-doing").textContent === ""'
FRESH = 'document.querySelector(".neonlab-age") === null'


@pytest.mark.slow
def test_a_text_that_takes_long_is_told_of_while_one_waits(browser: Browser, tmp_path: Path) -> None:
    path = new_repository(tmp_path) / "asm" / f"{ADD}.S"
    long = path.read_text().replace("    ret\n", "    orr     v31.16b, v0.16b, v0.16b\n" * LINES + "    ret\n")
    assert len(long) > 600_000
    served = start(path, "--shape", SHAPE, "--core", CORE)
    try:
        tab = browser.new_page()
        tab.set_default_timeout(60_000)
        tab.goto(served.address)
        tab.wait_for_selector(DONE)
        tab.wait_for_function(IDLE)
        figures = tab.inner_text(COUNT)
        tab.evaluate(OBSERVE)
        write(tab, long)
        tab.wait_for_function("window.told !== undefined")
        assert tab.evaluate("(window.told - window.began) / 1000") < SECONDS
        tab.wait_for_selector(".neonlab-side >> text=/10 of [0-9]+ cases/")
        assert tab.inner_text(".neonlab-figures .neonlab-age").startswith("as of ")
        assert tab.inner_text(COUNT) == figures, "the last figures, until there are others"
        assert tab.get_attribute("body", "data-neonlab") == "checking"
        tab.wait_for_function(FRESH)
        assert f"+{LINES:,}" in tab.inner_text(".neonlab-figures")
        tab.close()
    finally:
        stop(served)
