"""Find vector registers that hold the lowest or the highest allowed result of a contract in every lane.

A contract declares these limits by a layout that ends in `lowest_highest`: the last two elements of the buffer are the
ends of a range.  As long as the range is not empty, clamping to it gives the same result in either order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Argument, Contract
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.mutation.intervals import Intervals

LOWEST, HIGHEST = "lowest", "highest"
_SIZES = {"b": 1, "h": 2, "s": 4, "d": 8}


@dataclass(frozen=True)
class _End:
    """An end of the range in the first `held` bytes of a register, in every lane of `size` bytes."""

    which: str
    size: int
    held: int


@dataclass(frozen=True)
class _State:
    """Contents of registers: `pointers` of general ones, as bytes into the buffer; `ends` of vector ones."""

    pointers: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, _End] = field(default_factory=dict)

    def join(self, other: _State) -> _State:
        """Return what holds on both paths."""
        return _State(
            {key: value for key, value in self.pointers.items() if other.pointers.get(key) == value},
            {key: value for key, value in self.ends.items() if other.ends.get(key) == value},
        )


class Clamps:
    """The registers that hold ends of the range before every instruction of one program."""

    def __init__(self, program: Program, contract: Contract, known: Intervals) -> None:
        self._isa, self._by_address, self._known = program.isa, program.by_address, known
        self._before: dict[int, _State] = {}
        found = [a for a in contract.arguments if a.is_pointer and a.layout.endswith("lowest_highest")]
        self._range: Argument | None = found[0] if len(found) == 1 else None
        entry = program.addresses.get(contract.name)
        if self._range is None or entry is None or entry not in known.before:
            return
        self._bytes = self._range.block({}).size if not self._range.read or not self._range.read.size.names else 0
        location = self._range.location
        self._slot = location.stack_offset
        pointers = {} if self._slot is not None else {int(location.registers[0][1:]): 0}
        self._solve(entry, _State(pointers))

    def order_is_free(self, old: Sequence[Instruction], new: Sequence[Instruction]) -> bool:
        """Tell whether `old` clamps lanes to both ends of the range, and `new` does the same in the other order."""
        if len(old) != 2 or [i.text for i in new] != [i.text for i in reversed(old)]:
            return False
        state = self._before.get(old[0].address)
        read = [_bound(instruction) for instruction in old]
        if state is None or self._range is None or self._range.dtype.kind not in "iu":
            return False
        ends: dict[str, str] = {}
        for bound in read:
            if bound is None:
                return False
            kind, signed, size, _, held, registers = bound
            for register in registers:
                end = state.ends.get(register)
                if end is None or end.size != size or end.held < held:
                    return False
                ends[kind] = end.which
            limits = np.iinfo(self._range.dtype)
            low, high = self._range.value_range or (limits.min, limits.max)
            least, most = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
            if low < least or high > most:
                return False
        first, second = read
        assert first is not None and second is not None
        same = (first[1], first[2], first[3]) == (second[1], second[2], second[3])
        return same and ends == {"max": LOWEST, "min": HIGHEST}

    def _solve(self, entry: int, start: _State) -> None:
        self._before[entry] = start
        waiting = [entry]
        while waiting:
            instruction = self._by_address[waiting.pop()]
            after = self._after(instruction, self._before[instruction.address])
            following = instruction.address + instruction.size
            ways = [following] if instruction.branch not in (BranchKind.JUMP, BranchKind.RETURN) else []
            if instruction.condition:
                ways.append(following)
            if instruction.target is not None and instruction.branch is not BranchKind.NONE:
                ways.append(instruction.target)
            for target in ways:
                if target not in self._by_address:
                    continue
                known = self._before.get(target)
                joined = after if known is None else known.join(after)
                if joined != known:
                    self._before[target] = joined
                    waiting.append(target)

    def _after(self, instruction: Instruction, state: _State) -> _State:
        general = {register.index for register in instruction.writes if register.file == "general"}
        vectors = {register.index for register in instruction.writes if register.file == "vector"}
        pointers = {index: at for index, at in state.pointers.items() if index not in general}
        ends = {index: end for index, end in state.ends.items() if index not in vectors}
        found = _State(pointers, ends)
        if instruction.condition:
            return found
        step = instruction.writeback
        if step is not None and step.register is None and step.base.index in state.pointers:
            pointers[step.base.index] = state.pointers[step.base.index] + step.immediate
        names = [name.strip() for name in re.split(r",(?![^\[{]*[\]}])", instruction.operands)]
        if instruction.mnemonic in ("mov", "add") and names and general:
            self._step_pointer(instruction, names, state, pointers)
        elif instruction.mnemonic in ("ldr", "ldp") and general and not vectors:
            loaded = self._from_slot(instruction, names)
            if loaded is not None:
                pointers[loaded] = 0
        elif instruction.accesses:
            ends.update(self._loaded(instruction, state))
        elif vectors:
            ends.update(self._spread(instruction, names, state, vectors))
        return replace(found, pointers=pointers, ends=ends)

    @staticmethod
    def _step_pointer(instruction: Instruction, names: list[str], state: _State, pointers: dict[int, int]) -> None:
        sources = [register.index for register in instruction.reads if register.file == "general"]
        target = next(register.index for register in instruction.writes if register.file == "general")
        if names[0].startswith("w") or len(sources) != 1 or sources[0] not in state.pointers:
            return
        if instruction.mnemonic == "mov" and len(names) == 2:
            pointers[target] = state.pointers[sources[0]]
        elif instruction.mnemonic == "add" and len(names) == 3 and names[2].startswith("#"):
            pointers[target] = state.pointers[sources[0]] + int(names[2][1:], 0)

    def _from_slot(self, instruction: Instruction, names: list[str]) -> int | None:
        """Return the register that the argument is loaded into from the stack, or None."""
        (access, *more) = instruction.accesses
        stack, size = (31 if self._isa is Isa.A64 else 13), self._isa.pointer_bytes
        known = self._known.before.get(instruction.address)
        if more or self._slot is None or access.base is None or access.base.index != stack or access.index is not None:
            return None
        if known is None or known.depth is None:
            return None
        registers = {register.name(self._isa): register.index for register in instruction.writes}
        if self._isa is Isa.A32:  # Capstone's names differ there (ip for r12), and such a load writes one register
            registers = dict.fromkeys(
                names[:1], min((index for index in registers.values() if index != stack), default=stack)
            )
        number, left = divmod(self._slot - known.depth - access.displacement, size)
        if left or not 0 <= number < access.count // size or number >= len(names):
            return None
        return registers.get(names[number])

    def _loaded(self, instruction: Instruction, state: _State) -> dict[int, _End]:
        """Return the ends that a load puts into every lane of a register, by register."""
        access = instruction.accesses[0]
        at = state.pointers.get(access.base.index) if access.base is not None else None
        if self._isa is Isa.A64:
            form = re.fullmatch(r"ld([1-4])r", instruction.mnemonic)
            lists = re.match(r"\{([^}]*)\}", instruction.operands)
            arranged = re.search(r"\.(\d+)([bhsd])", instruction.operands)
            if at is None or not form or not lists or not arranged or access.index is not None:
                return {}
            size = _SIZES[arranged[2]]
            registers = [int(number) for number in re.findall(r"v(\d+)", lists[1])]
            held = int(arranged[1]) * size
        else:
            form = re.fullmatch(r"vld([1-4])\.(8|16|32)", instruction.mnemonic)
            lists = re.match(r"\{([^}]*)\}", instruction.operands)
            if at is None or not form or not lists or "[]" not in lists[1] or access.index is not None:
                return {}
            size, held = int(form[2]) // 8, 8
            registers = [int(number) for number in re.findall(r"d(\d+)\[\]", lists[1])]
        found: dict[int, _End] = {}
        if len(registers) != int(form[1]) or self._range is None or size != self._range.dtype.itemsize:
            return found
        for number, register in enumerate(registers):
            place = self._bytes - at - number * size
            which = {size: HIGHEST, 2 * size: LOWEST}.get(place)
            if which is not None:
                found[register] = _End(which, size, held)
        return found

    def _spread(self, instruction: Instruction, names: list[str], state: _State, vectors: set[int]) -> dict[int, _End]:
        """Return the ends in registers that receive one lane of another register in all of their lanes."""
        if self._isa is Isa.A64:
            form = re.fullmatch(r"v\d+\.(\d+)([bhsd])", names[0])
            lane = re.fullmatch(r"v(\d+)\.([bhsd])\[(\d+)\]", names[-1])
            if instruction.mnemonic != "dup" or not form or not lane:
                return {}
            size, source, byte = _SIZES[form[2]], int(lane[1]), int(lane[3]) * _SIZES[lane[2]]
            held = int(form[1]) * size
        else:
            wide = re.fullmatch(r"vdup\.(8|16|32)", instruction.mnemonic)
            lane = re.fullmatch(r"d(\d+)\[(\d+)\]", names[-1])
            if not wide or not lane:
                return {}
            size, source = int(wide[1]) // 8, int(lane[1])
            byte, held = int(lane[2]) * size, 8
        end = state.ends.get(source)
        if end is None or size > end.size or byte % end.size or byte >= end.held:
            return {}
        return {register: _End(end.which, size, held) for register in vectors}


def _bound(instruction: Instruction) -> tuple[str, bool, int, str, int, list[int]] | None:
    """Parse a minimum or maximum in place, or return None.

    The result holds kind, signed, bytes of a lane, operand, bytes held, and the numbers of the other source registers.
    """
    names = [name.strip() for name in instruction.operands.split(",")]
    if len(names) != 3 or names[0] != names[1] or names[2] == names[0]:
        return None
    if instruction.isa is Isa.A64:
        form = re.fullmatch(r"([su])(min|max)", instruction.mnemonic)
        other = re.fullmatch(r"v(\d+)\.(\d+)([bhs])", names[2])
        if not form or not other:
            return None
        size = _SIZES[other[3]]
        return form[2], form[1] == "s", size, names[0], int(other[2]) * size, [int(other[1])]
    form = re.fullmatch(r"v(min|max)\.([su])(8|16|32)", instruction.mnemonic)
    other = re.fullmatch(r"([dq])(\d+)", names[2])
    if not form or not other:
        return None
    number = int(other[2])
    registers = [number] if other[1] == "d" else [2 * number, 2 * number + 1]
    return form[1], form[2] == "s", int(form[3]) // 8, names[0], 8, registers
