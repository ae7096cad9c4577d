"""Find whether a mutant reaches the same state as the program a few instructions later, on every path through it.

`LocalComparison` compares the changed instructions alone.  Here they run with the instructions that must have run
before them and with those that follow, branches included.  The comparison ends when both are at the same instruction
with equal live registers and equal memory, and the mutant made no access that the program does not make.  From there on
their behaviour is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from unicorn.unicorn_py3.unicorn import UcError

from neonlab.assemble.program import Program
from neonlab.isa.model.condition import holds
from neonlab.isa.model.dependence import places_of
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, InstructionClass
from neonlab.isa.model.isa import Isa, Register, general
from neonlab.verify.mutation.intervals import Intervals
from neonlab.verify.mutation.knowledge import Knowledge
from neonlab.verify.mutation.liveness import LiveBytes, bits
from neonlab.verify.mutation.local import Footprint, LocalComparison, can_be_tried

_BEFORE, _AFTERWARDS = 10, 12  # instructions that are followed
_TRIALS, _REACHED_AT_LEAST = 512, 64
_LINK = {Isa.A64: 30, Isa.A32: 14}


@dataclass(frozen=True)
class _Point:
    """The state of a run after an instruction, and its accesses since the changed instruction."""

    address: int
    registers: npt.NDArray[np.uint8]
    flags: int
    loads: Footprint
    stores: Footprint
    written: Mapping[int, int]
    lossy: tuple[tuple[int, bytes], ...]


class PathComparison:
    """Follows the program and its mutants from many states."""

    def __init__(self, program: Program, live: LiveBytes, known: Intervals, local: LocalComparison) -> None:
        self._program, self._live, self._known, self._local = program, live, known, local
        self._isa = program.isa
        self._ways = _ways_in(program)
        self._masks: dict[int, tuple[npt.NDArray[np.bool_], int]] = {}
        self._read: dict[Instruction, npt.NDArray[np.bool_]] = {}

    def same(self, old: Sequence[Instruction], new: Sequence[Instruction]) -> bool:
        """Tell whether the program with `new` in place of `old` behaves the same from there on."""
        if any(i.branch in (BranchKind.RETURN, BranchKind.INDIRECT) for i in (*old, *new)):
            return False
        if any(i.branch is BranchKind.NONE and not can_be_tried(i) for i in (*old, *new)):
            return False
        first = old[0].address
        vectors = any(register.file == "vector" for i in (*old, *new) for register in (*i.reads, *i.writes))
        before = self._leading_to(first, vectors)
        start = before[0].address if before else first
        known = self._known.before.get(start, Knowledge())
        changed = {instruction.address: instruction for instruction in new}
        ours_next = (*before, *old, *self._following(old[-1]))
        around, addressing = (*ours_next, *new), _addressing(ours_next)
        reached = 0
        for number in range(_TRIALS):
            state = self._local.aimed(number, around, known, addressing)
            path = [*(instruction.address for instruction in before), first]
            ours = list(self._points(state, start, {}, path, len(new)))
            if not ours:
                continue  # the state does not lead there
            reached += 1
            theirs = self._points(state, start, changed, path, len(new))
            if not self._meet(ours, theirs):
                return False
        return reached >= _REACHED_AT_LEAST

    def _leading_to(self, address: int, vectors: bool) -> list[Instruction]:
        """Return the instructions that must have run right before, in order; with `vectors`, none that narrow these."""
        found: list[Instruction] = []
        at, seen = address, {address}
        while len(found) < _BEFORE:
            ways = self._ways.get(at, [])
            if len(ways) != 1 or ways[0].address in seen:
                break
            instruction = ways[0]
            branches = instruction.branch in (BranchKind.JUMP, BranchKind.CONDITIONAL)
            if not branches and (not can_be_tried(instruction) or _scatters(instruction)):
                break
            if vectors and _loses(instruction):
                break
            at = instruction.address
            seen.add(at)
            found.append(instruction)
        return found[::-1]

    def _following(self, last: Instruction) -> list[Instruction]:
        """Return the instructions that certainly run next, since the addresses that they form must be valid too."""
        found: list[Instruction] = []
        instruction: Instruction | None = last
        while instruction is not None and instruction.branch is BranchKind.NONE and len(found) < _AFTERWARDS:
            instruction = self._program.by_address.get(instruction.address + instruction.size)
            if instruction is not None:
                found.append(instruction)
        return found

    def _points(
        self,
        state: npt.NDArray[np.uint8],
        start: int,
        changed: Mapping[int, Instruction],
        path: Sequence[int],
        count: int,
    ) -> Iterator[_Point]:
        """Yield the states of the run from the end of `path`, the first changed instruction; none if it leaves it."""
        local = self._local
        local.run_from(state)
        address, registers, flags = start, state, local.flags_of(state)
        loads: Footprint = frozenset()
        stores: Footprint = frozenset()
        written: dict[int, int] = {}
        lossy: tuple[tuple[int, bytes], ...] = ()
        expected = iter(path)
        for step in range(len(path) + _AFTERWARDS):
            inside = step >= len(path) - 1
            if step < len(path) and next(expected) != address:
                return
            program = self._program.by_address.get(address)
            instruction = changed.get(address, program) if inside else program
            if instruction is None:
                return
            if step >= len(path) - 1 + count:
                # A difference may disappear behind saturation, or behind numbers that are hardly ever equal.
                if _scatters(instruction):
                    lossy = (*lossy, (address, registers[self._mask(address)[0]].tobytes()))
                elif _loses(instruction):
                    lossy = (*lossy, (address, registers[self._operands(instruction)].tobytes()))
            if instruction.branch is BranchKind.NONE:
                if not can_be_tried(instruction):
                    return
                try:
                    moment = local.step(instruction)
                except UcError:
                    return
                registers, flags = moment.registers, moment.flags
                written = {**written, **moment.written} if moment.written else written
                loads, stores = loads | moment.loads, stores | moment.stores
                address += instruction.size
            else:
                target = self._target(instruction, registers, flags)
                if target is None:
                    return
                if instruction.branch is BranchKind.CALL and target == instruction.target:
                    registers = local.with_value(registers, general(_LINK[self._isa]), 0x5A5A_5A5A)
                address = target
            if inside:
                yield _Point(address, registers, flags, loads, stores, written, lossy)

    def _target(self, instruction: Instruction, registers: npt.NDArray[np.uint8], flags: int) -> int | None:
        """Return the address that a branch goes to; None for branches that are not followed."""
        following = instruction.address + instruction.size
        if instruction.branch not in (BranchKind.JUMP, BranchKind.CONDITIONAL, BranchKind.CALL):
            return None
        if instruction.condition:
            return instruction.target if holds(instruction.condition, flags) else following
        if instruction.mnemonic in ("cbz", "cbnz", "tbz", "tbnz"):
            register: Register = instruction.reads[0]
            value = self._local.value(registers, register)
            names = [part.strip() for part in instruction.operands.split(",")]
            value &= (1 << 64) - 1 if names[0].startswith("x") else (1 << 32) - 1
            if instruction.mnemonic.startswith("t"):
                value = value >> int(names[1].removeprefix("#"), 0) & 1
            return instruction.target if (value == 0) == instruction.mnemonic.endswith("bz") else following
        return instruction.target

    def _meet(self, ours: Sequence[_Point], theirs: Iterator[_Point]) -> bool:
        """Tell whether both runs are in the same state at some point."""
        for other in theirs:
            for point in ours:
                if point.address == other.address and self._alike(point, other):
                    return True
        return False

    def _alike(self, ours: _Point, theirs: _Point) -> bool:
        if not _within(theirs.loads, ours.loads | ours.stores) or not _within(theirs.stores, ours.stores):
            return False
        if ours.written != theirs.written or ours.lossy != theirs.lossy:
            return False
        mask, flags = self._mask(ours.address)
        return not (ours.registers ^ theirs.registers)[mask].any() and not (ours.flags ^ theirs.flags) & flags

    def _operands(self, instruction: Instruction) -> npt.NDArray[np.bool_]:
        """Return a mask of the bytes of the register file that an instruction reads."""
        if instruction not in self._read:
            places = bits(place for register in instruction.reads for place in places_of(register, self._isa))
            self._read[instruction] = self._local.masks(places)[0]
        return self._read[instruction]

    def _mask(self, address: int) -> tuple[npt.NDArray[np.bool_], int]:
        """Return masks of the register file's bytes and of the flags that are live at an address; all if unknown."""
        if address not in self._masks:
            live = self._live.live_in.get(address)
            everything = np.ones(self._local.size, bool), 0xFFFF_FFFF
            self._masks[address] = everything if live is None else self._local.masks(live)
        return self._masks[address]


def _within(accesses: Footprint, others: Footprint) -> bool:
    """Tell whether all accessed bytes are among those of the others; a promised alignment must be theirs too."""
    further = accesses - others
    if any(not kind.endswith(":1") for kind, _, _ in further):
        return False
    inside = {place for _, first, end in others for place in range(first, end)} if further else set()
    return all(place in inside for _, first, end in further for place in range(first, end))


def _addressing(instructions: Sequence[Instruction]) -> list[Instruction]:
    """Return the instructions that form addresses only from registers that none before them writes."""
    written: set[Register] = set()
    found = []
    for instruction in instructions:
        named = {register for access in instruction.accesses for register in (access.base, access.index)} - {None}
        if named and not named & written:
            found.append(instruction)
        written.update(instruction.writes)
    return found


def _ways_in(program: Program) -> Mapping[int, list[Instruction]]:
    """Return the instructions that may run right before each one; labels, which callers may enter, have no entry."""
    ways: dict[int, list[Instruction]] = {}
    if any(i.branch is BranchKind.INDIRECT for i in program.instructions):
        return {}
    for instruction in program.instructions:
        for address in instruction.next_addresses:
            ways.setdefault(address, []).append(instruction)
    for address in program.addresses.values():
        ways.pop(address, None)
    return ways


_KEEPS = (
    "mov", "movi", "dup", "ins", "umov", "zip", "uzp", "trn", "ext", "rev", "vmov", "vdup", "vzip", "vuzp", "vtrn",
    "vext", "vrev", "vswp", "eor", "veor", "vadd", "add", "sub", "vsub", "nop",
)  # fmt: skip


def _scatters(instruction: Instruction) -> bool:
    """Tell whether the results hardly ever equal other numbers: those of loads, products, and moves from vectors."""
    if not any(register.file == "general" for register in instruction.writes):
        return False
    loads = any(access.kind is AccessKind.LOAD for access in instruction.accesses)
    into = any(register.file == "vector" for register in instruction.writes)
    moves = any(register.file == "vector" for register in instruction.reads) and not instruction.accesses
    multiplies = re.match(r"[su]?m(ul|la|ls|add|sub|neg)|[su]div", instruction.mnemonic) is not None
    return (loads and not into) or moves or multiplies


def _loses(instruction: Instruction) -> bool:
    """Tell whether the instruction may give one result for different inputs, as saturation does; few states show it."""
    if instruction.instruction_class not in (InstructionClass.NEON_OTHER, InstructionClass.NEON_MULTIPLY_ACCUMULATE):
        return False
    return instruction.mnemonic.split(".")[0].rstrip("0123456789") not in _KEEPS
