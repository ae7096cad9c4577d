"""Order the instructions of a loop by list scheduling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neonlab.measure.loop.hints.study import Study
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
from neonlab.measure.pipeline.state import SIMILAR

#: Of an instruction: those that must come before it, and cycles from their begin to its own.
Earlier = list[list[tuple[int, int]]]


def orders_of(study: Study) -> Iterator[list[int]]:
    """Yield other orders of the body that keep its meaning, as places; each once, with the branch back last."""
    compiled = compile_instructions(study.body, study.core)
    earlier = _earlier(study, compiled)
    seen = [list(range(len(study.body)))]
    for heeds_ports in (True, False):
        order = _list_schedule(study, compiled, earlier, heeds_ports=heeds_ports)
        if order not in seen:
            seen.append(order)
            yield order


def _earlier(study: Study, compiled: CompiledProgram) -> Earlier:
    code = study.body
    return [
        [(place, _delay(compiled, place, at)) for place in range(at) if study.conflict(code[place], code[at])]
        for at in range(len(code))
    ]


def _delay(compiled: CompiledProgram, first: int, second: int) -> int:
    """Cycles until the second has what the first writes; 0 where only their order matters."""
    written = {register: latency for register, latency, *_ in compiled.writes_of(first).tolist()}
    alike = compiled.code["family"][first] == compiled.code["family"][second]
    delay = 0
    for register, late, how in compiled.reads_of(second).tolist():
        if register in written:
            delay = max(delay, written[register] - (late if how != SIMILAR or alike else 0))
    return delay


def _list_schedule(study: Study, compiled: CompiledProgram, earlier: Earlier, *, heeds_ports: bool) -> list[int]:
    """Return the order in which, at each cycle, the ready instruction with the longest path to the end begins."""
    count = len(earlier)
    height = [1] * count
    for at in range(count - 1, -1, -1):
        for place, delay in earlier[at]:
            height[place] = max(height[place], height[at] + delay)
    free = np.zeros(max(1, len(study.core.ports)), np.int64)
    begun: dict[int, int] = {}
    clock, used = 0, 0
    left = list(range(count))
    order: list[int] = []
    while left:
        starts = {}
        for at in left:
            if all(place in begun for place, _ in earlier[at]):
                when = max((begun[place] + delay for place, delay in earlier[at]), default=0)
                starts[at] = max(when, _ports_free(compiled, at, free) if heeds_ports else 0)
        slots = {at: int(compiled.code["slots"][at]) for at in starts}
        able = [
            at for at, when in starts.items() if when <= clock and (not used or used + slots[at] <= study.core.width)
        ]
        if not able:
            clock, used = max(clock + 1, min(starts.values())), 0
            continue
        chosen = max(able, key=lambda at: (height[at], -at))
        begun[chosen] = clock
        used += slots[chosen]
        _take_ports(compiled, chosen, free, clock)
        left.remove(chosen)
        order.append(chosen)
    return order


def _ports_free(compiled: CompiledProgram, at: int, free: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    uses = compiled.uses_of(at).tolist()
    return max((min(int(free[port]) for port in _ports(mask)) for mask, _ in uses if mask), default=0)


def _take_ports(
    compiled: CompiledProgram, at: int, free: np.ndarray[tuple[int], np.dtype[np.int64]], clock: int
) -> None:
    for mask, cycles in compiled.uses_of(at).tolist():
        if mask:
            port = min(_ports(mask), key=lambda one: int(free[one]))
            free[port] = max(int(free[port]), clock) + cycles


def _ports(mask: int) -> list[int]:
    return [port for port in range(mask.bit_length()) if mask >> port & 1]
