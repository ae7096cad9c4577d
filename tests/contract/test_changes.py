"""Contracts that promise something else are told apart, entry by entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.contract.changes import changed_entries
from neonlab.contract.header import parse_contract
from neonlab.contract.model import Contract

TEXT = """\
/*toml
prototype = "void (const int8_t *a, int8_t *out, size_t n)"
isa = ["armv8.0-a", "neon"]
summary = "copies"
[args]
a = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n = { reg = "x2", range = [1, 64] }
*/
"""


def contract(text: str, path: str = "copy.S") -> Contract:
    found = parse_contract(text, path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("old", "new", "entries"),
    [
        ("", "", ()),
        ('summary = "copies"', 'summary = "other words"', ()),
        ("range = [1, 64]", "range = [1, 65]", ("args.n.value_range",)),
        ('read = "n"', 'read = "n + 1"', ("args.a.read",)),
        ('read = "n" }', 'read = "n", align = 16 }', ("args.a.align",)),
        ("[args]", "stack = 16\n[args]", ("stack", "declares_stack")),
        ("*out, size_t n", "*out, size_t m", ("prototype", "args.n", "args.m")),
    ],
)
def test_an_entry_that_differs_is_named(old: str, new: str, entries: tuple[str, ...]) -> None:
    text = TEXT.replace(old, new) if old else TEXT
    if "size_t m" in text:
        text = text.replace('"n"', '"m"').replace("n = {", "m = {")
        entries = ("prototype", "args.a.read", "args.out.write", "args.n", "args.m")
    found = changed_entries(contract(TEXT), contract(text, str(Path("elsewhere") / "copy.S")))
    assert sorted(found) == sorted(entries)
