"""The README shows what the program prints today."""

from __future__ import annotations

import re

import pytest
from tests.command_line import neonlab
from tests.console import ROOT, Example, examples_in, matches, recut
from tests.kernel_sources import FILES

from neonlab.measure.cores.caches import core_names

README = ROOT / "README.md"
EXAMPLES = examples_in(README)


def test_the_readme_has_examples_of_right_and_wrong_kernels() -> None:
    commands = [example.command for example in EXAMPLES]
    assert any("WRONG" in e.shown for e in EXAMPLES) and any("exact" in e.shown for e in EXAMPLES)
    assert len(set(commands)) == len(commands) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_an_example_prints_what_the_readme_shows(example: Example, request: pytest.FixtureRequest) -> None:
    result = neonlab(*example.arguments)
    if request.config.getoption("--update") and not example.shows(result.stdout):
        example.update(result.stdout)
        return
    assert example.shows(result.stdout), f"{example.command} prints now:\n{result.stdout}{result.stderr}"
    assert result.returncode == example.status


def test_the_counts_that_the_readme_states_are_those_of_the_tree() -> None:
    text = README.read_text()
    kernels = re.findall(r"\b(\d+) kernels", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    assert kernels == [str(len(FILES))]
    assert re.findall(r"(\d+) cores", text)[:1] == [str(len(core_names()))]


def test_a_wrong_example_would_be_noticed() -> None:
    assert matches("a\n...\nd\n", "a\nb\nc\nd\n") and matches("a\n...\nd\n", "a\nd\n")
    assert not matches("a\n...\nd\n", "a\nb\n") and not matches("a\n", "b\n")


def test_an_example_that_is_refreshed_is_cut_where_it_was_cut() -> None:
    shown = "exact a  10 cases, no input wraps\n...\nexact b  20 cases, no input wraps\n...\ntotal 30 (seed 1)\n"
    cut = "exact a  11 cases, no lane wraps\n...\nexact b  21 cases, no lane wraps\n...\ntotal 32 (seed 1)\n"
    printed = cut.replace("...\n", "    compiled by zig\n    47 of 108 instructions ran in no case\n")
    assert not matches(shown, printed)
    assert recut(shown, printed) == cut and matches(cut, printed)
    assert recut("one\ntwo\n", printed) == printed
