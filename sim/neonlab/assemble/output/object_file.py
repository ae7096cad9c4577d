"""A relocatable object: what the assembler makes, and what the linker places.

Addresses in here are offsets in a section.  Relocations carry the names and the meaning that the ELF supplements for
the Arm architectures give them (AAELF32, AAELF64), so objects made elsewhere have the same shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neonlab.assemble.source import SourceLine
from neonlab.isa.model.isa import Isa


@dataclass(frozen=True, slots=True)
class Section:
    """A named run of bytes.  `zeros` bytes of .bss follow `data`; `alignment` in bytes."""

    name: str
    data: bytes
    alignment: int = 4
    executable: bool = False
    writable: bool = False
    zeros: int = 0

    @property
    def size(self) -> int:
        """Bytes it takes in memory."""
        return len(self.data) + self.zeros


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name for a place.  `section` is None for one defined elsewhere, "*ABS*" for an absolute value."""

    name: str
    section: str | None
    value: int = 0
    is_global: bool = False
    is_function: bool = False


@dataclass(frozen=True, slots=True)
class Relocation:
    """`kind` (`R_AARCH64_CALL26`, `R_ARM_MOVW_ABS_NC`, ...) at `offset` of `section`, against symbol + addend."""

    section: str
    offset: int
    kind: str
    symbol: str
    addend: int = 0


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """The assembler's product.

    `data` of each section is what GNU as writes, relocations not applied.  `lines` maps (section, offset) of each
    statement that emitted bytes to its source.  `code` maps an executable section to its runs of instructions (start,
    end), so that literal pools and data in .text are never decoded as instructions.
    """

    isa: Isa
    path: str
    sections: Mapping[str, Section]
    symbols: Mapping[str, Symbol]
    relocations: tuple[Relocation, ...] = ()
    lines: Mapping[tuple[str, int], SourceLine] = field(default_factory=dict)
    code: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
