"""Walk back over a trace to the steps whose values went into some bytes of memory, and the places they passed.

Only values are followed, not the registers that form addresses, nor the flags that decide branches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from neonlab.emulate.trace import Trace
from neonlab.isa.model.dependence import FLAG_N, MEMORY, register_of
from neonlab.verify.dataflow import Dataflow


@dataclass(slots=True)
class Visit:
    """The part of one step in a slice: the relevant places that it produced, and the addresses that it loaded from."""

    step: int
    produced: set[int] = field(default_factory=set)
    loaded: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Walked:
    """The steps of a slice by number, and the initial memory and register places that it ends at."""

    visits: dict[int, Visit]
    initial_memory: frozenset[int]
    entry_places: frozenset[int]


def walk_back(trace: Trace, addresses: Iterable[int]) -> Walked:
    """Return all steps and places that contributed to the bytes at `addresses` as they were at the end of the trace."""
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
        if _is_kept(flow, origin.step, origin.place):  # the step set another lane and left this one
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
    """Tell whether the step leaves the byte unchanged."""
    if place >= MEMORY or flow.rule(step).sources.get(place) != frozenset({place}):
        return False
    register, byte = register_of(place, flow.trace.isa)
    changed = flow.trace.before(step, register) ^ flow.trace.after(step, register)
    return not changed >> 8 * byte & 0xFF
