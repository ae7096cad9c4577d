"""Find the critical path of a loop: the chain of events that each waited for the one before.

An instruction is dispatched, begins and, out of order, retires.  Each event happens as soon as the last thing that it
needs has happened.  From any event one can therefore go back to one that it waited for, and the cycles between them add
up to the total.  Where several happened last together, a result comes before a port, a port before the order of the
program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import Schedule, Scheduled, loop_schedule
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.measure.pipeline.registers import is_vector, register_names
from neonlab.measure.pipeline.state import (
    ALWAYS,
    CAUSES,
    DATA,
    FORWARDED,
    HALF,
    PARTS,
    SIMILAR,
)
from neonlab.measure.pipeline.state import ISSUE as ISSUE_WIDTH
from neonlab.measure.pipeline.state import PORT as PORT_CAUSE

DISPATCH, ISSUE, RETIRE, MERGE = range(4)
RESULT, UNIT, ORDER, ROOM, JUMP, COMPLETE = "result", "port", "dispatch", "window", "branch", "execution"
_BEFORE, _AFTER = 4, 8  # iterations walked through before and after those shown, beside those that fill the window
_ROWS = 2000  # of a schedule: longer loops are looked at over fewer iterations
_CLOSE = 0.02  # of a loop's cycles


@dataclass(frozen=True, slots=True)
class Link:
    """`instruction` of the body, in `iteration`, waited `cycles` cycles after the event of the link before.

    `kind` names what it waited for: a result (`through` names the registers), a port (its names), its place in the
    order of dispatch, room in the window or queue, a branch, or its own execution.
    """

    instruction: int
    iteration: int
    cycles: int
    kind: str
    through: str


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The critical path: `links` in order of time, whose cycles add up to those of `iterations` iterations."""

    iterations: int
    cycles: int
    links: tuple[Link, ...]


_Event = tuple[
    int, int
]  # row of the schedule, and which of its events; MERGE: its result has what it kept of a register


def critical_path(body: Sequence[Instruction], core: PipelineCore, total: float) -> CriticalPath:
    """Return the critical path through two iterations of a loop in its steady state, each of `total` cycles.

    Where the chain returns to the same event only after another number of iterations, it goes through that many.
    """
    count = len(body)
    fill = 2 * max(core.window, core.queue) // count
    spare = max(2, min(_BEFORE + _AFTER, _ROWS // count))
    schedule = loop_schedule(body, core, 2 + 3 * fill + spare)
    events = _Events(body, core, schedule)
    last = max(range(len(schedule.rows)), key=lambda at: (schedule.rows[at].ready, at))
    chain: list[tuple[_Event, str, str]] = []
    event: _Event | None = (last, ISSUE)
    while event is not None:
        found = events.waited_for(event)
        chain.append((event, *(found[1:] if found else ("", ""))))
        event = found[0] if found else None
    chain.reverse()
    first, end, iterations = _period([(at, events.time(at)) for at, _, _ in chain], count, total)
    links = []
    for before, (at, kind, through) in zip(chain[first:end], chain[first + 1 : end + 1], strict=True):
        row = schedule.rows[at[0]]
        cycles = events.time(at) - events.time(before[0])
        links.append(Link(row.instruction, row.iteration, cycles, kind, through))
    start = min((link.iteration for link in links), default=0)
    moved = tuple(Link(one.instruction, one.iteration - start, one.cycles, one.kind, one.through) for one in links)
    return CriticalPath(iterations, sum(link.cycles for link in moved), moved)


def _period(chain: Sequence[tuple[_Event, int]], count: int, total: float) -> tuple[int, int, int]:
    """Return the first link, the last link and the number of iterations between two visits of the same event.

    Two iterations that take what the loop costs are preferred.  Otherwise it is the number, of 1 to 8, that comes
    nearest to that cost.
    """
    seen = {event: at for at, (event, _) in enumerate(chain)}
    middle = chain[len(chain) // 2][0][0] if chain else 0
    best = (float("inf"), 0, len(chain) - 1, 1)
    for iterations in (2, 1, 3, 4, 5, 6, 7, 8):
        found = []
        for at, ((row, kind), when) in enumerate(chain):
            later = seen.get((row + iterations * count, kind))
            if later is not None:
                error = abs((chain[later][1] - when) / iterations - total)
                found.append((round(error / max(1.0, total), 2), abs(row - middle), at, later))
        if found:
            error, _, at, later = min(found)
            if error < best[0]:
                best = error, at, later, iterations
        if best[0] <= _CLOSE:
            break
    return best[1:]


class _Events:
    """Finds when each event of a schedule took place, and what it waited for last."""

    def __init__(self, body: Sequence[Instruction], core: PipelineCore, schedule: Schedule) -> None:
        self._body, self._core, self._rows = body, core, schedule.rows
        self._table = compile_instructions(body, core)
        self._isa = body[0].isa
        self._slots = np.cumsum([0, *(int(self._table.code["slots"][row.instruction]) for row in self._rows)])
        self._neon = [at for at, row in enumerate(self._rows) if self._queued(row)]
        self._neon_place = {at: place for place, at in enumerate(self._neon)}
        self._results: list[list[tuple[int, int, int, int]]] = []  # of each row: register, when needed, producer, how
        self._merged: list[set[int]] = []  # of each row: registers whose result waited for the part that is kept
        self._registers()

    def time(self, event: _Event) -> int:
        """Return the cycle of an event."""
        row = self._rows[event[0]]
        return (row.dispatched, row.issued, row.retired, row.ready)[event[1]]

    def waited_for(self, event: _Event) -> tuple[_Event, str, str] | None:
        """Return the event that this one waited for last, with the kind of link and what it goes through.

        Returns None at the start.
        """
        at, kind = event
        ways = (self._dispatch_waits, self._issue_waits, self._retire_waits, self._merge_waits)[kind]
        return next(ways(at), None)

    def _held_up(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        issued = self._rows[at].issued
        yield from self._operands(at, issued, lambda how: self._core.in_order or how != DATA)
        holder = self._port_holder(at)
        if holder is not None:
            yield (holder[0], ISSUE), UNIT, holder[1]

    def _issue_waits(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        row = self._rows[at]
        yield from self._held_up(at)
        place = self._neon_place.get(at, 0)
        if self._queued(row) and place and self._rows[self._neon[place - 1]].issued == row.issued > row.dispatched:
            yield (self._neon[place - 1], ISSUE), ORDER, "NEON queue"
        yield (at, DISPATCH), ORDER, ""

    def _dispatch_waits(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        row = self._rows[at]
        if self._core.in_order:
            if self._queued(row):
                yield from self._operands(at, row.dispatched, lambda how: True, outside_queue=True)
                place = self._neon_place[at] - self._core.queue
                if place >= 0 and self._rows[self._neon[place]].issued == row.dispatched:
                    yield (self._neon[place], ISSUE), ROOM, "NEON queue"
            elif row.cause != CAUSES[ISSUE_WIDTH] and at and row.dispatched > self._rows[at - 1].dispatched:
                yield from self._held_up(at)
        elif self._core.window:
            slots = int(self._slots[at + 1] - self._slots[at])
            for slot in range(slots):
                entry = int(self._slots[at]) + slot - self._core.window
                owner = int(np.searchsorted(self._slots, entry, side="right")) - 1
                if entry >= 0 and self._rows[owner].retired == row.dispatched:
                    yield (owner, RETIRE), ROOM, "window"
            if self._core.scheduler and at and row.dispatched > self._rows[at - 1].dispatched:
                yield from self._scheduler_waits(at)
        if at:
            before = self._rows[at - 1]
            branch = self._table.code["branch"][before.instruction]
            gap = row.dispatched - before.dispatched
            if branch and gap > 1 and row.dispatched == before.issued + self._core.mispredict:
                yield (at - 1, ISSUE), JUMP, "mispredicted"
            yield (at - 1, DISPATCH), JUMP if branch and gap else ORDER, ""

    def _scheduler_waits(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        """Yield the instruction whose issue made room in the scheduler, if the scheduler was full."""
        row, table = self._rows[at], self._table
        pending, left = 0, None
        for before in range(at - 1, max(-1, at - 1 - self._core.window), -1):
            other = self._rows[before]
            operations = len(table.uses_of(other.instruction))
            pending += operations if other.issued >= row.dispatched - 1 else 0
            if other.issued == row.dispatched - 1 and operations and left is None:
                left = before
        own = len(table.uses_of(row.instruction))
        if left is not None and pending + own > self._core.scheduler:
            yield (left, ISSUE), ROOM, "scheduler"

    def _retire_waits(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        row = self._rows[at]
        if row.ready >= row.retired:
            yield from self._operands(at, row.retired, lambda how: how == DATA)
            yield (at, ISSUE), COMPLETE, ""
        if at:
            yield (at - 1, RETIRE), ORDER, "retirement"

    def _merge_waits(self, at: int) -> Iterator[tuple[_Event, str, str]]:
        latest = max(when for _, when, _, how in self._results[at] if how == DATA)
        yield from self._operands(at, latest, lambda how: how == DATA)

    def _operands(
        self, at: int, when: int, wanted: Any, *, outside_queue: bool = False
    ) -> Iterator[tuple[_Event, str, str]]:
        """Yield the producer of the result that arrived last, at `when`, with the registers that carried it."""
        tight = [one for one in self._results[at] if one[1] == when and one[2] >= 0 and wanted(one[3])]
        if outside_queue:
            tight = [one for one in tight if not is_vector(one[0])]
        if tight:
            producer = max(one[2] for one in tight)
            numbers = sorted({one[0] for one in tight if one[2] == producer})
            kind = MERGE if any(number in self._merged[producer] for number in numbers) else ISSUE
            yield (producer, kind), RESULT, register_names(numbers, self._isa)

    def _port_holder(self, at: int) -> tuple[int, str] | None:
        """Return the latest earlier instruction that freed a port when this one took it, and the ports' names."""
        row, table = self._rows[at], self._table
        wanted = table.uses_of(row.instruction).tolist()
        for before in range(at - 1, max(-1, at - 1 - 4 * max(64, self._core.window)), -1):
            other = self._rows[before]
            if other.issued >= row.issued:
                continue
            held = table.uses_of(other.instruction).tolist()
            for mask, _ in wanted:
                for place, (ports, cycles) in enumerate(held):
                    longer = other.longer if place == 0 else 0
                    left = other.issued + cycles + longer
                    if mask & ports and left == row.issued and self._waited(at):
                        return before, "+".join(p for n, p in enumerate(self._core.ports) if mask >> n & 1)
        return None

    def _waited(self, at: int) -> bool:
        """Return whether the instruction could have begun earlier if a port had been free."""
        row = self._rows[at]
        needed = [when for _, when, _, how in self._results[at] if self._core.in_order or how != DATA]
        if row.dispatched < row.issued:
            return max(needed, default=0) < row.issued
        return self._core.in_order and row.cause == CAUSES[PORT_CAUSE]

    def _queued(self, row: Scheduled) -> bool:
        return self._core.queue > 0 and bool(self._table.code["neon"][row.instruction])

    def _registers(self) -> None:
        """Compute when each operand of each row was needed: when it was ready, minus how late it is read.

        The rules are those of the pipeline.
        """
        table = self._table
        ready: dict[int, tuple[int, int, int]] = {}  # register: when in parts, row that wrote it, how early forwarded
        for at, row in enumerate(self._rows):
            one = row.instruction
            operands = []
            for register, late, how in table.reads_of(one).tolist():
                parts, writer, early = ready.get(register, (-PARTS, -1, 0))
                when = parts // PARTS
                if how == FORWARDED:
                    operands.append((register, when - min(late, early), writer, how))
                    continue
                similar = writer >= 0 and self._family(self._rows[writer]) == self._family(row)
                counts = how == ALWAYS or similar or (self._core.in_order and how == DATA)
                if counts and how == SIMILAR:
                    when = (parts + int(table.code["late_part"][one])) // PARTS
                operands.append((register, when - late if counts else when, writer, how))
            self._results.append(operands)
            self._merged.append(set())
            started = row.dispatched if self._core.in_order else self._started(row, operands)
            for register, latency, early, base in table.writes_of(one).tolist():
                parts = PARTS * (started if base else row.issued) + PARTS * latency
                parts += HALF if base else row.part + int(table.code["latency_part"][one])
                when = parts // PARTS
                merges = any(how == DATA for *_, how in operands) and not base and not self._core.in_order
                if merges and row.ready > when:
                    self._merged[at].add(register)
                    parts = PARTS * row.ready + HALF
                ready[register] = parts, at, early

    @staticmethod
    def _started(row: Scheduled, operands: Sequence[tuple[int, int, int, int]]) -> int:
        return max([row.dispatched, *(when for _, when, _, how in operands if how != DATA)])

    def _family(self, row: Scheduled) -> int:
        return int(self._table.code["family"][row.instruction])
