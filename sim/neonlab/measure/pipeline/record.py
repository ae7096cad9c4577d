"""What the compiled pipeline works on: one record with its state, what it remembers, and the program."""

from __future__ import annotations

import numpy as np
from numba import njit

OPERATIONS = 1 << 12  # beyond the first level, of one run
SCRATCH = 1 << 16  # numbers of one state: every cycle of the ring takes two, every place of the window at most two
PATTERNS = 1 << 16
RECENT = 256  # places of 16 bytes whose last store is known
#: What a call of `advance` is given: events of an address feed, rows of (first, last), the end of the call, or nothing
#: but the wish to know the number of the state.
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
MEMO = np.dtype(
    [
        ("mode", np.int64),
        ("remembers", np.int64),
        ("clock", np.int64),
        ("state", np.int64),
        ("live_is_current", np.int64),
        ("figures", np.uint64),
        ("instructions", np.int64),
        ("traits", np.uint64),
        ("read_start", np.uint64),
        ("reads", np.uint64),
        ("read_count", np.int64),
        ("write_start", np.uint64),
        ("writes", np.uint64),
        ("write_count", np.int64),
        ("use_start", np.uint64),
        ("uses", np.uint64),
        ("use_count", np.int64),
        ("live", np.uint64),
        ("cells", np.uint64),
        ("starts", np.uint64),
        ("scratch", np.uint64),
        ("log", np.uint64),
        ("log_room", np.int64),
        ("record", np.uint64),
        ("record_room", np.int64),
        ("tally", np.uint64),  # rows as those of the log, found by what they are of; the cycles of all runs
        ("tally_room", np.int64),
        ("tally_used", np.int64),
        # memory
        ("states", np.uint64),  # where each begins in `numbers`; one more than there are
        ("state_room", np.int64),
        ("state_count", np.int64),
        ("numbers", np.uint64),
        ("number_room", np.int64),
        ("state_index", np.uint64),
        ("transitions", np.uint64),
        ("transition_room", np.int64),
        ("transition_count", np.int64),
        ("transition_index", np.uint64),
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
        ("lines", np.uint64),  # on their way, in the order of the state's arrivals
        ("line_count", np.int64),
        # the branches
        ("patterns", np.uint64),
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
        ("site_instruction", np.uint64),
        ("site_size", np.uint64),
        ("site_kind", np.uint64),
        ("site_rules", np.uint64),  # int32: bits of the rules for accesses that cross from one unit to the next
        ("crossing_units", np.uint64),  # bytes of a unit, by rule
        ("watches", np.int64),  # 1 where it matters what accesses cross, 2 where what they take over
        ("stores_before", np.uint64),  # int32: stores among the instructions before each
        ("stores_done", np.int64),  # in the runs before this one
        ("recent", np.uint64),  # rows of RECENT: 16 bytes, the number of the last store there, its address, its size
        ("line_shift", np.uint64),
        ("journal", np.uint64),
    ]
)


@njit
def mixed(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Spread the bits of a number (the finaliser of splitmix64, Steele, Lea and Flood 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
