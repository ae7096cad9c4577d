"""The state of a pipeline written down relative to its own time, to be remembered, and taken up again at another.

What lies before the engine's own time (`NOW` in order, the front end's otherwise) has no influence on what comes after
it; so the past is left out.
"""

from __future__ import annotations

from numba import njit

from neonlab.measure.pipeline.state import (
    AHEAD,
    ARRIVALS,
    BEHIND_MISS,
    BUFFERED,
    BUSES,
    CLEARED,
    COUNTED,
    DISPATCHED,
    DISPATCHES,
    ENTERED,
    FETCH_AT,
    FETCH_CAUSE,
    FETCH_ONE,
    FETCH_QUEUE,
    FETCHING,
    FILLS,
    FREE,
    FRONT_CAUSE,
    LAST_TAKEN,
    LEAVES,
    MISS_COUNT,
    MISS_ONE,
    MISS_UNTIL,
    NEON_BLAME,
    NEON_CAUSE,
    NEON_LAST,
    NEON_ONE,
    NOW,
    PASS_PART_GENERAL,
    PASS_PART_VECTOR,
    PASSING,
    PENDING,
    PORTS,
    QUEUE,
    QUEUED,
    QUEUES,
    READY,
    READY_FAMILY,
    READY_PART,
    REASON,
    REGISTERS,
    RETIRE_USED,
    RETIRED,
    RING,
    STORED_AT,
    STORES_BACK,
    STORES_DONE,
    STORING,
    TAKEN,
    TOP,
    USED,
    USED_VECTORS,
    WAITING,
    WAITING_BLAME,
    WAITING_CAUSE,
    WAITING_ONE,
    WINDOW,
    WRITER,
)

_OVER = -(1 << 20)  # of a store whose time no longer matters


@njit
def write_state(figures, live, cells, starts, into):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """The state relative to its own time; how many numbers that takes."""
    now = live[NOW]
    into[0], into[1] = live[USED] | live[USED_VECTORS] << 8, max(live[BUSES] - now, 0)
    into[2] = max(live[BUSES + 1] - now, 0)
    used = 4
    count = 0
    for register in range(REGISTERS):
        if live[READY + register] > now:
            into[used], into[used + 1] = live[READY + register] - now, register
            into[used + 2], into[used + 3] = live[READY_FAMILY + register], live[WRITER + register]
            into[used + 4] = live[REASON + register] | live[READY_PART + register] << 8
            used += 5
            count += 1
    into[3] = count
    into[used] = live[FILLS]
    used += 1
    for number in range(live[FILLS]):
        into[used] = live[ARRIVALS + number] - now
        used += 1
    place, count = used, 0
    used += 1
    for number in range(live[STORING]):
        if live[BUFFERED + number] > now:
            into[used] = live[BUFFERED + number] - now
            used += 1
            count += 1
    into[place] = count
    if figures[WINDOW] == 0:
        return _write_in_order(figures, live, into, used)
    return _write_window(figures, live, cells, starts, into, used)


@njit
def _write_in_order(figures, live, into, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    now = live[NOW]
    for port in range(figures[PORTS]):
        into[used] = max(live[FREE + port] - now, 0)
        used += 1
    if figures[QUEUE] > 0:
        place, count = used, 0
        used += 1
        for number in range(figures[QUEUE]):
            at = (live[QUEUED] + number) % figures[QUEUE]
            if live[WAITING + at] > now:
                into[used], into[used + 1] = live[WAITING + at] - now, live[WAITING_ONE + at]
                into[used + 2], into[used + 3] = live[WAITING_CAUSE + at], live[WAITING_BLAME + at]
                used += 4
                count += 1
        into[place] = count
    if figures[BEHIND_MISS] > 0:
        into[used] = max(live[MISS_UNTIL] - now, 0)
        into[used + 1] = live[MISS_ONE] if live[MISS_UNTIL] > now else 0
        into[used + 2] = live[MISS_COUNT] if live[MISS_UNTIL] > now else 0
        used += 3
    return _write_fetch(figures, live, into, used)


@njit
def _write_window(figures, live, cells, starts, into, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    now = live[NOW]
    into[used], into[used + 1], into[used + 2] = live[RETIRED] - now, live[RETIRE_USED], live[FRONT_CAUSE]
    into[used + 3] = live[COUNTED]
    last = -1
    if live[PASSING]:
        last = 0
        longest = max(figures[PASS_PART_GENERAL], figures[PASS_PART_VECTOR])
        for back in range(1, STORES_BACK + 1):
            when = live[STORED_AT + (live[STORES_DONE] - back) % STORES_BACK]
            into[used + 4 + back] = when - now if when > 0 and when + longest > now else _OVER
            if into[used + 4 + back] > _OVER:
                last = back
    into[used + 4] = last
    used += 5 + max(last, 0)
    place, count = used, 0
    used += 1
    for cycle in range(now, live[TOP] + 1):
        if cells[cycle % RING]:
            into[used], into[used + 1], into[used + 2] = cycle - now, cells[cycle % RING], starts[cycle % RING]
            used += 3
            count += 1
    into[place] = count
    place, count = used, 0
    used += 1
    last = now
    for number in range(figures[WINDOW]):
        leaving = live[LEAVES + (live[ENTERED] + number) % figures[WINDOW]]
        if leaving > last:  # they leave in order; so many at one time
            into[used], into[used + 1] = leaving - now, 1
            used += 2
            count += 1
            last = leaving
        elif leaving == last and count:
            into[used - 1] += 1
    into[place] = count
    return _write_fetch(figures, live, into, used)


@njit
def _write_fetch(figures, live, into, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    now = live[NOW]
    into[used], into[used + 1], into[used + 2] = live[FETCH_AT] - now, live[FETCHING], live[FETCH_CAUSE]
    into[used + 3] = live[LAST_TAKEN]
    into[used + 4] = live[FETCH_ONE] if live[FETCH_CAUSE] == TAKEN else 0
    place, count = used + 5, 0
    used += 6
    for number in range(figures[FETCH_QUEUE]):  # what left before the fetch unit's time holds up nothing
        left = live[DISPATCHED + (live[DISPATCHES] + number) % figures[FETCH_QUEUE]]
        if left > live[FETCH_AT]:
            into[used] = left - now
            used += 1
            count += 1
    into[place] = count
    return used


@njit
def read_state(figures, live, cells, starts, what, now):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Put the state in `what`, as `write_state` made it, at the time `now`."""
    for cycle in range(live[CLEARED], live[TOP] + 1):
        cells[cycle % RING] = 0
        starts[cycle % RING] = 0
    live[:] = 0
    live[NOW], live[USED], live[USED_VECTORS] = now, what[0] & 255, what[0] >> 8
    live[BUSES], live[BUSES + 1] = now + what[1], now + what[2]
    used = 4
    for _ in range(what[3]):
        register = what[used + 1]
        live[READY + register] = now + what[used]
        live[READY_FAMILY + register], live[WRITER + register] = what[used + 2], what[used + 3]
        live[REASON + register], live[READY_PART + register] = what[used + 4] & 255, what[used + 4] >> 8
        used += 5
    live[FILLS] = what[used]
    used += 1
    for number in range(live[FILLS]):
        live[ARRIVALS + number] = now + what[used]
        used += 1
    live[STORING] = what[used]
    used += 1
    for number in range(live[STORING]):
        live[BUFFERED + number] = now + what[used]
        used += 1
    if figures[WINDOW] == 0:
        _read_in_order(figures, live, what, now, used)
    else:
        _read_window(figures, live, cells, starts, what, now, used)


@njit
def _read_in_order(figures, live, what, now, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for port in range(figures[PORTS]):
        live[FREE + port] = now + what[used]
        used += 1
    live[NEON_LAST] = now
    if figures[QUEUE] > 0:
        count = what[used]
        used += 1
        for number in range(count):
            live[WAITING + number], live[WAITING_ONE + number] = now + what[used], what[used + 1]
            live[WAITING_CAUSE + number], live[WAITING_BLAME + number] = what[used + 2], what[used + 3]
            used += 4
        live[QUEUED] = count
        if count > 0:  # the last to enter is the last to begin
            live[NEON_LAST], live[NEON_ONE] = live[WAITING + count - 1], live[WAITING_ONE + count - 1]
            live[NEON_CAUSE], live[NEON_BLAME] = live[WAITING_CAUSE + count - 1], live[WAITING_BLAME + count - 1]
    if figures[BEHIND_MISS] > 0:
        live[MISS_UNTIL], live[MISS_ONE], live[MISS_COUNT] = now + what[used], what[used + 1], what[used + 2]
        used += 3
    _read_fetch(figures, live, what, now, used)


@njit
def _read_window(figures, live, cells, starts, what, now, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    live[RETIRED], live[RETIRE_USED], live[FRONT_CAUSE] = now + what[used], what[used + 1], what[used + 2]
    live[COUNTED] = what[used + 3]
    live[PASSING] = what[used + 4] >= 0
    used += 5
    for back in range(1, what[used - 1] + 1):
        live[STORED_AT + -back % STORES_BACK] = now + what[used] if what[used] > _OVER else 0
        used += 1
    live[CLEARED], live[TOP] = now, now - 1
    count = what[used]
    used += 1
    for _ in range(count):
        cycle, mask = now + what[used], what[used + 1]
        cells[cycle % RING], starts[cycle % RING] = mask, what[used + 2]
        for port in range(figures[PORTS]):
            live[AHEAD + port] += mask >> port & 1
            live[QUEUES + port] += what[used + 2] >> port & 1
            live[PENDING] += what[used + 2] >> port & 1
        live[TOP] = cycle
        used += 3
    count = what[used]
    used += 1
    for _ in range(count):
        for _ in range(what[used + 1]):
            live[LEAVES + live[ENTERED] % figures[WINDOW]] = now + what[used]
            live[ENTERED] += 1
        used += 2
    _read_fetch(figures, live, what, now, used)


@njit
def _read_fetch(figures, live, what, now, used):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    live[FETCH_AT], live[FETCHING], live[FETCH_CAUSE] = now + what[used], what[used + 1], what[used + 2]
    live[LAST_TAKEN], live[FETCH_ONE] = what[used + 3], what[used + 4]
    count = what[used + 5]
    used += 6
    for number in range(figures[FETCH_QUEUE]):
        live[DISPATCHED + number] = live[FETCH_AT]
    for number in range(count):
        live[DISPATCHED + number] = now + what[used + number]
    live[DISPATCHES] = count
