"""Set up a core's pipeline to run: the arrays that the compiled code works on, and its results."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.caches import Latencies
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.memo.runs import advance
from neonlab.measure.pipeline.memo.saved import WORDS_BY_SIZE
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
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
    STORE_TO,
    TRANSITION,
)
from neonlab.measure.pipeline.state import (
    CORE,
    CROSSINGS_AT_MOST,
    CYCLE,
    FILLS_AT_MOST,
    LOGGED,
    OPERATION,
    RECORDED,
    RING,
    TALLIED,
    new_live,
)

Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]
_SIZE = 15
_SIZE_BY_STATE = 128  # on average
_ROWS_BY_INSTRUCTION = 24  # of the log: several causes, and every use of a port


class PipelineMachine:
    """Runs `instructions`, which are in order of address, on `core`.

    `latency` describes what lies beyond the first-level caches.  `remembers` makes it reuse what it computed before,
    with 2**`size` states at most, which changes only its run time.  `record` is the number of instructions to record
    one by one.  `compiled` are the instructions as `compile_instructions` returns them, if that was done before.
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
        compiled: CompiledProgram | None = None,
    ) -> None:
        self.core, self.instructions = core, tuple(instructions)
        self.compiled: CompiledProgram = compiled or compile_instructions(self.instructions, core)
        self.state: npt.NDArray[Any] = np.zeros(1, MEMO)
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        count = len(self.instructions)
        self._hold("code", self.compiled.code)
        for name in ("reads", "writes", "uses"):
            self._hold(name, getattr(self.compiled, name), f"{name[:-1]}_count")
        self._hold("core", _figures(core, latency))
        self._hold("live", new_live())
        self._hold("cycles", np.zeros(RING, CYCLE))
        self._hold("scratch", np.zeros(SCRATCH, np.int64))
        self._hold("log", np.zeros(_ROWS_BY_INSTRUCTION * count + OPERATIONS + 64, LOGGED), "log_room")
        self._hold("record", np.zeros(record, RECORDED), "record_room")
        tally = 1 << (32 * count + 4096).bit_length()
        self._hold("tally", np.zeros(tally, TALLIED), "tally_room")
        states = 1 << size
        transitions = 4 * states if remembers else 2
        self._hold("states", np.zeros(states + 1, np.int64))
        self._hold("state_index", np.zeros(2 * states, np.int32))
        self.state["size_room"] = _SIZE_BY_STATE * states
        self._hold("numbers", np.zeros(WORDS_BY_SIZE * _SIZE_BY_STATE * states, np.int64), "number_room")
        self._hold("transitions", np.zeros(transitions, TRANSITION))
        self._hold("transition_index", np.zeros(2 * transitions, np.int32))
        self.state["state_room"], self.state["transition_room"] = states, transitions
        self._hold("kept_operations", np.zeros(transitions, OPERATION), "kept_operation_room")
        self._hold("kept_log", np.zeros(16 * transitions + len(self._arrays["log"]), LOGGED), "kept_log_room")
        self._hold("operations", np.zeros(OPERATIONS, OPERATION))
        self._hold("lines", np.zeros(FILLS_AT_MOST, np.uint64))
        self._hold("patterns", np.full(PATTERNS, -1, np.int8))
        self._hold("target_of", _targets(self.instructions))
        stores = np.append(0, np.cumsum(self.compiled.code["store"]))
        self._hold("stores_before", stores.astype(np.int32))
        self._hold("recent", _no_stores())
        units = [-rule.unit if rule.structures else rule.unit for rule in core.crossings]
        self._hold("crossing_units", np.array(units + [1] * (CROSSINGS_AT_MOST - len(units)), np.int64))
        self.state["instructions"], self.state["remembers"] = count, remembers
        self.state["first"], self.state["state"], self.state["live_is_current"] = -1, -1, 1

    def _hold(self, name: str, array: npt.NDArray[Any], room: str = "") -> None:
        self._arrays[name] = array
        self.state[name] = array.ctypes.data
        if room:
            self.state[room] = len(array)

    def attach(self, **arrays: npt.NDArray[Any]) -> None:
        """Keep further arrays that the compiled code refers to, by the names of their fields."""
        for name, array in arrays.items():
            self._hold(name, array)

    def restart(self) -> None:
        """Empty the pipeline and reset the predictor; what is remembered stays."""
        self._arrays["patterns"][:] = -1
        self.state["history"] = 0
        self.drain()

    def drain(self) -> None:
        """Empty the pipeline, as long after all that ran; the predictor, and what is remembered, stay."""
        self._arrays["live"][:] = new_live()
        self._arrays["cycles"][:] = np.zeros(1, CYCLE)
        self._arrays["recent"][:] = _no_stores()
        for name in ("clock", "operation_count", "line_count", "stores_done", "recorded"):
            self.state[name] = 0
        self.state["first"], self.state["state"], self.state["live_is_current"] = -1, -1, 1
        self.clear_tally()

    def clear_tally(self) -> None:
        """Nothing counted so far; the pipeline goes on as it is."""
        self._arrays["tally"]["cycles"] = 0
        self._arrays["transitions"]["times"][: int(self.state["transition_count"][0])] = 0
        for name in ("tally_used", "branches", "mispredicted", "near_fills", "far_fills"):
            self.state[name] = 0

    def run(self, rows: Integers) -> None:
        """Run rows of (first, last) instruction; only the last of a row is a branch.

        The first row is taken to follow the last.
        """
        rows = np.ascontiguousarray(rows, np.int64)
        self._call(ROWS, rows.ctypes.data, len(rows))

    def finish(self) -> None:
        """End the call: the current run was its last."""
        self._call(END, 0, 0)
        self.state["mode"] = EVENTS

    def _call(self, mode: int, given: int, number: int) -> None:
        self.state["mode"] = mode
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(advance.address)
        call(self.state.ctypes.data, given, number)

    @property
    def clock(self) -> int:
        """The cycle at which the next instruction leaves the front end, if the width allows."""
        return int(self.state["clock"][0])

    @property
    def state_number(self) -> int:
        """The number of the pipeline's state relative to the clock; -1 where memory is full.

        Equal states have the same number.
        """
        self._call(NUMBER, 0, 0)
        return int(self.state["state"][0])

    @property
    def forgotten(self) -> int:
        """The number of times that memory was full.  State numbers before and after that mean different states."""
        return int(self.state["forgotten"][0])

    @property
    def end(self) -> int:
        """Cycles until all that ran was issued (in order) or retired; valid after `finish`.

        What still waits in a NEON queue delays only its own results.
        """
        live = self._arrays["live"][0]
        return int(live["now"] + (1 if live["used"] else 0)) if self.core.in_order else int(live["retired"])

    @property
    def drained(self) -> int:
        """Cycles until all that ran is done, and its results are there; valid after `finish`.

        In order, stores that wait for a line may be there still.
        """
        if not self.core.in_order:
            return self.end
        live = self._arrays["live"][0]
        waiting = live["queue"]["begins"].max() + 1 if self.core.queue else 0
        return max(self.end, int(live["registers"]["ready"].max()), int(waiting))

    @property
    def branches(self) -> tuple[int, int]:
        """The number of conditional branches predicted, and of those mispredicted."""
        return int(self.state["branches"][0]), int(self.state["mispredicted"][0])

    @property
    def fills(self) -> tuple[int, int]:
        """The numbers of data lines from the second level and from memory, with prefetched ones."""
        return int(self.state["near_fills"][0]), int(self.state["far_fills"][0])

    def tally(self) -> Rows:
        """After `finish`: rows of TALLIED, in order of instruction, cause and producer."""
        rows = self._arrays["tally"]
        return np.sort(rows[rows["cycles"] != 0], order=("instruction", "cause", "producer"))

    def recorded(self) -> Rows:
        """Return a row of RECORDED for each recorded instruction, in order."""
        return self._arrays["record"][: int(self.state["recorded"][0])]


def _figures(core: PipelineCore, latency: Latencies | None) -> Rows:
    """Return the CORE record of a core, with the latencies beyond its first-level caches if they are modelled."""
    figures = np.zeros(1, CORE)
    one = figures[0]
    one["width"], one["window"], one["queue"], one["scheduler"] = core.width, core.window, core.queue, core.scheduler
    one["port_queue"], one["queue_hold"] = core.port_queue, core.queue_hold
    one["retire"], one["ports"] = core.retire, len(core.ports)
    one["results"] = core.results
    one["merge_latency"], one["history"], one["mispredict"] = core.merge_latency, core.history, core.mispredict
    one["fetch"], one["fetch_queue"] = core.fetch or core.width, core.fetch_queue
    one["taken_bubble"], one["loop_bubble"] = core.taken_bubble, core.loop_bubble
    one["far_bubble"] = core.far_bubble or core.taken_bubble
    one["store_ahead"] = core.store_ahead
    one["passing"] = (*core.passing, *core.passing_part)
    for number, rule in enumerate(core.crossings):
        one["crossings"][number] = rule.cycles, rule.part, rule.latency
    for number, group in enumerate(core.dispatch):
        one["groups"][number] = group
    if latency is not None:
        one["outstanding"], one["stores"], one["behind_miss"] = (
            latency.outstanding, latency.stores, latency.behind_miss,
        )  # fmt: skip
        one["extra"] = latency.l2 - latency.l1, latency.memory - latency.l1
        one["interval"] = latency.l2_interval, latency.memory_interval
    return figures


def _no_stores() -> Rows:
    found = np.zeros(RECENT, STORE_TO)
    found["granule"] = -1
    return found


def _targets(instructions: Sequence[Instruction]) -> npt.NDArray[np.int32]:
    """Return the number of the instruction that each branches to, -1 where it is unknown or not among them."""
    numbers = {instruction.address: number for number, instruction in enumerate(instructions)}
    found = [-1 if one.target is None else numbers.get(one.target, -1) for one in instructions]
    return np.array(found, np.int32)
