"""The page of a kernel shows what has changed since a git revision."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from tests.command_line import ADD as TITLE
from tests.command_line import SUM, edit, git, neonlab, new_repository

CORE = "cortex-a53"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "kernels")


def page(root: Path, *more: str) -> str:
    done = neonlab("report", TITLE, "--core", CORE, "--into", str(root / "pages-here"), *more, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    (written,) = (root / "pages-here/pages").glob("armv8*.html")
    return written.read_text()


def section(text: str) -> str:
    found = re.search(r'<h2 id="since">(.*?)<h2 id="source">', text, re.DOTALL)
    assert found is not None
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", found[1])))


@pytest.mark.slow
def test_a_page_shows_figures_and_the_loop_before_and_now(root: Path) -> None:
    edit(root, SUM, f"{SUM}    mov x9, x9\n")
    told = section(page(root, "--against", "HEAD"))
    commit = git(root, "rev-parse", "--short", "HEAD").strip()
    assert told.startswith(f"Since {commit}") and "cycles, cortex-a53" in told
    before, now = re.search(r"instructions ([\d,]+) ([\d,]+) \+", told).groups()  # type: ignore[union-attr]
    assert int(before.replace(",", "")) < int(now.replace(",", ""))
    assert "bytes loaded" in told and "The hot loop, before and now" in told and "mov x9" in told


@pytest.mark.slow
def test_a_page_without_a_revision_has_no_such_part(root: Path) -> None:
    assert 'id="since"' not in page(root)


@pytest.mark.slow
def test_a_kernel_that_was_not_there_is_said_to_be_new(root: Path) -> None:
    new = root / "asm" / f"{TITLE}.S"
    saved = new.read_text()
    git(root, "rm", "--quiet", str(new))
    git(root, "commit", "--quiet", "--message", "without it")
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(saved)
    assert "The kernel was not there." in section(page(root, "--against", "HEAD"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "HEAD"], "--against: name the kernels whose pages are to show what has changed"),
        ([TITLE, "--against", "nowhere"], "git knows no revision `nowhere`"),
        ([TITLE, "--against", "HEAD", "--shard", "1/2"], "--against"),
    ],
)
def test_what_cannot_be_compared_is_refused(root: Path, arguments: list[str], words: str) -> None:
    done = neonlab("report", *arguments, "--into", str(root / "pages-here"), cwd=root)
    assert done.returncode == 2 and words in " ".join(done.stderr.split())
    assert not (root / "pages-here").exists(), "nothing half-written"
