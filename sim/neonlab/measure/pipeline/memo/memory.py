"""Memoise the states of a pipeline, and the effects of every run that began in one of them.

Keys are compared whole, so the result is exact.  When memory is full, all is forgotten.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray

from neonlab.emulate.native import Integer, Record, as_pointer, compiled
from neonlab.measure.pipeline.memo.saved import read_state, size_of, write_state
from neonlab.measure.pipeline.record import (
    SCRATCH,
    Rows,
    kept_log_of,
    kept_operations_of,
    live_of,
    log_of,
    mixed,
    operations_of,
    tally_of,
    transitions_of,
)

Words = npt.NDArray[np.int64]


@compiled
def _row_of_tally(memo: Record, instruction: Integer, cause: Integer, producer: Integer) -> Any:
    """Return the row that such cycles are added to: the one there is, or one that is unused."""
    tally, room = tally_of(memo), memo.tally_room
    at = np.int64(mixed(np.uint64((instruction * 16 + cause) * 1048576 + producer + 1)) % np.uint64(room))
    while tally[at].cycles != 0 and (
        tally[at].instruction != instruction or tally[at].cause != cause or tally[at].producer != producer
    ):
        at = (at + 1) % room
    return tally[at]


@compiled
def add_up(memo: Record, log: Rows, first: Integer, count: Integer, times: Integer) -> None:
    """Add rows of a log to those of the whole call."""
    for at in range(first, first + count):
        one = log[at]
        instruction, cause, producer = np.int64(one.instruction), np.int64(one.cause), np.int64(one.producer)
        row = _row_of_tally(memo, instruction, cause, producer)
        if row.cycles == 0:
            if memo.tally_used * 2 > memo.tally_room and producer >= 0:  # no room for who it was
                producer = np.int64(-1)
                row = _row_of_tally(memo, instruction, cause, producer)
            if row.cycles == 0:
                memo.tally_used += 1
            row.instruction, row.cause, row.producer = instruction, cause, producer
        row.cycles += one.cycles * times


@compiled
def settle_accounts(memo: Record) -> None:
    """Tally what remembered runs cost, and count them anew."""
    transitions, kept = transitions_of(memo), kept_log_of(memo)
    for number in range(memo.transition_count):
        one = transitions[number]
        if one.times:
            add_up(memo, kept, one.first_log, one.logged, one.times)
            one.times = 0


@compiled
def _is_state(states: Words, numbers: Words, number: Integer, scratch: Words, size: Integer) -> bool:
    """Tell whether the state `number` is the one in `scratch`."""
    start = states[number]
    if states[number + 1] - start != size:
        return False
    same = True
    for at in range(size):
        if numbers[start + at] != scratch[at]:
            same = False
            break
    return same


@compiled
def _intern(memo: Record, scratch: Words, size: Integer) -> Integer:
    """Return the number of a state; -1 when there is no room."""
    room: int = memo.state_room
    number_room: int = memo.number_room
    states = carray(as_pointer(memo.states), (room + 1,), np.int64)
    numbers = carray(as_pointer(memo.numbers), (number_room,), np.int64)
    index = carray(as_pointer(memo.state_index), (2 * room,), np.int32)
    value = np.uint64(size)
    for at in range(size):
        value = (value ^ np.uint64(scratch[at])) * np.uint64(0x100000001B3)
        value ^= value >> np.uint64(29)
    where = np.int64(mixed(value) & np.uint64(2 * room - 1))
    while index[where] > 0:
        number: Integer = np.int64(index[where]) - 1
        if _is_state(states, numbers, number, scratch, size):
            return number
        where = (where + 1) & (2 * room - 1)
    count: int = memo.state_count
    counts_for = size_of(scratch)
    if count == room or memo.size_of_states + counts_for > memo.size_room:
        return -1
    start = states[count]
    for at in range(size):
        numbers[start + at] = scratch[at]
    states[count + 1] = start + size
    index[where] = np.int32(count + 1)
    memo.state_count += 1
    memo.size_of_states += counts_for
    return count


@compiled
def state_of(memo: Record) -> Integer:
    """Return the number of the live state; -1 when there is no room."""
    scratch = carray(as_pointer(memo.scratch), (SCRATCH,), np.int64)
    return _intern(memo, scratch, write_state(memo, scratch))


@compiled
def forget(memo: Record) -> None:
    """Begin to remember anew."""
    settle_accounts(memo)
    room: int = memo.state_room
    carray(as_pointer(memo.state_index), (2 * room,), np.int32)[:] = 0
    transition_room: int = memo.transition_room
    carray(as_pointer(memo.transition_index), (2 * transition_room,), np.int32)[:] = 0
    memo.size_of_states = 0
    memo.state_count = memo.transition_count = memo.kept_operation_count = memo.kept_log_count = 0
    memo.forgotten += 1


@compiled
def _same_operations(memo: Record, first: Integer) -> bool:
    """Tell whether the run's operations are those kept from `first` on."""
    operations, kept = operations_of(memo), kept_operations_of(memo)
    for at in range(memo.operation_count):
        one, other = operations[at], kept[first + at]
        if one.position != other.position or one.kind != other.kind or one.place != other.place:
            return False
    return True


@compiled
def look_up(memo: Record, key: np.uint64, value: np.uint64) -> Integer:
    """Return the transition that is remembered, or else where in the index it goes, less one, below zero."""
    room: int = memo.transition_room
    transitions = transitions_of(memo)
    index = carray(as_pointer(memo.transition_index), (2 * room,), np.int32)
    where = np.int64(value & np.uint64(2 * room - 1))
    while index[where] > 0:
        number: Integer = np.int64(index[where]) - 1
        one = transitions[number]
        if (
            one.run == key
            and one.state == memo.state
            and one.operations == memo.operation_count
            and _same_operations(memo, one.first_operation)
        ):
            return number
        where = (where + 1) & (2 * room - 1)
    missing: Integer = -1 - where
    return missing


@compiled
def keep(memo: Record, where: Integer, key: np.uint64, kept_mask: np.uint64, before: Integer) -> Integer:
    """Keep what was just worked out; return the number of the transition, -1 when there is no room."""
    room: int = memo.transition_room
    live, count = live_of(memo), memo.transition_count
    logged = live.logged
    if (
        2 * count >= room
        or memo.kept_operation_count + memo.operation_count > memo.kept_operation_room
        or memo.kept_log_count + logged > memo.kept_log_room
    ):
        return -1
    following = state_of(memo)
    if following < 0:
        return -1
    one = transitions_of(memo)[count]
    one.run, one.state, one.following, one.kept = key, memo.state, following, kept_mask
    one.cycles, one.times = live.now - before, 0
    one.first_operation, one.operations = memo.kept_operation_count, memo.operation_count
    one.first_log, one.logged = memo.kept_log_count, logged
    operations, kept_operations = operations_of(memo), kept_operations_of(memo)
    for at in range(memo.operation_count):
        kept_operations[memo.kept_operation_count + at] = operations[at]
    log, kept_log = log_of(memo), kept_log_of(memo)
    for at in range(logged):
        kept_log[memo.kept_log_count + at] = log[at]
    memo.kept_operation_count += memo.operation_count
    memo.kept_log_count += logged
    memo.transition_count = count + 1
    carray(as_pointer(memo.transition_index), (2 * room,), np.int32)[where] = np.int32(count + 1)
    added: Integer = count
    return added


@compiled
def revive(memo: Record) -> None:
    """Make the live state that of the state at hand."""
    if memo.live_is_current:
        return
    room: int = memo.state_room
    number_room: int = memo.number_room
    states = carray(as_pointer(memo.states), (room + 1,), np.int64)
    numbers = carray(as_pointer(memo.numbers), (number_room,), np.int64)
    read_state(memo, numbers[states[memo.state] : states[memo.state + 1]], memo.clock)
    memo.live_is_current = 1
