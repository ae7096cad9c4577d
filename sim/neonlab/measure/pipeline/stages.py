"""Parts of stages that both engines share: fetch, waits, lines from beyond the first level, the log."""

from __future__ import annotations

import numpy as np

from neonlab.emulate.native import Integer, Record, compiled
from neonlab.measure.caches.fill_journal import CROSSED, FETCHED, STORED
from neonlab.measure.pipeline.record import code_of, log_of, operations_of, record_of, writes_of
from neonlab.measure.pipeline.state import (
    FETCH,
    FILLS_AT_MOST,
    ISSUE,
    NEVER,
    STORES_AT_MOST,
    STORES_BACK,
    TAKEN,
)


@compiled
def note(memo: Record, live: Record, instruction: Integer, cause: Integer, producer: Integer, cycles: Integer) -> None:
    """Put down cycles to an instruction and a cause; none where `cycles` is not above 0."""
    if cycles > 0:
        row = log_of(memo)[live.logged]
        row.instruction, row.cause, row.producer, row.cycles = instruction, cause, producer, cycles
        live.logged += 1


@compiled
def begin_wait(wait: Record, until: Integer, cause: Integer) -> None:
    """Begin a wait until then, for no instruction so far."""
    wait.until, wait.cause, wait.blame, wait.awaited = until, cause, -1, -1


@compiled
def put_off(wait: Record, until: Integer, cause: Integer, blame: Integer) -> None:
    """Make a wait longer, and put it down to this, if `until` is later."""
    if until > wait.until:
        wait.until, wait.cause, wait.blame = until, cause, blame


@compiled
def in_turn(live: Record, number: Integer, part: Integer) -> Integer:
    """Return 1 so many times of PARTS, else 0; instructions that are not close together have turns of their own."""
    if part == 0:
        return 0
    shift = 4 * (number % 7)
    turn = live.turns >> shift & 15
    live.turns += ((turn + part & 15) - turn) << shift
    more: Integer = (turn + part) >> 4
    return more


@compiled
def crossed(memo: Record, core: Record, entry: Record) -> tuple[Integer, Integer, Integer]:
    """Return cycles, parts of one and latency that the instruction needs more, for where its accesses lie."""
    cycles, part, latency = 0, 0, 0
    operations = operations_of(memo)
    at: Integer = entry.operation
    while at < memo.operation_count and operations[at].position <= entry.position:
        if operations[at].kind == CROSSED:
            rule = core.crossings[operations[at].place]
            cycles, part = cycles + rule.cycles, part + rule.part
            latency = max(latency, rule.latency)
        at += 1
    return cycles, part, latency


@compiled
def fill(core: Record, live: Record, kind: Integer, at: Integer) -> Integer:
    """Fetch a line from the second level or from memory, asked for at `at`; return when a load of it may begin."""
    level = kind & 1
    start: Integer = at
    if core.outstanding > 0:
        while True:
            others, first = 0, NEVER
            for number in range(live.fills):
                if live.lines[number].arrives > start:
                    others += 1
                    first = min(first, live.lines[number].arrives)
            if others < core.outstanding:
                break
            start = first
    start = max(start, live.buses[level])
    live.buses[level] = start + core.interval[level]
    arrival: Integer = start + core.extra[level]
    if live.fills < FILLS_AT_MOST:
        live.lines[live.fills].arrives = arrival
        live.fills += 1
    return arrival


@compiled
def room_to_store(core: Record, live: Record, at: Integer) -> Integer:
    """Return when the store buffer has room, from `at` on."""
    start: Integer = at
    while core.stores > 0:
        others, first = 0, NEVER
        for number in range(live.storing):
            if live.stores[number].arrives > start:
                others += 1
                first = min(first, live.stores[number].arrives)
        if others < core.stores:
            break
        start = first
    return start


@compiled
def drain_stores(live: Record, now: Integer) -> None:
    """Forget stores whose lines have arrived."""
    kept = 0
    for number in range(live.storing):
        if live.stores[number].arrives > now:
            live.stores[kept].arrives = live.stores[number].arrives
            kept += 1
    live.storing = kept


@compiled
def buffer_store(core: Record, live: Record, kind: Integer, at: Integer) -> None:
    """Let a store that misses wait for its line, where nothing else waits."""
    arrival = fill(core, live, kind, at)
    drain_stores(live, at)
    if live.storing < STORES_AT_MOST:
        live.stores[live.storing].arrives = arrival
        live.storing += 1


@compiled
def settle(live: Record) -> np.uint64:
    """Forget lines that have arrived, and stores that waited for them; return bits of the lines that have not."""
    drain_stores(live, live.now)
    kept = 0
    mask = np.uint64(0)
    for number in range(live.fills):
        if live.lines[number].arrives > live.now:
            live.lines[kept].arrives = live.lines[number].arrives
            kept += 1
            mask |= np.uint64(1) << np.uint64(number)
    live.fills = kept
    return mask


@compiled
def store_done(core: Record, live: Record, at: Integer) -> None:
    """Note that what a store stores is there at `at`, for loads to take over."""
    live.stored[live.stored_next].over = at + max(core.passing[2], core.passing[3]) if at > 0 else 0
    live.stored_next = live.stored_next + 1 & STORES_BACK - 1


@compiled
def passed(core: Record, live: Record, kind: Integer, back: Integer, vector: bool) -> Integer:
    """Return when a load has what the store so many stores before it stores; 0 where that is long over."""
    if not live.passing:
        live.passing = 1
        return 0
    over = live.stored[live.stored_next - back & STORES_BACK - 1].over
    when: Integer = over - max(core.passing[2], core.passing[3])
    return when + core.passing[2 * (kind & 1) + (1 if vector else 0)] if when > 0 else 0


@compiled
def fetch_from(live: Record, at: Integer, cause: Integer, branch: Integer) -> None:
    """Go on with fetch in the cycle `at`, for that cause only then; `branch` where it is TAKEN, else 0."""
    live.fetch_at, live.fetching, live.fetch_cause, live.fetch_branch = at, 0, cause, branch


@compiled
def fetch_missed_code(memo: Record, core: Record, live: Record) -> None:
    """Let fetch wait, before a run, for lines of code that the first-level cache does not have."""
    operations, entry = operations_of(memo), live.entry
    entry.operation = 0
    while entry.operation < memo.operation_count and operations[entry.operation].kind & ~1 == FETCHED:
        lost = core.extra[operations[entry.operation].kind & 1]
        fetch_from(live, max(live.fetch_at, live.now) + lost, FETCH, 0)
        entry.operation += 1


@compiled
def fetch_next(core: Record, live: Record) -> None:
    """Fetch the next instruction, as soon as there is room for it."""
    leaving = live.fetched[live.fetched_next].left
    if leaving > live.fetch_at:
        fetch_from(live, leaving, ISSUE, 0)
    if live.fetching >= core.fetch:
        fetch_from(live, live.fetch_at + 1, ISSUE, 0)
    live.fetching += 1


@compiled
def leave_fetch_queue(core: Record, live: Record, at: Integer) -> None:
    """Take an instruction, at `at`, from the queue of those that were fetched."""
    live.fetched[live.fetched_next].left = at
    live.fetched_next += 1
    if live.fetched_next == core.fetch_queue:
        live.fetched_next = 0


@compiled
def fetch_behind_branch(
    memo: Record, core: Record, live: Record, branch: Integer, taken: bool, missed: bool, resolved: Integer
) -> None:
    """Go on with fetch behind a branch; one that goes the other way than foreseen is found out at `resolved`."""
    if missed:
        fetch_from(live, resolved + core.mispredict, TAKEN, branch)
    elif taken:
        bubble = core.loop_bubble if branch == live.last_taken - 1 else core.taken_bubble
        if code_of(memo)[branch].far:
            bubble = core.far_bubble
        fetch_from(live, live.fetch_at + 1 + bubble, TAKEN, branch)
    if taken:
        live.last_taken = branch + 1


@compiled
def store_operations(memo: Record, core: Record, live: Record, at: Integer) -> Integer:
    """Return when the store buffer has room for what the instruction at hand stores, from `at` on."""
    operations, entry = operations_of(memo), live.entry
    number, start = entry.operation, at
    while number < memo.operation_count and operations[number].position <= entry.position:
        if operations[number].kind & ~1 == STORED:
            start = max(start, room_to_store(core, live, start))
        number += 1
    return start


@compiled
def write_down(memo: Record, live: Record, instruction: Record) -> Record:
    """Return the next row of the record; registers that the instruction writes are from there."""
    writes, at = writes_of(memo), memo.recorded
    for row in range(instruction.first_write, instruction.past_writes):
        live.instances[writes[row].register] = at
    memo.recorded += 1
    return record_of(memo)[at]
