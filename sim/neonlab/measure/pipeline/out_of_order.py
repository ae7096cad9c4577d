"""The compiled pipeline that issues when operands are there."""

from __future__ import annotations

import numpy as np
from numba import njit

from neonlab.measure.caches.fill_journal import AWAITED, CROSSED, FETCHED, LOADED, PASSED, STORED
from neonlab.measure.pipeline.state import (
    AHEAD,
    ARRIVALS,
    BRANCH,
    BUSY,
    CLEARED,
    DATA,
    DEPENDENCE,
    EARLY,
    ENTERED,
    FAMILY,
    FETCH,
    FETCH_AT,
    FETCH_CAUSE,
    FETCHING,
    FIRST_VECTOR,
    FORWARDED,
    FREE,
    FRONT_CAUSE,
    FULL,
    GROUPED,
    GROUPS,
    GROUPS_AT_MOST,
    HALF,
    IDLE_BACK,
    IDLE_FRONT,
    INSTANCE,
    ISSUE,
    KIND,
    L2_EXTRA,
    LATE_PART,
    LATENCY_PART,
    LEAVES,
    LOAD,
    LOAD_USE,
    MERGE,
    MISPREDICT,
    MISS,
    NOW,
    PARTS,
    PASSING,
    PENDING,
    PLACE,
    PORT,
    PORT_QUEUE,
    PORTS,
    POSITION,
    QUEUES,
    READY,
    READY_FAMILY,
    READY_PART,
    REASON,
    RETIRE,
    RETIRE_USED,
    RETIRED,
    RING,
    SCHEDULER,
    SIMILAR,
    SLOTS,
    STORE,
    STORE_FULL,
    STORED_AT,
    STORES_BACK,
    STORES_DONE,
    TOP,
    TURN,
    USE_PART,
    USED,
    WIDTH,
    WINDOW,
    WRITER,
    branched,
    buffer_store,
    crossed,
    dispatched,
    fetched,
    fill,
    in_turn,
    note,
    passed,
    room_to_store,
)


@njit
def _clear(figures, live, cells, starts, front):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Cycles before the front end's are of no use to what is still to come."""
    for cycle in range(live[CLEARED], min(front, live[TOP] + 1)):
        mask, begun = cells[cycle % RING], starts[cycle % RING]
        if mask:
            for port in range(figures[PORTS]):
                live[AHEAD + port] -= mask >> port & 1
                live[QUEUES + port] -= begun >> port & 1
                live[PENDING] -= begun >> port & 1
            cells[cycle % RING] = 0
            starts[cycle % RING] = 0
    live[CLEARED] = max(front, live[CLEARED])


@njit
def _has_room(figures, live, uses, first, last):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Whether operations `first` to `last` can wait for their operands."""
    if figures[SCHEDULER] > 0 and live[PENDING] > 0 and live[PENDING] + last - first > figures[SCHEDULER]:
        return False
    if figures[PORT_QUEUE] == 0:
        return True
    for row in range(first, last):
        room = False
        for port in range(figures[PORTS]):
            if uses[row, 0] >> port & 1 and live[QUEUES + port] < figures[PORT_QUEUE]:
                room = True
        if not room:
            return False
    return True


@njit
def _grouped(figures, uses, first, last):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """How many of the operations `first` to `last` go to each group of ports, four bits each."""
    found = 0
    for group in range(GROUPS_AT_MOST):
        ports = figures[GROUPS + 2 * group]
        for row in range(first, last):
            if ports and uses[row, 0] & ~ports == 0:
                found += 1 << 4 * group
    return found


@njit
def _too_many(figures, grouped, more):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Whether some group of ports cannot be sent `more` in a cycle in which it was sent `grouped`."""
    for group in range(GROUPS_AT_MOST):
        there, wanted = grouped >> 4 * group & 15, more >> 4 * group & 15
        if there and wanted and there + wanted > figures[GROUPS + 2 * group + 1]:
            return True
    return False


@njit
def _take_port(figures, live, cells, starts, mask, cycles, first):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The earliest cycle from `first` on at which one of the ports is free; of those the one with least to do."""
    best, chosen = np.int64(1) << 60, np.int64(-1)
    queue = figures[PORT_QUEUE]
    full = True
    for port in range(figures[PORTS]):
        if mask >> port & 1 and (queue == 0 or live[QUEUES + port] < queue):
            full = False
    for port in range(figures[PORTS]):
        if mask >> port & 1 and (full or queue == 0 or live[QUEUES + port] < queue):
            cell = max(first, live[FREE + port])
            run = 0
            while run < cycles:
                if cells[(cell + run) % RING] >> port & 1:
                    cell, run = cell + run + 1, 0
                else:
                    run += 1
            if cell < best or (cell == best and live[AHEAD + port] < live[AHEAD + chosen]):
                best, chosen = cell, np.int64(port)
    if chosen < 0:
        return first, chosen
    for step in range(cycles):
        cells[(best + step) % RING] |= 1 << chosen
    live[AHEAD + chosen] += cycles
    live[TOP] = max(live[TOP], best + cycles - 1)
    starts[best % RING] |= 1 << chosen
    live[PENDING] += 1
    live[QUEUES + chosen] += 1
    low = max(live[FREE + chosen], live[CLEARED])
    while cells[low % RING] >> chosen & 1:
        low += 1
    live[FREE + chosen] = low
    return best, chosen


@njit
def run_out_of_order(figures, code, live, cells, starts, first, last, taken, missed, operations, count, log, record):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Dispatch instructions `first` to `last` in order, WIDTH slots a cycle, into a window; the rest as `run_in_order`.

    Fetch runs ahead of dispatch, FETCH_WIDTH instructions a cycle, none behind a branch that is taken in that cycle.

    `cells` holds which ports each cycle is spoken for, `starts` at which of them operations begin.
    """
    traits, read_start, reads, write_start, writes, use_start, uses = code
    width, window = figures[WIDTH], figures[WINDOW]
    front, used, front_cause = live[NOW], live[USED], live[FRONT_CAUSE]
    retired, retire_used = live[RETIRED], live[RETIRE_USED]
    limited, grouped = figures[GROUPS] != 0, live[GROUPED]
    at_operation = 0
    while at_operation < count and operations[at_operation, KIND] & ~1 == FETCHED:
        lost = figures[L2_EXTRA + (operations[at_operation, KIND] & 1)]
        live[FETCH_AT] = max(live[FETCH_AT], front) + lost
        live[FETCHING], live[FETCH_CAUSE] = 0, FETCH
        at_operation += 1
    issued = front
    for one in range(first, last + 1):
        slots = traits[one, SLOTS]
        fetched(figures, live)
        if used >= width:
            front, used, front_cause = front + 1, 0, ISSUE
        if live[FETCH_AT] > front:
            note(log, live, one, IDLE_FRONT, -1, live[FETCH_AT] - front - (1 if used > 0 else 0))
            front, used, front_cause = live[FETCH_AT], 0, live[FETCH_CAUSE]
        before = front
        if slots > 0:  # they leave in order: when the last place that it needs is free, all are
            front = max(front, live[LEAVES + (live[ENTERED] + slots - 1) % window])
        front = max(front, live[TOP] - RING // 2)  # farther ahead is not kept track of
        _clear(figures, live, cells, starts, front)
        while not _has_room(figures, live, uses, use_start[one], use_start[one + 1]):
            front += 1
            _clear(figures, live, cells, starts, front)
        if front > before:
            note(log, live, one, IDLE_BACK, -1, front - before - (1 if used > 0 else 0))
            used, front_cause = 0, FULL
        if limited:
            more = _grouped(figures, uses, use_start[one], use_start[one + 1])
            if used == 0:
                grouped = 0
            elif _too_many(figures, grouped, more):
                front, used, grouped, front_cause = front + 1, 0, 0, ISSUE
        used += slots
        split = used > width
        while used > width:
            used -= width
            front += 1
        if limited and split:  # the last of its operations are those of this cycle
            grouped = _grouped(figures, uses, max(use_start[one], use_start[one + 1] - used), use_start[one + 1])
        elif limited:
            grouped += more
        _clear(figures, live, cells, starts, front)
        dispatched(figures, live, front)
        cause, blame, awaited = front_cause, -1, -1
        begin, part = front, HALF
        data, data_part, data_from, data_instance, data_reason = np.int64(0), HALF, -1, -1, DEPENDENCE
        for row in range(read_start[one], read_start[one + 1]):
            register = reads[row, 0]
            when, into = live[READY + register], live[READY_PART + register]
            if reads[row, 2] == DATA:
                if when > front and when > data:
                    data, data_from, data_instance = when, live[WRITER + register], live[INSTANCE + register]
                    data_part, data_reason = into, live[REASON + register]
                continue
            if reads[row, 2] == FORWARDED:
                when -= min(reads[row, 1], live[READY_FAMILY + register] % EARLY)
            elif reads[row, 2] != SIMILAR or live[READY_FAMILY + register] // EARLY == traits[one, FAMILY] // EARLY:
                when -= reads[row, 1]
                if reads[row, 2] == SIMILAR:
                    into += traits[one, LATE_PART]
                    when, into = when + into // PARTS, into % PARTS
            if when > begin:
                begin, part, cause, blame = when, into, live[REASON + register], live[WRITER + register]
                awaited = live[INSTANCE + register]
                if register == TURN:
                    cause, blame, awaited = PORT, -1, -1
            elif when == begin and when > front:
                part = max(part, into)
        issued = begin
        extra, extra_part, slower = 0, 0, 0
        if at_operation < count:
            extra, extra_part, slower = crossed(figures, operations, at_operation, count, one - first)
        longer = in_turn(live, one, traits[one, USE_PART]) + extra
        if extra_part:
            longer += in_turn(live, one, extra_part)
        held_for = longer
        for row in range(use_start[one], use_start[one + 1]):
            held_for += uses[row, 1]
            when, chosen = _take_port(figures, live, cells, starts, uses[row, 0], held_for, begin)
            if chosen >= 0:
                note(log, live, chosen, BUSY, -1, held_for)
                if when > issued:
                    issued, cause, blame = when, PORT, -1
            held_for = 0
        held = issued + slower
        complete = issued
        passing = np.int64(0)
        while at_operation < count and operations[at_operation, POSITION] <= one - first:
            kind = operations[at_operation, KIND]
            if kind & ~1 == LOADED:
                held = max(held, fill(figures, live, kind, issued) + slower)
            elif kind & ~1 == STORED:
                room = room_to_store(figures, live, issued)
                if room > complete:
                    complete, cause, blame = room, STORE_FULL, -1
                buffer_store(figures, live, kind, complete)
            elif kind == AWAITED:
                held = max(held, live[ARRIVALS + operations[at_operation, PLACE]])
            elif kind & ~1 == PASSED:
                vector = 1 if writes[write_start[one], 0] >= FIRST_VECTOR else 0
                passing = max(passing, passed(figures, live, kind, operations[at_operation, PLACE], vector))
            elif kind != CROSSED:
                fill(figures, live, kind, issued)
            at_operation += 1
        load = traits[one, LOAD] != 0
        if held > begin:  # the chain that the part of a cycle comes from was not what it waited for
            part = HALF
        into = part + traits[one, LATENCY_PART]
        more = into // PARTS
        if held > issued + slower:
            cause, blame = MISS, -1
        if data > complete and not load:
            complete, cause, blame, awaited = data, data_reason, data_from, data_instance
        if live[PASSING] and traits[one, STORE] != 0:
            live[STORED_AT + live[STORES_DONE] % STORES_BACK] = complete
            live[STORES_DONE] += 1
        for row in range(write_start[one], write_start[one + 1]):
            register = writes[row, 0]
            aside = writes[row, 2] != 0
            ready = (begin if aside else held + more) + writes[row, 1]
            reason = DEPENDENCE
            if load and not aside:
                reason = MISS if held > issued + slower else LOAD_USE
                ready = max(ready, passing)
            if data > 0 and not aside and data + figures[MERGE] > ready:
                ready, into = data + figures[MERGE], data_part
                cause, blame, awaited, reason = data_reason, data_from, data_instance, DEPENDENCE
            live[READY + register], live[READY_PART + register] = ready, HALF if aside else into % PARTS
            early = writes[row, 2] - 1 if aside else traits[one, FAMILY] % EARLY
            live[READY_FAMILY + register] = traits[one, FAMILY] // EARLY * EARLY + early
            live[WRITER + register] = one
            live[REASON + register] = reason
            complete = max(complete, ready)
        gone = retired
        if complete > retired:
            retired, retire_used = complete, 0
        retire_used += slots
        if figures[RETIRE] > 0:
            while retire_used > figures[RETIRE]:
                retire_used -= figures[RETIRE]
                retired += 1
                if retired - 1 == gone:
                    cause, blame = ISSUE, -1
        note(log, live, one, cause, blame, retired - gone)
        for _ in range(slots):
            live[LEAVES + live[ENTERED] % window] = retired
            live[ENTERED] += 1
        if len(record) > 0:
            at = record[0, 0]
            for row in range(write_start[one], write_start[one + 1]):
                live[INSTANCE + writes[row, 0]] = at
            record[at + 1, 0], record[at + 1, 1], record[at + 1, 2] = front, issued, complete
            record[at + 1, 3], record[at + 1, 4], record[at + 1, 5] = retired, awaited, cause
            record[at + 1, 6], record[at + 1, 7], record[at + 1, 8] = one, longer, part
            record[0, 0] = at + 1
    if traits[last, BRANCH] != 0:
        branched(figures, live, last, taken, missed, max(front + 1 - figures[MISPREDICT], issued))
    live[NOW], live[USED], live[FRONT_CAUSE], live[GROUPED] = front, used, front_cause, grouped
    live[RETIRED], live[RETIRE_USED] = retired, retire_used
