"""What a loop or a run costs on a core: cycles, what held it up where, and what would be left if only one thing did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.instruction import Instruction
from neonlab.measure import pipeline_engine as engine
from neonlab.measure.pipeline_core import PipelineCore
from neonlab.measure.pipeline_program import REGISTERS, Compiled, compile_instructions

_ONLY = ("ports", "width", "dependences")
_SETTLED, _MEASURED = 48, 96  # iterations of a loop that are run first, and those that are then measured


@dataclass(frozen=True, slots=True)
class Stall:
    """Cycles that the instruction at `address` waited; `producer` is the address of what it last waited for."""

    cause: str
    address: int
    cycles: float
    producer: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Cycles if only the ports, the width, or the dependences limited the code; the largest is attacked first."""

    ports: float
    dispatch: float
    dependencies: float


@dataclass(frozen=True, slots=True)
class Cycles:
    """An estimate by a model, never a measurement.  For a loop all figures are those of one iteration.

    `occupancy` is the share of cycles that each port is busy.  `unknown` are the instructions whose form the core's
    table does not have and that were taken for the usual one of their class.
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

    `instruction` is its index in the body.  `dispatched` is when it left the front end (in order: when it was issued
    to its unit or queue), `issued` when its unit began, `ready` when its last result was there, `retired` when it and
    all before it were done.  `producer` is the place in the schedule of what it last waited for, negative for an
    instruction of an earlier iteration, None if it waited for no result; `cause` is why it waited, "" if it did not.
    """

    instruction: int
    iteration: int
    dispatched: int
    issued: int
    ready: int
    retired: int
    producer: int | None
    cause: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """`rows` in program order, `length` for each of the iterations."""

    core: str
    length: int
    iterations: int
    rows: tuple[Scheduled, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    end: int
    ends: npt.NDArray[np.int64]
    stalls: npt.NDArray[np.int64]
    producer: npt.NDArray[np.int64]
    busy: npt.NDArray[np.int64]


def loop_cycles(body: Sequence[Instruction], core: PipelineCore) -> Cycles:
    """Steady state of a loop: its body in program order, the branch back included, all data in the nearest cache."""
    compiled = compile_instructions(body, core)
    count = len(body)
    trace = np.tile(np.arange(count, dtype=np.int64), _SETTLED + _MEASURED)
    settled, full = (_run(compiled, part, core) for part in (trace[: _SETTLED * count], trace))
    bounds = Bounds(*(_rate(_run(compiled, trace, core, only=only), count) for only in _ONLY))
    return _cycles(body, core, full, settled, _rate(full, count), count, bounds, _MEASURED)


def loop_schedule(body: Sequence[Instruction], core: PipelineCore, iterations: int = 2) -> Schedule:
    """When each instruction of so many iterations of a loop runs, once the loop has settled."""
    count = len(body)
    trace = np.tile(np.arange(count, dtype=np.int64), _SETTLED + iterations)
    record = np.zeros((len(trace), 6), np.int64)
    _run(compile_instructions(body, core), trace, core, record=record)
    first = _SETTLED * count
    kept = record[first:]
    origin = int(kept[:, 0].min())
    kept[:, :4] -= origin
    kept[kept[:, 4] >= 0, 4] -= first
    kept[kept[:, 4] == -1, 4] = -first - 1
    rows = tuple(
        Scheduled(
            int(trace[first + at]), at // count, *(int(figure) for figure in row[:4]),
            int(row[4]) if row[4] >= -first else None, engine.CAUSES[row[5]] if row[5] >= 0 else "",
        )
        for at, row in enumerate(kept)
    )  # fmt: skip
    return Schedule(core.name, count, iterations, rows)


def trace_cycles(instructions: Sequence[Instruction], trace: npt.NDArray[np.int64], core: PipelineCore) -> Cycles:
    """A whole run: `trace` holds the index into `instructions` of each executed one; those lie in order of address."""
    compiled = compile_instructions(instructions, core)
    full = _run(compiled, trace, core)
    bounds = Bounds(*(float(_run(compiled, trace, core, only=only).end) for only in _ONLY))
    return _cycles(instructions, core, full, None, float(full.end), len(trace), bounds, 1)


def run_cycles(instructions: Sequence[Instruction], blocks: npt.NDArray[np.int64], core: PipelineCore) -> Cycles:
    """A whole run given as blocks in the order in which they ran: one row (first, last, times) each.

    `first` and `last` are indices into `instructions`, which lie in order of address; a block that follows itself is
    one row.  As `trace_cycles`, but a repetition that costs what the ones before did is not gone through again.
    """
    compiled = compile_instructions(instructions, core)
    full = _walk(compiled, blocks, core)
    bounds = Bounds(*(float(_walk(compiled, blocks, core, only=only).end) for only in _ONLY))
    count = int(((blocks[:, 1] - blocks[:, 0] + 1) * blocks[:, 2]).sum())
    return _cycles(instructions, core, full, None, float(full.end), count, bounds, 1)


def _rate(run: _Run, count: int) -> float:
    last, first = run.ends[-1], run.ends[_SETTLED * count - 1]
    return float(last - first) / _MEASURED


def _cycles(
    code: Sequence[Instruction], core: PipelineCore, run: _Run, before: _Run | None, total: float, count: int,
    bounds: Bounds, times: int,
) -> Cycles:  # fmt: skip
    waited = run.stalls - before.stalls if before else run.stalls
    busy = run.busy - before.busy if before else run.busy
    stalls = [
        Stall(
            engine.CAUSES[cause], code[one].address, float(waited[one, cause]) / times,
            code[run.producer[one]].address if cause in (engine.DEPENDENCE, engine.LOAD_USE) else None,
        )
        for one, cause in zip(*np.nonzero(waited), strict=True)
    ]  # fmt: skip
    stalls.sort(key=lambda stall: (-stall.cycles, stall.address))
    occupancy = {port: float(busy[number]) / times / total if total else 0.0 for number, port in enumerate(core.ports)}
    unknown = tuple(dict.fromkeys(instruction for instruction in code if not core.knows(instruction)))
    return Cycles(core.name, total, count, tuple(stalls), occupancy, bounds, unknown)


def _figures(core: PipelineCore, only: str) -> npt.NDArray[np.int64]:
    figures = np.zeros(10, np.int64)
    figures[engine.WIDTH] = core.width
    figures[engine.WINDOW], figures[engine.QUEUE] = core.window, core.queue
    figures[engine.MISPREDICT], figures[engine.BUBBLE] = core.mispredict, core.taken_bubble
    figures[engine.MERGE] = core.merge_latency
    figures[engine.RETIRE], figures[engine.PORTS] = core.retire, len(core.ports)
    if only:
        figures[[engine.WINDOW, engine.RETIRE, engine.QUEUE, engine.MISPREDICT, engine.BUBBLE]] = 0
        figures[engine.UNLIMITED_PORTS] = only != "ports"
        figures[engine.NO_LATENCY] = only != "dependences"
        if only != "width":
            figures[engine.WIDTH] = 1 << 40
    return figures


def _state(core: PipelineCore, count: int, ordered: bool) -> tuple[npt.NDArray[Any], ...]:
    """Registers, ports, predictor, queue or window, cycles taken by port, clock: as before the first instruction."""
    registers = np.zeros((4, REGISTERS), np.int64)
    registers[2:] = -1
    clock = np.zeros(6, np.int64)
    clock[0] = not ordered
    ring = np.zeros(max(1, core.queue, core.window), np.int64)
    cells = np.zeros((1, 1) if ordered else (len(core.ports), engine.RING), np.uint8)
    return registers, np.zeros(64, np.int64), np.full(count, 2, np.int64), ring, cells, clock


def _run(
    compiled: Compiled,
    trace: npt.NDArray[np.int64],
    core: PipelineCore,
    only: str = "",
    record: npt.NDArray[np.int64] | None = None,
) -> _Run:
    figures, ordered = _figures(core, only), core.in_order and not only
    count = len(compiled.traits)
    record = np.zeros((0, 6), np.int64) if record is None else record
    ends = np.zeros(len(trace), np.int64)
    stalls, producer, busy = _counters(core, count)
    run = engine.in_order if ordered else engine.out_of_order
    end = run(
        trace, -1, figures, *_tables(compiled), *_state(core, count, ordered), ends, stalls, producer, busy, record
    )
    return _Run(int(end), ends, stalls, producer, busy)


def _walk(compiled: Compiled, blocks: npt.NDArray[np.int64], core: PipelineCore, only: str = "") -> _Run:
    figures, ordered = _figures(core, only), core.in_order and not only
    count = len(compiled.traits)
    stalls, producer, busy = _counters(core, count)
    longest = int((blocks[:, 1] - blocks[:, 0]).max()) + 1
    state = _state(core, count, ordered)
    end = engine.walk(blocks, ordered, longest, figures, *_tables(compiled), *state, stalls, producer, busy)
    return _Run(int(end), np.zeros(0, np.int64), stalls, producer, busy)


def _counters(core: PipelineCore, count: int) -> tuple[npt.NDArray[np.int64], ...]:
    stalls, producer = np.zeros((count, len(engine.CAUSES)), np.int64), np.zeros(count, np.int64)
    return stalls, producer, np.zeros(max(1, len(core.ports)), np.int64)


def _tables(compiled: Compiled) -> tuple[npt.NDArray[np.int64], ...]:
    return (
        compiled.traits, compiled.read_start, compiled.reads, compiled.write_start, compiled.writes,
        compiled.use_start, compiled.uses,
    )  # fmt: skip
