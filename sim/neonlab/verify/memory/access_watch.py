"""Check every access of a guest to the byte against its permissions, before the access takes place.

A compiled hook runs before each instruction.  Where the decoded program says that the instruction accesses memory, the
hook reads the registers of the address and looks up every byte in the shadow.  It records the first violation and stops
the guest before the instruction executes.

Unicorn's memory hooks are not used.  They update the CPU's state at each piece of each access, which costs more the
longer a block is: on a loop of 58 instructions 180 ns a piece, ten times the cost of this hook.  They also report
aligned accesses that the emulator makes up for an access that crosses a page.

Accesses of instructions that the decoder describes wrongly are not seen.  Words that it does not know at all are
reported when they are executed.  Prefetches touch nothing.  Instruction fetches are left to the page protection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE, arm64_const, arm_const

from neonlab.assemble.program import Program
from neonlab.emulate.guest.address_space import HIGH
from neonlab.emulate.native import (
    BLOCK_OR_CODE,
    NativeHook,
    Pointer,
    Record,
    as_pointer,
    compiled,
    native,
    uc_emu_stop,
    uc_reg_read,
)
from neonlab.emulate.operands import ALWAYS, CONDITIONS, EXTENDS, RRX, holds, shifted
from neonlab.isa.model.instruction import AccessKind, Instruction, MemoryAccess
from neonlab.isa.model.isa import Isa, Register
from neonlab.verify.memory.shadow import FOLD, LIMIT, PAGE, PAGES, Shadow

# Permissions of a byte.
READABLE, WRITABLE, STACK, MARGIN = 1, 2, 4, 8

# Violations by an access or by a change of sp.
NOTHING, FORBIDDEN, BELOW_STACK, MISALIGNED, SP_MISALIGNED, SP_TOO_LOW, SP_TOO_HIGH, UNKNOWN = range(8)

# An entry of the table of halfwords: the number of its first access counted from 1, and these flags.
_LOOK_AT_SP = 1 << 30  # the instruction before writes sp
_NOT_DECODED = 1 << 29  # the decoder does not know this word
_SHORT_BEFORE = 1 << 28  # the instruction before has two bytes
_ACCESS_NUMBER = (1 << 28) - 1

# Flags of an access.
_WRITES = 1
_MOVES_SP = 2  # the addressing mode writes sp back: bytes touched below the old sp are above the new one
_THROUGH_SP = 4  # the base register is sp

_SUBTRACT = 8  # of `extend`, whose lower bits are the kind
NONE_EXCUSED: Mapping[int, int] = MappingProxyType({})

ACCESS = np.dtype(
    [
        ("displacement", np.int64),
        ("alignment_mask", np.uint64),  # bits of the address that must be 0
        ("base", np.int32),  # Unicorn's identifiers, 0 for none
        ("index", np.int32),
        ("extend", np.int32),
        ("shift", np.int32),
        ("count", np.int32),
        ("flags", np.int32),
        ("condition", np.int32),
        ("excused", np.int32),  # bit n: violation n is not reported
        ("next", np.int32),  # number of the instruction's next access, 0 when there is none
    ]
)

WATCH = np.dtype(
    [
        ("value", np.uint64),  # receives the value of a register
        ("hash", np.uint64),  # of (pc, address, size) of all accesses so far, in their order
        ("accesses", np.int64),
        ("sp_register", np.int64),  # Unicorn's identifier of sp
        ("flags_register", np.int64),  # and that of the flags
        ("bits", np.uint64),  # of an address
        ("code", np.uint64),  # address of the first halfword of the table
        ("words", np.uint64),  # number of its entries
        ("word_table", np.uint64),  # its address: int32 each
        ("access_table", np.uint64),
        ("access_count", np.int64),
        ("page_table", np.uint64),  # int32 page of the pool for each page of the guest
        ("pool", np.uint64),  # the pages of the shadow
        ("below", np.uint64),  # bytes below sp that may be touched
        ("stack_mask", np.uint64),  # bits of sp that are 0 whenever memory is accessed through it
        ("sp_lowest", np.uint64),  # bounds of sp
        ("sp_highest", np.uint64),
        ("lowest", np.uint64),  # lowest address of the stack that was touched
        ("sp_misaligned_by", np.uint64),  # address of the instruction that misaligned sp; 0 while it is aligned
        ("wrong", np.int64),  # NOTHING, or the violation; the fields below describe it
        ("at", np.uint64),  # address of the instruction at fault
        ("writes", np.int64),
        ("address", np.uint64),
        ("size", np.int64),
        ("sp", np.uint64),
    ]
)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _look_at_sp(uc: Pointer, watch: Record, value: Pointer, before: np.uint64) -> None:
    """Find out what is wrong with sp, if anything, which the instruction at `before` wrote."""
    watch.value = np.uint64(0)
    uc_reg_read(uc, np.int32(watch.sp_register), value)
    sp = watch.value
    if not sp & watch.stack_mask:
        watch.sp_misaligned_by = np.uint64(0)
    elif not watch.sp_misaligned_by:
        watch.sp_misaligned_by = before
    if sp < watch.sp_lowest:
        watch.wrong = SP_TOO_LOW
    elif sp > watch.sp_highest:
        watch.wrong = SP_TOO_HIGH
    if watch.wrong:
        watch.at = before
        watch.sp = sp


@compiled
def _address(uc: Pointer, watch: Record, value: Pointer, access: Record, flags: np.uint64) -> np.uint64:
    """Return the address of the first byte of an access."""
    first = np.uint64(access.displacement)
    if access.base:
        uc_reg_read(uc, access.base, value)
        first += watch.value & watch.bits
    if access.index:
        uc_reg_read(uc, access.index, value)
        index = shifted(access.extend & 7, watch.value & watch.bits, np.uint64(access.shift), watch.bits, flags)
        first = first - index if access.extend & _SUBTRACT else first + index
    masked: np.uint64 = first & watch.bits
    return masked


@compiled
def _folded(address: np.uint64) -> np.uint64:
    """Return an address as the shadow's table has it, or one beyond the table."""
    if address >= np.uint64(HIGH):
        return address - np.uint64(FOLD)
    return address if address < np.uint64(LIMIT) else np.uint64(2 * LIMIT)


@compiled
def _allowed(watch: Record, pages: npt.NDArray[np.int32], first: np.uint64, size: np.uint64) -> np.uint8:
    """Return what the shadow allows with all of the bytes; `first` is an address as the shadow's table has it."""
    within = first & np.uint64(PAGE - 1)
    allowed = np.uint8(0xFF)
    limit = np.uint64(LIMIT) if first < np.uint64(LIMIT) else np.uint64(2 * LIMIT)
    if first >= limit or first + size > limit:
        allowed = np.uint8(0)
    elif within + size <= np.uint64(PAGE):
        page = np.uint64(pages[np.int64(first >> np.uint64(12))])
        length: Any = np.int64(size)
        shadow = carray(as_pointer(watch.pool + page * np.uint64(PAGE) + within), (length,), np.uint8)
        for i in range(length):
            allowed &= shadow[i]
    else:
        for i in range(np.int64(size)):
            byte = first + np.uint64(i)
            page = np.uint64(pages[np.int64(byte >> np.uint64(12))])
            offset = page * np.uint64(PAGE) + (byte & np.uint64(PAGE - 1))
            allowed &= carray(as_pointer(watch.pool + offset), 1, np.uint8)[0]
    return allowed


@compiled
def _wrong_with(uc: Pointer, watch: Record, value: Pointer, access: Record, first: np.uint64) -> int:
    """Return what is wrong with an access to `first`, or NOTHING."""
    pages = carray(as_pointer(watch.page_table), (PAGES,), np.int32)
    at = _folded(first)
    allowed = _allowed(watch, pages, at, np.uint64(access.count))
    wrong = NOTHING
    needed = np.uint8(WRITABLE if access.flags & _WRITES else READABLE)
    if not allowed & needed:
        wrong = FORBIDDEN
    if first & access.alignment_mask:
        # An access that begins where it may goes wrong on hardware by its alignment first.
        page = np.uint64(pages[np.int64(at >> np.uint64(12))]) if at < np.uint64(2 * LIMIT) else np.uint64(0)
        within = first & np.uint64(PAGE - 1)
        start = carray(as_pointer(watch.pool + page * np.uint64(PAGE) + within), 1, np.uint8)[0]
        if not wrong or start & needed:
            wrong = MISALIGNED
    if wrong or allowed & np.uint8(STACK) or access.flags & _THROUGH_SP:
        watch.value = np.uint64(0)
        uc_reg_read(uc, np.int32(watch.sp_register), value)
        watch.sp = watch.value
    if not wrong and allowed & np.uint8(STACK):
        watch.lowest = min(watch.lowest, first)
        if first + watch.below < watch.sp and not access.flags & _MOVES_SP:
            wrong = BELOW_STACK
    if not wrong and access.flags & _THROUGH_SP and watch.sp & watch.stack_mask:
        wrong = SP_MISALIGNED
    return wrong


@native(BLOCK_OR_CODE)
def _before(uc: Pointer, at: int, _size: int, user: Pointer) -> None:
    watch = carray(user, 1, WATCH)[0]
    value = carray(user, 1, WATCH).ctypes.data  # of its first field
    word = (np.uint64(at) - watch.code) >> np.uint64(1)
    if word >= watch.words or watch.wrong:
        return
    words: Any = np.int64(watch.words)
    entry = carray(as_pointer(watch.word_table), (words,), np.int32)[np.int64(word)]
    if entry == 0:
        return
    if entry & _NOT_DECODED:
        watch.wrong = UNKNOWN
        watch.at = np.uint64(at)
        uc_emu_stop(uc)
        return
    if entry & _LOOK_AT_SP:
        _look_at_sp(uc, watch, value, np.uint64(at) - (np.uint64(2) if entry & _SHORT_BEFORE else np.uint64(4)))
        if watch.wrong:
            uc_emu_stop(uc)
            return
    number = entry & _ACCESS_NUMBER
    count: Any = watch.access_count
    while number:
        access = carray(as_pointer(watch.access_table), (count,), ACCESS)[number - 1]
        number = access.next
        flags = np.uint64(0)
        if access.condition != ALWAYS or access.extend & 7 == RRX:
            uc_reg_read(uc, np.int32(watch.flags_register), value)
            flags = watch.value
            if not holds(access.condition, flags):
                continue
        first = _address(uc, watch, value, access, flags)
        size = np.uint64(access.count)
        mixed = (watch.hash ^ np.uint64(at)) * _MULTIPLIER
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ (first << np.uint64(8)) ^ size) * _MULTIPLIER
        watch.hash = mixed ^ (mixed >> np.uint64(32))
        watch.accesses += 1
        wrong = _wrong_with(uc, watch, value, access, first)
        if wrong and not access.excused >> wrong & 1:
            watch.wrong = wrong
            watch.at = np.uint64(at)
            watch.writes = access.flags & _WRITES
            watch.address = first
            watch.size = np.int64(size)
            uc_emu_stop(uc)
            return


def register_identifiers(isa: Isa) -> tuple[int, ...]:
    """Return Unicorn's identifiers of the general registers by index, including sp, followed by that of the flags."""
    constants: Any = arm64_const if isa is Isa.A64 else arm_const
    prefix = "UC_ARM64_REG_" if isa is Isa.A64 else "UC_ARM_REG_"
    names = [f"X{i}" for i in range(31)] if isa is Isa.A64 else [f"R{i}" for i in range(13)]
    names += ["SP", "NZCV"] if isa is Isa.A64 else ["SP", "LR", "PC", "CPSR"]
    return tuple(getattr(constants, prefix + name) for name in names)


class Watch:
    """The state of the hook: its tables about the program, and the violation that it found.

    `alignments` gives the alignment in bytes that the addresses of an instruction's accesses must have.  `excused`
    gives the violations of an instruction that are not reported (bit n for violation n).  Both are keyed by the
    instruction's address.
    """

    def __init__(
        self, program: Program, shadow: Shadow, alignments: Mapping[int, int], excused: Mapping[int, int] = NONE_EXCUSED
    ) -> None:
        self.isa, self.shadow = program.isa, shadow
        self._identifiers = register_identifiers(program.isa)
        self._sp = 31 if program.isa is Isa.A64 else 13
        self._alignments, self._excused = alignments, excused
        self.state = np.zeros(1, WATCH)
        code = [segment for segment in program.segments if segment.executable]
        self._first = min((segment.address for segment in code), default=0) & ~3
        self._end = max((segment.end for segment in code), default=0)
        self._words = np.zeros(max(0, self._end - self._first + 1) // 2, np.int32)
        for segment in code:
            start, end = -(-segment.address // 2) * 2, segment.end
            self._words[(start - self._first) // 2 : (end - self._first) // 2] = _NOT_DECODED
        self._accesses = np.array(list(self._describe(program)), ACCESS)
        self.set(
            sp_register=self._identifiers[self._sp],
            flags_register=self._identifiers[-1],
            bits=(1 << 8 * program.isa.pointer_bytes) - 1,
            code=self._first,
            words=self._words.size,
            word_table=self._words.ctypes.data,
            access_table=self._accesses.ctypes.data,
            access_count=self._accesses.size,
            page_table=shadow.pages.ctypes.data,
        )

    def _describe(self, program: Program) -> Iterable[tuple[int, ...]]:
        """Fill the table of words and yield the rows of the table of accesses."""
        number = 0
        sp = Register("general", self._sp)
        for instruction in program.instructions:
            accesses = [access for access in instruction.accesses if access.count]
            self._words[self._word(instruction.address)] = number + 1 if accesses else 0
            for left, access in zip(range(len(accesses) - 1, -1, -1), accesses, strict=True):
                number += 1
                yield self._row(instruction, access, sp, number + 1 if left else 0)
        for instruction in program.instructions:
            after = self._word(instruction.address + instruction.size)
            if sp in instruction.writes and after < self._words.size:
                self._words[after] |= _LOOK_AT_SP | (_SHORT_BEFORE if instruction.size == 2 else 0)

    def _word(self, address: int) -> int:
        return (address - self._first) // 2

    def _row(self, instruction: Instruction, access: MemoryAccess, sp: Register, following: int) -> tuple[int, ...]:
        flags = _WRITES if access.kind is AccessKind.STORE else 0
        flags |= _THROUGH_SP if access.base == sp else 0
        flags |= _MOVES_SP if instruction.writeback is not None and instruction.writeback.base == sp else 0
        predicated = self.isa is Isa.A32 and instruction.condition in CONDITIONS
        extend = EXTENDS[access.extend.removeprefix("-")] | (_SUBTRACT if access.extend.startswith("-") else 0)
        return (
            (access.displacement + (1 << 63)) % (1 << 64) - (1 << 63),  # an absolute address may have bit 63 set
            self._alignments.get(instruction.address, 1) - 1,
            self._identifiers[access.base.index] if access.base is not None else 0,
            self._identifiers[access.index.index] if access.index is not None else 0,
            extend,
            access.shift,
            access.count,
            flags,
            CONDITIONS.index(instruction.condition) if predicated else ALWAYS,
            self._excused.get(instruction.address, 0),
            following,
        )

    def set(self, **values: int) -> None:
        """Write fields of the state."""
        for name, value in values.items():
            self.state[name] = value

    def get(self, name: str) -> int:
        """Read a field of the state."""
        return int(self.state[name][0])

    def hooks(self) -> Sequence[NativeHook]:
        """Return one hook, called before each instruction of the program."""
        if not self._words.size:
            return ()
        return (NativeHook(UC_HOOK_CODE, _before, self.state, self._first, self._end - 1),)

    def reset(self) -> None:
        """Prepare for a call; the shadow must be ready before."""
        self.set(pool=self.shadow.pool.ctypes.data, hash=0, accesses=0, wrong=NOTHING, sp_misaligned_by=0)
        self.set(lowest=self.get("sp_highest"), at=0, address=0, size=0, writes=0, sp=0)
