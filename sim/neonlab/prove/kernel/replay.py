"""Replay a trace on expressions, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import makes_arrays, native_call
from neonlab.emulate.operands import ALWAYS, holds, shifted
from neonlab.prove.expressions.operation import LIMIT
from neonlab.prove.expressions.sums import alone
from neonlab.prove.kernel.bits import bitwise
from neonlab.prove.kernel.cells import PLAIN, depends, forget, is_whole, read, write
from neonlab.prove.kernel.conditions import (
    FLAGS_ARE,
    NO_TRUTH,
    NUMBERS,
    SIGN_IN_NUMBERS,
    STATUS_DEPENDS,
    STEP,
    SUSPECTS,
    UNKNOWN,
    are_numbers,
    choose,
    compare,
    is_decided,
)
from neonlab.prove.kernel.families import ABS, AND, BIF, CHOOSE, COMPARE, FIELD, SHL
from neonlab.prove.kernel.float_lanes import float_result
from neonlab.prove.kernel.lanes import is_modular, result, stored
from neonlab.prove.kernel.plan import (
    ACCESS_PLACES,
    ARITHMETIC,
    BITS,
    BY_OTHERS,
    BY_RULE,
    COPIES,
    EXTENDS_ONE,
    FLOATS,
    NOTHING,
    OTHER,
    ROOM,
    SIGN_WRITTEN,
    SOME_WRITTEN,
    STATUS_MOVED,
    STATUS_WRITTEN,
    STEPS,
    WRITTEN,
)
from neonlab.prove.kernel.steps import move_field, shift_by_register

#: How a replay ended, and the answers at the step where it did.
DONE, FULL, ADDRESS, NO_RULE, ELSEWHERE, TOO_LARGE, PATH, CONDITION = range(8)
#: Rows that one step may add to the table of nodes.
ROWS_A_STEP = 1 << 13


@compiled
def _register(values: Any, start: int, width: int) -> np.uint64:
    """Return the value of a general register."""
    number = np.uint64(0)
    for at in range(width):
        number |= np.uint64(values[start + at]) << np.uint64(8 * at)
    return number


@compiled
def _address(access: Any, values: Any, width: int, flags: np.uint64) -> np.uint64:
    """Return the address of an access, from the registers before the instruction."""
    mask = np.uint64(0xFFFFFFFF) if width == 4 else np.uint64(0xFFFFFFFFFFFFFFFF)
    address = np.uint64(access.displacement)
    if access.base >= 0:
        address += _register(values, access.base, width)
    if access.index >= 0:
        index = shifted(access.extend, _register(values, access.index, width), np.uint64(access.shift), mask, flags)
        address = address - index if access.subtracts else address + index
    return address & mask


@compiled
def _cell_of(address: np.uint64, starts: Any, ends: Any, cells_at: Any) -> int:
    """Return the cell of a byte of memory, -1 outside all regions."""
    for region in range(len(starts)):
        if starts[region] <= address < ends[region]:
            return int(cells_at[region] + np.int64(address - starts[region]))
    return -1


@compiled
def _resolved(place: int, places: Any) -> int:
    """Return the cell of a place; -1 for memory outside all regions."""
    if place < ACCESS_PLACES:
        return place
    number = (place - ACCESS_PLACES) // ROOM
    first = places[number]
    return first + (place - ACCESS_PLACES) % ROOM if first >= 0 else -1


@compiled
def _copy(plan: Any, copies: Any, places: Any, cells: Any, values: Any, held: Any, bytes_held: Any) -> bool:
    """Copy cells all at once, and the values of bytes to memory; those of registers follow the trace.

    False where a cell that depends on the inputs would go outside all regions.
    """
    first, last = plan.copies_from, plan.copies_to
    for row in range(first, last):
        source = copies[row, 1]
        at = _resolved(source, places) if source >= 0 else -1
        bytes_held[row - first] = values[at] if at >= 0 else 0
        if at >= 0:
            held[row - first] = cells[at]
        else:
            held[row - first].node = PLAIN
    for row in range(first, last):
        at = _resolved(copies[row, 0], places)
        if at >= 0:
            cells[at] = held[row - first]
            if copies[row, 0] >= ACCESS_PLACES:
                values[at] = bytes_held[row - first]
        elif held[row - first].node != PLAIN:
            return False
    return True


@compiled
def _any_depends(plan: Any, reads: Any, places: Any, cells: Any) -> bool:
    """Tell whether anything that the instruction reads depends on the inputs."""
    for row in range(plan.reads_from, plan.reads_to):
        at = _resolved(reads[row, 0], places)
        if at >= 0 and depends(cells, at, reads[row, 1]):
            return True
    return False


@compiled
def _note(nodes: Any, state: Any, suspects: Any, operation: Any, node: int) -> None:
    """Note a sum whose interval fits the lane neither as a signed nor as an unsigned number.

    Its bits are negative where it must be a signed one: a distance from 0 is, which abs makes of a signed lane.
    """
    bits, signed = operation.bits, operation.family == ABS
    if bits > 32 or (not signed and nodes[node].low >= 0 and nodes[node].high < np.int64(1) << bits):
        return
    if nodes[node].low >= -(np.int64(1) << bits - 1) and nodes[node].high < np.int64(1) << bits - 1:
        return
    at = state[SUSPECTS]
    state[SUSPECTS] = at + 1
    if at < len(suspects):
        suspects[at, 0] = node
        suspects[at, 1] = -bits if signed else bits
        suspects[at, 2] = state[STEP]


@compiled
def _compute(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, suspects: Any, operation: Any, sources: Any, found: Any
) -> bool:
    """Compute all lanes, then write them; False where a number exceeds the 63 bits that intervals have."""
    before = size[0]
    if operation.family == SHL and operation.immediate > 61:
        return False
    for lane in range(operation.count):
        begin = size[0]
        true = alone(nodes, size, begin, result(nodes, size, cells, values, operation, sources, lane))
        if operation.saturates == 0:
            _note(nodes, state, suspects, operation, true)
        found[lane] = stored(nodes, size, operation, true)
    if not is_modular(operation):
        for at in range(before, size[0]):
            if nodes[at].low <= -LIMIT or nodes[at].high >= LIMIT:
                return False
    width = operation.bits // 8
    for lane in range(operation.count):
        write(cells, operation.start + lane * width, width, found[lane])
    forget(cells, operation.start + operation.count * width, operation.clear_end)
    return True


@compiled
def _compute_floats(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, found: Any) -> None:
    """Compute all lanes of floats, then write them."""
    for lane in range(operation.count):
        found[lane] = float_result(nodes, size, cells, values, operation, sources, lane)
    for lane in range(operation.count):
        write(cells, operation.start + 4 * lane, 4, found[lane])
    forget(cells, operation.start + 4 * operation.count, operation.clear_end)


@compiled
def _width_at(cells: Any, operation: Any, sources: Any, byte: int) -> int:
    """Return how many bytes of a bitwise operation to take as one lane: the widest lane of an operand that begins.

    The lane is whole there: its lowest byte may have been stored alone.
    """
    width, left = 1, operation.count * operation.bits // 8 - byte
    for which in range(operation.sources):
        at = sources[which, 0] + byte
        if width < cells[at].width <= left and is_whole(cells, at, cells[at].width):
            width = cells[at].width
    return width


@makes_arrays
def _compute_bits(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, sources: Any, found: Any) -> None:
    """Compute a bitwise operation on lanes as wide as those of its operands, whatever the instruction calls them."""
    total = operation.count * operation.bits // 8
    widths = np.zeros(total, np.int64)
    byte = 0
    while byte < total:
        width = _width_at(cells, operation, sources, byte)
        a = read(nodes, size, cells, values, sources[0, 0] + byte, 8 * width, True)
        b, c = a, a
        if operation.sources > 1:
            b = read(nodes, size, cells, values, sources[1, 0] + byte, 8 * width, True)
        if operation.sources > 2:
            c = read(nodes, size, cells, values, sources[2, 0] + byte, 8 * width, True)
        found[byte] = bitwise(nodes, size, operation.family, a, b, c, 8 * width)
        widths[byte] = width
        byte += width
    byte = 0
    while byte < total:
        write(cells, operation.start + byte, widths[byte], found[byte])
        byte += widths[byte]
    forget(cells, operation.start + total, operation.clear_end)


@compiled
def _step_by_step(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, suspects: Any, one: Any, lanes: Any, sources: Any,
    found: Any, flags: np.uint64, flags_at: int,
) -> int:  # fmt: skip
    """Carry out the steps of an instruction on general registers."""
    for at in range(one.lanes, one.lanes_to):
        operation, answer = lanes[at], 0
        kind = operation.family
        if kind == COMPARE:
            answer = compare(nodes, size, cells, values, state, flags_at, flags, operation, sources[at])
        elif kind == CHOOSE:
            answer = choose(nodes, size, cells, values, state, flags_at, flags, operation, sources[at])
        elif kind == FIELD:
            answer = move_field(nodes, size, cells, values, operation, sources[at])
        elif kind > CHOOSE:
            answer = shift_by_register(nodes, size, cells, values, operation, sources[at])
        elif AND <= kind <= BIF:
            _compute_bits(nodes, size, cells, values, operation, sources[at], found)
        elif not _compute(nodes, size, cells, values, state, suspects, operation, sources[at], found):
            return TOO_LARGE
        if answer < 0:
            return CONDITION if answer == NO_TRUTH else TOO_LARGE
    return DONE


@compiled
def _settle_flags(state: Any, become: int) -> None:
    """Note that an instruction made flags of what does not depend on the inputs."""
    if become == WRITTEN or state[FLAGS_ARE] == NUMBERS:
        if become != 0:
            state[FLAGS_ARE] = NUMBERS
    elif become == SIGN_WRITTEN:
        state[FLAGS_ARE] = SIGN_IN_NUMBERS
    elif become == SOME_WRITTEN:
        state[FLAGS_ARE] = UNKNOWN


@compiled
def _refused(
    nodes: Any, size: Any, cells: Any, state: Any, one: Any, addresses: Any, width: int, flags: np.uint64, flags_at: int
) -> int:
    """Return why a step cannot be followed before it is: data decide its address, its target or if it executes."""
    if state[FLAGS_ARE] != NUMBERS and one.flags_read == BY_OTHERS:
        if one.branches_if != ALWAYS:
            if not is_decided(nodes, size, cells, state, flags_at, flags, one.branches_if):
                return PATH
        elif one.condition == ALWAYS or not are_numbers(state, one.condition):
            return CONDITION
    if one.condition != ALWAYS and are_numbers(state, one.condition) and not holds(one.condition, flags):
        return DONE  # It accesses nothing, so its address may be anything.
    for row in range(one.addresses_from, one.addresses_to):
        if depends(cells, addresses[row], width):
            return ADDRESS
    if state[STATUS_DEPENDS] != 0 and one.status & STATUS_MOVED != 0:
        return NO_RULE
    return DONE


@compiled
def _extend(nodes: Any, size: Any, cells: Any, values: Any, operation: Any, source: Any, places: Any) -> None:
    """Read one lane, in a register or in memory, and write it to a register."""
    at = _resolved(source[0], places)
    node = read(nodes, size, cells, values, at, source[2], source[3] != 0)
    write(cells, operation.start, operation.bits // 8, node)
    forget(cells, operation.start + operation.bits // 8, operation.clear_end)


@compiled
def _follow(values: Any, plan: Any, writes: Any, recorded: Any, first: int, last: int) -> np.uint64:
    """Take the registers that a step wrote from the trace; return the flags, all ones where it wrote none."""
    flags = np.uint64(0xFFFFFFFFFFFFFFFF)
    for row in range(first, last):
        write_row = plan.writes_from + row - first
        start, width = writes[write_row, 0], writes[write_row, 1]
        if start == -1:
            flags = recorded[row, 0]
        for at in range(width):
            values[start + at] = np.uint8(recorded[row, at // 8] >> np.uint64(8 * (at % 8)) & np.uint64(255))
    return flags


@compiled
def _act(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, suspects: Any, one: Any, lanes: Any, sources: Any,
    copies: Any, reads: Any, clears: Any, places: Any, found: Any, held: Any, bytes_held: Any, flags: np.uint64,
    flags_at: int,
) -> int:  # fmt: skip
    """Do to the cells what the instruction does to data."""
    touched = one.kind != NOTHING and one.kind != COPIES and _any_depends(one, reads, places, cells)
    touched = touched or (one.flags_read == BY_RULE and state[FLAGS_ARE] != NUMBERS)
    if touched and one.status & STATUS_WRITTEN != 0:
        state[STATUS_DEPENDS] = 1
    if one.kind == COPIES:
        if not _copy(one, copies, places, cells, values, held, bytes_held):
            return ELSEWHERE
    elif touched and one.kind == ARITHMETIC:
        if not _compute(nodes, size, cells, values, state, suspects, lanes[one.lanes], sources[one.lanes], found):
            return TOO_LARGE
    elif touched and one.kind == BITS:
        _compute_bits(nodes, size, cells, values, lanes[one.lanes], sources[one.lanes], found)
    elif touched and one.kind == FLOATS:
        _compute_floats(nodes, size, cells, values, lanes[one.lanes], sources[one.lanes], found)
    elif touched and one.kind == EXTENDS_ONE:
        _extend(nodes, size, cells, values, lanes[one.lanes], sources[one.lanes, 0], places)
    elif touched and one.kind == STEPS:
        ended = _step_by_step(nodes, size, cells, values, state, suspects, one, lanes, sources, found, flags, flags_at)
        if ended != DONE:
            return ended
    elif touched:
        return NO_RULE
    elif one.kind == STEPS:
        for at in range(one.lanes, one.lanes_to):
            forget(cells, lanes[at].start, lanes[at].clear_end)
    elif one.kind in (ARITHMETIC, BITS, FLOATS, EXTENDS_ONE):
        forget(cells, lanes[one.lanes].start, lanes[one.lanes].clear_end)
    for row in range(one.clears_from, one.clears_to):
        at = _resolved(clears[row, 0], places)
        if at >= 0 and (one.kind == OTHER or clears[row, 0] < ACCESS_PLACES):
            forget(cells, at, at + clears[row, 1])
    if not touched:
        _settle_flags(state, one.flags_become)
    return DONE


@native_call
def replay(
    nodes: Any, size: Any, cells: Any, values: Any, state: Any, suspects: Any, flags: Any, numbers: Any,
    first_writes: Any, recorded: Any, plan: Any, lanes: Any, sources: Any, copies: Any, accesses: Any, addresses: Any,
    reads: Any, clears: Any, writes: Any, starts: Any, ends: Any, cells_at: Any, width: int, flags_at: int,
) -> int:  # fmt: skip
    """Replay steps from state[STEP] on, until the trace ends or one cannot be followed; return how it ended.

    `suspects` (n, 3) takes node, bits and step of sums that may leave their lane.  `numbers` (steps,) has the row of
    `plan` of each step.  The other arrays are those of `Plans`, of the trace, and of the regions of memory.  `width` is
    the size of an address in bytes, `flags_at` the size of the register file.
    """
    places, found = np.zeros(8, np.int64), np.zeros(64, np.int64)
    held, bytes_held = np.zeros(1024, cells.dtype), np.zeros(1024, np.uint8)
    while state[STEP] < len(numbers):
        if size[0] + ROWS_A_STEP > len(nodes):
            return FULL
        step = state[STEP]
        one = plan[numbers[step]]
        ended = _refused(nodes, size, cells, state, one, addresses, width, flags[0], flags_at)
        if ended != DONE:
            return ended
        if holds(one.condition, flags[0]) or one.condition == ALWAYS:
            for row in range(one.accesses_from, one.accesses_to):
                at = _address(accesses[row], values, width, flags[0])
                places[row - one.accesses_from] = _cell_of(at, starts, ends, cells_at)
            ended = _act(nodes, size, cells, values, state, suspects, one, lanes, sources, copies, reads, clears,
                         places, found, held, bytes_held, flags[0], flags_at)  # fmt: skip
            if ended != DONE:
                return ended
        new = _follow(values, one, writes, recorded, first_writes[step], first_writes[step + 1])
        if one.flags_written and new != np.uint64(0xFFFFFFFFFFFFFFFF):
            flags[0] = new
        state[STEP] = step + 1
    return DONE


@native_call
def read_all(nodes: Any, size: Any, cells: Any, values: Any, places: Any, bits: int, signed: bool, found: Any) -> None:
    """Read the lanes that begin at `places`."""
    for at in range(len(places)):
        found[at] = read(nodes, size, cells, values, places[at], bits, signed)
