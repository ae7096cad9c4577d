"""What a loop or a run costs on a core: cycles, what held it up where, and what would be left if only one thing did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.isa.instruction import Instruction
from neonlab.measure import pipeline_engine as engine
from neonlab.measure.pipeline_core import PipelineCore
from neonlab.measure.pipeline_program import Compiled, compile_instructions

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
    bounds = Bounds(
        *(_rate(_run(compiled, trace, core, only=only), count) for only in ("ports", "width", "dependences"))
    )
    return _cycles(body, core, full, settled, _rate(full, count), count, bounds, _MEASURED)


def trace_cycles(instructions: Sequence[Instruction], trace: npt.NDArray[np.int64], core: PipelineCore) -> Cycles:
    """A whole run: `trace` holds the index into `instructions` of each executed one; those lie in order of address."""
    compiled = compile_instructions(instructions, core)
    full = _run(compiled, trace, core)
    bounds = Bounds(*(float(_run(compiled, trace, core, only=only).end) for only in ("ports", "width", "dependences")))
    return _cycles(instructions, core, full, None, float(full.end), len(trace), bounds, 1)


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


def _run(compiled: Compiled, trace: npt.NDArray[np.int64], core: PipelineCore, only: str = "") -> _Run:
    figures = np.zeros(10, np.int64)
    figures[engine.WIDTH] = core.width
    figures[engine.WINDOW], figures[engine.QUEUE] = core.window, core.queue
    figures[engine.MISPREDICT], figures[engine.BUBBLE] = core.mispredict, core.taken_bubble
    figures[engine.MERGE] = core.merge_latency
    figures[engine.RETIRE], figures[engine.PORTS] = core.retire, len(core.ports)
    ordered = core.in_order
    if only:
        ordered = False
        figures[[engine.WINDOW, engine.RETIRE, engine.QUEUE, engine.MISPREDICT, engine.BUBBLE]] = 0
        figures[engine.UNLIMITED_PORTS] = only != "ports"
        figures[engine.NO_LATENCY] = only != "dependences"
        if only != "width":
            figures[engine.WIDTH] = 1 << 40
    ends = np.zeros(len(trace), np.int64)
    stalls = np.zeros((len(compiled.traits), len(engine.CAUSES)), np.int64)
    producer = np.zeros(len(compiled.traits), np.int64)
    busy = np.zeros(max(1, len(core.ports)), np.int64)
    run = engine.in_order if ordered else engine.out_of_order
    end = run(
        trace, figures, compiled.traits, compiled.read_start, compiled.reads, compiled.write_start, compiled.writes,
        compiled.use_start, compiled.uses, ends, stalls, producer, busy,
    )  # fmt: skip
    return _Run(int(end), ends, stalls, producer, busy)
