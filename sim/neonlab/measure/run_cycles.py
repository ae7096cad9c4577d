"""The cost of a whole call on a core: an estimate, with the causes of the cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from neonlab.measure.cores.bands import Band


@dataclass(frozen=True, slots=True)
class RunBounds:
    """Cycles of the call if only one thing limited it, whatever the order of instructions.

    `ports`: every port is busy all the time.  `dispatch`: the core takes as many instructions a cycle as it can.
    `dependencies`: only the dependences from one iteration of its innermost loops to the next.  `memory`: lines arrive
    as fast as they can from the second level and from memory.  No order of the same instructions is faster than the
    largest.
    """

    ports: float
    dispatch: float
    dependencies: float
    memory: float

    @property
    def largest(self) -> str:
        """The name of the bound with the most cycles."""
        figures = asdict(self)
        return max(figures, key=lambda name: figures[name])


@dataclass(frozen=True, slots=True)
class LineCycles:
    """Cycles attributed to one source line: all, and by cause; the causes add up."""

    path: str
    line: int
    text: str
    cycles: int
    causes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CallCycles:
    """Cycles of all that one source line brings in by a macro or a repetition, `name`, those within it included."""

    path: str
    line: int
    name: str
    cycles: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Cycles that one line waited for the result of another, or of itself in an earlier iteration."""

    cause: str
    path: str
    line: int
    producer_path: str
    producer_line: int
    cycles: int


@dataclass(frozen=True, slots=True)
class RunCycles:
    """Cycles of one call from its first instruction to its last, as a model of `core` has it.

    In order, that is until the last instruction is issued; otherwise until it is retired.  Cold, the pipeline and the
    predictor are empty.  Warm, the call follows one like it without a gap, and `cold` are the buffers that were driven
    out of the caches before.  With `calls`, so many calls without a gap, between which nothing is waited for, took
    `elapsed` cycles in an empty pipeline until all was done, and all figures are those of one call on average.
    `calls` is 0 where it was one call, of `elapsed` cycles.  It is 0, too, where calls back to back differ in turn: all
    figures are then those of one of `averaged` calls on average, which took `elapsed` cycles together.  `events` have
    PMU event names.  `causes` add up to CPU_CYCLES; "issue width" has the cycles that no stall explains.  `unknown` are
    the instructions that the core's table does not have, as text, with their executions; they were timed as their
    class.  `peak` is the most MACs a cycle that the core can do with the instruction `peak_form`, 0 where no executed
    instruction multiplies.  `calls_of_lines` are the lines that bring in others; `entered` has the cycles by the file
    in which what ran stands outermost: that of the call, for a macro.  `model_error` says what the core's model was
    compared with, and its error.  `band` has the range of 80 % of measured functions around their estimates, None where
    none is known.
    """

    core: str
    warm: bool
    events: Mapping[str, int]
    causes: Mapping[str, int]
    occupancy: Mapping[str, float]
    bounds: RunBounds
    lines: tuple[LineCycles, ...]
    waits: tuple[Wait, ...]
    unknown: Mapping[str, int]
    peak: float
    peak_form: str
    model_error: str
    band: Band | None = None
    calls: int = 0
    averaged: int = 1
    elapsed: int = 0
    cold: tuple[str, ...] = ()
    calls_of_lines: tuple[CallCycles, ...] = ()
    entered: Mapping[str, int] = field(default_factory=dict)

    @property
    def cycles(self) -> int:
        """The event CPU_CYCLES."""
        return self.events["CPU_CYCLES"]

    @property
    def per_call(self) -> float:
        """Cycles of one call, not rounded where it is an average."""
        return self.elapsed / max(self.calls, self.averaged)

    @property
    def state(self) -> str:
        """Return in words what the call found, such as `warm, weights cold`."""
        found = f"{self.calls} call{'s' * (self.calls > 1)}, drained" if self.calls else "warm" if self.warm else "cold"
        return f"{found}, {', '.join(self.cold)} cold" if self.cold else found

    @property
    def ipc(self) -> float:
        """Instructions a cycle."""
        return self.events["INST_RETIRED"] / self.cycles if self.cycles else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "core": self.core,
            "warm": self.warm,
            "cold": list(self.cold),
            "calls": self.calls,
            "cycles_per_call": round(self.per_call, 6),
            "estimate": True,
            "model_error": self.model_error,
            "band": None if self.band is None else self.band.to_json(self.cycles),
            "events": dict(self.events),
            "ipc": round(self.ipc, 6),
            "peak_macs_per_cycle": self.peak,
            "peak_form": self.peak_form,
            "causes": dict(self.causes),
            "occupancy": {port: round(share, 6) for port, share in self.occupancy.items()},
            "bounds": {name: round(cycles, 2) for name, cycles in asdict(self.bounds).items()},
            "limited_by": self.bounds.largest,
            "lines": [{**asdict(line), "text": line.text.strip(), "causes": dict(line.causes)} for line in self.lines],
            "calls_of_lines": [asdict(call) for call in self.calls_of_lines],
            "waits": [asdict(wait) for wait in self.waits],
            "unknown_forms": dict(self.unknown),
        }
