"""The two pipelines, compiled: one that issues in order and one that issues when operands are there.

Both take the instructions as arrays (`pipeline_program`), a trace of indices into them, and the core's figures as one
array; nothing in here knows a core.  All that a run leaves behind is in `registers`, `free`, `counter`, `ring`, `cells`
and `clock`, so that another run can go on from there; `follow` is the instruction after the trace, -1 if none.  They
return the cycle at which the trace ends, and fill in

    ends       the cycle at which the instruction at each position of the trace was issued or retired
    stalls     cycles by instruction and cause
    producer   by instruction, the one that it last waited for
    busy       cycles that each port was occupied
    record     if not empty, by position: cycle at which dispatched, begun, results there, retired; the position of the
               instruction last waited for, -1 for none; the cause of the wait, -1 for none
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

# Figures
WIDTH, WINDOW, QUEUE, MISPREDICT, BUBBLE, RETIRE, PORTS, UNLIMITED_PORTS, NO_LATENCY, MERGE = range(10)
SAME = 8
# Causes
DEPENDENCE, LOAD_USE, PORT, FRONT_END, BRANCH_TAKEN, FULL = range(6)
CAUSES = ("dependency", "load-use", "port", "front end", "branch", "queue or window full")
RING = _RING = 1 << 14

_jit: Any = numba.njit(cache=True, nogil=True)


@_jit
def _mispredicted(counter: Any, instruction: int, taken: bool) -> bool:
    """A two-bit counter a branch, starting weakly taken."""
    state = counter[instruction]
    predicted = state >= 2
    counter[instruction] = min(3, state + 1) if taken else max(0, state - 1)
    return bool(predicted != taken)


@_jit
def in_order(
    trace: Any, follow: int, figures: Any, traits: Any, read_start: Any, reads: Any, write_start: Any, writes: Any,
    use_start: Any, uses: Any, registers: Any, free: Any, counter: Any, ring: Any, cells: Any, clock: Any, ends: Any,
    stalls: Any, producer: Any, busy: Any, record: Any,
) -> int:  # fmt: skip
    """Issues up to WIDTH slots a cycle in program order; with a QUEUE, NEON work waits there and not at issue."""
    ready, ready_family, writer, instance = registers[0], registers[1], registers[2], registers[3]
    queue = figures[QUEUE]
    waiting = ring
    retired = 0
    now, used, closed, neon_last, latest, queued = clock[0], clock[1], clock[2] != 0, clock[3], clock[4], clock[5]
    for at in range(len(trace)):
        one = trace[at]
        decoupled = queue > 0 and traits[one, 3] != 0
        slots = traits[one, 0]
        start, cause, blame, awaited = now, -1, -1, -1
        if closed or (used + slots > figures[WIDTH] and used > 0) or (traits[one, 4] != 0 and used > 0):
            start, cause = now + 1, FRONT_END
        front = start
        work = start
        work_cause = cause
        for row in range(read_start[one], read_start[one + 1]):
            register, late, similar = reads[row, 0], reads[row, 1], reads[row, 2]
            when = ready[register]
            if similar != 1 or ready_family[register] == traits[one, 2]:
                when -= late
            in_queue = decoupled and register >= 32 and register < 64
            if when > work:
                work = when
                origin = writer[register]
                blame, awaited = origin, instance[register]
                work_cause = LOAD_USE if origin >= 0 and traits[origin, 5] != 0 else DEPENDENCE
            if not in_queue and when > start:
                start, cause = when, work_cause
        if figures[UNLIMITED_PORTS] == 0:
            for row in range(use_start[one], use_start[one + 1]):
                mask = uses[row, 0]
                best: Any = np.int64(1) << 60
                for port in range(figures[PORTS]):
                    if mask >> port & 1 and free[port] < best:
                        best = free[port]
                if best > work:
                    work, work_cause = best, PORT
                if not decoupled and best > start:
                    start, cause = best, PORT
        if decoupled:
            oldest = waiting[queued % queue]
            if oldest > start:
                start, cause = oldest, FULL
            work = max(work, start, neon_last)
            waiting[queued % queue] = work
            queued += 1
            neon_last = work
        else:
            work = max(work, start)
        if start > front:
            stalls[one, cause if cause >= 0 else FRONT_END] += start - front
            if blame >= 0:
                producer[one] = blame
        if start > now:
            now, used = start, 0
        closed = traits[one, 4] != 0
        used += slots
        for row in range(use_start[one], use_start[one + 1]):
            mask = uses[row, 0]
            chosen = -1
            for port in range(figures[PORTS]):
                if mask >> port & 1 and (chosen < 0 or free[port] < free[chosen]):
                    chosen = port
            if chosen >= 0:
                free[chosen] = max(work, free[chosen]) + uses[row, 1]
                busy[chosen] += uses[row, 1]
        done = work + 1
        for row in range(write_start[one], write_start[one + 1]):
            register = writes[row, 0]
            begun = start if writes[row, 2] != 0 else work
            ready[register] = begun + (0 if figures[NO_LATENCY] else writes[row, 1])
            if writes[row, 2] == 0:
                done = max(done, ready[register])
            ready_family[register] = traits[one, 2]
            writer[register], instance[register] = one, at
            latest = max(latest, ready[register])
        ends[at] = work
        if len(record) > 0:
            record[at, 0], record[at, 1], record[at, 2], record[at, 3] = start, work, done, max(done, retired)
            record[at, 4], record[at, 5] = awaited, work_cause
            retired = record[at, 3]
        if traits[one, 6] != 0:
            following = trace[at + 1] if at + 1 < len(trace) else follow
            taken = following >= 0 and following != one + 1
            if taken:
                closed = True
                if figures[BUBBLE] > 0:
                    now, used = start + figures[BUBBLE], 0
            if traits[one, 7] != 0 and _mispredicted(counter, one, taken):
                now, used, closed = start + figures[MISPREDICT], 0, False
                stalls[one, BRANCH_TAKEN] += figures[MISPREDICT]
    clock[0], clock[1], clock[2], clock[3], clock[4], clock[5] = now, used, closed, neon_last, latest, queued
    return int(max(now + 1, latest))


@_jit
def out_of_order(
    trace: Any, follow: int, figures: Any, traits: Any, read_start: Any, reads: Any, write_start: Any, writes: Any,
    use_start: Any, uses: Any, registers: Any, free: Any, counter: Any, ring: Any, cells: Any, clock: Any, ends: Any,
    stalls: Any, producer: Any, busy: Any, record: Any,
) -> int:  # fmt: skip
    """Dispatches up to WIDTH slots a cycle into a window; each use takes the port that is free first."""
    ports = figures[PORTS]
    ready, ready_family, writer, instance = registers[0], registers[1], registers[2], registers[3]
    taken_cells, hint, leaves = cells, free, ring
    window = max(1, figures[WINDOW])
    front, used, cleared, retired, retire_used, entered = clock[0], clock[1], clock[2], clock[3], clock[4], clock[5]
    for at in range(len(trace)):
        one = trace[at]
        slots = traits[one, 0]
        cause, blame, awaited = FRONT_END, -1, -1
        if used >= figures[WIDTH]:
            front, used = front + 1, 0
        if figures[WINDOW] > 0:
            for _ in range(min(slots, window)):
                if leaves[entered % window] > front:
                    front, used, cause = leaves[entered % window], 0, FULL
        used += slots
        while used > figures[WIDTH]:
            used -= figures[WIDTH]
            front += 1
        while cleared < front - 1:
            for port in range(ports):
                taken_cells[port, cleared % _RING] = 0
            cleared += 1
        work = front
        data, source, data_from = 0, -1, -1
        for row in range(read_start[one], read_start[one + 1]):
            register, late, similar = reads[row, 0], reads[row, 1], reads[row, 2]
            when = ready[register]
            if similar == 2:
                data = max(data, when)
                if data == when and when > front:
                    source, data_from = writer[register], instance[register]
                continue
            if similar == 0 or ready_family[register] == traits[one, 2]:
                when -= late
            if when > work:
                work = when
                blame, awaited = writer[register], instance[register]
                cause = LOAD_USE if blame >= 0 and traits[blame, 5] != 0 else DEPENDENCE
        first = work
        last = work
        if figures[UNLIMITED_PORTS] == 0:
            for row in range(use_start[one], use_start[one + 1]):
                mask, cycles = uses[row, 0], uses[row, 1]
                best: Any = np.int64(1) << 60
                chosen = -1
                for port in range(ports):
                    if mask >> port & 1:
                        cell = max(first, hint[port])
                        run = 0
                        while run < cycles:
                            if cell - cleared >= _RING - cycles:
                                run = cycles
                            elif taken_cells[port, (cell + run) % _RING]:
                                cell, run = cell + run + 1, 0
                            else:
                                run += 1
                        if cell < best or (cell == best and busy[port] < busy[chosen]):
                            best, chosen = cell, port
                if chosen >= 0:
                    for step in range(cycles):
                        taken_cells[chosen, (best + step) % _RING] = 1
                    low = max(hint[chosen], cleared)
                    while low - cleared < _RING - 1 and taken_cells[chosen, low % _RING]:
                        low += 1
                    hint[chosen] = low
                    busy[chosen] += cycles
                    if best > last:
                        last, cause = best, PORT
        complete = last
        if data > last and traits[one, 5] == 0:
            complete, cause, blame, awaited = data, DEPENDENCE, source, data_from
        for row in range(write_start[one], write_start[one + 1]):
            register = writes[row, 0]
            begun = first if writes[row, 2] != 0 else last
            ready[register] = begun + (0 if figures[NO_LATENCY] else writes[row, 1])
            if data > 0 and writes[row, 2] == 0 and data + figures[MERGE] > ready[register]:
                ready[register] = data + (0 if figures[NO_LATENCY] else figures[MERGE])
                cause, blame, awaited = DEPENDENCE, source, data_from
            ready_family[register] = traits[one, 2]
            writer[register], instance[register] = one, at
            complete = max(complete, ready[register])
        before, waited_for = retired, cause
        if complete > retired:
            retired, retire_used = complete, 0
        retire_used += slots
        if figures[RETIRE] > 0:
            while retire_used > figures[RETIRE]:
                retire_used -= figures[RETIRE]
                retired += 1
                cause = FRONT_END if retired - 1 == before else cause
        if retired > before:
            stalls[one, cause] += retired - before
            if blame >= 0:
                producer[one] = blame
        for _ in range(slots):
            leaves[entered % window] = retired
            entered += 1
        ends[at] = retired
        if len(record) > 0:
            record[at, 0], record[at, 1], record[at, 2], record[at, 3] = front, last, complete, retired
            record[at, 4], record[at, 5] = awaited, waited_for
        if last - cleared > _RING // 2:  # without a window the front may lie far behind
            front, used = max(front, last - _RING // 2), 0
        if traits[one, 6] != 0:
            following = trace[at + 1] if at + 1 < len(trace) else follow
            taken = following >= 0 and following != one + 1
            if taken:
                front, used = front + 1 + figures[BUBBLE], 0
            if traits[one, 7] != 0 and _mispredicted(counter, one, taken):
                front, used = max(front, last + figures[MISPREDICT]), 0
    clock[0], clock[1], clock[2], clock[3], clock[4], clock[5] = front, used, cleared, retired, retire_used, entered
    return int(retired)


@_jit
def walk(
    blocks: Any, ordered: bool, longest: int, figures: Any, traits: Any, read_start: Any, reads: Any, write_start: Any,
    writes: Any, use_start: Any, uses: Any, registers: Any, free: Any, counter: Any, ring: Any, cells: Any, clock: Any,
    stalls: Any, producer: Any, busy: Any,
) -> int:  # fmt: skip
    """Runs (first, last, times) after one another; what a repetition costs is taken over once it has settled.

    It has when three groups of SAME repetitions took the same time and left the back as far behind the front.  The
    state of the pipeline is relative in time, so leaving out repetitions changes nothing in it.
    """
    buffer = np.zeros(longest * SAME, np.int64)
    ends = np.zeros(longest * SAME, np.int64)
    none = np.zeros((0, 6), np.int64)
    skipped, end = 0, 0
    stalls_before = np.zeros_like(stalls)
    busy_before = np.zeros_like(busy)
    for number in range(len(blocks)):
        first, last, left = blocks[number, 0], blocks[number, 1], blocks[number, 2]
        size = last - first + 1
        for at in range(size * SAME):
            buffer[at] = first + at % size
        after = blocks[number + 1, 0] if number + 1 < len(blocks) else -1
        gone_1, gone_2, at_last, lag_1 = -1, -2, -1, -1
        while left > 0:
            times = min(left, SAME)
            if times == SAME and left > SAME:
                stalls_before[:] = stalls
                busy_before[:] = busy
            follow = first if left > times else after
            if ordered:
                end = in_order(buffer[: size * times], follow, figures, traits, read_start, reads, write_start, writes,
                               use_start, uses, registers, free, counter, ring, cells, clock, ends, stalls, producer,
                               busy, none)  # fmt: skip
            else:
                end = out_of_order(buffer[: size * times], follow, figures, traits, read_start, reads, write_start,
                                   writes, use_start, uses, registers, free, counter, ring, cells, clock, ends, stalls,
                                   producer, busy, none)  # fmt: skip
            left -= times
            now = ends[size * times - 1]
            gone = now - at_last
            # how far the back is behind the front
            lag = (clock[3] - clock[0]) * 65536 + max(0, free.max() - clock[0])
            if at_last >= 0 and gone == gone_1 and gone == gone_2 and lag == lag_1 and left > SAME:
                groups = (left - 1) // SAME
                skipped += groups * gone
                stalls += (stalls - stalls_before) * groups
                busy += (busy - busy_before) * groups
                left -= groups * SAME
            gone_1, gone_2, at_last, lag_1 = (gone if at_last >= 0 else -1), gone_1, now, lag
    return end + skipped
