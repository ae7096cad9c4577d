"""One relocatable object as the linker takes it, made by a compiler, by GNU as or by the lab's own assembler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neonlab.assemble.source import SourceLine
from neonlab.isa.model.isa import Isa

SYMBOL = np.dtype(
    [
        ("section", np.int32),  # index of the section it is defined in, or one of the constants below
        ("value", np.int64),  # offset in the section without bit 0 of Thumb; alignment of a common symbol
        ("size", np.int64),
        ("binding", np.uint8),  # STB_...
        ("type", np.uint8),  # STT_...
        ("visibility", np.uint8),  # STV_...
        ("thumb", np.bool_),  # a function in Thumb state
    ]
)
UNDEFINED, ABSOLUTE, COMMON = 0, -1, -2

RELOCATION = np.dtype(
    [
        ("section", np.int32),  # index of the section it changes
        ("offset", np.int64),
        ("kind", np.uint32),
        ("symbol", np.uint32),
        ("addend", np.int64),
        ("in_place", np.bool_),  # the addend is in the section, at the place (SHT_REL)
    ]
)

# States of code that mapping symbols tell apart.
DATA, ARM, THUMB = 0, 1, 2

Records = npt.NDArray[np.void]


class InputSection(NamedTuple):
    """A section, its contents, and the constraints on its placement.

    `size` is larger than `data` for .bss.  `marks` has (offset, DATA | ARM | THUMB) in order of offset, where the
    contents change, from mapping symbols.
    """

    number: int
    name: str
    data: memoryview
    size: int
    alignment: int
    executable: bool
    writable: bool
    loaded: bool
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadSegment:
    """A segment of a shared object, with its address before the object is moved as a whole."""

    address: int
    size: int
    executable: bool
    writable: bool


@dataclass(frozen=True, eq=False)
class Module:
    """One object file.  `sections` are those with contents that matter, by their index in the file.

    `names` has the name of each symbol.  `groups` are (signature, members) of COMDAT groups; a program keeps one group
    of each signature.  `lines` are the assembler's source lines, by section index and offset; other objects have DWARF
    instead.
    """

    isa: Isa
    title: str
    sections: Mapping[int, InputSection]
    symbols: Records
    names: tuple[str, ...]
    relocations: Records
    groups: tuple[tuple[str, frozenset[int]], ...] = ()
    lines: Mapping[tuple[int, int], SourceLine] = field(default_factory=dict)
    constructors: tuple[str, ...] = ()  # names of sections with functions to be called before or after all others
    segments: tuple[LoadSegment, ...] = ()  # of a shared object, whose `positions` its sections keep
    positions: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        """Tell whether it is a shared object."""
        return bool(self.segments)
