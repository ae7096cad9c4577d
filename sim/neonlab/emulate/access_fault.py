"""Record the access that the page protection refused: its kind, address and instruction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_MEM_INVALID
from unicorn import unicorn_const as uc_const

from neonlab.emulate.engine import program_counter
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import INVALID_MEMORY, NativeHook, Pointer, native, uc_reg_read
from neonlab.isa.model.isa import Isa

ACCESS = np.dtype(
    [
        ("pc", np.int64),
        ("program_counter", np.int64),  # Unicorn's identifier of the register
        ("seen", np.int64),
        ("kind", np.int64),  # Unicorn's UC_MEM_... value
        ("address", np.int64),
        ("size", np.int64),
    ]
)
WRITES = (uc_const.UC_MEM_WRITE_UNMAPPED, uc_const.UC_MEM_WRITE_PROT)
FETCHES = (uc_const.UC_MEM_FETCH_UNMAPPED, uc_const.UC_MEM_FETCH_PROT)


@native(INVALID_MEMORY)
def _refused(uc: Pointer, kind: int, address: int, size: int, _value: int, user: Pointer) -> bool:
    access = carray(user, 1, ACCESS)[0]
    if access.seen == 0:
        access.seen = 1
        access.kind = kind
        access.address = np.int64(address)
        access.size = size
        uc_reg_read(uc, np.int32(access.program_counter), carray(user, 1, ACCESS).ctypes.data)
    return False


class AccessFault:
    """Remembers the first refused access of a call."""

    def __init__(self) -> None:
        self._state = np.zeros(1, ACCESS)

    def hooks(self, isa: Isa) -> Sequence[NativeHook]:
        """Return one hook, which only refused accesses reach."""
        self._state["program_counter"] = program_counter(isa)
        return (NativeHook(UC_HOOK_MEM_INVALID, _refused, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        for name in ("seen", "pc"):
            self._state[name] = 0

    @property
    def access(self) -> tuple[int, int, int, int] | None:
        """Unicorn's kind, address, bytes and pc of the refused access, or None."""
        state = self._state[0]
        if not state["seen"]:
            return None
        return int(state["kind"]), int(state["address"]), int(state["size"]), int(state["pc"])
