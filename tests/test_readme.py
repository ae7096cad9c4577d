"""The README shows what the program prints today."""

from __future__ import annotations

import json
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


def test_figures_of_hot_loops_and_of_layers_with_few_input_channels_are_those_of_the_report() -> None:
    rows = json.loads((ROOT / "reports" / "variants.json").read_text())["rows"]
    loops = {row["kernel"]: row["hot_loop"] for row in rows}
    layers = {(row["kernel"], row["layer"].split(" ")[-1]): row["profile"]["instructions_per_mac"] for row in rows}
    compared = 0
    for line in re.findall(r"^\| ARMv7 NEON.*|^\| (?:ARMv8|AArch32|i8mm).*", README.read_text(), re.MULTILINE):
        isa = "armv7" if line.startswith(("| ARMv7", "| AArch32")) else "armv8"
        channels = re.match(r"\| [^|]*, (\d+) \|", line)
        for name, figure in re.findall(r"`(\w+)` \| (0\.\d+) \|", line):
            kernel, digits = f"{isa}/{name}", len(figure) - 2
            if channels is None:
                counted = loops[kernel]["instructions"] / loops[kernel]["macs"]
            else:
                counted = layers[kernel, {"32": "32->64", "64": "64->128"}[channels[1]]]
            assert abs(counted - float(figure)) <= 0.5 * 10**-digits + 1e-9, (kernel, counted)
            compared += 1
    assert compared == 20


def test_a_wrong_example_would_be_noticed() -> None:
    assert matches("a\n...\nd\n", "a\nb\nc\nd\n") and matches("a\n...\nd\n", "a\nd\n")
    assert not matches("a\n...\nd\n", "a\nb\n") and not matches("a\n", "b\n")
