"""Refuse a kernel whose path or results may depend on where its buffers lie, or on what an earlier call left.

A proof follows one call, with its buffers at some addresses.  The same call is made again with each buffer, the stack
and the caller elsewhere, each by another distance.  A register that holds an address then differs by the distance of
what it points to.  Sums with offsets keep that difference.  Anything else that is computed of an address, or decided by
one, is refused: but for two addresses in one buffer, which compare alike wherever it lies.

Data of its own that a kernel may change are not followed from call to call: reading them is refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import HOME, elsewhere
from neonlab.emulate.hooks.served import is_served, name_at
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.emulate.trace import Trace, TraceProbe, entry_value
from neonlab.isa.comparisons import comparisons_of
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register, general
from neonlab.prove.kernel.symbolic_run import place_of, recorded
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Case
from neonlab.verify.check_case import call_arguments, call_case
from neonlab.verify.memory.placement import place_arguments

#: Most steps that are compared: of a longer call, its beginning.
_STEPS = 1 << 22
#: The arrangement that is compared with HOME: no two buffers are moved alike, and none lies at a boundary.
_TURN = 2
_FILE = "general"
#: How the names of functions end that compare the places between which they copy.
_COPY = tuple(f"{name}{size}" for name in ("memcpy", "memmove") for size in ("", "4", "8"))
_DECIDES = "the addresses of buffers decide what this instruction does"
_COMPUTES = "this instruction computes with an address other than to point to a place beside it"
_KEPT = "reads data of the kernel's own that an earlier call may have changed"

Distances = npt.NDArray[np.uint64]


def refuse_addresses(program: Program, contract: Contract, case: Case) -> None:
    """Raise Refusal where what a call does may depend on addresses, or on its own data, which earlier calls changed."""
    passed = call_arguments(contract, case)
    places = [(HOME, passed), (elsewhere(program.isa, _TURN), place_arguments(contract, passed, _TURN))]
    kept = recorded(program, contract, case)  # the call that is proved, which is not made again
    traces = [kept[0]] if kept is not None else []
    for space, arguments in places[len(traces) :]:
        recorder = TraceProbe(program, _STEPS)
        with Machine(program, probes=(recorder,), space=space) as machine:
            outcome = call_case(machine, contract, case, arguments)
            traces.append(recorder.collect(machine))
        if isinstance(outcome, Fault):
            raise Refusal(f"the call fails where its buffers lie elsewhere: {outcome.message}")
    _Comparison(*traces).refuse()


class _Comparison:
    """Two traces of one call, between which everything was moved."""

    def __init__(self, here: Trace, there: Trace) -> None:
        self._here, self._there = here, there
        self._mask = np.uint64((1 << 8 * here.isa.pointer_bytes) - 1)
        stack, caller = (31, 30) if here.isa is Isa.A64 else (13, 14)
        moved = [(one.address, other.address) for one, other in zip(here.buffers, there.buffers, strict=True)]
        moved += [
            (entry_value(here.entry, general(one)), entry_value(there.entry, general(one))) for one in (stack, caller)
        ]
        distances = [0, *((after - before) % 2**64 for before, after in moved)]
        self._known = np.array(distances, np.uint64) & self._mask
        #: Of each register that a step wrote, whether it differs by none of the distances.
        self._beyond = np.zeros(0, np.bool_)

    def refuse(self) -> None:
        """Raise Refusal at the first instruction that one of the rules is against."""
        here, there = self._here, self._there
        if len(here) != len(there) or not np.array_equal(here.pcs, there.pcs):
            least = min(len(here), len(there))
            other = np.flatnonzero(here.pcs[:least] != there.pcs[:least])
            self._stop(int(other[0] if len(other) else least) - 1, "the addresses of buffers decide the path from here")
        # Both calls took the same path, so that both wrote the same registers in the same order.
        distances = (there.values[:, 0] - here.values[:, 0]) & self._mask
        self._beyond = ~np.isin(distances, self._known)
        for address, steps in sorted(here.executions.items(), key=lambda item: int(item[1][0])):
            instruction = here.program.by_address.get(address)
            if instruction is not None and not self._copies(address):
                self._refuse_instruction(instruction, steps[steps < len(here) - here.overflow])
        self._refuse_own_data()

    def _copies(self, address: int) -> bool:
        """Tell whether an address is in `memcpy` or `memmove` of the lab's own, whose results no address decides.

        They compare where they copy to with where they copy from, to see whether these overlap.
        """
        program = self._here.program
        return is_served(program, address) and name_at(program, address).endswith(_COPY)

    def _refuse_instruction(self, instruction: Instruction, steps: npt.NDArray[np.int64]) -> None:
        decided = FLAGS in instruction.writes or instruction.branch is BranchKind.CONDITIONAL
        elsewhere_used = any(one.file not in (_FILE, FLAGS.file) for one in instruction.writes)
        if (decided or elsewhere_used) and not instruction.accesses:
            reads = {one: self._moved(steps, one) for one in instruction.reads if one.file == _FILE}
            by_address = np.zeros(len(steps), bool)
            for distance in reads.values():
                by_address |= distance != 0
            if decided and by_address.any():
                unlike = by_address & ~self._alike(instruction, reads, len(steps))
                self._stop_where(unlike, steps, _DECIDES)
            elif by_address.any():
                self._stop_where(by_address, steps, _COMPUTES)
        for position, register in enumerate(instruction.writes):
            if register.file == _FILE:
                self._stop_where(self._beyond[self._here.first_writes[steps] + position], steps, _COMPUTES)

    def _alike(self, instruction: Instruction, reads: dict[Register, Distances], count: int) -> npt.NDArray[np.bool_]:
        """Return where an instruction compares two addresses in one buffer, or one with 0, which none is."""
        for one in comparisons_of([instruction]):
            bits = min(operand.bits for operand in (one.first, one.second) if operand.register is not None)
            whole = bits >= 8 * self._here.isa.pointer_bytes and not one.second.shift and not one.second.added
            if whole and len(one.registers) == 2:
                return np.equal(*(reads[register] for register in one.registers))
            return np.full(count, whole and one.second.register is None and one.second.number == 0)
        return np.zeros(count, bool)

    def _moved(self, steps: npt.NDArray[np.int64], register: Register) -> Distances:
        """Return by how much a register differs between the calls as each of the steps begins."""
        found: Distances = self._there.befores(steps, register)[:, 0] - self._here.befores(steps, register)[:, 0]
        return found & self._mask

    def _refuse_own_data(self) -> None:
        own = [one for one in self._here.program.segments if one.writable]
        for address in self._here.executions if own else ():
            instruction = self._here.program.by_address.get(address)
            for number in _loads(instruction):
                at, addresses = self._here.addresses(address, number)
                for segment in own:
                    inside = (addresses >= segment.address) & (addresses < segment.end)
                    self._stop_where(inside, at, _KEPT)

    def _stop_where(self, bad: npt.NDArray[np.bool_], steps: npt.NDArray[np.int64], reason: str) -> None:
        if bad.any():
            self._stop(int(steps[bad][0]), reason)

    def _stop(self, step: int, reason: str) -> None:
        where, text = place_of(self._here, max(step, 0))
        raise Refusal(f"{reason}: {text}" if text else reason, place=where)


def _loads(instruction: Instruction | None) -> Iterator[int]:
    for number, access in enumerate(instruction.accesses if instruction is not None else ()):
        if access.kind is AccessKind.LOAD:
            yield number
