"""Number registers for the pipeline model, and find which of them an instruction reads and writes.

On a core whose NEON file has 64-bit registers (`halves`), either half of a vector register is waited for by itself.  In
A32 the halves have names.  In A64 they matter too: `ins v0.d[1], x1` does not change `v0.s[0]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.dependence import FLAG_N, STATUS_PLACE, VECTOR
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register, general, vector
from neonlab.measure.pipeline.state import FIRST_UPPER, FIRST_VECTOR, FLAG_REGISTER, TURN

_FIRST = {"general": 0, "vector": FIRST_VECTOR, "flags": FLAG_REGISTER}
_VECTORS = range(FIRST_VECTOR, FLAG_REGISTER)
_SETS_A_LANE = re.compile(r"^v\d+\.\w+\[|^\{[^}]*\}\[")
_NARROWS_UPPER = re.compile(r"(?!trn)\w+n2$")


class RegisterNumbers:
    """The register numbers of one instruction, on a core with or without `halves`."""

    def __init__(self, instruction: Instruction, *, halves: bool) -> None:
        self._whole = not halves or instruction.isa is not Isa.A64
        self._read: set[int] = set()
        self._written: set[int] = set()
        self._kept: set[int] = set()
        if not self._whole and any(register.file == "vector" for register in instruction.reads + instruction.writes):
            self._look(instruction)

    def _look(self, instruction: Instruction) -> None:
        keeps = _SETS_A_LANE.search(instruction.operands) or _NARROWS_UPPER.match(instruction.mnemonic)
        for place, sources in dependence_of(instruction).sources.items():
            if place == STATUS_PLACE:  # cumulative bits: known is only that they may be set
                continue
            if keeps and sources == {place}:  # stays as it was
                self._kept |= _halves((place,))
                continue
            self._read |= _halves(sources)
            self._written |= _halves((place,))
        self._read |= self._kept & self._written  # an instruction that sets part of a half reads the rest to keep it

    def read(self, register: Register) -> list[int]:
        """Return the numbers of `register`, which the instruction reads, that it waits for."""
        places = self._places(register)
        found = [number for number in places if number in self._read]
        # A source that does not matter, as in eor v0, v0, v0, is waited for all the same; one that is only kept is not.
        return found or ([] if self._kept.intersection(places) else places)

    def written(self, register: Register) -> list[int]:
        """Return the numbers of `register`, which the instruction writes, that it sets."""
        places = self._places(register)
        return [number for number in places if number in self._written] or places

    def _places(self, register: Register) -> list[int]:
        lower = _FIRST[register.file] + register.index
        return [lower] if self._whole or register.file != "vector" else [lower, FIRST_UPPER + register.index]


def is_vector(number: int) -> bool:
    """Return whether a number is that of a vector register, or of a half of one."""
    return number in _VECTORS or number >= FIRST_UPPER


def _halves(places: Iterable[int]) -> set[int]:
    found = set()
    for place in places:
        if VECTOR <= place < FLAG_N:
            index, byte = divmod(place - VECTOR, 16)
            found.add(FIRST_UPPER + index if byte >= 8 else FIRST_VECTOR + index)
    return found


def register_names(numbers: Sequence[int], isa: Isa) -> str:
    """Return the names of registers by their numbers; two halves of a quad or vector register have one name."""
    names, left = [], list(numbers)
    while left:
        number = left.pop(0)
        if isa is Isa.A32 and number in _VECTORS and number % 2 == 0 and number + 1 in left:
            left.remove(number + 1)
            names.append(f"q{(number - FIRST_VECTOR) // 2}")
        elif number == TURN:
            names.append("order")
        elif number >= FIRST_UPPER:
            names.append(f"v{number - FIRST_UPPER}.d[1]")
        else:
            upper = number - FIRST_VECTOR + FIRST_UPPER
            if number in _VECTORS and upper in left:
                left.remove(upper)
            names.append(_register(number).name(isa))
    return ", ".join(names)


def _register(number: int) -> Register:
    if number in _VECTORS:
        return vector(number - FIRST_VECTOR)
    return general(number) if number < FIRST_VECTOR else FLAGS
