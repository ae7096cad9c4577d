"""Draw when each instruction of a loop runs, a letter a cycle, as llvm-mca does.

    D  dispatched: to the window, or (in order) issued to its unit or queue
    =  waits: after D for operands or a port; before D (in order), stalling what follows
    e  executes, E its result is ready
    -  done and waits to retire, R retires (out of order only)

In order, D stands in the first cycle of the execution; out of order, in the cycle before it at the latest.  Data of a
store, and a register that a result keeps a part of, count as operands, though the address may be computed earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Register
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import Schedule, Scheduled, loop_schedule
from neonlab.measure.pipeline.program import compile_instructions


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One instruction of the body in one iteration: `marks` are the letters from cycle `start` on.

    `sources` are the rows, counted from the first of all, that last wrote what it reads.
    """

    instruction: int
    iteration: int
    start: int
    marks: str
    scheduled: Scheduled
    sources: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        """The first cycle after its letters."""
        return self.start + len(self.marks)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        at = self.scheduled
        return {
            "instruction": self.instruction, "iteration": self.iteration, "start": self.start, "marks": self.marks,
            "dispatched": at.dispatched, "issued": at.issued, "ready": at.ready, "retired": at.retired,
            "cause": at.cause,
        }  # fmt: skip


def timeline(body: Sequence[Instruction], core: PipelineCore, iterations: int = 2) -> tuple[TimelineRow, ...]:
    """Return `iterations` iterations of the loop in its steady state, in program order.

    Cycle 0 is that of the first letter.
    """
    schedule = loop_schedule(body, core, iterations)
    drawn = _in_order(schedule) if core.in_order else _out_of_order(schedule, _longest(body, core))
    origin = min(start for start, _ in drawn)
    sources = _sources([body[row.instruction] for row in schedule.rows])
    return tuple(
        TimelineRow(row.instruction, row.iteration, start - origin, marks, row, wrote)
        for row, (start, marks), wrote in zip(schedule.rows, drawn, sources, strict=True)
    )


def _sources(order: Sequence[Instruction]) -> list[tuple[int, ...]]:
    """Return, for each instruction, the indices of those before it that last wrote what it reads."""
    writer: dict[Register, int] = {}
    found = []
    for at, instruction in enumerate(order):
        found.append(tuple(sorted({writer[register] for register in instruction.reads if register in writer})))
        for register in instruction.writes:
            writer[register] = at
    return found


def _in_order(schedule: Schedule) -> list[tuple[int, str]]:
    drawn = []
    turn = schedule.rows[0].dispatched
    for row in schedule.rows:
        held_up = max(0, row.dispatched - turn - 1)
        ready = max(row.ready, row.issued + 1)
        queued = "=" * (row.issued - row.dispatched - 1)
        executes = "e" * (ready - max(row.issued, row.dispatched + 1))
        drawn.append((row.dispatched - held_up, "=" * held_up + "D" + queued + executes + "E"))
        turn = row.dispatched
    return drawn


def _longest(body: Sequence[Instruction], core: PipelineCore) -> list[int]:
    """Return the most cycles that each instruction executes: until its last result, 1 where it has none."""
    table = compile_instructions(body, core)
    found = []
    for at in range(len(body)):
        written = table.writes_of(at)
        found.append(max([1, *written["latency"][~written["aside"]].tolist()]))
    return found


def _out_of_order(schedule: Schedule, longest: Sequence[int]) -> list[tuple[int, str]]:
    drawn = []
    for row in schedule.rows:
        ready = max(row.ready, row.issued + 1)
        begun = max(row.issued, ready - longest[row.instruction])
        waits, executes = "=" * (begun - row.dispatched), "e" * (ready - begun)
        done = "-" * max(0, row.retired - ready)
        drawn.append((row.dispatched, f"D{waits}{executes}E{done}R"))
    return drawn
