"""Find the temporary values of a loop, and the operands that name each.

A temporary is a value that an iteration computes and uses, which nothing needs behind it.  One ends where its register
is set anew.  That may be in the instruction that reads it last: `add v0, v0, v1` takes a value and makes another, which
may have another register, where `mla v0, v1, v2` goes on with the same.  Values that an operand names together, as a
pair in A32 or the list of a load does, stay side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa, Register, vector
from neonlab.optimize.loop.code import LoopCode, Step, made_steps, vectors_named, with_vectors

_EVERY = 32  # vector registers


@dataclass(frozen=True, slots=True)
class Use:
    """A register of an instruction: as what it writes by an operand of its own, or otherwise."""

    at: int
    register: int
    apart: bool


@dataclass(frozen=True, slots=True)
class Value:
    """A temporary value in registers side by side, and the operands that name it."""

    registers: tuple[int, ...]
    uses: tuple[Use, ...]


def values_of(code: LoopCode) -> list[Value]:
    """Return the temporary values of the body, in the order in which they begin."""
    apart = apart_of(code)
    kept = {register.index for register in code.kept if register.file == "vector"}
    fixed = set(kept)
    while True:
        chains = _chains(code.body, apart, fixed)
        groups, loose = _groups(code, chains, fixed, apart)
        if not loose - fixed:
            return sorted(groups, key=lambda value: (value.uses[0].at, value.registers))
        fixed |= loose


def registers_apart(code: LoopCode) -> dict[tuple[int, Register, bool], int]:
    """Return the number of the value in each register that an instruction reads (False) or writes (True)."""
    found: dict[tuple[int, Register, bool], int] = {}
    apart = apart_of(code)
    for number, value in enumerate(values_of(code)):
        for use in value.uses:
            sides = (use.apart,) if use.at in apart else (False, True)
            found.update({(use.at, vector(use.register), side): number for side in sides})
    return found


def renumbered(step: Step, isa: Isa, apart: bool, own: dict[int, int], others: dict[int, int]) -> str:
    """Return the text of an instruction with other registers, `own` for its first operand where that stands apart."""
    if not apart:
        return with_vectors(step.text, isa, lambda one: others.get(one, one))
    mnemonic, _, operands = step.text.partition(" ")
    first, _, rest = operands.partition(",")
    first = with_vectors(f"x {first}", isa, lambda one: own.get(one, one))[2:]
    rest = with_vectors(f"x {rest.strip()}", isa, lambda one: others.get(one, one))[2:]
    return f"{mnemonic} {first}, {rest}"


def apart_of(code: LoopCode) -> frozenset[int]:
    """Return the instructions that write a register by an operand that they do not read as well.

    Where the text names it once more as a source, that alone does not show it: it is tried with another register.
    """
    found, asked, texts = set(), [], []
    for at, step in enumerate(code.body):
        one = step.instruction
        writes = {register.index for register in one.writes if register.file == "vector"}
        reads = {register.index for register in one.reads if register.file == "vector"}
        named = vectors_named(step.text.partition(",")[0], code.isa)
        if one.accesses or not writes or len(named) != 1 or set(named[0]) != writes:
            continue
        if not writes & reads:
            found.add(at)
            continue
        other = _unused(writes | reads)
        if other is not None and len(writes) <= 2:
            base = min(writes)
            asked.append((at, frozenset(vector(other + register - base) for register in writes)))
            texts.append(renumbered(step, code.isa, True, {one: other + one - base for one in writes}, {}))
    try:
        made = made_steps(code.isa, texts)
    except InputError:
        return frozenset(found)
    found |= {
        at for (at, registers), step in zip(asked, made, strict=True) if not registers & set(step.instruction.reads)
    }
    return frozenset(found)


def _unused(taken: set[int]) -> int | None:
    """Return an even register that is not taken, and neither is the next; None where there is none."""
    return next((one for one in range(0, _EVERY, 2) if not {one, one + 1} & taken), None)


@dataclass(slots=True)
class _Chain:
    """The operands that name one value in one register."""

    register: int
    uses: list[Use]


def _chains(body: Sequence[Step], apart: frozenset[int], fixed: set[int]) -> list[_Chain]:
    """Return the values of each register by itself; registers that are read before they are set become fixed."""
    open_chains: dict[int, _Chain] = {}
    found: list[_Chain] = []
    for at, step in enumerate(body):
        reads = {one.index for one in step.instruction.reads if one.file == "vector"}
        writes = {one.index for one in step.instruction.writes if one.file == "vector"}
        for register in sorted(reads | writes):
            is_new = register in writes and (at in apart or register not in reads)
            if register in reads:
                if register not in open_chains:
                    fixed.add(register)
                    continue
                open_chains[register].uses.append(Use(at, register, False))
            if is_new:
                open_chains[register] = _Chain(register, [Use(at, register, at in apart)])
                found.append(open_chains[register])
    return [chain for chain in found if chain.register not in fixed]


def _groups(
    code: LoopCode, chains: Sequence[_Chain], fixed: set[int], apart: frozenset[int]
) -> tuple[list[Value], set[int]]:
    """Return chains joined where an operand names several, and registers named together with others that are fixed."""
    by_use = {use: number for number, chain in enumerate(chains) for use in chain.uses}
    joined = list(range(len(chains)))

    def root(one: int) -> int:
        while joined[one] != one:
            one = joined[one]
        return one

    loose: set[int] = set()
    for at, step in enumerate(code.body):
        first, _, rest = step.text.partition(",") if at in apart else ("", "", step.text.partition(" ")[2])
        operands = [(named, True) for named in vectors_named(first, code.isa)]
        operands += [(named, False) for named in vectors_named(f"x {rest}", code.isa)]
        for named, side in operands:
            numbers = [by_use.get(Use(at, one, side), -1) for one in named]
            if min(numbers) < 0:
                loose |= set(named)
                continue
            for number in numbers[1:]:
                joined[root(number)] = root(numbers[0])
    together: dict[int, list[_Chain]] = {}
    for number, chain in enumerate(chains):
        together.setdefault(root(number), []).append(chain)
    groups = []
    for members in together.values():
        registers = tuple(sorted({chain.register for chain in members}))
        if registers[-1] - registers[0] != len(registers) - 1:
            loose |= set(registers)
            continue
        uses = sorted(
            (use for chain in members for use in chain.uses), key=lambda use: (use.at, use.apart, use.register)
        )
        groups.append(Value(registers, tuple(uses)))
    return groups, loose | fixed
