"""Measure the cost of traffic counts and of the models of caches and pipeline against bare emulation, in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.assemble.program import Program
from neonlab.emulate.machine import Argument, Machine
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.c.prototype import Signature
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.counting_bench import RepeatedCall
from neonlab.measure.counts import CountsProbe
from neonlab.measure.memory_probe import TrafficProbe

#: The project's targets, as fractions of bare speed.
LEAST_TRAFFIC, LEAST_CACHES, LEAST_PIPELINE = 0.6, 0.35, 0.25
_REPETITIONS = 9


@dataclass(frozen=True, slots=True)
class MemoryBench:
    """Guest speeds in instructions a second.  Each measures what those before it do too, and counts instructions."""

    core: str
    bare: float
    traffic: float
    caches: float
    pipeline: float

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; speeds in instructions a second."""
        return {
            "traffic": round(self.traffic),
            "traffic_of_bare": round(self.traffic / self.bare, 4),
            "core": self.core,
            "caches": round(self.caches),
            "caches_of_bare": round(self.caches / self.bare, 4),
            "pipeline": round(self.pipeline),
            "pipeline_of_bare": round(self.pipeline / self.bare, 4),
        }

    def lines(self) -> tuple[str, ...]:
        """Return the lines for the terminal."""
        return (
            f"  and traffic {self.traffic / 1e6:8.1f} MIPS  {self.traffic / self.bare:.3f} of bare "
            f"(wanted: {LEAST_TRAFFIC})",
            f"  and caches  {self.caches / 1e6:8.1f} MIPS  {self.caches / self.bare:.3f} of bare "
            f"(wanted: {LEAST_CACHES}), of {self.core}",
            f"  and pipeline{self.pipeline / 1e6:8.1f} MIPS  {self.pipeline / self.bare:.3f} of bare "
            f"(wanted: {LEAST_PIPELINE})",
        )


def bench_memory(
    program: Program,
    symbol: str,
    arguments: Sequence[Argument],
    signature: Signature,
    *,
    core: str = "cortex-a53",
    float_abi: FloatAbi = FloatAbi.HARD,
    repetitions: int = _REPETITIONS,
    seed: int = 0,
) -> MemoryBench:
    """Time `symbol` on the same arguments each way, in turns.  Raises BenchError when it faults."""
    call = RepeatedCall(symbol, arguments, signature, float_abi, seed)
    counts = CountsProbe(program)
    with (
        Machine(program, meter=False) as bare,
        Machine(program, probes=(counts, TrafficProbe(program))) as moved,
        Machine(program, probes=(CountsProbe(program), TrafficProbe(program, load_core(core)))) as cached,
        Machine(program, probes=(CountsProbe(program), _with_pipeline(program, core))) as clocked,
    ):
        machines = bare, moved, cached, clocked
        for machine in machines:
            call.seconds(machine)  # translates the code
        best = [float("inf")] * len(machines)
        for _ in range(repetitions):
            best = [min(least, call.seconds(machine)) for least, machine in zip(best, machines, strict=True)]
    return MemoryBench(core, *(counts.steps / seconds for seconds in best))


def _with_pipeline(program: Program, core: str) -> TrafficProbe:
    return TrafficProbe(program, load_core(core), pipeline=load_pipeline(core))
