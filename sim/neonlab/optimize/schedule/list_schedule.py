"""Order a loop anew from nothing, by list scheduling: cycle for cycle, what is ready and has the longest way to go.

The search moves single instructions, and is long on its way where whole iterations are to be mixed.  A list schedule
mixes them at once.  How far an instruction may come before those ahead of it is limited by a window, as a wide one
needs many registers, and no more values begin than there are registers for.  Several windows are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.schedule.delays import Delay, Work, delays_of, work_of
from neonlab.optimize.schedule.renaming import allocated, pool_of
from neonlab.optimize.schedule.values import Value, registers_apart, values_of

#: Instructions from the first that is not issued yet to the last that may be, for each schedule.
_WINDOWS = (6, 12, 24, 48, 96, 1000)
_SPARE = (0, 2, 4)  # registers that are left free, as values side by side may not fit in between


def listed(code: LoopCode, core: PipelineCore) -> Iterator[LoopCode]:
    """Yield list schedules of a loop, with its temporaries in other registers; none where too few are free."""
    delays = [one for one in delays_of(code, core, registers_apart(code)) if one.distance == 0]
    work = work_of(code, core)[:-1]
    values = values_of(code)
    room = len(pool_of(code, values))
    seen = set()
    for window in _WINDOWS:
        for spare in _SPARE:
            sequence = list_schedule(delays, work, core, window, Pressure(values, len(work), room - spare))
            made = allocated(code, sequence) if sequence not in seen else None
            seen.add(sequence)
            if made is not None:
                yield made
                break
        if window >= len(work):
            break


class Pressure:
    """Counts the registers of the temporary values that live, of which there are to be `most`."""

    def __init__(self, values: Sequence[Value], count: int, most: int) -> None:
        self._most, self._live = most, 0
        self._begins = [0] * count
        self._named: list[set[tuple[int, int]]] = [set() for _ in range(count)]
        self._left: dict[tuple[int, int], int] = {}
        self._begun: set[int] = set()
        self._sizes = [len(value.registers) for value in values]
        for number, value in enumerate(values):
            for at, register in {(use.at, use.register) for use in value.uses}:
                self._named[at].add((number, register))
                self._left[number, register] = self._left.get((number, register), 0) + 1

    def allows(self, at: int) -> bool:
        """Tell whether there are registers for what an instruction begins, those that it reads last included."""
        begun = sum(self._sizes[one] for one in {number for number, _ in self._named[at]} - self._begun)
        ended = sum(self._left[one] == 1 and one[0] in self._begun for one in self._named[at])
        return not begun or self._live + begun - ended <= self._most

    def take(self, at: int) -> None:
        """Note that an instruction runs."""
        for number, register in sorted(self._named[at]):
            if number not in self._begun:
                self._begun.add(number)
                self._live += self._sizes[number]
            self._left[number, register] -= 1
            self._live -= self._left[number, register] == 0


def list_schedule(
    delays: Sequence[Delay], work: Sequence[Work], core: PipelineCore, window: int, pressure: Pressure
) -> tuple[int, ...]:
    """Return the instructions in the order in which a core issues them that looks so many ahead.

    The first that is not issued may exceed the pressure, so that there is an end.
    """
    behind: list[list[tuple[int, int]]] = [[] for _ in work]
    waits = [0] * len(work)
    for one in delays:
        behind[one.earlier].append((one.later, one.cycles))
        waits[one.later] += 1
    height = _heights(behind)
    ready, done = [0] * len(work), [False] * len(work)
    units = _Units(core)
    order: list[int] = []
    first, cycle = 0, 0
    while len(order) < len(work):
        while done[first]:
            first += 1
        near = [at for at in range(first, min(first + window, len(work))) if not done[at] and not waits[at]]
        now = [
            at
            for at in near
            if ready[at] <= cycle and (at == first or pressure.allows(at)) and units.take(work[at], cycle, trial=True)
        ]
        if not now:
            cycle += 1
            units.begin()
            continue
        chosen = min(now, key=lambda at: (-height[at], at))
        units.take(work[chosen], cycle)
        pressure.take(chosen)
        done[chosen] = True
        order.append(chosen)
        for other, cycles in behind[chosen]:
            waits[other] -= 1
            ready[other] = max(ready[other], cycle + cycles)
    return tuple(order)


def _heights(behind: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
    """Return the cycles from each instruction to the end of what waits for it; edges go to later places alone."""
    height = [0] * len(behind)
    for at in reversed(range(len(behind))):
        height[at] = max((cycles + height[other] for other, cycles in behind[at]), default=0)
    return height


class _Units:
    """The slots and ports of a core, and until when each port is taken."""

    def __init__(self, core: PipelineCore) -> None:
        self._width, self._places = core.width, core.vector_places or core.width
        self._until = [0] * len(core.ports)
        self._slots = self._vectors = 0

    def begin(self) -> None:
        """Begin another cycle."""
        self._slots = self._vectors = 0

    def take(self, work: Work, cycle: int, *, trial: bool = False) -> bool:
        """Take what an instruction needs, unless it is a trial; return whether it can be had, in an empty cycle always.

        Work that is more than a core has in a cycle begins in one of its own.
        """
        empty = not self._slots
        if not empty and (self._slots + work.slots > self._width or self._vectors + work.vectors > self._places):
            return False
        until = list(self._until)
        for ports, cycles in work.uses:
            free = [port for port, since in enumerate(self._until) if ports >> port & 1 and since <= cycle]
            if not free:
                return False
            port = min(free, key=lambda one: until[one])  # a second use of the same port is behind the first
            until[port] = max(until[port], cycle) + cycles
        if not trial:
            self._slots += max(work.slots, 1)
            self._vectors += work.vectors
            self._until = until
        return True
