"""Compute the interval of every general register before every instruction, given the value ranges of a contract.

Intervals contain integers congruent to the register's contents modulo 2^64 (2^32 in A32), so -64 to 47 is one too.
They are propagated forward along the control flow to the least solution, apart from widening.  A condition on a
comparison, an addition or a subtraction narrows them; an edge on which nothing is left is never taken.  Values in the
kernel's own frame are followed as long as sp is only stepped and used as a base.

A register that is not followed may hold any number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa
from neonlab.verify.mutation.knowledge import INVERSE, Fact, Interval, Knowledge
from neonlab.verify.mutation.operand_text import operands_of, register_of, thresholds_of

_STEPS_BEFORE_WIDENING = 12


class Intervals:
    """The analysis of one program."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self._isa = program.isa
        self._bits = 8 * program.isa.pointer_bytes
        self._by_address = program.by_address
        self._numbers = thresholds_of(program)
        self.before: dict[int, Knowledge] = {}
        entry = program.addresses.get(contract.name)
        followed = not any(i.branch in (BranchKind.CALL, BranchKind.INDIRECT) for i in program.instructions)
        if entry is not None and entry in self._by_address and followed and not program.thumb:
            self._keeps_frame = not any(map(self._lets_sp_out, program.instructions))
            self._solve(entry, self._on_entry(contract))

    def _on_entry(self, contract: Contract) -> Knowledge:
        registers: dict[int, Interval] = {}
        frame: dict[int, Interval] = {}
        for argument in contract.arguments:
            if argument.ctype.kind != "integer" or argument.value_range is None:
                continue
            interval = (int(argument.value_range[0]), int(argument.value_range[1]))
            location, size = argument.location, argument.ctype.size
            # In A64 the bits above a narrow argument are unspecified.
            if size != self._bits // 8 and (self._isa is Isa.A64 or size > 4):
                continue
            if location.stack_offset is not None:
                frame[location.stack_offset] = interval
            elif len(location.registers) == 1:
                registers[int(location.registers[0][1:])] = interval
        return Knowledge(registers, None, frame)

    def _lets_sp_out(self, instruction: Instruction) -> bool:
        """Tell whether the instruction may put an address in the frame into another register."""
        names = operands_of(instruction)
        if "sp" not in names:
            return False
        return not (names[0] == "sp" and instruction.mnemonic in ("add", "sub") and names[1] == "sp")

    def _solve(self, entry: int, start: Knowledge) -> None:
        self.before[entry] = start
        visits: dict[int, int] = {}
        waiting = [entry]
        while waiting:
            address = waiting.pop()
            for target, after in self._edges(self._by_address[address], self.before[address]):
                if target not in self._by_address:
                    continue
                known = self.before.get(target)
                visits[target] = visits.get(target, 0) + 1
                joined = after if known is None else self._joined(known, after, visits[target])
                if joined != known:
                    self.before[target] = joined
                    waiting.append(target)

    def _joined(self, known: Knowledge, other: Knowledge, visits: int) -> Knowledge:
        widen = visits > _STEPS_BEFORE_WIDENING

        def join(ours: Mapping[int, Interval], theirs: Mapping[int, Interval]) -> dict[int, Interval]:
            found: dict[int, Interval] = {}
            for key, (low, high) in ours.items():
                if key not in theirs:
                    continue
                new_low, new_high = min(low, theirs[key][0]), max(high, theirs[key][1])
                if widen and new_low < low:
                    new_low = max((n for n in self._numbers if n <= new_low), default=-(1 << 70))
                if widen and new_high > high:
                    new_high = min((n for n in self._numbers if n >= new_high), default=1 << 70)
                interval = self._fitting(new_low, new_high)
                if interval is not None:
                    found[key] = interval
            return found

        return Knowledge(
            join(known.registers, other.registers),
            known.fact if known.fact == other.fact else None,
            join(known.frame, other.frame),
            known.depth if known.depth == other.depth else None,
            known.flags | other.flags,
        )

    def _fitting(self, low: int, high: int, bits: int | None = None) -> Interval | None:
        """Return the interval if its numbers stand for different contents; None if it says nothing.

        A result of 32 bits in A64 has zeros above.
        """
        bits = bits or self._bits
        size = 1 << bits
        if high - low >= size:
            low, high = 0, size - 1
        if bits < self._bits:
            if low // size != high // size:
                return 0, size - 1
            return low % size, high % size
        if low < -(size >> 1) or high >= size or (low < 0 and high >= size >> 1):
            if low // size != high // size:
                return None
            low, high = low % size, high % size
        return low, high

    def _edges(self, instruction: Instruction, known: Knowledge) -> list[tuple[int, Knowledge]]:
        following = instruction.address + instruction.size
        if instruction.branch is BranchKind.NONE:
            after = self._after(instruction, known)
            return [(following, after)] if after is not None else []
        if instruction.branch is BranchKind.RETURN:
            stays = known.given(INVERSE[instruction.condition]) if instruction.condition else None
            return [(following, stays)] if stays is not None else []
        assert instruction.target is not None
        if instruction.branch is BranchKind.JUMP and not instruction.condition:
            return [(instruction.target, known)]
        found = []
        for target, taken in ((instruction.target, True), (following, False)):
            after = self._branched(instruction, known, taken)
            if after is not None:
                found.append((target, after))
        return found

    def _branched(self, instruction: Instruction, known: Knowledge, taken: bool) -> Knowledge | None:
        if instruction.condition:
            return known.given(instruction.condition if taken else INVERSE[instruction.condition])
        if instruction.mnemonic in ("cbz", "cbnz"):
            index, bits = register_of(operands_of(instruction)[0], self._isa)
            if bits == self._bits and index is not None:
                zero = (instruction.mnemonic == "cbz") == taken
                return known.compared_with_zero(index, zero)
        return known

    def _value(self, known: Knowledge, name: str) -> Interval | None:
        """Return the interval of an operand, which is a register or a number; None if unknown."""
        if name.startswith("#"):
            number = int(name[1:], 0)
            return number, number
        if name in ("xzr", "wzr"):
            return 0, 0
        index, bits = register_of(name, self._isa)
        interval = known.registers.get(index) if index is not None else None
        if interval is None:
            return (0, (1 << 32) - 1) if bits < self._bits and index is not None else None
        return interval if bits == self._bits else self._fitting(*interval, bits)

    def _after(self, instruction: Instruction, known: Knowledge) -> Knowledge | None:
        """Return what holds after an instruction that does not branch; if predicated, whether or not it executes."""
        if self._isa is Isa.A64 or not instruction.condition:
            return self._executed(instruction, known, instruction.mnemonic)
        mnemonic = instruction.mnemonic.removesuffix(instruction.condition)
        does = known.given(instruction.condition)
        does = self._executed(instruction, does, mnemonic) if does is not None else None
        does_not = known.given(INVERSE[instruction.condition])
        if does is None or does_not is None:
            return does or does_not
        return self._joined(does, does_not, 0)

    def _executed(self, instruction: Instruction, known: Knowledge, mnemonic: str) -> Knowledge | None:
        names = operands_of(instruction)
        sets_flags = FLAGS in instruction.writes
        result = self._result(mnemonic, names, known)
        if mnemonic in ("csel", "csinc") and self._isa is Isa.A64:
            result = self._selected(mnemonic, names, known)
        fact = self._fact(mnemonic, names, known) if sets_flags else known.fact
        after = replace(known, fact=fact, flags=self._flags(mnemonic, names, known) if sets_flags else known.flags)
        stack = 31 if self._isa is Isa.A64 else 13
        depth = self._depth(instruction, known, mnemonic, names, stack)
        loaded = self._loaded(instruction, known, names, mnemonic)
        frame = self._stored(instruction, known, names, mnemonic)
        target = register_of(names[0], self._isa)[0] if names and not instruction.accesses else None
        for register in instruction.writes:
            if register.file == "general":
                after = after.having(register.index, loaded.get(register.index))
                if register.index == target and not instruction.accesses:
                    after = after.having(target, result)
        if instruction.writeback is not None and instruction.writeback.register is None:
            base = instruction.writeback.base.index
            interval = known.registers.get(base)
            if interval is not None:
                step = instruction.writeback.immediate
                after = after.having(base, self._fitting(interval[0] + step, interval[1] + step))
        if fact is not None and sets_flags and fact.result is not None:  # the result was written later
            after = replace(after, fact=fact)
        return replace(after, depth=depth, frame=frame)

    def _selected(self, mnemonic: str, names: list[str], known: Knowledge) -> Interval | None:
        bits = register_of(names[0], self._isa)[1]
        found: Interval | None = None
        for name, condition, step in ((names[1], names[3], 0), (names[2], INVERSE.get(names[3], ""), 1)):
            given = known.given(condition)
            if given is None:
                continue
            value = self._value(given, name)
            if value is None:
                return None
            if step and mnemonic == "csinc":
                value = value[0] + 1, value[1] + 1
            found = value if found is None else (min(found[0], value[0]), max(found[1], value[1]))
        return self._fitting(*found, bits) if found is not None else None

    def _fact(self, mnemonic: str, names: list[str], known: Knowledge) -> Fact | None:
        """Return the comparison or sum behind the flags that this instruction sets; None if it is unknown."""
        if mnemonic in ("cmp", "cmn"):
            result, operands = None, names
        elif mnemonic in ("subs", "adds"):
            result, operands = register_of(names[0], self._isa)[0], names[1:]
        elif mnemonic == "movs" and len(names) == 2:
            return None
        else:
            return None
        if len(operands) != 2:
            return None
        values = self._value(known, operands[0]), self._value(known, operands[1])
        bits = max(
            (register_of(name, self._isa)[1] for name in operands if not name.startswith("#")), default=self._bits
        )
        if values[0] is None or values[1] is None or bits != self._bits:
            return None
        left, right = (register_of(name, self._isa)[0] if not name.startswith("#") else None for name in operands)
        left, right = (None if index == result else index for index in (left, right))
        return Fact(mnemonic in ("cmp", "subs"), (values[0], values[1]), left, right, result, bits)

    def _flags(self, mnemonic: str, names: list[str], known: Knowledge) -> int:
        """Return the possible flag values, one bit each, after an instruction that sets flags.

        For most instructions these are all values that agree with the old ones in the flags that it keeps.
        """
        kept = 0
        if mnemonic in ("ands", "tst", "bics", "orrs", "eors", "movs", "mvns", "teq") and self._isa is Isa.A32:
            last = names[-1]
            # An immediate above 8 bits is encoded as a rotation, which sets the carry.
            plain = not last.startswith("#") or 0 <= int(last[1:], 0) < 256
            kept = 3 if plain and not re.match(r"(lsl|lsr|asr|ror|rrx)\b", last) else 1
        elif mnemonic in ("ands", "tst", "bics") and self._isa is Isa.A64:
            return sum(1 << value for value in range(16) if not value & 3)
        elif mnemonic in ("lsls", "lsrs", "asrs", "muls"):
            kept = 1
        before = {value & kept for value in range(16) if known.flags >> value & 1}
        return sum(1 << value for value in range(16) if value & kept in before)

    def _result(self, mnemonic: str, names: list[str], known: Knowledge) -> Interval | None:
        """Return the interval that an integer instruction writes to its first operand; None if unknown."""
        if not names:
            return None
        index, bits = register_of(names[0], self._isa)
        if index is None:
            return None
        shift = re.fullmatch(r"(lsl|lsr) #(\w+)", names[-1])
        operands = names[1:-1] if shift else names[1:]
        if any(" " in name or name.startswith(("[", "{")) for name in operands):
            return (0, (1 << 32) - 1) if bits < self._bits else None
        if len(operands) == 1 and mnemonic.rstrip("s") in ("add", "sub", "and", "lsl", "lsr"):
            operands = [names[0], *operands]
        values = [self._value(known, name) for name in operands]
        if shift and values and values[-1] is not None:
            values[-1] = self._shifted(shift[1], values[-1], int(shift[2], 0), bits)
        found = self._arithmetic(mnemonic, values, bits)
        if found is None:
            return (0, (1 << bits) - 1) if bits < self._bits else None
        return self._fitting(*found, bits)

    def _shifted(self, kind: str, value: Interval, by: int, bits: int) -> Interval | None:
        if kind == "lsl":
            return value[0] << by, value[1] << by
        if value[0] >= 0:
            return value[0] >> by, value[1] >> by
        return 0, (1 << bits - by) - 1

    def _arithmetic(self, mnemonic: str, values: list[Interval | None], bits: int) -> Interval | None:
        first = values[0] if values else None
        second = values[1] if len(values) > 1 else None
        base = mnemonic[:-1] if mnemonic in ("adds", "subs", "ands", "lsrs", "lsls", "movs", "rsbs") else mnemonic
        if base in ("mov", "movz", "movw") and len(values) == 1:
            return first
        if base == "and" and len(values) == 2:
            highest = [value[1] for value in (first, second) if value is not None and value[0] >= 0]
            return (0, min(highest)) if highest else None
        if base == "lsr" and len(values) == 2 and second is not None and second[0] == second[1]:
            value = first if first is not None else (0, (1 << bits) - 1)
            return self._shifted("lsr", value, second[0], bits)
        if first is None or second is None or len(values) > 2:
            return None
        if base == "add":
            return first[0] + second[0], first[1] + second[1]
        if base == "sub":
            return first[0] - second[1], first[1] - second[0]
        if base == "rsb":
            return second[0] - first[1], second[1] - first[0]
        if base == "lsl" and second[0] == second[1]:
            return first[0] << second[0], first[1] << second[0]
        if base == "mul":
            corners = [a * b for a in first for b in second]
            return min(corners), max(corners)
        return None

    def _depth(
        self, instruction: Instruction, known: Knowledge, mnemonic: str, names: list[str], stack: int
    ) -> int | None:
        if all(register.file != "general" or register.index != stack for register in instruction.writes):
            return known.depth
        if known.depth is None:
            return None
        if instruction.writeback is not None and instruction.writeback.base.index == stack:
            return None if instruction.writeback.register else known.depth + instruction.writeback.immediate
        if mnemonic in ("add", "sub") and names[:2] == ["sp", "sp"] and names[2].startswith("#") and len(names) == 3:
            step = int(names[2][1:], 0)
            return known.depth + (step if mnemonic == "add" else -step)
        return None

    def _words(self, instruction: Instruction, known: Knowledge, kind: AccessKind) -> list[tuple[int, int]] | None:
        """Return the parts of the frame that accesses touch, as (start, end) offsets; None if they may be anywhere."""
        stack = 31 if self._isa is Isa.A64 else 13
        found = []
        for access in instruction.accesses:
            if access.kind is not kind:
                continue
            if access.base is None or access.base.index != stack:
                continue  # no other register holds sp, and the caller's buffers are not in the frame
            if known.depth is None or access.index is not None:
                return None
            start = known.depth + access.displacement
            found.append((start, start + access.count))
        return found

    def _loaded(
        self, instruction: Instruction, known: Knowledge, names: list[str], mnemonic: str
    ) -> dict[int, Interval]:
        """Return what is known of registers that are loaded: from words of the frame, or by narrow loads."""
        found: dict[int, Interval] = {}
        index, bits = register_of(names[0], self._isa) if names else (None, 0)
        size = self._bits // 8
        if index is None or not any(access.kind is AccessKind.LOAD for access in instruction.accesses):
            return found
        if mnemonic in ("ldrb", "ldrh", "ldurb", "ldurh"):
            found[index] = (0, 0xFF if mnemonic.endswith("b") else 0xFFFF)
        elif mnemonic in ("ldr", "ldur", "ldp") and bits < self._bits:
            loaded = [register_of(name, self._isa)[0] for name in (names[:2] if mnemonic == "ldp" else names[:1])]
            found.update((number, (0, (1 << 32) - 1)) for number in loaded if number is not None)
        elif mnemonic in ("ldr", "ldur", "ldp", "ldrd"):
            words = self._words(instruction, known, AccessKind.LOAD)
            numbers = [
                register_of(name, self._isa)[0] for name in (names[:2] if mnemonic in ("ldp", "ldrd") else names[:1])
            ]
            if words and len(words) == 1 and words[0][1] - words[0][0] == size * len(numbers):
                for position, number in enumerate(numbers):
                    interval = known.frame.get(words[0][0] + size * position)
                    if number is not None and interval is not None:
                        found[number] = interval
        return found

    def _stored(
        self, instruction: Instruction, known: Knowledge, names: list[str], mnemonic: str
    ) -> Mapping[int, Interval]:
        """Return the contents of the frame after an instruction."""
        if not any(access.kind is AccessKind.STORE for access in instruction.accesses):
            return known.frame
        if not self._keeps_frame:  # an address into the frame reaches locals, never the arguments
            known = replace(known, frame={at: interval for at, interval in known.frame.items() if at >= 0})
        words = self._words(instruction, known, AccessKind.STORE)
        if words is None:
            return {}
        size = self._bits // 8
        frame = {
            at: interval
            for at, interval in known.frame.items()
            if not any(start < at + size and at < end for start, end in words)
        }
        if mnemonic in ("str", "stur", "stp", "strd") and len(words) == 1 and not instruction.condition:
            stored = names[:2] if mnemonic in ("stp", "strd") else names[:1]
            if words[0][1] - words[0][0] == size * len(stored):
                for position, name in enumerate(stored):
                    interval = self._value(known, name) if register_of(name, self._isa)[1] == self._bits else None
                    if interval is not None:
                        frame[words[0][0] + size * position] = interval
        return frame
