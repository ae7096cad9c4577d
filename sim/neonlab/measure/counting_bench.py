"""Measure the cost of probes: bare emulation, the counts probe, and the same counts from Python hooks, in one run.

Speeds depend on the machine and the moment; their ratios are stable.  Repetitions of the first two alternate, and the
fastest of each counts, so that other load on the machine affects both alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unicorn import UC_HOOK_CODE

from neonlab.assemble.program import Program
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault
from neonlab.errors import InputError
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.c.prototype import Signature
from neonlab.measure.counts import CountsProbe

#: The project's targets.
LEAST_OF_BARE, LEAST_OVER_PYTHON = 0.85, 30.0
_REPETITIONS = 9
_PYTHON_INSTRUCTIONS = 1_000_000


class BenchError(InputError):
    """Raised where the kernel to be timed faults."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Guest speeds in instructions a second, over the same call of `instructions` instructions."""

    instructions: int
    bare: float
    counts: float
    python: float

    @property
    def of_bare(self) -> float:
        """Speed with counts, divided by bare speed."""
        return self.counts / self.bare

    @property
    def over_python(self) -> float:
        """Speed with counts, divided by speed with Python hooks."""
        return self.counts / self.python

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; speeds in instructions a second."""
        return {
            "instructions": self.instructions,
            "bare": round(self.bare),
            "counts": round(self.counts),
            "python_hooks": round(self.python),
            "counts_of_bare": round(self.of_bare, 4),
            "counts_over_python_hooks": round(self.over_python, 2),
        }

    def lines(self) -> tuple[str, ...]:
        """Return the lines for the terminal."""
        of_bare = f"{self.of_bare:.3f} of bare (wanted: {LEAST_OF_BARE})"
        over = f"counts are {self.over_python:.1f} times as fast (wanted: {LEAST_OVER_PYTHON:.0f})"
        return (
            f"{self.instructions:,} guest instructions a call",
            f"bare Unicorn  {self.bare / 1e6:8.1f} MIPS",
            f"counts        {self.counts / 1e6:8.1f} MIPS  {of_bare}",
            f"Python hooks  {self.python / 1e6:8.1f} MIPS  {over}",
        )


class RepeatedCall:
    """One call that can be repeated and timed."""

    def __init__(
        self, symbol: str, arguments: Sequence[Argument], signature: Signature, float_abi: FloatAbi, seed: int
    ) -> None:
        self._symbol, self._arguments, self._signature = symbol, arguments, signature
        self._float_abi, self._seed = float_abi, seed

    def seconds(self, machine: Machine) -> float:
        """Return the seconds that the guest alone takes.  Raises BenchError when it faults."""
        outcome = machine.call(
            self._symbol, self._arguments, self._signature, float_abi=self._float_abi, seed=self._seed
        )
        if isinstance(outcome, Fault):
            raise BenchError(f"{self._symbol}: {outcome.kind.value}: {outcome.message}")
        return machine.guest_seconds


def bench_counts(
    program: Program,
    symbol: str,
    arguments: Sequence[Argument],
    signature: Signature,
    *,
    float_abi: FloatAbi = FloatAbi.HARD,
    repetitions: int = _REPETITIONS,
    seed: int = 0,
) -> BenchResult:
    """Time `symbol` on the same arguments each way.  Raises BenchError when it faults."""
    call = RepeatedCall(symbol, arguments, signature, float_abi, seed)
    probe = CountsProbe(program)
    with Machine(program, meter=False) as bare, Machine(program, probes=(probe,)) as counted:
        for machine in (bare, counted):
            call.seconds(machine)  # translates the code
        instructions = probe.steps
        bare_seconds = counted_seconds = float("inf")
        for _ in range(repetitions):
            bare_seconds = min(bare_seconds, call.seconds(bare))
            counted_seconds = min(counted_seconds, call.seconds(counted))
    python = _python_hooks(program, symbol, arguments, signature, float_abi, seed)
    return BenchResult(instructions, instructions / bare_seconds, instructions / counted_seconds, python)


def _python_hooks(
    program: Program,
    symbol: str,
    arguments: Sequence[Argument],
    signature: Signature,
    float_abi: FloatAbi,
    seed: int,
) -> float:
    """Return the instructions a second with one Python call for each instruction.

    The run stops after a million instructions, which is enough for a rate.
    """
    executions: Counter[int] = Counter()
    steps = 0

    def execute(engine: Any, address: int, _size: int, _user: Any) -> None:
        nonlocal steps
        executions[address] += 1
        steps += 1
        if steps >= _PYTHON_INSTRUCTIONS:
            engine.emu_stop()

    with Machine(program, meter=False) as machine:
        machine.engine.hook_add(UC_HOOK_CODE, execute)
        machine.call(symbol, arguments, signature, float_abi=float_abi, seed=seed)
        return steps / machine.guest_seconds if steps else 0.0
