"""Watch calls of functions that the lab supplies.

Faults in such a function are reported at the caller's line.  When it returns, all registers that the procedure call
standard lets a callee change hold the call's noise, and the result alone is what the function made.  sp must be aligned
when it is called, as at every public interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_BLOCK, arm64_const, arm_const

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.guest.noise import Noise, flags_in
from neonlab.emulate.guest.registers import offset_of
from neonlab.emulate.hooks.callee_registers import ENTRY, FIRST_VECTOR, changed_registers, kept_bytes, result_masks
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
    uc_reg_write,
)
from neonlab.emulate.register_identifiers import unicorn_identifier
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.model.isa import FLAGS, Isa, Register

CALLS = np.dtype(
    [
        ("sp", np.uint64),  # at the last call of one of the functions
        ("first", np.uint64),  # of the functions that are served
        ("end", np.uint64),
        ("last_end", np.uint64),  # end of the block before
        ("inside", np.int64),  # 1 if that block was of such a function
        ("call_end", np.uint64),  # end of the instruction that entered the last of them
        ("earlier_end", np.uint64),  # end of the block before the last one
        ("before_call_end", np.uint64),  # end of the block before, if a linker's veneer entered
        ("results", np.int64),  # mask of the registers that hold the result of the last of them
        ("masks", np.uint64),  # uint8[]: these masks, for each halfword of the functions
        ("changed", np.uint64),  # CHANGED[count]: what a callee may change
        ("count", np.int64),
        ("sp_register", np.int64),  # Unicorn's identifier of sp
        ("sp_mask", np.uint64),  # bits of sp that must be 0 at a call
        ("misaligned", np.int64),  # 1 if one of them was set, which ended the run
    ]
)
CHANGED = np.dtype(
    [
        ("noise", np.uint64, 2),  # what the register is to hold
        ("held", np.uint64, 2),
        ("identifier", np.int64),  # Unicorn's
        ("result", np.int64),  # bit of the register in a mask of results
        ("kept", np.int64),  # lowest bytes of it that stay: 0 or 8
        ("mask", np.uint64),  # bits of a status register that change; 0 for other registers
    ]
)
# Constants to the compiler
_CHANGED_BYTES, _HELD = CHANGED.itemsize, 16
_STATUS_FLAGS = 0xF0000000
_OVERLAP = "calls `{}` to copy between two places that overlap, which `memmove` alone may do"
_OVERLAP_CLAUSE = "C11 7.24.2.1: if copying takes place between objects that overlap, the behavior is undefined"


@compiled
def _change(uc: Pointer, calls: Record) -> None:
    """Fill the registers that a callee may change with noise, but for those that hold a result."""
    count: Any = calls.count
    registers = carray(as_pointer(calls.changed), (count,), CHANGED)
    for number in range(count):
        register = registers[number]
        start = calls.changed + np.uint64(number * _CHANGED_BYTES)
        if calls.results & register.result and register.result < FIRST_VECTOR:
            continue
        if calls.results & register.result or register.kept or register.mask:
            uc_reg_read(uc, np.int32(register.identifier), as_pointer(start + np.uint64(_HELD)))
            held, noise = carray(as_pointer(start), (4,), np.uint64)[2:4], carray(as_pointer(start), (4,), np.uint64)
            if register.mask:
                held[0] = (held[0] & ~register.mask) | (noise[0] & register.mask)
            else:
                held[1] = noise[1]
            uc_reg_write(uc, np.int32(register.identifier), as_pointer(start + np.uint64(_HELD)))
        else:
            uc_reg_write(uc, np.int32(register.identifier), as_pointer(start))


@native(BLOCK_OR_CODE)
def _enter_block(uc: Pointer, at: int, size: int, user: Pointer) -> None:
    calls = carray(user, 1, CALLS)[0]
    address = np.uint64(at)
    inside = calls.first <= address < calls.end
    if inside and not calls.inside:
        calls.call_end = calls.last_end
        calls.before_call_end = calls.earlier_end
        half: Any = np.int64((address - calls.first) >> np.uint64(1))
        calls.results = np.int64(carray(as_pointer(calls.masks), (half + 1,), np.uint8)[half])
        calls.sp = np.uint64(0)
        uc_reg_read(uc, np.int32(calls.sp_register), carray(user, 1, CALLS).ctypes.data)
        if calls.sp & calls.sp_mask:
            calls.misaligned = 1
            uc_emu_stop(uc)
    elif calls.inside and not inside and calls.results & ENTRY:
        _change(uc, calls)
    calls.inside = inside
    calls.earlier_end = calls.last_end
    calls.last_end = address + np.uint64(size)


class ServedCalls:
    """A probe that watches calls of functions that the lab supplies, and changes registers when they return."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.state: npt.NDArray[np.void] = np.zeros(1, CALLS)
        self.state["first"], self.state["end"] = program.served
        if not self.state["end"][0]:
            return
        isa = program.isa
        self._registers = changed_registers(isa)
        self._masks = result_masks(program)
        self._changed = np.zeros(len(self._registers), CHANGED)
        for row, register in zip(self._changed, self._registers, strict=True):
            row["identifier"] = unicorn_identifier(isa, register)
            row["result"] = _result_bit(register)
            row["kept"] = kept_bytes(isa, register)
            row["mask"] = _STATUS_FLAGS if register == FLAGS else 0
        sp = arm64_const.UC_ARM64_REG_SP if isa is Isa.A64 else arm_const.UC_ARM_REG_SP
        self.state["masks"], self.state["changed"] = self._masks.ctypes.data, self._changed.ctypes.data
        self.state["count"], self.state["sp_register"] = len(self._registers), sp
        self.state["sp_mask"] = 15 if isa is Isa.A64 else 7

    def take(self, noise: Noise) -> None:
        """Take what registers hold after a call from `noise`."""
        if not self.state["end"][0]:
            return
        isa, held = self._program.isa, noise.calls
        width = 16 if isa is Isa.A64 else 8
        for row, register in zip(self._changed, self._registers, strict=True):
            if register == FLAGS:
                row["noise"] = flags_in(held), 0
                continue
            name = f"{'q' if isa is Isa.A64 else 'd'}{register.index}" if register.file == "vector" else ""
            start = offset_of(isa, name or register.name(isa))
            size = width if register.file == "vector" else isa.pointer_bytes
            contents = held[start : start + size].tobytes().ljust(16, b"\0")
            row["noise"] = np.frombuffer(contents, np.uint64)

    @property
    def misaligned(self) -> bool:
        """Tell whether the last run ended at a call, because sp was not aligned there."""
        return bool(self.state["misaligned"][0])

    def stack_fault(self, seed: int) -> Fault:
        """Return the fault of a call at which sp was not aligned."""
        program, sp, unit = self._program, int(self.state["sp"][0]), int(self.state["sp_mask"][0]) + 1
        call_end = int(self.state["call_end"][0])
        address = instruction_ending(program, call_end) or call_end
        standard = "AAPCS64" if program.isa is Isa.A64 else "AAPCS32"
        message = f"makes a call with sp {sp % unit} bytes off a multiple of {unit}"
        clause = f"{standard}, Stack constraints at a public interface: sp mod {unit} = 0"
        instruction = program.by_address.get(address)
        text = instruction.text if instruction is not None else ""
        line = program.line_at(address)
        return Fault(FaultKind.STACK_POINTER, message, address, line, text, seed=seed, register="sp", clause=clause)

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return a hook on blocks; none where the lab supplies no function."""
        return (NativeHook(UC_HOOK_BLOCK, _enter_block, self.state),) if self.state["end"][0] else ()

    def reset(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Forget the last call."""
        for name in ("last_end", "inside", "call_end", "earlier_end", "before_call_end", "results", "misaligned"):
            self.state[name] = 0

    def at_caller(self, fault: Fault) -> Fault:
        """Return the fault; one inside a function that the lab supplies moves to the calling line."""
        program = self._program
        address = instruction_ending(program, int(self.state["call_end"][0]))
        if address is not None and program.line_at(address) is None:
            address = instruction_ending(program, int(self.state["before_call_end"][0]))
        if not is_served(program, fault.address) or address is None:
            return fault
        function = name_at(program, fault.address)
        text = program.by_address[address].text
        moved = replace(fault, address=address, source=program.line_at(address), instruction=text, register=None)
        if fault.kind is FaultKind.UNDEFINED_INSTRUCTION and function.endswith("memcpy"):
            return replace(moved, kind=FaultKind.ABORTED, message=_OVERLAP.format(function), clause=_OVERLAP_CLAUSE)
        if fault.kind is FaultKind.UNDEFINED_INSTRUCTION:
            return replace(moved, kind=FaultKind.ABORTED, message=f"gives up: calls `{function}`", clause="")
        return replace(moved, message=f"calls `{function}`, which {fault.message}")


def _result_bit(register: Register) -> int:
    """Return the bit of a register in a mask of results; 0 for one that never holds a result."""
    if register.file == "vector":
        return FIRST_VECTOR if register.index == 0 else 0
    return 1 << register.index if register.file == "general" and register.index < 4 else 0


def is_served(program: Program, address: int) -> bool:
    """Return whether the instruction at `address` belongs to a function that the lab supplies."""
    first, end = program.served
    return first <= address < end


def instruction_ending(program: Program, end: int) -> int | None:
    """Return the address of the instruction that ends at `end`; None where there is none."""
    for size in (4, 2):
        instruction = program.by_address.get(end - size)
        if instruction is not None and instruction.size == size:
            return end - size
    return None


def name_at(program: Program, address: int) -> str:
    """Return the common name of the function at `address`: of several names, one without an underscore in front."""
    before = [(at, name) for name, at in program.addresses.items() if at <= address and not name.startswith(("$", "."))]
    nearest = max((at for at, _ in before), default=0)
    return min((name for at, name in before if at == nearest), key=lambda name: (name[0] == "_", len(name), name))
