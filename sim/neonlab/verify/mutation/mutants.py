"""Generate mutants of a program: copies with one slip in one place, made without assembling again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.assemble.program import Program, Segment
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.liveness import liveness
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.mutation.text import SLIPS, slips, swappable

_NOP = {Isa.A64: 0xD503201F, Isa.A32: 0xE320F000}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: `words` replace those of the program from `address` on.

    `slip` is one of SLIPS.  `original` and `mutant` are disassembly, with `; ` between the two instructions of an
    exchange.  `line` is that of the first word in its file, 0 if unknown.
    """

    slip: str
    address: int
    words: tuple[int, ...]
    original: str
    mutant: str
    line: int

    @property
    def title(self) -> str:
        """Return one line that describes the mutant to a reader."""
        return f"line {self.line}: {self.original} -> {self.mutant}"


def mutants_of(program: Program) -> tuple[Mutant, ...]:
    """Return every mutant, ordered by address, without duplicates; the result is deterministic.

    Texts that do not encode and words that do not decode are dropped.
    """
    if not program.instructions:
        return ()
    live = liveness(program.instructions).live_in
    wanted: list[tuple[Instruction, str, str]] = []
    for instruction in program.instructions:
        seen = {instruction.text}
        for slip, text in slips(instruction, live[instruction.address]):
            if text not in seen:
                seen.add(text)
                wanted.append((instruction, slip, text))
    with Encoder(program.isa) as encoder:
        encoded = encoder.encode([EncoderStatement(text, instruction.address) for instruction, _, text in wanted])
    found: list[Mutant] = []
    taken: set[tuple[int, tuple[int, ...]]] = set()

    def add(slip: str, at: Instruction, words: tuple[int, ...], original: str) -> None:
        if (at.address, words) in taken:
            return
        taken.add((at.address, words))
        decoded = _decoded(program.isa, at.address, words)
        if decoded is not None:
            text = "; ".join(instruction.text for instruction in decoded)
            found.append(Mutant(slip, at.address, words, original, text, _line(program, at.address)))

    for instruction in program.instructions:
        taken.add((instruction.address, (instruction.word,)))
    for (instruction, slip, _), word in zip(wanted, encoded, strict=True):
        if isinstance(word, int):
            add(slip, instruction, (word,), instruction.text)
    for instruction in program.instructions:
        add("dropped", instruction, (_NOP[program.isa],), instruction.text)
    for first, second in swappable(program.instructions):
        add("order", first, (second.word, first.word), f"{first.text}; {second.text}")
    return tuple(sorted(found, key=lambda mutant: (mutant.address, SLIPS.index(mutant.slip))))


def sample(mutants: Sequence[Mutant], count: int | None, seed: int) -> tuple[Mutant, ...]:
    """Return `count` of the mutants drawn by `seed`, in their order; all of them for None or if there are no more.

    A larger sample contains every smaller one of the same seed, so that results for a sample hold in an extended one.
    """
    if count is None or count >= len(mutants):
        return tuple(mutants)
    drawn = random.Random(seed).sample(range(len(mutants)), len(mutants))
    return tuple(mutants[index] for index in sorted(drawn[:count]))


def mutated(program: Program, mutant: Mutant) -> Program:
    """Return the program with the mutant's words in place of its own.

    It has no `linked_at`, since the linker would link the original.
    """
    data = b"".join(word.to_bytes(4, "little") for word in mutant.words)
    new = _decoded(program.isa, mutant.address, mutant.words)
    assert new is not None, "a mutant is made of words that decode"
    changed = {instruction.address: instruction for instruction in new}
    return replace(
        program,
        segments=tuple(_patched(segment, mutant.address, data) for segment in program.segments),
        instructions=tuple(changed.get(instruction.address, instruction) for instruction in program.instructions),
        linked_at=None,
    )


def instructions_of(program: Program, mutant: Mutant) -> tuple[tuple[Instruction, ...], tuple[Instruction, ...]]:
    """Return the program's instructions in the mutant's place, and the mutant's."""
    old = tuple(program.by_address[mutant.address + 4 * index] for index in range(len(mutant.words)))
    new = _decoded(program.isa, mutant.address, mutant.words)
    assert new is not None, "a mutant is made of words that decode"
    return old, new


def _patched(segment: Segment, address: int, data: bytes) -> Segment:
    if not segment.address <= address < segment.end:
        return segment
    start = address - segment.address
    return replace(segment, data=segment.data[:start] + data + segment.data[start + len(data) :])


def _decoded(isa: Isa, address: int, words: Sequence[int]) -> tuple[Instruction, ...] | None:
    try:
        return tuple(decode_word(isa, word, address + 4 * index) for index, word in enumerate(words))
    except UndecodableWord:
        return None


def _line(program: Program, address: int) -> int:
    line = program.line_at(address)
    return line.line if line else 0
