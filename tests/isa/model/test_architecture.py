"""Architecture names, and the features that decoder and contracts speak of."""

from __future__ import annotations

import pytest

from neonlab.isa.decode import decode_word
from neonlab.isa.model.architecture import FEATURES, architecture_features
from neonlab.isa.model.isa import Isa


@pytest.mark.parametrize(
    ("name", "isa", "has", "lacks"),
    [
        ("armv7-a", Isa.A32, set(), {"neon", "idiv", "armv8"}),
        ("armv7ve", Isa.A32, {"idiv", "vfpv4"}, {"armv8"}),
        ("armv8-a", Isa.A64, {"neon", "armv8"}, {"rdm", "dotprod"}),
        ("armv8.2-a", Isa.A64, {"rdm", "lse"}, {"dotprod", "fp16"}),
        ("armv8.4-a", Isa.A64, {"dotprod"}, {"i8mm"}),
        ("armv8.6-a", Isa.A64, {"i8mm", "bf16"}, {"mte"}),
        ("armv9-a", Isa.A64, {"dotprod", "bti"}, {"i8mm"}),
        ("armv9.1-a", Isa.A64, {"i8mm"}, set()),
    ],
)
def test_a_version_implies_what_it_makes_mandatory(name: str, isa: Isa, has: set[str], lacks: set[str]) -> None:
    found_isa, features = architecture_features(name)
    assert found_isa is isa and has <= features and not lacks & features and features <= FEATURES


@pytest.mark.parametrize("name", ["", "arm", "armv6-a", "armv8", "armv8.x-a", "ARMv8-A", "armv10-a"])
def test_what_is_no_such_architecture_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="architecture such as"):
        architecture_features(name)


@pytest.mark.parametrize(
    ("isa", "word"),
    [
        (Isa.A64, 0x4E829420),  # sdot
        (Isa.A64, 0x4E82A420),  # smmla
        (Isa.A64, 0x6E828420),  # sqrdmlah
        (Isa.A64, 0x4EC21420),  # fadd v0.8h
        (Isa.A32, 0xEEA00A01),  # vfma.f32
        (Isa.A32, 0xE710F211),  # sdiv
        (Isa.A32, 0xFC220D44),  # vsdot
    ],
)
def test_what_the_decoder_asks_for_a_contract_can_declare(isa: Isa, word: int) -> None:
    features = decode_word(isa, word, 0).features
    assert features and features <= FEATURES
