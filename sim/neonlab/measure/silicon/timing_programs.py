"""Make the dependent chain and the stream of a row, as decoded instructions."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.silicon.timing_recipes import Recipe

_STREAM, _FEW = 25, 14  # registers that a stream goes through; where only sixteen can be named
_LONGEST_SWEEP = 8

#: Chains whose time is subtracted from that of others; see `less_of`.
LESS: Mapping[str, tuple[str, ...]] = {
    "add": ("add x0, x0, x28",),
    "adc": ("adc x0, x0, x0",),
    "adcs": ("adcs x0, x0, x28",),
    "sub8": ("sub x0, x0, #2",) * 8,
    "fcsel": ("fcsel d0, d0, d0, eq",),
    "moves": ("mov v0.d[0], x0", "mov x0, v0.d[0]"),
    "move and add": ("fmov d0, x0", "mov x0, v0.d[0]", "add x0, x0, x28"),
    "move and fetch": ("fmov d0, x0", "add v0.2d, v0.2d, v28.2d", "mov x0, v0.d[0]", "add x0, x0, x28"),
}


@dataclass(frozen=True, slots=True)
class TimingPrograms:
    """The programs of a row: `chain` is None and `streams` is empty where the row has none.

    A rate counts `counted` instructions of a stream.
    """

    instruction: Instruction
    streams: tuple[tuple[tuple[Instruction, ...], int], ...]
    chain: tuple[Instruction, ...] | None
    chain_length: int = 1


def programs_of(recipe: Recipe) -> TimingPrograms | None:
    """Return the programs of a recipe; None where no spelling assembles."""
    for spelling in recipe.spellings:
        first = assembled([_filled(spelling, 0)])
        if first is not None:
            break
    else:
        return None
    chain = _chain(recipe, spelling) if recipe.chained or recipe.one_chain else None
    streams = _streams(recipe, spelling) if recipe.streamed else ()
    if recipe.one_chain and chain is not None:
        return TimingPrograms(first[0], ((chain, 1),), None)
    return TimingPrograms(first[0], streams, chain, 2 if recipe.alternate else 1)


@functools.cache
def less_program(name: str) -> tuple[Instruction, ...]:
    """Return the chain called `name` in LESS."""
    program = assembled(LESS[name])
    if program is None:
        raise AssertionError(f"{LESS[name]} does not assemble")
    return program


def _filled(template: str, base: int, modulus: int = 32) -> str:
    """Fill a template: `{d}` is the register `base`, `{d2}` the second after it, modulo `modulus`."""
    text = re.sub(r"\{d(\d?)\}", lambda found: str((base + int(found[1] or 0)) % modulus), template)
    return text.replace("{{", "{").replace("}}", "}")


def _chain(recipe: Recipe, spelling: str) -> tuple[Instruction, ...] | None:
    lines = [*recipe.before, spelling, *recipe.after, *recipe.collect]
    if recipe.alternate:
        return assembled([_filled(line, link, 2) for link in range(2) for line in lines])
    return assembled([_filled(line, 0) for line in lines])


def _streams(recipe: Recipe, spelling: str) -> tuple[tuple[tuple[Instruction, ...], int], ...]:
    registers = _FEW if recipe.few else _STREAM
    bodies: list[tuple[list[str], int]] = []
    if recipe.sweep:
        bodies += [(["adds x{d}, x{d}, x28", *[spelling] * times], times) for times in range(1, _LONGEST_SWEEP + 1)]
    else:
        bodies.append(([*recipe.before, spelling, *recipe.after], 1))
    found = []
    for lines, counted in bodies:
        texts = [_filled(line, number * recipe.pitch % registers) for number in range(registers) for line in lines]
        stream = assembled(texts)
        if stream is not None:
            found.append((stream, counted * registers))
    return tuple(found)


def assembled(lines: Sequence[str]) -> tuple[Instruction, ...] | None:
    """Return the lines as A64 instructions from address 0 on; None if one of them does not assemble."""
    with Encoder(Isa.A64) as encoder:
        words = encoder.encode([EncoderStatement(line, 4 * number) for number, line in enumerate(lines)])
    found = []
    for number, word in enumerate(words):
        if not isinstance(word, int):
            return None
        found.append(decode_word(Isa.A64, word, 4 * number))
    return tuple(found)
