"""Report what the model of a core finds in the hot loops of a run: cycles, bounds, what to improve first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.assemble.source import folder_and_name
from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.counts import Counts
from neonlab.measure.form_table.rate import busy_ports
from neonlab.measure.forms.form import form_of
from neonlab.measure.loop.bounds import LoopBounds, first_target, loop_bounds
from neonlab.measure.loop.critical_path import CriticalPath, critical_path
from neonlab.measure.loop.hints.find import find_hints
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study
from neonlab.measure.loop.hot_loop import find_hot_loops
from neonlab.measure.loop.places import LinePlace, file_letters
from neonlab.measure.loop.timeline import TimelineRow, timeline
from neonlab.measure.loop.wait import LoopWait, loop_wait
from neonlab.measure.memory_probe import Traffic
from neonlab.measure.pipeline.bounds import multiplications_of, peak_of
from neonlab.measure.pipeline.program import compile_instructions
from neonlab.measure.pipeline.state import CAUSES
from neonlab.measure.run_cycles import RunCycles

_MISSED, _BRANCHES = ("cache miss", "store buffer", "instruction fetch"), ("branch",)


@dataclass(frozen=True, slots=True)
class LoopLine:
    """One instruction of the body, its source line, and what the model knows of it for one iteration.

    `text` is the statement as written, with macro arguments replaced; of compiled code, the instruction itself.
    `instruction` is the instruction itself, with the registers that it has.  `stalled` are the cycles attributed to it,
    by cause.  `known` says whether the core's table has its form.  `ports` are those that it occupies, as
    `form_table.rate.busy_ports` spells them.  `waits_for` is the place in the body of the instruction for whose
    result it, or what stands before it in a queue, waited longest; None if it waited for none.
    """

    address: int
    path: str
    line: int
    text: str
    form: str
    slots: int
    stalled: Mapping[str, float]
    known: bool
    instruction: str = ""
    ports: str = ""
    waits_for: int | None = None


@dataclass(frozen=True, slots=True)
class LoopReport:
    """Estimates of a model for one iteration of the loop; see `HotLoop` for `iterations`, `share` and `always`.

    `cycles` are those of the loop in its steady state with all data in the nearest cache.  `cycles_in_run` is the
    average of the run, of which `missed` waited for caches.  `slots` are the issue or dispatch slots that the iteration
    fills, of `slots_available` in `cycles`.  `peak` is the most MACs a cycle that the core can do with one of the forms
    in the loop, `peak_form`.  `wait` is what an iteration waits for.
    """

    core: str
    iterations: int
    share: float
    always: bool
    cycles: float
    cycles_in_run: float
    missed: float
    slots: int
    slots_available: float
    macs: int
    peak: float
    peak_form: str
    occupancy: Mapping[str, float]
    bounds: LoopBounds
    attack: str
    lines: tuple[LoopLine, ...]
    path: CriticalPath
    timeline: tuple[TimelineRow, ...]
    hints: tuple[Hint, ...]
    wait: LoopWait | None = None

    @property
    def instructions(self) -> int:
        """The number of instructions in one iteration."""
        return len(self.lines)

    def place(self, kernel: str) -> str:
        """Return the place of the loop in words: its lines, with the file where it is not the one named as the kernel.

        Where there are several files, each has a letter, which follows its line numbers.
        """
        files: dict[str, list[int]] = {}
        for line in self.lines:
            files.setdefault(line.path, []).append(line.line)
        letters = file_letters(files)
        own = Path(kernel.partition(" --")[0]).stem
        found = []
        for path, numbers in files.items():
            first, last = min(numbers), max(numbers)
            # a family's file of macros may have the name of one of its kernels
            itself = Path(path).stem == own and Path(path).suffix not in (".h", ".hpp", ".inc")
            of_file = "" if itself else f" of {folder_and_name(path)}"
            of_file += f" ({letters[path]})" if letters[path] else ""
            found.append((f"lines {first} to {last}" if last > first else f"line {first}") + of_file)
        return " and ".join(found) if all(files) else f"at {self.lines[0].address:#x}"

    @property
    def files(self) -> Mapping[str, str]:
        """The files of its lines, by the letter that follows their line numbers; empty where there is one file."""
        return {letter: path for path, letter in file_letters(line.path for line in self.lines).items() if letter}

    def label(self, line: LoopLine) -> str:
        """Return the label of one of its lines."""
        return self.labels([LinePlace(line.path, line.line)])[0]

    def labels(self, places: Iterable[LinePlace]) -> list[str]:
        """Return labels of lines: numbers and ranges, with the letter that `place` gives their file."""
        letters = file_letters(line.path for line in self.lines)
        found: list[list[LinePlace]] = []
        for place in places:
            if found and place == LinePlace(found[-1][-1].path, found[-1][-1].line + 1):
                found[-1].append(place)
            else:
                found.append([place])
        return [
            f"{run[0].line}{f'-{run[-1].line}' if len(run) > 1 else ''}{letters.get(run[0].path, '')}" for run in found
        ]

    @property
    def macs_per_cycle(self) -> float:
        """Multiply-accumulates a cycle."""
        return self.macs / self.cycles if self.cycles else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "core": self.core,
            "iterations": self.iterations,
            "share": round(self.share, 4),
            "always": self.always,
            "cycles": round(self.cycles, 3),
            "cycles_in_run": round(self.cycles_in_run, 3),
            "missed": round(self.missed, 3),
            "instructions": self.instructions,
            "slots": self.slots,
            "slots_available": round(self.slots_available, 3),
            "macs": self.macs,
            "peak_macs_per_cycle": round(self.peak, 3),
            "peak_form": self.peak_form,
            "ports": {port: round(share, 4) for port, share in self.occupancy.items()},
            "bounds": self.bounds.to_json(),
            "attack": self.attack,
            "waits_for": self.wait.to_json() if self.wait is not None else None,
            "lines": [
                {
                    "address": line.address, "path": line.path, "line": line.line, "text": line.text,
                    "form": line.form, "slots": line.slots, "known": line.known,
                    "instruction": line.instruction, "ports": line.ports, "waits_for": line.waits_for,
                    "stalled": {cause: round(cycles, 3) for cause, cycles in line.stalled.items()},
                }
                for line in self.lines
            ],
            "critical_path": {
                "iterations": self.path.iterations,
                "cycles": self.path.cycles,
                "links": [
                    {
                        "instruction": link.instruction, "iteration": link.iteration, "cycles": link.cycles,
                        "kind": link.kind, "through": link.through,
                    }
                    for link in self.path.links
                ],
            },
            "timeline": [row.to_json() for row in self.timeline],
            "hints": [hint.to_json() for hint in self.hints],
        }  # fmt: skip


def report_hot_loops(
    program: Program, core: PipelineCore, counts: Counts, run: RunCycles, spent: npt.NDArray[np.int64],
    traffic: Traffic | None, features: frozenset[str] = frozenset(),
) -> tuple[LoopReport, ...]:  # fmt: skip
    """Return reports on the loop in which a run spent most cycles, and on other hot loops; none where it has no loop.

    `spent` are the cycles of each instruction of the program by cause, (instructions, CAUSES).  `features` are those
    that the kernel declares.
    """
    executions = counts.executions.tolist()
    moving = [at for at, instruction in enumerate(program.instructions) if instruction.accesses]
    moved = sum(executions[at] for at in moving)
    reports = []
    misses, mispredictions = ([CAUSES.index(cause) for cause in some] for some in (_MISSED, _BRANCHES))
    for loop in find_hot_loops(program, executions, spent.sum(axis=1).tolist()):
        inside = [at for at, instruction in enumerate(program.instructions) if instruction.address in loop.addresses]
        within = set(inside)
        lines = run.bounds.memory * sum(executions[at] for at in moving if at in within) / moved if moved else 0.0
        study = Study(program, loop, core, traffic, features)
        late = {program.instructions[at].address: float(spent[at, misses].sum()) for at in inside}
        branches = float(spent[np.ix_(inside, mispredictions)].sum())
        reports.append(_report(study, float(spent[inside].sum()), late, branches, lines))
    return tuple(reports)


def _report(study: Study, spent: float, late: Mapping[int, float], branches: float, lines_fetched: float) -> LoopReport:
    """Return the report on one loop.

    `spent` is the cycles of the run in the loop, of which those in `late`, by address, went to caches and `branches` to
    branches.  `lines_fetched` is the cycles in which its lines arrive one after another.
    """
    program, loop, core, cycles = study.program, study.loop, study.core, study.cycles
    body, times, missed = loop.body, loop.iterations, sum(late.values())
    bounds = loop_bounds(body, core, cycles.bounds, lines_fetched / times)
    stalled: dict[int, dict[str, float]] = {}
    for stall in cycles.stalls:
        causes = stalled.setdefault(stall.address, {})
        causes[stall.cause] = causes.get(stall.cause, 0.0) + stall.cycles
    slots = compile_instructions(body, core).code["slots"]
    at = {instruction.address: number for number, instruction in enumerate(body)}
    longest: dict[int, tuple[float, int]] = {}
    for stall in cycles.stalls:
        if stall.producer in at and stall.cycles > longest.get(stall.address, (0.0, 0))[0]:
            longest[stall.address] = stall.cycles, at[stall.producer]
    lines = tuple(
        replace(
            _line(program, instruction, core, int(taken), stalled),
            waits_for=longest[instruction.address][1] if instruction.address in longest else None,
        )
        for instruction, taken in zip(body, slots, strict=True)
    )
    peak, form = peak_of(body, core)
    return LoopReport(
        core=core.name,
        iterations=times,
        share=loop.share,
        always=loop.always,
        cycles=cycles.total,
        cycles_in_run=spent / times,
        missed=missed / times,
        slots=int(slots.sum()),
        slots_available=cycles.total * core.width,
        macs=sum(multiplications_of(form_of(instruction)) for instruction in body),
        peak=peak,
        peak_form=form,
        occupancy=cycles.occupancy,
        bounds=bounds,
        attack=first_target(body, core, cycles, bounds, missed / times, study.line),
        lines=lines,
        path=critical_path(body, core, cycles.total),
        timeline=timeline(body, core),
        hints=find_hints(study, spent, branches),
        wait=_wait(study, lines, late, bounds.near(cycles.total)),
    )


def _wait(study: Study, lines: Sequence[LoopLine], late: Mapping[int, float], bound: str) -> LoopWait | None:
    places = [(line.path, line.line) if line.line else line.address for line in lines]
    missed = {at: late[line.address] / study.loop.iterations for at, line in enumerate(lines) if line.address in late}
    return loop_wait(study.body, study.core, study.cycles.stalls, places, missed, bound)


def _line(
    program: Program,
    instruction: Instruction,
    core: PipelineCore,
    slots: int,
    stalled: Mapping[int, Mapping[str, float]],
) -> LoopLine:
    source = program.line_at(instruction.address)
    written = source.expanded or source.text if source is not None and source.names_instruction else instruction.text
    text = " ".join(written.split())
    return LoopLine(
        instruction.address,
        source.path if source else "",
        source.line if source else 0,
        text,
        form_of(instruction),
        slots,
        stalled.get(instruction.address, {}),
        core.knows(instruction),
        instruction.text,
        busy_ports(core.timing(instruction), core),
    )
