"""Compute every memory access of a call, in program order, and hand them in batches to compiled consumers.

One compiled hook on blocks reads the few registers that the addresses of a run depend on, and computes all of them.
Another does the same on the few instructions at which the plan starts a new segment.  Consumers get arrays of events,
and never use the emulator.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_BLOCK, UC_HOOK_CODE, arm64_const, arm_const

from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import (
    BLOCK_OR_CODE,
    NativeHook,
    Pointer,
    Record,
    as_pointer,
    compiled,
    native,
    pointer,
    uc_reg_read,
)
from neonlab.emulate.operands import ALWAYS, holds, shifted
from neonlab.isa.model.isa import FLAGS, Isa, Register, general
from neonlab.measure.traffic.block_addresses import ROW, SEGMENT, SUM, TERM, Plan

_BATCH = 4096
_MOST_STOPS = 128

#: An access: its address, the number of its site, and `place`, which consumers may use.  Or a run of instructions
#: entered: its address, RUN, and its bytes in `place`.
EVENT = np.dtype([("address", np.uint64), ("site", np.int32), ("place", np.int32)])
RUN = -1
#: A consumer's C signature: its state, the events, how many.
CONSUMER = types.void(pointer, pointer, types.int64)

FEED = np.dtype(
    [
        ("bits", np.uint64),  # of an address
        ("base", np.uint64),
        ("words", np.uint64),
        ("entries", np.uint64),  # address of the plan's tables
        ("continuations", np.uint64),
        ("run_ends", np.uint64),
        ("segments", np.uint64),
        ("segment_count", np.int64),
        ("registers", np.uint64),
        ("register_count", np.int64),
        ("sums", np.uint64),
        ("sum_count", np.int64),
        ("terms", np.uint64),
        ("term_count", np.int64),
        ("rows", np.uint64),
        ("row_count", np.int64),
        ("flags_register", np.int64),
        ("stepwise", np.int64),
        ("values", np.uint64),  # registers and sums of the segment at hand; the flags at the end
        ("value_count", np.int64),
        ("block_end", np.uint64),  # of the block entered last
        ("run_end", np.uint64),  # of the run it is in
        ("waiting", np.uint64),  # instruction at which the next segment begins, 0 for none
        ("unplanned", np.uint64),  # first place where control arrived and nobody expected it, 0 for none
        ("events", np.uint64),
        ("used", np.int64),
        ("room", np.int64),
        ("consumers", np.uint64),  # pairs of function and state
        ("consumer_count", np.int64),
    ]
)


def _call_consumer(_context: Any, _function: Any, _state: Any, _events: Any, _count: Any) -> Any:
    """Call a CONSUMER by its address, in compiled code."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte, word = cgutils.voidptr_t, ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [byte, byte, word])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        state, events = (builder.inttoptr(argument, byte) for argument in arguments[1:3])
        builder.call(function, [state, events, arguments[3]])
        return _context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64, types.int64), codegen


_call: Any = intrinsic(_call_consumer)


@compiled
def _flush(feed: Record) -> None:
    count: Any = feed.consumer_count
    consumers = carray(as_pointer(feed.consumers), (count, 2), np.uint64)
    for consumer in range(count):
        _call(consumers[consumer, 0], consumers[consumer, 1], feed.events, feed.used)
    feed.used = 0


@compiled
def _walk(uc: Pointer, feed: Record, number: int) -> None:
    """Put the accesses of segment `number` (from 1) among the events."""
    segment_count: Any = feed.segment_count
    segment = carray(as_pointer(feed.segments), (segment_count,), SEGMENT)[number - 1]
    feed.waiting = segment.following
    if segment.rows == 0:
        return
    value_count: Any = feed.value_count
    values = carray(as_pointer(feed.values), (value_count,), np.uint64)
    register_count: Any = feed.register_count
    registers = carray(as_pointer(feed.registers), (register_count,), np.int32)
    where = feed.values
    for register in range(segment.registers):
        uc_reg_read(uc, registers[segment.first_register + register], as_pointer(where))
        where += np.uint64(8)
    flags = np.uint64(0)
    if segment.conditional:
        last = value_count - 1
        uc_reg_read(uc, np.int32(feed.flags_register), as_pointer(feed.values + np.uint64(8 * last)))
        flags = values[last]
    bits = feed.bits
    if segment.sums:
        sum_count: Any = feed.sum_count
        sums = carray(as_pointer(feed.sums), (sum_count,), SUM)
        term_count: Any = feed.term_count
        terms = carray(as_pointer(feed.terms), (term_count,), TERM)
        for position in range(segment.sums):
            one = sums[segment.first_sum + position]
            total = np.uint64(0)
            for t in range(one.first_term, one.first_term + one.terms):
                term = terms[t]
                value = shifted(term.kind, values[term.value] & bits, np.uint64(term.shift), bits, flags)
                total += value * term.coefficient
            values[segment.registers + position] = total
    if feed.used + segment.rows > feed.room:
        _flush(feed)
    row_count: Any = feed.row_count
    rows = carray(as_pointer(feed.rows), (row_count,), ROW)
    room: Any = feed.room
    events = carray(as_pointer(feed.events), (room,), EVENT)
    used = feed.used
    for r in range(segment.first_row, segment.first_row + segment.rows):
        row = rows[r]
        if row.condition != ALWAYS and not holds(row.condition, flags):
            continue
        address = row.displacement
        if row.value >= 0:
            address += values[row.value]
        events[used].address = address & bits
        events[used].site = row.site
        used += 1
    feed.used = used


@native(BLOCK_OR_CODE)
def _enter_block(uc: Pointer, at: int, size: int, user: Pointer) -> None:
    feed = carray(user, 1, FEED)[0]
    address = np.uint64(at)
    cut = address == feed.block_end and address < feed.run_end
    feed.block_end = address + np.uint64(size)
    if cut:
        return  # the emulator cut a run into blocks: it was walked to its end when it was entered
    word = (address - feed.base) >> np.uint64(1)
    if word >= feed.words:
        feed.run_end = np.uint64(0)
        return
    words: Any = np.int64(feed.words)
    index = np.int64(word)
    feed.run_end = carray(as_pointer(feed.run_ends), (words,), np.uint64)[index]
    if feed.used == feed.room:
        _flush(feed)
    room: Any = feed.room
    event = carray(as_pointer(feed.events), (room,), EVENT)[feed.used]
    event.address = address
    event.site = RUN
    event.place = np.int32(feed.run_end - address) if feed.run_end else np.int32(size)
    feed.used += 1
    if feed.stepwise:
        return
    number = carray(as_pointer(feed.entries), (words,), np.int32)[index]
    if number:
        _walk(uc, feed, number)
    elif not feed.unplanned:
        feed.unplanned = address


@native(BLOCK_OR_CODE)
def _reach_stop(uc: Pointer, at: int, _size: int, user: Pointer) -> None:
    feed = carray(user, 1, FEED)[0]
    address = np.uint64(at)
    if address != feed.waiting and not feed.stepwise:
        return
    word = (address - feed.base) >> np.uint64(1)
    if word < feed.words:
        words: Any = np.int64(feed.words)
        number = carray(as_pointer(feed.continuations), (words,), np.int32)[np.int64(word)]
        if number:
            _walk(uc, feed, number)


class Consumer(Protocol):
    """Consumes the events of a call."""

    @property
    def function(self) -> Any:
        """The compiled function, with the signature CONSUMER."""
        ...

    @property
    def state(self) -> npt.NDArray[Any]:
        """The state that the function works on; the same array for as long as the consumer lives."""
        ...

    def begin(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Begin a new call."""
        ...


def batch_of(plan: Plan) -> int:
    """Return the most events that consumers get at a time."""
    return max(_BATCH, int(plan.segments["rows"].max(initial=0)) + 1)


class AddressFeed:
    """A probe that computes the addresses of a call and hands them to consumers, in the order given.

    With a stepwise plan it watches every instruction that accesses memory instead of every run.
    """

    def __init__(self, plan: Plan, consumers: Sequence[Consumer]) -> None:
        self.plan = plan
        self._consumers = tuple(consumers)
        self._registers = np.array([_identifier(plan.isa, general(int(i))) for i in plan.registers], np.int32)
        values = int((plan.segments["registers"] + plan.segments["sums"]).max(initial=0)) + 1
        self._values = np.zeros(values, np.uint64)
        self._events = np.zeros(batch_of(plan), EVENT)
        self._pairs = np.array([(c.function.address, c.state.ctypes.data) for c in self._consumers], np.uint64)
        self._pairs = self._pairs.reshape(-1, 2)
        self._state = np.zeros(1, FEED)
        self._state["bits"], self._state["base"] = (1 << 8 * plan.isa.pointer_bytes) - 1, plan.base
        self._state["words"], self._state["stepwise"] = plan.entries.size, plan.stepwise
        for name in ("entries", "continuations", "run_ends", "segments", "sums", "terms", "rows"):
            self._state[name] = getattr(plan, name).ctypes.data
        for name in ("segment", "sum", "term", "row"):
            self._state[f"{name}_count"] = getattr(plan, f"{name}s").size
        self._state["registers"], self._state["register_count"] = self._registers.ctypes.data, self._registers.size
        self._state["values"], self._state["value_count"] = self._values.ctypes.data, self._values.size
        self._state["flags_register"] = _identifier(plan.isa, FLAGS)
        self._state["events"], self._state["room"] = self._events.ctypes.data, self._events.size
        self._state["consumers"], self._state["consumer_count"] = self._pairs.ctypes.data, len(self._pairs)

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return a hook on blocks, and hooks on the instructions at which the plan starts a new segment."""
        stops = self.plan.stops
        found = [NativeHook(UC_HOOK_BLOCK, _enter_block, self._state)]
        if len(stops) > _MOST_STOPS:
            found.append(NativeHook(UC_HOOK_CODE, _reach_stop, self._state, min(stops), max(stops)))
        else:
            found += [NativeHook(UC_HOOK_CODE, _reach_stop, self._state, stop, stop) for stop in stops]
        return found

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Hand the rest of the last call to the consumers, and begin a new call with `buffers`."""
        self.flush()
        for name in ("used", "block_end", "run_end", "waiting", "unplanned"):
            self._state[name] = 0
        for consumer in self._consumers:
            consumer.begin(buffers)

    def flush(self) -> None:
        """Hand the remaining events to the consumers; needed after a call, before their results are read."""
        for consumer in self._consumers:
            call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(consumer.function.address)
            call(consumer.state.ctypes.data, self._events.ctypes.data, int(self._state["used"][0]))
        self._state["used"] = 0

    @property
    def unplanned(self) -> int | None:
        """The address where control arrived without a plan, such as after a return to a computed address; else None.

        Accesses are then missing, and the call must be repeated with a `stepwise` plan.
        """
        return int(self._state["unplanned"][0]) or None


def _identifier(isa: Isa, register: Register) -> int:
    """Return Unicorn's identifier of the register."""
    constants: Any = arm64_const if isa is Isa.A64 else arm_const
    prefix = "UC_ARM64_REG_" if isa is Isa.A64 else "UC_ARM_REG_"
    name = register.name(isa).upper()
    return int(getattr(constants, prefix + ("CPSR" if name == "APSR" else name)))
