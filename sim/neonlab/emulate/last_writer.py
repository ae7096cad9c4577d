"""Record which instruction last wrote each byte of the writable buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE, UC_HOOK_MEM_WRITE

from neonlab.assemble.program import Program
from neonlab.emulate.engine import program_counter
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.hooks.served import CALLS, ServedCalls, instruction_ending
from neonlab.emulate.native import BLOCK_OR_CODE, MEMORY, NativeHook, Pointer, as_pointer, native, uc_reg_read
from neonlab.emulate.register_identifiers import unicorn_identifier
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa

WRITER = np.dtype(
    [
        ("pc", np.uint64),
        ("program_counter", np.int64),  # Unicorn's identifiers of the registers
        ("calls", np.uint64),  # address of the CALLS of functions whose callers are recorded instead
        ("ranges", np.int64),  # rows of the table
        ("table", np.uint64),  # its address; a row: first address, address past the last, address of the shadow
    ]
)
#: Marks the end of an instruction that called, where the address of one that wrote would stand.
CALLED = 1


@native(MEMORY)
def _written(uc: Pointer, _kind: int, address: int, size: int, _value: int, user: Pointer) -> None:
    state = carray(user, 1, WRITER)[0]
    uc_reg_read(uc, np.int32(state.program_counter), carray(user, 1, WRITER).ctypes.data)
    calls = carray(as_pointer(state.calls), 1, CALLS)[0]
    if calls.first <= state.pc < calls.end:
        state.pc = calls.call_end | CALLED
    table = carray(as_pointer(state.table), (state.ranges, 3), np.uint64)
    first, last = np.uint64(address), np.uint64(address) + np.uint64(size)
    for row in range(state.ranges):
        start, end = max(first, table[row, 0]), min(last, table[row, 1])
        if start < end:
            length: Any = np.int64(table[row, 1] - table[row, 0])
            shadow = carray(as_pointer(table[row, 2]), (length,), np.uint32)
            shadow[np.int64(start - table[row, 0]) : np.int64(end - table[row, 0])] = np.uint32(state.pc)


@native(BLOCK_OR_CODE)
def _clears(uc: Pointer, at: int, _size: int, user: Pointer) -> None:
    """`dc zva`, of which Unicorn's memory hooks hear nothing."""
    state = carray(user, 1, WRITER)[0]
    uc_reg_read(uc, np.int32(state.program_counter), carray(user, 1, WRITER).ctypes.data)
    first = state.pc >> np.uint64(6) << np.uint64(6)
    table = carray(as_pointer(state.table), (state.ranges, 3), np.uint64)
    for row in range(state.ranges):
        start, end = max(first, table[row, 0]), min(first + np.uint64(64), table[row, 1])
        if start < end:
            length: Any = np.int64(table[row, 1] - table[row, 0])
            shadow = carray(as_pointer(table[row, 2]), (length,), np.uint32)
            shadow[np.int64(start - table[row, 0]) : np.int64(end - table[row, 0])] = np.uint32(at)


class LastWriterProbe:
    """Shadows every writable buffer with the address of the instruction that last wrote each byte.

    With `program`, a function that the lab supplies is replaced by its caller.
    """

    def __init__(self, program: Program | None = None) -> None:
        self._state = np.zeros(1, WRITER)
        self._program = program
        self._calls = ServedCalls(program) if program is not None else None
        none = np.zeros(1, CALLS)
        self._call_state = self._calls.state if self._calls is not None else none
        self._state["calls"] = self._call_state.ctypes.data
        self._clearing = [(i, s) for i in (program.instructions if program else ()) if (s := _clearing(i)) is not None]
        self._table = np.zeros((0, 3), np.uint64)
        self._shadows: dict[str, npt.NDArray[np.uint32]] = {}

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """Return a hook on stores, hooks on `dc zva`, and those that find the caller."""
        self._state["program_counter"] = program_counter(isa)
        clearing = [
            NativeHook(UC_HOOK_CODE, _clears, state, instruction.address, instruction.address)
            for instruction, state in self._clearing
        ]
        calls = self._calls.hooks(isa) if self._calls is not None else ()
        return (NativeHook(UC_HOOK_MEM_WRITE, _written, self._state), *clearing, *calls)

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Shadow the writable ones of `buffers`, as not yet written."""
        if self._calls is not None:
            self._calls.reset(buffers)
        writable = [item for item in buffers if item.buffer.writable]
        self._shadows = {item.buffer.name: np.zeros(item.buffer.size, np.uint32) for item in writable}
        rows = [(item.address, item.end, self._shadows[item.buffer.name].ctypes.data) for item in writable]
        self._table = np.array(rows, np.uint64).reshape(-1, 3)
        for state in (self._state, *(state for _, state in self._clearing)):
            state["ranges"], state["table"] = len(rows), self._table.ctypes.data

    def collect(self, name: str) -> npt.NDArray[np.uint32]:
        """Return the address of the last writer of each byte of buffer `name`; 0 where there was none.

        uint32, shape (bytes,).
        """
        return self._shadows[name].copy()

    def writer(self, name: str, offset: int) -> int | None:
        """Return the address of the instruction that last wrote byte `offset` of buffer `name`; None when none did."""
        found = int(self._shadows[name][offset])
        if found & CALLED and self._program is not None:
            return instruction_ending(self._program, found & ~CALLED)
        return found or None


def _clearing(instruction: Instruction) -> npt.NDArray[np.void] | None:
    """Return the state of `_clears` for `dc zva`, with its address register for the program counter; else None."""
    index = next((access.index for access in instruction.accesses if access.extend == "align"), None)
    if index is None:
        return None
    state = np.zeros(1, WRITER)
    state["program_counter"] = unicorn_identifier(instruction.isa, index)
    return state
