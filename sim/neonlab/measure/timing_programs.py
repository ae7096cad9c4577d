"""The dependent chain and the independent stream of a form, as decoded instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.assemble.encoder import Encoder, Statement
from neonlab.isa.decode import decode_word
from neonlab.isa.instruction import Instruction
from neonlab.isa.isa import Isa
from neonlab.measure.measured_table import Recipe

_STREAM = 12  # independent instructions in the loop body, each with destinations of its own
_REGISTERS = {"d": 0, "n": 20, "m": 14, "a": 28, "p": 19}


@dataclass(frozen=True, slots=True)
class TimingPrograms:
    """`chain` is None where the form has none; a link of it is `links` instructions long."""

    instruction: Instruction
    stream: tuple[Instruction, ...]
    chain: tuple[Instruction, ...] | None


def _filled(template: str, **registers: int) -> str:
    """`{m2}` is the register two after `{m}`, each a register number of its own."""
    return (
        re.sub(r"\{(\w)(\d?)\}", lambda found: str(registers[found[1]] + int(found[2] or 0)), template)
        .replace("{{", "{")
        .replace("}}", "}")
    )


def programs_of(recipe: Recipe) -> TimingPrograms | None:
    """None where no spelling assembles."""
    for spelling in recipe.spellings:
        first = _assembled([_filled(spelling, **_REGISTERS)])
        if first is None:
            continue
        lines = []
        step = 1 + max((int(found) for found in re.findall(r"\{d(\d)\}", spelling)), default=0)
        free = "v{d" in spelling and not re.search(r"\{[nma]", spelling)  # every vector register can be a destination
        count = 32 // step if free else _STREAM // step
        for number in range(count):
            registers = dict(_REGISTERS, d=step * number)
            registers["a"] = step * number if re.search(r"f?n?m(add|sub)", spelling) and "{a}" in spelling else 28
            lines.append(_filled(spelling, **registers))
        stream = _assembled(lines)
        return TimingPrograms(first[0], stream or (), _chain(recipe, spelling))
    return None


def _chain(recipe: Recipe, spelling: str) -> tuple[Instruction, ...] | None:
    writes_only = re.match(r"(st|tst|prfm)", spelling) is not None
    if not recipe.chain or writes_only:
        return None
    registers = dict(_REGISTERS)
    if recipe.back:
        registers["p"] = 19
        return _assembled([_filled(spelling, **registers), _filled(recipe.back, **registers)])
    if recipe.chain == "n":
        registers["d"] = registers["n"]
    elif recipe.chain == "p=d":
        registers["p"] = registers["d"]
    return _assembled([_filled(spelling, **registers)])


def _assembled(lines: Sequence[str]) -> tuple[Instruction, ...] | None:
    with Encoder(Isa.A64) as encoder:
        words = encoder.encode([Statement(line, 4 * number) for number, line in enumerate(lines)])
    found = []
    for number, word in enumerate(words):
        if not isinstance(word, int):
            return None
        found.append(decode_word(Isa.A64, word, 4 * number))
    return tuple(found)
