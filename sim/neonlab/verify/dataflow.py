"""Find the instruction that made the byte another one reads: definitions and uses over one trace, byte by byte."""

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
    """The origin of a byte: step `step` left it in `place`, which may be memory that the step stored to.

    Without a step, the byte had its value when the call began: in the register place `place`, or at `address`.
    """

    step: int | None
    place: int | None
    address: int | None = None


class Dataflow:
    """Answers questions about one trace; places are those of `neonlab.isa.model.dependence`."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._last: tuple[int, int, int] = (-1, 0, 0)  # step, access, address: a cache
        #: The bits of an address.
        self.mask = (1 << 8 * trace.isa.pointer_bytes) - 1

    def rule(self, step: int) -> Dependence:
        """Return how the instruction of `step` moves bytes; `NOTHING` for a step outside the program's text."""
        instruction = self.trace.instruction(step)
        return dependence_of(instruction) if instruction is not None else NOTHING

    def is_effective(self, step: int) -> bool:
        """Tell whether the step was executed: its condition held."""
        return self.trace.executed(step)

    def origin(self, step: int, place: int) -> Origin:
        """Return the origin of `place` as `step` begins: a byte of a register, or of memory that the step accesses."""
        if place >= MEMORY:
            return self.memory_origin(step, self.address(step, place))
        register, _ = register_of(place, self.trace.isa)
        made = self.trace.definition(step, register)
        while made is not None and not self.is_effective(made):
            made = self.trace.definition(made, register)
        return Origin(made, place)

    def memory_origin(self, step: int, address: int) -> Origin:
        """Return the last store to the byte at `address` before `step`."""
        found = self.trace.last_store(step, address)
        if found is None:
            return Origin(None, None, address)
        made, number = found
        return Origin(made, memory_place(number, (address - self.first_address(made, number)) & self.mask), address)

    def address(self, step: int, place: int) -> int:
        """Return the address of a memory place of `step`."""
        number, byte = access_of(place)
        return (self.first_address(step, number) + byte) & self.mask

    def first_address(self, step: int, number: int) -> int:
        """Return the address at which access `number` of `step` begins, whether or not it took place."""
        if self._last[:2] != (step, number):
            self._last = (step, number, self._first_address(step, number))
        return self._last[2]

    def _first_address(self, step: int, number: int) -> int:
        instruction = self.trace.instruction(step)
        assert instruction is not None
        isa = self.trace.isa
        return address_of(instruction.accesses[number], isa, lambda register: self.trace.before(step, register))


def touches_memory(instruction: Instruction) -> bool:
    """Tell whether the instruction loads or stores; a prefetch does neither."""
    return any(access.kind is not AccessKind.PREFETCH for access in instruction.accesses)
