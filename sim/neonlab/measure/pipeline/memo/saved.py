"""Save the state of a pipeline relative to its own time, and restore it at another time.

What lies before the engine's own time (`now` of LIVE) has no influence on what comes after it; so the past is left out,
and states that differ only in it are the same.  How a field of LIVE is saved follows from where it is declared: cycles
less `now`, cycles ahead of `now`, numbers as they are, and of each part the rows whose first cycle lies ahead.  Rings
begin with their oldest row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray

from neonlab.emulate.native import Integer, Record, as_pointer, compiled
from neonlab.measure.pipeline.record import Rows, core_of, cycles_of, live_of
from neonlab.measure.pipeline.state import (
    FIRST_AHEAD,
    FIRST_AS_IS,
    FIRST_PART,
    FIRST_RELATIVE,
    REGISTERS,
    RING,
    SECOND_PLACE,
    STORES_BACK,
    WORDS,
    words_of,
)

Words = npt.NDArray[np.int64]
_REGISTERS, _LINES, _STORES, _UNITS = (words_of(name) for name in ("registers", "lines", "stores", "units"))
_QUEUE, _MISS, _STORED, _FETCHED = (words_of(name) for name in ("queue", "miss", "stored", "fetched"))
_WINDOW = words_of("window")[0]
# Of the parts in the order in which they are written: words of a row, and what a row counts for in `size_of`.
_WORDS = (
    *(1 + length for _, length in (_REGISTERS, _LINES, _STORES, _UNITS, _QUEUE, _MISS, _STORED, _FETCHED)), 2, 3,
)  # fmt: skip
_COUNTS_FOR = (5, 1, 1, 1, 4, 3, 1, 1, 2, 3)
_ALWAYS_COUNTS_FOR = 19
#: No state has more words than so many times what it counts for.
WORDS_BY_SIZE = 2


@compiled
def _words_of_live(memo: Record) -> Words:
    return carray(as_pointer(memo.live), (WORDS,), np.int64)


@compiled
def write_state(memo: Record, into: Words) -> Integer:
    """Write the state down from `into[0]` on; return how many words that takes."""
    core, live, words = core_of(memo), live_of(memo), _words_of_live(memo)
    now: Integer = live.now
    used: Integer = 0
    for word in range(FIRST_RELATIVE, FIRST_PART):
        value = words[word]
        if word < FIRST_AS_IS:
            value -= now
            if word >= FIRST_AHEAD:
                value = max(value, 0)
        into[used] = value
        used += 1
    in_order = core.window == 0
    used = _write_rows(words, _REGISTERS, 0, REGISTERS, now, into, used)
    used = _write_rows(words, _LINES, 0, live.fills, now, into, used)
    used = _write_rows(words, _STORES, 0, live.storing, now, into, used)
    used = _write_rows(words, _UNITS, 0, core.ports if in_order else 0, now, into, used)
    used = _write_rows(words, _QUEUE, live.queue_next, core.queue, now, into, used)
    used = _write_rows(words, _MISS, 0, 1, now, into, used)
    used = _write_rows(words, _STORED, live.stored_next, 0 if in_order else STORES_BACK, now, into, used)
    # what left the queue behind fetch before the fetch unit's time holds up nothing
    used = _write_rows(words, _FETCHED, live.fetched_next, core.fetch_queue, live.fetch_at, into, used)
    used = _write_window(words, live.window_next, core.window, now, into, used)
    return _write_cycles(cycles_of(memo), now, live.top, into, used)


@compiled
def size_of(written: Words) -> Integer:
    """Return what a state that `write_state` wrote counts for, where there is a limit to what is remembered.

    A loop that never comes to a state again is given up at that limit, and its figures depend on when that is.  So the
    measure is kept apart from the words that a state takes: a field more in a row changes no figure.
    """
    size: Integer = _ALWAYS_COUNTS_FOR
    used: Integer = FIRST_PART - FIRST_RELATIVE
    for part in range(len(_WORDS)):
        size += _COUNTS_FOR[part] * written[used]
        used += 1 + _WORDS[part] * written[used]
    return size


@compiled
def _write_rows(
    words: Words, part: tuple[int, int], oldest: Integer, rows: Integer, now: Integer, into: Words, used: Integer
) -> Integer:
    """Write the rows that matter after `now`: how many; of each its place from the oldest, cycle less `now`, rest."""
    begin, length = part
    place_of_count, count = used, 0
    used += 1
    for place in range(rows):
        row = oldest + place if oldest + place < rows else oldest + place - rows
        first = begin + row * length
        if words[first] > now:
            into[used], into[used + 1] = place, words[first] - now
            for more in range(1, length):
                into[used + 1 + more] = words[first + more]
            used += 1 + length
            count += 1
    into[place_of_count] = count
    return used


@compiled
def _write_window(words: Words, oldest: Integer, places: Integer, now: Integer, into: Words, used: Integer) -> Integer:
    """Write how many cycles after `now` places of the window are left in; of each, less `now`, how many places."""
    place_of_count, count, last = used, 0, now
    used += 1
    for place in range(places):
        left = words[_WINDOW + (oldest + place if oldest + place < places else oldest + place - places)]
        if left > last:
            into[used], into[used + 1] = left - now, 1
            used += 2
            count += 1
            last = left
        elif left == last and count:
            into[used - 1] += 1
    into[place_of_count] = count
    return used


@compiled
def _write_cycles(cycles: Rows, now: Integer, top: Integer, into: Words, used: Integer) -> Integer:
    """Write how many cycles from `now` on ports are spoken for in; of each, less `now`, which ports, which begin."""
    place_of_count, count = used, 0
    used += 1
    for number in range(now, top + 1):
        cycle = cycles[number % RING]
        if cycle.busy | cycle.begun:
            into[used], into[used + 1], into[used + 2] = number - now, cycle.busy, cycle.begun
            used += 3
            count += 1
    into[place_of_count] = count
    return used


@compiled
def read_state(memo: Record, what: Words, now: Integer) -> None:
    """Put the state in `what`, as `write_state` made it, at the time `now`."""
    core, live, words, cycles = core_of(memo), live_of(memo), _words_of_live(memo), cycles_of(memo)
    for number in range(live.cleared, live.top + 1):
        cycles[number % RING].busy, cycles[number % RING].begun = 0, 0
    words[:] = 0
    live.now = now
    used: Integer = 0
    for word in range(FIRST_RELATIVE, FIRST_PART):
        words[word] = what[used] + (now if word < FIRST_AS_IS else 0)
        used += 1
    used = _read_rows(words, _REGISTERS, what, now, used)
    used = _read_rows(words, _LINES, what, now, used)
    used = _read_rows(words, _STORES, what, now, used)
    used = _read_rows(words, _UNITS, what, now, used)
    used = _read_rows(words, _QUEUE, what, now, used)
    used = _read_rows(words, _MISS, what, now, used)
    used = _read_rows(words, _STORED, what, now, used)
    used = _read_rows(words, _FETCHED, what, live.fetch_at, used)
    used = _read_window(core, live, what, now, used)
    _read_cycles(core, live, cycles, what, now, used)


@compiled
def _read_rows(words: Words, part: tuple[int, int], what: Words, now: Integer, used: Integer) -> Integer:
    begin, length = part
    count = what[used]
    used += 1
    for _ in range(count):
        first = begin + what[used] * length
        words[first] = now + what[used + 1]
        for more in range(1, length):
            words[first + more] = what[used + 1 + more]
        used += 1 + length
    return used


@compiled
def _read_window(core: Record, live: Record, what: Words, now: Integer, used: Integer) -> Integer:
    count = what[used]
    used += 1
    for _ in range(count):
        for _ in range(what[used + 1]):
            live.window[live.window_next].left = now + what[used]
            live.window_next = live.window_next + 1 if live.window_next + 1 < core.window else 0
        used += 2
    return used


@compiled
def _read_cycles(core: Record, live: Record, cycles: Rows, what: Words, now: Integer, used: Integer) -> None:
    live.cleared, live.top = now, now - 1
    count = what[used]
    used += 1
    for _ in range(count):
        number, busy, begun = now + what[used], what[used + 1], what[used + 2]
        cycles[number % RING].busy, cycles[number % RING].begun = busy, begun
        for port in range(core.ports):
            live.ports[port].ahead += busy >> port & 1
            live.ports[port].waiting += (begun >> port & 1) + (begun >> port + SECOND_PLACE & 1)
            live.pending += begun >> port & 1
        live.top = number
        used += 3
