"""Express the effect of a straight run of instructions on general registers, as sums of their values on entry.

A register is known as constant + sum of coefficient * atom, modulo 2^width.  An atom is a register on entry, plain or
extended or shifted as in an addressing mode.  A register stays known through additions, subtractions, moves, left
shifts by constants and post-increments.  Anything else that an instruction writes becomes unknown.

Encodings: Arm Architecture Reference Manual, DDI 0487, C4.1; DDI 0406C, A5.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from neonlab.isa.model.instruction import Instruction, MemoryAccess
from neonlab.isa.model.isa import FLAGS, Isa

_LINEAR = ("", "lsl", "uxtx", "sxtx")


@dataclass(frozen=True, slots=True, order=True)
class Atom:
    """A register on entry: `extend` and `shift` are as in `MemoryAccess`, "" and 0 for the plain register."""

    register: int
    extend: str = ""
    shift: int = 0


@dataclass(frozen=True, slots=True)
class AffineAddress:
    """The sum constant + sum of coefficient * atom; terms are sorted, and no coefficient is 0."""

    constant: int
    terms: tuple[tuple[Atom, int], ...] = ()


@dataclass(slots=True)
class RegisterValues:
    """The general registers at one place of a run, and whether the flags are still those of its start."""

    isa: Isa
    flags_kept: bool = True
    _changed: dict[int, AffineAddress | None] = field(default_factory=dict)

    def of(self, index: int) -> AffineAddress | None:
        """Return the value of general register `index`, None when unknown."""
        return self._changed[index] if index in self._changed else AffineAddress(0, ((Atom(index), 1),))

    def address(self, access: MemoryAccess) -> AffineAddress | None:
        """Return the address of `access`, None when unknown."""
        total: AffineAddress | None = AffineAddress(self._wrapped(access.displacement))
        if access.base is not None:
            total = self._sum(total, self.of(access.base.index))
        if access.index is not None:
            total = self._sum(total, self._extended(access.index.index, access.extend, access.shift))
        return total

    def execute(self, instruction: Instruction) -> None:
        """Update the registers by the effect of `instruction`."""
        written = {register.index for register in instruction.writes if register.file == "general"}
        change: dict[int, AffineAddress | None] = dict.fromkeys(written)
        if not (self.isa is Isa.A32 and instruction.condition):
            back = instruction.writeback
            if back is not None:
                value = self._sum(self.of(back.base.index), AffineAddress(self._wrapped(back.immediate)))
                if back.register is not None:
                    value = self._sum(value, self._extended(back.register.index, back.extend, back.shift))
                change[back.base.index] = value
            elif len(written) == 1 and not instruction.accesses:
                (destination,) = written
                compute = self._a64 if self.isa is Isa.A64 else self._a32
                change[destination] = compute(instruction.word, instruction.address, destination)
        self._changed.update(change)
        if FLAGS in instruction.writes:
            self.flags_kept = False

    def _wrapped(self, value: int) -> int:
        return value & (1 << 8 * self.isa.pointer_bytes) - 1

    def _sum(self, left: AffineAddress | None, right: AffineAddress | None, sign: int = 1) -> AffineAddress | None:
        if left is None or right is None:
            return None
        terms: dict[Atom, int] = dict(left.terms)
        for atom, coefficient in right.terms:
            terms[atom] = self._wrapped(terms.get(atom, 0) + sign * coefficient)
        kept = tuple(sorted((atom, coefficient) for atom, coefficient in terms.items() if coefficient))
        return AffineAddress(self._wrapped(left.constant + sign * right.constant), kept)

    def _scaled(self, value: AffineAddress | None, shift: int) -> AffineAddress | None:
        total: AffineAddress | None = AffineAddress(0)
        if value is None:
            return None
        scaled = tuple((atom, self._wrapped(coefficient << shift)) for atom, coefficient in value.terms)
        return self._sum(total, AffineAddress(self._wrapped(value.constant << shift), scaled))

    def _extended(self, index: int, extend: str, shift: int) -> AffineAddress | None:
        kind, sign = extend.removeprefix("-"), -1 if extend.startswith("-") else 1
        value = self.of(index)
        if kind in _LINEAR:
            found = self._scaled(value, shift)
        elif value != AffineAddress(0, ((Atom(index), 1),)) or (kind == "rrx" and not self.flags_kept):
            return None
        else:
            found = AffineAddress(0, ((Atom(index, kind, shift), 1),))
        return self._sum(AffineAddress(0), found, sign)

    def _a64(self, word: int, address: int, destination: int) -> AffineAddress | None:
        n, m = word >> 5 & 31, word >> 16 & 31
        wide, sign = bool(word >> 31), -1 if word >> 30 & 1 else 1
        if word & 0x1F000000 == 0x10000000:  # ADR, ADRP
            offset = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            offset -= (offset & 1 << 20) << 1
            return AffineAddress(self._wrapped((address & ~0xFFF) + (offset << 12) if wide else address + offset))
        if word & 0x1F800000 == 0x12800000 and word >> 29 & 3 != 1:  # MOVN, MOVZ, MOVK
            shift, immediate, mask = 16 * (word >> 21 & 3), word >> 5 & 0xFFFF, (1 << (64 if wide else 32)) - 1
            if word >> 29 & 3 == 0:
                return AffineAddress(~(immediate << shift) & mask)
            if word >> 29 & 3 == 2:
                return AffineAddress(immediate << shift)
            before = self.of(destination)
            if before is None or before.terms:
                return None
            return AffineAddress((before.constant & ~(0xFFFF << shift) | immediate << shift) & mask)
        if not wide:
            return None
        if word & 0x1F800000 == 0x11000000:  # ADD, SUB (immediate)
            immediate = (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
            return self._sum(self.of(n), AffineAddress(immediate), sign)
        if word & 0x1FE00000 == 0x0B000000:  # ADD, SUB (shifted register, LSL)
            return self._sum(self._or_zero(n), self._scaled(self._or_zero(m), word >> 10 & 63), sign)
        if word & 0x1FE00000 == 0x0B200000:  # ADD, SUB (extended register)
            extend = {2: "uxtw", 3: "uxtx", 6: "sxtw", 7: "sxtx"}.get(word >> 13 & 7)
            if extend is None or (m == 31):
                return None
            return self._sum(self.of(n), self._extended(m, extend, word >> 10 & 7), sign)
        if word & 0xFFE003E0 == 0xAA0003E0:  # MOV, LSL by way of ORR (shifted register)
            return self._scaled(self._or_zero(m), word >> 10 & 63)
        if word & 0xFFC00000 == 0xD3400000:  # UBFM: LSL (immediate)
            rotate, last = word >> 16 & 63, word >> 10 & 63
            if last != 63 and rotate == last + 1:
                return self._scaled(self._or_zero(n), 63 - last)
        return None

    def _or_zero(self, index: int) -> AffineAddress | None:
        return AffineAddress(0) if index == 31 else self.of(index)

    def _a32(self, word: int, address: int, _destination: int) -> AffineAddress | None:
        n, operation = word >> 16 & 15, word >> 21 & 15
        low = (word >> 4 & 0xF000) | (word & 0xFFF)
        if word & 0x0FF00000 == 0x03000000:  # MOVW
            return AffineAddress(low)
        if word & 0x0FF00000 == 0x03400000:  # MOVT
            before = self.of(word >> 12 & 15)
            return None if before is None or before.terms else AffineAddress(before.constant & 0xFFFF | low << 16)
        if word & 0x0E000000 == 0x02000000:
            rotate = 2 * (word >> 8 & 15)
            immediate = word & 0xFF
            second: AffineAddress | None = AffineAddress(
                self._wrapped(immediate >> rotate | immediate << (32 - rotate))
            )
        elif word & 0x0E000010 == 0:
            kind, shift, m = word >> 5 & 3, word >> 7 & 31, word & 15
            if kind == 3 or m == 15 or (kind and not shift):  # ROR, RRX, and shifts by 32
                return None
            second = self._extended(m, ("lsl", "lsr", "asr")[kind], shift)
        else:
            return None
        if operation == 13:  # MOV
            return second
        if operation == 15:  # MVN
            return self._sum(AffineAddress(0xFFFFFFFF), second, -1)
        first = AffineAddress(address + 8) if n == 15 else self.of(n)
        if operation == 4:  # ADD
            return self._sum(first, second)
        if operation == 2:  # SUB
            return self._sum(first, second, -1)
        if operation == 3:  # RSB
            return self._sum(second, first, -1)
        return None
