"""The README shows what the program prints today."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCKS = re.findall(r"^```console\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (command, shown)
    for block in BLOCKS
    for command, shown in re.findall(r"^\$ (neonlab .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def matches(shown: str, printed: str) -> bool:
    """Line by line; `...` alone on a line stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def test_the_readme_has_examples_of_right_and_wrong_kernels() -> None:
    commands = [command for command, _ in EXAMPLES]
    assert any("WRONG" in shown for _, shown in EXAMPLES) and any("exact" in shown for _, shown in EXAMPLES)
    assert len(set(commands)) == len(commands) >= 3


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_prints_what_the_readme_shows(command: str, shown: str, request: pytest.FixtureRequest) -> None:
    arguments = shlex.split(command, comments=True)[1:]
    run = [sys.executable, "-c", "from neonlab.cli import main; main()", *arguments]
    result = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if request.config.getoption("--update") and not matches(shown, result.stdout):
        text = README.read_text()
        README.write_text(text.replace(f"$ {command}\n{shown}", f"$ {command}\n{result.stdout}"))
        return
    assert matches(shown, result.stdout), f"{command} prints now:\n{result.stdout}{result.stderr}"
    assert result.returncode == (1 if "WRONG" in shown else 0)


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
