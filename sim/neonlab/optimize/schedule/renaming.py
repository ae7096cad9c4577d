"""Give the temporary values of a loop other vector registers, so that fewer instructions wait for a register.

Each value gets the registers that have been free for longest, or where these do not suffice, the first that are free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import LoopCode, made_steps
from neonlab.optimize.schedule.values import Use, Value, apart_of, renumbered, values_of

#: An operand that is one element of a register, and the number of registers that can be named so.
_ELEMENTS = {
    Isa.A64: ((re.compile(r"\bv(\d+)\.h\["), 16),),
    Isa.A32: ((re.compile(r"^v\w+\.\w16 .*\bd(\d+)\["), 8), (re.compile(r"^v\w+\.\w32 .*\bd(\d+)\["), 16)),
}
_AT_ONCE = 0.5  # a value that nothing reads ends behind its instruction


@dataclass(frozen=True, slots=True)
class _Placed:
    """A value in a given order: it lives from place `first` on, in each of its registers to a place of its own.

    It can be in the lowest `limit` registers alone.
    """

    value: Value
    first: int
    lasts: tuple[float, ...]
    limit: int


def renamed(code: LoopCode, sequence: Sequence[int] = ()) -> LoopCode:
    """Return the loop with temporaries spread over all registers that may be used, for the given order of its body.

    Return it in that order as it is where it has no temporaries, or too few registers.
    """
    order = sequence or range(len(code.body))
    return allocated(code, order) or replace(code, body=tuple(code.body[at] for at in order))


def allocated(code: LoopCode, sequence: Sequence[int]) -> LoopCode | None:
    """Return the loop in an order that keeps its values in order; None where there are too few registers for it.

    The order may be one in which values of the same register overlap: they get registers of their own.
    """
    values, apart = values_of(code), apart_of(code)
    numbers = _spread(code, values, {at: place for place, at in enumerate(sequence)})
    if numbers is None:
        return None
    texts = [
        renumbered(code.body[at], code.isa, at in apart, numbers.get((at, True), {}), numbers.get((at, False), {}))
        for at in range(len(code.body))
    ]
    changed = [at for at, text in enumerate(texts) if code.body[at].text != text]
    try:
        made = made_steps(code.isa, [texts[at] for at in changed])
    except InputError:
        return None
    body = list(code.body)
    for at, step in zip(changed, made, strict=True):
        body[at] = replace(step, comment=body[at].comment)
    return replace(code, body=tuple(body[at] for at in sequence))


def _spread(
    code: LoopCode, values: Sequence[Value], places: Mapping[int, int]
) -> dict[tuple[int, bool], dict[int, int]] | None:
    """Return the new number of each register, by instruction and side; None where there are too few."""
    pool = pool_of(code, values)
    placed = sorted(
        (_placed(code, value, places) for value in values), key=lambda one: (one.first, one.value.registers)
    )
    longest: Callable[[float, int], tuple[float, int]] = lambda freed, start: (freed, start)  # noqa: E731
    lowest: Callable[[float, int], tuple[float, int]] = lambda _freed, start: (0, start)  # noqa: E731
    for choice in (longest, lowest):
        found = _fitted(code.isa, placed, pool, choice)
        if found is not None:
            return found
    return None


def pool_of(code: LoopCode, values: Sequence[Value]) -> set[int]:
    """Return the numbers of the vector registers that temporary values may be in."""
    pool = {one for value in values for one in value.registers}
    pool |= {register.index for register in code.free if register.file == "vector"}
    own = {use for value in values for use in value.uses}
    for at, step in enumerate(code.body):
        for one in (*step.instruction.reads, *step.instruction.writes):
            if one.file == "vector" and not {Use(at, one.index, False), Use(at, one.index, True)} & own:
                pool.discard(one.index)
    return pool


def _placed(code: LoopCode, value: Value, places: Mapping[int, int]) -> _Placed:
    first = min(places[use.at] for use in value.uses)
    lasts = [max(places[use.at] for use in value.uses if use.register == one) for one in value.registers]
    ends = tuple(last if last > first else last + _AT_ONCE for last in lasts)
    return _Placed(value, first, ends, limit_of(code, value))


def limit_of(code: LoopCode, value: Value) -> int:
    """Return how many of the lowest registers a value can be in."""
    limit = 32
    for use in value.uses:
        for pattern, most in _ELEMENTS[code.isa]:
            named = pattern.search(code.body[use.at].text)
            if named is not None and int(named[1]) == use.register and not use.apart:
                limit = min(limit, most)
    return limit


def _fitted(
    isa: Isa, placed: Sequence[_Placed], pool: set[int], choice: Callable[[float, int], tuple[float, int]]
) -> dict[tuple[int, bool], dict[int, int]] | None:
    """Return the new numbers where each value in turn gets, of those that are free, the registers that are least."""
    freed = dict.fromkeys(pool, -1.0)  # place in which each register was used last
    numbers: dict[tuple[int, bool], dict[int, int]] = {}
    for one in placed:
        registers = one.value.registers
        size = len(registers)
        aligned = 2 if isa is Isa.A32 and size > 1 else 1
        starts = [
            start
            for start in sorted(pool)
            if start % aligned == registers[0] % aligned
            and all(start + more in pool and freed[start + more] <= one.first for more in range(size))
            and start + size <= one.limit
        ]
        if not starts:
            return None
        start = min(starts, key=lambda start: choice(max(freed[start + more] for more in range(size)), start))
        for more in range(size):
            freed[start + more] = one.lasts[more]
        for use in one.value.uses:
            numbers.setdefault((use.at, use.apart), {})[use.register] = start + use.register - registers[0]
    return numbers
