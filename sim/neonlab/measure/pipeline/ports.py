"""The ports of an out-of-order back end, spoken for cycle by cycle, and the queues of what waits at them."""

from __future__ import annotations

import numpy as np

from neonlab.emulate.native import Integer, Record, compiled
from neonlab.measure.pipeline.record import Rows
from neonlab.measure.pipeline.state import GROUPS_AT_MOST, RING, SECOND_PLACE


@compiled
def forget_before(core: Record, live: Record, cycles: Rows, front: Integer) -> None:
    """Forget cycles before `front`, which are of no use to what is still to come."""
    for number in range(live.cleared, min(front, live.top + 1)):
        cycle = cycles[number % RING]
        if cycle.busy | cycle.begun:
            for port in range(core.ports):
                live.ports[port].ahead -= cycle.busy >> port & 1
                live.ports[port].waiting -= (cycle.begun >> port & 1) + (cycle.begun >> port + SECOND_PLACE & 1)
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
            if uses[row].ports >> port & 1 and live.ports[port].waiting + uses[row].places <= core.port_queue:
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
def choose_port(core: Record, live: Record, wanted: Integer) -> Integer:
    """Return the port of those `wanted` at which least waits, and of these the one with least to do; -1 for none.

    An operation is bound to its port when it is dispatched.  When its operands and the port will be ready is not known
    then: a choice of the port that lets it begin first would be better than what a core can do.
    """
    chosen: Integer = -1
    for port in range(core.ports):
        if wanted >> port & 1 and (chosen < 0 or _has_less(live.ports[port], live.ports[chosen])):
            chosen = port
    return chosen


@compiled
def _has_less(port: Record, other: Record) -> bool:
    if port.waiting == other.waiting:
        return bool(port.ahead < other.ahead)
    return bool(port.waiting < other.waiting)


@compiled
def take_port(
    core: Record, live: Record, cycles: Rows, use: Record, length: Integer, first: Integer
) -> tuple[Integer, Integer]:
    """Take a port of `use` for so many cycles from `first` on; return the cycle of its beginning, and it.

    The port is -1, and the cycle `first`, where none is wanted.  The cycles need not be next to each other.  Operations
    are looked at in program order, and a scheduler may send a later one first: in cycles next to each other, the
    earlier one would leave holes that the later one does not fit.
    """
    chosen = choose_port(core, live, use.ports)
    if chosen < 0:
        return first, chosen
    taken = live.ports[chosen]
    at: Integer = max(first, taken.free)
    left: Integer = length
    leaves: Integer = 0
    while left > 0:
        cycle = cycles[at % RING]
        if not cycle.busy >> chosen & 1:
            cycle.busy |= 1 << chosen
            if left == length:
                leaves = at + core.queue_hold
            left -= 1
        at += 1
    leaving = cycles[leaves % RING]
    leaving.begun |= np.int64(1) << chosen
    taken.waiting += 1
    if use.places > 1:
        leaving.begun |= np.int64(1) << chosen + SECOND_PLACE
        taken.waiting += 1
    taken.ahead += length
    live.pending += 1
    live.top = max(live.top, at - 1, leaves)
    low = max(taken.free, live.cleared)
    while cycles[low % RING].busy >> chosen & 1:
        low += 1
    taken.free = low
    return at - length, chosen
