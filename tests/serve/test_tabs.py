"""The tabs of the page: of many variants one is found by its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, new_repository
from tests.serve.served import CORE, SHAPE, WAIT, start, stop

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.slow
def test_of_many_variants_one_is_found_by_its_name(browser: Browser, tmp_path: Path) -> None:
    path = new_repository(tmp_path) / "asm" / f"{ADD}.S"
    for number in range(7):
        name = f"add_s8_other{number}"
        (path.parent / f"{name}.S").write_text(path.read_text().replace("add_s8_saturated", name))
    served = start(path, "--shape", SHAPE, "--core", CORE)
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    tab.set_default_timeout(WAIT)
    tab.goto(served.address)
    finder = tab.get_by_label("find a variant")
    assert tab.locator("#neonlab-variants option").count() == 8
    finder.fill("add_s8_other5.S")
    finder.press("Enter")
    tab.wait_for_selector(".neonlab-tabs [aria-current=page] >> text=add_s8_other5.S")
    assert "add_s8_other5.S" in tab.locator("h1").inner_text() and finder.input_value() == ""
    finder.fill("OTHER3")  # a part of it is enough
    finder.press("Enter")
    tab.wait_for_selector(".neonlab-tabs [aria-current=page] >> text=add_s8_other3.S")
    finder.fill("nothing like it")
    finder.press("Enter")
    tab.wait_for_selector("text=no variant's name has `nothing like it` in it")
    assert "add_s8_other3.S" in tab.locator("h1").inner_text()
    tab.close()
    assert "Traceback" not in stop(served)[1]
