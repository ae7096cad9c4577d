"""Describe in a Fault why a guest stopped."""

from __future__ import annotations

from collections.abc import Sequence

from unicorn import unicorn_const as uc_const

from neonlab.assemble.program import Program
from neonlab.emulate.access_fault import FETCHES, WRITES
from neonlab.emulate.guest.address_space import STACK_TOP
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.hooks.newer_instructions import DATA_ABORT, SYSTEM_CALLS, UNDEFINED
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.model.instruction import BranchKind

# An access within this many bytes of a buffer is reported as an overrun of that buffer.
_NEAR = 1 << 20


def _bytes(count: int) -> str:
    return f"{count} byte{'s' if count != 1 else ''}"


class Diagnosis:
    """Makes the Fault of one call."""

    def __init__(
        self, program: Program, placed: Sequence[PlacedBuffer], stack_size: int, seed: int, stack_top: int = STACK_TOP
    ) -> None:
        self._program, self._placed, self._seed = program, placed, seed
        self._stack_size, self._stack_top = stack_size, stack_top

    def _make(
        self, kind: FaultKind, message: str, address: int, buffer: str | None = None, offset: int | None = None
    ) -> Fault:
        instruction = self._program.by_address.get(address)
        return Fault(
            kind,
            message,
            address,
            self._program.line_at(address),
            instruction.text if instruction else "",
            buffer,
            offset,
            self._seed,
        )

    def access(self, kind: int, address: int, size: int, pc: int, left_from: int | None) -> Fault:
        """Return the fault for a refused load, store or instruction fetch."""
        if kind in FETCHES:
            return self.departure(address, left_from)
        writes = kind in WRITES
        verb = "writes" if writes else "reads"
        near = min(self._placed, key=lambda item: item.distance(address), default=None)
        if near is not None and near.distance(address) <= _NEAR:
            name, offset = near.buffer.name, address - near.address
            if kind == uc_const.UC_MEM_WRITE_PROT:
                if not 0 <= offset < near.buffer.size:  # only the margin on its pages
                    return self._beyond(FaultKind.OUT_OF_BOUNDS_WRITE, verb, size, near, offset, pc)
                message = f"writes {_bytes(size)} at offset {offset} of `{name}`, which is read-only"
                return self._make(FaultKind.READ_ONLY_WRITE, message, pc, name, offset)
            outside = FaultKind.OUT_OF_BOUNDS_WRITE if writes else FaultKind.OUT_OF_BOUNDS_READ
            return self._beyond(outside, verb, size, near, offset, pc)
        if kind == uc_const.UC_MEM_WRITE_PROT:
            segment = next((s for s in self._program.segments if s.address <= address < s.end), None)
            what = f"{segment.name} of the program" if segment else "the program's own pages"
            message = f"writes {_bytes(size)} at {address:#x}, in {what}, which is read-only"
            return self._make(FaultKind.READ_ONLY_WRITE, message, pc)
        lowest = self._stack_top - self._stack_size
        place = "where nothing is mapped"
        if lowest - _NEAR <= address < lowest:
            place = f"{_bytes(lowest - address)} below the {self._stack_size // 1024} KiB stack"
        elif self._stack_top <= address < self._stack_top + _NEAR:
            place = "above the stack"
        return self._make(FaultKind.UNMAPPED_ACCESS, f"{verb} {_bytes(size)} at {address:#x}, {place}", pc)

    def _beyond(self, kind: FaultKind, verb: str, size: int, near: PlacedBuffer, offset: int, pc: int) -> Fault:
        name = near.buffer.name
        if offset < 0:
            where = f"{_bytes(-offset)} before the start of `{name}`"
        else:
            where = f"at offset {offset} of `{name}`, which has {_bytes(near.buffer.size)}"
        return self._make(kind, f"{verb} {_bytes(size)} {where}", pc, name, offset)

    def exception(self, number: int, pc: int, left_from: int | None) -> Fault:
        """Return the fault for an exception that the instruction at `pc` raised."""
        instruction = self._program.by_address.get(pc)
        text = f"`{instruction.text}`" if instruction else "the instruction"
        if number in SYSTEM_CALLS:
            message = f"{text} calls the operating system, which the emulated machine does not have"
            return self._make(FaultKind.UNDEFINED_INSTRUCTION, message, pc)
        inside = any(s.executable and s.address <= pc < s.end for s in self._program.segments)
        if not inside and number == UNDEFINED:
            if left_from == pc:
                found = (self._program.by_address.get(pc - size) for size in (4, 2))
                left_from = next((i.address for i in found if i is not None and i.address + i.size == pc), pc - 4)
            return self.departure(pc, left_from)
        if number == DATA_ABORT:  # refused accesses were told apart before: only alignment is left
            message = f"{text} needs an aligned address, but its address is not aligned"
            return self._make(FaultKind.ALIGNMENT_HINT, message, pc)
        what = "is undefined on the emulated CPU" if number == UNDEFINED else f"raises exception {number}"
        return self._make(FaultKind.UNDEFINED_INSTRUCTION, f"{text} {what}", pc)

    def budget(self, pc: int, budget: int, executed: Sequence[int]) -> Fault:
        """Return the fault for a guest that still ran after `budget` instructions.

        The instructions at the addresses `executed` ran after that.  The fault is at the branch that closes the
        outermost loop among them, else at one whose target is in a register.
        """
        found = [self._program.by_address[address] for address in executed if address in self._program.by_address]
        back = [
            (instruction.target, -instruction.address)
            for instruction in found
            if instruction.target is not None
            and instruction.target <= instruction.address
            and instruction.branch is not BranchKind.CALL
        ]
        jumps = [i.address for i in found if i.branch in (BranchKind.INDIRECT, BranchKind.RETURN)]
        at = -min(back)[1] if back else max(jumps, default=pc)
        return self._make(FaultKind.STEP_BUDGET, f"did not return within {budget} instructions", at)

    def departure(self, target: int, left_from: int | None) -> Fault:
        """Return the fault for control that went to `target`, which is neither the program's code nor the caller."""
        instruction = self._program.by_address.get(left_from) if left_from is not None else None
        if target in self._program.missing:
            text = f"`{instruction.text}`" if instruction is not None else "the code"
            message = f"{text} goes to `{self._program.missing[target]}`, which no file defines"
        elif instruction is None:
            message = f"execution reached {target:#x}, where the program has no code"
        elif instruction.branch is BranchKind.NONE or target == instruction.address + instruction.size:
            message = f"ran past the end of the code after `{instruction.text}` without returning"
        elif instruction.branch is BranchKind.RETURN:
            message = f"`{instruction.text}` returns to {target:#x}, which is not where it was called from"
        else:
            message = f"`{instruction.text}` goes to {target:#x}, where the program has no code"
        return self._make(FaultKind.BAD_RETURN, message, left_from if left_from is not None else target)

    def stopped(self, status: int, pc: int) -> Fault:
        """Return the fault for a CPU that stopped for no reason that a hook saw.

        It waits for an interrupt, or cannot go on.
        """
        waiting = self._program.by_address.get(pc - 4) or self._program.by_address.get(pc - 2)
        if status == 0 and waiting is not None and waiting.mnemonic.startswith(("wfi", "wfe", "yield", "hlt")):
            message = f"`{waiting.text}` waits for an event that never comes"
            return self._make(FaultKind.UNDEFINED_INSTRUCTION, message, waiting.address)
        message = f"the emulated CPU stopped (Unicorn status {status})"
        return self._make(FaultKind.UNDEFINED_INSTRUCTION, message, pc)
