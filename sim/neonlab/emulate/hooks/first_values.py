"""Keep which instructions a call executes, and the registers that some of them read when they first run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, Pointer, as_pointer, native, uc_reg_read
from neonlab.emulate.register_identifiers import unicorn_identifier
from neonlab.isa.model.isa import Isa, Register

_STATE = np.dtype(
    [
        ("base", np.int64),  # address of the first halfword of code
        ("words", np.int64),  # halfwords of code
        ("ran", np.uint64),  # uint8[words]: 1 where an instruction began
        ("begins", np.uint64),  # int32[words + 1]: where the registers of each halfword begin in `identifiers`
        ("identifiers", np.uint64),  # int32[...]
        ("values", np.uint64),  # uint64[...]: their values
    ]
)


@native(BLOCK_OR_CODE)
def _step(uc: Pointer, address: int, _size: int, user: Pointer) -> None:
    state = carray(user, 1, _STATE)[0]
    word: Any = (np.int64(address) - state.base) >> 1
    words: Any = state.words
    if word < 0 or word >= words:
        return
    ran = carray(as_pointer(state.ran), (words,), np.uint8)
    if ran[word]:
        return
    ran[word] = 1
    begins = carray(as_pointer(state.begins), (words + 1,), np.int32)
    last: Any = begins[words]
    identifiers = carray(as_pointer(state.identifiers), (last + 1,), np.int32)
    values = carray(as_pointer(state.values), (last + 1,), np.uint64)
    for entry in range(begins[word], begins[word + 1]):
        values[entry] = 0
        uc_reg_read(uc, identifiers[entry], values[entry:].ctypes.data)


class FirstValuesProbe:
    """Keeps the values of `registers`, by address, when the instruction there first runs in a call."""

    def __init__(self, program: Program, registers: Mapping[int, Sequence[Register]]) -> None:
        addresses = [instruction.address for instruction in program.instructions]
        self._base = min(addresses, default=0)
        words = (max(addresses, default=self._base - 2) - self._base) // 2 + 1
        self._registers = {address: tuple(some) for address, some in registers.items()}
        every = [self._registers.get(self._base + 2 * word, ()) for word in range(words)]
        self._begins = np.cumsum([0, *map(len, every)]).astype(np.int32)
        known = [unicorn_identifier(program.isa, register) for some in every for register in some]
        self._identifiers = np.array([*known, 0], np.int32)
        self._values = np.zeros(len(self._identifiers), np.uint64)
        self._ran = np.zeros(words, np.uint8)
        self._state = np.zeros(1, _STATE)
        self._state["base"], self._state["words"] = self._base, words
        for name in ("ran", "begins", "identifiers", "values"):
            self._state[name] = getattr(self, f"_{name}").ctypes.data

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook on every instruction."""
        return (NativeHook(UC_HOOK_CODE, _step, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Begin a new call."""
        self._ran[:] = 0

    @property
    def executed(self) -> npt.NDArray[np.int64]:
        """The addresses that the last call executed, ascending."""
        return self._base + 2 * np.flatnonzero(self._ran)

    def values(self, address: int) -> tuple[int, ...] | None:
        """Return what the registers of an address held when it first ran; None where it did not."""
        word = (address - self._base) // 2
        if not self._ran[word]:
            return None
        return tuple(self._values[self._begins[word] : self._begins[word + 1]].tolist())
