"""The decoder against an emulated CPU: registers read and written, memory touched, write-back, control flow."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from tests.isa.effects_oracle import examine
from tests.isa.single_step import SingleStep
from tests.tools import require

from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import STATUS, Isa, Register

HERE = Path(__file__).parent
SEED = 20240607
TOOLS = {Isa.A64: "aarch64-linux-gnu", Isa.A32: "arm-linux-gnueabihf"}
OPTIONS = {
    Isa.A64: "-march=armv8.5-a+crypto+sha3+fp16fml+rcpc",
    Isa.A32: "-march=armv8.3-a+fp16fml+dotprod+simd+crypto",
}


def forms(isa: Isa) -> list[str]:
    text = (HERE / f"forms_{isa.value}.txt").read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def assembled(isa: Isa) -> dict[str, int]:
    """Every form to its word, by GNU as."""
    statements = forms(isa)
    with tempfile.TemporaryDirectory() as directory:
        source, made, raw = (Path(directory) / name for name in ("forms.s", "forms.o", "forms.bin"))
        opening = ".syntax unified\n.arm\n" if isa is Isa.A32 else ""
        source.write_text(opening + "".join(f"{statement}\n.balign 64\n" for statement in statements))
        subprocess.run([require(f"{TOOLS[isa]}-as"), OPTIONS[isa], source, "-o", made], check=True)
        subprocess.run([require(f"{TOOLS[isa]}-objcopy"), "-O", "binary", "-j", ".text", made, raw], check=True)
        data = raw.read_bytes()
    words = [int.from_bytes(data[offset : offset + 4], "little") for offset in range(0, 64 * len(statements), 64)]
    return dict(zip(statements, words, strict=True))


@functools.cache
def stepper(isa: Isa) -> SingleStep:
    return SingleStep(isa, SEED)


# Reads that are real, but that no run from a random state shows
EXACT_OR_TRUNCATING = re.compile(r"fcvt(zs|ns|as) |vcvt\.(s32\.f32 s|f64\.u32)")  # the rounding controls change nothing
FLUSHES_ONLY_HALVES = re.compile(r"vfm[as]l\.")  # by FPSCR.FZ16, which the emulated core does not have
WRITES_A_COMPARE = re.compile(r"vcmpe?\.")  # its result lies in STATUS, beside the controls
KEEPS_THE_OTHER_HALF = re.compile(r"msr (fpcr|apsr_nzcvq)")  # STATUS is one unit of several registers
COMPARES_WITH_MEMORY = re.compile(r"casp? ")  # random values are never equal
READS_ONLY_THE_LOW_WORD = re.compile(r"sha1c\.|sha1h\.|sha256su0\.")  # of q1


def unseen(instruction: Instruction, statement: str) -> set[Register]:
    if EXACT_OR_TRUNCATING.match(statement) or WRITES_A_COMPARE.match(statement):
        return {STATUS}
    if KEEPS_THE_OTHER_HALF.match(statement) or FLUSHES_ONLY_HALVES.match(statement):
        return {STATUS}
    if COMPARES_WITH_MEMORY.match(statement) or {a.kind for a in instruction.accesses} == {AccessKind.PREFETCH}:
        return set(instruction.reads)
    return {Register("vector", 3)} if READS_ONLY_THE_LOW_WORD.match(statement) else set()


@pytest.mark.parametrize(
    ("isa", "statement"), [pytest.param(isa, text, id=f"{isa.value}-{text}") for isa in Isa for text in forms(isa)]
)
@pytest.mark.sweep(keep=100)
def test_a_form_does_what_the_decoder_says_and_every_register_read_matters(isa: Isa, statement: str) -> None:
    word, step = assembled(isa)[statement], stepper(isa)
    instruction = decode_word(isa, word, step.place(word))
    examination = examine(step, instruction, f"{SEED} {statement}", trials=150, dependence=True)
    assert examination.complaints == [], instruction
    assert examination.runs > 0
    assert examination.faults == 0, "the emulator does not execute it"
    idle = set(instruction.reads) - examination.mattered - unseen(instruction, statement)
    assert not idle, f"never mattered: {sorted(register.name(isa) for register in idle)}"
    # The cumulative bits are set by few operands; that they are never set without being in writes is asserted above.
    unchanged = set(instruction.writes) - examination.changed - {STATUS}
    assert not unchanged, f"never changed: {sorted(register.name(isa) for register in unchanged)}"


# Left out of the random words: what leaves user mode or depends on the system, and the emulator's own mistake
SYSTEM = re.compile(
    r"svc|hvc|smc|brk|hlt|mrs|msr|wf|eret|drps|dcps|sys|dc |ic |at |tlbi|udf|bkpt|mcr|mrc|mrrc|cps|srs|rfe|setend|bxj"
)
WRITES_BEYOND_A_D_REGISTER = re.compile(r"vcmla.* d\d+, d\d+, d\d+\[")  # QEMU 5.0 writes all 16 bytes


def is_unpredictable(instruction: Instruction) -> bool:
    """Write-back to a register that is transferred too."""
    word = instruction.word
    if instruction.writeback is None:
        return False
    if instruction.isa is Isa.A64:
        return word >> 5 & 31 in (word & 31, word >> 10 & 31) and not word >> 26 & 1
    n = word >> 16 & 15
    if word >> 28 == 15 or word >> 25 & 7 == 6:
        return False
    if word >> 25 & 7 == 4:
        return bool(word >> n & 1)
    return n in (word >> 12 & 15, (word >> 12 & 15) + 1, word & 15)


def random_words(isa: Isa, rng: random.Random) -> int:
    """Any bits, with the vector groups and the always-true condition more often than chance has them."""
    word = rng.getrandbits(32)
    if isa is Isa.A64:
        return word & ~0x10000000 | 0x0E000000 if rng.random() < 0.5 else word
    choice = rng.random()
    if choice < 0.4:
        return word & 0x0FFFFFFF | 0xE0000000
    return word & 0x01FFFFFF | 0xF2000000 if choice < 0.7 else word


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("part", range(3))
def test_random_words_do_no_more_than_the_decoder_says(isa: Isa, part: int) -> None:
    print(f"seed {SEED} {part}")
    rng, step, tried = random.Random(f"{SEED} {part}"), SingleStep(isa, SEED), 0
    while tried < 250:
        word = random_words(isa, rng)
        try:
            text = decode_word(isa, word, 0).text
        except UndecodableWord:
            continue
        if SYSTEM.match(text) or WRITES_BEYOND_A_D_REGISTER.match(text):
            continue
        instruction = decode_word(isa, word, step.place(word))
        if is_unpredictable(instruction):
            continue
        tried += 1
        examination = examine(step, instruction, f"{SEED} {word}", trials=5, dependence=False)
        assert examination.complaints == [], (f"{word:#010x}", instruction)


@pytest.mark.parametrize("isa", Isa)
def test_branch_targets_are_those_of_objdump(isa: Isa, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    rng, address = random.Random(SEED), 0x40000
    words: list[int] = []
    while len(words) < 400:
        word = rng.getrandbits(32)
        if isa is Isa.A32:
            word = word & 0xF0FFFFFF | 0x0A000000 | rng.getrandbits(1) << 24
        else:
            word = word & 0x80FFFFFF | rng.choice((0x14, 0x34, 0x35, 0x36, 0x37, 0x54)) << 24
        try:
            if decode_word(isa, word, address).target is not None:
                words.append(word)
        except UndecodableWord:
            continue
    raw = tmp_path / "words.bin"
    raw.write_bytes(b"".join(word.to_bytes(4, "little") for word in words))
    machine = "aarch64" if isa is Isa.A64 else "arm"
    command = [require(f"{TOOLS[isa]}-objdump"), "-D", "-b", "binary", "-m", machine, f"--adjust-vma={address}"]
    listing = subprocess.run([*command, raw], check=True, capture_output=True, text=True).stdout
    seen = 0
    for line in listing.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\t(.*)", line)
        if found is None or found[3].startswith("bc."):
            continue
        instruction = decode_word(isa, int(found[2], 16), int(found[1], 16))
        numbers = re.findall(r"0x[0-9a-f]+$", found[4].split("@")[0].split("//")[0].strip())
        assert instruction.target == int(numbers[-1], 16), line
        assert instruction.branch in (BranchKind.JUMP, BranchKind.CONDITIONAL, BranchKind.CALL)
        seen += 1
    assert seen > 300
