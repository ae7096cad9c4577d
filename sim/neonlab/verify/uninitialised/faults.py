"""Word the faults of dependence on uninitialised data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.noise import CALLS, FLAGS, MARGINS, STACK
from neonlab.emulate.hooks.served import is_served
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.emulate.trace import Trace
from neonlab.isa.c.procedure_call import place_arguments, place_result
from neonlab.isa.model.dependence import places_of, register_of
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register, general, vector
from neonlab.verify.memory.rows import between_rows, element
from neonlab.verify.memory.sanitizer import entry_stack_pointer
from neonlab.verify.uninitialised.observed import Observed, integers_in
from neonlab.verify.uninitialised.walk import Effect, PairedTraces, UnsetSource, is_flag

_STACK_REACH = 1 << 22
_WIDENING = (
    "AAPCS64, Parameter Passing: the bits of a register or stack slot above an argument narrower than it have "
    "unspecified values"
)
_CHANGED = {
    Isa.A64: "AAPCS64: a call preserves x19-x29, sp and the lower halves of v8-v15, and nothing else",
    Isa.A32: "AAPCS32: a call preserves r4-r11, sp and d8-d15, and nothing else",
}
_MARGIN = "the kernel may read it, but no result may depend on it"


class UnsetReport:
    """Words the findings about one call; `arguments` have their buffers placed."""

    def __init__(self, program: Program, contract: Contract, arguments: Sequence[Passed], seed: int) -> None:
        self._program, self.contract, self._arguments, self._seed = program, contract, arguments, seed
        self._isa = program.isa
        self._integers = integers_in(contract, arguments)
        self._entry_sp = entry_stack_pointer(contract)
        self._places = place_arguments(contract.isa, contract.signature, contract.float_abi)

    # Places of the bytes that a call begins with

    def initial_differs(self, a: Trace, b: Trace) -> Callable[[int], bool]:
        """Return a function that tells whether a byte of memory had another value when the second call began."""
        set_by_caller = {
            self._entry_sp + place.stack_offset + byte
            for place in self._places
            if place.stack_offset is not None
            for byte in range(place.size)
        }
        contents = [
            (first.address, first.end, first.buffer.contents(), second.buffer.contents())
            for first, second in zip(a.buffers, b.buffers, strict=True)
        ]
        segments = [(segment.address, segment.end) for segment in self._program.segments]

        def differs(address: int) -> bool:
            for start, end, ours, theirs in contents:
                if start <= address < end:
                    return bool(ours[address - start] != theirs[address - start])
            if any(start <= address < end for start, end in segments):
                return False
            return address not in set_by_caller

        return differs

    def output_addresses(self, trace: Trace, first: Observed, second: Observed) -> Iterator[int]:
        """Yield the addresses of the output bytes that may differ, certain ones first."""
        addresses = {item.buffer.name: item.address for item in trace.buffers}
        if not isinstance(first.outcome, Run) or not isinstance(second.outcome, Run):
            return
        for name in first.outputs:
            yield from (addresses[name] + int(at) for at in np.flatnonzero(first.changed(second, name)))
        for name, offsets in first.untouched(second).items():
            yield from (addresses[name] + int(at) for at in offsets)

    def returned_places(self) -> list[int]:
        """Return the register places of the returned value."""
        location = place_result(self._isa, self.contract.signature, self.contract.float_abi)
        if location is None:
            return []
        width = -(-location.size // len(location.registers))
        found: list[int] = []
        for name in location.registers:
            register, first = argument_register(name, self._isa)
            found += places_of(register, self._isa)[first : first + width]
        return found

    def place_name(self, source: UnsetSource, trace: Trace) -> str:
        """Return the place to change alone to confirm the source: a place of `Noise`, or `contents NAME`."""
        if source.address is not None:
            if found := trace.buffer_at(source.address):
                return f"contents {found[0].buffer.name}"
            return STACK if self._on_stack(source.address) else MARGINS
        assert source.place is not None
        if source.returned is not None:
            return CALLS
        if is_flag(source.place):
            return FLAGS
        register, _ = register_of(source.place, self._isa)
        if register.file == "vector":
            return f"q{register.index}" if self._isa is Isa.A64 else f"q{register.index // 2}"
        return register.name(self._isa)

    def _on_stack(self, address: int) -> bool:
        return self._entry_sp - _STACK_REACH <= address < self._entry_sp + _STACK_REACH

    # Faults

    def unset(self, paired: PairedTraces, effect: Effect, source: UnsetSource) -> Fault:
        """Return the fault of a dependence on `source`, shown by `effect`."""
        what = self._effect(paired, effect)
        trace = paired.a
        if source.address is not None:
            return self._unset_memory(trace, source, what)
        assert source.place is not None
        step = min(source.use, len(trace) - 1)
        register, byte = register_of(source.place, self._isa)
        if source.returned is None and (argument := self._narrow_argument(register)) is not None:
            return self._upper_half(trace, step, register, argument, what)
        name = "the flags" if is_flag(source.place) else register.name(self._isa)
        if register.file == "vector":
            name = f"{register.name(self._isa)} (byte {byte})"
        elif not is_flag(source.place) and self._isa is Isa.A64 and register.index == 18:
            name = "x18, the platform register"
        clause = "AAPCS: registers that carry no argument, and the flags, have unspecified values on entry"
        message = f"{what} on {name}, which nothing has set"
        if source.returned is not None:
            call = self.quoted(int(trace.pcs[trace.call_before(source.returned)]))
            message = f"{what} on {name}, which {call} may have changed"
            clause = _CHANGED[self._isa]
        return self.fault(FaultKind.UNINITIALISED_REGISTER, message, trace, step, clause, register=register)

    def _unset_memory(self, trace: Trace, source: UnsetSource, what: str) -> Fault:
        assert source.address is not None
        step = source.fetch if source.fetch is not None else source.use
        kind = FaultKind.UNINITIALISED_READ
        if found := trace.buffer_at(source.address):
            item, offset = found
            name = item.buffer.name
            message = f"{what} on byte {offset} of `{name}`, which nothing has written before it is read here"
            declared = self.contract.argument(name)
            if declared.block(self._integers).position(offset) is None:
                place = between_rows(declared, self._integers, offset, offset + 1, written=False)
                message = f"{what} on byte {offset} of `{name}`, {place}: {_MARGIN}"
            clause = self._clause(name)
            return replace(self.fault(kind, message, trace, step, clause), buffer=name, offset=offset)
        if self._on_stack(source.address):
            offset = source.address - self._entry_sp
            if (argument := self._stack_argument(offset)) is not None:
                bits = 8 * argument.ctype.size
                slot = f"bits {bits}-63 of {argument.location}"
                message = f"{what} on {slot}, above the {bits}-bit argument `{argument.name}`"
                return self.fault(FaultKind.UPPER_HALF_ARGUMENT, message, trace, step, _WIDENING)
            message = f"{what} on the byte at sp{offset:+d} (sp as on entry), which nothing has stored before"
            clause = "AAPCS: the stack below sp has unspecified contents on entry"
            return self.fault(kind, message, trace, step, clause)
        near = min(trace.buffers, key=lambda item: item.distance(source.address or 0))
        name, offset = near.buffer.name, source.address - near.address
        beyond = offset - near.buffer.size + 1
        where = f"byte {beyond} beyond the end" if offset >= 0 else f"byte {-offset} before the start"
        message = f"{what} on {where} of `{name}`: {_MARGIN}"
        return replace(self.fault(kind, message, trace, step, self._clause(name)), buffer=name, offset=offset)

    def _upper_half(self, trace: Trace, step: int, register: Register, argument: Argument, what: str) -> Fault:
        bits = 8 * argument.ctype.size
        message = (
            f"{what} on bits {bits}-63 of {register.name(self._isa)}, above the {bits}-bit argument `{argument.name}`"
        )
        return self.fault(FaultKind.UPPER_HALF_ARGUMENT, message, trace, step, _WIDENING, register=register)

    def repeated(self, a: Trace, b: Trace, first: Observed, again: Observed) -> Fault:
        """Return the fault of a call whose result changes when it is repeated."""
        step, what = self.first_change(a, b, first, again)
        reader = next((i for i in map(a.instruction, range(len(a))) if i is not None and _reads_system(i)), None)
        cause = f"; {self.quoted(reader.address)} reads the system's state" if reader is not None else ""
        message = f"{what} when the same call is made again{cause}"
        clause = "a kernel's result is a function of its arguments"
        return self.fault(FaultKind.NONDETERMINISTIC, message, a, step, clause)

    def kept(self, a: Trace, b: Trace, first: Observed, second: Observed) -> Fault:
        """Return the fault of a second equal call whose result depends on what the first left in the program's data."""
        step, what = self.first_change(a, b, first, second)
        kept = [range(segment.address, segment.end) for segment in self._program.segments if segment.writable]
        paired = PairedTraces(a, b, lambda address: any(address in part for part in kept))
        outputs = list(self.output_addresses(a, first, second))
        effect = paired.effect(outputs, self.returned_places()) if not (a.overflow or b.overflow) else None
        fetches = [source.fetch for source in (paired.sources(effect) if effect else ()) if source.fetch is not None]
        message = f"{what} when the kernel is called again: it depends on what the kernel keeps in its own data"
        clause = "a kernel's result is a function of its arguments"
        return self.fault(FaultKind.NONDETERMINISTIC, message, a, min(fetches, default=step), clause)

    def untraced(self, first: Observed, second: Observed) -> Fault:
        """Return the fault of a dependence in a call too long to record, or one that the walk cannot follow."""
        fault = first.fault or second.fault
        message = "the kernel's behaviour depends on uninitialised registers or memory"
        clause = "AAPCS: registers that carry no argument have unspecified values on entry"
        address = fault.address if fault is not None else self._program.addresses[self.contract.name]
        return self._at(FaultKind.UNINITIALISED_REGISTER, message, address, clause)

    def first_change(self, a: Trace, b: Trace, first: Observed, second: Observed) -> tuple[int, str]:
        """Return the step that last wrote the first differing output byte, and a phrase about that byte."""
        addresses = {item.buffer.name: item.address for item in a.buffers}
        for name in first.outputs if second.outputs else ():
            changed = np.flatnonzero(first.changed(second, name))
            if len(changed):
                offset = int(changed[0])
                found = a.last_store(len(a), addresses[name] + offset)
                step = found[0] if found is not None else len(a) - 1
                return step, f"{self.element(name, offset)} changes"
        if first.fault is not None or second.fault is not None:
            return min(len(a), len(b)) - 1, "whether the kernel faults changes"
        return len(a) - 1, "the returned value changes"

    def _effect(self, paired: PairedTraces, effect: Effect) -> str:
        text = self.quoted(int(paired.a.pcs[min(effect.step, len(paired.a) - 1)]))
        if effect.kind == "address":
            return f"the address of {text} depends"
        if effect.kind == "branch":
            return f"the direction of {text} depends"
        if effect.kind == "return":
            return "the returned value depends"
        found = paired.a.buffer_at(effect.address or 0)
        if found is None:
            return "the result depends"
        return f"{self.element(found[0].buffer.name, found[1])} depends"

    def quoted(self, address: int) -> str:
        """Return an instruction as written in the source, with its line."""
        line, instruction = self._program.line_at(address), self._program.by_address.get(address)
        if line is None:
            return f"`{instruction.text}`" if instruction is not None else "an instruction"
        return f"`{' '.join((line.expanded or line.text).split())}` (line {line.line})"

    def element(self, name: str, offset: int) -> str:
        """Return the name of the output element that holds a byte."""
        argument = self.contract.by_name.get(name)
        return element(argument, self._integers, offset) if argument is not None else f"element {offset} of `{name}`"

    def _clause(self, name: str) -> str:
        argument = self.contract.by_name.get(name)
        if argument is None:
            return ""
        reads = f"read = {argument.read.text}" if argument.read is not None else "no read"
        writes = f", write = {argument.write.text}" if argument.write is not None else ""
        margins = "".join(
            f", {key} = {size}"
            for key, size in (("over_read", argument.over_read), ("under_read", argument.under_read))
            if size
        )
        return f"{name}: {reads}{writes}{margins}"

    def _stack_argument(self, offset: int) -> Argument | None:
        """Return the argument whose slot of 8 bytes holds an offset from sp on entry, in A64; else None."""
        for argument, place in zip(self.contract.arguments, self._places, strict=True):
            if self._isa is Isa.A64 and place.stack_offset is not None and 0 <= offset - place.stack_offset < 8:
                return argument
        return None

    def _narrow_argument(self, register: Register) -> Argument | None:
        """Return the integer argument that a register carries, or None."""
        for argument, place in zip(self.contract.arguments, self._places, strict=True):
            for name in place.registers:
                if argument.ctype.kind == "integer" and argument_register(name, self._isa)[0] == register:
                    return argument
        return None

    def fault(
        self,
        kind: FaultKind,
        message: str,
        trace: Trace,
        step: int,
        clause: str,
        *,
        register: Register | None = None,
    ) -> Fault:
        """Return a fault at a step of the trace; in a function that the lab supplies, at the call of it."""
        if is_served(self._program, int(trace.pcs[step])):
            step = trace.call_before(step)
        fault = self._at(kind, message, int(trace.pcs[step]), clause)
        return replace(fault, register=register.name(self._isa)) if register is not None else fault

    def _at(self, kind: FaultKind, message: str, address: int, clause: str) -> Fault:
        instruction = self._program.by_address.get(address)
        line = self._program.line_at(address)
        text = instruction.text if instruction is not None else ""
        return Fault(kind, message, address, line, text, seed=self._seed, clause=clause)


def argument_register(name: str, isa: Isa) -> tuple[Register, int]:
    """Return the register that contains an argument's register, such as `s5`, and the byte at which it starts."""
    kind, number = name[0], int(name[1:])
    if kind in "wxr":
        return general(number), 0
    if isa is Isa.A64:
        return vector(number), 0
    return (vector(number), 0) if kind == "d" else (vector(number // 2), 4 * (number % 2))


def _reads_system(instruction: Instruction) -> bool:
    """Tell whether the instruction reads a system register that does not belong to the program."""
    named = ("nzcv", "fpcr", "fpsr", "apsr", "fpscr")
    return instruction.mnemonic in ("mrs", "mrc", "mrrc") and not instruction.operands.endswith(named)
