"""The compiled pipeline that issues in program order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from neonlab.measure.caches.fill_journal import AWAITED, CROSSED, FETCHED, LOADED, STORED
from neonlab.measure.pipeline.state import (
    ALONE,
    ARRIVALS,
    BEHIND_MISS,
    BRANCH,
    BUSY,
    DEPENDENCE,
    EARLY,
    FAMILY,
    FETCH,
    FETCH_AT,
    FETCH_CAUSE,
    FETCH_ONE,
    FETCHING,
    FIRST_VECTOR,
    FLAG_REGISTER,
    FORWARDED,
    FREE,
    IDLE_BACK,
    IDLE_FRONT,
    INSTANCE,
    ISSUE,
    KIND,
    L2_EXTRA,
    LOAD,
    LOAD_USE,
    MISS,
    MISS_COUNT,
    MISS_ONE,
    MISS_UNTIL,
    NEON,
    NEON_BLAME,
    NEON_CAUSE,
    NEON_LAST,
    NEON_ONE,
    NOW,
    PICKED,
    PLACE,
    PORT,
    PORTS,
    POSITION,
    QUEUE,
    QUEUED,
    READY,
    READY_FAMILY,
    REASON,
    SIMILAR,
    SLOTS,
    STORE,
    STORE_FULL,
    TAKEN,
    USED,
    USED_VECTORS,
    VECTORS,
    WAITING,
    WAITING_BLAME,
    WAITING_CAUSE,
    WAITING_ONE,
    WIDTH,
    WRITER,
    branched,
    buffer_store,
    crossed,
    dispatched,
    fetched,
    fill,
    note,
    room_to_store,
)


@njit
def run_in_order(figures, code, live, first, last, taken, missed, operations, count, log, record):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Issue instructions `first` to `last`, up to WIDTH slots a cycle; with a QUEUE, NEON work waits there.

    `taken` and `missed` say how the branch at the end goes, and whether that was foreseen.  `operations` are what
    happens beyond the first-level caches, in order of position.
    """
    traits, read_start, reads, write_start, writes, use_start, uses = code
    width, queue = figures[WIDTH], figures[QUEUE]
    now, used, vectors = live[NOW], live[USED], live[USED_VECTORS]
    at_operation = 0
    while at_operation < count and operations[at_operation, KIND] & ~1 == FETCHED:
        lost = figures[L2_EXTRA + (operations[at_operation, KIND] & 1)]
        live[FETCH_AT] = max(live[FETCH_AT], now) + lost
        live[FETCHING], live[FETCH_CAUSE] = 0, FETCH
        at_operation += 1
    for one in range(first, last + 1):
        decoupled = queue > 0 and traits[one, NEON] != 0
        slots = traits[one, SLOTS]
        start = now
        if used > 0 and (used + slots > width or traits[one, ALONE] != 0):
            start = now + max(1, (used + width - 1) // width)  # one that takes more places than there are takes cycles
        front = start
        fetched(figures, live)
        start = max(start, live[FETCH_AT])
        starved, fetch_cause = start - front, live[FETCH_CAUSE]
        cause, blame = ISSUE, -1  # of what keeps it from issue
        if start == now and used > 0 and vectors + traits[one, VECTORS] > 2:
            start, cause = now + 1, PORT
        if live[MISS_UNTIL] > start and figures[BEHIND_MISS] > 0:
            wide = traits[one, NEON] != 0 and use_start[one + 1] - use_start[one] > 1
            memory = traits[one, LOAD] != 0 or traits[one, STORE] != 0
            if memory or wide or live[MISS_COUNT] >= figures[BEHIND_MISS]:
                start, cause, blame = live[MISS_UNTIL], MISS, live[MISS_ONE]
            live[MISS_COUNT] += 1
        if queue > 0 and traits[one, LOAD] != 0 and traits[one, VECTORS] > 0 and live[NEON_LAST] > start:
            # A load into the vector file passes nothing that still waits to read or write it.
            start, cause, blame = live[NEON_LAST], live[NEON_CAUSE], live[NEON_BLAME]
        work, work_cause, work_blame, awaited = start, cause, blame, -1  # and from execution
        for row in range(read_start[one], read_start[one + 1]):
            register = reads[row, 0]
            when = live[READY + register]
            if reads[row, 2] == FORWARDED:
                when -= min(reads[row, 1], live[READY_FAMILY + register] % EARLY)
            elif reads[row, 2] != SIMILAR or live[READY_FAMILY + register] // EARLY == traits[one, FAMILY] // EARLY:
                when -= reads[row, 1]
            if when > work:
                work, work_cause, work_blame = when, live[REASON + register], live[WRITER + register]
                awaited = live[INSTANCE + register]
            if when > start and not (decoupled and register >= FIRST_VECTOR and register != FLAG_REGISTER):
                start, cause, blame = when, live[REASON + register], live[WRITER + register]
        if decoupled:
            at = live[QUEUED] % queue
            if live[WAITING + at] > start:  # full; what holds up the oldest in it holds up this one
                start = live[WAITING + at]
                cause, blame = live[WAITING_CAUSE + at], live[WAITING_BLAME + at]
            if live[NEON_LAST] > work:
                work, work_cause, work_blame = live[NEON_LAST], live[NEON_CAUSE], live[NEON_BLAME]
        behind = at_operation
        while behind < count and operations[behind, POSITION] <= one - first:
            if operations[behind, KIND] & ~1 == STORED:
                room = room_to_store(figures, live, max(start, work))
                if room > max(start, work):
                    start, cause, blame = room, STORE_FULL, -1
            behind += 1
        extra, slower = 0, 0
        if at_operation < count:
            extra, _, slower = crossed(figures, operations, at_operation, count, one - first)
        picked = 0
        for row in range(use_start[one], use_start[one + 1]):
            chosen: Any = np.int64(-1)
            wanted = uses[row, 0]
            if wanted & ~picked:  # else one port does one after the other
                wanted &= ~picked
            for port in range(figures[PORTS]):
                sooner = chosen < 0 or max(live[FREE + port], now) < max(live[FREE + chosen], now)
                if wanted >> port & 1 and sooner:
                    chosen = port
            live[PICKED + row - use_start[one]] = chosen
            if chosen >= 0:
                picked |= 1 << chosen
                free = live[FREE + chosen]
                if free > work:
                    work, work_cause, work_blame = free, PORT, -1
                if free > start and not decoupled:
                    start, cause, blame = free, PORT, -1
        work = max(work, start)
        if not decoupled:
            start = work
        else:
            at = live[QUEUED] % queue
            live[WAITING + at], live[WAITING_ONE + at] = work, one
            live[WAITING_CAUSE + at] = work_cause if work_cause != ISSUE else PORT
            live[WAITING_BLAME + at] = work_blame
            live[QUEUED] += 1
            live[NEON_LAST], live[NEON_ONE] = work, one
            live[NEON_CAUSE], live[NEON_BLAME] = live[WAITING_CAUSE + at], work_blame
        if start > now:
            note(log, live, one, ISSUE, -1, front - now)
            note(log, live, live[FETCH_ONE] if fetch_cause == TAKEN else one, fetch_cause, -1, starved)
            note(log, live, one, cause, blame, start - front - starved)
            idle = start - now - (1 if used > 0 else 0)
            note(log, live, one, IDLE_FRONT, -1, min(idle, starved))
            note(log, live, one, IDLE_BACK, -1, idle - starved)
            now, used, vectors = start, 0, 0
        dispatched(figures, live, start)
        used += slots
        vectors += traits[one, VECTORS]
        if traits[one, ALONE] != 0:
            used = max(used, width)
        for row in range(use_start[one], use_start[one + 1]):
            chosen = live[PICKED + row - use_start[one]]
            if chosen >= 0:
                live[FREE + chosen] = max(work, live[FREE + chosen]) + uses[row, 1] + extra
                note(log, live, chosen, BUSY, -1, uses[row, 1] + extra)
                extra = 0  # of the first
        held = work
        while at_operation < count and operations[at_operation, POSITION] <= one - first:
            kind = operations[at_operation, KIND]
            if kind & ~1 == LOADED:
                arrival = fill(figures, live, kind, work)
                held = max(held, arrival)
                begun = arrival - figures[L2_EXTRA + (kind & 1)]
                if begun > now:  # no line can be asked for until another has come, and nothing passes this load
                    note(log, live, one, MISS, -1, begun - now)
                    note(log, live, one, IDLE_BACK, -1, begun - now)
                    now = begun
            elif kind & ~1 == STORED:
                buffer_store(figures, live, kind, work)
            elif kind == AWAITED:
                held = max(held, live[ARRIVALS + operations[at_operation, PLACE]])
            elif kind != CROSSED:
                fill(figures, live, kind, work)
            at_operation += 1
        if held > work and traits[one, LOAD] != 0:
            live[MISS_UNTIL], live[MISS_ONE], live[MISS_COUNT] = held, one, 1
        done: Any = work + 1
        for row in range(write_start[one], write_start[one + 1]):
            register = writes[row, 0]
            aside = writes[row, 2] != 0
            ready = (start if aside else held + slower) + writes[row, 1]
            live[READY + register] = ready
            early = writes[row, 2] - 1 if aside else traits[one, FAMILY] % EARLY
            live[READY_FAMILY + register] = traits[one, FAMILY] // EARLY * EARLY + early
            live[WRITER + register] = one
            reason = DEPENDENCE
            if traits[one, LOAD] != 0 and not aside:
                reason = MISS if held > work else LOAD_USE
            live[REASON + register] = reason
            if not aside:
                done = max(done, ready)
        if len(record) > 0:
            at = record[0, 0]
            for row in range(write_start[one], write_start[one + 1]):
                live[INSTANCE + writes[row, 0]] = at
            before = record[at, 3] if at > 0 else 0
            record[at + 1, 0], record[at + 1, 1], record[at + 1, 2], record[at + 1, 3] = (
                start,
                work,
                done,
                max(done, before),
            )
            record[at + 1, 4] = awaited
            record[at + 1, 5] = work_cause
            record[at + 1, 6] = one
            record[0, 0] = at + 1
    if traits[last, BRANCH] != 0:
        branched(figures, live, last, taken, missed, now)
        if taken or missed:  # what comes behind is not issued with it
            used = max(used, width)
    live[NOW], live[USED], live[USED_VECTORS] = now, used, vectors if used > 0 else 0
