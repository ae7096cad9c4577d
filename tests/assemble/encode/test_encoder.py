from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest
from tests.statements import corpus, gnu_words, placed

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement, EncodingError
from neonlab.assemble.encode.keystone_process import KeystoneProcess, shared_process
from neonlab.isa.agreement import same_instruction
from neonlab.isa.model.isa import Isa

both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
GOOD = {Isa.A64: ("add x0, x1, x2", 0x8B020020), Isa.A32: ("add r0, r1, r2", 0xE0810002)}


def encode(isa: Isa, *texts: str, address: int = 0x1000) -> list[int | EncodingError]:
    with Encoder(isa) as encoder:
        return encoder.encode([EncoderStatement(text, address) for text in texts])


def encode_one(isa: Isa, text: str, address: int = 0x1000) -> int | EncodingError:
    return encode(isa, text, address=address)[0]


@both
def test_every_statement_of_the_corpus_is_the_word_that_gnu_as_writes(isa: Isa, tmp_path: Path) -> None:
    texts = corpus(isa)
    assert len(set(texts)) == len(texts) >= 1200
    statements = placed(texts)
    with Encoder(isa) as encoder:
        ours = encoder.encode(statements)
    wanted = gnu_words(isa, texts, tmp_path)
    different = [
        (text, f"{want:08x}", got if isinstance(got, EncodingError) else f"{got:08x}")
        for text, want, got in zip(texts, wanted, ours, strict=True)
        if want != got
    ]
    assert different == []
    for statement, word in zip(statements, wanted, strict=True):
        assert same_instruction(isa, statement.text, statement.address, word) is None


# What the three columns say: as written, as it could be written too, and GNU as takes both for the same word.
@pytest.mark.parametrize(
    ("isa", "text", "plain"),
    [
        (Isa.A64, "fmla v0.4s, v1.4s, v2.4s[1]", "fmla v0.4s, v1.4s, v2.s[1]"),
        (Isa.A64, "dup v0.16b, v1.16b[3]", "dup v0.16b, v1.b[3]"),
        (Isa.A64, "add x0, x0, #-16", "sub x0, x0, #16"),
        (Isa.A64, "cmp w0, #-1", "cmn w0, #1"),
        (Isa.A64, "bic w0, w1, #3", "and w0, w1, #0xfffffffc"),
        (Isa.A64, "mov x0, #0xffffffffffff0000", "movn x0, #0xffff"),
        (Isa.A64, "mov w0, #0xff00ff00", "orr w0, wzr, #0xff00ff00"),
        (Isa.A64, "uxtw x0, w1", "mov w0, w1"),
        (Isa.A64, "ldr x0, [x1, #-8]", "ldur x0, [x1, #-8]"),
        (Isa.A64, "ADD\tX0 , X1,X2 , LSL 3", "add x0, x1, x2, lsl #3"),
        (Isa.A64, "ld1 {v30.8h - v1.8h}, [sp], 64", "ld1 {v30.8h, v31.8h, v0.8h, v1.8h}, [sp], #64"),
        (Isa.A64, "movi v0.16b, #-1", "movi v0.16b, #255"),
        (Isa.A64, "mov x29, lr", "mov x29, x30"),
        (Isa.A64, "bhs 0x1040", "b.cs 0x1040"),
        (Isa.A32, "and r0, r1, #0xfffffffc", "bic r0, r1, #3"),
        (Isa.A32, "mov r0, #0x1234", "movw r0, #0x1234"),
        (Isa.A32, "mov r0, #-2", "mvn r0, #1"),
        (Isa.A32, "sub r0, #-16", "add r0, r0, #16"),
        (Isa.A32, "ldreqb r0, [r1]", "ldrbeq r0, [r1]"),
        (Isa.A32, "addeqs r0, r1, r2", "addseq r0, r1, r2"),
        (Isa.A32, "push {r4}", "str r4, [sp, #-4]!"),
        (Isa.A32, "push {lr, r4}", "stmfd sp!, {r4, r14}"),
        (Isa.A32, "vpush {q4-q7}", "vstmdb sp!, {d8-d15}"),
        (Isa.A32, "vld1.8 {q0, q1}, [r0,:128]!", "vld1.u8 {d0-d3}, [r0 :128]!"),
        (Isa.A32, "vorr.i32 q0, q0, #0xff00", "vorr.i32 q0, #0xff00"),
        (Isa.A32, "vmov.i32 q0, #0xffffff00", "vmvn.i32 q0, #0xff"),
        (Isa.A32, "vcle.s8 q0, q1, q2", "vcge.s8 q0, q2, q1"),
        (Isa.A32, "vadd.s8 q0, q1", "vadd.i8 q0, q0, q1"),
        (Isa.A32, "vext.32 q0, q1, q2, #1", "vext.8 q0, q1, q2, #4"),
        (Isa.A32, "fmacs s0, s1, s2", "vmla.f32 s0, s1, s2"),
        (Isa.A32, "ldrd r4, [r0], #8", "ldrd r4, r5, [r0], #8"),
        (Isa.A32, "adr r0, 0xf00", "sub r0, pc, #0x108"),
        (Isa.A32, "lsl r0, r0, r1", "mov r0, r0, lsl r1"),
    ],
)
def test_two_ways_to_write_an_instruction_give_one_word(isa: Isa, text: str, plain: str) -> None:
    first, second = encode(isa, text, plain)
    assert isinstance(first, int)
    assert first == second


@pytest.mark.parametrize(
    ("isa", "text", "said"),
    [
        (Isa.A64, "add x0, x1,", "missing"),
        (Isa.A64, "mov x0 x1", "1 operand, where 2"),
        (Isa.A64, "add v0.4s, v1.4s, v2.4b[1]", "`add`"),
        (Isa.A64, "ldr x0, [x1", "`]` is missing"),
        (Isa.A64, "mov x0, #0x12345678", "one instruction"),
        (Isa.A64, "b 0x10001000", "out of reach"),
        (Isa.A64, "mov w0, v1.b[1]", "umov"),
        (Isa.A64, "fmov s0, #0.0", "reads back"),
        (Isa.A64, "lsl w0, w1, #32", "shift by 32"),
        (
            Isa.A64,
            "bics x2, x2, #3",
            "takes a register, not a constant; write `ands` with the constant `#0xfffffffffffffffc`",
        ),
        (Isa.A64, "orn w2, w2, #3", "takes a register, not a constant; write `orr` with the constant `#0xfffffffc`"),
        (Isa.A64, "eon x2, x2, #3", "takes a register, not a constant"),
        (Isa.A64, "ldr x0, =foo", "'='"),
        (Isa.A64, "", "not an instruction"),
        (Isa.A64, "   ", "not an instruction"),
        (Isa.A64, "add x0, x1, #:lo12:foo", "number"),
        (Isa.A32, "vld1.8 {d0[]-d1[]}, [r0]", "one by one"),
        (Isa.A32, "mov r0, #0x12345678", "rotated"),
        (Isa.A32, "vmov.i8 d0, #-1", "8 bits"),
        (Isa.A32, "orr r0, r1, #-2", "rotated"),
        (Isa.A32, "bl 0x10000000", "out of reach"),
    ],
)
def test_a_wrong_statement_is_refused_and_the_reason_said(isa: Isa, text: str, said: str) -> None:
    outcome = encode_one(isa, text)
    assert isinstance(outcome, EncodingError)
    assert said in outcome.message


@pytest.mark.parametrize(
    ("isa", "text", "near"),
    [(Isa.A64, "sadalpp v0.8h, v1.16b", "sadalp"), (Isa.A32, "vmlall.s8 q0, d0, d1", "vmlal")],
)
def test_an_unknown_mnemonic_comes_with_the_nearest_known_one(isa: Isa, text: str, near: str) -> None:
    outcome = encode_one(isa, text)
    assert isinstance(outcome, EncodingError)
    assert "unknown mnemonic" in outcome.message
    assert near in outcome.hint


HOSTILE = [
    *(".text", ".data", ".section .text", ".inst 0xd503201f", ".req x0", ".irp a,b", ".macro", ".endm", ".foo"),
    *(
        'mov x0, "',
        "mov x0, '",
        "mov x0, \\",
        "nop /*",
        "nop \\@",
        "nop ; nop",
        "nop\nnop",
        "nop\rnop",
        "\x00",
        "nop\x00",
    ),
    *("adrp x0, foo\nadd x0, x0, :lo12:foo", "b foo", "add x0, x1, (", "add x0, x1, )", "{", "}", "[", "]", "#", ","),
    *(
        "nop ©",
        "add x0\uff0cx1\uff0cx2",
        "x\uff1a",
        "\ud800",
        "é",
        "1:",
        "1b",
        "b 1b",
        "add",
        "a" * 1_000_000,
        "add " + "x0," * 400_000,
    ),
    *("nop" + " " * 1_000_000 + "nop", "mov x0, #" + "9" * 300, "fmov s0, #1e999999", "ld1 {v0.8b-v31.8b}, [x0]"),
    *("add x0, x1, #0x" + "f" * 40, "mov r0, #08", "vmov.f32 s0, #nan", "svc x", "ldr", "b", "bl", "it eq", "{d0-d31}"),
    *("add x0[999999999999999999999]", "push {r0-r99}", "push {}", "ldm r0!, {r0-}", "tbz x0", "vdup.8", "v.", "."),
]


@both
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_a_hostile_statement_is_refused_and_its_neighbours_are_encoded(isa: Isa, text: str) -> None:
    good, word = GOOD[isa]
    first, outcome, last = encode(isa, good, text, f"{good} ")
    assert (first, last) == (word, word)
    assert isinstance(outcome, EncodingError)
    assert outcome.message


@both
def test_random_text_never_ends_the_process_and_never_passes_as_something_else(isa: Isa) -> None:
    seed = 20240607
    print(f"seed {seed}")
    chance = random.Random(seed)
    texts = corpus(isa)
    pieces = [piece for text in chance.sample(texts, 300) for piece in text.replace(",", " , ").split()]
    mutants = [" ".join(chance.choices(pieces, k=chance.randrange(1, 7))) for _ in range(400)]
    for text in chance.sample(texts, 400):
        at = chance.randrange(len(text))
        mutants.append(text[:at] + chance.choice("abvwxq0189.,#[]{}-+!: ^") + text[at + chance.randrange(3) :])
    with Encoder(isa) as encoder:
        outcomes = encoder.encode([EncoderStatement(text, 0) for text in mutants])
    for text, outcome in zip(mutants, outcomes, strict=True):
        if isinstance(outcome, int):
            assert same_instruction(isa, text, 0, outcome) is None


@both
def test_a_dead_worker_costs_the_statement_that_killed_it_and_no_other(isa: Isa) -> None:
    process = KeystoneProcess(isa)
    try:
        good, word = GOOD[isa]
        statements = [(good.encode(), 0), (b".text", 0), (good.encode(), 4), (b".text", 0), (good.encode(), 8)]
        bytes_of_word = word.to_bytes(4, "little")
        first, dead, second, dead_again, third = process.assemble(statements)
        assert (first, second, third) == (bytes_of_word,) * 3
        assert isinstance(dead, str) and "crashes" in dead
        assert dead == dead_again
    finally:
        process.stop()


def test_a_worker_that_never_answers_is_stopped() -> None:
    process = KeystoneProcess(Isa.A64)
    try:
        outcome, good = process.assemble([(b"\\", 0), (b"nop", 0)])
        assert isinstance(outcome, str) and "never ends" in outcome
        assert good == bytes.fromhex("1f2003d5")
    finally:
        process.stop()


def test_a_worker_killed_from_outside_is_started_again() -> None:
    good, word = GOOD[Isa.A64]
    assert encode_one(Isa.A64, good) == word
    worker = shared_process(Isa.A64)
    assert worker.identifier is not None
    os.kill(worker.identifier, signal.SIGKILL)
    assert encode_one(Isa.A64, "eor v3.16b, v4.16b, v5.16b") == 0x6E251C83


def test_encoders_of_one_process_share_a_worker_and_a_forked_child_has_its_own() -> None:
    assert isinstance(encode_one(Isa.A64, "add x3, x4, x5"), int)
    parents = shared_process(Isa.A64)
    assert parents is shared_process(Isa.A64)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            own = shared_process(Isa.A64)
            word = encode_one(Isa.A64, "add x6, x7, x8")
            own.stop()
            status = 0 if own is not parents and word == 0x8B0800E6 else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert encode_one(Isa.A64, "add x9, x10, x11") == 0x8B0B0149


def test_the_address_matters_only_where_it_is_part_of_the_word() -> None:
    near, far = encode_one(Isa.A64, "b 0x2000", 0x1000), encode_one(Isa.A64, "b 0x2000", 0x1800)
    assert (near, far) == (0x14000400, 0x14000200)
    assert encode_one(Isa.A64, "nop", 0x1000) == encode_one(Isa.A64, "nop", 0x1800) == 0xD503201F
    assert encode_one(Isa.A32, "ldr r0, 0x2000", 0x1F00) == 0xE59F00F8
    assert encode_one(Isa.A64, "adrp x0, 0x12345678", 0x1000) == 0x90091A20


def test_no_statements_give_no_words() -> None:
    assert encode(Isa.A64) == []
