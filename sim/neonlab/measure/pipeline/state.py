"""Records of the compiled pipeline: a core's figures, a program's instructions, and the state.

All times are cycles of one clock, counted from the beginning of a call.  In a field that holds one, 0 is long over.

The state is one record, LIVE, with records and arrays of records in it.  Numba takes a record as the address of its
first byte, so `live.registers[number].ready` is one access to memory, as fast as a place in a flat array was, and a
function that is given `live` is given one pointer.  Arrays, and tuples of arrays, would be seven numbers each.

`neonlab.measure.pipeline.memo.saved` copies states by these declarations: where a field stands says how it is saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.measure.cores.limits import CROSSINGS_AT_MOST as CROSSINGS_AT_MOST
from neonlab.measure.cores.limits import GROUPS_AT_MOST as GROUPS_AT_MOST
from neonlab.measure.cores.limits import PARTS as PARTS

REGISTERS = 104
FIRST_VECTOR, FLAG_REGISTER, FIRST_UPPER = 32, 64, 72  # general ones come first, upper halves of vector ones last
TURN = 65  # ready when the last operation on vectors began, where these begin in order
PORTS_AT_MOST, QUEUE_AT_MOST, WINDOW_AT_MOST, STORES_AT_MOST, FILLS_AT_MOST = 32, 64, 1024, 64, 64
FETCHED_AT_MOST = 32  # instructions between fetch and dispatch
RING = 1 << 14  # cycles that an out-of-order back end may be ahead of its front end
STORES_BACK = 16  # that a load can take over from
SECOND_PLACE = 32  # PORTS_AT_MOST, in a set of ports at which something leaves the queue
HALF = 8  # PARTS; a time that is of no chain lies in the middle of its cycle
ALWAYS, SIMILAR, DATA, FORWARDED = range(4)  # kinds of reads
NEVER = 1 << 60  # a cycle after all others

# Causes of cycles.  Every cycle of a run is attributed to one instruction and one cause.
DEPENDENCE, LOAD_USE, PORT, ISSUE, TAKEN, FULL, MISS, STORE_FULL, FETCH = range(9)
CAUSES = (
    "dependency", "load-use", "port", "issue width", "branch", "queue or window full", "cache miss", "store buffer",
    "instruction fetch",
)  # fmt: skip
# Further rows of the same log: cycles in which a port was busy, and cycles without dispatch, for lack of
# instructions or because the back end did not take them.
BUSY, IDLE_FRONT, IDLE_BACK = range(13, 16)

#: How many cycles accesses need more that cross from one unit to the next.
CROSSING = np.dtype(
    [
        ("cycles", np.int64),  # that the port is held for
        ("part", np.int64),  # parts of a cycle on top
        ("latency", np.int64),  # cycles until what is loaded is there
    ]
)
#: Ports that dispatch sends only so many operations to in a cycle.
GROUP = np.dtype(
    [
        ("ports", np.int64),  # a bit for each, 0 for no group
        ("most", np.int64),  # operations a cycle
    ]
)
#: The figures of a core.  Of a limit, 0 means that there is none.
CORE = np.dtype(
    [
        ("width", np.int64),  # slots dispatched a cycle; in order: issued
        ("window", np.int64),  # slots that may be in flight; 0 for a core that issues in order
        ("queue", np.int64),  # NEON instructions that may wait, in order; 0 where they are issued as any other
        ("scheduler", np.int64),  # operations that may wait for operands
        ("port_queue", np.int64),  # the same for each port
        ("queue_hold", np.int64),  # cycles that one that began keeps its place
        ("retire", np.int64),  # slots retired a cycle
        ("ports", np.int64),  # how many there are
        ("results", np.int64),  # 64-bit results that vector registers take in a cycle, in order
        ("merge_latency", np.int64),  # cycles from the data that a lane is put beside to the result
        ("fetch", np.int64),  # instructions fetched a cycle
        ("fetch_queue", np.int64),  # instructions between fetch and dispatch; at least 1
        ("mispredict", np.int64),  # cycles from the execution of a branch that was not foreseen to the next fetch
        ("taken_bubble", np.int64),  # cycles without fetch behind a branch that is taken
        ("loop_bubble", np.int64),  # the same where it is the one taken last
        ("far_bubble", np.int64),  # the same behind a branch whose target is not in the instruction
        ("history", np.int64),  # branches back that the predictor looks
        ("store_ahead", np.int64),  # cycles that a store begins ahead of its data, at most; -1 for no limit
        ("behind_miss", np.int64),  # instructions issued behind a load that misses, in order
        ("outstanding", np.int64),  # lines on their way
        ("stores", np.int64),  # stores that wait for their lines
        ("extra", np.int64, 2),  # cycles that a line takes from the second level, and from memory, beyond the first
        ("interval", np.int64, 2),  # cycles between two such lines
        ("passing", np.int64, 4),  # cycles from a store to a load of it: general, vector; the same of a part of it
        ("crossings", CROSSING, CROSSINGS_AT_MOST),
        ("groups", GROUP, GROUPS_AT_MOST),
    ]
)

#: An instruction of the program.  Its reads, writes and uses are rows of their own tables, from `first_...` to before
#: `past_...`.
INSTRUCTION = np.dtype(
    [
        ("slots", np.int64),  # places that it takes
        ("vectors", np.int64),  # of the two for NEON instructions and vector loads; in order
        ("family", np.int64),  # instructions that forward accumulators to each other; 0 for none
        ("use_part", np.int64),  # parts of a cycle that it holds its first port for, on top
        ("latency_part", np.int64),  # parts of a cycle on top of its latency
        ("late_part", np.int64),  # parts of a cycle by which its accumulator is looked at earlier than `READ.late`
        ("halves", np.int64),  # 64-bit results in vector registers, in order
        ("loaded", np.int64),  # 128-bit vector registers that are loaded whole, in order, where they take room
        ("neon", np.bool_),
        ("alone", np.bool_),  # nothing is issued with it
        ("leads", np.bool_),  # it is the first of those issued with it, in order
        ("load", np.bool_),
        ("store", np.bool_),
        ("branch", np.bool_),
        ("predicted", np.bool_),  # a conditional branch
        ("far", np.bool_),  # a branch whose target is not in the instruction
        ("first_read", np.int64),
        ("past_reads", np.int64),
        ("first_write", np.int64),
        ("past_writes", np.int64),
        ("first_use", np.int64),
        ("past_uses", np.int64),
    ],
    align=True,
)
READ = np.dtype(
    [
        ("register", np.int64),
        ("late", np.int64),  # cycles after issue that it is looked at
        # ALWAYS late; for producers of the same family (SIMILAR); because it is DATA that goes to or past memory and
        # that no address waits for; as far as the producer forwards (FORWARDED)
        ("how", np.int64),
    ]
)
WRITE = np.dtype(
    [
        ("register", np.int64),
        ("latency", np.int64),  # cycles
        ("forwards", np.int64),  # cycles that it is forwarded early by
        ("aside", np.bool_),  # an address write-back
    ],
    align=True,
)
USE = np.dtype(
    [
        ("ports", np.int64),  # a bit for each that can do it
        ("cycles", np.int64),
        ("places", np.int64),  # that it takes in the queue at a port: 1 or 2
    ]
)
#: What happens beyond the first-level caches.
OPERATION = np.dtype(
    [
        ("position", np.int32),  # instructions of the run before it
        ("kind", np.int32),  # see `fill_journal`
        ("place", np.int32),  # of an awaited line, of a rule of crossing, or how many stores back
    ]
)
#: Cycles put down to an instruction; of BUSY, to a port.
LOGGED = np.dtype(
    [
        ("instruction", np.int32),
        ("cause", np.int32),
        ("producer", np.int32),  # the instruction waited for, -1 for none
        ("cycles", np.int32),
    ]
)
TALLIED = np.dtype([(name, np.int64) for name in LOGGED.names or ()])
#: One execution of an instruction; times are cycles.
RECORDED = np.dtype(
    [
        ("dispatched", np.int64),
        ("begun", np.int64),
        ("done", np.int64),
        ("retired", np.int64),
        ("producer", np.int64),  # row of what it waited for, -1 for none
        ("cause", np.int64),
        ("instruction", np.int64),
        ("longer", np.int64),  # cycles that it held its first port for more than the least
        ("part", np.int64),  # parts into the cycle in which it began
    ]
)

# Parts of the state, rows of 64-bit words.  The first is the cycle until which a row matters.
REGISTER = np.dtype(
    [
        ("ready", np.int64),
        ("writer", np.int32),  # instruction
        ("reason", np.int8),  # cause of a wait for it
        ("part", np.int8),  # out of order: parts into the cycle that it is ready in
        ("forwards", np.int16),  # cycles that it is forwarded early by
    ]
)
LINE = np.dtype([("arrives", np.int64)])
UNIT = np.dtype([("free", np.int64)])
QUEUED = np.dtype([("begins", np.int64), ("cause", np.int32), ("blame", np.int32)])
#: The load that missed last, and how many instructions have passed it.
MISSED = np.dtype([("until", np.int64), ("instruction", np.int32), ("passed", np.int32)])
#: A store that loads may take over from: when it was there, and the most cycles that taking over may need.
STORED = np.dtype([("over", np.int64)])
PLACE = np.dtype([("left", np.int64)])

#: A cycle of the back end: bits of the ports that are spoken for, and at which of them operations begin.
CYCLE = np.dtype(
    [
        ("begun", np.int64),  # ports at which a place of the queue is given up, and SECOND_PLACE bits on, two places
        ("busy", np.int32),
    ],
    align=True,
)
#: A port, out of order.
RESERVED = np.dtype(
    [
        ("free", np.int64),  # first cycle at which it may be; a hint
        ("ahead", np.int64),  # cycles for which it is spoken for
        ("waiting", np.int64),  # operations that wait at it
    ]
)
#: What is waited for: until when, why, for which instruction (-1 for none), and its row of the record (-1 for none).
WAIT = np.dtype([("until", np.int64), ("cause", np.int64), ("blame", np.int64), ("awaited", np.int64)])
#: The instruction at hand, on its way through the stages.
ENTRY = np.dtype(
    [
        ("number", np.int64),
        ("position", np.int64),  # in its run
        ("operation", np.int64),  # the next of the run's operations
        ("front", np.int64),  # cycle in which there is a place for it; out of order: in which it is dispatched
        ("starved", np.int64),  # in order: cycles after that until it is fetched
        ("fetch_cause", np.int64),
        ("start", WAIT),  # in order: its issue, to its unit or the queue
        ("work", WAIT),  # its execution
        ("data", WAIT),  # out of order: what it stores, or puts a lane beside
        ("data_part", np.int64),  # parts of a cycle
        ("begin", np.int64),  # out of order: cycle in which its operands are there
        ("part", np.int64),  # parts into that
        ("longer", np.int64),  # cycles that it holds its first port for on top
        ("slower", np.int64),  # cycles of latency on top
        ("held", np.int64),  # cycle from which its latency counts
        ("done", np.int64),  # cycle in which its last result is there
        ("picked", np.int64, PORTS_AT_MOST),  # in order: the port of each use, -1 for none
    ]
)

_RELATIVE: list[tuple[Any, ...]] = [  # cycles that matter in the past too
    ("fetch_at", np.int64),  # that the fetch unit is at
    ("retired", np.int64),  # of the last retirement; in order: as `now`
]
_AHEAD: list[tuple[Any, ...]] = [  # cycles that matter as long as they lie ahead
    ("buses", np.int64, 2),  # when a line can be asked for, of the second level, of memory
]
_AS_IS: list[tuple[Any, ...]] = [
    ("used", np.int64),  # slots dispatched in this cycle; in order: issued
    ("vectors", np.int64),  # in order: places for vectors that are taken in this cycle
    ("writing", np.int64),  # in order: 64-bit results that vector registers take in this cycle and later, 2 bits each
    ("grouped", np.int64),  # out of order: operations dispatched in this cycle to each group of ports, four bits each
    ("fetching", np.int64),  # instructions fetched in the cycle that the fetch unit is at
    ("fetch_cause", np.int64),
    ("fetch_branch", np.int64),  # the branch that fetch rested behind, where that is its cause; else 0
    ("last_taken", np.int64),  # the branch taken last, plus 1
    ("front_cause", np.int64),  # out of order: why dispatch came to the cycle that it is in
    ("retire_used", np.int64),  # slots retired in that cycle
    ("turns", np.int64),  # where in their turn to hold a port for longer instructions are, four bits each
    ("passing", np.int64),  # 1 from the first load on that takes over from a store
    ("fills", np.int64),  # lines on their way
    ("storing", np.int64),  # stores that wait
]
_PARTS: list[tuple[Any, ...]] = [
    ("registers", REGISTER, REGISTERS),
    ("lines", LINE, FILLS_AT_MOST),
    ("stores", LINE, STORES_AT_MOST),
    ("units", UNIT, PORTS_AT_MOST),  # in order: the ports
    ("queue", QUEUED, QUEUE_AT_MOST),  # in order: NEON instructions that wait, a ring
    ("miss", MISSED),
    ("stored", STORED, STORES_BACK),  # a ring
    ("fetched", PLACE, FETCHED_AT_MOST),  # when instructions left the queue behind fetch, a ring
    ("window", PLACE, WINDOW_AT_MOST),  # when the slots of the window are left, a ring
]
_DERIVED: list[tuple[Any, ...]] = [  # from the above, or of no influence
    ("queue_next", np.int64),  # place in each ring of the oldest, which the next takes
    ("stored_next", np.int64),
    ("fetched_next", np.int64),
    ("window_next", np.int64),
    ("pending", np.int64),  # out of order: operations that wait for operands
    ("cleared", np.int64),  # cycles before this one are forgotten
    ("top", np.int64),  # the last cycle that a port is spoken for
    ("ports", RESERVED, PORTS_AT_MOST),
    ("logged", np.int64),  # rows of the log
    ("instances", np.int64, REGISTERS),  # row of the record that wrote each register
    ("entry", ENTRY),
]
#: The state.  `now` is the engine's own time: of issue in order, else of dispatch.
LIVE = np.dtype([("now", np.int64), *_RELATIVE, *_AHEAD, *_AS_IS, *_PARTS, *_DERIVED])


def words_of(name: str) -> tuple[int, int]:
    """Return the offset of a part of LIVE and the length of a row of it, in words of 64 bits."""
    assert LIVE.fields is not None
    kind, offset = LIVE.fields[name][:2]
    return offset // 8, kind.base.itemsize // 8


FIRST_RELATIVE, FIRST_AHEAD, FIRST_AS_IS, FIRST_PART = (
    words_of(fields[0][0])[0] for fields in (_RELATIVE, _AHEAD, _AS_IS, _PARTS)
)
WORDS = LIVE.itemsize // 8


def new_live() -> npt.NDArray[Any]:
    """Return the state before the first instruction."""
    live = np.zeros(1, LIVE)
    live["top"] = -1
    return live
