"""A relocatable object, which the assembler writes and the linker places.

Addresses in it are offsets in a section.  Relocations have the names and the meaning of the ELF supplements for the Arm
architectures (AAELF32, AAELF64), as in objects of other tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neonlab.assemble.source import SourceLine
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Section:
    """A named run of bytes.  `zeros` bytes of .bss follow `data`; `alignment` is in bytes."""

    name: str
    data: bytes
    alignment: int = 4
    executable: bool = False
    writable: bool = False
    zeros: int = 0

    @property
    def size(self) -> int:
        """The number of bytes it takes in memory."""
        return len(self.data) + self.zeros


@dataclass(frozen=True, slots=True)
class ObjectSymbol:
    """A named location.  `section` is None for a symbol defined elsewhere, "*ABS*" for an absolute value."""

    name: str
    section: str | None
    value: int = 0
    is_global: bool = False
    is_function: bool = False


@dataclass(frozen=True, slots=True)
class Relocation:
    """A relocation: `kind` (`R_AARCH64_CALL26`, ...) at `offset` of `section`, against symbol + addend."""

    section: str
    offset: int
    kind: str
    symbol: str
    addend: int = 0


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """The output of the assembler.

    `data` of each section is what GNU as writes, with relocations not applied.  `lines` maps (section, offset) of each
    statement that emitted bytes to its source.  `code` maps an executable section to its runs of instructions (start,
    end), so that literal pools and data in .text are never decoded as instructions.
    """

    isa: Isa
    path: str
    sections: Mapping[str, Section]
    symbols: Mapping[str, ObjectSymbol]
    relocations: tuple[Relocation, ...] = ()
    lines: Mapping[tuple[str, int], SourceLine] = field(default_factory=dict)
    code: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
