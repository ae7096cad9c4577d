"""The page on the contract has every key and no other; what pages quote, and files and commands they name, exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from neonlab.cli.app import build_app
from neonlab.contract import arguments as contract_arguments
from neonlab.contract import build as contract_build
from neonlab.contract import header as contract
from neonlab.contract import text as contract_text
from neonlab.emulate.run import FaultKind
from neonlab.measure.cores import pipeline as pipeline_core

PAGES = Path(__file__).resolve().parents[2] / "docs" / "pages"
ROOT = PAGES.parents[1]


def rows(page: str) -> dict[str, list[list[str]]]:
    """Cells of the table under each heading."""
    found = {}
    for section in re.split(r"^## ", (PAGES / page).read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        lines = re.findall(r"^\| (.*) \|$", body, re.MULTILINE)
        found[title.strip("`")] = [line.split(" | ") for line in lines[1:]]
    return found


def keys(table: list[list[str]]) -> list[str]:
    return [key for row in table for key in re.findall(r"`(\w+)`", row[0])]


@pytest.mark.parametrize(
    ("title", "known"),
    [
        ("The function", contract._TOP_KEYS),
        ("A pointer", contract_arguments._POINTER_KEYS),
        ("Rows", contract_text._ROW_KEYS),
        ("A number", contract_arguments._NUMBER_KEYS),
        ("A member of a struct", contract_arguments._FIELD_KEYS),
        ("Beside the code only", contract.OUTSIDE_KEYS),
        ("build", contract_build._BUILD_KEYS),
        ("reference", tuple(key for key in contract_build._REFERENCE_KEYS if key not in contract_build._BUILD_KEYS)),
    ],
)
def test_the_page_has_every_key_once_and_no_other(title: str, known: tuple[str, ...]) -> None:
    assert sorted(keys(rows("contract.md")[title])) == sorted(known)


def test_what_is_said_to_enforce_a_key_is_a_fault() -> None:
    text = " ".join(row[2] for table in rows("contract.md").values() for row in table)
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text))
    assert len(named) > 8
    assert named <= {kind.value for kind in FaultKind}


def test_the_page_on_cores_has_every_key_of_a_timing() -> None:
    table = rows("add-core.md")["NAME.pipeline.toml: the pipeline"]
    said = {key for row in table for key in re.findall(r"`(\w+)`", " ".join(row[:2])) if '"' not in key}
    assert {"latency", "uses", "slots", "second", "forms", *pipeline_core._OPTIONAL} <= said


def test_lines_quoted_from_a_file_are_in_it() -> None:
    quotes = re.findall(
        r"^ *```text\n *(\S+)\n((?:.*\n)+?) *```", (PAGES / "add-instruction.md").read_text(), re.MULTILINE
    )
    assert len(quotes) >= 3
    for path, quoted in quotes:
        text = (ROOT / path).read_text()
        for line in quoted.splitlines():
            assert line.strip() in text, f"{path} does not have: {line}"


def test_what_more_stages_could_gain_is_what_the_rows_of_loops_leave() -> None:
    left = []
    for row in json.loads((ROOT / "reports" / "optimize.json").read_text())["loops"]:
        best = row["after"] or row["before"]
        left.append((row["core"], best["cycles"] / max(best["bounds"].values())))
    others = [core for core, times in left if times > 1.1]
    found = re.search(
        r"of the (\d+) loops of .* at most 2 % more cycles than the bound in (\d+), and at most 10 % more in (\d+)\."
        r" Of the other (\d+), (\d+) are on Cortex-A53",
        " ".join((PAGES / "optimize.md").read_text().split()),
    )
    assert found is not None
    assert [int(number) for number in found.groups()] == [
        len(left),
        sum(times <= 1.02 for _, times in left),
        sum(times <= 1.1 for _, times in left),
        len(others),
        others.count("cortex-a53"),
    ]


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_files_and_commands_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text()
    for path in set(re.findall(r"`((?:sim|tests|asm|kernels|reports|docs)/[\w./*-]*)`", text)):
        assert list(ROOT.glob(path.rstrip("/"))) or "NAME" in path, path
    commands = re.findall(r"(?:`|\$ |^    )neonlab ([a-z]+)", text, re.MULTILINE)
    assert set(commands) <= set(build_app().commands), page.name
