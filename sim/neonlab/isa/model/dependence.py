"""Represent byte dependence: which bytes each byte that an instruction writes may depend on.

A place is a byte of a register or of memory, as a number; each flag is a place too.  Memory places are relative to the
instruction's own accesses: the caller knows their addresses at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register, general, vector

GENERAL, VECTOR, FLAG_N, FLAG_Z, FLAG_C, FLAG_V, FLAG_GE, STATUS_PLACE = 0, 256, 768, 769, 770, 771, 772, 776
MEMORY, ACCESS_ROOM = 1024, 1024  # ACCESS_ROOM places are set aside for each access of an instruction
_FLAG_BITS = {
    FLAG_N: 0x80000000,
    FLAG_Z: 0x40000000,
    FLAG_C: 0x20000000,
    FLAG_V: 0x10000000,
    FLAG_GE: 0x000F0000,
}
_CONDITIONS = {
    "": (),
    **dict.fromkeys(("eq", "ne"), (FLAG_Z,)),
    **dict.fromkeys(("hs", "lo", "cs", "cc"), (FLAG_C,)),
    **dict.fromkeys(("mi", "pl"), (FLAG_N,)),
    **dict.fromkeys(("vs", "vc"), (FLAG_V,)),
    **dict.fromkeys(("hi", "ls"), (FLAG_C, FLAG_Z)),
    **dict.fromkeys(("ge", "lt"), (FLAG_N, FLAG_V)),
    **dict.fromkeys(("gt", "le"), (FLAG_N, FLAG_Z, FLAG_V)),
}


def general_place(index: int, byte: int = 0) -> int:
    """Return the place of a byte of a general register."""
    return GENERAL + 8 * index + byte


def vector_place(index: int, byte: int = 0) -> int:
    """Return the place of a byte of a vector register of A64; numbers wrap at 32."""
    return VECTOR + 16 * (index % 32) + byte


def places_of(register: Register, isa: Isa) -> range:
    """Return all places of `register`: its bytes, lowest first, or the flags."""
    if register.file == "vector":
        width = 16 if isa is Isa.A64 else 8
        return range(VECTOR + register.index * width, VECTOR + (register.index + 1) * width)
    if register.file == "general":
        return range(general_place(register.index), general_place(register.index) + isa.pointer_bytes)
    if register == FLAGS:
        return range(FLAG_N, (FLAG_V if isa is Isa.A64 else FLAG_GE) + 1)
    return range(STATUS_PLACE, STATUS_PLACE + 1)


def register_of(place: int, isa: Isa) -> tuple[Register, int]:
    """Return the register that a place is in, and which byte (or flag) of it.

    Raises ValueError for a place in memory.
    """
    if place >= MEMORY:
        raise ValueError(f"place {place} is in memory")
    if place >= FLAG_N:
        return (STATUS, 0) if place == STATUS_PLACE else (FLAGS, place - FLAG_N)
    if place >= VECTOR:
        index, byte = divmod(place - VECTOR, 16 if isa is Isa.A64 else 8)
        return vector(index), byte
    return general(place // 8), place % 8


def value_of(place: int, register_value: int, isa: Isa) -> int:
    """Return the contents of `place` when its register holds `register_value`."""
    register, byte = register_of(place, isa)
    if register == FLAGS:
        return register_value & _FLAG_BITS[place]
    return register_value if register == STATUS else register_value >> 8 * byte & 0xFF


def condition_places(condition: str) -> tuple[int, ...]:
    """Return the flags that a condition depends on."""
    return _CONDITIONS[condition]


def memory_place(number: int, byte: int = 0) -> int:
    """Return the place of byte `byte` of access `number` of the instruction."""
    return MEMORY + ACCESS_ROOM * number + byte


def access_of(place: int) -> tuple[int, int]:
    """Return access number and byte of a place in memory."""
    return divmod(place - MEMORY, ACCESS_ROOM)


@dataclass(frozen=True, slots=True)
class Dependence:
    """The byte dependence of one instruction.

    `sources` maps each place that it writes to those that the new contents may depend on, none for a constant.
    `control` are flags that decide whether it does anything at all.  `moves` means that all it writes are copies,
    constants and signs of copies, except the base register that an addressing mode changes.
    """

    sources: Mapping[int, frozenset[int]]
    control: frozenset[int] = frozenset()
    moves: bool = False


@dataclass(slots=True)
class Flow:
    """A Dependence that is being built.  Operands are given by their first place."""

    sources: dict[int, set[int]] = field(default_factory=dict)
    moves: bool = False

    def lanes(
        self,
        destination: int,
        width: int,
        count: int,
        lanewise: Iterable[tuple[int, int]] = (),
        fixed: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Let lane i of `width` bytes depend on lane i of each (start, width) in `lanewise`, and on all of `fixed`."""
        every = {start + byte for start, size in fixed for byte in range(size)}
        operands = tuple(lanewise)
        for lane in range(count):
            found = set(every)
            for start, size in operands:
                found.update(range(start + lane * size, start + (lane + 1) * size))
            for byte in range(width):
                self.sources.setdefault(destination + lane * width + byte, set()).update(found)

    def copy(self, destination: int, source: int, size: int) -> None:
        """Let each byte depend on the same byte of the source."""
        self.lanes(destination, 1, size, [(source, 1)])

    def permute(self, destination: int, sources: Iterable[int]) -> None:
        """Let byte i depend on the i-th of `sources`, as a copy of it."""
        for byte, source in enumerate(sources):
            self.sources.setdefault(destination + byte, set()).add(source)

    def zero(self, start: int, end: int) -> None:
        """Make the places from `start` up to `end` constant."""
        for place in range(start, end):
            self.sources.setdefault(place, set())

    def add(self, destinations: Iterable[int], sources: Iterable[int]) -> None:
        """Let each of `destinations` depend on all of `sources`."""
        found = set(sources)
        for place in destinations:
            self.sources.setdefault(place, set()).update(found)

    def finished(self, control: Iterable[int] = ()) -> Dependence:
        """Return the frozen value."""
        sources = {place: frozenset(found) for place, found in self.sources.items()}
        return Dependence(sources, frozenset(control), self.moves)


def reads_of(instruction: Instruction, general_width: int = 8) -> set[int]:
    """Return the places that it reads: registers and loaded memory.

    Of a general register these are the low `general_width` bytes.
    """
    found: set[int] = set()
    for register in instruction.reads:
        places = places_of(register, instruction.isa)
        found.update(places[:general_width] if register.file == "general" else places)
    for number, access in enumerate(instruction.accesses):
        if access.kind is AccessKind.LOAD:
            found.update(memory_place(number, byte) for byte in range(access.count))
    return found


def writes_of(instruction: Instruction) -> set[int]:
    """Return the places that it writes: registers, and the memory that it stores to."""
    found = {place for register in instruction.writes for place in places_of(register, instruction.isa)}
    for number, access in enumerate(instruction.accesses):
        if access.kind is AccessKind.STORE:
            found.update(memory_place(number, byte) for byte in range(access.count))
    return found


def everything(instruction: Instruction) -> Flow:
    """Return the rule that is always sound: all that is written depends on all that is read."""
    flow = Flow()
    flow.add(writes_of(instruction), reads_of(instruction))
    return flow
