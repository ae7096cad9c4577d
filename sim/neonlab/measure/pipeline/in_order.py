"""The compiled pipeline that issues in program order: each instruction is dispatched, issued, completed and retired.

Dispatch finds the cycle in which it could be issued, issue the one in which its operands, its ports and the queue of
NEON instructions let it begin; complete says when its results are there.  Nothing ever waits for retirement.
"""

from __future__ import annotations

from neonlab.emulate.native import Integer, Record, compiled
from neonlab.measure.caches.fill_journal import AWAITED, CROSSED, LOADED, STORED
from neonlab.measure.pipeline.record import (
    code_of,
    core_of,
    live_of,
    operations_of,
    reads_of,
    record_of,
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
    leave_fetch_queue,
    note,
    put_off,
    store_operations,
    write_down,
)
from neonlab.measure.pipeline.state import (
    BUSY,
    DEPENDENCE,
    FIRST_VECTOR,
    FLAG_REGISTER,
    FORWARDED,
    IDLE_BACK,
    IDLE_FRONT,
    ISSUE,
    LOAD_USE,
    MISS,
    PORT,
    SIMILAR,
    STORE_FULL,
    TAKEN,
)

#: Cycles ahead for which places of results are kept, two bits each.
_WRITES_AHEAD = 30


@compiled
def run_in_order(memo: Record, first: Integer, last: Integer, taken: bool, missed: bool) -> None:
    """Issue instructions `first` to `last`, up to `core.width` slots a cycle; with a queue, NEON work waits there.

    `taken` and `missed` say how the branch at the end goes, and whether that was foreseen.
    """
    core, live, code = core_of(memo), live_of(memo), code_of(memo)
    entry = live.entry
    fetch_missed_code(memo, core, live)
    for number in range(first, last + 1):
        instruction = code[number]
        entry.number, entry.position = number, number - first
        _dispatch(core, live, instruction)
        _issue(memo, core, live, instruction)
        _complete(memo, core, live, instruction)
        if memo.record_room > 0:
            _retire(memo, live, instruction)
    if code[last].branch:
        fetch_behind_branch(memo, core, live, last, taken, missed, live.now)
        if taken or missed:  # what comes behind is not issued with it
            live.used = max(live.used, core.width)
    if live.used == 0:
        live.vectors = 0
    live.retired = live.now  # which a saved state is relative to


@compiled
def _dispatch(core: Record, live: Record, instruction: Record) -> None:
    """Find the first cycle that has places for the instruction, once it is fetched and may pass what is before it."""
    entry = live.entry
    front: Integer = live.now
    if live.used > 0 and (live.used + instruction.slots > core.width or instruction.alone or instruction.leads):
        # what takes more places than there are takes cycles
        front += max(1, (live.used + core.width - 1) // core.width)
    fetch_next(core, live)
    entry.front, entry.starved, entry.fetch_cause = front, max(0, live.fetch_at - front), live.fetch_cause
    start = entry.start
    begin_wait(start, front + entry.starved, ISSUE)
    if start.until == live.now and live.used > 0 and live.vectors + instruction.vectors > 2:
        put_off(start, live.now + 1, PORT, -1)
    if core.behind_miss > 0 and live.miss.until > start.until:
        wide = instruction.neon and instruction.past_uses - instruction.first_use > 1
        if wide or instruction.load or instruction.store or live.miss.passed >= core.behind_miss:
            put_off(start, live.miss.until, MISS, live.miss.instruction)
        live.miss.passed += 1
    if core.queue > 0 and instruction.load and instruction.vectors > 0:
        # A load into the vector file passes nothing that still waits to read or write it.
        newest = _newest(core, live)
        put_off(start, newest.begins, newest.cause, newest.blame)


@compiled
def _newest(core: Record, live: Record) -> Record:
    """Return the NEON instruction that entered the queue last: of those in it, the last to begin."""
    return live.queue[(live.queue_next if live.queue_next > 0 else core.queue) - 1]


@compiled
def _issue(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Issue the instruction to its unit, or to the queue of NEON instructions, where it waits for its operands."""
    entry, uses = live.entry, uses_of(memo)
    start, work = entry.start, entry.work
    queued = core.queue > 0 and instruction.neon
    _await_operands(memo, live, instruction, queued)
    if queued:
        oldest, newest = live.queue[live.queue_next], _newest(core, live)
        put_off(start, oldest.begins, oldest.cause, oldest.blame)  # full: what holds up the oldest holds up this one
        put_off(work, newest.begins, newest.cause, newest.blame)
    if entry.operation < memo.operation_count:
        both = max(start.until, work.until)
        room = store_operations(memo, core, live, both)
        if room > both:
            put_off(start, room, STORE_FULL, -1)
    _pick_ports(memo, core, live, instruction, queued)
    if core.results > 0 and instruction.halves > 0:
        _await_room_for_result(memo, core, live, instruction, queued)
    if instruction.loaded > 0:
        _await_room_for_load(memo, live, instruction)
    work.until = max(work.until, start.until)
    if queued:
        waits = live.queue[live.queue_next]
        waits.begins, waits.blame = work.until, work.blame
        waits.cause = work.cause if work.cause != ISSUE else PORT
        live.queue_next = live.queue_next + 1 if live.queue_next + 1 < core.queue else 0
    else:
        start.until = work.until
    if start.until > live.now:
        _go_on(memo, live)
    leave_fetch_queue(core, live, start.until)
    longer, _, entry.slower = crossed(memo, core, entry)
    live.used += instruction.slots
    if instruction.slots > core.width:  # nothing issues while it is in its unit
        live.used += longer * core.width
    live.vectors += instruction.vectors
    if instruction.alone:
        live.used = max(live.used, core.width)
    for row in range(instruction.first_use, instruction.past_uses):
        port = entry.picked[row - instruction.first_use]
        if port >= 0:
            live.units[port].free = max(work.until, live.units[port].free) + uses[row].cycles + longer
            note(memo, live, port, BUSY, -1, uses[row].cycles + longer)
            longer = 0  # of the first


@compiled
def _await_operands(memo: Record, live: Record, instruction: Record, queued: bool) -> None:
    """Let work wait for every operand, and issue for those that the queue of NEON instructions does not wait for."""
    entry, code, reads = live.entry, code_of(memo), reads_of(memo)
    start, work = entry.start, entry.work
    work.until, work.cause, work.blame, work.awaited = start.until, start.cause, start.blame, -1
    for row in range(instruction.first_read, instruction.past_reads):
        read = reads[row]
        register = live.registers[read.register]
        when = register.ready
        if read.how == FORWARDED:
            when -= min(read.late, register.forwards)
        elif read.how != SIMILAR or code[register.writer].family == instruction.family:
            when -= read.late
        if when > work.until:
            put_off(work, when, register.reason, register.writer)
            work.awaited = live.instances[read.register]
        if not (queued and read.register >= FIRST_VECTOR and read.register != FLAG_REGISTER):
            put_off(start, when, register.reason, register.writer)


@compiled
def _pick_ports(memo: Record, core: Record, live: Record, instruction: Record, queued: bool) -> None:
    """Pick for each use the port that is free first; work waits for it, and so does issue but to the queue."""
    entry, uses = live.entry, uses_of(memo)
    taken = 0
    for row in range(instruction.first_use, instruction.past_uses):
        wanted = uses[row].ports
        if wanted & ~taken:  # else one port does one after the other
            wanted &= ~taken
        picked, soonest = -1, 0
        for port in range(core.ports):
            if wanted >> port & 1:
                free = max(live.units[port].free, live.now)
                if picked < 0 or free < soonest:
                    picked, soonest = port, free
        entry.picked[row - instruction.first_use] = picked
        if picked >= 0:
            taken |= 1 << picked
            put_off(entry.work, live.units[picked].free, PORT, -1)
            if not queued:
                put_off(entry.start, live.units[picked].free, PORT, -1)


@compiled
def _await_room_for_result(memo: Record, core: Record, live: Record, instruction: Record, queued: bool) -> None:
    """Wait until vector registers take the result in the cycle in which it is there, and reserve its place.

    Operations of unlike latency that would end in the same cycle begin in different ones.
    """
    entry = live.entry
    when: Integer = max(entry.work.until, entry.start.until)
    place: Integer = when - live.now + writes_of(memo)[instruction.first_write].latency
    halves = min(instruction.halves, core.results)
    while place < _WRITES_AHEAD and (live.writing >> 2 * place & 3) + halves > core.results:
        place += 1
        when += 1
    if place < _WRITES_AHEAD:
        live.writing += halves << 2 * place
    put_off(entry.work, when, PORT, -1)
    if not queued:
        put_off(entry.start, when, PORT, -1)


@compiled
def _await_room_for_load(memo: Record, live: Record, instruction: Record) -> None:
    """Wait until vector registers take whole registers that are loaded, one every other cycle, and reserve places."""
    entry, writes = live.entry, writes_of(memo)
    when: Integer = max(entry.work.until, entry.start.until)
    row: Integer = instruction.first_write
    while writes[row].aside:
        row += 1
    last: Integer = when - live.now + writes[row].latency
    while last < _WRITES_AHEAD and not _has_room_for_load(live, last, instruction.loaded):
        last += 1
        when += 1
    if last < _WRITES_AHEAD:
        for piece in range(min(instruction.loaded, last // 2 + 1)):
            live.writing += 2 << 2 * (last - 2 * piece)
    put_off(entry.work, when, PORT, -1)
    put_off(entry.start, when, PORT, -1)


@compiled
def _has_room_for_load(live: Record, last: Integer, registers: Integer) -> bool:
    """Tell whether no result has a place where so many registers are loaded, the last of them in the cycle `last`."""
    room = True
    for piece in range(min(registers, last // 2 + 1)):
        if live.writing >> 2 * (last - 2 * piece) & 3:
            room = False
    return room


@compiled
def _advance(live: Record, cycle: Integer) -> None:
    """Go on to a later cycle."""
    live.writing >>= 2 * min(cycle - live.now, _WRITES_AHEAD)
    live.now = cycle


@compiled
def _go_on(memo: Record, live: Record) -> None:
    """Go on to the cycle in which the instruction is issued, and put down why the cycles before that passed."""
    entry, now = live.entry, live.now
    start = entry.start
    starved_one = live.fetch_branch if entry.fetch_cause == TAKEN else entry.number
    note(memo, live, entry.number, ISSUE, -1, entry.front - now)
    note(memo, live, starved_one, entry.fetch_cause, -1, entry.starved)
    note(memo, live, entry.number, start.cause, start.blame, start.until - entry.front - entry.starved)
    idle = start.until - now - (1 if live.used > 0 else 0)
    note(memo, live, entry.number, IDLE_FRONT, -1, min(idle, entry.starved))
    note(memo, live, entry.number, IDLE_BACK, -1, idle - entry.starved)
    _advance(live, start.until)
    live.used, live.vectors = 0, 0


@compiled
def _complete(memo: Record, core: Record, live: Record, instruction: Record) -> None:
    """Find when the results are there, which is later for what comes from beyond the first-level cache."""
    entry, writes = live.entry, writes_of(memo)
    start, work = entry.start.until, entry.work.until
    entry.held = work
    if entry.operation < memo.operation_count:
        _access_memory(memo, core, live)
    held = entry.held
    if core.behind_miss > 0 and held > work and instruction.load:
        live.miss.until, live.miss.instruction, live.miss.passed = held, entry.number, 1
    entry.done = work + 1
    for row in range(instruction.first_write, instruction.past_writes):
        write = writes[row]
        register = live.registers[write.register]
        register.ready = (start if write.aside else held + entry.slower) + write.latency
        register.forwards, register.writer, register.reason = write.forwards, entry.number, DEPENDENCE
        if not write.aside:
            entry.done = max(entry.done, register.ready)
            if instruction.load:
                register.reason = MISS if held > work else LOAD_USE


@compiled
def _access_memory(memo: Record, core: Record, live: Record) -> None:
    """Do what the instruction does beyond the first-level cache; its latency counts from `entry.held` on."""
    entry, operations = live.entry, operations_of(memo)
    work = entry.work.until
    while entry.operation < memo.operation_count and operations[entry.operation].position <= entry.position:
        operation = operations[entry.operation]
        kind = operation.kind
        if kind & ~1 == LOADED:
            arrival = fill(core, live, kind, work)
            entry.held = max(entry.held, arrival)
            begun = arrival - core.extra[kind & 1]
            if begun > live.now:  # no line can be asked for until another has come, and nothing passes this load
                note(memo, live, entry.number, MISS, -1, begun - live.now)
                note(memo, live, entry.number, IDLE_BACK, -1, begun - live.now)
                _advance(live, begun)
        elif kind & ~1 == STORED:
            buffer_store(core, live, kind, work)
        elif kind == AWAITED:
            entry.held = max(entry.held, live.lines[operation.place].arrives)
        elif kind != CROSSED:
            fill(core, live, kind, work)
        entry.operation += 1


@compiled
def _retire(memo: Record, live: Record, instruction: Record) -> None:
    """Write down what the instruction did; it retires once it is done and all before it are."""
    entry, at = live.entry, memo.recorded
    before = record_of(memo)[at - 1].retired if at > 0 else 0
    row = write_down(memo, live, instruction)
    row.dispatched, row.begun, row.done = entry.start.until, entry.work.until, entry.done
    row.retired, row.producer = max(entry.done, before), entry.work.awaited
    row.cause, row.instruction, row.longer, row.part = entry.work.cause, entry.number, 0, 0
