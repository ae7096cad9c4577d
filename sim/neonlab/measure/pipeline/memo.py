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
from neonlab.measure.caches.fill_journal import FILL, JOURNAL
from neonlab.measure.pipeline.accesses import note_accesses
from neonlab.measure.pipeline.in_order import run_in_order
from neonlab.measure.pipeline.memory import add_up, forget, keep, look_up, number_state, revive, settle_accounts
from neonlab.measure.pipeline.out_of_order import run_out_of_order
from neonlab.measure.pipeline.record import EVENTS, MEMO, NUMBER, OPERATIONS, PATTERNS, ROWS, TRANSITION, mixed
from neonlab.measure.pipeline.state import (
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
    settle,
)
from neonlab.measure.traffic.address_feed import CONSUMER, EVENT


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
def _advance(memo, first, last, taken, missed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The pipeline does a run."""
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    log_room: Any = memo.log_room
    log = carray(as_pointer(memo.log), (log_room, 4), np.int64)
    if not memo.remembers:
        kept = _simulate(memo, first, last, taken, missed)
        add_up(memo, log, 0, live[LOGGED], 1)
        memo.clock = live[NOW]
    else:
        if memo.state < 0:
            number_state(memo)
        room: Any = memo.transition_room
        transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
        key = np.uint64(first) << np.uint64(32) | np.uint64(last) << np.uint64(2)
        key |= np.uint64(2 if taken else 0) | np.uint64(1 if missed else 0)
        value = mixed(key ^ mixed(np.uint64(memo.state)))
        if memo.operation_count:
            operations = carray(as_pointer(memo.operations), (OPERATIONS, 3), np.int64)
            for at in range(memo.operation_count):
                value ^= np.uint64(operations[at, 0] << 16 | operations[at, 1] << 8 | operations[at, 2])
                value = mixed(value)
        number = look_up(memo, key, value)
        if number < 0:
            revive(memo)
            before = live[NOW]
            kept = _simulate(memo, first, last, taken, missed)
            added = keep(memo, -1 - number, key, kept, before)
            memo.clock = live[NOW]
            if added < 0:
                add_up(memo, log, 0, live[LOGGED], 1)
                forget(memo)
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
    at = np.int64(mixed((memo.history & wanted) * np.uint64(count) + np.uint64(branch)) & np.uint64(PATTERNS - 1))
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
    if memo.watches:
        stores = carray(as_pointer(memo.stores_before), (count + 1,), np.int32)
        memo.stores_done += stores[last + 1] - stores[first]
    taken = traits[last, BRANCH] != 0 and not (whole and following == last + 1)
    missed = traits[last, PREDICTED] != 0 and not _foreseen(memo, last, taken)
    _advance(memo, first, last, taken, missed)


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
        if memo.watches or memo.line_count or (next_fill < fill_count and fills[next_fill].event < end):
            next_fill = note_accesses(memo, events, at, end, fills, next_fill, fill_count)
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
            number_state(memo)
    else:
        _finish(memo, np.int64(-1), False)
        settle_accounts(memo)
        if memo.remembers and memo.state >= 0:
            revive(memo)
