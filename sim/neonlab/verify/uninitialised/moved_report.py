"""Find the instruction that makes a result change when something lies at another address.

The call is recorded in both places.  Addresses differ between the two throughout, so, unlike for uninitialised data, an
address that differs is no effect.  The walk begins at the output byte that differs, or at the branch where the two
diverge before that byte is written, and goes backwards along values.  Where a differing value was loaded from memory
that holds the same in both, it continues along the address.  It ends at pointers among the arguments, sp, lr, addresses
that the code computes, and literals that the linker filled in.  The first instruction that does more than copy one of
these is blamed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import HOME, AddressSpace
from neonlab.emulate.run import Fault, FaultKind
from neonlab.emulate.trace import Trace
from neonlab.isa.c.procedure_call import place_arguments
from neonlab.isa.model.dependence import places_of
from neonlab.verify.memory.sanitizer import entry_stack_pointer
from neonlab.verify.uninitialised.faults import UnsetReport
from neonlab.verify.uninitialised.observed import Observed, ObservedPart
from neonlab.verify.uninitialised.walk import Effect, PairedTraces, branch_places

_CLAUSE = "a kernel's result is a function of its arguments, not of any address"


def at_home(fault: Fault, home: Program, away: Program) -> Fault:
    """Return the fault with its address translated to the program at home."""
    pairs = zip(away.instructions, home.instructions, strict=True)
    known = next((at_home.address for moved, at_home in pairs if moved.address == fault.address), fault.address)
    return replace(fault, address=known)


class MovedReport:
    """Words the effect of the `moved` parts; `space` is the address space of the second call."""

    def __init__(self, report: UnsetReport, moved: frozenset[ObservedPart], space: AddressSpace) -> None:
        self._report, self._moved, self._space = report, moved, space

    def fault(self, a: Trace, b: Trace, first: Observed, second: Observed) -> Fault:
        """Return the fault; `a` and `b` are the recorded calls at home and elsewhere."""
        report = self._report
        step, what = report.first_change(a, b, first, second)
        when = next(iter(self._moved)).value if len(self._moved) == 1 else "everything is at another address"
        writer = f"; {report.quoted(int(a.pcs[step]))} wrote it last" if "element" in what else ""
        message = f"{what} when {when} ({self._places(a, b)}){writer}"
        paired = _MovedTraces(a, _in_terms_of(b, a.program), _memory_differs(report.contract, a, b, self._space))
        if not (a.overflow or b.overflow):
            effect = self._effect(paired, first, second)
            sources = paired.sources(effect) if effect is not None else []
            if effect is not None:
                step = min(sources[0].use if sources else effect.step, len(a) - 1)
        return report.fault(FaultKind.NONDETERMINISTIC, message, a, step, _CLAUSE)

    def _places(self, a: Trace, b: Trace) -> str:
        found = []
        if self._moved & {ObservedPart.ORDER, ObservedPart.ALIGNMENT}:
            found += [
                f"`{x.buffer.name}` at {x.address:#x} and {y.address:#x}"
                for x, y in zip(a.buffers, b.buffers, strict=True)
            ]
        contract, isa = self._report.contract, a.isa
        if ObservedPart.STACK in self._moved:
            tops = (entry_stack_pointer(contract, space) for space in (HOME, self._space))
            found.append("sp {:#x} and {:#x} on entry".format(*tops))
        if ObservedPart.CALLER in self._moved:
            name = "x30" if isa.pointer_bytes == 8 else "lr"
            found.append(f"{name} {HOME.return_address:#x} and {self._space.return_address:#x} on entry")
        if ObservedPart.THREAD in self._moved:
            found.append(f"thread pointer {HOME.thread_pointer:#x} and {self._space.thread_pointer:#x}")
        if ObservedPart.CODE in self._moved:
            starts = (trace.program.addresses[contract.name] for trace in (a, b))
            found.append("`{}` at {:#x} and {:#x}".format(contract.name, *starts))
        if ObservedPart.SIGNING in self._moved:
            found.append("paciasp and the like leave a pointer as it is, or sign it")
        return ", ".join(found)

    def _effect(self, paired: _MovedTraces, first: Observed, second: Observed) -> Effect | None:
        for address in self._report.output_addresses(paired.a, first, second):
            origin = paired.flow.memory_origin(len(paired.a), address)
            if origin.step is None or origin.step >= paired.common:
                break
            places = paired.inputs(origin.step, origin.place) if origin.place is not None else ()
            if differing := tuple(place for place in places if paired.differs(origin.step, place)):
                return Effect("output", origin.step, differing, address)
        if paired.parting:
            step = paired.parting - 1
            places = tuple(branch_places(paired.a.instruction(step), paired.isa))
            return Effect("branch", step, tuple(place for place in places if paired.differs(step, place)))
        end = len(paired.a)
        differing = tuple(place for place in self._report.returned_places() if paired.differs(end, place))
        return Effect("return", end, differing) if differing else None


class _MovedTraces(PairedTraces):
    """Two traces in which values may differ because they were loaded from different addresses."""

    made_counts = True

    def inputs(self, step: int, place: int) -> tuple[int, ...]:
        found = super().inputs(step, place)
        if any(self.differs(step, source) for source in found):
            return found
        instruction = self.a.instruction(step)
        registers = {r for access in (instruction.accesses if instruction else ()) for r in (access.base, access.index)}
        return found + tuple(p for register in registers if register is not None for p in places_of(register, self.isa))


def _in_terms_of(trace: Trace, home: Program) -> Trace:
    """Return the trace with its addresses translated, as if the program lay where `home` does."""
    if trace.program is home:
        return trace
    pairs = zip(trace.program.instructions, home.instructions, strict=True)
    translated = {moved.address: at_home.address for moved, at_home in pairs}
    pcs = trace.pcs.copy()
    pcs[:] = [translated.get(pc, pc) for pc in trace.pcs.tolist()]
    return replace(trace, program=home, pcs=pcs)


def _memory_differs(contract: Contract, a: Trace, b: Trace, space: AddressSpace) -> Callable[[int], bool]:
    """Return a function that tells whether the byte at an address of `a` had another initial value in `b`.

    Literals that hold addresses differ, and so do pointers among the stack arguments.  Buffers hold the same.
    """
    differing: set[int] = set()
    for ours, theirs in zip(a.program.segments, b.program.segments, strict=True):
        pairs = zip(ours.data, theirs.data, strict=True)
        differing.update(ours.address + at for at, (x, y) in enumerate(pairs) if x != y)
    addresses = {
        item.buffer.name: (item.address, other.address) for item, other in zip(a.buffers, b.buffers, strict=True)
    }
    entry_sp = entry_stack_pointer(contract)
    places = place_arguments(contract.isa, contract.signature, contract.float_abi)
    for argument, place in zip(contract.arguments, places, strict=True):
        if place.stack_offset is not None and argument.name in addresses:
            x, y = addresses[argument.name]
            start = entry_sp + place.stack_offset
            differing.update(start + at for at in range(place.size) if (x ^ y) >> 8 * at & 0xFF)
    return differing.__contains__
