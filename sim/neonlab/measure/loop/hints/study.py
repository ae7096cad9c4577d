"""Study one loop: uses of results, free registers, and the cost of a changed loop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.isa.liveness import liveness
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register, RegisterKind, general
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.forms.form import operands_of
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hot_loop import HotLoop
from neonlab.measure.loop.places import LinePlace, file_letters
from neonlab.measure.memory_probe import Traffic
from neonlab.measure.pipeline.cost import Cycles, loop_cycles
from neonlab.measure.silicon.encoded import encoded

_LEAST, _LEAST_CYCLES = 0.01, 0.1  # share of a loop's cycles, and cycles, that a change must save to be reported
_LONGEST = 1024  # instructions of a loop that changes are tried on
#: A changed loop: instructions kept, and texts of new ones.
Changed = Sequence["Instruction | str"]


@dataclass(frozen=True, slots=True)
class Uses:
    """The readers of a result before it is overwritten: places in the body, from the next one round to itself.

    `leaves`: it may be read outside the loop as well.
    """

    readers: tuple[int, ...]
    leaves: bool


@dataclass(frozen=True)
class Study:
    """One iteration of a loop on one core.

    `features` are those that the kernel declares.  Without `confirmed`, changes that save nothing give hints too.
    """

    program: Program
    loop: HotLoop
    core: PipelineCore
    traffic: Traffic | None = None
    features: frozenset[str] = frozenset()
    confirmed: bool = True
    _costs: dict[tuple[str, ...], float | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def body(self) -> tuple[Instruction, ...]:
        """The instructions of the iteration."""
        return self.loop.body

    @property
    def isa(self) -> Isa:
        """The instruction set of the program."""
        return self.program.isa

    @cached_property
    def cycles(self) -> Cycles:
        """The model's cycles of an iteration as it is."""
        return loop_cycles(self.body, self.core)

    @property
    def total(self) -> float:
        """Cycles of an iteration as it is."""
        return self.cycles.total

    @cached_property
    def simple(self) -> bool:
        """Tell whether the body can be changed as a whole.

        It has no branch but the one back, and all iterations are alike.
        """
        inner = self.body[:-1]
        branches = any(instruction.branch is not BranchKind.NONE for instruction in inner)
        return len(self.body) <= _LONGEST and self.loop.always and not branches and not any(i.condition for i in inner)

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Places in the body by address."""
        return {instruction.address: at for at, instruction in enumerate(self.body)}

    def place(self, at: int) -> LinePlace:
        """Return the file and line of a place in the body."""
        source = self.program.line_at(self.body[at].address)
        return LinePlace(source.path, source.line) if source else LinePlace("", 0)

    @cached_property
    def _letters(self) -> Mapping[str, str]:
        return file_letters(self.place(at).path for at in range(len(self.body)))

    def line(self, at: int) -> str:
        """Return the name of the line of a place in the body, as texts print it."""
        place = self.place(at)
        return f"{place.line}{self._letters[place.path]}"

    def lines(self, places: Iterable[int]) -> tuple[LinePlace, ...]:
        """Return the source lines of places in the body, each once, ascending, file by file in the body's order."""
        files = list(self._letters)
        return tuple(sorted({self.place(at) for at in places}, key=lambda one: (files.index(one.path), one.line)))

    @cached_property
    def _live(self) -> tuple[frozenset[Register], frozenset[Register]]:
        """The registers that are live where the loop is entered, and where it is left."""
        live = liveness(self.program.instructions)
        last = self.body[-1]
        outside: set[Register] = set()
        for instruction in self.program.instructions:
            inside = instruction.address in self.loop.addresses
            following = instruction.address + instruction.size
            for target in (following, instruction.target):
                if inside and target is not None and target not in self.loop.addresses:
                    outside |= live.live_in.get(target, frozenset())
        if last.branch is BranchKind.NONE:
            outside |= live.live_out[last.address]
        return live.live_in[self.body[0].address], frozenset(outside)

    @cached_property
    def touched(self) -> frozenset[Register]:
        """Registers that the body reads or writes, or that are live across it."""
        inside = {register for one in self.body for register in (*one.reads, *one.writes)}
        return frozenset(inside | self._live[0] | self._live[1])

    @cached_property
    def free_vectors(self) -> tuple[int, ...]:
        """Numbers of the 128-bit registers that are used neither in the loop nor across it."""
        halves = 2 if self.isa is Isa.A32 else 1
        taken = {one.index // halves for one in self.touched if one.kind is RegisterKind.VECTOR}
        return tuple(number for number in range(self.isa.vector_registers) if number not in taken)

    @cached_property
    def free_general(self) -> tuple[int, ...]:
        """Numbers of the general registers that nothing uses; without x18, sp, the frame pointer, lr and pc."""
        reserved = {18, 29, 30, 31} if self.isa is Isa.A64 else {13, 14, 15}
        count = 31 if self.isa is Isa.A64 else 15
        return tuple(n for n in range(count) if n not in reserved and general(n) not in self.touched)

    def uses(self, at: int, registers: Iterable[Register] | None = None) -> Uses:
        """Return the readers of what the instruction at `at` leaves in `registers` (by default all that it writes)."""
        left = set(self.body[at].writes if registers is None else registers)
        readers: list[int] = []
        count = len(self.body)
        leaves = False
        for step in range(1, count + 1):
            place = (at + step) % count
            if place == 0:
                leaves = bool(left & self._live[1])
            other = self.body[place]
            if left & set(other.reads):
                readers.append(place)
            left -= set(other.writes)
            if not left:
                break
        return Uses(tuple(readers), leaves)

    def producer(self, at: int, register: Register) -> int | None:
        """Return the place before `at` in the same iteration that last wrote `register`; None where none did."""
        for place in range(at - 1, -1, -1):
            if register in self.body[place].writes:
                return place
        return None

    def written_between(self, registers: Iterable[Register], first: int, last: int) -> bool:
        """Return whether an instruction after `first` and before `last` writes one of `registers`."""
        wanted = set(registers)
        return any(wanted & set(self.body[place].writes) for place in range(first + 1, last))

    def cost(self, changed: Changed) -> float | None:
        """Return the cycles of one iteration of a changed loop.

        Returns None where a text is no instruction, or where nothing is left.
        """
        key = tuple(one if isinstance(one, str) else f"{one.address}" for one in changed)
        if key not in self._costs:
            self._costs[key] = self._cost(changed)
        return self._costs[key]

    def _cost(self, changed: Changed) -> float | None:
        texts = [one for one in changed if isinstance(one, str)]
        try:
            new = iter(encoded(self.isa, texts)) if texts else iter(())
        except InputError:
            return None
        body = [next(new) if isinstance(one, str) else one for one in changed]
        return loop_cycles(body, self.core).total if body else None

    def hint(self, kind: str, places: Iterable[int], text: str, changed: Changed, per: float = 1.0) -> Hint | None:
        """Return the hint if the changed loop, which does `per` times the work, is faster in the model; else None."""
        after = self.cost(changed)
        if after is None:
            return None
        if self.confirmed and self.total - after / per < max(_LEAST_CYCLES, _LEAST * self.total):
            return None
        mended = tuple(one if isinstance(one, str) else one.text for one in changed)
        return Hint(kind, self.lines(places), text, self.total, after / per, mended)

    def conflict(self, one: Instruction, other: Instruction) -> bool:
        """Return whether the two must keep their order.  A store may be to any memory."""
        if one.branch is not BranchKind.NONE or other.branch is not BranchKind.NONE:
            return True
        reads, writes = set(one.reads), set(one.writes)
        if writes & set(other.reads) or reads & set(other.writes) or writes & set(other.writes):
            return True
        kinds = [{access.kind for access in instruction.accesses} for instruction in (one, other)]
        return all(kinds) and any(AccessKind.STORE in kind for kind in kinds)


def operands(instruction: Instruction) -> list[str]:
    """Return the operands as the disassembler writes them, in lower case."""
    return operands_of(instruction.operands.lower())


def with_operands(instruction: Instruction, listed: Sequence[str], mnemonic: str | None = None) -> str:
    """Return the instruction's text with other operands, and with another mnemonic if one is given."""
    return f"{mnemonic or instruction.mnemonic} {', '.join(listed)}"


def vectors_named(listed: Sequence[str], isa: Isa) -> frozenset[int]:
    """Return the numbers of the 128-bit registers that the operands name, whole or in part."""
    found = set()
    for letter, number in re.findall(r"\b([vqdshb])(\d+)", " ".join(listed)):
        parts = {"q": 1, "d": 2, "s": 4}[letter] if isa is Isa.A32 else 1
        found.add(int(number) // parts)
    return frozenset(found)


def number_of(text: str) -> int | None:
    """Return the value of an immediate, `#16` or `#0x10`; None for other text."""
    try:
        return int(text.strip().lstrip("#"), 0)
    except ValueError:
        return None


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 load`, `2 loads`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def is_load(instruction: Instruction) -> bool:
    """Return whether all its memory accesses are loads, and it has at least one."""
    kinds = {access.kind for access in instruction.accesses}
    return kinds == {AccessKind.LOAD}
