"""What the hot loop of a run costs: its instructions and the multiply-accumulates that they do."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.measure.counts import Counts
from neonlab.measure.hot_loop import find_hot_loop
from neonlab.measure.instruction_form import form_of
from neonlab.measure.pipeline_bounds import multiplications_of


@dataclass(frozen=True, slots=True)
class HotLoopCost:
    """One time round the loop."""

    instructions: int
    macs: int

    @property
    def instructions_per_mac(self) -> float:
        """Executed instructions for each multiply-accumulate that the loop's multiplies do, padding included."""
        return self.instructions / self.macs


def hot_loop_cost(program: Program, counts: Counts) -> HotLoopCost | None:
    """The cost of the loop that executed most instructions; None where there is no loop, or none that multiplies."""
    loop = find_hot_loop(program, [int(times) for times in counts.executions])
    if loop is None:
        return None
    macs = sum(multiplications_of(form_of(instruction)) for instruction in loop.body)
    return HotLoopCost(len(loop.body), macs) if macs else None
