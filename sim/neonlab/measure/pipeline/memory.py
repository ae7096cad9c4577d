"""What a pipeline remembers: the states it was in, each once, and what every run did that began in one of them.

Keys are compared whole, so nothing is guessed.  When memory is full, all is forgotten, and it begins anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.np.numpy_support import carray

from neonlab.emulate.native import as_pointer
from neonlab.measure.pipeline.record import OPERATIONS, SCRATCH, TRANSITION, mixed
from neonlab.measure.pipeline.saved import read_state, write_state
from neonlab.measure.pipeline.state import FIGURES, LIVE, LOGGED, NOW, RING


@njit
def add_up(memo, log, first, count, times):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Add rows of a log to those of the whole call."""
    room: Any = memo.tally_room
    tally = carray(as_pointer(memo.tally), (room, 4), np.int64)
    for row in range(first, first + count):
        one, cause, blame = np.int64(log[row, 0]), np.int64(log[row, 1]), np.int64(log[row, 2])
        at = np.int64(mixed(np.uint64((one * 16 + cause) * 1048576 + blame + 1)) % np.uint64(room))
        while tally[at, 3] != 0 and (tally[at, 0] != one or tally[at, 1] != cause or tally[at, 2] != blame):
            at = (at + 1) % room
        if tally[at, 3] == 0:
            if memo.tally_used * 2 > room and blame >= 0:  # no room for who it was
                blame = np.int64(-1)
                at = np.int64(mixed(np.uint64((one * 16 + cause) * 1048576)) % np.uint64(room))
                while tally[at, 3] != 0 and (tally[at, 0] != one or tally[at, 1] != cause or tally[at, 2] != blame):
                    at = (at + 1) % room
            if tally[at, 3] == 0:
                memo.tally_used += 1
            tally[at, 0], tally[at, 1], tally[at, 2] = one, cause, blame
        tally[at, 3] += log[row, 3] * times


@njit
def settle_accounts(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Tally what remembered runs cost, and count them anew."""
    room: Any = memo.transition_room
    transitions = carray(as_pointer(memo.transitions), (room,), TRANSITION)
    kept_room: Any = memo.kept_log_room
    kept = carray(as_pointer(memo.kept_log), (kept_room, 4), np.int32)
    for number in range(memo.transition_count):
        times = transitions[number].times
        if times:
            add_up(memo, kept, transitions[number].first_log, transitions[number].logged, times)
            transitions[number].times = 0


@njit
def intern(memo, scratch, size):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
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
    where = np.int64(mixed(value) & np.uint64(2 * room - 1))
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
def forget(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Begin to remember anew."""
    settle_accounts(memo)
    room: Any = memo.state_room
    carray(as_pointer(memo.state_index), (2 * room,), np.int32)[:] = 0
    transition_room: Any = memo.transition_room
    carray(as_pointer(memo.transition_index), (2 * transition_room,), np.int32)[:] = 0
    memo.state_count = memo.transition_count = memo.kept_operation_count = memo.kept_log_count = 0
    memo.forgotten += 1


@njit
def look_up(memo, key, value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
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
def keep(memo, where, key, kept_mask, before):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
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
    following = intern(memo, scratch, write_state(figures, live, cells, starts, scratch))
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
def revive(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
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
def number_state(memo):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Give the live state its number."""
    figures = carray(as_pointer(memo.figures), (FIGURES,), np.int64)
    live = carray(as_pointer(memo.live), (LIVE,), np.int64)
    cells = carray(as_pointer(memo.cells), (RING,), np.int32)
    starts = carray(as_pointer(memo.starts), (RING,), np.int32)
    scratch = carray(as_pointer(memo.scratch), (SCRATCH,), np.int64)
    memo.state = intern(memo, scratch, write_state(figures, live, cells, starts, scratch))
