"""A pipeline run after run, what it did remembered by the state in which a run was entered.

A run is a row of instructions up to a branch.  What a pipeline does with it follows from its state on entry, from how
the branch goes and from what happens beyond the first-level caches.  Where all that was seen before, the state after it
and the cycles between are looked up; only else are they worked out.  Keys are compared whole, so nothing is guessed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.np.numpy_support import carray

from neonlab.emulate.native import as_pointer, native
from neonlab.measure.address_feed import CONSUMER, EVENT
from neonlab.measure.fill_journal import AWAITED, FILL, JOURNAL, LOADED
from neonlab.measure.pipeline_in_order import run_in_order
from neonlab.measure.pipeline_out_of_order import run_out_of_order
from neonlab.measure.pipeline_state import (
    BRANCH,
    FIGURES,
    FILLS_AT_MOST,
    HISTORY,
    KIND,
    LIVE,
    LOGGED,
    NOW,
    PLACE,
    POSITION,
    PREDICTED,
    RECORDED,
    RING,
    TRAITS,
    WINDOW,
    read_state,
    settle,
    write_state,
)

OPERATIONS = 1 << 12  # beyond the first level, of one run
SCRATCH = 1 << 16  # numbers of one state: every cycle of the ring takes two, every place of the window at most two
PATTERNS = 1 << 16
#: What a call of `advance` is given: events of an address feed, rows of (first, last), the end of the call, or nothing
#: but the wish to know the number of the state.
EVENTS, ROWS, END, NUMBER = range(4)

TRANSITION = np.dtype(
    [
        ("run", np.uint64),  # first and last instruction, and how the branch goes
        ("state", np.int64),
        ("first_operation", np.int64),
        ("operations", np.int64),
        ("following", np.int64),  # state
        ("cycles", np.int64),
        ("kept", np.uint64),
        ("first_log", np.int64),
        ("logged", np.int64),
        ("times", np.int64),
    ]
)
MEMO = np.dtype(
    [
        ("mode", np.int64),
        ("remembers", np.int64),
        ("clock", np.int64),
        ("state", np.int64),
        ("live_is_current", np.int64),
        ("figures", np.uint64),
        ("instructions", np.int64),
        ("traits", np.uint64),
        ("read_start", np.uint64),
        ("reads", np.uint64),
        ("read_count", np.int64),
        ("write_start", np.uint64),
        ("writes", np.uint64),
        ("write_count", np.int64),
        ("use_start", np.uint64),
        ("uses", np.uint64),
        ("use_count", np.int64),
        ("live", np.uint64),
        ("cells", np.uint64),
        ("starts", np.uint64),
        ("scratch", np.uint64),
        ("log", np.uint64),
        ("log_room", np.int64),
        ("record", np.uint64),
        ("record_room", np.int64),
        ("tally", np.uint64),  # rows as those of the log, found by what they are of; the cycles of all runs
        ("tally_room", np.int64),
        ("tally_used", np.int64),
        # memory
        ("states", np.uint64),  # where each begins in `numbers`; one more than there are
        ("state_room", np.int64),
        ("state_count", np.int64),
        ("numbers", np.uint64),
        ("number_room", np.int64),
        ("state_index", np.uint64),
        ("transitions", np.uint64),
        ("transition_room", np.int64),
        ("transition_count", np.int64),
        ("transition_index", np.uint64),
        ("kept_operations", np.uint64),
        ("kept_operation_room", np.int64),
        ("kept_operation_count", np.int64),
        ("kept_log", np.uint64),
        ("kept_log_room", np.int64),
        ("kept_log_count", np.int64),
        ("forgotten", np.int64),
        # the run at hand
        ("first", np.int64),  # -1 for none
        ("last", np.int64),
        ("end", np.uint64),
        ("operations", np.uint64),
        ("operation_count", np.int64),
        ("lines", np.uint64),  # on their way, in the order of the state's arrivals
        ("line_count", np.int64),
        # the branches
        ("patterns", np.uint64),
        ("history", np.uint64),
        ("branches", np.int64),
        ("mispredicted", np.int64),
        ("near_fills", np.int64),
        ("far_fills", np.int64),
        # the program
        ("base", np.uint64),
        ("words", np.uint64),
        ("index_of_word", np.uint64),  # int32: number of the instruction, -1 for none
        ("target_of", np.uint64),  # int32: number of the instruction branched to, -1 where not known
        ("site_count", np.int64),
        ("site_instruction", np.uint64),
        ("site_size", np.uint64),
        ("site_kind", np.uint64),
        ("line_shift", np.uint64),
        ("journal", np.uint64),
    ]
)


@njit
def _mixed(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Spread the bits of a number (the finaliser of splitmix64, Steele, Lea and Flood 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit
def _tally(memo, log, first, count, times):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Add rows of a log to those of the whole call."""
    room: Any = memo.tally_room
    tally = carray(as_pointer(memo.tally), (room, 4), np.int64)
    for row in range(first, first + count):
        one, cause, blame = np.int64(log[row, 0]), np.int64(log[row, 1]), np.int64(log[row, 2])
        at = np.int64(_mixed(np.uint64((one * 16 + cause) * 1048576 + blame + 1)) % np.uint64(room))
        while tally[at, 3] != 0 and (tally[at, 0] != one or tally[at, 1] != cause or tally[at, 2] != blame):
            at = (at + 1) % room
        if tally[at, 3] == 0:
            if memo.tally_used * 2 > room and blame >= 0:  # no room for who it was
                blame = np.int64(-1)
                at = np.int64(_mixed(np.uint64((one * 16 + cause) * 1048576)) % np.uint64(room))
                while tally[at, 3] != 0 and (tally[at, 0] != one or tally[at, 1] != cause or tally[at, 2] != blame):
                    at = (at + 1) % room
            if tally[at, 3] == 0:
                memo.tally_used += 1
            tally[at, 0], tally[at, 1], tally[at, 2] = one, cause, blame
        tally[at, 3] += log[row, 3] * times


@njit
def _settle_accounts(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Tally what remembered runs cost, and count them anew."""
    room: Any = memo.transition_room
    transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
    kept_room: Any = memo.kept_log_room
    kept = carray(as_pointer(memo.kept_log), (kept_room, 4), np.int32)
    for number in range(memo.transition_count):
        times = transitions[number].times
        if times:
            _tally(memo, kept, transitions[number].first_log, transitions[number].logged, times)
            transitions[number].times = 0


@njit
def _intern(memo, scratch, size):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The number of a state; -1 when there is no room."""
    room: Any = memo.state_room
    number_room: Any = memo.number_room
    states = carray(as_pointer(memo.states), (room + 1,), np.int64)
    numbers = carray(as_pointer(memo.numbers), (number_room,), np.int32)
    index = carray(as_pointer(memo.state_index), (2 * room,), np.int32)
    value = np.uint64(size)
    for at in range(size):
        value = (value ^ np.uint64(np.uint32(scratch[at]))) * np.uint64(0x100000001B3)
        value ^= value >> np.uint64(29)
    where = np.int64(_mixed(value) & np.uint64(2 * room - 1))
    while index[where] > 0:
        number = np.int64(index[where]) - 1
        start = states[number]
        if states[number + 1] - start == size:
            same = True
            for at in range(size):
                if numbers[start + at] != scratch[at]:
                    same = False
                    break
            if same:
                return number
        where = (where + 1) & (2 * room - 1)
    count = memo.state_count
    if count == room or states[count] + size > number_room:
        return np.int64(-1)
    start = states[count]
    for at in range(size):
        numbers[start + at] = np.int32(scratch[at])
    states[count + 1] = start + size
    index[where] = np.int32(count + 1)
    memo.state_count += 1
    return count


@njit
def _forget(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Begin to remember anew."""
    _settle_accounts(memo)
    room: Any = memo.state_room
    carray(as_pointer(memo.state_index), (2 * room,), np.int32)[:] = 0
    transition_room: Any = memo.transition_room
    carray(as_pointer(memo.transition_index), (2 * transition_room,), np.int32)[:] = 0
    memo.state_count = memo.transition_count = memo.kept_operation_count = memo.kept_log_count = 0
    memo.forgotten += 1


@njit
def _simulate(memo, first, last, taken, missed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Work out a run from the live state; bits of the lines that are still on their way."""
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    count: Any = memo.instructions
    read_count: Any = memo.read_count
    write_count: Any = memo.write_count
    use_count: Any = memo.use_count
    code = (
        carray(as_pointer(memo.traits), (count, TRAITS), np.int64),
        carray(as_pointer(memo.read_start), (count + 1,), np.int64),
        carray(as_pointer(memo.reads), (read_count, 3), np.int64),
        carray(as_pointer(memo.write_start), (count + 1,), np.int64),
        carray(as_pointer(memo.writes), (write_count, 3), np.int64),
        carray(as_pointer(memo.use_start), (count + 1,), np.int64),
        carray(as_pointer(memo.uses), (use_count, 2), np.int64),
    )
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    cells = carray(as_pointer(memo.cells), (RING,), np.int32)
    starts = carray(as_pointer(memo.starts), (RING,), np.int32)
    operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
    log_room: Any = memo.log_room
    log = carray(as_pointer(memo.log), (log_room, 4), np.int64)
    record_room: Any = memo.record_room
    record = carray(as_pointer(memo.record), (record_room, RECORDED), np.int64)
    live[LOGGED] = 0
    if figures[WINDOW] == 0:
        run_in_order(figures, code, live, first, last, taken, missed, operations, memo.operation_count, log, record)
    else:
        run_out_of_order(
            figures, code, live, cells, starts, first, last, taken, missed, operations, memo.operation_count, log,
            record,
        )  # fmt: skip
    return settle(live)


@njit
def _found(memo, key, value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The transition that is remembered, or else where in the index it goes, less one, below zero."""
    room: Any = memo.transition_room
    transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
    index = carray(as_pointer(memo.transition_index), (2 * room,), np.int32)
    operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
    kept_room: Any = memo.kept_operation_room
    kept = carray(as_pointer(memo.kept_operations), (kept_room, 3), np.int32)
    where = np.int64(value & np.uint64(2 * room - 1))
    while index[where] > 0:
        number = np.int64(index[where]) - 1
        one = transitions[number]
        if one.run == key and one.state == memo.state and one.operations == memo.operation_count:
            same = True
            for at in range(memo.operation_count):
                for column in range(3):
                    if kept[one.first_operation + at, column] != operations[at, column]:
                        same = False
            if same:
                return number
        where = (where + 1) & (2 * room - 1)
    return -1 - where


@njit
def _remember(memo, where, key, kept_mask, before):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Keep what was just worked out; the number of the transition, -1 when there is no room."""
    room: Any = memo.transition_room
    operation_room: Any = memo.kept_operation_room
    log_room: Any = memo.kept_log_room
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    count = memo.transition_count
    logged = live[LOGGED]
    if (
        2 * count >= room
        or memo.kept_operation_count + memo.operation_count > operation_room
        or memo.kept_log_count + logged > log_room
    ):
        return np.int64(-1)
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    cells = carray(as_pointer(memo.cells), (RING,), np.int32)
    starts = carray(as_pointer(memo.starts), (RING,), np.int32)
    scratch = carray(as_pointer(memo.scratch), (SCRATCH,), np.int64)
    following = _intern(memo, scratch, write_state(figures, live, cells, starts, scratch))
    if following < 0:
        return np.int64(-1)
    transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
    operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
    kept_operations = carray(as_pointer(memo.kept_operations), (operation_room, 3), np.int32)
    kept_log = carray(as_pointer(memo.kept_log), (log_room, 4), np.int32)
    scratch_log_room: Any = memo.log_room
    log = carray(as_pointer(memo.log), (scratch_log_room, 4), np.int64)
    one = transitions[count]
    one.run, one.state, one.following, one.kept = key, memo.state, following, kept_mask
    one.cycles, one.times = live[NOW] - before, 0
    one.first_operation, one.operations = memo.kept_operation_count, memo.operation_count
    one.first_log, one.logged = memo.kept_log_count, logged
    for at in range(memo.operation_count):
        for column in range(3):
            kept_operations[memo.kept_operation_count + at, column] = np.int32(operations[at, column])
    for at in range(logged):
        for column in range(4):
            kept_log[memo.kept_log_count + at, column] = np.int32(log[at, column])
    memo.kept_operation_count += memo.operation_count
    memo.kept_log_count += logged
    memo.transition_count = count + 1
    carray(as_pointer(memo.transition_index), (2 * room,), np.int32)[where] = np.int32(count + 1)
    return count


@njit
def _revive(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Make the live state that of the state at hand."""
    if memo.live_is_current:
        return
    room: Any = memo.state_room
    number_room: Any = memo.number_room
    states = carray(as_pointer(memo.states), (room + 1,), np.int64)
    numbers = carray(as_pointer(memo.numbers), (number_room,), np.int32)
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    cells = carray(as_pointer(memo.cells), (RING,), np.int32)
    starts = carray(as_pointer(memo.starts), (RING,), np.int32)
    read_state(figures, live, cells, starts, numbers[states[memo.state] : states[memo.state + 1]], memo.clock)
    memo.live_is_current = 1


@njit
def _place(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Give the live state its number."""
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    cells = carray(as_pointer(memo.cells), (RING,), np.int32)
    starts = carray(as_pointer(memo.starts), (RING,), np.int32)
    scratch = carray(as_pointer(memo.scratch), (SCRATCH,), np.int64)
    memo.state = _intern(memo, scratch, write_state(figures, live, cells, starts, scratch))


@njit
def _advance(memo, first, last, taken, missed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The pipeline does a run."""
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    log_room: Any = memo.log_room
    log = carray(as_pointer(memo.log), (log_room, 4), np.int64)
    if not memo.remembers:
        kept = _simulate(memo, first, last, taken, missed)
        _tally(memo, log, 0, live[LOGGED], 1)
        memo.clock = live[NOW]
    else:
        if memo.state < 0:
            _place(memo)
        room: Any = memo.transition_room
        transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
        key = np.uint64(first) << np.uint64(32) | np.uint64(last) << np.uint64(2)
        key |= np.uint64(2 if taken else 0) | np.uint64(1 if missed else 0)
        value = _mixed(key ^ _mixed(np.uint64(memo.state)))
        if memo.operation_count:
            operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
            for at in range(memo.operation_count):
                value ^= np.uint64(operations[at, 0] << 16 | operations[at, 1] << 8 | operations[at, 2])
                value = _mixed(value)
        number = _found(memo, key, value)
        if number < 0:
            _revive(memo)
            before = live[NOW]
            kept = _simulate(memo, first, last, taken, missed)
            added = _remember(memo, -1 - number, key, kept, before)
            memo.clock = live[NOW]
            if added < 0:
                _tally(memo, log, 0, live[LOGGED], 1)
                _forget(memo)
                memo.state = -1
            else:
                transitions[added].times = 1
                memo.state = transitions[added].following
        else:
            transitions[number].times += 1
            memo.state = transitions[number].following
            memo.clock += transitions[number].cycles
            memo.live_is_current = 0
            kept = transitions[number].kept
    if memo.line_count:
        lines = carray(as_pointer(memo.lines), (FILLS_AT_MOST,), np.uint64)
        left = 0
        for at in range(memo.line_count):
            if kept >> np.uint64(at) & np.uint64(1):
                lines[left] = lines[at]
                left += 1
        memo.line_count = left
    memo.operation_count = 0


@njit
def _foreseen(memo, branch, taken):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Whether a two-bit counter, found by the branch and the way the last HISTORY branches went, had it right.

    A pattern not met before is taken for a loop: backward is taken, forward is not.
    """
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    count: Any = memo.instructions
    patterns = carray(as_pointer(memo.patterns), (PATTERNS,), np.int8)
    targets = carray(as_pointer(memo.target_of), (count,), np.int32)
    wanted = np.uint64((1 << figures[HISTORY]) - 1)
    at = np.int64(_mixed((memo.history & wanted) * np.uint64(count) + np.uint64(branch)) & np.uint64(PATTERNS - 1))
    counter = patterns[at]
    if counter < 0:
        counter = np.int8(2 if targets[branch] >= 0 and targets[branch] <= branch else 1)
    predicted = counter >= 2
    patterns[at] = np.int8(min(3, counter + 1) if taken else max(0, counter - 1))
    memo.history = memo.history << np.uint64(1) | np.uint64(1 if taken else 0)
    memo.branches += 1
    if predicted != taken:
        memo.mispredicted += 1
    return predicted == taken


@njit
def _finish(memo, following, whole):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The run at hand goes on at the instruction `following`; `whole` where it did not break off at its end."""
    if memo.first < 0:
        memo.operation_count = 0
        return
    count: Any = memo.instructions
    traits = carray(as_pointer(memo.traits), (count, TRAITS), np.int64)
    first, last = memo.first, memo.last
    memo.first = -1
    taken = traits[last, BRANCH] != 0 and not (whole and following == last + 1)
    missed = traits[last, PREDICTED] != 0 and not _foreseen(memo, last, taken)
    _advance(memo, first, last, taken, missed)


@njit
def _note_accesses(memo, events, begin, end, fills, next_fill, fill_count):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """What happens beyond the first level in events `begin` to `end`, and waits for lines on their way."""
    site_count: Any = memo.site_count
    instructions = carray(as_pointer(memo.site_instruction), (site_count,), np.int32)
    sizes = carray(as_pointer(memo.site_size), (site_count,), np.int32)
    kinds = carray(as_pointer(memo.site_kind), (site_count,), np.int32)
    lines = carray(as_pointer(memo.lines), (FILLS_AT_MOST,), np.uint64)
    operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
    for e in range(begin, end if memo.first >= 0 else begin):
        site = events[e].site
        position = np.int64(instructions[site]) - memo.first
        if kinds[site] == LOADED and memo.line_count:
            line = events[e].address >> memo.line_shift
            final = (events[e].address + np.uint64(sizes[site] - 1)) >> memo.line_shift
            while line <= final:
                for at in range(memo.line_count):
                    if lines[at] == line and memo.operation_count < OPERATIONS:
                        operation = operations[memo.operation_count]
                        operation[POSITION], operation[KIND], operation[PLACE] = position, AWAITED, at
                        memo.operation_count += 1
                line += np.uint64(1)
        while next_fill < fill_count and fills[next_fill].event == e:
            if fills[next_fill].kind & 1:
                memo.far_fills += 1
            else:
                memo.near_fills += 1
            if memo.operation_count < OPERATIONS:
                operation = operations[memo.operation_count]
                operation[POSITION], operation[KIND], operation[PLACE] = position, fills[next_fill].kind, 0
                memo.operation_count += 1
                if memo.line_count < FILLS_AT_MOST:
                    lines[memo.line_count] = fills[next_fill].line
                    memo.line_count += 1
            next_fill += 1
    while next_fill < fill_count and fills[next_fill].event < end:
        next_fill += 1
    return next_fill


@njit
def _take_events(memo, events, number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    journal = carray(as_pointer(memo.journal), (1,), JOURNAL)[0]
    run_count: Any = journal.run_count
    fill_count: Any = journal.fill_count
    runs = carray(as_pointer(journal.runs), (run_count + 1,), np.int32)
    fills = carray(as_pointer(journal.fills), (fill_count + 1,), FILL)
    words: Any = np.int64(memo.words)
    index = carray(as_pointer(memo.index_of_word), (words,), np.int32)
    operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
    at: Any = 0
    next_fill: Any = 0
    for run in range(run_count + 1):
        end = np.int64(runs[run]) if run < run_count else np.int64(number)
        if memo.line_count or (next_fill < fill_count and fills[next_fill].event < end):
            next_fill = _note_accesses(memo, events, at, end, fills, next_fill, fill_count)
        if run == run_count:
            return
        address = events[end].address
        word = (address - memo.base) >> np.uint64(1)
        following = np.int64(index[np.int64(word)]) if word < memo.words else np.int64(-1)
        _finish(memo, following, address == memo.end)
        memo.first = following  # below zero for what is no code of the program
        # the instruction that the run's last halfword belongs to
        memo.last = following - 1
        last = np.int64(word) + np.int64(events[end].place >> 1) - 1
        if following >= 0 and last < np.int64(memo.words):
            memo.last = np.int64(index[last])
        memo.end = address + np.uint64(events[end].place)
        while next_fill < fill_count and fills[next_fill].event == end:
            if memo.operation_count < OPERATIONS:
                operation = operations[memo.operation_count]
                operation[POSITION], operation[KIND], operation[PLACE] = 0, fills[next_fill].kind, 0
                memo.operation_count += 1
            next_fill += 1
        at = end + 1


@native(CONSUMER)
def advance(user, given, number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Take what `mode` says: `user` is a MEMO."""
    memo = carray(user, 1, MEMO)[0]
    if memo.mode == EVENTS:
        _take_events(memo, carray(given, (number,), EVENT), number)
    elif memo.mode == ROWS:
        rows = carray(given, (number, 2), np.int64)
        for row in range(number):
            memo.first, memo.last = rows[row, 0], rows[row, 1]
            _finish(memo, rows[row + 1, 0] if row + 1 < number else np.int64(rows[0, 0]), True)
    elif memo.mode == NUMBER:
        if not memo.remembers or memo.state < 0:
            _place(memo)
    else:
        _finish(memo, np.int64(-1), False)
        _settle_accounts(memo)
        if memo.remembers and memo.state >= 0:
            _revive(memo)
