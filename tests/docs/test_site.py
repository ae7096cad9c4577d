"""The site builds without a warning and without the network, and what is made for it says what the code says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docs.architecture import PACKAGES, Tree
from docs.json_page import rows_of
from docs.ladder_figures import Ladders, environment

from neonlab.library import open_library
from neonlab.report.ladder import read_ladders
from neonlab.report.schemas import schemas

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", "docs/mkdocs.yml", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class _Fetched(HTMLParser):
    """What a browser fetches by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in ("script", "img", "iframe") or (tag == "link" and named.get("rel") != "canonical"):
            self.found += [value for key in ("src", "href") if (value := named.get(key))]


def test_the_pages_fetch_nothing_from_the_network_and_all_they_fetch_is_there(site: Path) -> None:
    pages = list(site.glob("*.html"))
    assert {page.stem for page in pages} >= {page.stem for page in (ROOT / "docs" / "pages").glob("*.md")}
    for page in pages:
        if page.stem == "404":
            continue
        parser = _Fetched()
        parser.feed(page.read_text())
        assert parser.found
        for address in parser.found:
            assert (page.parent / address.partition("?")[0]).is_file(), f"{page.name} fetches {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", sheet.read_text()), sheet


def test_the_schemas_are_published_as_they_are(site: Path) -> None:
    text = (site / "json.html").read_text()
    for command, schema in schemas().items():
        assert json.loads((site / "schemas" / f"{command}.json").read_text()) == schema
        assert f'id="{command}"' in text


def test_every_property_of_a_schema_has_its_row() -> None:
    def names(schema: object) -> list[str]:
        if isinstance(schema, list):
            return [name for entry in schema for name in names(entry)]
        if not isinstance(schema, dict):
            return []
        own = list(schema["properties"]) if isinstance(schema.get("properties"), dict) else []
        return own + [name for entry in schema.values() for name in names(entry)]

    for command, schema in schemas().items():
        rows = [path.rsplit(".", 1)[-1].removesuffix("[]") for path, _, _ in rows_of(schema)]
        # `names` also meets a property called "properties" or the like; none is.
        assert Counter(rows) == Counter(names(schema)), command


def test_the_picture_says_what_the_imports_say(site: Path) -> None:
    source = ROOT / "sim" / "neonlab"
    expected: Counter[tuple[str, str]] = Counter()
    alone = {"pytest_plugin": "cli", "__main__": "cli", "errors": "errors"}

    def home(name: str) -> str:
        return name if (source / name).is_dir() else alone.get(name, "lab")

    for path in source.rglob("*.py"):
        first = path.relative_to(source).parts[0].removesuffix(".py")
        if first in ("template", "__init__"):
            continue
        for module in re.findall(r"^ *from neonlab(?:\.(\w+)[\w.]*)? import ", path.read_text(), re.MULTILINE):
            other = home(module) if module else "lab"
            if other != home(first):
                expected[home(first), other] += 1
    drawn = ElementTree.parse(site / "architecture.svg")
    titles = [element.text or "" for element in drawn.iter("{http://www.w3.org/2000/svg}title")]
    found = [re.fullmatch(r"(\w+) imports (\w+): (\d+)", title) for title in titles[1:]]
    assert {(m[1], m[2]): int(m[3]) for m in found if m} == expected and all(found)


def test_the_picture_refuses_a_package_that_it_does_not_know(tmp_path: Path) -> None:
    for name in (*PACKAGES, "more"):
        path = tmp_path / "sim" / "neonlab" / name / "module.py"
        path.parent.mkdir(parents=True)
        path.write_text("")
    with pytest.raises(KeyError, match="more"):
        Tree.read(tmp_path)


def test_the_story_of_the_ladder_speaks_of_figures_that_the_report_has() -> None:
    ladders = Ladders.read(ROOT / "reports" / "ladder.md")
    steps = {ladder.title: [step.kernel.name for step in ladder.steps] for ladder in read_ladders(open_library(ROOT))}
    assert {title: list(rows) for title, rows in ladders.tables.items()} == steps
    with pytest.raises(KeyError):
        ladders.figure("conv1x1 on ARMv8", "conv1x1_s8s32_chw_8x4", "A7")  # which does not execute A64
    page = (ROOT / "docs" / "pages" / "ladder.md").read_text()
    told = environment(ROOT).from_string(page).render()
    typed = re.findall(r"\b\d+\.\d{2,}\b", re.sub(r"{{.*?}}", "", page))
    assert not typed, f"typed in, not pulled in: {typed}"
    assert len(re.findall(r"\b0\.\d{4}\b", told)) > 20


def test_a_figure_that_turns_round_what_the_story_says_stops_the_build() -> None:
    ladders = Ladders.read(ROOT / "reports" / "ladder.md")
    slow, quick = "conv1x1_s8s32_chw_8x4", "conv1x1_s8s32_hwc_4x16_dotprod"
    assert ladders.below("conv1x1 on ARMv8", quick, slow, "hot loop") == ""
    with pytest.raises(ValueError, match="says otherwise"):
        ladders.below("conv1x1 on ARMv8", slow, quick, "hot loop")
