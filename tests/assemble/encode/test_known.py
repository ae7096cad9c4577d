"""Which mnemonics are offered: all that are assembled, and none of an extension that the lab does not have."""

from __future__ import annotations

import pytest
from tests.assemble.text.test_scalable import SVE, name_of
from tests.statements import corpus

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement, EncodingError
from neonlab.assemble.encode.known import assembled_mnemonics
from neonlab.isa.model.isa import Isa
from neonlab.isa.vocabulary import is_known, mnemonics

#: Of SVE, SME, memory tagging, copies in memory, transactions, and names that NEON has too.
BEYOND = ("whilelo", "ld1b", "smopa", "addg", "cpyfp", "tstart")
OTHERS = {"beq", "bcs", "bhs", "blo", "b.al", "b.none"}  # spellings of `b.eq` and others that are taken, not offered
OF_BOTH = {"add", "ld1", "st1", "sdot", "tbl", "zip1", "uzp2", "cnt", "ext", "dup", "mov"}


def names_of_corpus(isa: Isa) -> set[str]:
    return {text.split()[0].lower() for text in corpus(isa)}


def test_every_instruction_of_the_corpus_is_offered() -> None:
    names = names_of_corpus(Isa.A64) - OTHERS
    assert names - assembled_mnemonics(Isa.A64) == set()
    assert len(names) > 300


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_branches_are_offered_with_their_conditions(isa: Isa) -> None:
    dot = "." if isa is Isa.A64 else ""
    found = {f"b{dot}{one}" for one in ("eq", "ne", "lo", "hs", "cs", "le")}
    assert found <= assembled_mnemonics(isa)
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(f"{name} 0x1040", 0x1000) for name in sorted(found)])
    assert all(isinstance(word, int) for word in words), words


def test_what_only_other_extensions_have_is_not_offered() -> None:
    offered = assembled_mnemonics(Isa.A64)
    alone = {name_of(line) for line in SVE.splitlines()} - names_of_corpus(Isa.A64)
    assert offered & alone == set() and len(alone) > 30, offered & alone
    assert not offered.intersection(BEYOND) and offered >= OF_BOTH
    assert set(BEYOND) < mnemonics(Isa.A64)


@pytest.mark.parametrize("name", [name for name in BEYOND if name != "smopa"])
def test_an_instruction_of_another_extension_is_refused_by_name(name: str) -> None:
    with Encoder(Isa.A64) as encoder:
        told = encoder.encode([EncoderStatement(f"{name} x0, x1, x2", 0)])[0]
    assert told == EncodingError(f"`{name}` is of an extension of A64 that the lab does not have")


def test_the_name_that_was_meant_is_one_that_can_be_assembled() -> None:
    with Encoder(Isa.A64) as encoder:
        told = encoder.encode([EncoderStatement(f"{name} v0.16b, v1.16b", 0) for name in ("ld1bb", "ptruee", "sqabbs")])
    for one in told:
        assert isinstance(one, EncodingError)
        meant = one.hint.removeprefix("did you mean `").removesuffix("`?")
        assert not one.hint or (is_known(Isa.A64, meant) and meant in assembled_mnemonics(Isa.A64)), one
    assert "sqabs" in str(told[2])
