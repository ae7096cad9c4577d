"""Model a core's caches, compiled: two first-level caches over a second level, write-back, write-allocate.

Caches are looked up by the guest's own addresses.  The model has no limit on outstanding misses, no time, no write
streaming and no back-invalidation: what one level evicts stays in the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.np.numpy_support import carray

from neonlab.emulate.native import Integer, Pointer, Record, as_pointer, compiled, native
from neonlab.measure.caches.fill_journal import FETCHED, FILL, JOURNAL, LOADED, PREFETCHED
from neonlab.measure.caches.fill_journal import STORED as STORED_LINE
from neonlab.measure.traffic.address_feed import CONSUMER, EVENT, RUN

LRU, RANDOM, PLRU = range(3)
DIRTY, HARDWARE, SOFTWARE = 1, 2, 4  # flags of a line; the last two: prefetched, and not asked for since
LOADS, STORES, PREFETCHES = range(3)

CACHE = np.dtype(
    [
        ("line_shift", np.uint64),
        ("set_mask", np.uint64),
        ("ways", np.int64),
        ("policy", np.int64),
        ("lines", np.int64),
        ("clock", np.uint64),  # last stamp given, or the state of the random sequence
        ("tags", np.uint64),  # uint64 for each line: its number + 1, 0 for none; sets of `ways` lines side by side
        ("stamps", np.uint64),  # uint64 for each line: when it was used last; of a set's first: the bits of its tree
        ("flags", np.uint64),  # uint8 for each line
    ]
)
SITE = np.dtype(
    [
        ("kind", np.int32),  # LOADS, STORES, PREFETCHES
        ("size", np.int32),
        ("level", np.int32),  # that a prefetch goes to; 0 for none modelled
        ("confidence", np.int32),
        ("last", np.int64),  # line accessed last, -1 for none, and the step that led to it
        ("step", np.int64),
        ("accesses", np.int64),  # L1D_CACHE, L1D_CACHE_REFILL, L2D_CACHE_REFILL of this site
        ("refills", np.int64),
        ("l2_refills", np.int64),
    ]
)
STATE = np.dtype(
    [
        ("l1d", CACHE),
        ("l1i", CACHE),
        ("l2", CACHE),
        ("sites", np.uint64),
        ("site_count", np.int64),
        ("places", np.uint64),  # int64[place_count, 3] as the last fields of a site
        ("place_count", np.int64),
        ("takes_evictions", np.int64),
        ("prefetch_level", np.int64),  # 0 for no prefetcher
        ("prefetch_confidence", np.int64),
        ("prefetch_depth", np.int64),
        ("l1i_accesses", np.int64),
        ("l1i_refills", np.int64),
        ("l1d_writebacks", np.int64),
        ("l2_accesses", np.int64),
        ("l2_refills", np.int64),
        ("l2_writebacks", np.int64),
        ("hardware_fills", np.int64),
        ("hardware_useful", np.int64),
        ("software_fills", np.int64),
        ("software_useful", np.int64),
        ("journal", np.uint64),  # a JOURNAL to be kept, 0 for none
    ]
)


@compiled
def _write_down(state: Record, address: np.uint64, kind: int, beyond: bool) -> None:
    """Tell of a line that came from the second level, or from beyond it."""
    if state.journal:
        journal = carray(as_pointer(state.journal), (1,), JOURNAL)[0]
        if journal.fill_count < journal.fill_room:
            room: Any = journal.fill_room
            fill = carray(as_pointer(journal.fills), (room,), FILL)[journal.fill_count]
            fill.line = address >> state.l1d.line_shift
            fill.event = np.int32(journal.event)
            fill.kind = np.int32(kind + 1 if beyond else kind)
            journal.fill_count += 1


@compiled
def _find(cache: Record, line: np.uint64, use: bool) -> int:
    """Return the index of `line`, or -1; `use` makes it the line used last."""
    lines: Any = cache.lines
    tags = carray(as_pointer(cache.tags), (lines,), np.uint64)
    first = np.int64(line & cache.set_mask) * cache.ways
    tag = line + np.uint64(1)
    for way in range(cache.ways):
        if tags[first + way] == tag:
            if use:
                _use(cache, first, way)
            found: int = first + way
            return found
    return -1


@compiled
def _use(cache: Record, first: Integer, way: Integer) -> None:
    lines: Any = cache.lines
    if cache.policy == LRU:
        stamps = carray(as_pointer(cache.stamps), (lines,), np.uint64)
        cache.clock += np.uint64(1)
        stamps[first + way] = cache.clock
    elif cache.policy == PLRU:  # each node of the tree points away from the half used last
        stamps = carray(as_pointer(cache.stamps), (lines,), np.uint64)
        bits, node, half = stamps[first], 1, cache.ways >> 1
        while half:
            bit = np.uint64(1) << np.uint64(node)
            right = way & half
            bits = bits & ~bit if right else bits | bit
            node = 2 * node + (1 if right else 0)
            half >>= 1
        stamps[first] = bits


@compiled
def _victim(cache: Record, first: Integer) -> Integer:
    """Choose the way to fill: an empty one, else by the policy."""
    lines: Any = cache.lines
    tags = carray(as_pointer(cache.tags), (lines,), np.uint64)
    for way in range(cache.ways):
        if tags[first + way] == 0:
            return way
    stamps = carray(as_pointer(cache.stamps), (lines,), np.uint64)
    if cache.policy == RANDOM:
        x = cache.clock  # xorshift64 (Marsaglia 2003)
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        cache.clock = x
        return np.int64((x >> np.uint64(33)) % np.uint64(cache.ways))
    if cache.policy == PLRU:
        bits, node, half = stamps[first], 1, cache.ways >> 1
        position: int = 0
        while half:
            right = bits >> np.uint64(node) & np.uint64(1)
            if right:
                position += half
            node = 2 * node + (1 if right else 0)
            half >>= 1
        return position
    oldest: int = 0
    for way in range(1, cache.ways):
        if stamps[first + way] < stamps[first + oldest]:
            oldest = way
    return oldest


@compiled
def _insert(cache: Record, line: np.uint64, flags: np.uint8) -> tuple[np.uint64, np.uint8]:
    """Put `line` in; the line that had to go + 1, or 0, and its flags."""
    lines: Any = cache.lines
    tags = carray(as_pointer(cache.tags), (lines,), np.uint64)
    marks = carray(as_pointer(cache.flags), (lines,), np.uint8)
    first = np.int64(line & cache.set_mask) * cache.ways
    way = _victim(cache, first)
    index = first + way
    gone, mark = tags[index], marks[index]
    tags[index] = line + np.uint64(1)
    marks[index] = flags
    _use(cache, first, way)
    return gone, mark


@compiled
def _asked_for(state: Record, cache: Record, index: int) -> None:
    """Count a prefetch of the line as useful, since the line is used."""
    lines: Any = cache.lines
    marks = carray(as_pointer(cache.flags), (lines,), np.uint8)
    mark = marks[index]
    if mark & np.uint8(HARDWARE | SOFTWARE):
        if mark & np.uint8(HARDWARE):
            state.hardware_useful += 1
        else:
            state.software_useful += 1
        marks[index] = mark & np.uint8(DIRTY)


@compiled
def _into_l2(state: Record, address: np.uint64, flags: np.uint8) -> None:
    """Allocate in the second level."""
    gone, mark = _insert(state.l2, address >> state.l2.line_shift, flags)
    if gone and mark & np.uint8(DIRTY):
        state.l2_writebacks += 1


@compiled
def _evicted(state: Record, gone: np.uint64, mark: np.uint8) -> None:
    """Write a line that the first-level data cache evicted to the second level."""
    dirty = mark & np.uint8(DIRTY)
    if not gone or not (dirty or state.takes_evictions):
        return
    address = (gone - np.uint64(1)) << state.l1d.line_shift
    if dirty:
        state.l1d_writebacks += 1
    state.l2_accesses += 1
    index = _find(state.l2, address >> state.l2.line_shift, False)  # giving up is no use
    if index < 0:
        _into_l2(state, address, dirty)  # whole lines need nothing from memory
    elif dirty:
        lines: Any = state.l2.lines
        carray(as_pointer(state.l2.flags), (lines,), np.uint8)[index] |= np.uint8(DIRTY)


@compiled
def _from_l2(state: Record, address: np.uint64, data: bool, asked: bool) -> bool:
    """Read a line through the second level; whether it had to come from beyond."""
    state.l2_accesses += 1
    index = _find(state.l2, address >> state.l2.line_shift, True)
    if index >= 0:
        if asked:
            _asked_for(state, state.l2, index)
        return False
    if not (data and state.takes_evictions):
        _into_l2(state, address, np.uint8(0))
    return True


@compiled
def _prefetch(state: Record, address: np.uint64, level: int, flag: int) -> None:
    """Fetch a line into the level asked for, unless it is there."""
    l1_line, l2_line = address >> state.l1d.line_shift, address >> state.l2.line_shift
    if level == 1:
        if _find(state.l1d, l1_line, False) >= 0:
            return
        beyond = _from_l2(state, address, True, False)
        gone, mark = _insert(state.l1d, l1_line, np.uint8(flag))
        _evicted(state, gone, mark)
    else:
        if _find(state.l2, l2_line, False) >= 0:
            return
        state.l2_accesses += 1
        _into_l2(state, address, np.uint8(flag))
        beyond = True
    _write_down(state, address, PREFETCHED, beyond)
    if flag == HARDWARE:
        state.hardware_fills += 1
    else:
        state.software_fills += 1


@compiled
def _look_ahead(state: Record, site: Record, line: np.uint64) -> None:
    """Tell the stride prefetcher of a new line that an instruction accesses; it stays within a page of 4 KiB."""
    before = site.last
    site.last = np.int64(line)
    if before < 0:
        return
    step = np.int64(line) - before
    if step == site.step:
        site.confidence += 1
    else:
        site.step = step
        site.confidence = 1
    if site.confidence < state.prefetch_confidence:
        return
    shift = state.l1d.line_shift
    page = np.int64(line) >> (np.int64(12) - np.int64(shift))
    ahead = np.int64(line)
    for _ in range(state.prefetch_depth):
        ahead += step
        if ahead >> (np.int64(12) - np.int64(shift)) != page:
            return
        _prefetch(state, np.uint64(ahead) << shift, state.prefetch_level, HARDWARE)


@compiled
def _fetch(state: Record, address: np.uint64, size: int) -> None:
    """Instructions through the first-level instruction cache."""
    shift = state.l1i.line_shift
    line, last = address >> shift, (address + np.uint64(size - 1)) >> shift
    while line <= last:
        state.l1i_accesses += 1
        if _find(state.l1i, line, True) < 0:
            state.l1i_refills += 1
            beyond = _from_l2(state, line << shift, False, True)
            if beyond:
                state.l2_refills += 1
            _write_down(state, line << shift, FETCHED, beyond)
            _insert(state.l1i, line, np.uint8(0))
        line += np.uint64(1)


@native(CONSUMER)
def cache_events(user: Pointer, given: Pointer, number: int) -> None:
    """Run events through the caches; `state` is a STATE."""
    state = carray(user, 1, STATE)[0]
    events = carray(given, (number,), EVENT)
    site_count: Any = state.site_count
    sites = carray(as_pointer(state.sites), (site_count,), SITE)
    place_count: Any = state.place_count
    places = carray(as_pointer(state.places), (place_count, 3), np.int64)
    lines: Any = state.l1d.lines
    marks = carray(as_pointer(state.l1d.flags), (lines,), np.uint8)
    shift = state.l1d.line_shift
    if state.journal:
        journal = carray(as_pointer(state.journal), (1,), JOURNAL)[0]
        journal.run_count = journal.fill_count = 0
    for e in range(number):
        event = events[e]
        if state.journal:
            journal = carray(as_pointer(state.journal), (1,), JOURNAL)[0]
            journal.event = e
            if event.site == RUN:
                run_room: Any = journal.run_count + 1
                carray(as_pointer(journal.runs), (run_room,), np.int32)[journal.run_count] = np.int32(e)
                journal.run_count += 1
        if event.site == RUN:
            _fetch(state, event.address, event.place)
            continue
        site = sites[event.site]
        if site.kind == PREFETCHES:
            if site.level:
                _prefetch(state, event.address, site.level, SOFTWARE)
            continue
        place = event.place
        line = event.address >> shift
        last = (event.address + np.uint64(site.size - 1)) >> shift
        while line <= last:
            site.accesses += 1
            places[place, 0] += 1
            index = _find(state.l1d, line, True)
            if index >= 0:
                _asked_for(state, state.l1d, index)
                if site.kind == STORES:
                    marks[index] |= np.uint8(DIRTY)
            else:
                site.refills += 1
                places[place, 1] += 1
                beyond = _from_l2(state, line << shift, True, True)
                _write_down(state, line << shift, STORED_LINE if site.kind == STORES else LOADED, beyond)
                if beyond:
                    site.l2_refills += 1
                    places[place, 2] += 1
                    state.l2_refills += 1
                gone, mark = _insert(state.l1d, line, np.uint8(DIRTY if site.kind == STORES else 0))
                _evicted(state, gone, mark)
            if state.prefetch_level and np.int64(line) != site.last:
                _look_ahead(state, site, line)
            line += np.uint64(1)
