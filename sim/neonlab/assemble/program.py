"""A linked program: bytes at addresses, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from neonlab.assemble.source import SERVED, SourceLine
from neonlab.isa.instruction import Instruction
from neonlab.isa.isa import Isa
from neonlab.isa.liveness import Liveness, liveness


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that lie together in memory with one protection."""

    name: str
    address: int
    data: bytes
    executable: bool = False
    writable: bool = False

    @property
    def end(self) -> int:
        """Address one past the last byte."""
        return self.address + len(self.data)


@dataclass(frozen=True)
class Program:
    """Code and constants at their final addresses, with every instruction decoded and every line known.

    `linked_at` makes the same program with its pages from another address on, its sections as many bytes further into
    them as the second number says, cut down to their alignment.  None where nobody can.
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
        """Where each symbol is: `symbols` without the bit that says Thumb."""
        return {name: address & ~1 if self.isa is Isa.A32 else address for name, address in self.symbols.items()}

    @cached_property
    def by_address(self) -> Mapping[int, Instruction]:
        """Instruction that starts at each address."""
        return {instruction.address: instruction for instruction in self.instructions}

    @cached_property
    def liveness(self) -> Liveness:
        """Which registers hold something needed, where.  Of a program without instructions there is none."""
        return liveness(self.instructions)

    @cached_property
    def served(self) -> tuple[int, int]:
        """First address, and address past the last, of the functions that the lab serves; (0, 0) without any."""
        found = [address for address, line in self.lines.items() if line.path.startswith(SERVED)]
        return (min(found), max(found) + 4) if found else (0, 0)

    def line_at(self, address: int) -> SourceLine | None:
        """Source of the instruction at `address`, or None outside the program's text."""
        return self.lines.get(address)
