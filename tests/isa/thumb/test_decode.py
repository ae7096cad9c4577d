"""Thumb against A32: compiled code and libraries, each instruction beside the A32 word that is said to do the same."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.objects.build import THUMB, assembled, compiled, run

from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.condition import NAMES
from neonlab.isa.model.instruction import NO_A32_WORD, BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.thumb.decode import decode_thumb, thumb_text
from neonlab.objects.elf.archive import Archive
from neonlab.objects.elf.module import THUMB as THUMB_STATE
from neonlab.objects.elf.module import Module
from neonlab.objects.elf.relocatable import read_module

#: Ways in which texts of one instruction differ: both are brought to the fuller form.
_ALIASES = {"pop": "ldm sp!,", "push": "stmdb sp!,"}


def thumb_code(module: Module) -> list[tuple[int, bytes]]:
    found = []
    for section in module.sections.values():
        marks = [*section.marks, (section.size, 0)]
        for (start, state), (end, _) in itertools.pairwise(marks):
            if section.executable and state == THUMB_STATE:
                found.append((start, bytes(section.data[start:end])))
    return found


def normal(text: str) -> str:
    """One spelling: no .w, three operands, plain numbers."""
    mnemonic, _, operands = text.replace(".w", "").partition(" ")
    parts = [part.strip() for part in re.split(r",(?![^{\[]*[}\]])", operands)]
    base = mnemonic
    if mnemonic not in ("lsls", "bics"):
        base = re.sub(r"(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$", "", mnemonic)
    two = ("add", "sub", "and", "orr", "eor", "bic", "adc", "sbc", "lsl", "lsr", "asr", "ror", "mul")
    if len(parts) == 2 and base.rstrip("s") in two:
        parts.insert(0, parts[0])
    numbers = [_number(part) for part in parts]
    if len(numbers) == 4 and numbers[2].startswith("#") and numbers[3].startswith("#"):
        byte, turn = int(numbers[2][1:]), int(numbers[3][1:])
        numbers[2:] = [f"#{(byte >> turn | byte << 32 - turn) & 0xFFFFFFFF}"]
    return f"{mnemonic} {', '.join(numbers)}"


def _number(part: str) -> str:
    return re.sub(r"#(-?)(0x[0-9a-f]+|\d+)", lambda m: f"#{int(m[1] + m[2], 0) & 0xFFFFFFFF}", part)


def own_text(found: Instruction, code: bytes, start: int) -> str:
    """As Capstone reads the Thumb encoding."""
    at = found.address - start
    halves = [int.from_bytes(code[at + i : at + i + 2], "little") for i in range(0, found.size, 2)]
    word = halves[0] if found.size == 2 else halves[0] << 16 | halves[1]
    holds = NAMES.index(found.condition) if found.condition else None
    text = thumb_text(word, found.size, found.address, holds)
    assert text is not None
    return f"{text[0]} {text[1]}"


def compare(module: Module) -> Counter[str]:
    """Each instruction that has an A32 word: the same text, registers and condition.  Counts by kind of answer."""
    seen: Counter[str] = Counter()
    for start, code in thumb_code(module):
        for found in decode_thumb(code, start):
            assert isinstance(found, Instruction), f"{module.title}: {found}"
            assert found.thumb
            if found.word == NO_A32_WORD:
                seen["own"] += 1
                continue
            same = decode_word(Isa.A32, found.word, (found.address & ~3) - 4)
            assert (found.reads, found.writes, found.condition) == (same.reads, same.writes, same.condition), found.text
            assert (found.accesses, found.writeback, found.branch) == (same.accesses, same.writeback, same.branch)
            assert found.text == same.text
            mine, other = normal(own_text(found, code, start)), normal(found.text)
            if mine != other:
                stack = {mine.split()[0], other.split()[0]} & {"push", "pop"}
                assert stack, (mine, other)
            seen["same"] += 1
    return seen


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compiled_thumb_is_the_a32_that_it_is_said_to_be(compiler: str, level: str) -> None:
    total: Counter[str] = Counter()
    for source in ("kernel.c", "library.c"):
        path = compiled(source, THUMB, compiler, (level,))
        total += compare(read_module(path.read_bytes(), str(path)))
    assert total["same"] > 200


@pytest.mark.slow
@pytest.mark.parametrize("library", ["libm.a", "libgcc.a"])
def test_the_code_of_libraries_is_read_whole(library: str) -> None:
    path = Path(run(THUMB.tool("gcc"), *THUMB.flags, f"-print-file-name={library}").strip())
    archive = Archive(path.read_bytes(), library)
    total: Counter[str] = Counter()
    for module in archive.modules():
        total += compare(module)
    print(total)
    assert total["same"] > (1000 if library == "libgcc.a" else 20000)


@pytest.mark.parametrize("text", [
    "itttt ge\nmovge r0, #1\naddge r1, r2\nstrge r3, [r4, #8]\nvaddge.f32 s0, s1, s2",
    "ite ne\nldrne.w r0, [r1, r2, lsl #3]\nldrsheq r3, [r4, #300]",
    "ittee mi\nmlami r0, r1, r2, r3\nbfimi r0, r1, #3, #5\nubfxpl r0, r1, #1, #2\nmovwpl r0, #0x1234",
])  # fmt: skip
def test_instructions_of_an_it_block_have_their_conditions(text: str) -> None:
    path = assembled(f".syntax unified\n.thumb\n{text}\nadds r0, r0, #1\n", THUMB)
    ((start, code),) = thumb_code(read_module(path.read_bytes(), "it.o"))
    first, *inside, last = [found for found in decode_thumb(code, start) if isinstance(found, Instruction)]
    assert first.mnemonic == text.split()[0]
    for found, line in zip(inside, text.splitlines()[1:], strict=True):
        assert line.split()[0].removesuffix(".f32").removesuffix(".w").endswith(found.condition)
        assert all(register in found.reads for register in found.writes if register.file != "status")
    assert last.condition == ""
    assert any(register.file == "flags" for register in last.writes)


@pytest.mark.parametrize(("text", "branch", "offset"), [
    ("cbz r0, 1f\nnop\nnop\n1: bx lr", BranchKind.CONDITIONAL, 6),
    ("b 1f\n.space 2000\n1: bx lr", BranchKind.JUMP, 2002),
    ("b.w 1f\n.space 200000\n1: bx lr", BranchKind.JUMP, 200004),
    ("beq.w 1f\n.space 20000\n1: bx lr", BranchKind.CONDITIONAL, 20004),
    ("bl 1f\n.space 20000\n1: bx lr", BranchKind.CALL, 20004),
    ("tbb [pc, r0]\n.byte 1\n.byte 2", BranchKind.INDIRECT, None),
    ("tbh [r1, r0, lsl #1]", BranchKind.INDIRECT, None),
])  # fmt: skip
def test_branches_go_where_they_go(text: str, branch: BranchKind, offset: int | None) -> None:
    path = assembled(f".syntax unified\n.thumb\n{text}\n", THUMB)
    start, code = thumb_code(read_module(path.read_bytes(), "b.o"))[0]
    first = next(iter(decode_thumb(code, start)))
    assert isinstance(first, Instruction)
    assert (first.branch, first.target) == (branch, offset)


def test_what_is_no_instruction_is_said_to_be_none() -> None:
    words = list(decode_thumb(bytes.fromhex("ffffffff00bf"), 0x100))
    assert isinstance(words[0], UndecodableWord)
    assert isinstance(words[1], Instruction)
    assert isinstance(next(iter(decode_thumb(b"\x00\xf0", 0))), UndecodableWord), "half of an instruction"
