"""Whether two short runs of instructions do the same, tried on many states of an emulated CPU.

The same means: in those bytes of registers that are needed afterwards, in all of memory, and in which bytes are loaded.
Registers that addresses are made of point into a region of memory; all others hold anything, extremes among them.
"""

from __future__ import annotations

import ctypes
import enum
import re
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
from unicorn import UC_PROT_ALL, UC_PROT_READ, UC_PROT_WRITE
from unicorn.unicorn_py3.unicorn import UcError

from neonlab.emulate.engine import check, new_engine, uclib
from neonlab.emulate.native import aligned_bytes
from neonlab.emulate.registers import RegisterFile, offset_of
from neonlab.isa.addressing import address_of
from neonlab.isa.dependence import FLAG_C, FLAG_GE, FLAG_N, FLAG_V, FLAG_Z, MEMORY, register_of
from neonlab.isa.instruction import AccessKind, Instruction
from neonlab.isa.isa import FLAGS, STATUS, Isa, Register

_CODE, _CODE_BYTES = 0x10000, 1 << 20
# In A64 beyond 32 bits, so that an address cut short is another address.
_DATA, _DATA_BYTES = {Isa.A32: 0x4000_0000, Isa.A64: 0x1_4000_0000}, 1 << 16
_TRIALS = 96
_FLAG_BITS = {FLAG_N: 1 << 31, FLAG_Z: 1 << 30, FLAG_C: 1 << 29, FLAG_V: 1 << 28, FLAG_GE: 0xF << 16}

Footprint = frozenset[tuple[str, int, int]]


class Same(enum.Enum):
    """How two runs compare."""

    YES = "yes"
    READS_MORE = "reads more"  # as YES, but for loads of the second that take in more bytes
    NO = "no"
    UNKNOWN = "unknown"  # one of them cannot be tried here


class LocalComparison:
    """Compares runs of instructions of one instruction set; a context manager, since it holds an emulator."""

    def __init__(self, isa: Isa, seed: int = 1) -> None:
        self._isa, self._random = isa, np.random.default_rng(seed)
        self._engine = new_engine(isa)
        self._memory = aligned_bytes(_DATA_BYTES)
        self._code = aligned_bytes(_CODE_BYTES)
        self._map(_CODE, self._code, UC_PROT_ALL)
        self._map(_DATA[isa], self._memory, UC_PROT_READ | UC_PROT_WRITE)
        self._pristine = self._random.integers(0, 256, _DATA_BYTES, np.uint8)
        self._memory[:] = self._pristine
        self._registers = RegisterFile(isa, self._engine)
        self._next = _CODE
        self._states = [self._draw(number) for number in range(_TRIALS)]

    def _map(self, address: int, host: npt.NDArray[np.uint8], protection: int) -> None:
        check(
            uclib.uc_mem_map_ptr(self._engine._uch, address, host.size, protection, ctypes.c_void_p(host.ctypes.data))
        )

    def close(self) -> None:
        """Free the emulator."""
        if hasattr(self, "_engine"):
            del self._registers, self._engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def compare(self, first: Sequence[Instruction], second: Sequence[Instruction], live: int) -> Same:
        """Both from the same states; `live` are the places needed afterwards, a bit for each."""
        if not all(map(_can_be_tried, (*first, *second))):
            return Same.UNKNOWN
        mask, flags = self._masks(live)
        involved = (*first, *second)
        answer = Same.YES
        placed = (self._place(first), self._place(second))
        for number in range(_TRIALS):
            start = self._aimed(number, involved)
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
        """Random bytes, in turn extreme ones."""
        size = self._registers.image.size
        if number % 3 == 1:
            return np.array([0x80, 0x7F, 0x00, 0xFF, 0x81, 0x01], np.uint8)[self._random.integers(0, 6, size)]
        return self._random.integers(0, 256, size, np.uint8)

    def _aimed(self, number: int, instructions: Sequence[Instruction]) -> npt.NDArray[np.uint8]:
        """State `number`: general registers as comparisons want them, bases in the middle of memory, steps small.

        In three states of four general registers hold numbers about 0, numbers about those that the instructions
        name, or all of them the same one: at random, hardly anything is ever equal to anything.
        """
        registers, isa, width = self._registers, self._isa, self._isa.pointer_bytes
        registers.image[:] = self._states[number]
        random = np.random.default_rng(number)
        general = registers.image[: offset_of(isa, "q0")].view(np.int64)
        if number % 4:
            near = [0, 0, 1, -1]
            if number % 4 > 1:
                near += [value + step for value in _immediates(instructions) for step in (-1, 0, 0, 1)]
            general[:] = random.choice(near, 1 if number % 4 == 3 else general.size)
        flags = int(random.integers(0, 1 << 32)) & (0xF0000000 if isa is Isa.A64 else 0xF80F0000)
        registers.put("pstate" if isa is Isa.A64 else "cpsr", flags | (0 if isa is Isa.A64 else 0x10), 8)
        for name in ("fpcr", "fpsr") if isa is Isa.A64 else ("fpscr",):
            registers.put(name, 0, 8)
        middle = _DATA[isa] + _DATA_BYTES // 2
        registers.put("sp", middle, 8)
        steps: set[Register | None] = set()
        bases: set[Register | None] = set()
        for instruction in instructions:
            for access in instruction.accesses:
                bases.add(access.base)
                steps.add(access.index)
            if instruction.writeback is not None:
                steps.add(instruction.writeback.register)
        for register in sorted(filter(None, steps)):
            registers.put(_name(register, isa), int(random.integers(-64, 64)) % (1 << 8 * width), width)
        for register in sorted(filter(None, bases)):
            registers.put(_name(register, isa), middle + 16 * int(random.integers(-256, 256)), width)
        return registers.image.copy()

    def _place(self, instructions: Sequence[Instruction]) -> int:
        """Where the words were put: code once translated is not written over."""
        size = 4 * len(instructions) + 4
        if self._next + size > _CODE + _CODE_BYTES:
            self._engine.ctl_remove_cache(_CODE, _CODE + _CODE_BYTES)
            self._next = _CODE
        address, self._next = self._next, self._next + size
        data = b"".join(instruction.word.to_bytes(4, "little") for instruction in instructions)
        self._code[address - _CODE : address - _CODE + len(data)] = np.frombuffer(data, np.uint8)
        return address

    def _run(
        self, instructions: Sequence[Instruction], address: int, start: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.uint8], int, bytes, Footprint]:
        """Registers, flags, what became of memory, and the bytes loaded."""
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

    def _footprint(self, instruction: Instruction) -> set[tuple[str, int, int]]:
        """Kind, address and end of each access; what an access promises of its alignment belongs to its kind."""

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

    def _masks(self, live: int) -> tuple[npt.NDArray[np.bool_], int]:
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


def _immediates(instructions: Sequence[Instruction]) -> list[int]:
    found = (number for i in instructions for number in re.findall(r"#(-?(?:0x[0-9a-f]+|\d+))", i.operands))
    return [value for value in (int(number, 0) for number in found) if -(1 << 62) < value < 1 << 62]


def _can_be_tried(instruction: Instruction) -> bool:
    """Nothing that jumps, depends on where it lies, or reaches the system."""
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
    """Whether stores are the same, and every load of the second lies in one of the first, at the same start."""
    stores = {item for item in more if not item[0].startswith("load")}
    if stores != {item for item in fewer if not item[0].startswith("load")}:
        return False
    starts = {(kind, first): end for kind, first, end in more}
    return len(more) == len(fewer) and all(starts.get((kind, first), 0) >= end for kind, first, end in fewer)


def _name(register: Register, isa: Isa) -> str:
    name = register.name(isa)
    return f"q{register.index}" if isa is Isa.A64 and register.file == "vector" else name
