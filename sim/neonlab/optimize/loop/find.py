"""Find the loop to change in a profile, and what may be used around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.contract.model import Contract
from neonlab.errors import InputError
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register, general, vector
from neonlab.measure.loop.report import LoopReport
from neonlab.optimize.loop.code import LoopCode, Step
from neonlab.optimize.loop.provenance import ANYWHERE, buffers_of

#: Registers that code may use without keeping them: those of arguments and scratch.
_SCRATCH = {
    Isa.A64: frozenset([general(at) for at in range(18)] + [vector(at) for at in (*range(8), *range(16, 32))]),
    Isa.A32: frozenset([general(at) for at in (0, 1, 2, 3, 12)] + [vector(at) for at in (*range(8), *range(16, 32))]),
}
_CALLEE = {
    Isa.A64: frozenset([general(at) for at in range(19, 29)] + [vector(at) for at in range(8, 16)]),
    Isa.A32: frozenset([general(at) for at in range(4, 12)] + [vector(at) for at in range(8, 16)]),
}
_LEAST = 4  # instructions of a loop that can be scheduled


@dataclass(frozen=True, slots=True)
class FoundLoop:
    """A loop of straight-line code in a program: instructions `first` to `last`, which is the branch back.

    `iterations` and `share` are as in a LoopReport.
    """

    first: int
    last: int
    iterations: int
    share: float

    def instructions(self, program: Program) -> tuple[Instruction, ...]:
        """Return its instructions, the branch last."""
        return program.instructions[self.first : self.last + 1]


def find_loop(program: Program, loops: Sequence[LoopReport]) -> FoundLoop:
    """Return the hottest of the loops that is straight-line code with one branch back.

    Raises InputError where there is none.
    """
    numbers = {instruction.address: at for at, instruction in enumerate(program.instructions)}
    entered = {one.target for one in program.instructions if one.target is not None}
    reasons = []
    for loop in loops:
        addresses = [line.address for line in loop.lines]
        first, last = numbers[addresses[0]], numbers[addresses[-1]]
        refusal = _refusal(program, addresses, first, last, entered)
        if not refusal:
            return FoundLoop(first, last, loop.iterations, loop.share)
        reasons.append(f"the loop at {loop.place(program.path)} {refusal}")
    told = "; ".join(reasons) if reasons else "the run has no loop"
    raise InputError(f"{program.path}: no loop to optimize: {told}; give another --shape, in which a plain loop is hot")


def _refusal(program: Program, addresses: list[int], first: int, last: int, entered: set[int]) -> str:
    """Return why the loop cannot be changed, "" if it can."""
    code = program.instructions[first : last + 1]
    if [one.address for one in code] != addresses:
        return "has branches inside"
    end = code[-1]
    if end.branch is not BranchKind.CONDITIONAL or end.target != code[0].address:
        return "does not end in a conditional branch back"
    if any(one.branch is not BranchKind.NONE for one in code[:-1]):
        return "has a branch inside"
    if any(one.address in entered for one in code[1:]):
        return "is entered in the middle"
    if len(code) < _LEAST:
        return f"has only {len(code)} instructions"
    if any(one.thumb for one in code):
        return "is Thumb code, which is not changed here"
    return ""


def instances(program: Program, loop: FoundLoop) -> list[list[FoundLoop]]:
    """Return the loops that the same source line makes, those with the same instructions together, the given first.

    A loop in a macro is in the program as often as the macro is called.
    """
    source = program.line_at(program.instructions[loop.last].address)
    numbers = {instruction.address: at for at, instruction in enumerate(program.instructions)}
    groups: dict[tuple[int, ...], list[FoundLoop]] = {_words(program, loop): [loop]}
    for at, one in enumerate(program.instructions):
        place = program.line_at(one.address)
        if place is None or source is None or (place.path, place.line) != (source.path, source.line):
            continue
        first = numbers.get(one.target, -1) if one.target is not None else -1
        if at == loop.last or one.branch is not BranchKind.CONDITIONAL or not 0 <= first < at:
            continue
        found = FoundLoop(first, at, 0, 0.0)
        groups.setdefault(_words(program, found), []).append(found)
    return list(groups.values())


def _words(program: Program, loop: FoundLoop) -> tuple[int, ...]:
    return tuple(one.word for one in loop.instructions(program)[:-1])


def code_of(program: Program, contract: Contract, same: Sequence[FoundLoop]) -> LoopCode:
    """Return the code of a loop that stands in the program once or several times."""
    live_in, live_out = program.liveness.live_in, program.liveness.live_out
    isa, code = program.isa, same[0].instructions(program)
    kept: set[Register] = set()
    for one in same:
        head, end = program.instructions[one.first], program.instructions[one.last]
        kept |= live_in[head.address] | live_out[end.address]
    written = {register for one in program.instructions for register in one.writes}
    own = {register for one in code for register in (*one.reads, *one.writes)}
    free = (_SCRATCH[isa] | (_CALLEE[isa] & written)) - kept - own
    steps = [_step(program, one) for one in code]
    return LoopCode(
        isa, tuple(steps[:-1]), steps[-1], frozenset(kept), free, _buffers(program, contract, same),
        frozenset.intersection(*(_cleared(program, one) for one in same)),
    )  # fmt: skip


_CLEARS = re.compile(r"movi [vd]\d+(\.\w+)?, #0+(x0+)?|vmov\.i\d+ [qd]\d+, #0(x0)?")


def _cleared(program: Program, loop: FoundLoop) -> frozenset[Register]:
    """Return the registers that the code right ahead of a loop sets to zero, where that is the only way into it."""
    targets = {one.target for at, one in enumerate(program.instructions) if at != loop.last and one.target is not None}
    found: set[Register] = set()
    written: set[Register] = set()
    if program.instructions[loop.first].address in targets:
        return frozenset()
    for one in reversed(program.instructions[: loop.first]):
        if one.branch is not BranchKind.NONE:
            break
        if _CLEARS.fullmatch(one.text):
            found |= set(one.writes) - written
        written |= set(one.writes)
        if one.address in targets:
            break
    return frozenset(found)


def _step(program: Program, instruction: Instruction) -> Step:
    source = program.line_at(instruction.address)
    if source is None:
        return Step(instruction)
    return Step(instruction, (source.expanded or source.text).strip(), "" if source.trail else _comment(source.text))


def _buffers(program: Program, contract: Contract, same: Sequence[FoundLoop]) -> dict[Register, frozenset[str]]:
    """Return the buffers that each base register of the loop may point into."""
    by_address = buffers_of(program, contract)
    found: dict[Register, frozenset[str]] = {}
    for loop in same:
        for one in loop.instructions(program):
            for access in one.accesses:
                if access.base is not None:
                    names = by_address.get(one.address, frozenset({ANYWHERE}))
                    found[access.base] = found.get(access.base, frozenset()) | names
    return found


def _comment(raw: str) -> str:
    """Return what a source line says behind its instruction."""
    for mark in ("//", "/*", "@ "):
        _, found, rest = raw.partition(mark)
        if found and rest.strip():
            return rest.replace("*/", "").strip()
    return ""
