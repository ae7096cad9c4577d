"""Find the effects of the accesses of a run on its timing.

These are lines that come from beyond the first level or are awaited, accesses that cross from one unit of memory to the
next, and loads of what a store shortly before them wrote.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.np.numpy_support import carray

from neonlab.emulate.native import Integer, Record, as_pointer, compiled
from neonlab.measure.caches.fill_journal import AWAITED, CROSSED, LOADED, PASSED, STORED
from neonlab.measure.pipeline.record import OPERATIONS, RECENT, STORE_TO, Rows, operations_of
from neonlab.measure.pipeline.state import CROSSINGS_AT_MOST, FILLS_AT_MOST, STORES_BACK

CROSSES, PASSES = 1, 2  # bits of `watches`
_GRANULE = 4  # of RECENT, in bits of an address


@compiled
def _add(memo: Record, position: Integer, kind: Integer, place: Integer) -> None:
    """Add an operation to those of the run."""
    if memo.operation_count < OPERATIONS:
        operation = operations_of(memo)[memo.operation_count]
        operation.position, operation.kind, operation.place = position, kind, place
        memo.operation_count += 1


@compiled
def _cross(memo: Record, position: Integer, address: Integer, size: Integer, rules: Integer) -> None:
    """By the first of the rules that says so, an access touches more units than its size would need.

    By a rule for each unit of a structure, all units do that if one does.
    """
    units = carray(as_pointer(memo.crossing_units), (CROSSINGS_AT_MOST,), np.int64)
    for rule in range(CROSSINGS_AT_MOST):
        if rules >> rule & 1:
            unit = abs(units[rule])
            needed = (size + unit - 1) // unit
            if address % unit + size > needed * unit:
                for _ in range(needed if units[rule] < 0 else 1):
                    _add(memo, position, CROSSED, rule)
                return


@compiled
def _note_store(memo: Record, number: Integer, address: Integer, size: Integer) -> None:
    """Note that store `number` of the call writes these bytes."""
    recent = carray(as_pointer(memo.recent), (RECENT,), STORE_TO)
    for granule in range(address >> _GRANULE, (address + size - 1 >> _GRANULE) + 1):
        row = recent[granule & RECENT - 1]
        row.granule, row.number, row.address, row.size = granule, number, address, size


@compiled
def _take_over(memo: Record, position: Integer, number: Integer, address: Integer, size: Integer) -> None:
    """Make a load wait for the last of the recent stores that wrote what it reads."""
    recent = carray(as_pointer(memo.recent), (RECENT,), STORE_TO)
    latest, parts = np.int64(-1), 0
    for granule in range(address >> _GRANULE, (address + size - 1 >> _GRANULE) + 1):
        row = recent[granule & RECENT - 1]
        if row.granule != granule or number - row.number > STORES_BACK:
            continue
        if row.address < address + size and address < row.address + row.size:
            whole = row.address <= address and address + size <= row.address + row.size
            parts |= 0 if whole else 1
            latest = max(latest, row.number)
    if latest >= 0:
        _add(memo, position, PASSED + parts, number - latest)


@compiled
def note_accesses(
    memo: Record, events: Rows, begin: Integer, end: Integer, fills: Rows, next_fill: Integer, fill_count: Integer
) -> Integer:
    """Note the operations of events `begin` to `end`; return the number of the fill after their last."""
    site_count: Any = memo.site_count
    instructions = carray(as_pointer(memo.site_instruction), (site_count,), np.int32)
    sizes = carray(as_pointer(memo.site_size), (site_count,), np.int32)
    kinds = carray(as_pointer(memo.site_kind), (site_count,), np.int32)
    rules = carray(as_pointer(memo.site_rules), (site_count,), np.int32)
    lines = carray(as_pointer(memo.lines), (FILLS_AT_MOST,), np.uint64)
    count: Any = memo.instructions
    stores = carray(as_pointer(memo.stores_before), (count + 1,), np.int32)
    first = memo.first
    for e in range(begin, end if first >= 0 else begin):
        site = events[e].site
        kind, size = kinds[site], np.int64(sizes[site])
        instruction = np.int64(instructions[site])
        position = instruction - first
        if memo.watches:
            address = np.int64(events[e].address)
            if rules[site] and address & size - 1:
                _cross(memo, position, address, size, rules[site])
            if memo.watches & PASSES and kind in (LOADED, STORED):
                number = memo.stores_done + stores[instruction] - stores[first]
                if kind == LOADED:
                    _take_over(memo, position, number, address, size)
                else:
                    _note_store(memo, number, address, size)
        if kind == LOADED and memo.line_count:
            line = events[e].address >> memo.line_shift
            final = (events[e].address + np.uint64(size - 1)) >> memo.line_shift
            while line <= final:
                for at in range(memo.line_count):
                    if lines[at] == line:
                        _add(memo, position, AWAITED, at)
                line += np.uint64(1)
        while next_fill < fill_count and fills[next_fill].event == e:
            if fills[next_fill].kind & 1:
                memo.far_fills += 1
            else:
                memo.near_fills += 1
            if memo.operation_count < OPERATIONS:
                _add(memo, position, np.int64(fills[next_fill].kind), 0)
                if memo.line_count < FILLS_AT_MOST:
                    lines[memo.line_count] = fills[next_fill].line
                    memo.line_count += 1
            next_fill += 1
    while next_fill < fill_count and fills[next_fill].event < end:
        next_fill += 1
    return next_fill
