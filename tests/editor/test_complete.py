"""What an editor offers to complete a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.editor.complete import Kind, Offer, offers
from neonlab.isa.model.isa import Isa

TEXT = """#include "tile.inc"
#define STEP 16
#define LOADS(row) ld1 {v0.16b}, [row]
weights .req x4                     // [in][out]
acc0    .req v16
    .set rows, 8
    .macro dot sum, a, b
    smlal   \\sum\\().8h, \\a\\().8b, \\b\\().8b
    .endm
kernel:
    subs    x3, x3, #1
    {}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "tile.inc").write_text("inputs .req x5 // rows\n.macro store4 from\n.endm\n")
    return tmp_path / "armv8" / ".." / "kernel.S"


def offered(typed: str, path: Path, isa: Isa = Isa.A64) -> list[Offer]:
    text = TEXT.replace("{}", typed)
    return offers(text, text.split("\n").index(f"    {typed}") + 1, 4 + len(typed), path, isa)


@pytest.mark.parametrize(
    ("typed", "kind", "words"),
    [
        ("smlal2", Kind.MNEMONIC, ["smlal2"]),
        ("b.n", Kind.MNEMONIC, ["b.ne"]),
        ("whilel", Kind.MNEMONIC, []),  # of SVE, which cannot be assembled
        ("ld1r", Kind.MNEMONIC, ["ld1r"]),  # and none of `ld1rb`, `ld1rqw` and others of SVE
        ("do", Kind.MACRO, ["dot"]),
        ("1: sto", Kind.MACRO, ["store4"]),
        ("ld1 {v0.16b}, [wei", Kind.REGISTER, ["weights"]),
        ("ldr q0, [in", Kind.REGISTER, ["inputs"]),
        ("mov x0, #ST", Kind.REGISTER, ["STEP"]),
        ("mov x0, #ro", Kind.CONSTANT, ["rows"]),
        ("b.ne ker", Kind.LABEL, ["kernel"]),
    ],
)
def test_a_word_is_completed_by_what_can_stand_there(typed: str, kind: Kind, words: list[str], path: Path) -> None:
    assert [one.word for one in offered(typed, path) if one.kind is kind] == words


def test_registers_are_told_by_their_role_and_macros_by_their_parameters(path: Path) -> None:
    assert offered("mov x0, wei", path)[0].told == "x4: [in][out]"
    assert offered("dot", path)[0].told == "sum, a, b"


def test_mnemonics_are_those_of_the_instruction_set(path: Path) -> None:
    assert [one.word for one in offered("vmla", path)] == []
    assert "vmlal" in {one.word for one in offered("vmla", path, Isa.A32)}


@pytest.mark.parametrize("typed", ["// sm", "/* sm"])
def test_nothing_is_offered_in_a_comment(typed: str, path: Path) -> None:
    assert not offered(typed, path)


def test_files_are_included_from_the_folders_that_are_given(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "shared"
    elsewhere.mkdir()
    (elsewhere / "sums.inc").write_text(".macro sum_across to\n.endm\n")
    text = '#include "sums.inc"\n    sum_'
    assert offers(text, 2, 8, path, Isa.A64) == []
    assert [one.word for one in offers(text, 2, 8, path, Isa.A64, [elsewhere])] == ["sum_across"]


def test_arguments_of_a_contract_are_no_constants_of_the_code(path: Path) -> None:
    text = '/*toml\n[args]\nweights = { reg = "x4" }\n*/\nweights .req x4\nwords = 3\n    ldr q0, [w'
    assert offers(text, 7, 14, path, Isa.A64) == [
        Offer("weights", Kind.REGISTER, "x4"),
        Offer("words", Kind.CONSTANT, "3"),
    ]
