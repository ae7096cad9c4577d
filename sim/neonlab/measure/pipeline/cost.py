"""Estimate the cost of a loop or a trace on a core: cycles, stalls by instruction, and bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.bounds import dependence_rate, dispatch_bound, port_bound
from neonlab.measure.pipeline.machine import PipelineMachine
from neonlab.measure.pipeline.state import (
    BUSY,
    CAUSES,
    DEPENDENCE,
    IDLE_BACK,
    IDLE_FRONT,
    ISSUE,
    LOAD_USE,
    MISS,
)

_TRAINED = 8  # iterations after which the predictor knows the loop's branches
_AT_MOST = 4096  # iterations in which a state is to come again
_SMALL = 13  # states of a loop, as a power of two, that are remembered at most
_TOGETHER = 16  # instructions between two looks at the state, at least
_SETTLED = 256  # iterations before those of a schedule


@dataclass(frozen=True, slots=True)
class Stall:
    """Cycles that the instruction at `address` waited; `producer` is the address of what it waited for."""

    cause: str
    address: int
    cycles: float
    producer: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Cycles if only the ports, the width, or the dependences limited the code."""

    ports: float
    dispatch: float
    dependencies: float


@dataclass(frozen=True, slots=True)
class Cycles:
    """An estimate of a model.  For a loop, all figures are those of one iteration.

    The stalls add up to `total`: every cycle is attributed to one instruction and one cause.  The cause is "issue
    width" where the instruction could not have come sooner.  `occupancy` is the share of cycles in which each port is
    busy. `unknown` are the instructions whose form the core's table does not have; they were timed as their class.
    """

    core: str
    total: float
    instructions: int
    stalls: tuple[Stall, ...]
    occupancy: Mapping[str, float]
    bounds: Bounds
    unknown: tuple[Instruction, ...] = ()

    @property
    def ipc(self) -> float:
        """Instructions a cycle."""
        return self.instructions / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Scheduled:
    """One instruction of one iteration; cycles count from the first dispatch of the schedule.

    `instruction` is its index in the body.  `dispatched` is when it left the front end (in order: when it was issued to
    its unit or queue), `issued` when its unit began, `ready` when its last result was ready, `retired` when it and all
    before it were done.  `producer` is the place in the schedule of what it last waited for, negative for an
    instruction of an earlier iteration, None if it waited for no result.  `cause` is why it waited, "" if it did not.
    `longer` is the number of extra cycles that it held its first port.  `part` is the part of the cycle, in sixteenths,
    at which its operands' chain ended.
    """

    instruction: int
    iteration: int
    dispatched: int
    issued: int
    ready: int
    retired: int
    producer: int | None
    cause: str
    longer: int = 0
    part: int = 0


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of a loop: `rows` in program order, `length` rows for each iteration."""

    core: str
    length: int
    iterations: int
    rows: tuple[Scheduled, ...]


def loop_cycles(body: Sequence[Instruction], core: PipelineCore) -> Cycles:
    """Return the steady state of a loop: its body in program order with the branch back, all data in the nearest cache.

    The loop runs until the pipeline is in a state that it was in before.  The cycles between the two are the result,
    exactly.  Where no state returns, the result is an average over 256 runs of the body.
    """
    machine = PipelineMachine(body, core, size=_SMALL, remembers=False)
    together = -(-_TOGETHER // len(body))
    rows = np.tile(_rows_of(machine, np.arange(len(body), dtype=np.int64)), (together, 1))
    seen: dict[int, int] = {}
    times = 0
    for step in range(_AT_MOST):
        machine.run(rows)
        number = machine.state_number
        if number < 0:
            break
        if step * together >= _TRAINED and seen.setdefault(number, step) != step:
            times = step - seen[number]
            break
    times = times or _SETTLED
    start = machine.clock
    machine.finish()
    machine.clear_tally()
    for _ in range(times):
        machine.run(rows)
    period = (machine.clock - start) / (times * together)
    machine.finish()
    counts = np.ones(len(body), np.int64)
    compiled = machine.compiled
    bounds = Bounds(port_bound(compiled, counts), dispatch_bound(compiled, counts, core), dependence_rate(compiled))
    return _cycles(machine, period, len(body), bounds, times * together)


def steady_cycles(body: Sequence[Instruction], core: PipelineCore) -> float:
    """Return the cycles of an iteration, as `loop_cycles` computes them."""
    return loop_cycles(body, core).total


def loop_schedule(body: Sequence[Instruction], core: PipelineCore, iterations: int = 2) -> Schedule:
    """Return when each instruction of so many iterations of a loop runs in its steady state."""
    count = len(body)
    machine = PipelineMachine(body, core, remembers=False, record=(_SETTLED + iterations) * count)
    rows = _rows_of(machine, np.arange(count, dtype=np.int64))
    for _ in range(_SETTLED + iterations):
        machine.run(rows)
    first = _SETTLED * count
    kept = machine.recorded()[first:].copy()
    begin = int(kept["dispatched"].min())
    found = []
    for at, row in enumerate(kept.tolist()):
        *times, producer, cause, one, longer, part = row
        dispatched, begun, ready, retired = (time - begin for time in times)
        source, why = producer - first if producer >= 0 else None, "" if cause == ISSUE else CAUSES[cause]
        found.append(Scheduled(one, at // count, dispatched, begun, ready, retired, source, why, longer, part))
    return Schedule(core.name, count, iterations, tuple(found))


def trace_cycles(
    instructions: Sequence[Instruction], trace: npt.NDArray[np.int64], core: PipelineCore, *, remembers: bool = True
) -> Cycles:
    """Return the cost of a whole run with all data in the nearest cache.

    Cycles count from the first dispatch to the last issue or retirement.  `trace` (int64) has the index into
    `instructions` of each executed one; `instructions` are in order of address.
    """
    machine = PipelineMachine(instructions, core, remembers=remembers)
    machine.run(_rows_of(machine, trace))
    machine.finish()
    counts = np.bincount(trace, minlength=len(instructions))
    compiled = machine.compiled
    bounds = Bounds(port_bound(compiled, counts), dispatch_bound(compiled, counts, core), 0.0)
    return _cycles(machine, float(machine.end), len(trace), bounds, 1)


def _rows_of(machine: PipelineMachine, trace: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows of (first, last), cut behind every branch and where the order of addresses breaks."""
    breaks = machine.compiled.code["branch"][trace[:-1]] | (np.diff(trace) != 1)
    last = np.append(np.flatnonzero(breaks), len(trace) - 1)
    first = np.append(0, last[:-1] + 1)
    return np.stack([trace[first], trace[last]], axis=1)


def _cycles(machine: PipelineMachine, total: float, count: int, bounds: Bounds, times: int) -> Cycles:
    tally = machine.tally()
    code, core = machine.instructions, machine.core
    return Cycles(
        core.name, total, count, tuple(stalls_of(tally, code, times)), occupancy_of(tally, core, total * times), bounds,
        unknown_of(code, core),
    )  # fmt: skip


def stalls_of(tally: npt.NDArray[Any], code: Sequence[Instruction], times: int = 1) -> list[Stall]:
    """Cycles by instruction, cause and producer, most first; divided by `times`."""
    stalls = [
        Stall(
            CAUSES[cause], code[one].address, cycles / times,
            code[blame].address if blame >= 0 and cause in (DEPENDENCE, LOAD_USE, MISS) else None,
        )
        for one, cause, blame, cycles in tally.tolist()
        if cause < len(CAUSES)
    ]  # fmt: skip
    return sorted(stalls, key=lambda stall: (-stall.cycles, stall.address, stall.cause))


def occupancy_of(tally: npt.NDArray[Any], core: PipelineCore, total: float) -> dict[str, float]:
    """Share of cycles that each port is busy."""
    busy = np.zeros(len(core.ports))
    for port, _, _, cycles in tally[tally["cause"] == BUSY].tolist():
        busy[port] += cycles
    return {port: float(busy[number]) / total if total else 0.0 for number, port in enumerate(core.ports)}


def idle_of(tally: npt.NDArray[Any]) -> tuple[int, int]:
    """Cycles in which nothing was dispatched for want of instructions, and because the back end took none."""
    front, back = (int(tally["cycles"][tally["cause"] == row].sum()) for row in (IDLE_FRONT, IDLE_BACK))
    return front, back


def unknown_of(code: Iterable[Instruction], core: PipelineCore) -> tuple[Instruction, ...]:
    """Return the instructions whose form the core's table does not have."""
    return tuple(dict.fromkeys(instruction for instruction in code if not core.knows(instruction)))
