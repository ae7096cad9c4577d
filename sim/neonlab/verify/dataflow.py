"""Who made the byte that an instruction reads: definitions and uses over one recorded trace, byte by byte."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.emulate.trace import Trace
from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.addressing import address_of
from neonlab.isa.model.dependence import MEMORY, Dependence, access_of, memory_place, register_of
from neonlab.isa.model.instruction import AccessKind, Instruction

NOTHING = Dependence({})


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the contents of a byte come from: step `step` left them in `place`, which may be memory that it stored to.

    Without a step they were there when the call began: in the register place `place`, or at `address`.
    """

    step: int | None
    place: int | None
    address: int | None = None


class Dataflow:
    """Answers questions about one trace; places are those of `neonlab.isa.model.dependence`."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._last: tuple[int, int, int] = (-1, 0, 0)  # step, access, address: asked again for each of its bytes

    def rule(self, step: int) -> Dependence:
        """What the instruction of `step` does with bytes; nothing outside the program's text."""
        instruction = self.trace.instruction(step)
        return dependence_of(instruction) if instruction is not None else NOTHING

    def is_effective(self, step: int) -> bool:
        """Whether the step did anything: its condition held."""
        return self.trace.executed(step)

    def origin(self, step: int, place: int) -> Origin:
        """Who made what `place` holds as `step` begins: a register's byte, or memory that the step itself accesses."""
        if place >= MEMORY:
            return self.memory_origin(step, self.address(step, place))
        register, _ = register_of(place, self.trace.isa)
        made = self.trace.definition(step, register)
        while made is not None and not self.is_effective(made):
            made = self.trace.definition(made, register)
        return Origin(made, place)

    def memory_origin(self, step: int, address: int) -> Origin:
        """Who last stored the byte at `address` before `step`."""
        found = self.trace.last_store(step, address)
        if found is None:
            return Origin(None, None, address)
        made, number = found
        return Origin(made, memory_place(number, (address - self.first_address(made, number)) & self._mask), address)

    def address(self, step: int, place: int) -> int:
        """Address of a memory place of `step`."""
        number, byte = access_of(place)
        return (self.first_address(step, number) + byte) & self._mask

    def first_address(self, step: int, number: int) -> int:
        """Where access `number` of `step` begins, or would have begun."""
        if self._last[:2] != (step, number):
            self._last = (step, number, self._first_address(step, number))
        return self._last[2]

    def _first_address(self, step: int, number: int) -> int:
        instruction = self.trace.instruction(step)
        assert instruction is not None
        isa = self.trace.isa
        return address_of(instruction.accesses[number], isa, lambda register: self.trace.before(step, register))

    @property
    def _mask(self) -> int:
        return (1 << 8 * self.trace.isa.pointer_bytes) - 1


def touches_memory(instruction: Instruction) -> bool:
    """Whether it loads or stores; a prefetch does neither."""
    return any(access.kind is not AccessKind.PREFETCH for access in instruction.accesses)
