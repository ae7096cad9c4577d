"""`neonlab serve` as a person has it: in a browser, with a file on disk."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.command_line import ADD, HEAD, SUM, git, neonlab, new_repository
from tests.contrast import poor_contrast
from tests.serve.served import CORE, DONE, OTHER, SHAPE, WAIT, Served, start, stop

from neonlab import Profile
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.options import MemoryOptions
from neonlab.sources import program as code

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_repository(tmp_path_factory.mktemp("served"), OTHER)


@pytest.fixture(scope="module")
def served(root: Path) -> Iterator[Served]:
    served = start(root / "asm" / f"{ADD}.S", "--shape", SHAPE, "--core", CORE)
    yield served
    errors = stop(served)[1]
    assert "Traceback" not in errors, errors


@pytest.fixture
def text(root: Path, served: Served) -> Iterator[str]:
    yield served.path.read_text()
    git(root, "checkout", "--quiet", "--", ".")


@pytest.fixture
def tab(browser: Browser, served: Served, text: str) -> Iterator[Page]:
    """The page of the file as it is committed; nothing unsaved before or after."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = context.new_page()
    problems: list[str] = []
    tab.set_default_timeout(WAIT)
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("request", lambda request: problems.append(request.url) if elsewhere(request.url, served) else None)
    tab.goto(served.address)
    assert "token" not in tab.url
    tab.wait_for_selector(".cm-content:visible")
    yield tab
    write(tab, text)
    tab.keyboard.press("Control+s")
    tab.wait_for_selector(".neonlab-standing >> text=/^saved$/")
    context.close()
    assert problems == []


def elsewhere(url: str, served: Served) -> bool:
    return not re.match(rf"(http|ws)://127\.0\.0\.1:{served.port}/|data:|blob:", url)


_EDITOR = (
    "[...document.querySelectorAll('.neonlab-editor')].filter((one) => one.checkVisibility())"
    ".map((one) => getElement(Number(one.id.slice(1))).editor)[0]"
)


def write(tab: Page, text: str) -> None:
    """Put `text` into the editor in front, over all that is there."""
    code = "(text) => { const e = EDITOR; e.dispatch({ changes: { from: 0, to: e.state.doc.length, insert: text } }) }"
    tab.evaluate(code.replace("EDITOR", _EDITOR), text)


def shown_text(tab: Page) -> str:
    return str(tab.evaluate(f"() => {_EDITOR}.state.doc.toString()"))


def wait_for_text(tab: Page, text: str) -> None:
    tab.wait_for_function(f"(text) => {_EDITOR}.state.doc.toString() === text", arg=text)


def wait_for_word(tab: Page, word: str) -> None:
    """Until all is known of the text in front, and it is `word`."""
    tab.wait_for_selector(DONE)
    tab.wait_for_selector(f".neonlab-word >> text={word}")


def profile_of(path: Path) -> Profile:
    code.forget_programs()
    kernel = open_kernel(path)
    profile = profiling.profile(kernel, parse_shape(kernel, SHAPE), memory=MemoryOptions(CORE, loop=True))
    assert isinstance(profile, Profile) and profile.cycles is not None and profile.loop is not None
    return profile


def test_a_bug_is_told_at_its_line_and_goes_when_it_is_mended(tab: Page, served: Served, text: str) -> None:
    wait_for_word(tab, "exact")
    tab.locator(".cm-content:visible .cm-line", has_text="sqadd").first.locator("span", has_text="sqadd").dblclick()
    tab.keyboard.type("sqsub")
    assert shown_text(tab) == text.replace(SUM, SUM.replace("sqadd", "sqsub"), 1)
    wait_for_word(tab, "WRONG")
    fault = tab.locator(".neonlab-fault")
    assert fault.first.inner_text().startswith("mismatch")
    beside = tab.locator(".cm-line.neonlab-faulty").first.inner_text()
    assert beside.strip() == "str     q0, [c], #16" or "sqsub" in beside, beside
    tab.wait_for_selector(".neonlab-verdict >> text=smallest case that fails the same way")
    tab.locator(".neonlab-goto").first.click()
    line = tab.evaluate(f"() => {{ const s = {_EDITOR}.state; return s.doc.lineAt(s.selection.main.head).text }}")
    assert line == beside
    write(tab, text)
    wait_for_word(tab, "exact")
    tab.wait_for_selector(".neonlab-fault", state="detached")
    assert served.path.read_text() == text


def test_what_does_not_assemble_is_told_at_its_line(tab: Page, served: Served, text: str) -> None:
    write(tab, text.replace("sqadd", "sqadq"))
    tab.wait_for_selector(".neonlab-fault")
    assert "sqadq" in tab.locator(".cm-line.neonlab-faulty").inner_text()
    assert "sqadq" in tab.locator(".neonlab-verdict").inner_text()
    assert str(served.path.parent) not in tab.locator(".neonlab-verdict").inner_text()
    for typed in ("", "/*toml\n", "\n" * 5000, "é\U0001f600 .macro", text.replace("count = {", "count = [")):
        write(tab, typed)
        tab.wait_for_selector(DONE)
        wait_for_word(tab, "cannot be tried")
    assert served.path.read_text() == text


def test_half_a_word_keeps_the_last_figures_dimmed_with_their_age(tab: Page, text: str) -> None:
    wait_for_word(tab, "exact")
    table = tab.locator(f".neonlab-figures table:has(th:text-is('layer {SHAPE}'))")
    table.locator("tr").last.locator("td").nth(3).wait_for()  # the commit is known
    figures, marks = table.inner_text(), tab.locator(".neonlab-heat").all_inner_texts()
    assert marks and tab.locator(".neonlab-loop .pipeline").count() == 1
    tab.locator(".cm-content:visible .cm-line", has_text="sqadd").first.locator("span", has_text="sqadd").dblclick()
    tab.keyboard.type("sqa")
    wait_for_word(tab, "cannot be tried")
    age = tab.locator(".neonlab-age")
    age.filter(has_text=re.compile(r"^as of \d+ s ago$")).wait_for()
    assert table.inner_text() == figures and tab.locator(".neonlab-heat").all_inner_texts() == marks
    assert tab.locator(".neonlab-loop.neonlab-stale .pipeline").count() == 1
    dimmed = "(part) => getComputedStyle(part).opacity"
    assert float(table.evaluate(dimmed)) < 0.5 and float(tab.locator(".neonlab-heats").first.evaluate(dimmed)) < 0.5
    write(tab, text)
    wait_for_word(tab, "exact")
    age.wait_for(state="detached")
    assert float(table.evaluate(dimmed)) == 1 and tab.locator(".neonlab-loop.neonlab-stale").count() == 0


def test_counts_heat_and_pipeline_are_those_of_the_text_and_change_with_it(
    tab: Page, served: Served, text: str, tmp_path: Path
) -> None:
    tab.set_viewport_size({"width": 1440, "height": 2400})  # only lines in sight have marks beside them
    was = profile_of(served.path)
    row = tab.locator(f".neonlab-figures table:has(th:text-is('layer {SHAPE}')) tr:has(td:text-is('instructions'))")
    row.locator("td").nth(3).wait_for()  # the commit is known
    told = row.locator("td").all_inner_texts()
    assert told[1] == f"{was.counts.instructions:,}" and told[3] == "="
    write(tab, text.replace(HEAD, f"    nop\n{HEAD}"))
    beside = new_repository(tmp_path) / "asm" / f"{ADD}.S"
    beside.write_text(text.replace(HEAD, f"    nop\n{HEAD}"))
    now = profile_of(beside)
    more = now.counts.instructions - was.counts.instructions
    tab.wait_for_selector(f".neonlab-figures >> text=/^\\+{more:,} /")
    tab.wait_for_selector(DONE)
    told = row.locator("td").all_inner_texts()
    assert told[1] == f"{now.counts.instructions:,}" and told[2] == told[3] and told[2].startswith(f"+{more:,} (")
    assert now.cycles is not None and now.loop is not None
    assert now.loop.wait is not None
    waiting = now.loop.lines[now.loop.wait.at]
    words = tab.locator(".neonlab-wait:above(.neonlab-figures)").inner_text()
    assert words.startswith(f"The loop on {CORE}: waits ") and waiting.instruction in words
    assert f"{served.path.name}:{waiting.line}" in words
    rows = tab.locator(".neonlab-loop .pipeline .row")
    lines = [f"{line.line} {line.text}" for line in now.loop.lines]
    assert rows.locator(".code").all_text_contents()[: len(lines)] == lines
    last = len(lines) - 1
    rows.nth(last).click()  # shows what it takes results of, and leads to its line
    dependences = tab.locator(".neonlab-loop .dependence").count()
    assert dependences == len(now.loop.timeline[last].sources) > 0
    assert tab.locator(".told").inner_text().startswith(f"line {lines[last]}: ")
    line = tab.evaluate(f"() => {{ const s = {_EDITOR}.state; return s.doc.lineAt(s.selection.main.head).number }}")
    assert line == now.loop.lines[last].line
    hottest = max(now.cycles.lines, key=lambda line: line.cycles)
    assert tab.locator(f".neonlab-heat.h9 span[title*=' {hottest.cycles:,} cycles']").count()
    assert served.path.read_text() == text


def test_saving_writes_the_file_and_nothing_else_does(tab: Page, served: Served, text: str, root: Path) -> None:
    mine = text.replace(HEAD, f"    nop\n{HEAD}")
    write(tab, mine)
    tab.wait_for_selector(".neonlab-standing >> text=unsaved")
    wait_for_word(tab, "exact")
    assert served.path.read_text() == text and git(root, "status", "--porcelain") == ""
    tab.keyboard.press("Control+s")
    tab.wait_for_selector(".neonlab-standing >> text=/^saved$/")
    assert served.path.read_text() == mine
    write(tab, text)
    tab.locator("button", has_text="Save").click()
    tab.wait_for_selector(".neonlab-standing >> text=/^saved$/")
    assert served.path.read_text() == text and git(root, "status", "--porcelain") == ""


def test_a_change_on_disk_is_followed_or_shown_to_the_person(tab: Page, served: Served, text: str) -> None:
    theirs, mine = f"{text}\n// theirs\n", f"{text}\n// mine\n"
    replacement = served.path.with_suffix(".new")
    replacement.write_text(theirs)
    replacement.replace(served.path)
    wait_for_text(tab, theirs)
    write(tab, mine)
    tab.wait_for_selector(".neonlab-standing >> text=/^unsaved$/")
    served.path.write_text(text)
    banner = tab.locator(".neonlab-banner")
    banner.locator("text=has changed on disk").wait_for()
    tab.keyboard.press("Control+s")
    assert "// mine" in (banner.locator("details").text_content() or "")
    banner.locator("button", has_text="Keep this text").click()
    banner.wait_for(state="hidden")
    assert shown_text(tab) == mine and served.path.read_text() == text
    tab.keyboard.press("Control+s")
    tab.wait_for_selector(".neonlab-standing >> text=/^saved$/")
    assert served.path.read_text() == mine
    write(tab, theirs)
    tab.wait_for_selector(".neonlab-standing >> text=/^unsaved$/")
    served.path.write_text(text)
    banner.locator("button", has_text="Load the file's text").click()
    banner.wait_for(state="hidden")
    wait_for_text(tab, text)
    assert served.path.read_text() == text


def test_a_kernel_without_end_keeps_nobody_waiting_and_a_reload_loses_nothing(
    tab: Page, served: Served, text: str
) -> None:
    endless = text.replace(HEAD, f"9:  b 9b\n{HEAD}")
    write(tab, endless)
    tab.wait_for_selector(".neonlab-fault >> text=step-budget")
    tab.reload()
    tab.wait_for_selector(".neonlab-fault >> text=step-budget")
    assert shown_text(tab) == endless and served.path.read_text() == text
    write(tab, text)
    wait_for_word(tab, "exact")


def test_a_page_opened_again_shows_at_once_all_that_is_known(browser: Browser, served: Served) -> None:
    for _ in range(4):  # whichever is there first, the editor or what to show in it
        page = browser.new_page()
        page.goto(served.address)
        page.wait_for_selector(DONE, timeout=WAIT)
        page.wait_for_selector(".cm-gutters .neonlab-heat", timeout=WAIT, state="attached")
        page.close()


def test_the_text_is_there_before_any_script_runs(browser: Browser, served: Served, text: str) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(served.address)
    first = page.locator("#neonlab-first")
    assert first.is_visible() and served.path.name in first.inner_text()
    numbered = "\n".join(f"{number}{line}" for number, line in enumerate(text.split("\n"), 1))
    assert page.locator("#neonlab-first pre").text_content() == numbered
    context.close()
    page = browser.new_page()
    page.goto(served.address)
    page.wait_for_selector(".cm-content:visible", timeout=WAIT)
    assert page.locator("#neonlab-first").is_hidden()
    page.close()


def test_variants_have_tabs_with_texts_of_their_own(tab: Page, served: Served, text: str) -> None:
    write(tab, text.replace(SUM, SUM.replace("sqadd", "sqsub")))
    wait_for_word(tab, "WRONG")
    names = tab.locator(".neonlab-tabs button")
    assert names.all_inner_texts()[0].startswith(served.path.name) and len(names.all_inner_texts()) == 2
    names.nth(1).click()
    wait_for_word(tab, "exact")
    assert shown_text(tab) == (served.path.parent / f"{OTHER}.S").read_text()
    tab.locator(".cm-content:visible").focus()
    tab.keyboard.press("Control+z")  # what was typed into the other is not undone here
    assert shown_text(tab) == (served.path.parent / f"{OTHER}.S").read_text()
    names.nth(0).click()
    wait_for_word(tab, "WRONG")
    assert "sqsub" in shown_text(tab)
    tab.locator(".cm-content:visible").focus()
    before = shown_text(tab)
    tab.keyboard.press("Escape")
    tab.keyboard.press("Tab")
    assert not tab.evaluate("document.activeElement.matches('.cm-content')") and shown_text(tab) == before
    assert "Escape" in (tab.locator(".cm-content:visible").get_attribute("aria-description") or "")


def test_the_window_opened_last_is_the_one_that_edits(tab: Page, served: Served, text: str) -> None:
    other = tab.context.new_page()
    other.set_default_timeout(WAIT)
    other.goto(served.address)
    other.wait_for_selector(".cm-content:visible")
    tab.wait_for_selector(".neonlab-banner >> text=Another window is editing this file")
    assert tab.locator(".cm-content:visible").get_attribute("contenteditable") == "false"
    write(other, text)
    other.close()
    tab.locator("button", has_text="Edit here").click()
    tab.wait_for_selector(".cm-content[contenteditable=true]:visible")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_in_light_and_dark(tab: Page, text: str, scheme: Any) -> None:
    tab.emulate_media(color_scheme=scheme)
    write(tab, text.replace(SUM, SUM.replace("sqadd", "sqsub")))
    tab.wait_for_selector(".neonlab-verdict >> text=smallest case that fails the same way")
    for width in (390, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    paper = tab.evaluate("getComputedStyle(document.querySelector('.cm-editor')).backgroundColor")
    red = int(re.findall(r"\d+", paper)[0])
    assert red > 200 if scheme == "light" else red < 60
    assert poor_contrast(tab) == []


def request(served: Served, target: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("GET", target, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read().decode(errors="replace") if answer.status != 101 else ""
    connection.close()
    return answer.status, body


def test_without_the_token_nothing_is_answered(served: Served) -> None:
    cookie = f"neonlab-{served.port}={served.token}"
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    socket_io = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    for target in ("/", "/?token=wrong", "/_neonlab/neon.js", "/docs", "/nothing"):
        status, body = request(served, target)
        assert status == 403 and served.token not in body and "neonlab-page" not in body
    assert request(served, "/", Cookie=cookie)[0] == 200
    assert request(served, "/", Cookie=cookie, Host=f"evil.example:{served.port}")[0] == 403
    assert request(served, socket_io, **upgrade)[0] == 403
    assert request(served, socket_io, Cookie=cookie, Origin="http://evil.example", **upgrade)[0] == 403
    assert request(served, socket_io, Cookie=cookie, **upgrade)[0] == 101
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", served.port), timeout=10)


def test_text_that_was_never_saved_outlives_the_server(browser: Browser, tmp_path: Path) -> None:
    path = new_repository(tmp_path) / "asm" / f"{ADD}.S"
    text = path.read_text()
    served = start(path, "--shape", SHAPE, "--core", CORE)
    tab = browser.new_page()
    tab.goto(served.address)
    tab.wait_for_selector(".cm-content:visible", timeout=WAIT)
    write(tab, f"{text}// not saved\n")
    tab.wait_for_selector(".neonlab-standing >> text=/^unsaved$/", timeout=WAIT)
    out, errors = stop(served)
    tab.close()
    assert served.process.returncode == 130 and "Traceback" not in errors
    kept = re.search(r"kept in (\S+)", out)
    assert kept and Path(kept[1]).read_text() == f"{text}// not saved\n" and path.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("nothing.S",), "no such file"), (("armv8/add",), "no kernel"), ((f"asm/{ADD}.S", "--core", "a99"), "a99")],
)
def test_what_cannot_be_served_is_refused(root: Path, arguments: tuple[str, ...], words: str) -> None:
    done = neonlab("serve", *arguments, "--no-browser", cwd=root)
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_a_port_that_is_taken_is_said(root: Path, served: Served) -> None:
    done = neonlab("serve", str(served.path), "--no-browser", "--port", str(served.port), cwd=root)
    assert done.returncode == 2 and "--port" in done.stderr


def test_without_nicegui_the_command_says_what_to_install(root: Path) -> None:
    code = "import sys; sys.modules['nicegui'] = None; from neonlab.cli import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", str(root / "asm" / f"{ADD}.S")],
        capture_output=True, text=True, check=False, timeout=120, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 2 and "pip install 'neonlab[serve]'" in done.stderr
