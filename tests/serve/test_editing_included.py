"""A file that the kernel includes, edited in the browser: checked as it is typed, and written by Save alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, git, new_repository
from tests.serve.served import CORE, DONE, SHAPE, WAIT, Served, start, stop
from tests.serve.test_serving import shown_text, wait_for_text, wait_for_word, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MACRO = ".macro add_up\n    sqadd   v0.16b, v0.16b, v1.16b\n.endm\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    (path.parent / "include").mkdir()
    (path.parent / "include" / "sum.inc").write_text(MACRO)
    text = path.read_text().replace("\n    .arch", '\n#include "include/sum.inc"\n    .arch', 1)
    path.write_text(re.sub(r"^ +sqadd +v0\.16b.*$", "    add_up", text, count=1, flags=re.MULTILINE))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "with an include")
    served = start(path, "--shape", SHAPE, "--core", CORE)
    yield served
    errors = stop(served)[1]
    assert "Traceback" not in errors, errors


@pytest.mark.slow
def test_an_included_file_is_edited_beside_the_kernel_and_checked_in_it(browser: Browser, served: Served) -> None:
    kernel, included = served.path.read_text(), served.path.parent / "include" / "sum.inc"
    tab = browser.new_page()
    tab.set_default_timeout(WAIT)
    problems: list[str] = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(served.address)
    wait_for_word(tab, "exact")
    tab.locator(".neonlab-included tr[data-line]", has_text="sqadd").click()
    tab.wait_for_selector(".neonlab-head h1 >> text=sum.inc")
    wait_for_text(tab, MACRO)
    names = tab.locator(".neonlab-tabs button").all_inner_texts()
    assert names == [served.path.name, "include/sum.inc"]
    tab.wait_for_selector(f"{DONE} .cm-editor:visible .neonlab-heat")
    write(tab, MACRO.replace("sqadd", "sqsub"))
    wait_for_word(tab, "WRONG")
    assert included.read_text() == MACRO and git(served.path.parent, "status", "--porcelain") == ""
    write(tab, MACRO.replace("sqadd", "sqadq"))
    tab.wait_for_selector(".neonlab-fault >> text=sqadq")
    assert "sqadq" in tab.locator(".cm-line.neonlab-faulty:visible").inner_text()
    mine = MACRO.replace("    sqadd", "    nop\n    sqadd")
    write(tab, mine)
    wait_for_word(tab, "exact")
    row = tab.locator(f".neonlab-figures table:has(th:text-is('layer {SHAPE}')) tr:has(td:text-is('instructions')) td")
    assert row.nth(2).inner_text().startswith(f"+{int(SHAPE) // 16:,} (")
    tab.locator(".neonlab-tabs button").first.click()
    wait_for_text(tab, kernel)
    wait_for_word(tab, "exact")
    assert row.nth(2).inner_text().startswith(f"+{int(SHAPE) // 16:,} (")  # with the text that is not saved
    tab.locator(".neonlab-loop .pipeline .row", has_text="sqadd").first.click()
    tab.wait_for_selector(".neonlab-head h1 >> text=sum.inc")
    assert shown_text(tab) == mine and included.read_text() == MACRO
    tab.reload()
    tab.wait_for_selector(".neonlab-head h1 >> text=sum.inc")
    wait_for_text(tab, mine)
    wait_for_word(tab, "exact")
    tab.keyboard.press("Control+s")
    tab.wait_for_selector(".neonlab-standing >> text=/^saved$/")
    assert included.read_text() == mine and served.path.read_text() == kernel
    wait_for_word(tab, "exact")
    assert row.nth(2).inner_text().startswith(f"+{int(SHAPE) // 16:,} (")  # since the save before
    included.write_text(MACRO)  # another editor
    wait_for_text(tab, MACRO)
    wait_for_word(tab, "exact")
    row.nth(2).filter(has_text=f"−{int(SHAPE) // 16:,} (").wait_for()
    assert problems == []
    tab.close()


@pytest.mark.slow
def test_no_file_outside_the_repository_is_opened(browser: Browser, served: Served) -> None:
    tab = browser.new_page()
    tab.set_default_timeout(WAIT)
    tab.goto(served.address)
    wait_for_word(tab, "exact")
    tab.evaluate("emitEvent('neonlab-open', { path: '/etc/hostname', line: 1 })")
    tab.wait_for_selector("text=is not a file of the repository")
    assert tab.locator(".neonlab-head h1").inner_text() == served.path.name
    tab.close()
