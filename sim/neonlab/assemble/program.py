"""A linked program: bytes at addresses, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from neonlab.assemble.source import SERVED, SourceLine
from neonlab.isa.liveness import Liveness, liveness
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that are contiguous in memory with one protection."""

    name: str
    address: int
    data: bytes
    executable: bool = False
    writable: bool = False

    @property
    def end(self) -> int:
        """The address one past the last byte."""
        return self.address + len(self.data)


@dataclass(frozen=True, eq=False)  # one program is itself alone, so that what is made of it can be cached
class Program:
    """Hold linked code and data at their final addresses: decoded instructions, symbols and source lines.

    `symbols` has the address of each symbol, with bit 0 set for a Thumb function.  `instructions` are in order of
    address.  `lines` has the source line of each instruction by its address.

    `linked_at(base, displacement)` links the same program again at another address, as `link` does; it is None for a
    program that cannot be moved.
    """

    isa: Isa
    path: str
    segments: tuple[Segment, ...]
    symbols: Mapping[str, int]
    instructions: tuple[Instruction, ...]  # in order of address; data in .text excluded
    lines: Mapping[int, SourceLine] = field(default_factory=dict)
    linked_at: Callable[[int, int], Program] | None = field(default=None, compare=False, repr=False)
    thumb: tuple[tuple[int, int], ...] = ()  # (start, end) of the code in Thumb state; its functions have odd addresses
    missing: Mapping[int, str] = field(default_factory=dict)  # names that nobody defines, at addresses without memory

    @cached_property
    def addresses(self) -> Mapping[str, int]:
        """Return the address of each symbol, without the bit that marks Thumb."""
        return {name: address & ~1 if self.isa is Isa.A32 else address for name, address in self.symbols.items()}

    @cached_property
    def by_address(self) -> Mapping[int, Instruction]:
        """Return the instructions by their addresses."""
        return {instruction.address: instruction for instruction in self.instructions}

    @cached_property
    def liveness(self) -> Liveness:
        """Return which registers are live at each instruction.  Needs at least one instruction."""
        return liveness(self.instructions)

    @cached_property
    def served(self) -> tuple[int, int]:
        """Return the start and the end address of the functions that neonlab supplies (memcpy); (0, 0) without any."""
        found = [address for address, line in self.lines.items() if line.path.startswith(SERVED)]
        return (min(found), max(found) + 4) if found else (0, 0)

    def line_at(self, address: int) -> SourceLine | None:
        """Return the source line of the instruction at `address`, or None where there is none."""
        return self.lines.get(address)
