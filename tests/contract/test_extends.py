"""A contract that extends another: what it takes from it, and how each mistake in either is answered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neonlab import check, open_kernel
from neonlab.contract.header import Contract, read_contract
from neonlab.errors import ContractError
from neonlab.lab.watch.questions import WatchedFile, digest
from neonlab.verify.verdict import Status

WHOLE = """/*toml
summary   = "c = a * b"
prototype = "void (const int8_t *a, int32_t *c, size_t k, const int32_t *shifts)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 16
modular   = ["add"]
[args]
a = { reg = "x0", read = "k", range = [-127, 127] }
c = { reg = "x1", write = "4*k", layout = "row" }
k = { reg = "x2", range = [16, 4096], step = 16 }
shifts = { reg = "x3", read = "4" }
[counts]
macs = "k"
*/
"""
BASE = WHOLE.replace('summary   = "c = a * b"\n', "").replace("stack     = 16\n", "stack     = 32\n")
VARIANT = """// a comment first is fine
/*toml
extends   = "family.inc"
summary   = "c = a * b"
stack     = 16
*/
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "family.inc").write_text(BASE)
    (tmp_path / "mul.S").write_text(VARIANT)
    return tmp_path


def contract_in(path: Path) -> Contract:
    contract = read_contract(path)
    assert contract is not None
    return contract


def test_what_is_not_said_is_taken_from_the_other_and_what_is_said_counts(folder: Path) -> None:
    (folder / "whole.S").write_text(WHOLE)
    whole, made = contract_in(folder / "whole.S"), contract_in(folder / "mul.S")
    assert (made.name, made.path, made.line) == ("mul", str(folder / "mul.S"), 2)
    assert replace(made, path=whole.path, line=whole.line) == whole


def test_entries_of_a_table_are_taken_one_by_one(folder: Path) -> None:
    (folder / "mul.S").write_text(VARIANT.replace("*/", "[args]\nk = { range = [32, 64] }\na.over_read = 8\n*/"))
    made = contract_in(folder / "mul.S")
    assert (made.argument("k").value_range, made.argument("k").step, made.argument("a").over_read) == ((32, 64), 16, 8)


def test_an_argument_that_its_own_prototype_does_not_have_is_left_out(folder: Path) -> None:
    prototype = 'prototype = "void (const int8_t *a, int32_t *c, size_t k, const float *scales)"\n'
    more = f'{prototype}[args]\nscales = {{ reg = "x3", read = "4" }}\n*/'
    (folder / "mul.S").write_text(VARIANT.replace("*/", more))
    assert [argument.name for argument in contract_in(folder / "mul.S").arguments] == ["a", "c", "k", "scales"]
    (folder / "mul.S").write_text(VARIANT.replace("*/", more.replace("*/", "shifts = { range = [0, 1] }\n*/")))
    with pytest.raises(ContractError, match=r"mul\.S:9: contract: .*`shifts`"):
        read_contract(folder / "mul.S")


def test_the_other_may_extend_a_third_in_another_folder(folder: Path) -> None:
    (folder / "shared").mkdir()
    (folder / "family.inc").rename(folder / "shared" / "root.inc")
    (folder / "family.inc").write_text('/*toml\nextends = "shared/root.inc"\nmodular = []\n*/\n')
    assert contract_in(folder / "mul.S").modular == () and contract_in(folder / "mul.S").stack == 16


def wrong(folder: Path) -> str:
    with pytest.raises(ContractError) as caught:
        read_contract(folder / "mul.S")
    return str(caught.value)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ('"famly.inc"', "famly.inc: no such file"),
        ('"."', "a folder, where a file is expected"),
        ('""', "is the name of a file with a contract"),
        ("1", "is the name of a file with a contract"),
        ('"plain.inc"', "plain.inc has no contract"),
        ('"mul.S"', "in a circle: mul.S -> mul.S"),
    ],
)
def test_a_file_that_cannot_be_extended_is_refused_where_it_is_named(folder: Path, named: str, words: str) -> None:
    (folder / "plain.inc").write_text("// no contract\n")
    (folder / "mul.S").write_text(VARIANT.replace('"family.inc"', named))
    message = wrong(folder)
    assert message.startswith(f"{folder / 'mul.S'}:3: contract: extends") and words in message, message


def test_a_circle_is_refused_where_it_closes(folder: Path) -> None:
    (folder / "family.inc").write_text('/*toml\nextends = "other.inc"\n*/\n')
    (folder / "other.inc").write_text('/*toml\n\nextends = "family.inc"\n*/\n')
    message = wrong(folder)
    assert message.startswith(f"{folder / 'other.inc'}:3: ")
    assert message.endswith("in a circle: family.inc -> other.inc -> family.inc")


def test_a_chain_without_end_is_refused(folder: Path) -> None:
    for number in range(20):
        (folder / f"{number}.inc").write_text(f'/*toml\nextends = "{number + 1}.inc"\n*/\n')
    (folder / "mul.S").write_text(VARIANT.replace("family", "0"))
    assert "more than 16 contracts extend one another" in wrong(folder)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('reg = "x0"', 'reg = "x3"', 7, "arrives in x0"),
        ('"neon", "dotprod"', '"neon", "dotprd"', 3, "did you mean `dotprod`"),
        ("step = 16", "stop = 16", 9, "did you mean `step`"),
        ("stack     = 32", "stck = 32", 4, "did you mean `stack`"),
        ("stack     = 32", "stack = = 32", 4, "not TOML"),
        ("stack     = 32", 'symbol = "other"', 4, "`symbol` is about one file"),
        ("stack     = 32", 'build = { define = ["A"] }', 4, "`build` is about one file"),
        ('["add"]', '["lines:3-4"]', 5, "`modular` names lines of one file"),
        ("stack     = 32", 'accept = { fault = "oob-read", line = 4, why = "padded" }', 4, "`accept` names lines"),
        ("*/", "", 1, "no `*/` closes it"),
    ],
)
def test_a_mistake_in_the_other_is_refused_at_its_line_there(
    folder: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in BASE
    (folder / "family.inc").write_text(BASE.replace(old, new))
    message = wrong(folder)
    assert message.startswith(f"{folder / 'family.inc'}:{line}:") and words in message, message


@pytest.mark.parametrize(
    ("more", "line", "words"),
    [("stck = 1\n", 6, "did you mean `stack`"), ('[args]\na.reg = "x3"\n', 7, "arrives in x0")],
)
def test_a_mistake_of_its_own_is_refused_at_its_own_line(folder: Path, more: str, line: int, words: str) -> None:
    (folder / "mul.S").write_text(VARIANT.replace("*/", f"{more}*/"))
    message = wrong(folder)
    assert message.startswith(f"{folder / 'mul.S'}:{line}:") and words in message, message


FILL = """
    .text
    .global fill
fill:
    movi    v0.16b, #7
    str     q0, [x0]
    ret
"""


def test_a_contract_beside_the_code_may_extend_one_and_a_new_text_of_that_counts(tmp_path: Path) -> None:
    (tmp_path / "fill.S").write_text(FILL)
    shared = tmp_path / "sixteen.toml"
    shared.write_text('isa = ["armv8-a", "neon"]\nreference = "none"\n[args]\nout.write = "16"\n')
    beside = tmp_path / "fill.contract.toml"
    beside.write_text('extends = "sixteen.toml"\nprototype = "void fill(uint8_t *out)"\n')
    kernel = open_kernel(tmp_path / "fill.S")
    assert check(kernel).status is Status.RAN
    before = digest(WatchedFile(kernel.path), 1)
    shared.write_text(shared.read_text().replace("16", "15"))
    assert digest(WatchedFile(kernel.path), 2) != before
    assert check(open_kernel(tmp_path / "fill.S")).status is Status.WRONG
