"""Follow a difference between two traces of one call, with different noise, from its effect back to its source.

Up to the first step at which the two take different branches or access different addresses, they run the same
instructions.  So a byte that differs between them depends on uninitialised data, and one that does not differ does not,
whatever rules say: an `eor` of a register with itself, a lane that is never stored, a comparison with the same result.
The walk goes backwards from what differs and must not, along differing bytes, to bytes that were there when the call
began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from neonlab.emulate.trace import Trace
from neonlab.isa.model.dependence import (
    FLAG_GE,
    FLAG_N,
    MEMORY,
    condition_places,
    memory_place,
    places_of,
    register_of,
    value_of,
)
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register
from neonlab.verify.dataflow import Dataflow, Origin, touches_memory


@dataclass(frozen=True, slots=True)
class UnsetSource:
    """A byte that was there when the call began: of the register place `place`, or of memory at `address`.

    `fetch` is the first step that loaded it, for memory; `use` the first step that did more than copy it.  `returned`
    is the step of the return from another function, if that left the byte in `place`.
    """

    place: int | None
    address: int | None
    fetch: int | None
    use: int
    returned: int | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """A forbidden difference at `step`, whose `places` differ as it begins.

    `kind` is "address", "branch", "output" or "return".
    """

    kind: str
    step: int
    places: tuple[int, ...]
    address: int | None = None  # of the output byte


class PairedTraces:
    """The traces of two calls of one program with the same arguments.

    `initial_differs` tells whether the byte of memory at an address began with different values.
    """

    #: True if an instruction itself may be the source of a difference, as `adr` is, and not only its inputs.
    made_counts = False

    def __init__(self, a: Trace, b: Trace, initial_differs: Callable[[int], bool]) -> None:
        self.a, self.b = a, b
        self.flow = _EitherFlow(a, b)
        self._initial_differs = initial_differs
        self._changes: dict[tuple[int, Register], tuple[int, int]] = {}
        shorter = min(len(a), len(b))
        unequal = (a.pcs[:shorter] != b.pcs[:shorter]).nonzero()[0]
        self.parting: int | None = int(unequal[0]) if len(unequal) else None
        self.common = self.parting if self.parting is not None else shorter
        self.isa = a.isa

    def differs(self, step: int, place: int) -> bool:
        """Tell whether `place` holds different values in the two traces as `step` begins."""
        if place >= MEMORY:
            return self._origin_differs(step, self.flow.origin(step, place))
        register, _ = register_of(place, self.isa)
        if (step, register) not in self._changes:
            self._changes[step, register] = self.a.before(step, register), self.b.before(step, register)
        first, second = self._changes[step, register]
        return first != second and value_of(place, first, self.isa) != value_of(place, second, self.isa)

    def _origin_differs(self, step: int, origin: Origin) -> bool:
        if origin.step is None:
            assert origin.address is not None
            return self._initial_differs(origin.address)
        if origin.place is None:
            return False
        return any(self.differs(origin.step, place) for place in self.inputs(origin.step, origin.place))

    def inputs(self, step: int, place: int) -> tuple[int, ...]:
        """Return the places as `step` begins that its value in `place` depends on, with its condition's flags."""
        rule = self.flow.rule(step)
        found = set(rule.sources.get(place, frozenset())) | rule.control
        if not (self.a.executed(step) and self.b.executed(step)) and place < MEMORY:
            found.add(place)  # one of the two kept the old value
        return tuple(sorted(found))

    def effect(self, outputs: Iterable[int], returned: Iterable[int]) -> Effect | None:
        """Return the first forbidden difference: an address, a branch, else one of `outputs` or `returned`.

        `outputs` are addresses of bytes in order of priority; `returned` are register places at the end.  Return None
        if the traces show no difference.
        """
        for step in self._steps_with_other_registers():
            instruction = self.a.instruction(step)
            places = self._address_places(step, instruction) if instruction is not None else ()
            if places:
                return Effect("address", step, places)
        if self.parting:
            step = self.parting - 1
            instruction = self.a.instruction(step)
            places = tuple(place for place in branch_places(instruction, self.isa) if self.differs(step, place))
            return Effect("branch", step, places)
        end = min(len(self.a), len(self.b))
        for address in outputs:
            origin = self.flow.memory_origin(end, address)
            if origin.step is not None and self._origin_differs(end, origin):
                places = self.inputs(origin.step, origin.place) if origin.place is not None else ()
                differing = tuple(place for place in places if self.differs(origin.step, place))
                return Effect("output", origin.step, differing, address)
        places = tuple(place for place in returned if self.differs(end, place))
        return Effect("return", end, places) if places else None

    def _steps_with_other_registers(self) -> list[int]:
        """Return the accesses whose address registers, or condition flags, differ; ascending."""
        found: set[int] = set()
        for pc, steps in self.a.executions.items():
            instruction = self.a.program.by_address.get(pc)
            if instruction is None or not touches_memory(instruction):
                continue
            steps = steps[steps < self.common]
            registers = {register for access in instruction.accesses for register in (access.base, access.index)}
            if instruction.condition or any(access.extend.endswith("rrx") for access in instruction.accesses):
                registers.add(FLAGS)
            for register in registers - {None}:
                assert register is not None
                differ = (self.a.befores(steps, register) != self.b.befores(steps, register)).any(axis=1)
                found.update(steps[differ].tolist())
        return sorted(found)

    def _address_places(self, step: int, instruction: Instruction) -> tuple[int, ...]:
        """Return the differing bytes of the registers that form the addresses of `step`, if an address differs."""
        in_a, in_b = self.a.executed(step), self.b.executed(step)
        if not (in_a and in_b):  # a condition that holds in one trace only matters if the instruction has an effect
            return self._conditional_store(step, instruction) if in_a != in_b else ()
        found: set[int] = set()
        for number, access in enumerate(instruction.accesses):
            if access.kind is AccessKind.PREFETCH:
                continue
            if self.flow.first_address(step, number) == self.flow.other_address(step, number):
                continue
            for register in (access.base, access.index):
                if register is not None:
                    found.update(place for place in places_of(register, self.isa) if self.differs(step, place))
            if access.extend.endswith("rrx"):
                found.update(place for place in places_of(FLAGS, self.isa) if self.differs(step, place))
        return tuple(sorted(found))

    def _conditional_store(self, step: int, instruction: Instruction) -> tuple[int, ...]:
        """Return the differing condition flags of a load or store that only one of the two calls executes."""
        if not touches_memory(instruction):
            return ()
        return tuple(place for place in condition_places(instruction.condition) if self.differs(step, place))

    def sources(self, effect: Effect) -> list[UnsetSource]:
        """Return the origins of the difference, earliest use first."""
        forward: dict[tuple[int, int], set[tuple[int, int]]] = {}  # (step, place read) -> those that depend on it
        final = (effect.step, -1)
        waiting = [(effect.step, place) for place in effect.places]
        for node in waiting:
            forward.setdefault(node, set()).add(final)
        seen = set(waiting)
        leaves: dict[tuple[int | None, int | None, int | None], list[tuple[int, int]]] = {}
        while waiting:
            step, place = waiting.pop()
            origin = self.flow.origin(step, place)
            inputs = self._differing_inputs(origin)
            returned = origin.step if origin.step is not None and self.a.is_return(origin.step) else None
            if origin.step is None or returned is not None or (self.made_counts and not inputs):
                key = (None if place >= MEMORY else place, origin.address, returned)
                leaves.setdefault(key, []).append((step, place))
                continue
            for node in inputs:
                forward.setdefault(node, set()).add((step, place))
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        found = []
        for (leaf, address, returned), readers in leaves.items():
            use = min(self._first_use(reader, forward, effect, final) for reader in readers)
            fetch = min(step for step, _ in readers) if address is not None else None
            found.append(UnsetSource(leaf, address, fetch, use, returned))
        return sorted(found, key=lambda source: (source.use, source.place or 0, source.address or 0))

    def _differing_inputs(self, origin: Origin) -> list[tuple[int, int]]:
        """Return the differing inputs of the origin's step as (step, place); none for an initial value."""
        if origin.step is None or origin.place is None:
            return []
        nodes = ((origin.step, place) for place in self.inputs(origin.step, origin.place))
        return [node for node in nodes if self.differs(*node)]

    def _first_use(
        self,
        start: tuple[int, int],
        forward: dict[tuple[int, int], set[tuple[int, int]]],
        effect: Effect,
        final: tuple[int, int],
    ) -> int:
        """Return the first step from `start` on, along the difference, that does more than copy a byte."""
        best, waiting, seen = effect.step, [start], {start}
        while waiting:
            step, place = waiting.pop()
            if step >= best:
                continue
            following = forward.get((step, place), set())
            if final in following and (step, place) != final:
                best = min(best, step)
                continue
            if not all(self._copies(step, place, reader) for reader in following):
                best = min(best, step)
                continue
            for node in following - seen:
                seen.add(node)
                waiting.append(node)
        return best

    def _copies(self, step: int, place: int, reader: tuple[int, int]) -> bool:
        """Tell whether `reader` reads the byte that `step` read in `place`, only moved."""
        origin = self.flow.origin(*reader)
        rule = self.flow.rule(step)
        if place in rule.control:
            return False
        assert origin.place is not None
        instruction = self.a.instruction(step)
        writeback = instruction.writeback if instruction is not None else None
        if writeback is not None and origin.place in places_of(writeback.base, self.isa):
            return False
        if place != origin.place or place >= MEMORY:
            return rule.moves
        unexecuted = not (self.a.executed(step) and self.b.executed(step))
        return rule.moves or unexecuted or self._keeps(step, place)

    def _keeps(self, step: int, place: int) -> bool:
        """Tell whether the instruction leaves the byte (or flag) unchanged and sets others of the same register."""
        register, _ = register_of(place, self.isa)
        for trace in (self.a, self.b):
            held = value_of(place, trace.before(step, register), self.isa)
            if value_of(place, trace.after(step, register), self.isa) != held:
                return False
        sources = self.flow.rule(step).sources
        if register == FLAGS:
            return True
        return sources.get(place) == frozenset({place}) and any(
            sources.get(other) != frozenset({other}) for other in places_of(register, self.isa)
        )


class _EitherFlow(Dataflow):
    """The data flow of the first of two traces, where a step has an effect if it has one in either."""

    def __init__(self, a: Trace, b: Trace) -> None:
        super().__init__(a)
        self._other = Dataflow(b)

    def is_effective(self, step: int) -> bool:
        """Tell whether the step's condition held in one of the two."""
        return self.trace.executed(step) or (step < len(self._other.trace) and self._other.trace.executed(step))

    def other_address(self, step: int, number: int) -> int:
        """Return the address at which access `number` of `step` begins in the second trace."""
        return self._other.first_address(step, number)


def branch_places(instruction: Instruction | None, isa: Isa) -> list[int]:
    """Return the places that decide a branch: flags, a tested register, or the target."""
    if instruction is None:
        return []
    if instruction.condition:
        return list(condition_places(instruction.condition))
    found = [place for register in instruction.reads for place in places_of(register, isa)]
    if instruction.branch in (BranchKind.RETURN, BranchKind.INDIRECT):
        for number, access in enumerate(instruction.accesses):  # pop {pc}
            found += [memory_place(number, byte) for byte in range(access.count)]
    return found


def is_flag(place: int) -> bool:
    """Tell whether a place is one of the flags."""
    return FLAG_N <= place <= FLAG_GE
