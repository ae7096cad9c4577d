"""Feed a core's pipeline model with the runs of a call and with the fills of its cache model."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.isa.model.instruction import AccessKind
from neonlab.measure.caches.fill_journal import LOADED, PREFETCHED, STORED, Journal
from neonlab.measure.cores.bands import band_of
from neonlab.measure.cores.caches import Core
from neonlab.measure.cores.errors import error_sentence
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.accesses import CROSSES, PASSES
from neonlab.measure.pipeline.bounds import dispatch_bound, loops_bound, peak_of, port_bound
from neonlab.measure.pipeline.caller import caller_behind
from neonlab.measure.pipeline.cost import idle_of, occupancy_of
from neonlab.measure.pipeline.machine import PipelineMachine
from neonlab.measure.pipeline.memo.runs import advance
from neonlab.measure.pipeline.parts import Parts
from neonlab.measure.pipeline.state import CAUSES, DEPENDENCE, LOAD_USE, MISS
from neonlab.measure.run_cycles import CallCycles, LineCycles, RunBounds, RunCycles, Wait
from neonlab.measure.traffic.block_addresses import Plan, Site

_KINDS = {AccessKind.LOAD: LOADED, AccessKind.STORE: STORED, AccessKind.PREFETCH: PREFETCHED}
_STRUCTURES = re.compile("v?ld[1-4]")
#: A step of a trail: "file:line: in macro `name`".
_STEP = re.compile(r"(.+?):(\d+): in (?:macro )?`(.+)`$")
_WAITS = (DEPENDENCE, LOAD_USE, MISS)


def _rules(pipeline: PipelineCore, site: Site) -> int:
    """Return the bits of the core's crossing rules that apply to such an access."""
    registers = site.instruction.writes if site.kind is AccessKind.LOAD else site.instruction.reads
    vector = any(register.file == "vector" for register in registers)
    return sum(
        1 << number
        for number, rule in enumerate(pipeline.crossings)
        if rule.store == (site.kind is AccessKind.STORE) and site.kind is not AccessKind.PREFETCH
        and rule.vector in (None, vector) and site.size >= rule.least
        and (not rule.structures or _STRUCTURES.match(site.instruction.mnemonic))
    )  # fmt: skip


class Begin(enum.Enum):
    """Say how a call begins."""

    COLD = "cold"  # in an empty pipeline, with a predictor that knows nothing
    BEHIND = "behind"  # behind the call before, which is no longer counted
    ON = "on"  # the same, where nobody asks for more than cycles: what explains them is of all calls so far
    WITH = "with"  # behind the call before, which is counted too, for the mean of calls that differ
    DRAINED = "drained"  # in an empty pipeline
    NEXT = "next"  # behind the call before, which is counted too


def _of_one(tally: npt.NDArray[Any], calls: int) -> npt.NDArray[Any]:
    """Return the tally of one of several calls: whole cycles that add up to the mean of them all, rounded.

    Those of the causes of cycles add up together, those of each further kind for themselves.
    """
    if calls == 1:
        return tally
    found, kinds = tally.copy(), np.maximum(tally["cause"], len(CAUSES) - 1)
    for kind in np.unique(kinds).tolist():
        rows = kinds == kind
        ends = (np.cumsum(tally["cycles"][rows]) + calls // 2) // calls
        found["cycles"][rows] = np.diff(ends, prepend=0)
    rest: npt.NDArray[Any] = found[found["cycles"] != 0]
    return rest


def _site_arrays(program: Program, plan: Plan, pipeline: PipelineCore) -> dict[str, npt.NDArray[Any]]:
    """Return the number of the instruction at each word of the program, and what the plan's sites access."""
    index = np.full(max(1, plan.entries.size), -1, np.int32)
    for number, instruction in enumerate(program.instructions):
        first = (instruction.address - plan.base) // 2
        index[first : first + instruction.size // 2] = number
    number_of = {instruction.address: number for number, instruction in enumerate(program.instructions)}
    sites = plan.sites
    return {
        "index_of_word": index,
        "site_instruction": np.array([number_of[site.instruction.address] for site in sites] or [0], np.int32),
        "site_size": np.array([site.size for site in sites] or [0], np.int32),
        "site_kind": np.array([_KINDS[site.kind] for site in sites] or [0], np.int32),
        "site_rules": np.array([_rules(pipeline, site) for site in sites] or [0], np.int32),
    }


class PipelineCounter:
    """Feeds events to the pipeline model, behind the CacheCounter that writes `journal`.

    Without `remembers` it simulates every run anew: the same cycles, but slower.  `parts` keeps what is compiled.
    """

    function = advance

    def __init__(
        self,
        program: Program,
        plan: Plan,
        core: Core,
        pipeline: PipelineCore,
        journal: Journal,
        *,
        remembers: bool = True,
        parts: Parts | None = None,
    ) -> None:
        self._program, self._core, self._pipeline, self._plan = program, core, pipeline, plan
        caller = caller_behind(program.instructions, program.isa)
        self._calling = np.array([[len(program.instructions), len(program.instructions) + len(caller) - 1]], np.int64)
        instructions = (*program.instructions, *caller)
        parts = parts or Parts()
        compiled = parts.compiled(instructions, pipeline)
        self._machine = PipelineMachine(
            instructions, pipeline, core.memory.latency, remembers=remembers, compiled=compiled
        )
        self._rates: dict[tuple[int, int], float] = {}
        self._journal = journal
        arrays = parts.made(("sites", plan.stepwise, pipeline.crossings), lambda: _site_arrays(program, plan, pipeline))
        self._machine.attach(**arrays, journal=journal.state)
        state = self.state
        state["base"], state["words"] = plan.base, plan.entries.size
        state["site_count"] = max(1, len(plan.sites))
        passes = any((*pipeline.passing, *pipeline.passing_part)) and not pipeline.in_order
        state["watches"] = CROSSES * bool(pipeline.crossings) | PASSES * passes
        state["line_shift"] = core.memory.l1d.line.bit_length() - 1

    @property
    def state(self) -> npt.NDArray[Any]:
        """The record that the compiled code works on."""
        return self._machine.state

    def begin(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Do nothing: `prepare` begins a call."""

    def prepare(self, begin: Begin) -> None:
        """Begin a call: with an empty pipeline and predictor, or made by a caller behind what ran before."""
        machine = self._machine
        if begin is Begin.COLD:
            machine.restart()
            self._start, self._calls, self._averaged = 0, 0, 1
            return
        machine.finish()
        if begin in (Begin.BEHIND, Begin.ON):
            self._start, self._calls, self._averaged = machine.end, 0, 1
            if begin is Begin.BEHIND:
                machine.clear_tally()
        elif begin is Begin.WITH:
            self._averaged += 1
        elif begin is Begin.DRAINED:
            self._start, self._calls, self._averaged = 0, 1, 1
            machine.drain()
        else:
            self._calls += 1
        machine.run(self._calling)
        machine.finish()

    @property
    def cycles(self) -> int:
        """Return the cycles since `prepare`, with those of the caller; of all calls that are counted together."""
        self._machine.finish()
        return (self._machine.drained if self._calls else self._machine.end) - self._start

    def collect(self, executions: npt.NDArray[np.int64], *, warm: bool, cold: Sequence[str] = ()) -> RunCycles:
        """Return the cycles since `prepare`; of several calls, those of one of them on average.

        `executions` (int64) has one element for each instruction of the program.  `cold` are the buffers that were
        driven out of the caches before each call.
        """
        machine, elapsed, calls = self._machine, self.cycles, max(self._averaged, self._calls)
        cycles = (elapsed + calls // 2) // calls
        tally = _of_one(machine.tally(), calls)
        front, back = idle_of(tally)
        branches, mispredicted = ((number + calls // 2) // calls for number in machine.branches)
        events = {
            "CPU_CYCLES": cycles,
            "INST_RETIRED": int(executions.sum()),
            "STALL_FRONTEND": front,
            "STALL_BACKEND": back,
            "BR_PRED": branches,
            "BR_MIS_PRED": mispredicted,
        }
        causes = {name: int(tally["cycles"][tally["cause"] == number].sum()) for number, name in enumerate(CAUSES)}
        rest = cycles - sum(causes.values())
        # The cycle in which the last is issued; where all is waited for, the last result.
        causes["dependency" if self._calls else "issue width"] += rest
        ran = [one for one, times in zip(self._program.instructions, executions, strict=True) if times]
        peak, form = peak_of(ran, self._pipeline)
        return RunCycles(
            core=self._core.name, warm=warm, events=events, causes=causes,
            occupancy=occupancy_of(tally, self._pipeline, cycles),
            bounds=self._bounds(np.append(executions, np.full(len(machine.instructions) - len(executions), warm))),
            lines=self._lines(tally), calls_of_lines=self._calls_of_lines(tally),
            entered=self._entered(tally), waits=self._waits(tally), unknown=self._unknown(executions), peak=peak,
            peak_form=form, model_error=error_sentence(self._core.name), band=band_of(self._core.name),
            calls=self._calls, averaged=self._averaged, elapsed=elapsed, cold=tuple(cold),
        )  # fmt: skip

    def of_instructions(self) -> npt.NDArray[np.int64]:
        """Return the cycles of each instruction of the program by cause, (instructions, causes) in the order of CAUSES.

        They are those of `collect`, on which the caller's have no part.
        """
        tally = _of_one(self._machine.tally(), max(self._averaged, self._calls))
        inside = tally[(tally["cause"] < len(CAUSES)) & (tally["instruction"] < len(self._program.instructions))]
        found = np.zeros((len(self._program.instructions), len(CAUSES)), np.int64)
        np.add.at(found, (inside["instruction"], inside["cause"]), inside["cycles"])
        return found

    def _bounds(self, executions: npt.NDArray[np.int64]) -> RunBounds:
        machine, latency = self._machine, self._core.memory.latency
        near, far = machine.fills
        return RunBounds(
            ports=port_bound(machine.compiled, executions),
            dispatch=dispatch_bound(machine.compiled, executions, self._pipeline),
            dependencies=loops_bound(machine.instructions, executions, self._pipeline, self._rates),
            memory=float(max(near * latency.l2_interval, far * latency.memory_interval))
            / max(self._averaged, self._calls),
        )

    def _where(self, instruction: int) -> tuple[str, int, str]:
        if instruction >= len(self._program.instructions):
            return "", 0, "(the caller)"
        source = self._program.line_at(self._program.instructions[instruction].address)
        return (source.path, source.line, source.text) if source is not None else ("", 0, "")

    def _lines(self, tally: npt.NDArray[Any]) -> tuple[LineCycles, ...]:
        found: dict[tuple[str, int, str], dict[str, int]] = {}
        for one, cause, _, cycles in tally[tally["cause"] < len(CAUSES)].tolist():
            causes = found.setdefault(self._where(one), {})
            causes[CAUSES[cause]] = causes.get(CAUSES[cause], 0) + cycles
        return tuple(LineCycles(*where, sum(found[where].values()), found[where]) for where in sorted(found))

    def _cycles_by_trail(self, tally: npt.NDArray[Any]) -> Iterator[tuple[list[tuple[str, int, str]], str, int]]:
        """Yield the places that brought an instruction in, outermost first, the file that it stands in, and cycles."""
        for one, _, _, cycles in tally[tally["cause"] < len(CAUSES)].tolist():
            source = (
                self._program.line_at(self._program.instructions[one].address)
                if one < len(self._program.instructions)
                else None
            )
            if source is not None:
                steps = [found for step in source.trail if (found := _STEP.match(step))]
                yield [(found[1], int(found[2]), found[3]) for found in steps], source.path, cycles

    def _calls_of_lines(self, tally: npt.NDArray[Any]) -> tuple[CallCycles, ...]:
        found: dict[tuple[str, int, str], int] = {}
        for trail, _, cycles in self._cycles_by_trail(tally):
            for place in dict.fromkeys(trail):  # a macro that calls itself counts once
                found[place] = found.get(place, 0) + cycles
        return tuple(CallCycles(*place, found[place]) for place in sorted(found))

    def _entered(self, tally: npt.NDArray[Any]) -> dict[str, int]:
        found: dict[str, int] = {}
        for trail, path, cycles in self._cycles_by_trail(tally):
            outermost = trail[0][0] if trail else path
            found[outermost] = found.get(outermost, 0) + cycles
        return dict(sorted(found.items()))

    def _waits(self, tally: npt.NDArray[Any]) -> tuple[Wait, ...]:
        found: dict[tuple[str, str, int, str, int], int] = {}
        for one, cause, blame, cycles in tally[np.isin(tally["cause"], _WAITS) & (tally["producer"] >= 0)].tolist():
            key = (CAUSES[cause], *self._where(one)[:2], *self._where(blame)[:2])
            found[key] = found.get(key, 0) + cycles
        waits = [Wait(*key, cycles) for key, cycles in found.items()]
        return tuple(sorted(waits, key=lambda wait: (-wait.cycles, wait.path, wait.line, wait.producer_line)))

    def _unknown(self, executions: npt.NDArray[np.int64]) -> dict[str, int]:
        found: dict[str, int] = {}
        for one, times in zip(self._program.instructions, executions, strict=True):
            if times and not self._pipeline.knows(one):
                text = f"{one.mnemonic} {one.operands}".strip()
                found[text] = found.get(text, 0) + int(times)
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
