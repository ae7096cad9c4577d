"""Compute which bytes of registers are live at every instruction, by the backward equations, byte by byte.

    live_out(i) = union of live_in(s) over the successors s of i
    live_in(i)  = bytes that i needs to produce its part of live_out(i), and the bytes of live_out(i) that i keeps

Memory, addresses and everything that decides a branch are always live.  The cumulative bits of the floating-point
status are live only in a program that moves the status.  Sets of places are integers, with a bit for each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.isa.c.procedure_call import place_result
from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.dependence import (
    FLAG_C,
    FLAG_N,
    FLAG_V,
    FLAG_Z,
    MEMORY,
    STATUS_PLACE,
    general_place,
    places_of,
)
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register, general, vector


@dataclass(frozen=True)
class LiveBytes:
    """Places that are live before and after each instruction, by address."""

    live_in: Mapping[int, int]
    live_out: Mapping[int, int]


def bits(places: Iterable[int]) -> int:
    """Return a set of places as an integer with one bit for each; places in memory are left out."""
    found = 0
    for place in places:
        if place < MEMORY:
            found |= 1 << place
    return found


def live_bytes(program: Program, contract: Contract) -> LiveBytes:
    """Return the live places of a kernel that follows its contract and the procedure call standard."""
    instructions = program.instructions
    at_exit = _needed_at_exit(program.isa, contract)
    # Other instructions read only the control bits of the status, which no arithmetic changes.
    unread = frozenset() if any(map(_moves_status, instructions)) else frozenset((STATUS_PLACE,))
    rules = [_LivenessRule(instruction, unread) for instruction in instructions]
    numbers = {instruction.address: number for number, instruction in enumerate(instructions)}
    flows = [_successors(instruction, numbers) for instruction in instructions]
    before, after = [0] * len(instructions), [0] * len(instructions)
    changed = True
    while changed:
        changed = False
        for number in range(len(instructions) - 1, -1, -1):
            following, leaves = flows[number]
            out = at_exit if leaves else 0
            for successor in following:
                out |= before[successor]
            into = rules[number].before(out)
            if (into, out) != (before[number], after[number]):
                before[number], after[number], changed = into, out, True
    addresses = [instruction.address for instruction in instructions]
    return LiveBytes(dict(zip(addresses, before, strict=True)), dict(zip(addresses, after, strict=True)))


def _moves_status(instruction: Instruction) -> bool:
    return instruction.mnemonic.removeprefix("v")[:3] in {"mrs", "msr"}


class _LivenessRule:
    """The effect of one instruction on a set of live places; places in `unread` are never live."""

    def __init__(self, instruction: Instruction, unread: frozenset[int]) -> None:
        isa, rule = instruction.isa, dependence_of(instruction)
        renewed = _flags_renewed(instruction)
        self._sources = [
            (1 << place, bits(found - {place} if place in renewed else found))
            for place, found in rule.sources.items()
            if place < MEMORY and place not in unread
        ]
        # A predicated instruction may leave its destination unchanged.
        self._kills = 0 if rule.control else bits(rule.sources)
        always: set[int] = set(rule.control)
        for place, found in rule.sources.items():
            if place >= MEMORY:
                always |= found
        named = [register for access in instruction.accesses for register in (access.base, access.index)]
        if instruction.branch is not BranchKind.NONE:
            named += instruction.reads
        if instruction.branch in {BranchKind.CALL, BranchKind.INDIRECT}:
            named += _everything(isa)
        for register in named:
            if register is not None:
                always |= set(places_of(register, isa))
        self._always = bits(always)

    def before(self, out: int) -> int:
        into = out & ~self._kills | self._always
        for produced, needed in self._sources:
            if out & produced:
                into |= needed
        return into


def _flags_renewed(instruction: Instruction) -> frozenset[int]:
    """Return the A32 flags that the instruction overwrites, but that its dependence says it also reads."""
    if instruction.isa is Isa.A64 or instruction.condition or FLAGS not in instruction.writes:
        return frozenset()
    if instruction.mnemonic in {"adds", "subs", "rsbs", "cmp", "cmn"}:
        return frozenset((FLAG_N, FLAG_Z, FLAG_C, FLAG_V))
    if instruction.mnemonic in {"lsls", "lsrs", "asrs"} and "#" in instruction.operands:
        return frozenset((FLAG_N, FLAG_Z, FLAG_C))
    if instruction.mnemonic in {"ands", "orrs", "eors", "bics", "movs", "mvns", "lsls", "lsrs", "asrs", "tst", "teq"}:
        return frozenset((FLAG_N, FLAG_Z))
    return frozenset()


def _everything(isa: Isa) -> list[Register]:
    vectors = 32  # v0-v31, or d0-d31
    return [*map(general, range(isa.general_registers + 1)), *map(vector, range(vectors)), FLAGS]


def _needed_at_exit(isa: Isa, contract: Contract) -> int:
    """Return the places live at exit: the result, the stack pointer, and the registers preserved for the caller."""
    if isa is Isa.A64:
        kept = [place for i in (*range(18, 30), 31) for place in places_of(general(i), isa)]
        kept += [place for i in range(8, 16) for place in places_of(vector(i), isa)[:8]]
    else:
        kept = [place for i in (*range(4, 12), 13) for place in places_of(general(i), isa)]
        kept += [place for i in range(8, 16) for place in places_of(vector(i), isa)]
    location = place_result(isa, contract.signature, contract.float_abi)
    for name in location.registers if location is not None else ():
        if name[0] in "xwr":
            first = general_place(int(name[1:]))
            kept += range(first, first + isa.pointer_bytes)
        else:
            kept += places_of(vector(0), isa)
    return bits(kept)


def _successors(instruction: Instruction, numbers: Mapping[int, int]) -> tuple[list[int], bool]:
    """Return the indices of possible next instructions, and whether control may leave.

    An indirect jump may go anywhere.
    """
    kind = instruction.branch
    addresses = set(instruction.next_addresses)
    if kind is BranchKind.INDIRECT:
        addresses.update(numbers)
    leaves = kind in (BranchKind.RETURN, BranchKind.INDIRECT) or any(address not in numbers for address in addresses)
    return [numbers[address] for address in sorted(addresses) if address in numbers], leaves
