"""Compute liveness: the registers whose value is still needed, at every instruction of a function.

A register is live before an instruction when some path from there reads it before anything overwrites it.  The sets are
the least solution of the standard backward equations over the function's control flow graph:

    live_out(i) = union of live_in(s) over the successors s of i
    live_in(i)  = reads(i) | (live_out(i) - writes(i))

`reads` and `writes` are those of `Instruction`, so a destination that is partly kept stays live.  A `Boundary` states
what the instructions do not show: what a return hands back, and what a call reads and clobbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register, RegisterKind, general, vector


@dataclass(frozen=True)
class Boundary:
    """The registers that matter outside of a function.

    `results`: read by every return.  `callee_saved`: read by every return too, but only those that the function writes
    somewhere; one that it never writes is not counted.  `call_reads`, `call_writes`: what a call to another function
    reads and writes.
    """

    results: frozenset[Register] = frozenset()
    callee_saved: frozenset[Register] = frozenset()
    call_reads: frozenset[Register] = frozenset()
    call_writes: frozenset[Register] = frozenset()


def procedure_call_boundary(isa: Isa, results: Iterable[Register] = ()) -> Boundary:
    """Return the boundary of AAPCS32 and AAPCS64; `results` is what the function returns.

    A call may read any argument register.
    """
    if isa is Isa.A64:
        return Boundary(
            results=frozenset(results),
            callee_saved=frozenset([general(i) for i in range(19, 30)] + [vector(i) for i in range(8, 16)]),
            call_reads=frozenset([general(i) for i in range(9)] + [vector(i) for i in range(8)]),
            call_writes=frozenset(
                [general(i) for i in [*range(18), 30]] + [vector(i) for i in [*range(8), *range(16, 32)]]
            ),
        )
    return Boundary(
        results=frozenset(results),
        callee_saved=frozenset([general(i) for i in range(4, 12)] + [vector(i) for i in range(8, 16)]),
        call_reads=frozenset([general(i) for i in range(4)] + [vector(i) for i in range(8)]),
        call_writes=frozenset(
            [general(i) for i in (0, 1, 2, 3, 12, 14)] + [vector(i) for i in [*range(8), *range(16, 32)]]
        ),
    )


@dataclass(frozen=True)
class Liveness:
    """Live registers before and after each instruction, by its address.

    `peak_live` is the most registers of one file that are occupied at once, over the executed instructions.  Before an
    instruction, the occupied registers are those live into it.  After it, they are those live out of it and those that
    it writes, since a result takes a register even if nothing reads it.  A register that is read for the last time may
    be written by the same instruction without counting twice.
    """

    isa: Isa
    live_in: Mapping[int, frozenset[Register]]
    live_out: Mapping[int, frozenset[Register]]
    written: Mapping[int, frozenset[Register]] = field(repr=False)

    def occupied(self, executed: Collection[int] | None = None) -> Iterable[frozenset[Register]]:
        """Yield the occupied registers before and after each instruction at the addresses `executed` (default: all)."""
        for address in self.live_in:
            if executed is None or address in executed:
                yield self.live_in[address]
                yield self.live_out[address] | self.written[address]

    def peak_live(self, kind: RegisterKind, executed: Collection[int] | None = None) -> int:
        """Return the peak of `kind` over the addresses `executed`.

        The kind is v or d registers, or general registers without sp.
        """
        stack_pointer = general(31 if self.isa is Isa.A64 else 13)
        states = set(self.occupied(executed))
        counted = {r for r in frozenset().union(*states) if r.file == kind.value and r != stack_pointer}
        return max((len(held & counted) for held in states), default=0)

    def peak_live_quads(self, executed: Collection[int] | None = None) -> int:
        """Return the most 128-bit registers of which any part is occupied: v registers, or pairs of d registers."""
        if self.isa is Isa.A64:
            return self.peak_live(RegisterKind.VECTOR, executed)
        return max(
            (len({r.index // 2 for r in held if r.file == "vector"}) for held in set(self.occupied(executed))),
            default=0,
        )


def liveness(
    instructions: tuple[Instruction, ...],
    boundary: Boundary | None = None,
    indirect_targets: Mapping[int, Collection[int]] | None = None,
) -> Liveness:
    """Return the liveness of one function: its instructions in order of address, at least one.

    A branch or a fall-through to an address outside `instructions` leaves the function, as a return does.  An indirect
    jump goes to `indirect_targets` of its address; without an entry there, it may go to every instruction of the
    function and out of it.  `boundary` is by default that of the procedure call standard with no result.
    """
    if boundary is None:
        boundary = procedure_call_boundary(instructions[0].isa)
    numbers = {instruction.address: number for number, instruction in enumerate(instructions)}
    universe, bit_of = _numbering(instructions, boundary)

    def mask(registers: Iterable[Register]) -> int:
        return sum(bit_of[register] for register in set(registers))

    clobbered = {register for instruction in instructions for register in instruction.writes}
    at_exit = mask(boundary.results | (boundary.callee_saved & clobbered))
    reads, writes = [], []
    for instruction in instructions:
        is_call = instruction.branch is BranchKind.CALL
        reads.append(mask((*instruction.reads, *(boundary.call_reads if is_call else ()))))
        kills = (*instruction.writes, *(boundary.call_writes if is_call and not instruction.condition else ()))
        writes.append(mask(kills))
    flows = [_successors(instruction, numbers, indirect_targets or {}) for instruction in instructions]

    before, after = [0] * len(instructions), [0] * len(instructions)
    changed = True
    while changed:
        changed = False
        for number in range(len(instructions) - 1, -1, -1):
            successors, leaves = flows[number]
            out = at_exit if leaves else 0
            for successor in successors:
                out |= before[successor]
            into = reads[number] | out & ~writes[number]
            if (into, out) != (before[number], after[number]):
                before[number], after[number], changed = into, out, True

    sets: dict[int, frozenset[Register]] = {}  # few differ

    def members(bits: int) -> frozenset[Register]:
        if bits not in sets:
            sets[bits] = frozenset(register for register in universe if bits & bit_of[register])
        return sets[bits]

    addresses = [instruction.address for instruction in instructions]
    return Liveness(
        instructions[0].isa,
        {address: members(bits) for address, bits in zip(addresses, before, strict=True)},
        {address: members(bits) for address, bits in zip(addresses, after, strict=True)},
        {instruction.address: frozenset(instruction.writes) for instruction in instructions},
    )


def _numbering(instructions: tuple[Instruction, ...], boundary: Boundary) -> tuple[list[Register], dict[Register, int]]:
    found = set(boundary.results | boundary.callee_saved | boundary.call_reads | boundary.call_writes)
    for instruction in instructions:
        found.update(instruction.reads, instruction.writes)
    universe = sorted(found)
    return universe, {register: 1 << number for number, register in enumerate(universe)}


def _successors(
    instruction: Instruction, numbers: Mapping[int, int], indirect_targets: Mapping[int, Collection[int]]
) -> tuple[list[int], bool]:
    """Return the indices of possible successors in the function, and whether control may leave the function."""
    kind = instruction.branch
    addresses = set(instruction.next_addresses)
    leaves = kind is BranchKind.RETURN
    if kind is BranchKind.CALL:  # control comes back behind a call
        addresses = {instruction.address + instruction.size}
    if kind is BranchKind.INDIRECT:
        known = indirect_targets.get(instruction.address)
        addresses.update(numbers if known is None else known)
        leaves = known is None
    leaves = leaves or any(address not in numbers for address in addresses)
    return [numbers[address] for address in sorted(addresses) if address in numbers], leaves
