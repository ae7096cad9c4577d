"""Find the caller of a function that the lab supplies, so that faults in it are reported at the caller's line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_BLOCK

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, Pointer, native
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.model.isa import Isa

CALLS = np.dtype(
    [
        ("first", np.uint64),  # of the functions that are served
        ("end", np.uint64),
        ("last_end", np.uint64),  # end of the block before
        ("inside", np.int64),  # 1 if that block was of such a function
        ("call_end", np.uint64),  # end of the instruction that entered the last of them
        ("earlier_end", np.uint64),  # end of the block before the last one
        ("before_call_end", np.uint64),  # end of the block before, if a linker's veneer entered
    ]
)


@native(BLOCK_OR_CODE)
def _enter_block(_uc: Pointer, at: int, size: int, user: Pointer) -> None:
    calls = carray(user, 1, CALLS)[0]
    address = np.uint64(at)
    inside = calls.first <= address < calls.end
    if inside and not calls.inside:
        calls.call_end = calls.last_end
        calls.before_call_end = calls.earlier_end
    calls.inside = inside
    calls.earlier_end = calls.last_end
    calls.last_end = address + np.uint64(size)


class ServedCalls:
    """A probe that records where a function was called from, if the lab supplies the function."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.state: npt.NDArray[np.void] = np.zeros(1, CALLS)
        self.state["first"], self.state["end"] = program.served

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return a hook on blocks; none where the lab supplies no function."""
        return (NativeHook(UC_HOOK_BLOCK, _enter_block, self.state),) if self.state["end"][0] else ()

    def reset(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Forget the last call."""
        for name in ("last_end", "inside", "call_end", "earlier_end", "before_call_end"):
            self.state[name] = 0

    def at_caller(self, fault: Fault) -> Fault:
        """Return the fault; one inside a function that the lab supplies moves to the calling line."""
        program = self._program
        address = instruction_ending(program, int(self.state["call_end"][0]))
        if address is not None and program.line_at(address) is None:
            address = instruction_ending(program, int(self.state["before_call_end"][0]))
        if not is_served(program, fault.address) or address is None:
            return fault
        function = _name_at(program, fault.address)
        text = program.by_address[address].text
        moved = replace(fault, address=address, source=program.line_at(address), instruction=text, register=None)
        if fault.kind is FaultKind.UNDEFINED_INSTRUCTION:
            return replace(moved, kind=FaultKind.ABORTED, message=f"gives up: calls `{function}`", clause="")
        return replace(moved, message=f"calls `{function}`, which {fault.message}")


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


def _name_at(program: Program, address: int) -> str:
    """Return the common name of the function at `address`: of several names, one without an underscore in front."""
    before = [(at, name) for name, at in program.addresses.items() if at <= address and not name.startswith(("$", "."))]
    nearest = max((at for at, _ in before), default=0)
    return min((name for at, name in before if at == nearest), key=lambda name: (name[0] == "_", len(name), name))
