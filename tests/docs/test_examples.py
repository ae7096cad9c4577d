"""The pages show what the lab prints today; the tutorial's files and the cures of faults do what is said of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.console import ROOT, examples_in, run_together
from tests.tools import require

from neonlab.emulate.run import FaultKind
from neonlab.lab.repository.library import open_kernel

PAGES = ROOT / "docs" / "pages"
FAULTS = PAGES / "faults.md"
TUTORIAL = sorted((ROOT / "docs" / "tutorial").glob("*.S"))
#: Of these there is no example: the one ends the emulator, the other is mostly said as one of the others.
WITHOUT_EXAMPLE = {FaultKind.EMULATOR_DIED.value, FaultKind.UNMAPPED_ACCESS.value}


def sections(page: Path) -> dict[str, str]:
    """Text by heading of second rank."""
    found = re.split(r"^## (.+)\n", page.read_text(), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def write_saboteurs() -> None:
    """Write the kernels of the page on faults, by the command that it names."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.saboteurs"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert f"$ python -m tests.saboteurs\n{done.stdout}```\n" in FAULTS.read_text(), done.stderr


@pytest.mark.parametrize(
    "page", [page for page in sorted(PAGES.glob("*.md")) if examples_in(page)], ids=lambda p: p.stem
)
@pytest.mark.thorough("the README's examples are tried of every run")
def test_the_examples_of_a_page_print_what_it_shows(page: Path, request: pytest.FixtureRequest) -> None:
    if page == FAULTS:
        write_saboteurs()
    examples = examples_in(page)
    wrong = []
    for example, done in zip(examples, run_together([e.arguments for e in examples]), strict=True):
        if request.config.getoption("--update"):
            if not example.shows(done.printed):
                example.update(done.printed)
        elif not example.shows(done.printed) or done.status != example.status:
            wrong.append(f"$ {example.command}\n{done.printed}status {done.status}")
    assert not wrong, "\n".join(wrong)


def python_of(page: Path) -> str:
    """The page's blocks of Python that print, one after another."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(blocks) if any("print(" in block for block in blocks) else ""


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("page", [page for page in sorted(PAGES.glob("*.md")) if python_of(page)], ids=lambda p: p.stem)
def test_the_python_of_a_page_prints_what_its_remarks_say(page: Path) -> None:
    code = python_of(page)
    said = re.findall(r"^ *print\(.*\)  # (.*)$|^# (.*)$", code, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.splitlines() == [beside or below for beside, below in said], done.stderr
    assert done.stdout and not done.stderr


def test_ten_lines_of_python_are_enough_for_a_function_of_ones_own() -> None:
    assert len([line for line in python_of(PAGES / "own-code.md").splitlines() if line]) <= 10


def test_every_fault_has_a_section_with_an_example_of_it() -> None:
    texts = sections(FAULTS)
    assert set(texts) == {kind.value for kind in FaultKind}
    for identifier, text in texts.items():
        shown = re.findall(r"^  ([a-z-]+)(?: at shape .*)$", text, re.MULTILINE)
        assert shown == ([] if identifier in WITHOUT_EXAMPLE else [identifier])


@pytest.mark.thorough("saboteurs of every fault are tried of every run")
def test_each_cure_makes_the_kernel_right(tmp_path: Path) -> None:
    write_saboteurs()
    cured = []
    for identifier, text in sections(FAULTS).items():
        if identifier in WITHOUT_EXAMPLE:
            continue
        (path,) = re.findall(r"^\$ neonlab check (\S+)$", text, re.MULTILINE)
        (change,) = re.findall(r"^```diff\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        lines = change.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] != "+")
        after = "".join(line[1:] for line in lines if line[0] != "-")
        source = (ROOT / path).read_text()
        assert source.count(before) == 1, f"{identifier}: the change does not fit {path}"
        cured.append(tmp_path / identifier / Path(path).name)
        cured[-1].parent.mkdir()
        # Nothing says what most of them compute.  With this in their contract, the other checks decide.
        if not open_kernel(ROOT / path).has_reference:
            source = source.replace("[args]", 'reference = "none"\n[args]', 1)
        cured[-1].write_text(source.replace(before, after))
    # The data that fail at first, and those that wrap lanes soonest: the other patterns would say the same again.
    (done,) = run_together([["check", "--pattern", "random", "--pattern", "lowest", *map(str, cured)]])
    assert done.status == 0, done.printed
    said = re.findall(r"^(\w+) +(\S+\.S) ", done.printed, re.MULTILINE)
    assert {path for _, path in said} == set(map(str, cured))
    assert {word for word, _ in said} == {"exact", "ran"}


@pytest.mark.parametrize("path", TUTORIAL, ids=lambda path: path.stem)
def test_the_tutorial_shows_each_of_its_files_and_gnu_as_takes_them(path: Path, tmp_path: Path) -> None:
    page = (PAGES / "tutorial.md").read_text()
    assert f"docs/tutorial/{path.name}" in page
    command = [require("aarch64-linux-gnu-gcc"), "-c", str(path), "-o", str(tmp_path / "object.o")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_last_kernel_of_the_tutorial_beats_the_scheme_of_ncnn_on_each_core_and_shape() -> None:
    last = TUTORIAL[-1].name
    (comparison,) = [
        e for e in examples_in(PAGES / "tutorial.md") if e.command.startswith("neonlab compare") and last in e.command
    ]
    rows = re.findall(rf"^docs/tutorial/{last} .*$", comparison.shown, re.MULTILINE)
    assert len(rows) == comparison.command.count("--shape") * (1 + comparison.command.count("--core")) >= 4
    assert all(re.search(r" \u2212\d+\.\d %", row) for row in rows), rows
