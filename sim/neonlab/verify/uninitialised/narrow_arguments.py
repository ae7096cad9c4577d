"""Check that a kernel does not depend on the upper bits of narrow arguments, which callers leave unspecified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.emulate.trace import Trace, TraceProbe
from neonlab.isa.c.procedure_call import Location, place_arguments
from neonlab.isa.model.dependence import register_of
from neonlab.isa.model.isa import Isa, Register, general
from neonlab.verify.memory.sanitizer import entry_stack_pointer, stack_bytes_for
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.uninitialised.faults import UnsetReport
from neonlab.verify.uninitialised.walk import PairedTraces, UnsetSource

_CLAUSE = (
    "AAPCS64, Parameter Passing: the bits of a register or stack slot above an argument narrower than it have "
    "unspecified values"
)
#: Most steps of a trace; an effect of an upper half shows long before.
_LONGEST_TRACE = 1 << 20


def depends_on_upper_half(
    program: Program,
    contract: Contract,
    arguments: Sequence[Passed],
    failed: Callable[[Run | Fault], bool],
    *,
    seed: int = 0,
    step_budget: int = DEFAULT_STEP_BUDGET,
) -> Fault | None:
    """Return the fault of a failing call that is right once narrow arguments are widened to 64 bits, else None.

    `failed` tells whether an outcome on a SanitizedMachine is wrong.  The fault names the argument and its register.
    Its place is the first instruction that does more than copy the upper half, or the load of an argument on the stack.
    """
    if program.isa is not Isa.A64:
        return None
    places = place_arguments(contract.isa, contract.signature, contract.float_abi)
    narrow = {
        parameter.name: place
        for parameter, place in zip(contract.signature.parameters, places, strict=True)
        if parameter.ctype.kind == "integer" and parameter.ctype.size < 8
    }
    if not narrow:
        return None

    def call(machine: Machine | SanitizedMachine, widened: Mapping[str, bool]) -> Run | Fault:
        return machine.call(
            contract.name,
            arguments,
            contract.signature,
            float_abi=contract.float_abi,
            step_budget=step_budget,
            seed=seed,
            widened=widened,
        )

    def fails(widened: Mapping[str, bool]) -> bool:
        with SanitizedMachine(program, contract) as machine:
            return failed(call(machine, widened))

    def traced(widened: Mapping[str, bool]) -> tuple[Trace, Run | Fault]:
        probe = TraceProbe(program, _LONGEST_TRACE)
        with Machine(program, probes=(probe,), stack_bytes=stack_bytes_for(contract)) as machine:
            outcome = call(machine, widened)
            return probe.collect(machine), outcome

    if not fails({}):
        return None
    clean = next((c for s in (False, True) if not fails(c := dict.fromkeys(narrow, s))), None)
    if clean is None:
        return None
    name = next((n for n in narrow if fails({k: v for k, v in clean.items() if k != n})), next(iter(narrow)))
    place = narrow[name]
    others = {k: v for k, v in clean.items() if k != name}
    at = _first_use(program, contract, place, traced(others), traced(clean))
    register = place.registers[0].replace("w", "x") if place.registers else str(place)
    size = place.size * 8
    how = "sign" if clean[name] else "zero"
    message = (
        f"the result depends on bits {size}-63 of {register}, above the {size}-bit argument `{name}`: it is "
        f"right when the caller {how}-extends the argument"
    )
    instruction = program.by_address.get(at)
    return Fault(
        FaultKind.UPPER_HALF_ARGUMENT,
        message,
        at,
        program.line_at(at),
        instruction.text if instruction else "",
        seed=seed,
        register=register,
        clause=_CLAUSE,
    )


def _first_use(
    program: Program,
    contract: Contract,
    place: Location,
    garbage: tuple[Trace, Run | Fault],
    widened: tuple[Trace, Run | Fault],
) -> int:
    """Return the address of the first instruction that does more than copy the bits above the argument.

    If none is found, it is that of the kernel.  The two calls differ in nothing but these bits.
    """
    (a, first), (b, second) = garbage, widened
    slot = range(0)
    if place.stack_offset is not None:
        start = entry_stack_pointer(contract) + place.stack_offset
        slot = range(start + place.size, start + 8)
    paired = PairedTraces(a, b, lambda address: address in slot)
    whole = not (a.overflow or b.overflow)
    returned = UnsetReport(program, contract, (), 0).returned_places() if whole else []
    effect = paired.effect(_changed(a, first, second) if whole else [], returned)
    sources = paired.sources(effect) if effect is not None else []
    register = general(int(place.registers[0][1:])) if place.registers else None
    steps = [_blamed(source) for source in sources if _lies_in(source, register, slot)]
    return int(a.pcs[min([*steps, len(a) - 1])]) if steps else program.addresses[contract.name]


def _blamed(source: UnsetSource) -> int:
    return source.fetch if source.fetch is not None else source.use


def _lies_in(source: UnsetSource, register: Register | None, slot: range) -> bool:
    if source.place is None:
        return source.address in slot
    return register_of(source.place, Isa.A64)[0] == register


def _changed(trace: Trace, first: Run | Fault, second: Run | Fault) -> list[int]:
    """Return the addresses of the output bytes that differ."""
    if not isinstance(first, Run) or not isinstance(second, Run):
        return []
    found: list[int] = []
    for item in trace.buffers:
        name = item.buffer.name
        if name in first.outputs:
            ours, theirs = (np.ascontiguousarray(run.outputs[name]).view(np.uint8) for run in (first, second))
            found += (item.address + np.flatnonzero(ours != theirs)).tolist()
    return found
