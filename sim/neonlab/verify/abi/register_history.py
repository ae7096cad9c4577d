"""Find the instructions that wrote a register: the first since it last held its entry value, and the last one.

A compiled hook runs before each instruction that writes one of the followed registers, and compares the register's
current value with the one on entry.  A register that was saved, used and restored correctly holds its entry value again
when it is next written; so the write that remains is the one that spoilt it for good.  An instruction whose condition
does not hold writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE, arm64_const, arm_const

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.guest.registers import RegisterState
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, Pointer, as_pointer, native, uc_reg_read
from neonlab.emulate.operands import ALWAYS, CONDITIONS, holds
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register

HISTORY = np.dtype(
    [
        ("value", np.uint64),  # receives the value of a register
        ("code", np.uint64),  # address of the first halfword
        ("words", np.int64),
        ("masks", np.uint64),  # address of uint64 each word: which of the registers followed it writes
        ("reads", np.uint64),  # and which it reads
        ("copies", np.uint64),  # and which it stores or moves, as a save does
        ("moves", np.uint64),  # and which of these it moves to another register
        ("conditions", np.uint64),  # address of uint8 each word: its condition, one of CONDITIONS or ALWAYS
        ("bases", np.uint64),  # address of int32 each word: base register where it is a load, else 0
        ("followed", np.int64),
        ("table", np.uint64),  # address of FOLLOWED each register
        ("clock", np.int64),  # instructions seen so far that touch a followed register
    ]
)
FOLLOWED = np.dtype(
    [
        ("identifier", np.int64),  # Unicorn's number of the register
        ("entry", np.uint64),  # its value on entry
        ("first", np.uint64),
        ("first_clock", np.int64),
        ("last", np.uint64),
        ("last_clock", np.int64),
        ("last_base", np.uint64),  # value of the base register if the last writer is a load, else 0
        ("used", np.int64),  # nonzero if it was read since it was last written
        ("saved", np.int64),  # 1 if it was stored or moved while it held its value on entry, 2 if it was moved
    ]
)

_CPSR = arm_const.UC_ARM_REG_CPSR


@native(BLOCK_OR_CODE)
def _before(uc: Pointer, at: int, _size: int, user: Pointer) -> None:
    history = carray(user, 1, HISTORY)[0]
    value = carray(user, 1, HISTORY).ctypes.data  # of its first field
    word = np.int64((np.uint64(at) - history.code) >> np.uint64(1))
    words: Any = history.words
    if word < 0 or word >= words:
        return
    mask = carray(as_pointer(history.masks), (words,), np.uint64)[word]
    reads = carray(as_pointer(history.reads), (words,), np.uint64)[word]
    copies = carray(as_pointer(history.copies), (words,), np.uint64)[word]
    moves = carray(as_pointer(history.moves), (words,), np.uint64)[word]
    if mask == 0 and reads == 0:
        return
    condition = carray(as_pointer(history.conditions), (words,), np.uint8)[word]
    if condition != ALWAYS:
        history.value = np.uint64(0)
        uc_reg_read(uc, np.int32(_CPSR), value)
        if not holds(condition, history.value):
            return
    count: Any = history.followed
    table = carray(as_pointer(history.table), (count,), FOLLOWED)
    base = carray(as_pointer(history.bases), (words,), np.int32)[word]
    history.clock += 1
    for number in range(count):
        if reads >> np.uint64(number) & np.uint64(1):
            table[number].used = 1
        if copies >> np.uint64(number) & np.uint64(1) and table[number].saved < 2:
            history.value = np.uint64(0)
            uc_reg_read(uc, np.int32(table[number].identifier), value)
            if history.value == table[number].entry:
                table[number].saved = 2 if moves >> np.uint64(number) & np.uint64(1) else 1
        if mask >> np.uint64(number) & np.uint64(1):
            followed = table[number]
            history.value = np.uint64(0)
            uc_reg_read(uc, np.int32(followed.identifier), value)
            if followed.first == 0 or history.value == followed.entry:
                followed.first = np.uint64(at)
                followed.first_clock = history.clock
            followed.last = np.uint64(at)
            followed.last_clock = history.clock
            followed.last_base = np.uint64(0)
            followed.used = 0
            if base:
                history.value = np.uint64(0)
                uc_reg_read(uc, base, value)
                followed.last_base = history.value


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a register: the instruction's address, and its rank among all followed writes in time."""

    address: int
    order: int


@dataclass(frozen=True, slots=True)
class Writers:
    """The first and the last write of a register, None if there is none.

    `last_base` is the value of the base register when the last write is a load, else 0.  `used` tells whether the
    register was read after the last write; `saved` whether its entry value was ever stored or moved; `moved_back`
    whether the last write moves it back from another register that it had been moved to.
    """

    first: Write | None
    last: Write | None
    last_base: int
    used: bool = False
    saved: bool = False
    moved_back: bool = False


def _identifier(isa: Isa, name: str) -> int:
    constants: Any = arm64_const if isa is Isa.A64 else arm_const
    return int(getattr(constants, ("UC_ARM64_REG_" if isa is Isa.A64 else "UC_ARM_REG_") + name.upper()))


class RegisterHistory:
    """Follows up to 64 registers, by the names that `RegisterState` uses (`x19`, `d8`, `sp`, `fpcr`).

    `entry` holds the registers on entry of the watched call.
    """

    def __init__(self, program: Program, names: Sequence[str], entry: RegisterState) -> None:
        isa = program.isa
        self._program, self._names = program, list(names)
        first = program.instructions[0].address if program.instructions else 0
        words = (program.instructions[-1].address - first) // 2 + 1 if program.instructions else 0
        self._masks, self._reads, self._copies, self._moves = (np.zeros(words, np.uint64) for _ in range(4))
        self._bases = np.zeros(words, np.int32)
        self._conditions = np.full(words, ALWAYS, np.uint8)
        for instruction in program.instructions:
            written = [number for number, name in enumerate(self._names) if _writes(instruction, name)]
            word = (instruction.address - first) // 2
            if instruction.condition:
                self._conditions[word] = CONDITIONS.index(instruction.condition)
            self._masks[word] = sum(1 << number for number in written)
            self._reads[word] = sum(1 << number for number, name in enumerate(self._names) if _reads(instruction, name))
            self._copies[word] = sum(1 << n for n, name in enumerate(self._names) if _copies(instruction, name))
            self._moves[word] = self._copies[word] if _moves(instruction) else 0
            base = next((a.base for a in instruction.accesses if a.kind is AccessKind.LOAD), None)
            if base is not None and written:
                self._bases[word] = _identifier(isa, base.name(isa))
        self._table = np.zeros(len(self._names), FOLLOWED)
        self._table["identifier"] = [_identifier(isa, name) for name in self._names]
        self._table["entry"] = [entry.read(name) for name in self._names]
        self._state = np.zeros(1, HISTORY)
        self._state["masks"], self._state["bases"] = self._masks.ctypes.data, self._bases.ctypes.data
        self._state["reads"], self._state["copies"] = self._reads.ctypes.data, self._copies.ctypes.data
        self._state["moves"] = self._moves.ctypes.data
        self._state["conditions"] = self._conditions.ctypes.data
        self._state["table"] = self._table.ctypes.data
        self._state["code"], self._state["words"], self._state["followed"] = first, words, len(self._names)

    def expect(self, name: str, value: int) -> None:
        """Set the entry value of register `name`; used for functions that the kernel calls itself."""
        self._table["entry"][self._names.index(name)] = value

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook, called before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _before, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._state["clock"] = 0
        for field in ("first", "first_clock", "last", "last_clock", "last_base", "used", "saved"):
            self._table[field] = 0

    def collect(self, name: str) -> Writers:
        """Return the writes of register `name` in the last call."""
        row = self._table[self._names.index(name)]
        first, last = (
            Write(int(row[field]), int(row[f"{field}_clock"])) if row[field] else None for field in ("first", "last")
        )
        instruction = self._program.by_address.get(last.address) if last is not None else None
        moves = instruction is not None and _moves(instruction) and "#" not in instruction.operands
        back = moves and row["saved"] == 2
        return Writers(first, last, int(row["last_base"]), bool(row["used"]), bool(row["saved"]), back)


def _writes(instruction: Instruction, name: str) -> bool:
    if name in ("fpcr", "fpscr"):
        return instruction.mnemonic.startswith(("msr", "vmsr", "fmxr")) and name in instruction.operands.lower()
    return _register(instruction.isa, name) in instruction.writes


def _reads(instruction: Instruction, name: str) -> bool:
    if instruction.branch is BranchKind.RETURN:  # a return must read the restored link register
        return False
    return name not in ("fpcr", "fpscr") and _register(instruction.isa, name) in instruction.reads


def _copies(instruction: Instruction, name: str) -> bool:
    """Tell whether the instruction stores or moves the register, without computing or addressing with it."""
    if not _reads(instruction, name):
        return False
    addresses = {register for access in instruction.accesses for register in (access.base, access.index)}
    stores = any(access.kind is AccessKind.STORE for access in instruction.accesses)
    return (stores or _moves(instruction)) and _register(instruction.isa, name) not in addresses


def _moves(instruction: Instruction) -> bool:
    """Tell whether the instruction copies a register, or part of one, to another."""
    return instruction.mnemonic.startswith(("mov", "fmov", "vmov", "orr", "vorr", "umov", "ins"))


def _register(isa: Isa, name: str) -> Register:
    if name == "sp":
        return Register("general", 31 if isa is Isa.A64 else 13)
    return Register("vector" if name[0] == "d" else "general", int(name[1:]))
