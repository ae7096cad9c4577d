"""Give the temporary values of a loop other vector registers, so that fewer instructions wait for a register.

A temporary is a value that an iteration computes and uses, which nothing needs behind it.  Values of one register that
do not overlap are told apart; each gets the register that has been free for longest.  Registers that an operand names
together (a pair in A32, a list of a load) stay side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa, vector
from neonlab.optimize.loop.code import LoopCode, Step, made_steps, vectors_named, with_vectors

_BY_ELEMENT = 16  # registers that an operand of one 16-bit element can name at most, in A64
_ELEMENT = re.compile(r"\bv\d+\.h\[")


@dataclass(slots=True)
class _Value:
    """A temporary value: registers side by side, in the body from `first` to `last` instruction."""

    registers: tuple[int, ...]
    first: int
    last: int
    uses: list[int] = field(default_factory=list)
    lowest: bool = False  # only a register of the lower half can be named


def renamed(code: LoopCode, sequence: Sequence[int] = ()) -> LoopCode:
    """Return the loop with temporaries spread over all registers that may be used, for the given order of its body.

    Return it as it is where it has no temporaries, or too few registers.
    """
    body = [code.body[at] for at in sequence] if sequence else list(code.body)
    values = _values(code, body)
    if not values:
        return replace(code, body=tuple(body))
    numbers = _spread(code, body, values)
    if numbers is None:
        return replace(code, body=tuple(body))
    texts = [with_vectors(step.text, code.isa, _numbering(numbers, at)) for at, step in enumerate(body)]
    changed = [at for at, (step, text) in enumerate(zip(body, texts, strict=True)) if step.text != text]
    try:
        made = made_steps(code.isa, [texts[at] for at in changed])
    except InputError:
        return replace(code, body=tuple(body))
    for at, step in zip(changed, made, strict=True):
        body[at] = replace(step, comment=body[at].comment)
    return replace(code, body=tuple(body))


def _numbering(numbers: Mapping[tuple[int, int], int], at: int) -> Callable[[int], int]:
    """Return the function that gives a register of instruction `at` its new number."""
    return lambda one: numbers.get((at, one), one)


def _values(code: LoopCode, body: Sequence[Step]) -> list[_Value]:
    """Return the temporary values of the body, in the order in which they begin."""
    kept = {register.index for register in code.kept if register.file == "vector"}
    written = {one.index for step in body for one in step.instruction.writes if one.file == "vector"}
    sides = _side_by_side(code, body)
    found = []
    for group in sides:
        if set(group) & kept or not set(group) <= written:
            continue
        found += _split(group, body)
    return sorted(found, key=lambda value: (value.first, value.registers))


def _side_by_side(code: LoopCode, body: Sequence[Step]) -> list[tuple[int, ...]]:
    """Return the registers that the body names, joined where an operand names several."""
    joined: dict[int, set[int]] = {}
    for step in body:
        for named in vectors_named(step.text, code.isa):
            together = set(named).union(*(joined.get(one, set()) for one in named))
            for one in together:
                joined[one] = together
    groups = {tuple(sorted(together)) for together in joined.values()}
    return sorted(group for group in groups if group[-1] - group[0] == len(group) - 1)


def _split(group: tuple[int, ...], body: Sequence[Step]) -> list[_Value]:
    """Return the values of one group: one ends where all of its registers are set anew without being read."""
    values: list[_Value] = []
    own = {vector(one) for one in group}
    fresh: set[object] = set()
    for at, step in enumerate(body):
        reads, writes = own.intersection(step.instruction.reads), own.intersection(step.instruction.writes)
        if not reads and not writes:
            continue
        if writes and not reads and (not values or len(writes) == len(own)):
            values.append(_Value(group, at, at, [at]))
            fresh = set(writes)
            continue
        if not values:
            return []  # read before it is written
        if reads - fresh:
            return []
        fresh |= writes
        values[-1].last = at
        values[-1].uses.append(at)
    return values


def _spread(code: LoopCode, body: Sequence[Step], values: Sequence[_Value]) -> dict[tuple[int, int], int] | None:
    """Return the number of each register of each value, by instruction and old number; None if there are too few."""
    pool = {one for value in values for one in value.registers}
    pool |= {register.index for register in code.free if register.file == "vector"}
    taken_by_others = {
        one.index
        for step in body
        for one in (*step.instruction.reads, *step.instruction.writes)
        if one.file == "vector"
    } - {one for value in values for one in value.registers}
    pool -= taken_by_others
    for value in values:
        value.lowest = code.isa is Isa.A64 and any(_ELEMENT.search(body[at].text) for at in value.uses)
    freed = dict.fromkeys(pool, -1)  # instruction at which each register was free last
    numbers: dict[tuple[int, int], int] = {}
    for value in values:
        size = len(value.registers)
        aligned = 2 if code.isa is Isa.A32 and size > 1 else 1
        starts = [
            start
            for start in sorted(pool)
            if start % aligned == value.registers[0] % aligned
            and all(start + one in pool and freed[start + one] < value.first for one in range(size))
            and (not value.lowest or start + size <= _BY_ELEMENT)
        ]
        if not starts:
            return None
        start = min(starts, key=lambda one: (max(freed[one + at] for at in range(size)), one))
        for offset, old in enumerate(value.registers):
            freed[start + offset] = value.last
            for at in value.uses:
                numbers[at, old] = start + offset
    return numbers
