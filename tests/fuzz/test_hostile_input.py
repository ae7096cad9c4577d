"""Hostile input: whatever is fed in, what comes out is a verdict or one clear error, in bounded time and memory.

The same seeds everywhere, about a minute in all; NEONLAB_FUZZ_SECONDS gives each fuzz test that long instead, from
NEONLAB_FUZZ_SEED on.  The seed of the round that fails is printed.
"""

from __future__ import annotations

import os
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.kernel_sources import FILES
from tests.saboteurs import right_kernels

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program, Segment
from neonlab.contract.header import Contract, parse_contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.errors import InputError
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.isa import Isa
from neonlab.lab.parallel.checks import check_all
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.plan import plan_cases

ROOT = Path(__file__).resolve().parents[2]
SECONDS = float(os.environ.get("NEONLAB_FUZZ_SECONDS", "0"))
FIRST_SEED = int(os.environ.get("NEONLAB_FUZZ_SEED", "1"))
LONGEST = 20.0  # seconds that one input may take
MOST_MEMORY = 2 << 20  # KiB
SOURCES = sorted([*FILES, *right_kernels()])
LINES = (
    ".rept 99999999", ".macro m a", ".endm", ".if 1", ".endif", ".irp x,1,2", ".endr", ".section .foo", ".req x0",
    ".org 0x7fffffff", ".align 31",
)  # fmt: skip
FRAGMENTS = (*(f"{line}\n" for line in LINES), "\0", "é", "1b", ":lo12:", "-1", "0x", "/*", "\\@", *"\\\"'{[#(,=@;")
NUMBERS = ("0", "1", "9" * 5000, "0x" + "f" * 5000, "4294967296", "9223372036854775808", "-1", "¹", "٣", "1e999")


def limited(function: Callable[..., str], arguments: tuple[object, ...], seed: int) -> tuple[str, int]:
    """What the function says, and the most memory that this process has had, in KiB."""
    return function(*arguments, seed), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def outcomes_of(name: str, count: int, function: Callable[..., str], *arguments: object) -> Counter[str]:
    """How often the function said what, for `count` seeds or as many as the time allows that was asked for.

    It runs in a process of its own, so that what takes too long, or too much memory, fails and does not hang.
    """
    end, first = time.monotonic() + SECONDS, FIRST_SEED
    said: Counter[str] = Counter()
    with Workers(1, time_limit=LONGEST) as workers:
        while time.monotonic() < end if SECONDS else first < FIRST_SEED + count:
            seeds = range(first, first + (50 if SECONDS else count))
            results = workers.run(limited, [(function, arguments, seed) for seed in seeds])
            for seed, result in zip(seeds, results, strict=True):
                assert not isinstance(result, Died), f"{name} seed {seed}: {result.reason}"
                outcome, memory = result
                assert memory < MOST_MEMORY, f"{name} seed {seed}: {memory} KiB"
                said[outcome] += 1
            first = seeds.stop
    return said


def mutate(text: str, chance: random.Random) -> str:
    """The text with a few lines lost, doubled, exchanged, cut, or sprinkled with what assemblers choke on."""
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 6)):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        what = chance.randrange(8)
        if what == 0:
            lines[at] = ""
        elif what == 1:
            lines[at] *= chance.choice((2, 50))
        elif what == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif what == 3:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        elif what == 4:
            cut = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:cut] + chance.choice(FRAGMENTS) + lines[at][cut:]
        elif what == 5:
            words = lines[at].split(" ")
            chance.shuffle(words)
            lines[at] = " ".join(words)
        elif what == 6:
            lines[at] = re.sub(r"[0-9]+", lambda _: chance.choice(NUMBERS), lines[at])
        else:
            cut = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:cut] + chr(chance.randrange(1, 256)) + lines[at][cut + 1 :]
    return "".join(lines)


def assembled(seed: int) -> str:
    """What becomes of a mutated source."""
    chance = random.Random(f"sources {seed}")
    path = chance.choice(SOURCES)
    isa = Isa.A32 if path.parent.name == "armv7" else Isa.A64
    try:
        link(assemble_text(mutate(path.read_text(), chance), isa=isa, path=path.name))
    except InputError as error:
        return "refused" if str(error).strip() else "refused without a word"
    return "assembled"


def contract_read(seed: int) -> str:
    """What becomes of a mutated contract."""
    chance = random.Random(f"contracts {seed}")
    text = chance.choice(SOURCES).read_text()
    try:
        contract = parse_contract(mutate(text[: text.index("*/") + 2], chance), "fuzzed.S")
    except InputError as error:
        return "refused" if str(error).strip() else "refused without a word"
    return "read" if contract is None or isinstance(contract, Contract) else "neither"


def test_mutated_sources_assemble_or_are_refused_with_a_message() -> None:
    assert outcomes_of("sources", 150, assembled).keys() == {"assembled", "refused"}


def test_mutated_contracts_are_read_or_refused_with_a_message() -> None:
    assert outcomes_of("contracts", 1500, contract_read).keys() == {"read", "refused"}


@pytest.mark.parametrize("seed", [102298, 7808601])
def test_contracts_that_took_minutes_to_refuse_are_refused_at_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # 125,000 openings of a contract, and the end of none.
    monkeypatch.setitem(globals(), "FIRST_SEED", seed)
    assert outcomes_of("contracts", 1, contract_read).keys() == {"refused"}


def hang(_seed: int) -> str:
    """Never ends."""
    while True:
        pass


def test_what_hangs_fails_and_does_not_hang_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LONGEST", 1.0)
    with pytest.raises(AssertionError, match=f"hung seed {FIRST_SEED}: no end within 1 s of processor time"):
        outcomes_of("hung", 1, hang)


def program_of(isa: Isa, words: list[int]) -> Program:
    """A program of these words, those decoded that can be."""
    data = b"".join(word.to_bytes(4, "little") for word in words)
    known = []
    for index, word in enumerate(words):
        try:
            known.append(decode_word(isa, word, 0x10000 + 4 * index))
        except UndecodableWord:
            continue
    return Program(isa, "fuzzed", (Segment(".text", 0x10000, data, executable=True),), {"f": 0x10000}, tuple(known))


def call(program: Program) -> Run | Fault:
    """Call it with two buffers."""
    signature = parse_prototype("void (uint8_t *a, uint8_t *b, size_t n)", program.isa)
    a, b = (Buffer(name, np.zeros(256, np.uint8), name == "b") for name in "ab")
    with Machine(program) as machine:
        return machine.call("f", [a, b, 256], signature, step_budget=100_000, seed=1)


def run_random(isa: Isa, seed: int) -> str:
    """What becomes of a few random instructions."""
    chance = random.Random(f"instructions {isa.value} {seed}")
    words: list[int] = []
    while len(words) < 12:
        word = chance.getrandbits(32)
        if isa is Isa.A32 and chance.random() < 0.7:
            word = word & 0x0FFFFFFF | 0xE0000000  # executed always, or NEON
        try:
            decode_word(isa, word, 0x10000)
        except UndecodableWord:
            continue
        words.append(word)
    words.append(0xD65F03C0 if isa is Isa.A64 else 0xE12FFF1E)  # ret, bx lr
    return type(call(program_of(isa, words))).__name__


@pytest.mark.slow
@pytest.mark.parametrize("isa", Isa)
def test_random_instructions_end_in_a_run_or_a_fault(isa: Isa) -> None:
    said = outcomes_of(f"instructions {isa.value}", 400, run_random, isa)
    assert said["Fault"] and said.keys() <= {"Run", "Fault"}


GUESTS = {
    "writes its own code": ("adr x9, f\n str w9, [x9]\n ret", "adr r3, f\n str r3, [r3]\n bx lr"),
    "jumps away": ("mov x9, #0x1234\n br x9", "movw r3, #0x1234\n bx r3"),
    "jumps into its data": ("br x0", "bx r0"),
    "loops for ever": ("1: b 1b", "1: b 1b"),
    "calls the system": ("svc #0\n ret", "svc #0\n bx lr"),
    "halts": ("hlt #1\n ret", "bkpt #1\n bx lr"),
    "recurses without end": ("sub sp, sp, #4096\n str x0, [sp]\n b f", "sub sp, sp, #4096\n str r0, [sp]\n b f"),
    "runs off its end": ("nop", "nop"),
    "is no instruction": (".inst 0xffffffff", ".inst 0xf7f0f0ff"),
}


@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("guest", GUESTS)
def test_a_guest_that_misbehaves_is_a_fault(guest: str, isa: Isa) -> None:
    text = GUESTS[guest][isa is Isa.A32]
    program = link(assemble_text(f".text\nf:\n {text}\n", isa=isa, path="guest.S"))
    assert isinstance(call(program), Fault)


@pytest.mark.parametrize("isa", Isa)
def test_raw_words_through_check_are_verdicts_whatever_the_emulator_does(isa: Isa, tmp_path: Path) -> None:
    # Unicorn aborts its process on some of them: that must cost a worker, no more.
    chance = random.Random(f"words {isa.value} 1")
    registers = ["x0", "x1"] if isa is Isa.A64 else ["r0", "r1"]
    architecture = "armv8.2-a" if isa is Isa.A64 else "armv7-a"
    kernels = []
    for number in range(6):
        words = "".join(f" .inst {chance.getrandbits(32):#010x}\n" for _ in range(8))
        if isa is Isa.A64:
            words += f" .inst {0x0E400400 | chance.getrandbits(5) << 16 | chance.getrandbits(6) << 10:#010x}\n"
        path = tmp_path / f"words{number}.S"
        path.write_text(
            f'/*toml\nsummary = "noise"\nprototype = "void (uint8_t *a, size_t n)"\nisa = ["{architecture}", "neon"]\n'
            f'[args]\na = {{ reg = "{registers[0]}", read = "n", write = "n" }}\n'
            f'n = {{ reg = "{registers[1]}", range = [16, 64], step = 16 }}\n*/\n'
            f".text\n.global words{number}\nwords{number}:\n{words} {'ret' if isa is Isa.A64 else 'bx lr'}\n"
        )
        kernels.append(open_kernel(path))
    with Workers(2, time_limit=60) as workers:
        verdicts = check_all(workers, [(kernel, plan_cases(kernel)[:4]) for kernel in kernels])
    assert len(verdicts) == len(kernels)
    for verdict in verdicts:
        assert verdict.cases >= 1 and all(failure.fault is not None for failure in verdict.failures)
