"""The README shows what the program prints today."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tests.command_line import neonlab
from tests.console import ROOT, Example, examples_in, matches

README = ROOT / "README.md"
EXAMPLES = examples_in(README)


def test_the_readme_has_examples_of_right_and_wrong_kernels() -> None:
    commands = [example.command for example in EXAMPLES]
    assert any("WRONG" in e.shown for e in EXAMPLES) and any("exact" in e.shown for e in EXAMPLES)
    assert len(set(commands)) == len(commands) >= 3


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_an_example_prints_what_the_readme_shows(example: Example, request: pytest.FixtureRequest) -> None:
    result = neonlab(*example.arguments)
    if request.config.getoption("--update") and not example.shows(result.stdout):
        example.update(result.stdout)
        return
    assert example.shows(result.stdout), f"{example.command} prints now:\n{result.stdout}{result.stderr}"
    assert result.returncode == example.status


def test_the_example_in_python_prints_what_its_remarks_say() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    assert len([line for line in block.splitlines() if line]) <= 10
    result = subprocess.run(
        [sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.stdout.splitlines() == re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE), result.stderr


def test_a_wrong_example_would_be_noticed() -> None:
    assert matches("a\n...\nd\n", "a\nb\nc\nd\n") and matches("a\n...\nd\n", "a\nd\n")
    assert not matches("a\n...\nd\n", "a\nb\n") and not matches("a\n", "b\n")
