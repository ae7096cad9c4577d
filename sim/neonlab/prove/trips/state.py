"""Hold what general registers and the stack have at a step, as forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips import rules
from neonlab.prove.trips.decide import Flags
from neonlab.prove.trips.form import Form, Unknown, Value

#: Names of addresses that are no buffer's: sp on entry, and that to return to.
STACK, RETURN = "the stack", "the return"


@dataclass
class State:
    """Hold registers of `bits`, and the stack: `slots` by offset from sp on entry, with their sizes in bytes.

    `flags` are None where the run's own are those of every size.
    """

    registers: dict[int, Value]
    slots: dict[int, tuple[Value, int]]
    bits: int
    flags: Flags | Unknown | None = Unknown.JUNK

    def value(self, index: int) -> Value:
        """Return what a register holds; -1 is the zero register."""
        return Form(0) if index < 0 else self.registers.get(index, Unknown.JUNK)

    def form(self, index: int) -> Form:
        """Return the form of a register.  Raises Refusal if it has none."""
        value = self.value(index)
        if not isinstance(value, Form):
            raise Refusal("an address depends on data, or on what is not known")
        return value

    def set(self, index: int, value: Value) -> None:
        """Write a register."""
        if index >= 0:
            self.registers[index] = value

    def refuse_numbers(self, form: Form, count: int) -> None:
        """Refuse a load of data where the stack holds a number that depends on the size."""
        for value in self._overlapping(form, count):
            if not (value is Unknown.DATA or (isinstance(value, Form) and value.is_number)):
                raise Refusal("a number that depends on the size, or that nobody set, becomes data")

    def _overlapping(self, form: Form, count: int) -> list[Value]:
        """Return what the stack holds in `count` bytes at a form."""
        if form.base != STACK:
            return []
        first, last = form.number, form.number + count
        return [v for offset, (v, size) in self.slots.items() if first < offset + size and offset < last]

    def store(self, form: Form, count: int, named: Sequence[int]) -> None:
        """Store `count` bytes at a form: those of the general registers that are named, else of others.

        Raises Refusal where a result would depend on the size otherwise than by data.
        """
        if form.base != STACK:
            values = [self.value(one) for one in named]
            if any(not (one is Unknown.DATA or (isinstance(one, Form) and one.is_number)) for one in values):
                raise Refusal("a number that depends on the size, a pass or an address is stored")
            return
        if form.k or form.t:
            raise Refusal("an address on the stack depends on the size or a pass")
        for offset, (_, size) in list(self.slots.items()):
            if form.number < offset + size and offset < form.number + count:
                del self.slots[offset]
        size = count // len(named) if named else count
        for at in range(len(named) or 1):
            value = self.value(named[at]) if named else Unknown.DATA
            if named and 8 * size != self.bits and isinstance(value, Form):
                if not value.is_number:
                    raise Refusal("a part of a register that depends on the size is stored")
                value = Unknown.JUNK
            self.slots[form.number + size * at] = value, size

    def loaded(self, form: Form, size: int, at: int) -> Value:
        """Return what a register gets from `size` bytes of a buffer or the stack, after `at` registers of that size."""
        if form.base != STACK:
            return Unknown.DATA
        place = Form(form.number + size * at, base=STACK)
        held = self.slots.get(place.number)
        if held is not None and held[1] == size and 8 * size == self.bits:
            return held[0]
        found = self._overlapping(place, size)
        return Unknown.DATA if found and all(one is Unknown.DATA for one in found) else Unknown.JUNK


def named_registers(instruction: Instruction) -> list[int]:
    """Return the general registers that an instruction loads or stores, in the order of memory."""
    parts = rules.operands(instruction)
    if instruction.isa is Isa.A32 and instruction.mnemonic.startswith(("ldm", "stm", "vldm", "vstm")):
        parts = parts[1:]
    texts: list[str] = []
    for text in parts:
        if text.startswith("["):
            break
        texts += text.strip("{}").split(",") if text.startswith("{") else [text]
    if instruction.isa is Isa.A32:
        texts = ["r15" if text.strip() == "pc" else text for text in texts]
    found = [rules.register_number(instruction.isa, text.strip()) for text in texts]
    return [one[0] for one in found if one is not None]
