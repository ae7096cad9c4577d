"""Compute a loop's cost if only one thing limited it, and name what to improve first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.forms.form import form_of
from neonlab.measure.loop.wait import MISSED, main_cause
from neonlab.measure.pipeline.bounds import port_bound
from neonlab.measure.pipeline.cost import Bounds, Cycles
from neonlab.measure.pipeline.program import compile_instructions

_NEAR = 1.1  # a bound limits the loop if the loop comes this near to it
_BUSY = 0.9  # of the busiest port's cycles


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """Cycles of an iteration if one thing alone limited it.

    `memory` is the limit of loads and stores: by their ports, or by the rate of lines that miss the nearest cache.
    """

    ports: float
    dispatch: float
    dependencies: float
    memory: float

    @property
    def largest(self) -> tuple[str, float]:
        """The name of the largest bound, and its cycles: nothing else can make the loop faster than that."""
        named = self.to_json()
        name = max(named, key=lambda one: named[one])
        return name, named[name]

    def near(self, cycles: float) -> str:
        """Return the name of the bound that explains `cycles` of an iteration; "" where none does."""
        name, least = self.largest
        return name if cycles <= least * _NEAR else ""

    def to_json(self) -> dict[str, float]:
        """Return plain values for `--json`: cycles by the name of the bound."""
        return {
            "ports": round(self.ports, 3), "dispatch": round(self.dispatch, 3),
            "dependencies": round(self.dependencies, 3), "memory": round(self.memory, 3),
        }  # fmt: skip


def loop_bounds(body: Sequence[Instruction], core: PipelineCore, bounds: Bounds, lines: float) -> LoopBounds:
    """Return the bounds; `lines` is the cycles in which the lines that an iteration fetches arrive in sequence."""
    compiled = compile_instructions(body, core)
    accesses = np.array([bool(instruction.accesses) for instruction in body], np.int64)
    return LoopBounds(bounds.ports, bounds.dispatch, bounds.dependencies, max(port_bound(compiled, accesses), lines))


def first_target(
    body: Sequence[Instruction], core: PipelineCore, cycles: Cycles, bounds: LoopBounds, missed: float,
    line_of: Callable[[int], str],
) -> str:  # fmt: skip
    """Return one sentence: what limits the loop, and what to do about it first.

    `missed` is the cycles that an iteration of the run waits for caches on average.
    """
    name, least = bounds.largest
    if missed > MISSED * cycles.total:
        return (
            f"Waits {missed:.3g} cycles per iteration for lines that are not in the L1 cache, in addition to "
            f"{cycles.total:.4g} cycles for the rest: use lines while they are cached, or prefetch them earlier."
        )
    if not bounds.near(cycles.total):
        return _order(body, cycles, name, least, line_of)
    reached = f"{least:.4g} of {cycles.total:.4g} cycles"
    if name == "ports":
        return _ports(body, core, cycles, reached)
    if name == "dispatch":
        return (
            f"Bound by dispatch ({reached}): all {core.width} slots per cycle are taken. "
            "Only fewer instructions, or instructions with fewer slots, make it faster."
        )
    if name == "memory":
        return f"Bound by memory ({reached}): load and store less, or use each line more before it is evicted."
    return f"Bound by one dependency chain ({reached}): split it with more accumulators or a tree of sums."


def _ports(body: Sequence[Instruction], core: PipelineCore, cycles: Cycles, reached: str) -> str:
    most = max(cycles.occupancy.values())
    names = [port for port, share in cycles.occupancy.items() if share >= _BUSY * most]
    busy = sum(1 << core.ports.index(port) for port in names)
    table = compile_instructions(body, core)
    taken: Counter[str] = Counter()
    for at, instruction in enumerate(body):
        for mask, held in table.uses_of(at).tolist():
            if mask & ~busy == 0:
                taken[form_of(instruction).partition(".")[0]] += held
    whole = sum(taken.values())
    shares = ", ".join(f"{form} {100 * held / whole:.0f} %" for form, held in taken.most_common(3))
    return (
        f"Bound by ports ({reached}): {' and '.join(names)} {'are' if names[1:] else 'is'} full, with {shares}. "
        "Only less of this work, or instructions that use other ports, make it faster."
    )


def _order(body: Sequence[Instruction], cycles: Cycles, name: str, least: float, line_of: Callable[[int], str]) -> str:
    """Return the sentence for a loop that no single bound explains.

    It names the line that waits longest for a result, where the loop waits for results more than for anything else.
    """
    places = {instruction.address: at for at, instruction in enumerate(body)}
    head = f"No single limit: {name} alone would take {least:.4g} of the {cycles.total:.4g} cycles"
    cause = main_cause(cycles.stalls) if cycles.stalls else ""
    worst = next((stall for stall in cycles.stalls if stall.cause == cause), None)
    if worst is None or cause not in ("dependency", "load-use"):
        return f"{head}; the rest comes from the order of the instructions."
    text = f"line {line_of(places[worst.address])} stalls longest, for {worst.cycles:.3g} cycles ({worst.cause}"
    if worst.producer is not None and worst.producer in places:
        text += f", on line {line_of(places[worst.producer])}"
    return f"{head}; {text}). Put independent work before it."
