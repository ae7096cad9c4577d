"""The site builds without a warning and without the network, and what is made for it says what the code says."""

from __future__ import annotations

import html
import inspect
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from api_page import api_page
from architecture import PACKAGES, Tree
from json_page import rows_of
from ladder_figures import PAGE, TEMPLATE, Ladders, ladder_page
from tests.docs.built_site import build_site

import neonlab
from neonlab.lab.repository.library import open_library
from neonlab.report.json.documents import schemas
from neonlab.report.page.forms_page import PLACE
from neonlab.report.tables.ladder import read_ladders

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


class _Fetched(HTMLParser):
    """What a browser fetches by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in ("script", "img", "iframe") or (tag == "link" and named.get("rel") != "canonical"):
            self.found += [value for key in ("src", "href") if (value := named.get(key))]


@pytest.mark.slow
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


def text_of(page: Path) -> str:
    """Return the text that a reader of the built page sees."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text()))


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "pages").glob("*.md")), ids=lambda page: page.stem)
def test_the_built_page_shows_each_block_of_code(site: Path, page: Path) -> None:
    built = text_of(site / f"{page.stem}.html")
    assert "```" not in built and "<!--" not in built
    for block in re.findall(r"^```\w+\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        assert block.strip("\n") in built


@pytest.mark.parametrize(("page", "made"), [("workflow", "api"), ("index", "api"), ("index", "json")])
def test_a_page_that_names_one_made_while_building_links_to_it(site: Path, page: str, made: str) -> None:
    assert f"`{made}.html`" in (ROOT / "docs" / "pages" / f"{page}.md").read_text()
    assert f'href="{made}.html"><code>{made}.html</code>' in (site / f"{page}.html").read_text()


def test_the_page_of_forms_has_the_table_and_its_data(site: Path) -> None:
    text = (site / "forms.html").read_text()
    assert text.count(PLACE) == 1 and '<script src="forms.js"></script>' in text
    assert (site / "forms.js").read_text().startswith('const FORMS = {"cores":["apple-m1",')


def test_the_schemas_are_published_as_they_are(site: Path) -> None:
    text = (site / "json.html").read_text()
    for command, schema in schemas().items():
        assert json.loads((site / "schemas" / f"{command}.json").read_text()) == schema
        assert f'id="{command}"' in text


@pytest.mark.parametrize("name", neonlab.__all__)
def test_every_public_name_is_on_the_page_about_python_with_its_members(site: Path, name: str) -> None:
    text = (site / "api.html").read_text()
    value = getattr(neonlab, name)
    assert text.count(f'id="{name}"') == 1
    if inspect.isclass(value):
        for member, found in vars(value).items():
            if not member.startswith("_") and (inspect.isfunction(found) or isinstance(found, property)):
                assert f'id="{name}.{member}"' in text, member
    if inspect.isfunction(value):
        heading = text.index(f'id="{name}"')
        shown = html.unescape(re.sub(r"<[^>]+>", "", text[heading : text.index("<h3", heading)]))
        for parameter in inspect.signature(value).parameters:
            assert re.search(rf"\b{parameter}\b", shown), parameter
        assert (inspect.getdoc(value) or "").split("\n")[0].replace("`", "") in shown


def test_the_example_on_the_page_about_python_prints_what_it_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    example = re.search(r"```python\n(.*?)```", api_page(neonlab), re.DOTALL)
    assert example is not None
    exec(example[1], {})
    printed, said = capsys.readouterr().out.splitlines(), re.findall(r"print\(.*?\)(?:  # (.*))?$", example[1], re.M)
    assert len(printed) == len(said) == 3
    assert [one for one, comment in zip(printed, said, strict=True) if comment] == [one for one in said if one]


def test_the_page_about_python_refuses_to_leave_a_public_name_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neonlab, "__all__", [*neonlab.__all__, "more"])
    with pytest.raises(KeyError, match="more"):
        api_page(neonlab)


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
        return name if (source / name).is_dir() else alone[name]

    for path in source.rglob("*.py"):
        first = path.relative_to(source).parts[0].removesuffix(".py")
        if first == "__init__" or path.is_relative_to(source / "lab" / "start" / "template"):
            continue
        for module in re.findall(r"^ *from neonlab\.(\w+)[\w.]* import ", path.read_text(), re.MULTILINE):
            other = home(module)
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


def test_the_story_of_the_ladder_has_the_figures_of_the_report(request: pytest.FixtureRequest) -> None:
    told = ladder_page(ROOT)
    if request.config.getoption("--update"):
        (ROOT / PAGE).write_text(told)
    assert (ROOT / PAGE).read_text() == told, "`pytest tests/docs --update` writes it"
    assert len(re.findall(r"\b0\.\d{4}\b", told)) > 20


def test_the_story_of_the_ladder_types_no_figure_in() -> None:
    ladders = Ladders.read(ROOT / "reports" / "ladder.md")
    steps = {ladder.title: [step.kernel.name for step in ladder.steps] for ladder in read_ladders(open_library(ROOT))}
    assert {title: list(rows) for title, rows in ladders.tables.items()} == steps
    with pytest.raises(KeyError):
        ladders.figure("conv1x1 on ARMv8", "conv1x1_s8s32_chw_8x4", "A7")  # which does not execute A64
    typed = re.findall(r"\b\d+\.\d{2,}\b", re.sub(r"{{.*?}}", "", (ROOT / TEMPLATE).read_text()))
    assert typed == ["0.1875"], "the floor, three instructions for 16 MACs, is the one figure that is no report's"


def test_a_figure_that_turns_round_what_the_story_says_stops_the_build() -> None:
    ladders = Ladders.read(ROOT / "reports" / "ladder.md")
    slow, quick = "conv1x1_s8s32_chw_8x4", "conv1x1_s8s32_hwc_4x16_dotprod"
    assert ladders.below("conv1x1 on ARMv8", quick, slow, "hot loop") == ""
    with pytest.raises(ValueError, match="says otherwise"):
        ladders.below("conv1x1 on ARMv8", slow, quick, "hot loop")


def test_cycles_that_the_model_cannot_tell_apart_are_called_so() -> None:
    names = {"one": "1.0", "near": "0.99", "far": "0.5"}
    table = {name: {"A72": figure, "hot loop": figure} for name, figure in names.items()}
    ladders = Ladders({"t": table}, "1 of 2")
    assert ladders.times("t", "far", "one", "A72") == "2.00 times"
    assert ladders.times("t", "near", "one", "A72") == "1.01 times (no difference that this model can tell)"
    assert ladders.told("t", "far", "one", "A72") == ""
    assert ladders.told("t", "near", "one", "A72") == "; no difference that this model can tell"
    assert ladders.below("t", "near", "one", "hot loop") == ""  # instructions are counted
    with pytest.raises(ValueError, match="no difference that this model can tell"):
        ladders.below("t", "near", "one", "A72")
