"""Prove that no input within the contract's ranges makes a lane or a scalar sum wrap, or find one that does.

    verdict = range_verdict(program, contract, case)

The case is run once and recorded.  Control flow and addresses depend on sizes alone, so the trace stands for every
input of that shape; it is replayed with an interval for each lane (`neonlab.verify.ranges.walk`).

SAFE: no interval leaves its lane, so no input of this shape wraps.

WRAPS: one interval left its lane, and the kernel did wrap on the inputs that drive that lane to the end of its
interval.  They are found by asking each operand backwards for the end that the result needs.  They are the witness.

UNDECIDED: an interval leaves its lane, but no input was found that makes it wrap.  Intervals treat every use of an
element as a separate one, so x - x seems to have twice the range of x.  Where the uses of an element need different
ends, the ends are tried in turn.  The answer is also UNDECIDED when control flow or an address depends on data.

Arithmetic in general registers on data that `neonlab.verify.lanes.scalar_sums` cannot judge does not change the answer
about lanes; `scope` says that there was some.

The answer holds for the shape of the case.  Check a sum that grows with a size at the largest size.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.model.lane_operation import is_general
from neonlab.verify.cases.case import Array, Case
from neonlab.verify.check_case import run_case
from neonlab.verify.lanes.liveness import live_after
from neonlab.verify.lanes.reach import harmful_wrap
from neonlab.verify.lanes.views import Checked
from neonlab.verify.lanes.wrap import LaneWrapProbe
from neonlab.verify.ranges.nodes import Nodes
from neonlab.verify.ranges.walk import MayWrap, RangeWalk
from neonlab.verify.verdict import LANES_AND_SUMS, LANES_NOT_SUMS, NEON_LANES

_STEPS = 1 << 17
_RUNS = 24  # witnesses tried before giving up
_SWEEPS = 3  # rounds over elements whose uses disagree
_EVALUATED = 1 << 19  # most nodes evaluated for one suspect to settle them


class RangeStatus(enum.Enum):
    """The three answers of the range analysis."""

    SAFE = "safe"
    WRAPS = "wraps"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class RangeVerdict:
    """The answer: `note` says it in words, `scope` names what it covers.

    With WRAPS, `fault` is the fault on the witness and `witness` holds its inputs.
    """

    status: RangeStatus
    note: str
    scope: str = NEON_LANES
    fault: Fault | None = None
    witness: Mapping[str, Array] | None = None


def range_verdict(
    program: Program, contract: Contract, case: Case, *, checked: Sequence[Checked] | None = None
) -> RangeVerdict:
    """Tell whether any input within the declared ranges, at the shape of `case`, makes a lane wrap with an effect.

    `checked` is the result of `checked_instructions`, if the caller has it already.
    """
    recorder, probe = TraceProbe(program, _STEPS), LaneWrapProbe(program, contract, checked=checked)
    with Machine(program, probes=(recorder,)) as machine:
        outcome = run_case(machine, contract, case)
        trace = recorder.collect(machine)
    if isinstance(outcome, Fault):
        return RangeVerdict(RangeStatus.UNDECIDED, f"the call did not complete: {outcome.message}")
    if trace.overflow:
        return RangeVerdict(
            RangeStatus.UNDECIDED, f"the call takes more than {_STEPS} instructions: try a smaller shape"
        )
    addresses = [checked.instruction.address for checked in probe.checked]
    steps = {step for address in addresses for step in trace.executions.get(address, np.zeros(0, np.int64)).tolist()}
    walk = RangeWalk(trace, contract, case, probe.checked, live_after(trace, contract, steps))
    examined = f"{len(steps)} executions of {len(addresses)} instructions were examined"
    if not walk.may_wrap:
        if walk.obstacles:
            return RangeVerdict(RangeStatus.UNDECIDED, walk.obstacles[0])
        scope = LANES_NOT_SUMS if walk.unjudged else LANES_AND_SUMS if walk.scalar_sums else NEON_LANES
        return RangeVerdict(RangeStatus.SAFE, f"no lane can wrap at {case.shape}: {examined}", scope)
    with Machine(program, probes=(probe,)) as machine:
        return _search(program, contract, case, probe, machine, walk)


def _search(
    program: Program, contract: Contract, case: Case, probe: LaneWrapProbe, machine: Machine, walk: RangeWalk
) -> RangeVerdict:
    for suspect in _in_turn(walk.may_wrap)[:_RUNS]:
        worst = replace(case, inputs=worst_inputs(walk.nodes, suspect, contract, case))
        outcome = run_case(machine, contract, worst)
        if not isinstance(outcome, Run) or not probe.wrapped:
            continue

        def again(other: Machine, worst: Case = worst) -> Run | Fault:
            return run_case(other, contract, worst)

        fault = harmful_wrap(program, contract, probe, again, case.seed)
        if fault is not None:
            note = f"these inputs wrap a lane: {fault.message}"
            return RangeVerdict(RangeStatus.WRAPS, note, fault=fault, witness=worst.inputs)
    suspect = walk.may_wrap[0]
    text, destination = suspect.checked.instruction.text, suspect.checked.operation.destination
    where = "it" if is_general(program.isa, destination) else f"lane {suspect.lane}"
    beyond = walk.nodes.high(np.array([suspect.node])) if suspect.highest else walk.nodes.low(np.array([suspect.node]))
    reach = f"{where} may reach {int(beyond[0])}"
    note = f"{text}: interval analysis says that {reach}, but no input was found that does"
    return RangeVerdict(RangeStatus.UNDECIDED, note)


def _in_turn(suspects: list[MayWrap]) -> list[MayWrap]:
    """Return the first suspect of each instruction and direction in order of time, then the second ones, and so on."""
    turns: dict[tuple[int, bool], int] = {}
    keyed: list[tuple[int, int, MayWrap]] = []
    for suspect in suspects:
        key = (suspect.checked.instruction.address, suspect.highest)
        turns[key] = turns.get(key, -1) + 1
        keyed.append((turns[key], len(keyed), suspect))
    return [suspect for _, _, suspect in sorted(keyed, key=lambda item: item[:2])]


def worst_inputs(nodes: Nodes, suspect: MayWrap, contract: Contract, case: Case) -> dict[str, Array]:
    """Return inputs of the case's shape that drive the suspect's lane as far as possible, by argument name.

    Elements that do not take part are 0, or the value of the declared range nearest to it.
    """
    wishes = nodes.wishes(suspect.node, suspect.highest)
    chosen = {element: max(set(wanted), key=wanted.count) for element, wanted in wishes.items()}
    torn = [element for element, wanted in wishes.items() if len(set(wanted)) > 1]
    if torn:
        _settle(nodes, suspect, chosen, torn)
    inputs: dict[str, Array] = {}
    for name, given in case.inputs.items():
        argument = contract.argument(name)
        limits = np.iinfo(argument.dtype) if argument.dtype.kind in "iu" else None
        low, high = argument.value_range or ((limits.min, limits.max) if limits is not None else (0.0, 0.0))
        inputs[name] = np.full_like(given, min(max(0, low), high))
    for element, value in chosen.items():
        at = nodes.inputs[element]
        inputs[at.name].reshape(-1)[at.index] = value
    return inputs


def _settle(nodes: Nodes, suspect: MayWrap, chosen: dict[int, int], torn: list[int]) -> None:
    """Choose a value for each element wanted at both ends: the end, or 0, that drives the lane furthest, one by one."""
    order = nodes.reachable(suspect.node)
    best = nodes.evaluate(order, chosen)[suspect.node]
    left = _EVALUATED // len(order)
    for _ in range(_SWEEPS):
        before = best
        for element in torn:
            left -= 3
            if left < 0:
                return
            kept = chosen[element]
            ids = np.array([element])
            for value in (int(nodes.low(ids)[0]), int(nodes.high(ids)[0]), 0):
                if not int(nodes.low(ids)[0]) <= value <= int(nodes.high(ids)[0]):
                    continue
                chosen[element] = value
                reached = nodes.evaluate(order, chosen)[suspect.node]
                if (reached > best) if suspect.highest else (reached < best):
                    best, kept = reached, value
            chosen[element] = kept
        if best == before:
            return
