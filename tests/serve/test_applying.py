"""A cheaper loop in `neonlab serve`: asked for by a button, looked at, and put into the editor."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ROOT
from tests.serve.served import CORE, DONE, WAIT, start, stop

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAME = "conv1x1_s8s32_hwc_4x4_safe"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A repository of one kernel, whose loop can be cheaper."""
    folder = tmp_path / "asm" / "armv8"
    folder.mkdir(parents=True)
    (tmp_path / "kernels").symlink_to(ROOT / "kernels", target_is_directory=True)
    return Path(shutil.copy(ROOT / "tests/optimize/kernels/armv8" / f"{NAME}.S", folder))


@pytest.mark.thorough("a search and a browser take half a minute; the search has tests of its own")
def test_a_cheaper_loop_is_applied_to_the_editor_and_checked(browser: Browser, kernel: Path) -> None:
    before = kernel.read_text()
    served = start(kernel, "--core", CORE)
    try:
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(2 * WAIT)
        tab.goto(served.address)
        tab.wait_for_selector(DONE)
        tab.get_by_role("button", name=f"Optimize the loop for {CORE}").click()
        apply = tab.get_by_role("button", name="Apply")
        apply.wait_for(state="visible")
        offer = tab.locator(".neonlab-offer")
        assert "proved" in offer.inner_text() and "fewer cycles" in offer.inner_text()
        promised = re.search(r"([\d,]+) cycles now, ([\d,]+) once applied", offer.inner_text())
        assert promised is not None
        shown = tab.locator(f".neonlab-figures tr:has(td:text-is('cycles, {CORE}')) td.number").first
        assert shown.inner_text().split("\n")[0] == promised[1]
        offer.locator("summary").click()
        assert f"+++ {NAME}.S" in offer.inner_text()
        apply.click()
        tab.wait_for_selector(".neonlab-standing.neonlab-unsaved")
        tab.wait_for_selector(DONE)
        assert tab.locator(".neonlab-word").inner_text() == "exact"
        assert shown.inner_text().split("\n")[0] == promised[2], "what was promised is what is seen"
        assert not apply.is_visible() and "The text has changed since" in offer.inner_text()
        assert kernel.read_text() == before, "nothing is saved before Save"
        tab.get_by_role("button", name="Save").click()
        tab.wait_for_selector(".neonlab-standing:not(.neonlab-unsaved)")
        assert f"Ordered by neonlab optimize for {CORE}" in kernel.read_text()
    finally:
        assert "Traceback" not in stop(served)[1]
