"""A backward slice: the steps of a trace whose values went into some bytes of memory, and the places they went through.

Only values are followed: not the registers that an address was made of, nor the flags that decided a way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from neonlab.emulate.trace import Trace
from neonlab.isa.model.dependence import FLAG_N, MEMORY, register_of
from neonlab.verify.dataflow import Dataflow


@dataclass(slots=True)
class Visit:
    """What a step contributes: the places that it produced and that matter, and addresses that it loaded from."""

    step: int
    produced: set[int] = field(default_factory=set)
    loaded: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Walked:
    """The steps of a slice, by number; initial memory and register places that it ends at; how far back each is."""

    visits: dict[int, Visit]
    initial_memory: frozenset[int]
    entry_places: frozenset[int]


def walk_back(trace: Trace, addresses: Iterable[int]) -> Walked:
    """Everything that the bytes at `addresses` came of, as they were at the end of the trace."""
    flow, visits = Dataflow(trace), dict[int, Visit]()
    memory, registers = set[int](), set[int]()
    waiting = [flow.memory_origin(len(trace), address) for address in addresses]
    seen = set(waiting)
    while waiting:
        origin = waiting.pop()
        if origin.step is None:
            if origin.address is not None:
                memory.add(origin.address)
            elif origin.place is not None:
                registers.add(origin.place)
            continue
        assert origin.place is not None
        if _is_kept(flow, origin.step, origin.place):  # another lane was set: this one came through
            found = flow.origin(origin.step, origin.place)
            if found not in seen:
                seen.add(found)
                waiting.append(found)
            continue
        visit = visits.setdefault(origin.step, Visit(origin.step))
        visit.produced.add(origin.place)
        for place in flow.rule(origin.step).sources.get(origin.place, ()):
            if FLAG_N <= place < MEMORY:
                continue
            found = flow.origin(origin.step, place)
            if place >= MEMORY:
                visit.loaded.add(flow.address(origin.step, place))
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return Walked(visits, frozenset(memory), frozenset(registers))


def _is_kept(flow: Dataflow, step: int, place: int) -> bool:
    """Whether the step leaves the byte as it was."""
    if place >= MEMORY or flow.rule(step).sources.get(place) != frozenset({place}):
        return False
    register, byte = register_of(place, flow.trace.isa)
    changed = flow.trace.before(step, register) ^ flow.trace.after(step, register)
    return not changed >> 8 * byte & 0xFF
