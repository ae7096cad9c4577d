"""Count where accesses go: the compiled consumer behind `neonlab.measure.memory_probe`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray

from neonlab.assemble.program import Program
from neonlab.emulate.guest.address_space import PAGE, STACK_TOP
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import Pointer, as_pointer, native
from neonlab.isa.model.instruction import AccessKind
from neonlab.measure.traffic.address_feed import CONSUMER, EVENT
from neonlab.measure.traffic.block_addresses import Plan
from neonlab.measure.traffic.natural_alignment import natural_alignment

LINE = 64
LOAD, STORE, PREFETCH = range(3)
_KINDS = {AccessKind.LOAD: LOAD, AccessKind.STORE: STORE, AccessKind.PREFETCH: PREFETCH}
# As much of the stack as is watched line by line; more than any machine of the lab has.
_STACK_BYTES = 1 << 20
_PENDING, _TOUCHED = 1, 2

SITE = np.dtype([("kind", np.int32), ("size", np.int32), ("place", np.int32), ("misaligned", np.uint32)])
PLACE = np.dtype(
    [
        ("start", np.uint64),
        ("end", np.uint64),
        ("first_line", np.int64),  # index of its first line among all
        ("accesses", np.int64, 2),  # loads, stores
        ("bytes", np.int64, 2),
        ("split", np.int64),
        ("unaligned", np.int64),
        ("prefetches", np.int64),
        ("useful", np.int64),
        ("redundant", np.int64),
    ]
)
STATE = np.dtype(
    [
        ("sites", np.uint64),
        ("site_count", np.int64),
        ("places", np.uint64),
        ("place_count", np.int64),
        ("masks", np.uint64),  # uint64 for each line: which of its bytes were loaded or stored
        ("marks", np.uint64),  # uint8 for each line: _PENDING between a prefetch and the first access
        ("line_count", np.int64),
    ]
)


@native(CONSUMER)
def _count(user: Pointer, given: Pointer, number: int) -> None:
    state = carray(user, 1, STATE)[0]
    events = carray(given, (number,), EVENT)
    site_count: Any = state.site_count
    sites = carray(as_pointer(state.sites), (site_count,), SITE)
    place_count: Any = state.place_count
    places = carray(as_pointer(state.places), (place_count,), PLACE)
    line_count: Any = state.line_count
    masks = carray(as_pointer(state.masks), (line_count,), np.uint64)
    marks = carray(as_pointer(state.marks), (line_count,), np.uint8)
    for e in range(number):
        event = events[e]
        if event.site < 0:
            continue
        address = event.address
        site = sites[event.site]
        where = site.place
        if address - places[where].start >= places[where].end - places[where].start:
            where = 0
            for candidate in range(1, place_count):
                if places[candidate].start <= address and address < places[candidate].end:
                    where = candidate
                    break
            site.place = where
        event.place = where
        place = places[where]
        line = place.first_line + np.int64((address >> np.uint64(6)) - (place.start >> np.uint64(6)))
        if site.kind == PREFETCH:
            place.prefetches += 1
            if where:
                if masks[line] or marks[line]:
                    place.redundant += 1
                else:
                    marks[line] = _PENDING
            continue
        place.accesses[site.kind] += 1
        place.bytes[site.kind] += site.size
        if address & np.uint64(site.misaligned):
            place.unaligned += 1
        offset: Any = np.int64(address & np.uint64(63))
        end: Any = offset + np.int64(site.size)
        if end > 64:
            place.split += 1
        if not where:
            continue
        while end > 0:
            ones = np.uint64(0xFFFFFFFFFFFFFFFF)
            mask = ones << np.uint64(offset)
            if end < 64:
                mask &= ~(ones << np.uint64(end))
            if masks[line] == 0 and marks[line] == _PENDING:
                marks[line] = _TOUCHED
                place.useful += 1
            masks[line] |= mask
            line += 1
            end -= 64
            offset = np.int64(0)


@dataclass(frozen=True, slots=True)
class AccessPlace:
    """Named memory; `kind` is "buffer", "stack", "program" or, for addresses in none of them, "elsewhere"."""

    name: str
    kind: str


class TrafficCounter:
    """The consumer.  Places of one name are counted apart; each event's `place` is set to the number of its place."""

    function = _count

    def __init__(self, program: Program, plan: Plan) -> None:
        self._program = program
        self._sites = np.zeros(max(1, len(plan.sites)), SITE)
        for number, site in enumerate(plan.sites):
            alignment = natural_alignment(site.instruction, site.access)
            self._sites[number] = (_KINDS[site.kind], site.size, 0, alignment - 1)
        self.state: npt.NDArray[Any] = np.zeros(1, STATE)
        self.begin(())

    def begin(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Reset the counts, and set the places of a call with `buffers`, whose margins belong to them."""
        extents = [(AccessPlace("elsewhere", "elsewhere"), 0, 0)]
        for item in buffers:
            first, end = item.address - item.buffer.readable_before, item.end + item.buffer.readable_after
            extents.append((AccessPlace(item.buffer.name, "buffer"), first, end))
        extents.append((AccessPlace("stack", "stack"), STACK_TOP - _STACK_BYTES, STACK_TOP))
        for segment in self._program.segments:
            name = "data" if segment.writable else "constants"
            extents.append((AccessPlace(name, "program"), segment.address, segment.end))
        self.places = tuple(place for place, _, _ in extents)
        self.table = np.zeros(len(extents), PLACE)
        lines = 0
        for row, (place, first, end) in zip(self.table, extents, strict=True):
            if place.kind != "elsewhere":
                row["start"], row["end"] = first // PAGE * PAGE, -(-end // PAGE) * PAGE
            row["first_line"] = lines
            lines += int(row["end"] - row["start"]) // LINE + 4  # an access may reach behind the last page
        self._masks, self._marks = np.zeros(lines, np.uint64), np.zeros(lines, np.uint8)
        self._sites["place"] = 0
        self.state["sites"], self.state["site_count"] = self._sites.ctypes.data, self._sites.size
        self.state["places"], self.state["place_count"] = self.table.ctypes.data, self.table.size
        self.state["masks"], self.state["marks"] = self._masks.ctypes.data, self._marks.ctypes.data
        self.state["line_count"] = lines

    def footprint(self, place: int) -> tuple[int, int, int]:
        """Return the distinct bytes and lines loaded or stored in place `place`, and lines only prefetched."""
        first = int(self.table["first_line"][place])
        end = int(self.table["first_line"][place + 1]) if place + 1 < self.table.size else self._masks.size
        masks = self._masks[first:end]
        wasted = np.count_nonzero(self._marks[first:end] == _PENDING)
        return int(np.bitwise_count(masks).sum()), int(np.count_nonzero(masks)), int(wasted)
