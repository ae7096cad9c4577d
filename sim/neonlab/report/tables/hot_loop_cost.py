"""Compute the cost of a run's hot loop: its instructions and their multiply-accumulates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neonlab.assemble.program import Program
from neonlab.measure.counts import Counts
from neonlab.measure.forms.form import form_of
from neonlab.measure.loop.hot_loop import HotLoop, find_hot_loop
from neonlab.measure.pipeline.bounds import multiplications_of

#: Most loops examined.
_MOST = 4


@dataclass(frozen=True, slots=True)
class HotLoopCost:
    """The cost of one iteration."""

    instructions: int
    macs: int

    @property
    def instructions_per_mac(self) -> float:
        """Return executed instructions per multiply-accumulate of the loop, padding included."""
        return self.instructions / self.macs


def hot_loop_cost(program: Program, counts: Counts) -> HotLoopCost | None:
    """Return the cost of the loop that executed most instructions; None if there is none, or it does not multiply.

    A kernel may split its work, such as one loop for some taps and another for the rest.  So loops that multiply, have
    as many iterations and share no instruction count together.
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
    """Yield a few loops, each the one that executed most instructions outside of those before."""
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
