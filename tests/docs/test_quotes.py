"""Pages show code as plain Markdown: each quoted block is what its file has, and nothing needs a build to be read.

`<!-- quote FILE -->` or `<!-- quote FILE 20-43 -->` right above a fenced block says which lines of the repository the
block quotes.  `pytest tests/docs --update` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs" / "pages").glob("*.md")), *sorted(ROOT.glob("*.md"))]
_QUOTE = re.compile(r"^<!-- quote (\S+)(?: (\d+)-(\d+))? -->\n(```\w+\n)(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARKER = re.compile(r"<!-- *quote")
#: What a Git host shows as it stands: an include directive, also as a formatter mangles it, and a template's marks.
_UNBUILT = re.compile(r"-- ?8 ?< ?--|{{|{%|{!")


def quoted(found: re.Match[str], root: Path = ROOT) -> str:
    """Return what the marker quotes.  Raises OSError for a missing file, ValueError for missing lines."""
    lines = (root / found[1]).read_text().splitlines(keepends=True)
    first, last = (int(found[2]), int(found[3])) if found[2] else (1, len(lines))
    if not 1 <= first <= last <= len(lines):
        raise ValueError(f"{found[1]} has {len(lines)} lines, not {first}-{last}")
    return "".join(lines[first - 1 : last])


def stale(text: str, root: Path = ROOT) -> list[str]:
    """The markers whose block differs from the file."""
    return [found[0].splitlines()[0] for found in _QUOTE.finditer(text) if found[5] != quoted(found, root)]


def refreshed(text: str, root: Path = ROOT) -> str:
    """The page with each quoted block as the file has it."""
    return _QUOTE.sub(lambda m: f"{m[0][: m.start(4) - m.start()]}{m[4]}{quoted(m, root)}```", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_quoted_block_is_what_its_file_has(page: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text()
    assert len(_MARKER.findall(text)) == len(_QUOTE.findall(text)), "a marker without a fenced block right below it"
    if request.config.getoption("--update") and stale(text):
        page.write_text(refreshed(text))
        return
    assert not stale(text)


def test_the_pages_quote_files() -> None:
    quotes = {page.stem: len(_QUOTE.findall(page.read_text())) for page in PAGES}
    assert quotes["tutorial"] >= 9 and quotes["add-kernel"] >= 2 and quotes["own-code"] >= 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_reads_the_same_before_it_is_built(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert not _UNBUILT.search(prose)
    for block in re.findall(r"^```\w+\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        assert not re.search(r"-- ?8 ?< ?--", block), "an include directive: a Git host shows it, and not the code"


def test_a_block_that_differs_from_its_file_is_noticed_and_refreshed(tmp_path: Path) -> None:
    (tmp_path / "x.S").write_text("one\ntwo\nthree\n")
    right = "a\n<!-- quote x.S 2-3 -->\n```gas\ntwo\nthree\n```\nb\n"
    wrong = right.replace("three", "four")
    assert not stale(right, tmp_path) and stale(wrong, tmp_path) == ["<!-- quote x.S 2-3 -->"]
    assert refreshed(wrong, tmp_path) == right
    with pytest.raises(ValueError, match="3 lines"):
        stale(right.replace("2-3", "2-4"), tmp_path)


def anchors(page: Path) -> set[str]:
    """The names by which a Git host links to the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_link_of_a_page_leads_to_a_file_of_the_tree_and_a_heading_of_it(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for address in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"https?:", address):
            continue
        path, _, anchor = address.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), address
        assert not anchor or anchor in anchors(target), address
