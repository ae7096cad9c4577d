"""Decoding single instructions, named one by one where operand lists commonly go wrong."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from neonlab.isa import extensions
from neonlab.isa.decode import UndecodableWord, decode, decode_word
from neonlab.isa.model.addressing import address_of, written_back
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, InstructionClass, MemoryAccess, Writeback
from neonlab.isa.model.isa import FLAGS, Isa, Register, general

SEED = 7331
MULTIPLY, NEON, INTEGER = "NEON_MULTIPLY_ACCUMULATE", "NEON_OTHER", "INTEGER"
LOAD, STORE, BRANCH, PREFETCH = "LOAD", "STORE", "BRANCH", "PREFETCH"


def names(isa: Isa, registers: tuple[Register, ...]) -> set[str]:
    return {register.name(isa) for register in registers}


# word, text, class, reads, writes, features
A64 = [
    (0x4E82A420, "smmla v0.4s, v1.16b, v2.16b", MULTIPLY, "v0 v1 v2", "v0", "i8mm"),
    (0x4E829C20, "usdot v0.4s, v1.16b, v2.16b", MULTIPLY, "v0 v1 v2", "v0", "i8mm"),
    (0x4F22F020, "sudot v0.4s, v1.16b, v2.4b[1]", MULTIPLY, "v0 v1 v2", "v0", "i8mm"),
    (0x4FB2E020, "sdot v0.4s, v1.16b, v18.4b[1]", MULTIPLY, "v0 v1 v18", "v0", "dotprod"),
    (0x6E42FC20, "bfdot v0.4s, v1.8h, v2.8h", MULTIPLY, "v0 v1 v2", "v0", "bf16"),
    (0x6F720820, "mla v0.8h, v1.8h, v2.h[7]", MULTIPLY, "v0 v1 v2", "v0", ""),
    (0x1E220820, "fmul s0, s1, s2", MULTIPLY, "v1 v2 fpsr", "v0 fpsr", ""),
    (0x4E606820, "sadalp v0.4s, v1.8h", NEON, "v0 v1", "v0", ""),
    (0x4E614820, "sqxtn2 v0.8h, v1.4s", NEON, "v0 v1", "v0 fpsr", ""),
    (0x9EAF0020, "fmov v0.d[1], x1", NEON, "x1 v0", "v0", ""),
    (0x4EA11C20, "mov v0.16b, v1.16b", NEON, "v1", "v0", ""),
    (0x0DE22C3E, "ld4 {v30.b, v31.b, v0.b, v1.b}[3], [x1], x2", LOAD, "x1 x2 v30 v31 v0 v1", "x1 v30 v31 v0 v1", ""),
    (0xF2A00061, "movk x1, #3, lsl #16", INTEGER, "x1", "x1", ""),
    (0xC8A07C22, "cas x0, x2, [x1]", LOAD, "x0 x1 x2", "x0", "lse"),
    (0x4C9F2080, "st1 {v0.16b, v1.16b, v2.16b, v3.16b}, [x4], #64", STORE, "x4 v0 v1 v2 v3", "x4", ""),
    (0xD503233F, "paciasp", INTEGER, "x30 sp", "x30", "pauth"),
    (0xD65F0BFF, "retaa", BRANCH, "x30 sp", "", "pauth"),
    (0xD503245F, "bti c", INTEGER, "", "", "bti"),
    (0xAA1F03E0, "mov x0, xzr", INTEGER, "", "x0", ""),
    (0xF81F0FFE, "str x30, [sp, #-0x10]!", STORE, "x30 sp", "sp", ""),
]  # fmt: skip
A32 = [
    (0xFCA20D44, "vusdot.s8 q0, q1, q2", MULTIPLY, "d0 d1 d2 d3 d4 d5", "d0 d1", "i8mm"),
    (0xFE820D74, "vsudot.u8 q0, q1, d4[1]", MULTIPLY, "d0 d1 d2 d3 d4", "d0 d1", "i8mm"),
    (0xFC220C44, "vsmmla.s8 q0, q1, q2", MULTIPLY, "d0 d1 d2 d3 d4 d5", "d0 d1", "i8mm"),
    (0xF292024B, "vmlal.s16 q0, d2, d3[1]", MULTIPLY, "d0 d1 d2 d3", "d0 d1", ""),
    (0xF3B20282, "vqmovn.s16 d0, q1", NEON, "d2 d3", "d0 fpscr", ""),
    (0xF3B60602, "vcvt.f16.f32 d0, q1", NEON, "d2 d3 fpscr", "d0 fpscr", "vfpv4"),
    (0xEC432A30, "vmov s1, s2, r2, r3", NEON, "r2 r3 d0 d1", "d0 d1", ""),
    (0x1EF00A41, "vmovne.f32 s1, s2", NEON, "apsr d0 d1", "d0", ""),
    (0xF4A10A4F, "vld3.32 {d0[0], d2[0], d4[0]}, [r1]", LOAD, "r1 d0 d2 d4", "d0 d2 d4", ""),
    (0xF4A10C9F, "vld1.32 {d0[]}, [r1:0x20]", LOAD, "r1", "d0", ""),
    (0x10810002, "addne r0, r1, r2", INTEGER, "apsr r0 r1 r2", "r0", ""),
    (0x18BD8010, "popne {r4, pc}", LOAD, "apsr r4 sp", "r4 sp", ""),
    (0xE6510F92, "uadd8 r0, r1, r2", INTEGER, "apsr r1 r2", "r0 apsr", ""),
    (0xE710F211, "sdiv r0, r1, r2", INTEGER, "r1 r2", "r0", "idiv"),
    (0xFA000000, "blx #0x1008", BRANCH, "", "lr", ""),
    (0xF5D1F040, "pld [r1, #0x40]", PREFETCH, "r1", "", ""),
]  # fmt: skip
CASES = [(Isa.A64, *case) for case in A64] + [(Isa.A32, *case) for case in A32]


@pytest.mark.parametrize(("isa", "word", "text", "of_class", "reads", "writes", "features"), CASES)
def test_an_instruction_has_exactly_these_operands(
    isa: Isa, word: int, text: str, of_class: str, reads: str, writes: str, features: str
) -> None:
    found = decode_word(isa, word, 0x1000)
    assert found.text == text
    assert found.instruction_class is InstructionClass[of_class]
    assert names(isa, found.reads) == set(reads.split())
    assert names(isa, found.writes) == set(writes.split())
    assert found.features == frozenset(features.split())


@pytest.mark.parametrize(
    ("isa", "word", "accesses", "writeback"),
    [
        (Isa.A64, 0x9C000003, [MemoryAccess(AccessKind.LOAD, 16, None, displacement=0x1000)], None),  # ldr q3, .
        (Isa.A32, 0xE59F0008, [MemoryAccess(AccessKind.LOAD, 4, None, displacement=0x1010)], None),  # ldr r0, [pc, #8]
        (Isa.A64, 0x4C9F2080, [MemoryAccess(AccessKind.STORE, 64, general(4))], Writeback(general(4), 64)),
        (
            Isa.A64,
            0xADBF0440,  # stp q0, q1, [x2, #-32]!
            [MemoryAccess(AccessKind.STORE, 32, general(2), displacement=-32)],
            Writeback(general(2), -32),
        ),
        (Isa.A64, 0xF8627820, [MemoryAccess(AccessKind.LOAD, 8, general(1), general(2), "lsl", 3)], None),
        (Isa.A64, 0xF9802020, [MemoryAccess(AccessKind.PREFETCH, 0, general(1), displacement=64)], None),
        (
            Isa.A64,
            0xC8A07C22,  # cas x0, x2, [x1]
            [MemoryAccess(AccessKind.LOAD, 8, general(1)), MemoryAccess(AccessKind.STORE, 8, general(1))],
            None,
        ),
        (Isa.A32, 0xF421023D, [MemoryAccess(AccessKind.LOAD, 32, general(1), alignment=32)], Writeback(general(1), 32)),
        (
            Isa.A32,
            0xF4A10BE2,  # vld4.32 {d0[1]...}, [r1:128], r2
            [MemoryAccess(AccessKind.LOAD, 16, general(1), alignment=16)],
            Writeback(general(1), register=general(2)),
        ),
        (Isa.A32, 0xF4A10C9F, [MemoryAccess(AccessKind.LOAD, 4, general(1), alignment=4)], None),
        (
            Isa.A32,
            0xE8200006,  # stmda r0!, {r1, r2}
            [MemoryAccess(AccessKind.STORE, 8, general(0), displacement=-4)],
            Writeback(general(0), -8),
        ),
        (
            Isa.A32,
            0xE7310102,  # ldr r0, [r1, -r2, lsl #2]!
            [MemoryAccess(AccessKind.LOAD, 4, general(1), general(2), "-lsl", 2)],
            Writeback(general(1), 0, general(2), "-lsl", 2),
        ),
    ],
)
def test_a_memory_operand_becomes_this_formula(
    isa: Isa, word: int, accesses: list[MemoryAccess], writeback: Writeback | None
) -> None:
    found = decode_word(isa, word, 0x1000)
    assert list(found.accesses) == accesses
    assert found.writeback == writeback


@pytest.mark.parametrize(
    ("isa", "word", "kind", "target", "condition"),
    [
        (Isa.A64, 0x14000002, BranchKind.JUMP, 0x1008, ""),
        (Isa.A64, 0x97FFFFFF, BranchKind.CALL, 0xFFC, ""),
        (Isa.A64, 0x54FFFFE1, BranchKind.CONDITIONAL, 0xFFC, "ne"),
        (Isa.A64, 0x5400004E, BranchKind.JUMP, 0x1008, ""),  # b.al
        (Isa.A64, 0xB4000041, BranchKind.CONDITIONAL, 0x1008, ""),  # cbz
        (Isa.A64, 0xD61F0020, BranchKind.INDIRECT, None, ""),
        (Isa.A64, 0xD63F0020, BranchKind.CALL, None, ""),
        (Isa.A64, 0xD65F03C0, BranchKind.RETURN, None, ""),
        (Isa.A32, 0xEA000002, BranchKind.JUMP, 0x1010, ""),
        (Isa.A32, 0x1AFFFFFE, BranchKind.CONDITIONAL, 0x1000, "ne"),
        (Isa.A32, 0x0B000000, BranchKind.CALL, 0x1008, "eq"),
        (Isa.A32, 0xE12FFF1E, BranchKind.RETURN, None, ""),  # bx lr
        (Isa.A32, 0xE1A0F00E, BranchKind.RETURN, None, ""),  # mov pc, lr
        (Isa.A32, 0xE12FFF13, BranchKind.INDIRECT, None, ""),  # bx r3
        (Isa.A32, 0xE08FF003, BranchKind.INDIRECT, None, ""),  # add pc, pc, r3
        (Isa.A32, 0x18BD8010, BranchKind.RETURN, None, "ne"),  # popne {r4, pc}
        (Isa.A32, 0xE49DF004, BranchKind.RETURN, None, ""),  # ldr pc, [sp], #4
    ],
)
def test_control_leaves_by_this_kind_of_branch(
    isa: Isa, word: int, kind: BranchKind, target: int | None, condition: str
) -> None:
    found = decode_word(isa, word, 0x1000)
    assert (found.branch, found.target, found.condition) == (kind, target, condition)


def _of_two_executions(values: dict[Register, int]) -> dict[Register, npt.NDArray[np.uint64]]:
    return {register: np.array([value, value], np.uint64) for register, value in values.items()}


@pytest.mark.parametrize(
    ("extend", "shift", "index", "expected"),
    [
        ("uxtw", 2, 0xFFFFFFFF_00000003, 0x100C),
        ("sxtw", 1, 0x1234_FFFFFFFF, 0xFFE),
        ("lsl", 4, 3, 0x1030),
        ("-lsl", 4, 3, 0xFD0),
        ("", 0, 3, 0x1003),
    ],
)
def test_an_index_is_extended_and_shifted_in_64_bits(extend: str, shift: int, index: int, expected: int) -> None:
    access = MemoryAccess(AccessKind.LOAD, 4, general(0), general(1), extend, shift)
    values = {general(0): 0x1000, general(1): index}
    assert address_of(access, Isa.A64, values.__getitem__) == expected
    assert np.all(address_of(access, Isa.A64, _of_two_executions(values).__getitem__) == np.uint64(expected))


@pytest.mark.parametrize(
    ("extend", "shift", "index", "expected"),
    [
        ("lsr", 32, 0xFFFFFFFF, 0x1000),
        ("asr", 32, 0x80000000, 0xFFF),
        ("asr", 4, 0xFFFFFF00, 0xFF0),
        ("ror", 4, 0x00000013, 0x30001001),
        ("rrx", 1, 0x00000011, 0x80001008),
        ("-lsr", 4, 0x30, 0xFFD),
    ],
)
def test_an_index_is_shifted_in_32_bits(extend: str, shift: int, index: int, expected: int) -> None:
    values = {general(0): 0x1000, general(1): index, FLAGS: 1 << 29}
    access = MemoryAccess(AccessKind.LOAD, 4, general(0), general(1), extend, shift)
    assert address_of(access, Isa.A32, values.__getitem__) == expected
    assert np.all(address_of(access, Isa.A32, _of_two_executions(values).__getitem__) == np.uint64(expected))
    writeback = Writeback(general(0), 0, general(1), extend, shift)
    assert written_back(writeback, Isa.A32, values.__getitem__) == expected


@pytest.mark.parametrize("isa", Isa)
def test_decode_gives_one_instruction_a_word_at_rising_addresses(isa: Isa) -> None:
    nop = 0xD503201F if isa is Isa.A64 else 0xE320F000
    found = decode(isa, nop.to_bytes(4, "little") * 3, 0x8000)
    assert [(one.address, one.mnemonic, one.size) for one in found] == [(0x8000 + 4 * i, "nop", 4) for i in range(3)]


def test_bytes_left_over_are_refused_by_address() -> None:
    with pytest.raises(UndecodableWord, match="0x1004"):
        decode(Isa.A64, (0xD503201F).to_bytes(4, "little") + b"\x00\x01", 0x1000)


@pytest.mark.parametrize("isa", Isa)
def test_a_word_that_is_no_instruction_is_refused_by_address_and_value(isa: Isa) -> None:
    with pytest.raises(UndecodableWord, match=r"0x2000.*0xffffffff") as caught:
        decode_word(isa, 0xFFFFFFFF, 0x2000)
    assert (caught.value.address, caught.value.word) == (0x2000, 0xFFFFFFFF)


def check_consistent(instruction: Instruction) -> None:
    assert list(instruction.reads) == sorted(set(instruction.reads))
    assert list(instruction.writes) == sorted(set(instruction.writes))
    pc = general(15) if instruction.isa is Isa.A32 else None
    assert pc not in instruction.reads + instruction.writes
    for access in instruction.accesses:
        assert access.base is None or access.base in instruction.reads
        assert access.index is None or access.index in instruction.reads
        assert (access.count == 0) is (access.kind is AccessKind.PREFETCH)
    if instruction.writeback is not None:
        assert instruction.writeback.base in instruction.writes
        assert instruction.writeback.base in instruction.reads
    if instruction.target is not None:
        assert instruction.branch in (BranchKind.JUMP, BranchKind.CONDITIONAL, BranchKind.CALL)
        assert instruction.target % 4 == 0 or instruction.mnemonic == "blx"
    if instruction.condition and instruction.isa is Isa.A32:
        assert FLAGS in instruction.reads


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", Isa)
def test_random_words_decode_consistently_or_are_refused(isa: Isa) -> None:
    print(f"seed {SEED}")
    rng, decoded = random.Random(SEED), 0
    for _ in range(1 << 15):
        word = rng.getrandbits(32)
        try:
            instruction = decode_word(isa, word, 0x4000)
        except UndecodableWord:
            continue
        check_consistent(instruction)
        decoded += 1
        moved = decode_word(isa, word, 0x8004)
        if instruction.target is None and all(access.base is not None for access in instruction.accesses):
            fields: dict[str, Any] = {"address": 0, "operands": ""}  # the text of adr names an address
            assert dataclasses.replace(moved, **fields) == dataclasses.replace(instruction, **fields)
    assert decoded > 9_000


@pytest.mark.parametrize("isa", Isa)
def test_every_encoding_of_our_own_is_decoded_with_the_feature_it_needs(isa: Isa) -> None:
    print(f"seed {SEED}")
    rng, decoded = random.Random(SEED), 0
    for row in extensions.table(isa).rows:
        for _ in range(20):
            word = row.value | rng.getrandbits(32) & ~row.mask
            feature = extensions.feature(isa, word)
            try:
                instruction = decode_word(isa, word, 0x4000)
            except UndecodableWord:  # pc as a destination, odd q registers
                continue
            check_consistent(instruction)
            decoded += 1
            if feature in {"dotprod", "i8mm", "rdm", "fp16", "bf16", "armv8", "bti", "pauth", "lse", "crc"}:
                assert feature in instruction.features, instruction
    assert decoded > 500
