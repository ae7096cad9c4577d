"""Read the operands of instructions on general registers, and add up what such an instruction does step by step."""

from __future__ import annotations

import re

from neonlab.isa.general_names import ZERO_REGISTER, general_named
from neonlab.isa.lanes import LaneOperation, Lanes
from neonlab.isa.model.condition import NAMES as CONDITION_NAMES
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import file_bytes, general_start
from neonlab.prove.kernel.places import MOST_TEMPORARIES, TEMPORARIES, Numbers

_NUMBER = re.compile(r"^#(-?(?:0x)?[0-9a-f]+)$")
_MODIFIER = re.compile(r"^(lsl|lsr|asr|[su]xt[bhwx])(?: #((?:0x)?[0-9a-f]+)| (r\d+|sb|sl|fp|ip|lr))?$")
_BITS = {"b": 8, "h": 16, "w": 32, "x": 64}


class NoRule(Exception):
    """Raised for an operand or a form that there is no rule for."""


class Steps:
    """The steps of one instruction: operations on lanes of its registers, of intermediate results and of numbers.

    `texts` are its operands.  Raises NoRule where an operand is none that can be read.
    """

    def __init__(self, isa: Isa, operands: str, numbers: Numbers) -> None:
        self.texts = [part.strip() for part in operands.split(",")]
        self.steps: list[LaneOperation] = []
        self._isa, self._numbers, self._temporaries = isa, numbers, 0
        first = general_named(isa, self.texts[0])
        if first is None:
            raise NoRule(self.texts[0])
        self.bits = 8 * first[1]

    def __len__(self) -> int:
        return len(self.texts)

    def is_number(self, at: int) -> bool:
        """Tell whether an operand is a number."""
        return _NUMBER.match(self.texts[at]) is not None

    def value(self, at: int) -> int:
        """Return an operand that is a number."""
        found = _NUMBER.match(self.texts[at])
        if found is None:
            raise NoRule(self.texts[at])
        return int(found[1], 0)

    def condition(self, at: int) -> int:
        """Return the number of an operand that is a condition."""
        if self.texts[at] not in CONDITION_NAMES[:14]:
            raise NoRule(self.texts[at])
        return CONDITION_NAMES.index(self.texts[at])

    def number(self, value: int, bits: int = 0) -> Lanes:
        """Return a lane that holds a number."""
        return Lanes(self._numbers.place(value), 1, bits or self.bits)

    def temporary(self, bits: int = 0) -> Lanes:
        """Return a lane for an intermediate result."""
        if self._temporaries == MOST_TEMPORARIES:
            raise NoRule("too many intermediate results")
        start = file_bytes(self._isa) + TEMPORARIES + 8 * self._temporaries
        self._temporaries += 1
        return Lanes(start, 1, bits or self.bits)

    def destination(self, at: int = 0) -> Lanes:
        """Return the register that an operand names, as what is written."""
        found = general_named(self._isa, self.texts[at])
        if found is None or (self._isa is Isa.A64 and found[0] == ZERO_REGISTER):
            raise NoRule(self.texts[at])
        return Lanes(general_start(self._isa, found[0]), 1, 8 * found[1])

    def register(self, at: int, bits: int = 0, signed: bool | None = None, byte: int = 0) -> Lanes:
        """Return the low `bits` of the register that an operand names, or those from byte `byte` on."""
        found = general_named(self._isa, self.texts[at])
        if found is None:
            raise NoRule(self.texts[at])
        bits = bits or 8 * found[1]
        if self._isa is Isa.A64 and found[0] == ZERO_REGISTER:
            return Lanes(self._numbers.place(0), 1, bits, signed)
        return Lanes(general_start(self._isa, found[0]) + byte, 1, bits, signed)

    def last(self, at: int, bits: int = 0) -> Lanes:
        """Return the operand from text `at` to the end: a number or a register, shifted or extended perhaps."""
        rest, bits = self.texts[at:], bits or self.bits
        if len(rest) == 1:
            return self.number(self.value(at), bits) if self.is_number(at) else self.register(at, bits)
        modifier = _MODIFIER.match(rest[1])
        if len(rest) != 2 or modifier is None:
            raise NoRule(", ".join(rest))
        name, amount = modifier[1], int(modifier[2] or "0", 0)
        if self.is_number(at):
            if name != "lsl":
                raise NoRule(", ".join(rest))
            return self.number(self.value(at) << amount, bits)
        if modifier[3] is not None:
            return self.shifted_by_register(name, self.register(at, bits), modifier[3], self.temporary(bits))
        if name in ("lsl", "lsr", "asr"):
            return self.shifted(name, self.register(at, bits), amount, self.temporary(bits))
        extended = self.extended(self.register(at, min(_BITS[name[3]], bits), signed=name[0] == "s"), bits)
        return self.shifted("lsl", extended, amount, self.temporary(bits)) if amount else extended

    def shifted(self, name: str, source: Lanes, amount: int, to: Lanes) -> Lanes:
        """Shift by a number, to `to`."""
        family = "shl" if name == "lsl" else "shr"
        signed = None if name == "lsl" else name == "asr"
        self.add(family, to, Lanes(source.start, 1, source.bits, signed), immediate=amount)
        return to

    def shifted_by_register(self, name: str, source: Lanes, text: str, to: Lanes) -> Lanes:
        """Shift by the amount in a register, to `to`: A32 takes its low byte, A64 as many bits as it needs."""
        found = general_named(self._isa, text)
        if found is None or found[0] == ZERO_REGISTER:
            raise NoRule(text)
        amount = Lanes(general_start(self._isa, found[0]), 1, 8 if self._isa is Isa.A32 else to.bits, signed=False)
        family = "shift_left_by" if name == "lsl" else "shift_right_by"
        self.add(family, to, Lanes(source.start, 1, source.bits, signed=name != "lsr"), amount)
        return to

    def extended(self, source: Lanes, bits: int, to: Lanes | None = None) -> Lanes:
        """Extend a lane by its sign or by zeros, to `to` or an intermediate result."""
        to = to or self.temporary(bits)
        self.add("mov", to, source)
        return to

    def add(self, family: str, to: Lanes, *sources: Lanes, immediate: int = 0, rounds: bool = False) -> None:
        """Add a step; of a register that is written, the bytes above the lane become zero."""
        end = to.end
        if to.start < file_bytes(self._isa):
            end = to.start + self._isa.pointer_bytes
        self.steps.append(LaneOperation(family, to, sources, immediate, rounds=rounds, clear_end=end))
