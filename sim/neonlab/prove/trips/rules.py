"""Compute the forms that instructions on general registers leave, and the flags.

Each rule is exact modulo the size of the register for every size and pass of the region; where it is not, it refuses.
What a rule gives is compared with the recorded run too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.decide import Flags, low_bits
from neonlab.prove.trips.form import Form, Region

_NAMES = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14}
_NAMES_A64 = {"sp": 31, "wsp": 31, "lr": 30, "fp": 29}
_NUMBER = re.compile(r"#?(-?(?:0x[0-9a-f]+|\d+))")
_WITH_FLAGS = ("add", "sub", "rsb", "and", "bic", "mov", "lsl", "lsr", "asr", "mul")
_NO_RULE = "no rule says what becomes of a register that depends on the size, the pass or an address"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what an instruction leaves: the form of its destination, of a general register's number, and the flags."""

    register: int | None
    form: Form | None
    flags: Flags | None = None


def register_number(isa: Isa, text: str) -> tuple[int, int] | None:
    """Return the number and the width in bits of a general register; -1 is the zero register, None no register."""
    if isa is Isa.A32:
        if found := re.fullmatch(r"r(\d+)", text):
            return int(found[1]), 32
        return (_NAMES[text], 32) if text in _NAMES else None
    if text in _NAMES_A64:
        return _NAMES_A64[text], 32 if text == "wsp" else 64
    found = re.fullmatch(r"([wx])(\d+|zr)", text)
    return None if found is None else (-1 if found[2] == "zr" else int(found[2]), 32 if found[1] == "w" else 64)


def operands(instruction: Instruction) -> list[str]:
    """Return the operands' texts; what stands in brackets or braces stays one."""
    return [part.strip() for part in re.split(r",(?![^\[{]*[\]}])", instruction.operands)]


def base_mnemonic(instruction: Instruction) -> tuple[str, bool]:
    """Return the mnemonic without its condition, and whether it sets flags."""
    found = instruction.mnemonic
    if instruction.condition and found.endswith(instruction.condition):
        found = found[: -len(instruction.condition)]
    found = found.removesuffix(".w")
    if found.endswith("s") and found[:-1] in _WITH_FLAGS:
        return found[:-1], True
    return found, found in ("cmp", "cmn", "tst")


def outcome(instruction: Instruction, forms: Mapping[int, Form], region: Region) -> Outcome:
    """Return what an instruction leaves, which accesses no memory and is no branch.  Raises Refusal without a rule.

    `forms` are those of the general registers that it reads, by number.
    """
    reader = _Reader(instruction, forms, region)
    name, sets_flags = base_mnemonic(instruction)
    if name in ("cmp", "cmn", "tst"):
        return Outcome(None, None, reader.flags(name, 0))
    if name not in _RULES or len(reader.parts) < 2:
        raise Refusal(_NO_RULE)
    found = _RULES[name](reader)
    flags = reader.flags(name, 1 if len(reader.parts) > 2 else 0, found) if sets_flags else None
    if reader.bits < instruction.isa.pointer_bytes * 8:  # the upper half becomes zero
        placed = region.placed(found, 0, reader.bits)
        if placed is None:
            raise Refusal("a register of 32 bits wraps around")
        found = placed
    number, _ = reader.target
    return Outcome(number, found, flags)


class _Reader:
    """The operands of one instruction as forms."""

    def __init__(self, instruction: Instruction, forms: Mapping[int, Form], region: Region) -> None:
        self.isa, self.forms, self.region = instruction.isa, forms, region
        self.parts = operands(instruction)
        target = register_number(self.isa, self.parts[0])
        if target is None:
            raise Refusal(_NO_RULE)
        self.target, self.bits = target, target[1]

    def at(self, place: int) -> Form:
        """Return an operand, with what is done to it before it is used."""
        text = self.parts[place]
        if number := _NUMBER.fullmatch(text):
            found: Form | None = Form(int(number[1], 0))
        else:
            register = register_number(self.isa, text)
            if register is None:
                raise Refusal(_NO_RULE)
            found = Form(0) if register[0] < 0 else self.forms[register[0]]
        for further in self.parts[place + 1 :]:
            found = found and self._changed(found, further)
        if found is None:
            raise Refusal(_NO_RULE)
        return found

    def plain(self, place: int) -> Form:
        """Return an operand as it is, although others follow it."""
        parts, self.parts = self.parts, self.parts[: place + 1]
        try:
            return self.at(place)
        finally:
            self.parts = parts

    def number(self, place: int) -> int:
        """Return an operand that must be a number."""
        found = self.at(place)
        if not found.is_number:
            raise Refusal(_NO_RULE)
        return found.number

    def _changed(self, form: Form, text: str) -> Form | None:
        words = text.split()
        amount = _NUMBER.fullmatch(words[1]) if len(words) > 1 else None
        by = int(amount[1], 0) if amount else 0
        if words[0] == "uxtw":
            form = self.placed(form, 0, 32)
        elif words[0] == "sxtw":
            form = self.placed(form, -(1 << 31), 32)
        elif words[0] not in ("lsl", "uxtx", "sxtx") or (len(words) > 1 and amount is None):
            return None
        return form.times(1 << by)

    def placed(self, form: Form, lowest: int, bits: int) -> Form:
        """Return what the lowest bits of a register hold; refuse where it may wrap around."""
        found = self.region.placed(form, lowest, bits)
        if found is None:
            raise Refusal(f"a number of {bits} bits wraps around")
        return found

    def flags(self, name: str, first: int, result: Form | None = None) -> Flags:
        """Return the flags that an operation sets whose first source is operand `first`."""
        if name in ("sub", "cmp"):
            return Flags("difference", self.plain(first), self.at(first + 1), self.bits)
        if name in ("add", "cmn"):
            return Flags("sum", self.plain(first), self.at(first + 1), self.bits)
        if name == "rsb":
            return Flags("difference", self.at(first + 1), self.plain(first), self.bits)
        if name == "tst":
            result = _masked(self, self.plain(first), self.number(first + 1))
        if result is None:
            raise Refusal(_NO_RULE)
        return Flags("bits", result, Form(0), self.bits)


def _both(reader: _Reader) -> tuple[Form, Form]:
    """Return the two sources; where only one is written, the destination is the first."""
    return (reader.plain(1), reader.at(2)) if len(reader.parts) > 2 else (reader.plain(0), reader.at(1))


def _known(found: Form | None) -> Form:
    if found is None:
        raise Refusal("an address is added to an address, or multiplied")
    return found


def _product(a: Form, b: Form) -> Form:
    if b.is_number:
        a, b = b, a
    if not a.is_number:
        raise Refusal("two registers that depend on the size or the pass are multiplied")
    return _known(b.times(a.number))


def _masked(reader: _Reader, form: Form, mask: int) -> Form:
    """Return form & mask, of bits that do not vary, of all bits that there are, or without low bits."""
    mask &= (1 << reader.bits) - 1
    length = mask.bit_length()
    if form.is_number:
        return Form(form.number & mask)
    if not (form.base or form.k % (1 << length) or form.t % (1 << length)):
        return Form(form.number & mask)
    cleared = (mask & -mask).bit_length() - 1
    if mask >> cleared == (1 << length - cleared) - 1:
        rest = form._replace(number=form.number - low_bits(form, cleared)) if cleared else form
        if length == reader.bits:
            return rest
        return reader.placed(rest, 0, length)
    raise Refusal("bits of a register vary from size to size or from pass to pass")


def _shifted_down(reader: _Reader, lowest: int) -> Form:
    form, by = _both(reader)
    if not by.is_number or not 0 <= by.number < reader.bits:
        raise Refusal(_NO_RULE)
    held = reader.placed(form, lowest, reader.bits)
    low_bits(held, by.number)  # refuses where they vary: the shift would not be linear
    return Form(held.number >> by.number, held.k >> by.number, held.t >> by.number)


def _sum_and_product(reader: _Reader, sign: int) -> Form:
    product = _product(reader.plain(1), reader.plain(2))
    return _known(reader.plain(3).plus(_known(product.times(sign))))


def _and(reader: _Reader) -> Form:
    a, b = _both(reader)
    a, b = (b, a) if a.is_number else (a, b)
    if not b.is_number:
        raise Refusal(_NO_RULE)
    return _masked(reader, a, b.number)


def _bic(reader: _Reader) -> Form:
    a, b = _both(reader)
    if not b.is_number:
        raise Refusal(_NO_RULE)
    return _masked(reader, a, ~b.number)


def _left(reader: _Reader) -> Form:
    form, by = _both(reader)
    if not by.is_number or not 0 <= by.number < reader.bits:
        raise Refusal(_NO_RULE)
    return _known(form.times(1 << by.number))


_RULES: Mapping[str, Callable[[_Reader], Form]] = {
    "mov": lambda reader: reader.at(1),
    "add": lambda reader: _known(_both(reader)[0].plus(_both(reader)[1])),
    "sub": lambda reader: _known(_both(reader)[0].minus(_both(reader)[1])),
    "rsb": lambda reader: _known(_both(reader)[1].minus(_both(reader)[0])),
    "neg": lambda reader: _known(reader.at(1).times(-1)),
    "lsl": _left,
    "lsr": lambda reader: _shifted_down(reader, 0),
    "asr": lambda reader: _shifted_down(reader, -(1 << reader.bits - 1)),
    "mul": lambda reader: _product(*_both(reader)),
    "madd": lambda reader: _sum_and_product(reader, 1),
    "mla": lambda reader: _sum_and_product(reader, 1),
    "msub": lambda reader: _sum_and_product(reader, -1),
    "mls": lambda reader: _sum_and_product(reader, -1),
    "and": _and,
    "bic": _bic,
    "uxtw": lambda reader: reader.placed(reader.at(1), 0, 32),
    "uxth": lambda reader: reader.placed(reader.at(1), 0, 16),
    "uxtb": lambda reader: reader.placed(reader.at(1), 0, 8),
    "sxtw": lambda reader: reader.placed(reader.at(1), -(1 << 31), 32),
}
