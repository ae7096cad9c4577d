"""Plan the addresses of a program's memory accesses, as sums of the registers where control arrives.

A run is the instructions from one place where control can arrive to the next branch.  All of it executes, however an
emulator cuts it into blocks, so its addresses can be computed on entry.  Some addresses are not sums of the registers
on entry: a pointer loaded in the run, a predicated access whose flags are set in it.  There the run is split, and a new
segment begins at that instruction, with the registers there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.operands import ALWAYS, CONDITIONS, EXTENDS
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, MemoryAccess
from neonlab.isa.model.isa import Isa
from neonlab.measure.traffic.affine import AffineAddress, Atom, RegisterValues

SEGMENT = np.dtype(
    [
        ("following", np.uint64),  # address of the instruction at which the next segment begins, 0 for none
        ("first_register", np.int32),
        ("registers", np.int32),  # registers to read; they are the first values
        ("first_sum", np.int32),
        ("sums", np.int32),  # sums of registers, which are the values behind them
        ("first_row", np.int32),
        ("rows", np.int32),
        ("conditional", np.int32),  # 1 when flags decide over a row, or belong to an atom
        ("unused", np.int32),
    ]
)
SUM = np.dtype([("first_term", np.int32), ("terms", np.int32)])
TERM = np.dtype([("coefficient", np.uint64), ("value", np.int32), ("kind", np.int32), ("shift", np.int64)])
ROW = np.dtype(
    [
        ("displacement", np.uint64),
        ("value", np.int32),  # the other addend: number of a register or sum of the segment, -1 for none
        ("site", np.int32),  # number of the access in the program
        ("condition", np.int32),  # number of the condition, ALWAYS for none
        ("unused", np.int32),
    ]
)


@dataclass(frozen=True, slots=True)
class Site:
    """One memory access in the text: access `number` of an instruction."""

    instruction: Instruction
    number: int

    @property
    def access(self) -> MemoryAccess:
        """The access: its registers, size and kind."""
        return self.instruction.accesses[self.number]

    @property
    def kind(self) -> AccessKind:
        """The kind: load, store or prefetch."""
        return self.access.kind

    @property
    def size(self) -> int:
        """The size in bytes; 0 for a prefetch."""
        return self.access.count


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan: tables for a compiled hook, with halfwords counted from address `base`.

    `entries` and `continuations` (one int32 for each halfword) hold the number of the segment that begins there,
    counted from 1: in `entries` when control arrives by a branch or a call, in `continuations` when the segment before
    ended there.  `run_ends` (uint64 for each halfword) is the address behind the run that the instruction is in, 0
    outside runs.  `registers` (int32) are indices of general registers.
    """

    isa: Isa
    stepwise: bool
    base: int
    sites: tuple[Site, ...]
    entries: npt.NDArray[np.int32]
    continuations: npt.NDArray[np.int32]
    run_ends: npt.NDArray[np.uint64]
    segments: npt.NDArray[np.void]
    registers: npt.NDArray[np.int32]
    sums: npt.NDArray[np.void]
    terms: npt.NDArray[np.void]
    rows: npt.NDArray[np.void]

    @property
    def stops(self) -> tuple[int, ...]:
        """The addresses of the instructions at which a segment begins in the middle of a run."""
        return tuple(self.base + 2 * int(word) for word in np.flatnonzero(self.continuations))


@dataclass(slots=True)
class _AddressTables:
    isa: Isa
    sites: list[Site] = field(default_factory=list)
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    segments: list[tuple[int, ...]] = field(default_factory=list)
    registers: list[int] = field(default_factory=list)
    sums: list[tuple[int, int]] = field(default_factory=list)
    terms: list[tuple[int, int, int, int]] = field(default_factory=list)
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)

    def site(self, instruction: Instruction, number: int) -> int:
        return self.numbers[instruction.address, number]

    def add(self, accesses: list[tuple[int, AffineAddress, int]], following: int) -> int:
        """Add a segment of (site, address, condition); return its number, counted from 1."""
        forms = dict.fromkeys(address.terms for _, address, _ in accesses if address.terms)
        atoms = dict.fromkeys(atom for terms in forms for atom, _ in terms)
        slots = {register: slot for slot, register in enumerate(dict.fromkeys(atom.register for atom in atoms))}
        values: dict[tuple[tuple[Atom, int], ...], int] = {}
        sums: list[tuple[int, int]] = []
        for terms in forms:
            if len(terms) == 1 and terms[0][1] == 1 and not terms[0][0].extend:
                values[terms] = slots[terms[0][0].register]
            else:
                values[terms] = len(slots) + len(sums)
                sums.append((len(self.terms), len(terms)))
                self.terms += [(c, slots[a.register], EXTENDS[a.extend], a.shift) for a, c in terms]
        conditional = any(c != ALWAYS for _, _, c in accesses) or any(atom.extend == "rrx" for atom in atoms)
        self.segments.append(
            (
                following,
                len(self.registers),
                len(slots),
                len(self.sums),
                len(sums),
                len(self.rows),
                len(accesses),
                int(conditional),
                0,
            )
        )
        self.registers += slots
        self.sums += sums
        self.rows += [
            (address.constant, values[address.terms] if address.terms else -1, site, condition, 0)
            for site, address, condition in accesses
        ]
        return len(self.segments)


def make_plan(program: Program, *, stepwise: bool | None = None) -> Plan:
    """Return the plan of all of `program`.

    `stepwise` makes each instruction that accesses memory a segment of its own.  By default that is so where control
    can arrive anywhere, by a computed jump.
    """
    if stepwise is None:
        stepwise = _arrives_anywhere(program)
    code = [segment for segment in program.segments if segment.executable]
    base = min((segment.address for segment in code), default=0) & ~3
    words = (max((segment.end for segment in code), default=base) - base + 1) // 2
    entries, continuations = np.zeros(words, np.int32), np.zeros(words, np.int32)
    run_ends = np.zeros(words, np.uint64)
    tables = _AddressTables(program.isa)
    for instruction in program.instructions:
        for number in range(len(instruction.accesses)):
            tables.numbers[instruction.address, number] = len(tables.sites)
            tables.sites.append(Site(instruction, number))
    for end, members in _runs(program):
        for instruction in members:
            run_ends[(instruction.address - base) // 2] = end
    if stepwise:
        waiting = {i.address for i in program.instructions if i.accesses}
    else:
        waiting = set()
        for address in sorted(_entries(program)):
            following, accesses = _segment(program, tables, address, int(run_ends[(address - base) // 2]), False)
            entries[(address - base) // 2] = tables.add(accesses, following)
            waiting |= {following} - {0}
    while waiting:
        address = waiting.pop()
        following, accesses = _segment(program, tables, address, int(run_ends[(address - base) // 2]), stepwise)
        continuations[(address - base) // 2] = tables.add(accesses, following)
        if following and not continuations[(following - base) // 2]:
            waiting.add(following)
    return Plan(
        program.isa,
        stepwise,
        base,
        tuple(tables.sites),
        entries,
        continuations,
        run_ends,
        np.array(tables.segments, SEGMENT),
        np.array(tables.registers or [0], np.int32),
        np.array(tables.sums or [(0, 0)], SUM),
        np.array(tables.terms or [(0, 0, 0, 0)], TERM),
        np.array(tables.rows or [(0, 0, 0, 0, 0)], ROW),
    )


def _arrives_anywhere(program: Program) -> bool:
    """Return whether a computed jump or call may arrive at any instruction."""
    return any(
        i.branch is BranchKind.INDIRECT or (i.branch is BranchKind.CALL and i.target is None)
        for i in program.instructions
    )


def _runs(program: Program) -> Iterator[tuple[int, list[Instruction]]]:
    """Yield runs: the address behind the run, and its instructions, of which only the last may be a branch."""
    members: list[Instruction] = []
    for instruction in program.instructions:
        if members and _end(members[-1]) != instruction.address:
            yield _end(members[-1]), members
            members = []
        members.append(instruction)
        if instruction.branch is not BranchKind.NONE:
            yield _end(instruction), members
            members = []
    if members:
        yield _end(members[-1]), members


def _end(instruction: Instruction) -> int:
    return instruction.address + instruction.size


def _entries(program: Program) -> set[int]:
    """Return the addresses where control can arrive by symbols, branches and calls, or where a run begins."""
    found = set(program.addresses.values())
    found |= {i.target for i in program.instructions if i.target is not None}
    found |= {members[0].address for _, members in _runs(program)}
    return found & program.by_address.keys()


def _segment(
    program: Program, tables: _AddressTables, address: int, end: int, alone: bool
) -> tuple[int, list[tuple[int, AffineAddress, int]]]:
    """Return the address at which the segment from `address` ends, and its accesses as far as they are known there.

    The address is 0 where the segment ends with the run.
    """
    values = RegisterValues(program.isa)
    found: list[tuple[int, AffineAddress, int]] = []
    at = address
    while at < end and not (alone and at > address):
        instruction = program.by_address[at]
        condition = ALWAYS
        if program.isa is Isa.A32 and instruction.condition in CONDITIONS:
            condition = CONDITIONS.index(instruction.condition)
        if instruction.accesses:
            addresses = [values.address(access) for access in instruction.accesses]
            known = [one for one in addresses if one is not None]
            if len(known) < len(addresses) or (condition != ALWAYS and not values.flags_kept):
                return at, found
            for number, where in enumerate(known):
                found.append((tables.site(instruction, number), where, condition))
        values.execute(instruction)
        at = _end(instruction)
    return 0, found
