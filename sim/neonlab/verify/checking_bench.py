"""Measure how fast a kernel runs under all checks, compared with bare emulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault
from neonlab.measure.counting_bench import BenchError
from neonlab.verify.lanes.wrap import LaneWrapProbe
from neonlab.verify.sanitized_machine import SanitizedMachine

#: The project's target, in guest instructions per second.
LEAST_SANITIZED = 10e6
_REPETITIONS = 5


@dataclass(frozen=True, slots=True)
class SanitizerBench:
    """Guest speeds in instructions per second, over the same call of `instructions` instructions."""

    instructions: int
    accesses: int
    bare: float
    sanitized: float
    watched: float  # the sanitizer and the lanes together, as `check` runs

    @property
    def of_bare(self) -> float:
        """Return the speed with the sanitizer, divided by the bare speed."""
        return self.sanitized / self.bare

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; speeds in instructions per second."""
        return {
            "instructions": self.instructions,
            "accesses": self.accesses,
            "bare": round(self.bare),
            "sanitizer": round(self.sanitized),
            "sanitizer_of_bare": round(self.of_bare, 4),
            "sanitizer_and_lanes": round(self.watched),
        }

    def lines(self) -> tuple[str, ...]:
        """Return the lines that the terminal shows."""
        return (
            f"sanitizer     {self.sanitized / 1e6:8.1f} MIPS  {self.of_bare:.3f} of bare "
            f"(wanted: {LEAST_SANITIZED / 1e6:.0f} MIPS)",
            f"  and lanes   {self.watched / 1e6:8.1f} MIPS  {self.watched / self.bare:.3f} of bare",
        )


def bench_sanitizer(
    program: Program,
    contract: Contract,
    arguments: Sequence[Argument],
    *,
    repetitions: int = _REPETITIONS,
    seed: int = 0,
) -> SanitizerBench:
    """Time the kernel on the same arguments bare and watched, in turn.  Raises BenchError if the kernel faults."""
    lanes = LaneWrapProbe(program, contract)
    with (
        Machine(program, meter=False) as bare,
        SanitizedMachine(program, contract) as sanitized,
        SanitizedMachine(program, contract, probes=(lanes,)) as watched,
    ):

        def seconds(machine: Machine | SanitizedMachine) -> float:
            outcome = machine.call(
                contract.name, arguments, contract.signature, float_abi=contract.float_abi, seed=seed
            )
            if isinstance(outcome, Fault):
                raise BenchError(f"{contract.name}: {outcome.kind.value}: {outcome.message}")
            return machine.guest_seconds

        machines = (bare, sanitized, watched)
        for machine in machines:
            seconds(machine)  # translates the code
        instructions, accesses = sanitized.meter.steps, sanitized.memory.accesses
        turns = [[seconds(machine) for machine in machines] for _ in range(repetitions)]
    speeds = [instructions / min(times) for times in zip(*turns, strict=True)]
    return SanitizerBench(instructions, accesses, *speeds)
