"""A core's pipeline ready to run: the arrays that the compiled code works on, and what can be asked of it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.caches import Latencies
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.memo import advance
from neonlab.measure.pipeline.program import Compiled, compile_instructions
from neonlab.measure.pipeline.record import (
    END,
    EVENTS,
    MEMO,
    NUMBER,
    OPERATIONS,
    PATTERNS,
    RECENT,
    ROWS,
    SCRATCH,
    TRANSITION,
)
from neonlab.measure.pipeline.state import (
    BEHIND_MISS,
    BUBBLE,
    CROSSINGS,
    CROSSINGS_AT_MOST,
    FETCH_QUEUE,
    FETCH_WIDTH,
    FIGURES,
    FILLS_AT_MOST,
    GROUPS,
    HISTORY,
    L2_EXTRA,
    L2_INTERVAL,
    LOOP_BUBBLE,
    MEMORY_EXTRA,
    MEMORY_INTERVAL,
    MERGE,
    MISPREDICT,
    NOW,
    OUTSTANDING,
    PASS_GENERAL,
    PORT_QUEUE,
    PORTS,
    QUEUE,
    RECORDED,
    RETIRE,
    RETIRED,
    RING,
    SCHEDULER,
    STORE,
    STORES,
    USED,
    WIDTH,
    WINDOW,
    new_live,
)

Integers = npt.NDArray[np.int64]
_SIZE = 15
_ROWS_BY_INSTRUCTION = 24  # of the log: several causes, and every use of a port


class PipelineMachine:
    """Runs `instructions`, which lie in order of address, on `core`.

    `latency` says what happens beyond the first-level caches; `remembers` makes it look up what it did before, with
    2**`size` states at most, which changes nothing but the time that it takes; `record` is how many instructions to
    write down one by one.
    """

    function = advance

    def __init__(
        self,
        instructions: Sequence[Instruction],
        core: PipelineCore,
        latency: Latencies | None = None,
        *,
        remembers: bool = True,
        size: int = _SIZE,
        record: int = 0,
    ) -> None:
        self.core, self.instructions = core, tuple(instructions)
        self.compiled: Compiled = compile_instructions(self.instructions, core)
        self.state: npt.NDArray[Any] = np.zeros(1, MEMO)
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        count = len(self.instructions)
        for name in ("traits", "read_start", "reads", "write_start", "writes", "use_start", "uses"):
            self._hold(name, getattr(self.compiled, name))
        for name in ("reads", "writes", "uses"):
            self.state[f"{name[:-1]}_count"] = len(getattr(self.compiled, name))
        self._hold("figures", _figures(core, latency))
        self._hold("live", new_live())
        self._hold("cells", np.zeros(RING, np.int32))
        self._hold("starts", np.zeros(RING, np.int32))
        self._hold("scratch", np.zeros(SCRATCH, np.int64))
        self._hold("log", np.zeros((_ROWS_BY_INSTRUCTION * count + OPERATIONS + 64, 4), np.int64), "log_room")
        self._hold("record", np.zeros((record + 1 if record else 0, RECORDED), np.int64), "record_room")
        tally = 1 << (32 * count + 4096).bit_length()
        self._hold("tally", np.zeros((tally, 4), np.int64), "tally_room")
        states = 1 << size
        transitions = 4 * states if remembers else 2
        self._hold("states", np.zeros(states + 1, np.int64))
        self._hold("state_index", np.zeros(2 * states, np.int32))
        self._hold("numbers", np.zeros(128 * states, np.int32), "number_room")
        self._hold("transitions", np.zeros(transitions, TRANSITION))
        self._hold("transition_index", np.zeros(2 * transitions, np.int32))
        self.state["state_room"], self.state["transition_room"] = states, transitions
        self._hold("kept_operations", np.zeros((transitions, 3), np.int32), "kept_operation_room")
        self._hold("kept_log", np.zeros((16 * transitions + len(self._arrays["log"]), 4), np.int32), "kept_log_room")
        self._hold("operations", np.zeros((OPERATIONS, 3), np.int64))
        self._hold("lines", np.zeros(FILLS_AT_MOST, np.uint64))
        self._hold("patterns", np.full(PATTERNS, -1, np.int8))
        self._hold("target_of", _targets(self.instructions))
        stores = np.append(0, np.cumsum(self.compiled.traits[:, STORE] != 0))
        self._hold("stores_before", stores.astype(np.int32))
        self._hold("recent", np.full((RECENT, 4), -1, np.int64))
        units = [rule.unit for rule in core.crossings]
        self._hold("crossing_units", np.array(units + [1] * (CROSSINGS_AT_MOST - len(units)), np.int64))
        self.state["instructions"], self.state["remembers"] = count, remembers
        self.state["first"], self.state["state"], self.state["live_is_current"] = -1, -1, 1

    def _hold(self, name: str, array: npt.NDArray[Any], room: str = "") -> None:
        self._arrays[name] = array
        self.state[name] = array.ctypes.data
        if room:
            self.state[room] = len(array)

    def attach(self, **arrays: npt.NDArray[Any]) -> None:
        """Further arrays that the compiled code refers to, by the names of their fields."""
        for name, array in arrays.items():
            self._hold(name, array)

    def restart(self) -> None:
        """An empty pipeline and an untrained predictor; what is remembered stays."""
        live, cells, starts = (self._arrays[name] for name in ("live", "cells", "starts"))
        live[:], cells[:], starts[:] = new_live(), 0, 0
        self._arrays["patterns"][:] = -1
        self._arrays["recent"][:] = -1
        for name in ("clock", "history", "operation_count", "line_count", "stores_done"):
            self.state[name] = 0
        self.state["first"], self.state["state"], self.state["live_is_current"] = -1, -1, 1
        self.clear_tally()

    def clear_tally(self) -> None:
        """Nothing counted so far; the pipeline goes on as it is."""
        self._arrays["tally"][:] = 0
        self._arrays["transitions"]["times"][: int(self.state["transition_count"][0])] = 0
        for name in ("tally_used", "branches", "mispredicted", "near_fills", "far_fills"):
            self.state[name] = 0

    def run(self, rows: Integers) -> None:
        """Rows of (first, last) instruction; only the last of a row is a branch.  After the last comes the first."""
        rows = np.ascontiguousarray(rows, np.int64)
        self._call(ROWS, rows.ctypes.data, len(rows))

    def finish(self) -> None:
        """The run at hand was the last of the call."""
        self._call(END, 0, 0)
        self.state["mode"] = EVENTS

    def _call(self, mode: int, given: int, number: int) -> None:
        self.state["mode"] = mode
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(advance.address)
        call(self.state.ctypes.data, given, number)

    @property
    def clock(self) -> int:
        """The cycle at which the next instruction leaves the front end, but for the width."""
        return int(self.state["clock"][0])

    @property
    def state_number(self) -> int:
        """What the pipeline is in, the same number for the same, relative to the clock; -1 where memory is full."""
        self._call(NUMBER, 0, 0)
        return int(self.state["state"][0])

    @property
    def forgotten(self) -> int:
        """How often the memory was full; state numbers before and after mean different states."""
        return int(self.state["forgotten"][0])

    @property
    def end(self) -> int:
        """Cycles until what ran so far was issued, in order, or retired; after `finish`.

        What then waits in a NEON queue delays nothing that comes behind, but for its own results.
        """
        live = self._arrays["live"]
        if self.core.in_order:
            return int(live[NOW] + (1 if live[USED] else 0))
        return int(live[RETIRED])

    @property
    def branches(self) -> tuple[int, int]:
        """Conditional branches predicted, and those not as they went."""
        return int(self.state["branches"][0]), int(self.state["mispredicted"][0])

    @property
    def fills(self) -> tuple[int, int]:
        """Lines of data that came from the second level, and from memory, prefetched ones among them."""
        return int(self.state["near_fills"][0]), int(self.state["far_fills"][0])

    def tally(self) -> Integers:
        """After `finish`: rows of (instruction, cause, producer or -1, cycles), in order."""
        rows = self._arrays["tally"]
        rows = rows[rows[:, 3] != 0]
        return np.asarray(rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))], np.int64)

    def recorded(self) -> Integers:
        """Of each instruction written down, in order.

        Columns: dispatched, begun, done, retired, the producer's row, cause, which it is, cycles that it held its port
        for longer, the part of a cycle into which it began.
        """
        record = self._arrays["record"]
        return np.asarray(record[1 : int(record[0, 0]) + 1] if len(record) else record, np.int64)


def _figures(core: PipelineCore, latency: Latencies | None) -> Integers:
    figures = np.zeros(FIGURES, np.int64)
    for place, figure in (
        (WIDTH, core.width), (WINDOW, core.window), (QUEUE, core.queue), (MISPREDICT, core.mispredict),
        (BUBBLE, core.taken_bubble), (RETIRE, core.retire), (PORTS, len(core.ports)), (MERGE, core.merge_latency),
        (SCHEDULER, core.scheduler), (HISTORY, core.history), (FETCH_WIDTH, core.fetch or core.width),
        (FETCH_QUEUE, core.fetch_queue), (LOOP_BUBBLE, core.loop_bubble), (PORT_QUEUE, core.port_queue),
    ):  # fmt: skip
        figures[place] = figure
    figures[PASS_GENERAL : PASS_GENERAL + 4] = (*core.passing, *core.passing_part)
    for number, rule in enumerate(core.crossings):
        figures[CROSSINGS + 3 * number : CROSSINGS + 3 * number + 3] = rule.cycles, rule.part, rule.latency
    for number, (ports, most) in enumerate(core.dispatch):
        figures[GROUPS + 2 * number : GROUPS + 2 * number + 2] = ports, most
    if latency is not None:
        for place, figure in (
            (OUTSTANDING, latency.outstanding), (STORES, latency.stores), (L2_EXTRA, latency.l2 - latency.l1),
            (MEMORY_EXTRA, latency.memory - latency.l1), (L2_INTERVAL, latency.l2_interval),
            (MEMORY_INTERVAL, latency.memory_interval), (BEHIND_MISS, latency.behind_miss),
        ):  # fmt: skip
            figures[place] = figure
    return figures


def _targets(instructions: Sequence[Instruction]) -> npt.NDArray[np.int32]:
    """Number of the instruction that each branches to, -1 where that is not known or not among them."""
    numbers = {instruction.address: number for number, instruction in enumerate(instructions)}
    found = [-1 if one.target is None else numbers.get(one.target, -1) for one in instructions]
    return np.array(found, np.int32)
