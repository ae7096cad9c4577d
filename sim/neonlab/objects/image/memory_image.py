"""A program in memory that is not yet decoded. A large object is relocated at once, and decoded as far as needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Segment
from neonlab.assemble.source import SERVED
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.objects.demangle import demangle
from neonlab.objects.dwarf.prototypes import FunctionType, read_prototypes
from neonlab.objects.elf.module import DATA, THUMB, Module
from neonlab.objects.image.debug_sections import debug_sections
from neonlab.objects.image.symbols import ImageSymbol
from neonlab.objects.link.addresses import Addresses
from neonlab.objects.link.apply_fixes import Problem
from neonlab.objects.link.place import Part

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Image:
    """The result of linking.

    `memory` starts at `base`.  `sections` has the address of each section by (module, index).  `missing` are names that
    no object defines, at addresses where nothing is mapped.  `references` are (place, target, status) of every
    relocation, by place.  `veneers` and the mapping symbols of the modules separate code from data: (address, DATA |
    ARM | THUMB).
    """

    isa: Isa
    title: str
    base: int
    memory: npt.NDArray[np.uint8]
    parts: tuple[Part, ...]
    modules: tuple[Module, ...]
    sections: Mapping[tuple[int, int], int]
    symbols: tuple[ImageSymbol, ...]
    missing: Mapping[str, int]
    references: tuple[Integers, Integers, npt.NDArray[np.uint8]]
    problems: tuple[Problem, ...]
    addresses: tuple[Addresses, ...]  # of the symbols of each module
    biases: Mapping[int, int]  # added to the addresses of each shared object
    linked_at: Callable[[int, int], Image]  # the same elsewhere: `base` and `displacement` of `link_modules`
    veneers: tuple[tuple[int, int], ...] = ()

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The parts as segments of a Program."""
        return tuple(
            Segment(
                part.name,
                part.address,
                self.memory[part.address - self.base : part.end - self.base].tobytes(),
                part.executable,
                part.writable,
            )
            for part in self.parts
        )

    @cached_property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The addresses where executable memory changes between data, A32 or A64, and Thumb, in order."""
        found = list(self.veneers)
        for (number, index), address in self.sections.items():
            section = self.modules[number].sections[index]
            if section.executable:
                found += [(address + offset, state) for offset, state in section.marks]
                found.append((address + section.size, DATA))
        # where one section ends and the next begins, the beginning counts
        found.sort(key=lambda mark: (mark[0], mark[1] != DATA))
        return tuple(dict(found).items())

    @cached_property
    def thumb(self) -> tuple[tuple[int, int], ...]:
        """The (start, end) of each run of Thumb code."""
        ends = [address for address, _ in self.marks[1:]]
        return tuple(
            (address, end)
            for (address, state), end in zip(self.marks, ends, strict=False)
            if state == THUMB and end > address
        )

    @cached_property
    def by_name(self) -> Mapping[str, ImageSymbol]:
        """Symbols by name: global ones, and local ones whose names are free; of several local ones the first."""
        found: dict[str, ImageSymbol] = {}
        for symbol in self.symbols:
            before = found.get(symbol.name)
            if before is None or symbol.is_global:
                found[symbol.name] = symbol
        return found

    def named(self, name: str) -> ImageSymbol | None:
        """Return the symbol `name`, or the one C++ function of that name, with or without parameters; None for none.

        Raises InputError where it is the name of several functions.
        """
        if name in self.by_name or not name:
            return self.by_name.get(name)
        readable = {one: demangle(one) for one, symbol in self.by_name.items() if symbol.is_function}
        found = [one for one, shown in readable.items() if one != shown and name in (shown, shown.partition("(")[0])]
        if len(found) > 1:
            several = ", ".join(f"`{readable[one]}`" for one in found[:8])
            raise InputError(f"{self.title}: `{name}` is the name of {len(found)} functions: choose one of {several}")
        return self.by_name[found[0]] if found else None

    @property
    def functions(self) -> tuple[str, ...]:
        """The demangled names of the functions that its objects define, sorted, without those that the lab provides."""
        own = (one for one in self.by_name.values() if one.is_function)
        return tuple(
            sorted({demangle(one.name) for one in own if not self.modules[one.module].title.startswith(SERVED)})
        )

    def prototype(self, name: str) -> FunctionType | None:
        """Return the prototype of the function `name` from debug information; None where there is none."""
        symbol = self.named(name)
        if symbol is None:
            return None
        bias = self.biases.get(symbol.module, 0)
        sections = debug_sections(self.modules[symbol.module], self.addresses[symbol.module])
        functions = read_prototypes(sections, self.isa, symbol.address - bias)
        return next((f for f in functions if f.address & ~1 == symbol.address - bias), None)
