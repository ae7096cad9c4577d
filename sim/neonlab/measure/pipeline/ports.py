"""The ports of an out-of-order back end, spoken for cycle by cycle, and the queues of what waits at them."""

from __future__ import annotations

from neonlab.emulate.native import Integer, Record, compiled
from neonlab.measure.pipeline.record import Rows
from neonlab.measure.pipeline.state import GROUPS_AT_MOST, NEVER, RING


@compiled
def forget_before(core: Record, live: Record, cycles: Rows, front: Integer) -> None:
    """Forget cycles before `front`, which are of no use to what is still to come."""
    for number in range(live.cleared, min(front, live.top + 1)):
        cycle = cycles[number % RING]
        if cycle.busy:
            for port in range(core.ports):
                live.ports[port].ahead -= cycle.busy >> port & 1
                live.ports[port].waiting -= cycle.begun >> port & 1
                live.pending -= cycle.begun >> port & 1
            cycle.busy, cycle.begun = 0, 0
    live.cleared = max(front, live.cleared)


@compiled
def has_room(core: Record, live: Record, uses: Rows, first: Integer, past: Integer) -> bool:
    """Tell whether operations `first` to before `past` can wait for their operands."""
    if core.scheduler > 0 and live.pending > 0 and live.pending + past - first > core.scheduler:
        return False
    if core.port_queue == 0:
        return True
    for row in range(first, past):
        room = False
        for port in range(core.ports):
            if uses[row].ports >> port & 1 and live.ports[port].waiting < core.port_queue:
                room = True
        if not room:
            return False
    return True


@compiled
def grouped(core: Record, uses: Rows, first: Integer, past: Integer) -> Integer:
    """Return how many of the operations `first` to before `past` go to each group of ports, four bits each."""
    found = 0
    for number in range(GROUPS_AT_MOST):
        ports = core.groups[number].ports
        for row in range(first, past):
            if ports and uses[row].ports & ~ports == 0:
                found += 1 << 4 * number
    return found


@compiled
def too_many(core: Record, sent: Integer, more: Integer) -> bool:
    """Tell whether some group of ports cannot be sent `more` in a cycle that sent it `sent`; four bits each."""
    for number in range(GROUPS_AT_MOST):
        there, wanted = sent >> 4 * number & 15, more >> 4 * number & 15
        if there and wanted and there + wanted > core.groups[number].most:
            return True
    return False


@compiled
def free_from(cycles: Rows, port: Integer, length: Integer, first: Integer) -> Integer:
    """Return the earliest cycle from `first` on at which the port is free for so many cycles."""
    cycle: Integer = first
    run = 0
    while run < length:
        if cycles[(cycle + run) % RING].busy >> port & 1:
            cycle, run = cycle + run + 1, 0
        else:
            run += 1
    return cycle


@compiled
def take_port(
    core: Record, live: Record, cycles: Rows, wanted: Integer, length: Integer, first: Integer
) -> tuple[Integer, Integer]:
    """Take one of the ports `wanted` for so many cycles; return the earliest such cycle from `first` on, and the port.

    Of several ports it is the one with least to do; -1 where none is wanted.  Ports whose queue is full are not taken,
    unless all of them are.
    """
    best: Integer = NEVER
    chosen = -1
    full = core.port_queue > 0
    for port in range(core.ports):
        if wanted >> port & 1 and live.ports[port].waiting < core.port_queue:
            full = False
    for port in range(core.ports):
        if wanted >> port & 1 and (full or core.port_queue == 0 or live.ports[port].waiting < core.port_queue):
            at = free_from(cycles, port, length, max(first, live.ports[port].free))
            if at < best or (at == best and live.ports[port].ahead < live.ports[chosen].ahead):
                best, chosen = at, port
    if chosen < 0:
        return first, chosen
    taken = live.ports[chosen]
    for step in range(length):
        cycles[(best + step) % RING].busy |= 1 << chosen
    taken.ahead += length
    live.top = max(live.top, best + length - 1)
    cycles[best % RING].begun |= 1 << chosen
    live.pending += 1
    taken.waiting += 1
    low = max(taken.free, live.cleared)
    while cycles[low % RING].busy >> chosen & 1:
        low += 1
    taken.free = low
    return best, chosen
