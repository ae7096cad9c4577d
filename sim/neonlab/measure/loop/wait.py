"""Find what a loop waits for: the source line whose instructions wait longest for the cause that costs most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.isa.model.instruction import Instruction
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.cost import Stall
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
from neonlab.measure.pipeline.state import CAUSES, DEPENDENCE, ISSUE, LOAD_USE, MISS, PORT

MISSED = 0.2  # of a loop's cycles: from here on the caches come first
_LITTLE = 0.05  # of a loop's cycles: what waits for less than that waits for nothing
#: Causes of waiting that a bound explains.
_OF_BOUND: Mapping[str, tuple[str, ...]] = {
    "ports": (CAUSES[PORT],), "memory": (CAUSES[PORT],), "dispatch": (CAUSES[ISSUE],),
    "dependencies": (CAUSES[DEPENDENCE], CAUSES[LOAD_USE]),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoopWait:
    """Hold what costs a loop most in one iteration.

    `cause` has taken `of_cause` cycles.  Of all source lines, that of the instruction at the place `at` of the body had
    most of them: `cycles`, in `times` instructions, of which `at` waited longest.  `producer` is the place of what it
    waited for.  `ports` are those that it found taken, "A/B" where either would have done, and `holders` the
    mnemonics that hold them longest.  Where nothing else is waited for, the cause is "issue width": `at` waits for
    slots that those before it take.
    """

    cause: str
    at: int
    cycles: float
    times: int
    of_cause: float
    producer: int | None = None
    ports: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`: instructions by their places in the loop."""
        return {
            "cause": self.cause, "instruction": self.at, "cycles": round(self.cycles, 3), "times": self.times,
            "cycles_of_cause": round(self.of_cause, 3), "producer": self.producer, "ports": list(self.ports),
            "held_by": list(self.holders),
        }  # fmt: skip


def main_cause(stalls: Sequence[Stall], bound: str = "") -> str:
    """Return the cause that takes most cycles; "issue width" only where all others together take next to none.

    Where a loop takes no longer than one bound, named by `bound`, the cause is one that goes with it: what waits for
    results out of order may do so because a port is full.
    """
    spent: dict[str, float] = {}
    for stall in stalls:
        spent[stall.cause] = spent.get(stall.cause, 0.0) + stall.cycles
    issue = CAUSES[ISSUE]
    of_bound = {cause: cycles for cause, cycles in spent.items() if cause in _OF_BOUND.get(bound, ())}
    if of_bound:
        return max(of_bound, key=lambda cause: (of_bound[cause], cause))
    waits = {cause: cycles for cause, cycles in spent.items() if cause != issue}
    if sum(waits.values()) <= _LITTLE * sum(spent.values()):
        return issue
    return max(waits, key=lambda cause: (waits[cause], cause))


def loop_wait(
    body: Sequence[Instruction], core: PipelineCore, stalls: Sequence[Stall], line_of: Sequence[object],
    missed: Mapping[int, float], bound: str = "",
) -> LoopWait | None:  # fmt: skip
    """Return what an iteration waits for; None where no cycle is attributed to it.

    `line_of` has the source line of each instruction of the body.  `missed` has the cycles that those waited for
    caches in the run, by place; they count only where they are many, as in the sentence on what to improve first.
    `bound` names the one that explains all that the loop takes, "" where none does.
    """
    at = {instruction.address: place for place, instruction in enumerate(body)}
    if sum(missed.values()) > MISSED * sum(stall.cycles for stall in stalls):
        cause = CAUSES[MISS]
        stalls = [Stall(cause, body[place].address, cycles) for place, cycles in missed.items()]
    elif stalls:
        cause = main_cause(stalls, bound)
        stalls = [stall for stall in stalls if stall.cause == cause and stall.address in at]
    if not stalls:
        return None
    by_line: dict[object, list[Stall]] = {}
    for stall in stalls:
        by_line.setdefault(line_of[at[stall.address]], []).append(stall)
    worst = max(by_line.values(), key=lambda found: sum(stall.cycles for stall in found))
    longest = max(worst, key=lambda stall: stall.cycles)
    place = at[longest.address]
    ports, holders = _port_of(place, body, core) if cause == CAUSES[PORT] else ((), ())
    return LoopWait(
        cause, place, sum(stall.cycles for stall in worst), len({stall.address for stall in worst}),
        sum(stall.cycles for stall in stalls), at.get(longest.producer) if longest.producer is not None else None,
        ports, holders,
    )  # fmt: skip


def _port_of(place: int, body: Sequence[Instruction], core: PipelineCore) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ports that the instruction needs, the busiest of its kinds, and the mnemonics that hold them most."""
    table = compile_instructions(body, core)
    held: dict[int, Counter[str]] = {}
    for mask, _ in table.uses_of(place).tolist():
        held[mask] = _held(mask, body, table)
    if not held:
        return (), ()
    most = max(sum(one.values()) for one in held.values())
    full = [mask for mask, one in held.items() if sum(one.values()) == most]  # both, where it needs two at once
    names = dict.fromkeys("/".join(name for bit, name in enumerate(core.ports) if mask >> bit & 1) for mask in full)
    together = sum((held[mask] for mask in full), Counter[str]())
    return tuple(names), tuple(name for name, _ in together.most_common(2))


def _held(ports: int, body: Sequence[Instruction], table: CompiledProgram) -> Counter[str]:
    """Return for how many cycles of an iteration each mnemonic holds these ports, or some of them."""
    found: Counter[str] = Counter()
    for number, instruction in enumerate(body):
        for mask, cycles in table.uses_of(number).tolist():
            if mask & ports:
                found[instruction.text.partition(" ")[0]] += cycles
    return found
