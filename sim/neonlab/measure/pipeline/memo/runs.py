"""Simulate a pipeline run by run, and memoise each run by the state in which it begins.

A run is a row of instructions up to a branch.  Its timing follows from the pipeline's state on entry, from the outcome
of the branch and from what happens beyond the first-level caches.  Where all that was seen before, the next state and
the cycles are looked up; else they are computed.  Keys are compared whole, so the result is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.np.numpy_support import carray

from neonlab.emulate.native import Integer, Pointer, Record, as_pointer, compiled, native
from neonlab.measure.caches.fill_journal import FILL, JOURNAL
from neonlab.measure.pipeline.accesses import note_accesses
from neonlab.measure.pipeline.in_order import run_in_order
from neonlab.measure.pipeline.memo.memory import add_up, forget, keep, look_up, revive, settle_accounts, state_of
from neonlab.measure.pipeline.out_of_order import run_out_of_order
from neonlab.measure.pipeline.record import (
    EVENTS,
    MEMO,
    NUMBER,
    OPERATIONS,
    PATTERNS,
    ROWS,
    Rows,
    code_of,
    core_of,
    live_of,
    log_of,
    mixed,
    operations_of,
    transitions_of,
)
from neonlab.measure.pipeline.stages import settle
from neonlab.measure.pipeline.state import FILLS_AT_MOST
from neonlab.measure.traffic.address_feed import CONSUMER, EVENT


@compiled
def _simulate(memo: Record, first: Integer, last: Integer, taken: bool, missed: bool) -> np.uint64:
    """Work out a run from the live state; bits of the lines that are still on their way."""
    live = live_of(memo)
    live.logged = 0
    if core_of(memo).window == 0:
        run_in_order(memo, first, last, taken, missed)
    else:
        run_out_of_order(memo, first, last, taken, missed)
    return settle(live)


@compiled
def _advance(memo: Record, first: Integer, last: Integer, taken: bool, missed: bool) -> None:
    """Execute a run in the pipeline."""
    live = live_of(memo)
    if not memo.remembers:
        kept = _simulate(memo, first, last, taken, missed)
        add_up(memo, log_of(memo), 0, live.logged, 1)
        memo.clock = live.now
    else:
        if memo.state < 0:
            memo.state = state_of(memo)
        transitions = transitions_of(memo)
        key = np.uint64(first) << np.uint64(32) | np.uint64(last) << np.uint64(2)
        key |= np.uint64(2 if taken else 0) | np.uint64(1 if missed else 0)
        number = look_up(memo, key, _hash_of_run(memo, key))
        if number < 0:
            revive(memo)
            before = live.now
            kept = _simulate(memo, first, last, taken, missed)
            added = keep(memo, -1 - number, key, kept, before)
            memo.clock = live.now
            if added < 0:
                add_up(memo, log_of(memo), 0, live.logged, 1)
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
        _keep_lines(memo, kept)
    memo.operation_count = 0


@compiled
def _hash_of_run(memo: Record, key: np.uint64) -> np.uint64:
    """Return a hash of the run, of the state before it, and of what it does beyond the first-level caches."""
    value = mixed(key ^ mixed(np.uint64(memo.state)))
    operations = operations_of(memo)
    for at in range(memo.operation_count):
        one = operations[at]
        value ^= np.uint64(np.int64(one.position) << 16 | one.kind << 8 | one.place)
        value = mixed(value)
    return value


@compiled
def _keep_lines(memo: Record, kept: np.uint64) -> None:
    """Keep those of the lines on their way that have a bit."""
    lines = carray(as_pointer(memo.lines), (FILLS_AT_MOST,), np.uint64)
    left = 0
    for at in range(memo.line_count):
        if kept >> np.uint64(at) & np.uint64(1):
            lines[left] = lines[at]
            left += 1
    memo.line_count = left


@compiled
def _foreseen(memo: Record, branch: Integer, taken: bool) -> bool:
    """Tell whether the branch was predicted, and train the predictor.

    It is a two-bit counter, indexed by the branch and the outcomes of the last HISTORY branches.  A new pattern
    predicts a loop: backward is taken, forward is not.
    """
    count: int = memo.instructions
    patterns = carray(as_pointer(memo.patterns), (PATTERNS,), np.int8)
    targets = carray(as_pointer(memo.target_of), (count,), np.int32)
    wanted = np.uint64((1 << core_of(memo).history) - 1)
    at = np.int64(mixed((memo.history & wanted) * np.uint64(count) + np.uint64(branch)) & np.uint64(PATTERNS - 1))
    counter = patterns[at]
    if counter < 0:
        counter = np.int8(2 if targets[branch] >= 0 and targets[branch] <= branch else 1)
    predicted: bool = counter >= 2
    patterns[at] = np.int8(min(3, counter + 1) if taken else max(0, counter - 1))
    memo.history = memo.history << np.uint64(1) | np.uint64(1 if taken else 0)
    memo.branches += 1
    if predicted != taken:
        memo.mispredicted += 1
    return predicted == taken


@compiled
def _finish(memo: Record, following: Integer, whole: bool) -> None:
    """Continue the run at the instruction `following`; `whole` tells that it did not break off at its end."""
    if memo.first < 0:
        memo.operation_count = 0
        return
    code = code_of(memo)
    first, last = memo.first, memo.last
    memo.first = -1
    if memo.watches:
        count: int = memo.instructions
        stores = carray(as_pointer(memo.stores_before), (count + 1,), np.int32)
        memo.stores_done += stores[last + 1] - stores[first]
    taken = code[last].branch and not (whole and following == last + 1)
    missed = code[last].predicted and not _foreseen(memo, last, taken)
    _advance(memo, first, last, taken, missed)


@compiled
def _take_events(memo: Record, events: Rows, number: Integer) -> None:
    journal = carray(as_pointer(memo.journal), (1,), JOURNAL)[0]
    run_count: Any = journal.run_count
    fill_count: Any = journal.fill_count
    runs = carray(as_pointer(journal.runs), (run_count + 1,), np.int32)
    fills = carray(as_pointer(journal.fills), (fill_count + 1,), FILL)
    words: Any = np.int64(memo.words)
    index = carray(as_pointer(memo.index_of_word), (words,), np.int32)
    operations = operations_of(memo)
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
        memo.first = following  # below zero for addresses outside the program's code
        # the instruction that the run's last halfword belongs to
        memo.last = following - 1
        last = np.int64(word) + np.int64(events[end].place >> 1) - 1
        if following >= 0 and last < np.int64(memo.words):
            memo.last = np.int64(index[last])
        memo.end = address + np.uint64(events[end].place)
        while next_fill < fill_count and fills[next_fill].event == end:
            if memo.operation_count < OPERATIONS:
                operation = operations[memo.operation_count]
                operation.position, operation.kind, operation.place = 0, fills[next_fill].kind, 0
                memo.operation_count += 1
            next_fill += 1
        at = end + 1


@native(CONSUMER)
def advance(user: Pointer, given: Pointer, number: int) -> None:
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
            memo.state = state_of(memo)
    else:
        _finish(memo, np.int64(-1), False)
        settle_accounts(memo)
        if memo.remembers and memo.state >= 0:
            revive(memo)
