"""What the hot loop of a run costs: its instructions and the multiply-accumulates that they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.measure.counts import Counts
from neonlab.measure.forms.form import form_of
from neonlab.measure.loop.hot_loop import HotLoop, find_hot_loop
from neonlab.measure.pipeline.bounds import multiplications_of

#: Loops that are looked at.
_MOST = 4


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
    """The cost of the loop that executed most instructions; None where there is no loop, or none that multiplies.

    A kernel may do its work in parts, a loop for some of the taps and another for the rest: loops that multiply, go
    round as often and have nothing in common count together.
    """
    parts: list[HotLoop] = []
    for loop in _loops(program, [int(times) for times in counts.executions]):
        if not parts and not _macs(loop):
            return None
        apart = all(loop.addresses.isdisjoint(part.addresses) for part in parts)
        if not parts or (apart and _macs(loop) and loop.iterations == parts[0].iterations):
            parts.append(loop)
    if not parts:
        return None
    return HotLoopCost(sum(len(part.body) for part in parts), sum(map(_macs, parts)))


def _loops(program: Program, executions: list[int]) -> Iterator[HotLoop]:
    """Loops, those that executed most instructions outside of the ones before first; a few are all that matter."""
    weight = [float(times) for times in executions]
    for _ in range(_MOST):
        loop = find_hot_loop(program, executions, weight)
        if loop is None:
            return
        yield loop
        weight = [
            0.0 if instruction.address in loop.addresses else own
            for instruction, own in zip(program.instructions, weight, strict=True)
        ]


def _macs(loop: HotLoop) -> int:
    return sum(multiplications_of(form_of(instruction)) for instruction in loop.body)
