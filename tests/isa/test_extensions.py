from __future__ import annotations

import random
import re
from pathlib import Path

import capstone
import pytest
from tests.statements import BASE, gnu_words, objdump_texts

from neonlab.isa import extensions
from neonlab.isa.encoding.pattern import Row, expand_float8, modified_immediate
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback.lower import lower

both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
SEED = 1977
# objdump shows asr #32 as asr #0, and floating-point constants encoded.
_SHOWN_OTHERWISE = r"asr #32|^vmov\w*\.f16 s\d+, #"
_NOT_IN_GNU_AS = r"\b(pc|sp)\b|^hint|^vcvt\w*\.(f16\.[su]16|[su]16\.f16) s|^stlex\w* (r\d+), .*\b\3\b"


def samples(row: Row, chance: random.Random, count: int) -> list[int]:
    """Words of `row`, its fields random; fewer when most of its words are reserved."""
    words = []
    for _ in range(20 * count):
        word = row.value | chance.getrandbits(32) & ~row.mask
        if row.decode(word) is not None:
            words.append(word)
        if len(words) == count:
            break
    return words


def sampled_rows(isa: Isa, count: int) -> list[tuple[Row, int]]:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    table = extensions.table(isa)
    # Of two rows that share a word, only the first is ever met.
    pairs = [(row, word) for row in table.rows for word in samples(row, chance, count)]
    return [(row, word) for row, word in pairs if (found := table.find(word)) is not None and found[0] is row]


@both
def test_every_row_reads_what_it_writes(isa: Isa) -> None:
    met = set()
    for row, word in sampled_rows(isa, 12):
        decoded = extensions.decode(isa, word, BASE)
        assert decoded is not None
        assert extensions.encode(isa, " ".join(decoded), BASE) == word, decoded
        if row.mnemonic_template != "hint":
            assert extensions.feature(isa, word) == row.feature
        met.add(row)
    assert [row.syntax for row in extensions.table(isa).rows if row not in met] == []


@both
def test_every_row_is_what_gnu_as_and_objdump_know(isa: Isa, tmp_path: Path) -> None:
    read = {" ".join(row.decode(word) or ()): word for row, word in sampled_rows(isa, 8)}
    # GNU as takes pc and sp only where the architecture makes sense of them, and lacks A32 hints by number and the
    # conversions between half precision and 16-bit fixed point in s registers.
    texts = [text for text in read if isa is Isa.A64 or not re.search(_NOT_IN_GNU_AS, text)]
    words = [read[text] for text in texts]
    assert gnu_words(isa, texts, tmp_path) == words
    for text, shown in zip(texts, objdump_texts(isa, words, tmp_path), strict=True):
        if not re.search("UNPREDICTABLE|undefined", shown) and not re.search(_SHOWN_OTHERWISE, text):
            assert lower(isa, shown, BASE) == lower(isa, text, BASE)


@both
def test_capstone_where_it_knows_the_word_reads_the_same(isa: Isa) -> None:
    if isa is Isa.A64:
        engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    else:
        engine = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM | capstone.CS_MODE_V8)
    read = 0
    for row, word in sampled_rows(isa, 6):
        data = word.to_bytes(4, "little")
        for _, _, mnemonic, operands in engine.disasm_lite(data, BASE, 1):
            if "asr #32" in row.operands_template:
                continue  # Capstone leaves this shift out
            read += 1
            decoded = " ".join(row.decode(word) or ())
            assert lower(isa, f"{mnemonic} {operands}", BASE) == lower(isa, decoded, BASE)
    assert read > 300


@pytest.mark.parametrize(
    ("isa", "text", "word", "feature"),
    [
        (Isa.A64, "sdot v0.4s, v1.16b, v2.4b[3]", 0x4FA2E820, "dotprod"),
        (Isa.A64, "udot v0.2s, v1.8b, v2.8b", 0x2E829420, "dotprod"),
        (Isa.A64, "usdot v3.4s, v4.16b, v5.16b", 0x4E859C83, "i8mm"),
        (Isa.A64, "smmla v0.4s, v1.16b, v2.16b", 0x4E82A420, "i8mm"),
        (Isa.A64, "sqrdmlah v0.8h, v1.8h, v15.h[7]", 0x6F7FD820, "rdm"),
        (Isa.A64, "fadd v0.8h, v1.8h, v2.8h", 0x4E421420, "fp16"),
        (Isa.A64, "fmlal v0.4s, v1.4h, v2.4h", 0x4E22EC20, "fp16fml"),
        (Isa.A64, "ldadd w0, w1, [x2]", 0xB8200041, "lse"),
        (Isa.A64, "stadd w0, [x2]", 0xB820005F, "lse"),
        (Isa.A64, "ldapr x0, [x1]", 0xF8BFC020, "rcpc"),
        (Isa.A64, "bti c", 0xD503245F, "bti"),
        (Isa.A64, "paciasp", 0xD503233F, "pauth"),
        (Isa.A64, "nop", 0xD503201F, ""),
        (Isa.A32, "vsdot.s8 q0, q1, d4[0]", 0xFE220D44, "dotprod"),
        (Isa.A32, "vusmmla.s8 q0, q1, q2", 0xFCA20C44, "i8mm"),
        (Isa.A32, "vqrdmlah.s16 q0, q1, d2[3]", 0xF3920E6A, "rdm"),
        (Isa.A32, "vaddeq.f16 s0, s1, s2", 0x0E300981, "fp16"),
        (Isa.A32, "vmaxnm.f32 q0, q1, q2", 0xF3020F54, "armv8"),
        (Isa.A32, "crc32b r0, r1, r2", 0xE1010042, "crc"),
        (Isa.A32, "mov r0, #255", 0xE3A000FF, ""),
    ],
)
def test_an_instruction_is_known_with_the_feature_it_needs(isa: Isa, text: str, word: int, feature: str) -> None:
    assert extensions.encode(isa, text, 0) == word
    assert extensions.feature(isa, word) == feature


@pytest.mark.parametrize(
    "text", ["add x0, x1, x2", "sdot v0.4s, v1.16b", "sdot v0.4s, v1.8b, v2.8b", "", "sdot v32.4s"]
)
def test_what_the_tables_do_not_have_is_none(text: str) -> None:
    assert extensions.encode(Isa.A64, text, 0) is None


@pytest.mark.parametrize("index", range(4))
def test_a_dot_product_by_element_keeps_index_and_register_apart(index: int) -> None:
    words = {extensions.encode(Isa.A64, f"sdot v0.4s, v1.16b, v{register}.4b[{index}]", 0) for register in range(32)}
    assert None not in words
    assert len(words) == 32
    assert extensions.encode(Isa.A64, "sdot v0.4s, v1.16b, v2.4b[4]", 0) is None


@pytest.mark.parametrize("offset", [-(1 << 20), -5, -1, 0, 1, 4, 4095, (1 << 20) - 1])
def test_adr_reaches_a_mebibyte_either_way(offset: int, tmp_path: Path) -> None:
    word = extensions.encode(Isa.A64, f"adr x7, {(1 << 22) + offset}", 1 << 22)
    assert word == gnu_words(Isa.A64, [f"adr x7, .{offset:+d}"], tmp_path)[0]
    assert extensions.encode(Isa.A64, f"adr x7, {(1 << 22) + (1 << 20)}", 1 << 22) is None


def test_modified_immediates_are_those_that_some_rotation_of_a_byte_gives() -> None:
    by_brute_force: dict[int, int] = {}
    for rotation in range(16):
        for constant in range(256):
            value = (constant >> 2 * rotation | constant << 32 - 2 * rotation) & 0xFFFFFFFF
            by_brute_force.setdefault(value, rotation << 8 | constant)
    assert {value: modified_immediate(value) for value in by_brute_force} == by_brute_force
    chance = random.Random(SEED)
    for value in (chance.getrandbits(32) for _ in range(2000)):
        assert modified_immediate(value) == by_brute_force.get(value)


def test_short_floats_are_n_sixteenths_times_a_power_of_two() -> None:
    expected = {sign * n / 16 * 2.0**exponent for sign in (1, -1) for n in range(16, 32) for exponent in range(-3, 5)}
    assert {expand_float8(imm8) for imm8 in range(256)} == expected
    assert expand_float8(0x70) == 1.0
