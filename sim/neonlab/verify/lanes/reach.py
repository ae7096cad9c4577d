"""Decide whether a lane that wrapped affects anything that the caller sees.

A kernel may add whole vectors and use one lane; then a wrap in the others does no harm.  So liveness is followed over
the trace of the call, backwards from the outputs, byte by byte.  A lane is harmful if one of its bytes can reach a
writable buffer, the returned value, an address or a branch.

A call too long to record is judged by its beginning: a lane of an instruction is harmless if it wrapped there and never
reached anything.  Where a lane wraps later only, more of the call is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.emulate.trace import Trace, TraceProbe
from neonlab.isa.lanes import Bytes, Lanes
from neonlab.isa.model.dependence import places_of
from neonlab.isa.model.isa import Isa, Register, general, vector
from neonlab.isa.model.lane_operation import (
    GENERAL_BYTES,
    VECTOR_BYTES,
    file_bytes,
    general_start,
    is_general,
    vector_start,
)
from neonlab.verify.lanes.liveness import live_after
from neonlab.verify.lanes.views import Checked
from neonlab.verify.lanes.wording import lost_lanes, wrap_fault
from neonlab.verify.lanes.wrap import LaneWrapProbe

_STEPS, _MORE_STEPS = 1 << 17, 1 << 22


def harmful_wrap(
    program: Program,
    contract: Contract,
    probe: LaneWrapProbe,
    call: Callable[[Machine], Run | Fault],
    seed: int = 0,
    stack_bytes: int = 65536,
) -> Fault | None:
    """Return the fault of the first wrap in the last call of `probe` that reaches what the caller sees, or None.

    `call` repeats the call on the machine that it is given.
    """
    if not probe.wrapped:
        return None
    unseen: Checked | None = None
    for most in (_STEPS, _MORE_STEPS):
        recorder = TraceProbe(program, most)
        with Machine(program, probes=(recorder,), stack_bytes=stack_bytes) as machine:
            call(machine)
            trace = recorder.collect(machine)
        fault, unseen = _harmful(program, contract, probe, trace, seed)
        if fault is not None or unseen is None:
            return fault
    assert unseen is not None
    return probe.fault_of(unseen, seed)


def _harmful(
    program: Program, contract: Contract, probe: LaneWrapProbe, trace: Trace, seed: int
) -> tuple[Fault | None, Checked | None]:
    """Return the fault of the first wrap in `trace` that reaches what the caller sees, or an instruction undecided.

    The trace does not decide an instruction that loses a lane which it does not lose harmlessly in the trace.
    """
    by_address = {checked.instruction.address: checked for checked in probe.wrapped}
    wraps = sorted(_wraps(trace, by_address.values()), key=lambda wrap: wrap.step)
    live = live_after(trace, contract, {wrap.step for wrap in wraps})
    for wrap in wraps:
        reaching = [lane for lane in wrap.lanes if live[wrap.step] & _lane_mask(program.isa, wrap.checked, lane)]
        if reaching:
            return wrap_fault(program, contract, wrap.checked, wrap.state, reaching[0], seed), None
    if trace.overflow:
        possibly = live_after(trace, contract, {wrap.step for wrap in wraps}, everything_at_end=True)
        seen = {
            (wrap.checked.instruction.address, lane)
            for wrap in wraps
            for lane in wrap.lanes
            if not possibly[wrap.step] & _lane_mask(program.isa, wrap.checked, lane)
        }
        for checked in probe.wrapped:
            if any((checked.instruction.address, lane) not in seen for lane in probe.lanes_ever_lost(checked)):
                return None, checked
    return None, None


@dataclass(frozen=True, slots=True, eq=False)
class _Wrap:
    step: int
    checked: Checked
    lanes: tuple[int, ...]
    state: Bytes


def _wraps(trace: Trace, instructions: Iterable[Checked]) -> list[_Wrap]:
    """Return every execution in which one of `instructions` lost a lane."""
    found = []
    for checked in instructions:
        steps = trace.executions.get(checked.instruction.address)
        if steps is None:
            continue
        if trace.overflow:
            steps = steps[steps < len(trace) - 1]
        states = register_files(trace, steps, checked.operation.sources)
        lost = lost_lanes(checked, states)
        for row in np.flatnonzero(lost.any(axis=1)).tolist():
            lanes = tuple(np.flatnonzero(lost[row]).tolist())
            found.append(_Wrap(int(steps[row]), checked, lanes, states[row]))
    return found


def register_files(trace: Trace, steps: npt.NDArray[np.int64], operands: Sequence[Lanes]) -> Bytes:
    """Return the register files before each of `steps` as uint8 of shape (steps, bytes).

    Only the registers of `operands` are filled in; the others are 0.
    """
    isa = trace.isa
    size = VECTOR_BYTES[isa]
    states = np.zeros((len(steps), file_bytes(isa)), np.uint8)

    def fill(start: int, register: Register, size: int) -> None:
        states[:, start : start + size] = trace.befores(steps, register).view(np.uint8)[:, :size]

    for lanes in operands:
        if is_general(isa, lanes):
            index = (lanes.start - general_start(isa, 0)) // GENERAL_BYTES
            fill(general_start(isa, index), general(index), isa.pointer_bytes)
    wanted = {index for lanes in operands for index in range(lanes.start // size, (lanes.end - 1) // size + 1)}
    for index in sorted(index for index in wanted if index < 32):
        fill(vector_start(isa, index), vector(index), size)
    return states


def _mask(places: Iterable[int]) -> int:
    return sum(1 << place for place in set(places))


def _lane_mask(isa: Isa, checked: Checked, lane: int) -> int:
    """Return a mask of the places of one lane of the destination, as `neonlab.isa.model.dependence` numbers them."""
    lanes = checked.operation.destination
    size, width = VECTOR_BYTES[isa], lanes.bits // 8
    if is_general(isa, lanes):
        return _mask(range(lanes.start - general_start(isa, 0), lanes.end - general_start(isa, 0)))
    places = []
    for byte in range(lanes.start + lane * width, lanes.start + (lane + 1) * width):
        index, offset = divmod(byte, size)
        places.append(places_of(vector(index), isa)[offset])
    return _mask(places)
