"""Find the instructions that compare general registers, and tell what they compare."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from neonlab.isa.general_names import ZERO_REGISTER, general_named
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register, general

#: Largest difference of two numbers that are no addresses.
_FAR = 1 << 40
_COMPARISON = re.compile(r"(?:ccmp|ccmn|cmp|cmn|subs|adds|rsbs|cbz|cbnz)\b|(?:cmp|cmn|subs|adds|rsbs)[a-z.]{2,4}$")
_IMMEDIATE = re.compile(r"#(-?(?:0x[0-9a-f]+|\d+))$")
_SHIFT = re.compile(r"(lsl|lsr|asr) #(\d+)$")


@dataclass(frozen=True, slots=True)
class _Operand:
    """A number that is compared: a register of so many bits, shifted, or a constant; negated where it is added."""

    register: Register | None
    number: int = 0
    bits: int = 64
    shift: int = 0
    added: bool = False

    def of(self, held: int) -> int:
        """Return its value, with its sign, where its register holds `held`."""
        if self.register is None:
            return -self.number if self.added else self.number
        value = held & (1 << self.bits) - 1
        value -= value >> self.bits - 1 << self.bits
        value = value << self.shift if self.shift >= 0 else value >> -self.shift
        return -value if self.added else value


@dataclass(frozen=True, slots=True)
class Comparison:
    """An instruction that compares two numbers: the first less the second decides."""

    address: int
    first: _Operand
    second: _Operand

    @property
    def registers(self) -> tuple[Register, ...]:
        """Return the registers that are compared."""
        return tuple(one.register for one in (self.first, self.second) if one.register is not None)

    def difference(self, held: tuple[int, ...]) -> int | None:
        """Return the difference where the registers hold these values; None where they are addresses or the like."""
        values = iter(held)
        first, second = (one.of(next(values) if one.register is not None else 0) for one in (self.first, self.second))
        return first - second if abs(first - second) < _FAR else None


def comparisons_of(instructions: Iterable[Instruction]) -> tuple[Comparison, ...]:
    """Return those of the instructions that compare two numbers, or a number with 0."""
    return tuple(one for instruction in instructions if (one := _comparison(instruction)) is not None)


def _comparison(instruction: Instruction) -> Comparison | None:
    if not _COMPARISON.match(instruction.mnemonic) or instruction.accesses:
        return None
    words = [word.strip() for word in instruction.operands.split(",")]
    kind = instruction.mnemonic
    if kind.startswith("cb"):
        words = [words[0], "#0"]
    elif kind.startswith("cc"):
        words = words[:2]
    elif kind.startswith(("subs", "adds", "rsbs")):
        words = words[1:] if len(words) > 2 and not _SHIFT.match(words[2]) else words
    operands = [_operand(instruction.isa, word) for word in words[:2]]
    if len(operands) < 2 or operands[0] is None or operands[1] is None or operands[0].register is None:
        return None
    first, second = operands[0], operands[1]
    if len(words) > 2:
        shift = _SHIFT.match(words[2])
        if shift is None:
            return None
        places = int(shift[2]) if shift[1] == "lsl" else -int(shift[2])
        second = replace(second, shift=places)
    if kind.startswith(("cmn", "ccmn", "adds")):
        second = replace(second, added=True)
    elif kind.startswith("rsbs"):
        first, second = second, first
    return Comparison(instruction.address, first, second)


def _operand(isa: Isa, word: str) -> _Operand | None:
    immediate = _IMMEDIATE.match(word)
    if immediate is not None:
        return _Operand(None, int(immediate[1], 0))
    found = general_named(isa, word)
    if found is None or found[0] == ZERO_REGISTER:
        return None
    return _Operand(general(found[0]), 0, 8 * found[1])
