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
    command = [sys.executable, "-m", "pytest", "-p", "tests.passed", "-q", *options, "test_some.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("spread", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_what_passed_is_left_out_and_what_was_skipped_or_failed_is_run(spread: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    first = _run(tmp_path, *spread, "--write-passed", "passed", tools=False)
    assert "1 failed, 4 passed, 2 skipped, 1 error" in first, first
    names = (tmp_path / "passed").read_text().splitlines()
    assert names == [f"test_some.py::test_passes[{number}]" for number in range(3)]
    second = _run(tmp_path, *spread, "--leave-passed", "passed", tools=True)
    assert "\n4 passed" in f"\n{second.splitlines()[-1]}", second
