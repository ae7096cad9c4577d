"""Merge what several sources state of a contract into one table, in which each key has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.contract.options import Given
from neonlab.contract.text import ContractText
from neonlab.errors import InputError
from neonlab.sources.contracts.asked import Asked, ask_one
from neonlab.sources.contracts.command_line import command_line
from neonlab.sources.contracts.debug_information import debug_information
from neonlab.sources.contracts.header import header
from neonlab.sources.contracts.merge import Entry, Stated, entries_of, merge
from neonlab.sources.contracts.sidecar import sidecar

FILE = """stack = 16
[args]
n = { range = [1, 9], step = 2 }
[args.p.fields]
scale = { range = [1, 9] }
"""


def of_file() -> Stated:
    table = {"stack": 16, "args": {"n": {"range": [1, 9], "step": 2}, "p": {"fields": {"scale": {"range": [1, 9]}}}}}
    return Stated(entries_of(table), ContractText("f.contract.toml", FILE, 1), folder=Path("there"))


def of_options(*settings: tuple[str, str], prototype: str = "") -> Stated:
    stated = command_line(Asked(Path("f.c"), Given(settings=settings, prototype=prototype)))
    assert stated is not None
    return stated


@pytest.mark.parametrize(
    ("key", "value", "way", "found"),
    [
        ("stack", "64", ("stack",), 64),
        ("n.range", "[1, 4]", ("args", "n"), {"range": [1, 4], "step": 2}),
        ("args.n", "{ range = [1, 4] }", ("args", "n"), {"range": [1, 4]}),
        ("a.read", "4*n", ("args", "a"), {"read": "4*n"}),
        ("p.scale.range", "[2, 3]", ("args", "p"), {"fields": {"scale": {"range": [2, 3]}}}),
        ("p.fields.scale.step", "3", ("args", "p", "fields", "scale"), {"range": [1, 9], "step": 3}),
        ("isa.armv7", '["armv7-a"]', ("isa",), {"armv7": ["armv7-a"]}),
        ("build.flags", '["-O3"]', ("build",), {"flags": ["-O3"]}),
    ],
)
def test_an_option_is_put_where_its_key_leads(key: str, value: str, way: tuple[str, ...], found: object) -> None:
    below = of_file()
    table = merge([below, of_options((key, value))]).table
    for part in way:
        table = table[part]
    assert table == found
    assert merge([below]).table == merge([of_file()]).table, "what the file states is as it was"


@pytest.mark.parametrize(
    ("key", "inner"), [("args.n.range.a", "range"), ("n.step.most", "step"), ("p.scale.range.a", "range")]
)
def test_an_entry_below_one_that_is_no_table_is_refused(key: str, inner: str) -> None:
    with pytest.raises(InputError) as refused:
        merge([of_file(), of_options((key, "1"))])
    assert str(refused.value) == f"--set {key}: `{inner}` is no table"


def test_a_message_names_the_option_or_else_the_line_or_else_the_command_line() -> None:
    options = of_options(("n.range", "[1, 4]"), prototype="int f(int n)")
    both, alone = merge([of_file(), options]), merge([options])
    assert str(both.text.error("wrong", "range")) == "--set n.range=[1, 4]: wrong"
    assert str(both.text.error("wrong", "scale")) == "f.contract.toml:5: contract: wrong"
    assert str(both.text.error("wrong", "prototype")) == "--prototype: wrong"
    assert str(alone.text.error("wrong", "scale")) == "the command line: wrong"
    assert (both.folder, alone.folder) == (Path("there"), Path())


def test_the_last_source_counts() -> None:
    one, two = (Stated((Entry(("summary",), text), Entry((text,), 1))) for text in ("one", "two"))
    assert merge([one, two]).table == {"summary": "two", "one": 1, "two": 1}
    assert merge([two, one]).table == {"summary": "one", "one": 1, "two": 1}


@pytest.mark.parametrize("source", [header, sidecar, command_line, debug_information], ids=lambda one: one.__name__)
def test_every_source_takes_what_is_asked_for_and_may_state_nothing(source: object, tmp_path: Path) -> None:
    assert callable(source)
    (tmp_path / "f.S").write_text("f: ret\n")
    assert source(ask_one(tmp_path / "f.S", Given())) is None
