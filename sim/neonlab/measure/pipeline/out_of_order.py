"""The compiled pipeline that issues when operands are there: instructions are dispatched, issued, completed, retired.

Dispatch, in program order, finds the cycle that has room for the instruction in the window and the schedulers; issue
the one in which its operands and a port let it begin; complete says when its results are there; retirement, in order
again, makes room in the window.
"""

from __future__ import annotations

import numpy as np

from neonlab.emulate.native import Integer, Record, compiled
from neonlab.measure.caches.fill_journal import AWAITED, CROSSED, LOADED, PASSED, STORED
from neonlab.measure.pipeline.ports import forget_before, grouped, has_room, take_port, too_many
from neonlab.measure.pipeline.record import (
    code_of,
    core_of,
    cycles_of,
    live_of,
    operations_of,
    reads_of,
    uses_of,
    writes_of,
)
from neonlab.measure.pipeline.stages import (
    begin_wait,
    buffer_store,
    crossed,
    fetch_behind_branch,
    fetch_missed_code,
    fetch_next,
    fill,
    in_turn,
    leave_fetch_queue,
    note,
    passed,
    put_off,
    room_to_store,
    store_done,
    write_down,
)
from neonlab.measure.pipeline.state import (
    BUSY,
    DATA,
    DEPENDENCE,
    FIRST_VECTOR,
    FORWARDED,
    FULL,
    HALF,
    IDLE_BACK,
    IDLE_FRONT,
    ISSUE,
    LOAD_USE,
    MISS,
    PARTS,
    PORT,
    RING,
    SIMILAR,
    STORE_FULL,
    TURN,
)


@compiled
def run_out_of_order(memo: Record, first: Integer, last: Integer, taken: bool, missed: bool) -> None:
    """Dispatch instructions `first` to `last` in order, `core.width` slots a cycle; the rest as `run_in_order`.

    Fetch runs ahead of dispatch, `core.fetch` instructions a cycle, none behind a branch that is taken in that cycle.
    """
    core, live, code = core_of(memo), live_of(memo), code_of(memo)
    entry = live.entry
    fetch_missed_code(memo, core, live)
    for number in range(first, last + 1):
        instruction = code[number]
        entry.number, entry.position = number, number - first
        _dispatch(memo, core, live, instruction)
        _issue(memo, core, live, instruction)
        _complete(memo, core, live, instruction)
        _retire(memo, core, live, instruction)
    if code[last].branch:
        resolved = max(live.now + 1 - core.mispredict, entry.work.until)
        fetch_behind_branch(memo, core, live, last, taken, missed, resolved)


@compiled
def _dispatch(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Dispatch the instruction, in the cycle `live.now` then, once it is fetched and all of it has room."""
    entry, uses, cycles = live.entry, uses_of(memo), cycles_of(memo)
    first, past = instruction.first_use, instruction.past_uses
    fetch_next(core, live)
    if live.used >= core.width:
        live.now, live.used, live.front_cause = live.now + 1, 0, ISSUE
    if live.fetch_at > live.now:
        note(memo, live, entry.number, IDLE_FRONT, -1, live.fetch_at - live.now - (1 if live.used > 0 else 0))
        live.now, live.used, live.front_cause = live.fetch_at, 0, live.fetch_cause
    before, front = live.now, live.now
    if instruction.slots > 0:  # they leave in order: when the last place that it needs is free, all are
        front = max(front, live.window[_window_place(core, live, instruction.slots - 1)].left)
    front = max(front, live.top - RING // 2)  # farther ahead is not kept track of
    forget_before(core, live, cycles, front)
    while not has_room(core, live, uses, first, past):
        front += 1
        forget_before(core, live, cycles, front)
    if front > before:
        note(memo, live, entry.number, IDLE_BACK, -1, front - before - (1 if live.used > 0 else 0))
        live.used, live.front_cause = 0, FULL
    limited = core.groups[0].ports != 0
    more = grouped(core, uses, first, past) if limited else 0
    if limited and live.used == 0:
        live.grouped = 0
    elif limited and too_many(core, live.grouped, more):
        front += 1
        live.used, live.grouped, live.front_cause = 0, 0, ISSUE
    live.used += instruction.slots
    split = live.used > core.width
    while live.used > core.width:
        live.used -= core.width
        front += 1
    if limited and split:  # the last of its operations are those of this cycle
        live.grouped = grouped(core, uses, max(first, past - live.used), past)
    elif limited:
        live.grouped += more
    live.now = front
    forget_before(core, live, cycles, front)
    leave_fetch_queue(core, live, front)


@compiled
def _window_place(core: Record, live: Record, slots: Integer) -> Integer:
    """Return the place in the window so many behind the next."""
    place: Integer = live.window_next + slots
    while place >= core.window:
        place -= core.window
    return place


@compiled
def _issue(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Let the instruction begin, at `work.until`, as soon as its operands are there and a port is free."""
    entry, uses, cycles = live.entry, uses_of(memo), cycles_of(memo)
    work = entry.work
    _await_operands(memo, core, live, instruction)
    entry.begin = work.until
    longer, longer_part, entry.slower = crossed(memo, core, entry)
    longer += in_turn(live, entry.number, instruction.use_part)
    if longer_part:
        longer += in_turn(live, entry.number, longer_part)
    entry.longer = longer
    for row in range(instruction.first_use, instruction.past_uses):
        length = uses[row].cycles + longer
        when, port = take_port(core, live, cycles, uses[row], length, entry.begin)
        if port >= 0:
            note(memo, live, port, BUSY, -1, length)
            put_off(work, when, PORT, -1)
        longer = 0  # of the first


@compiled
def _await_operands(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Wait for every operand; for data that goes to memory or past it in `entry.data`.

    A store begins some cycles ahead of its data, at most, if the core says so.
    """
    entry, code, reads = live.entry, code_of(memo), reads_of(memo)
    work, data = entry.work, entry.data
    begin_wait(work, live.now, live.front_cause)
    begin_wait(data, 0, DEPENDENCE)
    entry.part, entry.data_part = HALF, HALF
    for row in range(instruction.first_read, instruction.past_reads):
        read = reads[row]
        register = live.registers[read.register]
        when, into = register.ready, np.int64(register.part)
        if read.how == DATA:
            if when > live.now and when > data.until:
                put_off(data, when, register.reason, register.writer)
                data.awaited, entry.data_part = live.instances[read.register], into
            if instruction.load or core.store_ahead < 0:
                continue
            when -= core.store_ahead
        elif read.how == FORWARDED:
            when -= min(read.late, register.forwards)
        elif read.how != SIMILAR or code[register.writer].family == instruction.family:
            when -= read.late
            if read.how == SIMILAR:
                into += instruction.late_part
                when, into = when + into // PARTS, into % PARTS
        if when > work.until:
            if read.register == TURN:
                work.until, work.cause, work.blame, work.awaited = when, PORT, -1, -1
            else:
                put_off(work, when, register.reason, register.writer)
                work.awaited = live.instances[read.register]
            entry.part = into
        elif when == work.until and when > live.now:
            entry.part = max(entry.part, into)


@compiled
def _complete(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Find when the results are there; the last of them, or of what is stored, at `entry.done`."""
    entry, writes = live.entry, writes_of(memo)
    work, data = entry.work, entry.data
    issued: Integer = work.until
    entry.held, entry.done = issued + entry.slower, issued
    passing = _access_memory(memo, core, live, instruction) if entry.operation < memo.operation_count else 0
    if entry.held > entry.begin:  # the chain that the part of a cycle comes from was not what it waited for
        entry.part = HALF
    into = entry.part + instruction.latency_part
    more = into // PARTS
    missed = entry.held > issued + entry.slower
    if missed:
        work.cause, work.blame = MISS, -1
    if data.until > entry.done and not instruction.load:
        entry.done = data.until
        work.cause, work.blame, work.awaited = data.cause, data.blame, data.awaited
    if live.passing and instruction.store:
        store_done(core, live, entry.done)
    for row in range(instruction.first_write, instruction.past_writes):
        write = writes[row]
        register = live.registers[write.register]
        ready = (entry.begin if write.aside else entry.held + more) + write.latency
        reason = DEPENDENCE
        if instruction.load and not write.aside:
            reason = MISS if missed else LOAD_USE
            ready = max(ready, passing)
        if data.until > 0 and not write.aside and data.until + core.merge_latency > ready:
            ready, into, reason = data.until + core.merge_latency, entry.data_part, DEPENDENCE
            work.cause, work.blame, work.awaited = data.cause, data.blame, data.awaited
        register.ready, register.part = ready, HALF if write.aside else into % PARTS
        register.forwards, register.writer, register.reason = write.forwards, entry.number, reason
        entry.done = max(entry.done, ready)


@compiled
def _access_memory(memo: Record, core: Record, live: Record, instruction: Record) -> Integer:
    """Do what the instruction does beyond the first-level cache; its latency counts from `entry.held` on.

    Returns when what it takes over from a store before it is there, 0 for none.
    """
    entry, operations = live.entry, operations_of(memo)
    issued = entry.work.until
    passing: Integer = 0
    while entry.operation < memo.operation_count and operations[entry.operation].position <= entry.position:
        operation = operations[entry.operation]
        kind = operation.kind
        if kind & ~1 == LOADED:
            entry.held = max(entry.held, fill(core, live, kind, issued) + entry.slower)
        elif kind & ~1 == STORED:
            room = room_to_store(core, live, issued)
            if room > entry.done:
                entry.done, entry.work.cause, entry.work.blame = room, STORE_FULL, -1
            buffer_store(core, live, kind, entry.done)
        elif kind == AWAITED:
            entry.held = max(entry.held, live.lines[operation.place].arrives)
        elif kind & ~1 == PASSED:
            vector = writes_of(memo)[instruction.first_write].register >= FIRST_VECTOR
            passing = max(passing, passed(core, live, kind, operation.place, vector))
        elif kind != CROSSED:
            fill(core, live, kind, issued)
        entry.operation += 1
    return passing


@compiled
def _retire(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Retire the instruction once it is done and all before it are, `core.retire` slots a cycle."""
    entry, before = live.entry, live.retired
    work = entry.work
    if entry.done > live.retired:
        live.retired, live.retire_used = entry.done, 0
    live.retire_used += instruction.slots
    if core.retire > 0:
        while live.retire_used > core.retire:
            live.retire_used -= core.retire
            live.retired += 1
            if live.retired - 1 == before:
                work.cause, work.blame = ISSUE, -1
    note(memo, live, entry.number, work.cause, work.blame, live.retired - before)
    for _ in range(instruction.slots):
        live.window[live.window_next].left = live.retired
        live.window_next = _window_place(core, live, 1)
    if memo.record_room > 0:
        row = write_down(memo, live, instruction)
        row.dispatched, row.begun, row.done, row.retired = live.now, work.until, entry.done, live.retired
        row.producer, row.cause, row.instruction = work.awaited, work.cause, entry.number
        row.longer, row.part = entry.longer, entry.part
