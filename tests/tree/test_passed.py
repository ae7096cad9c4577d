"""A second run leaves out what a first one has shown, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import os
import pytest

TOOLS = "TOOLS" in os.environ

@pytest.mark.parametrize("number", range(3))
def test_passes(number): assert number < 3

@pytest.mark.parametrize("number", range(2))
def test_needs_a_tool(number):
    if not TOOLS:
        pytest.skip("make is not installed")

@pytest.fixture
def ends_badly():
    yield
    assert TOOLS

def test_ends_badly(ends_badly): pass

def test_fails(): assert TOOLS
"""


def _run(folder: Path, *options: str, tools: bool) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])} | ({"TOOLS": "1"} if tools else {})
    command = [sys.executable, "-m", "pytest", "-q", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
@pytest.mark.parametrize("spread", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_what_passed_is_left_out_and_what_was_skipped_or_failed_is_run(spread: tuple[str, ...], tmp_path: Path) -> None:
    # As in this repository: the options come with the tests, and the file is elsewhere.
    project, passed = tmp_path / "project", tmp_path / "passed"
    (project / "tests").mkdir(parents=True)
    (project / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    (project / "tests" / "conftest.py").write_text("from tests.passed import *\n")
    (project / "tests" / "test_some.py").write_text(TESTS)
    first = _run(project, *spread, f"--write-passed={passed}", tools=False)
    assert "1 failed, 4 passed, 2 skipped, 1 error" in first, first
    assert passed.read_text().splitlines() == [f"tests/test_some.py::test_passes[{number}]" for number in range(3)]
    second = _run(project, *spread, f"--leave-passed={passed}", tools=True)
    assert "\n4 passed" in f"\n{second.splitlines()[-1]}", second


def test_ci_gives_the_file_in_the_form_that_pytest_reads() -> None:
    script = (Path(__file__).parents[2] / ".ci" / "run").read_text()
    for option in ("--write-passed", "--leave-passed"):
        assert [part[0] for part in script.split(option)[1:]] == ["="], option
