"""One record with all that the compiled pipeline works on: its state, what it remembers, and the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray

from neonlab.emulate.native import Record, as_pointer, compiled
from neonlab.measure.pipeline.state import (
    CORE,
    CYCLE,
    INSTRUCTION,
    LIVE,
    LOGGED,
    OPERATION,
    READ,
    RECORDED,
    RING,
    TALLIED,
    USE,
    WRITE,
)

OPERATIONS = 1 << 12  # beyond the first level, of one run
SCRATCH = 1 << 16  # words of one state: every cycle of the ring takes two, every place of the window at most two
PATTERNS = 1 << 16
RECENT = 256  # places of 16 bytes whose last store is known
#: The input of a call of `advance`: events of an address feed, rows of (first, last), the end of the call, or only the
#: request for the number of the state.
EVENTS, ROWS, END, NUMBER = range(4)

TRANSITION = np.dtype(
    [
        ("run", np.uint64),  # first and last instruction, and how the branch goes
        ("state", np.int64),
        ("first_operation", np.int64),
        ("operations", np.int64),
        ("following", np.int64),  # state
        ("cycles", np.int64),
        ("kept", np.uint64),
        ("first_log", np.int64),
        ("logged", np.int64),
        ("times", np.int64),
    ]
)
#: The last store to 16 bytes.
STORE_TO = np.dtype(
    [
        ("granule", np.int64),  # address of the bytes / 16
        ("number", np.int64),  # of the store
        ("address", np.int64),
        ("size", np.int64),  # bytes
    ]
)
# Fields of uint64 are addresses of arrays, of a kind that a comment names or that a function below gives.
MEMO = np.dtype(
    [
        ("mode", np.int64),
        ("remembers", np.int64),
        ("clock", np.int64),  # cycle
        ("state", np.int64),
        ("live_is_current", np.int64),
        ("core", np.uint64),
        ("instructions", np.int64),
        ("code", np.uint64),
        ("reads", np.uint64),
        ("read_count", np.int64),
        ("writes", np.uint64),
        ("write_count", np.int64),
        ("uses", np.uint64),
        ("use_count", np.int64),
        ("live", np.uint64),
        ("cycles", np.uint64),
        ("scratch", np.uint64),  # int64[SCRATCH]
        ("log", np.uint64),
        ("log_room", np.int64),
        ("record", np.uint64),
        ("record_room", np.int64),
        ("recorded", np.int64),
        ("tally", np.uint64),  # rows as those of the log, found by what they are of; the cycles of all runs
        ("tally_room", np.int64),
        ("tally_used", np.int64),
        # memory
        ("states", np.uint64),  # int64: where each begins in `numbers`; one more than there are
        ("state_room", np.int64),
        ("state_count", np.int64),
        ("size_of_states", np.int64),  # see `pipeline_saved.size_of`
        ("size_room", np.int64),
        ("numbers", np.uint64),  # int64
        ("number_room", np.int64),
        ("state_index", np.uint64),  # int32
        ("transitions", np.uint64),
        ("transition_room", np.int64),
        ("transition_count", np.int64),
        ("transition_index", np.uint64),  # int32
        ("kept_operations", np.uint64),
        ("kept_operation_room", np.int64),
        ("kept_operation_count", np.int64),
        ("kept_log", np.uint64),
        ("kept_log_room", np.int64),
        ("kept_log_count", np.int64),
        ("forgotten", np.int64),
        # the run at hand
        ("first", np.int64),  # -1 for none
        ("last", np.int64),
        ("end", np.uint64),
        ("operations", np.uint64),
        ("operation_count", np.int64),
        ("lines", np.uint64),  # uint64: on their way, in the order of the state's arrivals
        ("line_count", np.int64),
        # the branches
        ("patterns", np.uint64),  # int8[PATTERNS]
        ("history", np.uint64),
        ("branches", np.int64),
        ("mispredicted", np.int64),
        ("near_fills", np.int64),
        ("far_fills", np.int64),
        # the program
        ("base", np.uint64),
        ("words", np.uint64),
        ("index_of_word", np.uint64),  # int32: number of the instruction, -1 for none
        ("target_of", np.uint64),  # int32: number of the instruction branched to, -1 where not known
        ("site_count", np.int64),
        ("site_instruction", np.uint64),  # int32
        ("site_size", np.uint64),  # int32: bytes
        ("site_kind", np.uint64),  # int32
        ("site_rules", np.uint64),  # int32: bits of the rules for accesses that cross from one unit to the next
        ("crossing_units", np.uint64),  # int64: bytes of a unit, by rule; below 0 where each unit counts
        ("watches", np.int64),  # 1 where it matters what accesses cross, 2 where what they take over
        ("stores_before", np.uint64),  # int32: stores among the instructions before each
        ("stores_done", np.int64),  # in the runs before this one
        ("recent", np.uint64),  # STORE_TO[RECENT]
        ("line_shift", np.uint64),
        ("journal", np.uint64),
    ]
)
Rows = npt.NDArray[Any]


@compiled
def core_of(memo: Record) -> Record:
    """Return the figures of the core: a CORE."""
    return carray(as_pointer(memo.core), (1,), CORE)[0]


@compiled
def live_of(memo: Record) -> Record:
    """Return the state: a LIVE."""
    return carray(as_pointer(memo.live), (1,), LIVE)[0]


@compiled
def code_of(memo: Record) -> Rows:
    """Return the program: rows of INSTRUCTION."""
    count: int = memo.instructions
    return carray(as_pointer(memo.code), (count,), INSTRUCTION)


@compiled
def reads_of(memo: Record) -> Rows:
    """Return what instructions read: rows of READ."""
    count: int = memo.read_count
    return carray(as_pointer(memo.reads), (count,), READ)


@compiled
def writes_of(memo: Record) -> Rows:
    """Return what instructions write: rows of WRITE."""
    count: int = memo.write_count
    return carray(as_pointer(memo.writes), (count,), WRITE)


@compiled
def uses_of(memo: Record) -> Rows:
    """Return what instructions need ports for: rows of USE."""
    count: int = memo.use_count
    return carray(as_pointer(memo.uses), (count,), USE)


@compiled
def cycles_of(memo: Record) -> Rows:
    """Return what ports are spoken for: rows of CYCLE, by the cycle modulo RING."""
    return carray(as_pointer(memo.cycles), (RING,), CYCLE)


@compiled
def operations_of(memo: Record) -> Rows:
    """Return what the run does beyond the first-level caches, in order of position: rows of OPERATION."""
    return carray(as_pointer(memo.operations), (OPERATIONS,), OPERATION)


@compiled
def log_of(memo: Record) -> Rows:
    """Return what cycles are put down to in this run: rows of LOGGED, `live.logged` of them."""
    room: int = memo.log_room
    return carray(as_pointer(memo.log), (room,), LOGGED)


@compiled
def kept_log_of(memo: Record) -> Rows:
    """Return the same of all runs that are remembered."""
    room: int = memo.kept_log_room
    return carray(as_pointer(memo.kept_log), (room,), LOGGED)


@compiled
def kept_operations_of(memo: Record) -> Rows:
    """Return the operations of all runs that are remembered: rows of OPERATION."""
    room: int = memo.kept_operation_room
    return carray(as_pointer(memo.kept_operations), (room,), OPERATION)


@compiled
def tally_of(memo: Record) -> Rows:
    """Return what cycles of the whole call are put down to: rows of TALLIED, found by a hash; unused: of no cycles."""
    room: int = memo.tally_room
    return carray(as_pointer(memo.tally), (room,), TALLIED)


@compiled
def record_of(memo: Record) -> Rows:
    """Return what every instruction did, where that is wanted: rows of RECORDED."""
    room: int = memo.record_room
    return carray(as_pointer(memo.record), (room,), RECORDED)


@compiled
def transitions_of(memo: Record) -> Rows:
    """Return the runs that are remembered: rows of TRANSITION."""
    room: int = memo.transition_room
    return carray(as_pointer(memo.transitions), (room,), TRANSITION)


@compiled
def mixed(value: np.uint64) -> np.uint64:
    """Spread the bits of a number (the finaliser of splitmix64, Steele, Lea and Flood 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
