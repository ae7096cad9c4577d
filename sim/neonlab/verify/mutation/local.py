"""Compare the effects of two short runs of instructions on many states of an emulated CPU.

The effects are the same if the live bytes of registers, all of memory, and the loaded bytes are equal.  Registers that
form addresses point into a region of memory; all others hold random values, extreme ones included.
"""

from __future__ import annotations

import ctypes
import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from unicorn import UC_PROT_EXEC, UC_PROT_READ, UC_PROT_WRITE
from unicorn.unicorn_py3.unicorn import UcError

from neonlab.emulate.engine import check, new_engine, uclib
from neonlab.emulate.guest.registers import RegisterFile, offset_of
from neonlab.emulate.native import aligned_bytes
from neonlab.host.closing import Closing
from neonlab.isa.model.addressing import address_of
from neonlab.isa.model.condition import holds
from neonlab.isa.model.dependence import FLAG_C, FLAG_GE, FLAG_N, FLAG_V, FLAG_Z, MEMORY, register_of
from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register
from neonlab.isa.model.isa import general as general_register
from neonlab.verify.mutation.knowledge import ANY_FLAGS, Interval, Knowledge

_CODE, _CODE_BYTES = 0x10000, 1 << 20
# In A64 above 32 bits, so that an address truncated to 32 bits is a different one.
_DATA, _DATA_BYTES = {Isa.A32: 0x4000_0000, Isa.A64: 0x1_4000_0000}, 1 << 16
_TRIALS = 96
_FLAG_BITS = {FLAG_N: 1 << 31, FLAG_Z: 1 << 30, FLAG_C: 1 << 29, FLAG_V: 1 << 28, FLAG_GE: 0xF << 16}
_NOTHING_KNOWN = Knowledge()
_NUMBER = re.compile(r"#(-?(?:0x[0-9a-f]+|\d+))")

Footprint = frozenset[tuple[str, int, int]]


class Same(enum.Enum):
    """The result of a comparison of two runs."""

    YES = "yes"
    READS_MORE = "reads more"  # as YES, but the second run loads more bytes
    NO = "no"
    UNKNOWN = "unknown"  # one of the runs cannot be emulated here


@dataclass(frozen=True)
class Moment:
    """The effect of one instruction: registers, flags, the accesses it made, and the bytes that it wrote."""

    registers: npt.NDArray[np.uint8]
    flags: int
    loads: Footprint
    stores: Footprint
    written: Mapping[int, int]


class LocalComparison(Closing):
    """Compares runs of instructions of one instruction set.  It is a context manager, since it holds an emulator."""

    def __init__(self, isa: Isa, seed: int = 1) -> None:
        self._isa, self._random = isa, np.random.default_rng(seed)
        self._engine = new_engine(isa)
        self._memory = aligned_bytes(_DATA_BYTES)
        self._code = aligned_bytes(_CODE_BYTES)
        self._map(_CODE, self._code, UC_PROT_READ | UC_PROT_EXEC)
        self._map(_DATA[isa], self._memory, UC_PROT_READ | UC_PROT_WRITE)
        self._pristine = self._random.integers(0, 256, _DATA_BYTES, np.uint8)
        self._memory[:] = self._pristine
        self._registers = RegisterFile(isa, self._engine)
        self._next = _CODE
        self._placed: dict[int, int] = {}
        self._states = [self._draw(number) for number in range(_TRIALS)]

    def _map(self, address: int, host: npt.NDArray[np.uint8], protection: int) -> None:
        check(
            uclib.uc_mem_map_ptr(self._engine._uch, address, host.size, protection, ctypes.c_void_p(host.ctypes.data))
        )

    def close(self) -> None:
        """Free the emulator."""
        if hasattr(self, "_engine"):
            del self._registers, self._engine

    def compare(
        self,
        first: Sequence[Instruction],
        second: Sequence[Instruction],
        live: int,
        known: Knowledge = _NOTHING_KNOWN,
    ) -> Same:
        """Compare both runs from the same states, in which `known` holds.

        `live` has one bit for each place that is live afterwards.
        """
        if not all(map(can_be_tried, (*first, *second))):
            return Same.UNKNOWN
        mask, flags = self.masks(live)
        involved = (*first, *second)
        self._memory[:] = self._pristine  # earlier steps may have changed it
        answer = Same.YES
        placed = (self._place(first), self._place(second))
        for number in range(_TRIALS):
            start = self.aimed(number, involved, known)
            try:
                one = self._run(first, placed[0], start)
                other = self._run(second, placed[1], start)
            except UcError:
                return Same.UNKNOWN
            if (one[0] ^ other[0])[mask].any() or (one[1] ^ other[1]) & flags or one[2] != other[2]:
                return Same.NO
            loads, more = one[3], other[3]
            if more - loads:
                if not _covers(more, loads):
                    return Same.NO
                answer = Same.READS_MORE
        return answer

    def _draw(self, number: int) -> npt.NDArray[np.uint8]:
        """Return random bytes for a register file; for every third number, extreme ones."""
        size = self._registers.image.size
        if number % 3 == 1:
            return np.array([0x80, 0x7F, 0x00, 0xFF, 0x81, 0x01], np.uint8)[self._random.integers(0, 6, size)]
        return self._random.integers(0, 256, size, np.uint8)

    def aimed(
        self,
        number: int,
        instructions: Sequence[Instruction],
        known: Knowledge = _NOTHING_KNOWN,
        addressing: Sequence[Instruction] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Return state `number`: a register file with values that matter to comparisons, and with bases inside memory.

        In three states of four, general registers hold numbers near 0, numbers near the immediates of the instructions,
        or all the same number, since random numbers are hardly ever equal.  `addressing` are the instructions whose
        base registers hold addresses, by default all of them; if given, several base registers may hold the same
        address.
        """
        registers, isa, width = self._registers, self._isa, self._isa.pointer_bytes
        registers.image[:] = self._states[number % _TRIALS]
        random = np.random.default_rng(number)
        general = registers.image[: offset_of(isa, "q0")].view(np.int64)
        alike, addressing = addressing is not None, instructions if addressing is None else addressing
        steps: set[Register | None] = set()
        bases: set[Register | None] = set()
        for instruction in addressing:
            for access in instruction.accesses:
                bases.add(access.base)
                steps.add(access.index)
            if instruction.writeback is not None:
                steps.add(instruction.writeback.register)
        middle = _DATA[isa] + _DATA_BYTES // 2
        near = [0, 0, 1, -1]
        if number % 4:
            if number % 4 > 1:
                near += [value + step for value in _immediates(instructions) for step in (-1, 0, 0, 1)]
                near += _combined(_immediates(instructions)) if alike else []
            general[:] = random.choice(near, 1 if number % 4 == 3 else general.size)
        addresses = {
            register: middle + 16 * int(random.integers(-256, 256)) for register in sorted(filter(None, bases))
        }
        if addresses and number % 8 >= 6:  # other registers lie near the addresses too, like the end of a buffer
            ends = list(addresses.values())
            near = [value + address for value in near for address in ends]
            general[:] = random.choice(near, general.size) if number % 8 == 6 else random.choice(ends, 1)
        for index, interval in known.registers.items():
            name = _name(general_register(index), isa)
            value = int.from_bytes(registers.image[offset_of(isa, name) :][:width].tobytes(), "little", signed=True)
            registers.put(name, _within(value, interval, width, random) % (1 << 8 * width), width)
        flags = int(random.integers(0, 1 << 32)) & (0xF0000000 if isa is Isa.A64 else 0xF80F0000)
        if known.flags != ANY_FLAGS:
            allowed = [value for value in range(16) if known.flags >> value & 1]
            flags = flags & 0x0FFFFFFF | int(random.choice(allowed)) << 28
        registers.put("pstate" if isa is Isa.A64 else "cpsr", flags | (0 if isa is Isa.A64 else 0x10), 8)
        for name in ("fpcr", "fpsr") if isa is Isa.A64 else ("fpscr",):
            registers.put(name, 0, 8)
        registers.put("sp", middle, 8)
        for register in sorted(filter(None, steps)):
            registers.put(_name(register, isa), int(random.integers(-64, 64)) % (1 << 8 * width), width)
        for register, address in addresses.items():
            same = alike and number % 16 == 15
            registers.put(_name(register, isa), next(iter(addresses.values())) if same else address, width)
        return registers.image.copy()

    def _place(self, instructions: Sequence[Instruction]) -> int:
        """Return the address of the words in code memory; code that was translated is not overwritten."""
        size = 4 * len(instructions) + 4
        if self._next + size > _CODE + _CODE_BYTES:
            self._engine.ctl_remove_cache(_CODE, _CODE + _CODE_BYTES)
            self._next = _CODE
            self._placed.clear()
        address, self._next = self._next, self._next + size
        data = b"".join(instruction.word.to_bytes(4, "little") for instruction in instructions)
        self._code[address - _CODE : address - _CODE + len(data)] = np.frombuffer(data, np.uint8)
        return address

    def _run(
        self, instructions: Sequence[Instruction], address: int, start: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.uint8], int, bytes, Footprint]:
        """Return registers, flags, the memory afterwards, and the bytes loaded."""
        registers = self._registers
        registers.image[:] = start
        registers.store()
        loads: set[tuple[str, int, int]] = set()
        for number, instruction in enumerate(instructions):
            if instruction.accesses:
                loads |= self._footprint(instruction)
            at = address + 4 * number
            check(uclib.uc_emu_start(self._engine._uch, at, at + 4, 0, 1))
            registers.load()
        changed = b""
        if any(access.kind is AccessKind.STORE for i in instructions for access in i.accesses):
            changed = self._memory.tobytes()
            self._memory[:] = self._pristine
        flags = registers.read_control("pstate" if self._isa is Isa.A64 else "cpsr")
        return registers.image.copy(), flags, changed or self._pristine.tobytes(), frozenset(loads)

    def run_from(self, start: npt.NDArray[np.uint8]) -> None:
        """Set the registers to `start`, and restore the memory."""
        self._registers.image[:] = start
        self._registers.store()
        self._memory[:] = self._pristine

    def step(self, instruction: Instruction) -> Moment:
        """Execute one more instruction.  Raises UcError if the emulator cannot execute it."""
        registers, loads, stores = self._registers, frozenset[tuple[str, int, int]](), frozenset[tuple[str, int, int]]()
        if instruction.accesses and (self._isa is Isa.A64 or holds(instruction.condition, self.flags)):
            found = self._footprint(instruction)
            loads = frozenset(item for item in found if item[0].startswith("load"))
            stores = frozenset(found - loads)
        if instruction.word not in self._placed:
            self._placed[instruction.word] = self._place((instruction,))
        at = self._placed[instruction.word]
        check(uclib.uc_emu_start(self._engine._uch, at, at + 4, 0, 1))
        registers.load()
        base = _DATA[self._isa]
        written = {place: int(self._memory[place - base]) for kind, first, end in stores for place in range(first, end)}
        return Moment(registers.image.copy(), self.flags, loads, stores, written)

    @property
    def size(self) -> int:
        """Return the bytes of a register file."""
        return self._registers.image.size

    @property
    def flags(self) -> int:
        """Return the current flags, at the bits where the CPU has them."""
        return self._registers.read_control("pstate" if self._isa is Isa.A64 else "cpsr")

    def flags_of(self, start: npt.NDArray[np.uint8]) -> int:
        """Return the flags in a state."""
        self._registers.image[:] = start
        return self.flags

    def value(self, state: npt.NDArray[np.uint8], register: Register) -> int:
        """Return the value of a general register in a state."""
        at = offset_of(self._isa, _name(register, self._isa))
        return int.from_bytes(state[at : at + self._isa.pointer_bytes].tobytes(), "little")

    def with_value(self, state: npt.NDArray[np.uint8], register: Register, value: int) -> npt.NDArray[np.uint8]:
        """Return the state with another number in a general register; `step` continues from it."""
        self._registers.image[:] = state
        self._registers.put(_name(register, self._isa), value, self._isa.pointer_bytes)
        self._registers.store()
        return self._registers.image.copy()

    def _footprint(self, instruction: Instruction) -> set[tuple[str, int, int]]:
        """Return kind, address and end of each access; the kind includes the promised alignment."""

        def value(register: Register) -> int:
            if register == FLAGS:
                return self._registers.read_control("cpsr")
            start = offset_of(self._isa, _name(register, self._isa))
            width = self._isa.pointer_bytes
            return int.from_bytes(self._registers.image[start : start + width].tobytes(), "little")

        found = set()
        for access in instruction.accesses:
            first = address_of(access, self._isa, value)
            found.add((f"{access.kind.value}:{access.alignment}", first, first + access.count))
        return found

    def masks(self, live: int) -> tuple[npt.NDArray[np.bool_], int]:
        """Return the bytes of a register file, and the flags, that the places `live` stand for."""
        mask, flags = np.zeros(self._registers.image.size, bool), 0
        for place in range(MEMORY):
            if not live >> place & 1:
                continue
            register, byte = register_of(place, self._isa)
            if register == FLAGS:
                flags |= _FLAG_BITS[place]
            elif register != STATUS:
                mask[offset_of(self._isa, _name(register, self._isa)) + byte] = True
        return mask, flags


def _within(value: int, interval: Interval, width: int, random: np.random.Generator) -> int:
    """Return the value if it lies in the interval, else an end, a number next to one, or a random one."""
    low, high = interval
    for same in (value, value % (1 << 8 * width)):
        if low <= same <= high:
            return same
    kind = int(random.integers(0, 6))
    if kind < 4:
        return (low, high, min(low + 1, high), max(high - 1, low))[kind]
    if kind == 4:  # a number of few bits
        return min(low + (int(random.integers(0, 1 << 62)) >> int(random.integers(0, 62))), high)
    return low + int(random.integers(0, 1 << 62)) % (high - low + 1)


def _immediates(instructions: Sequence[Instruction]) -> list[int]:
    found = (number for i in instructions if i.target is None for number in _NUMBER.findall(i.operands))
    return [value for value in (int(number, 0) for number in found) if -(1 << 62) < value < 1 << 62]


def _combined(numbers: Sequence[int]) -> list[int]:
    """Return sums, differences and shifts of two of the numbers, as registers may hold after one more operation."""
    small = sorted({number for number in numbers if 0 < number < 1 << 16})[:6]
    found = {a + b for a in small for b in small} | {a - b for a in small for b in small}
    return sorted(found | {a << b for a in small for b in small if b < 16})


def can_be_tried(instruction: Instruction) -> bool:
    """Tell whether the instruction runs in isolation: no branch, not pc-relative, no access to the system."""
    relative = any(access.base is None for access in instruction.accesses)
    named = instruction.mnemonic.split(".")[0]
    system = named in {
        "svc",
        "hvc",
        "smc",
        "brk",
        "hlt",
        "udf",
        "bkpt",
        "adr",
        "adrp",
        "mrs",
        "msr",
        "vmsr",
        "vmrs",
        "sys",
    }
    in_a32_pc = instruction.isa is Isa.A32 and "pc" in instruction.operands
    return not (relative or system or in_a32_pc) and instruction.branch.value == "none"


def _covers(more: Footprint, fewer: Footprint) -> bool:
    """Tell whether stores are the same, and every load of `fewer` starts at and lies within one of `more`."""
    stores = {item for item in more if not item[0].startswith("load")}
    if stores != {item for item in fewer if not item[0].startswith("load")}:
        return False
    starts = {(kind, first): end for kind, first, end in more}
    return len(more) == len(fewer) and all(starts.get((kind, first), 0) >= end for kind, first, end in fewer)


def _name(register: Register, isa: Isa) -> str:
    name = register.name(isa)
    return f"q{register.index}" if isa is Isa.A64 and register.file == "vector" else name
