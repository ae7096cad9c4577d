"""The state of a pipeline, and what it waits for beyond its first-level caches, as the compiled engines keep them.

All times are cycles of one clock.  `neonlab.measure.pipeline.saved` writes a state down, to remember it by.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from neonlab.measure.caches.fill_journal import CROSSED

REGISTERS = 104
FIRST_VECTOR, FLAG_REGISTER, FIRST_UPPER = 32, 64, 72  # general ones come first, upper halves of vector ones last
TURN = 65  # ready when the last operation on vectors began, where these begin in order
PORTS_AT_MOST, QUEUE_AT_MOST, WINDOW_AT_MOST, STORES_AT_MOST, FILLS_AT_MOST = 32, 64, 1024, 64, 64
FETCHED_AT_MOST = 32  # instructions between fetch and dispatch
RING = 1 << 14  # cycles that an out-of-order back end may be ahead of its front end

# Figures of a core
WIDTH, WINDOW, QUEUE, MISPREDICT, BUBBLE, RETIRE, PORTS, MERGE, SCHEDULER, HISTORY = range(10)
OUTSTANDING, STORES, L2_EXTRA, MEMORY_EXTRA, L2_INTERVAL, MEMORY_INTERVAL, FETCH_WIDTH = range(10, 17)
FETCH_QUEUE, LOOP_BUBBLE, BEHIND_MISS, PORT_QUEUE = range(17, 21)
PASS_GENERAL, PASS_VECTOR, PASS_PART_GENERAL, PASS_PART_VECTOR = range(21, 25)
CROSSINGS = 25  # of each: cycles, parts of one, latency
CROSSINGS_AT_MOST = 8
GROUPS = CROSSINGS + 3 * CROSSINGS_AT_MOST  # of each: its ports, and how many operations go to them in a cycle
GROUPS_AT_MOST = 5
FIGURES = GROUPS + 2 * GROUPS_AT_MOST
STORES_BACK = 16  # that a load can take over from

# Columns of `traits`
SLOTS, LATE, FAMILY, NEON, ALONE, LOAD, BRANCH, PREDICTED, STORE, VECTORS = range(10)
USE_PART, LATENCY_PART, LATE_PART = 10, 11, 12  # parts of a cycle on top
TRAITS = 13
RECORDED = 9  # columns of what is written down of an instruction
PARTS, HALF = 16, 8  # a cycle has so many parts; a time that is of no chain lies in the middle of its cycle
ALWAYS, SIMILAR, DATA, FORWARDED = range(4)  # kinds of reads
EARLY = 16  # FAMILY holds the family times this, plus how many cycles early a result is forwarded

# Why cycles pass.  Every cycle of a run is put down to one instruction and one of these.
DEPENDENCE, LOAD_USE, PORT, ISSUE, TAKEN, FULL, MISS, STORE_FULL, FETCH = range(9)
CAUSES = (
    "dependency", "load-use", "port", "issue width", "branch", "queue or window full", "cache miss", "store buffer",
    "instruction fetch",
)  # fmt: skip
# Further rows of the same log: cycles that a port was busy, and in which nothing was dispatched for want of
# instructions or because the back end did not take them.
BUSY, IDLE_FRONT, IDLE_BACK = range(13, 16)

# What happens beyond the first-level caches, by instruction: columns of an operation.  Kinds: `fill_journal`.
POSITION, KIND, PLACE = range(3)

# Where things are in `live`
NOW, USED, NEON_LAST, QUEUED, RETIRED, RETIRE_USED, ENTERED, CLEARED, TOP, FRONT_CAUSE, PENDING = range(11)
FILLS, STORING, BUSES, LOGGED = 11, 12, 13, 15  # how many lines are on their way, stores wait; two buses; rows of log
NEON_ONE, NEON_CAUSE, NEON_BLAME = 16, 17, 18
FETCH_AT, FETCHING, FETCH_CAUSE, DISPATCHES = 19, 20, 21, 22  # the fetch unit's time, what it did in it, and of all
USED_VECTORS = 23  # places for NEON instructions and vector loads that are taken in this cycle
GROUPED = USED_VECTORS  # out of order: operations dispatched in this cycle to each group of ports, four bits each
LAST_TAKEN, MISS_UNTIL, MISS_ONE, MISS_COUNT = 24, 25, 26, 27  # a branch; the load that missed last, what passed it
FETCH_ONE = 28  # the branch that fetch rested behind, where that is its cause
READY = 29
READY_FAMILY = READY + REGISTERS
WRITER = READY_FAMILY + REGISTERS
REASON = WRITER + REGISTERS
INSTANCE = REASON + REGISTERS
READY_PART = INSTANCE + REGISTERS  # out of order: into the cycle that it is ready in, in parts of one
FREE = READY_PART + REGISTERS  # in order: when a port is free; else: the first cycle at which it may be, a hint
AHEAD = FREE + PORTS_AT_MOST  # cycles for which a port is spoken for
PICKED = AHEAD + PORTS_AT_MOST
WAITING = PICKED + PORTS_AT_MOST
WAITING_ONE = WAITING + QUEUE_AT_MOST
WAITING_CAUSE = WAITING_ONE + QUEUE_AT_MOST
WAITING_BLAME = WAITING_CAUSE + QUEUE_AT_MOST
ARRIVALS = WAITING_BLAME + QUEUE_AT_MOST
BUFFERED = ARRIVALS + FILLS_AT_MOST
LEAVES = BUFFERED + STORES_AT_MOST
DISPATCHED = LEAVES + WINDOW_AT_MOST
QUEUES = DISPATCHED + FETCHED_AT_MOST  # operations that wait at each port
COUNTED = QUEUES + PORTS_AT_MOST  # where in their turn to hold a port for longer the instructions are
PASSING = COUNTED + 1  # 1 from the first load on that takes over from a store
STORES_DONE = PASSING + 1
STORED_AT = STORES_DONE + 1  # when what the last of them store was there
LIVE = STORED_AT + STORES_BACK


@njit
def note(log, live, one, cause, blame, cycles):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Put down cycles."""
    if cycles > 0:
        at = live[LOGGED]
        log[at, 0], log[at, 1], log[at, 2], log[at, 3] = one, cause, blame, cycles
        live[LOGGED] = at + 1


@njit
def in_turn(live, one, part):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """1 so many times of PARTS, else 0; instructions that are not close together have turns of their own."""
    if part == 0:
        return 0
    shift = 4 * (one % 7)
    turn = live[COUNTED] >> shift & 15
    live[COUNTED] += ((turn + part & 15) - turn) << shift
    return (turn + part) >> 4


@njit
def crossed(figures, operations, at, count, position):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Cycles, parts of one and latency that an instruction needs more, for where its accesses lie."""
    cycles, part, latency = 0, 0, 0
    while at < count and operations[at, POSITION] <= position:
        if operations[at, KIND] == CROSSED:
            rule = CROSSINGS + 3 * operations[at, PLACE]
            cycles, part = cycles + figures[rule], part + figures[rule + 1]
            latency = max(latency, figures[rule + 2])
        at += 1
    return cycles, part, latency


@njit
def passed(figures, live, kind, back, vector):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """When a load has what the store so many stores before it stores; 0 where that is long over."""
    if not live[PASSING]:
        live[PASSING] = 1
        return np.int64(0)
    when = live[STORED_AT + (live[STORES_DONE] - back) % STORES_BACK]
    return when + figures[PASS_GENERAL + 2 * (kind & 1) + vector] if when > 0 else np.int64(0)


@njit
def fill(figures, live, kind, at):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Fetch a line from the second level or from memory, asked for at `at`; when a load of it may begin."""
    level = kind & 1
    start = at
    if figures[OUTSTANDING] > 0:
        while True:
            others, first = 0, np.int64(1) << 60
            for number in range(live[FILLS]):
                if live[ARRIVALS + number] > start:
                    others += 1
                    first = min(first, live[ARRIVALS + number])
            if others < figures[OUTSTANDING]:
                break
            start = first
    start = max(start, live[BUSES + level])
    live[BUSES + level] = start + figures[L2_INTERVAL + level]
    arrival = start + figures[L2_EXTRA + level]
    if live[FILLS] < FILLS_AT_MOST:
        live[ARRIVALS + live[FILLS]] = arrival
        live[FILLS] += 1
    return arrival


@njit
def room_to_store(figures, live, at):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """When the store buffer has room, from `at` on."""
    if figures[STORES] == 0:
        return at
    while True:
        others, first = 0, np.int64(1) << 60
        for number in range(live[STORING]):
            if live[BUFFERED + number] > at:
                others += 1
                first = min(first, live[BUFFERED + number])
        if others < figures[STORES]:
            return at
        at = first


@njit
def buffer_store(figures, live, kind, at):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """A store that misses waits for its line where nothing else does."""
    arrival = fill(figures, live, kind, at)
    kept = 0
    for number in range(live[STORING]):
        if live[BUFFERED + number] > at:
            live[BUFFERED + kept] = live[BUFFERED + number]
            kept += 1
    if kept < STORES_AT_MOST:
        live[BUFFERED + kept] = arrival
        kept += 1
    live[STORING] = kept


@njit
def settle(live):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Forget lines that have arrived; bits of those that have not."""
    kept = 0
    mask = np.uint64(0)
    for number in range(live[FILLS]):
        if live[ARRIVALS + number] > live[NOW]:
            live[ARRIVALS + kept] = live[ARRIVALS + number]
            kept += 1
            mask |= np.uint64(1) << np.uint64(number)
    live[FILLS] = kept
    return mask


@njit
def fetched(figures, live):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """The next instruction is fetched, as soon as there is room for it."""
    leaving = live[DISPATCHED + live[DISPATCHES] % figures[FETCH_QUEUE]]
    if leaving > live[FETCH_AT]:
        live[FETCH_AT], live[FETCHING], live[FETCH_CAUSE] = leaving, 0, ISSUE
    if live[FETCHING] >= figures[FETCH_WIDTH]:
        live[FETCH_AT], live[FETCHING], live[FETCH_CAUSE] = live[FETCH_AT] + 1, 0, ISSUE
    live[FETCHING] += 1


@njit
def dispatched(figures, live, at):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """An instruction leaves the queue of those that were fetched."""
    live[DISPATCHED + live[DISPATCHES] % figures[FETCH_QUEUE]] = at
    live[DISPATCHES] += 1


@njit
def branched(figures, live, branch, taken, missed, resolved):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Fetch goes on behind a branch; one that goes the other way than foreseen is found out at `resolved`."""
    if missed:
        live[FETCH_AT] = resolved + figures[MISPREDICT]
    elif taken:
        again = branch == live[LAST_TAKEN] - 1
        live[FETCH_AT] += 1 + (figures[LOOP_BUBBLE] if again else figures[BUBBLE])
    if taken:
        live[LAST_TAKEN] = branch + 1
    if taken or missed:
        live[FETCHING], live[FETCH_CAUSE], live[FETCH_ONE] = 0, TAKEN, branch


def new_live() -> Any:
    """The state before the first instruction."""
    live = np.zeros(LIVE, np.int64)
    live[TOP] = -1
    return live
