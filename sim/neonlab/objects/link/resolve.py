"""Resolve names to definitions: across objects, COMDAT groups, and archives whose members are added as needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import ObjectError
from neonlab.objects.elf.module import COMMON, UNDEFINED, Module

_STRONG, _COMMON, _WEAK, _SHARED = 3, 2, 1, 0


class MemberSource(Protocol):
    """A source of objects by the names that they define: an archive."""

    def defining(self, name: str) -> Module | None:
        """Return the member that defines `name`, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition: symbol `symbol` of module `module`."""

    module: int
    symbol: int
    strength: int
    size: int = 0


@dataclass
class Resolution:
    """The modules of a program, the definitions of its global names, and the sections that it drops."""

    modules: list[Module] = field(default_factory=list)
    definitions: dict[str, Definition] = field(default_factory=dict)
    dropped: list[frozenset[int]] = field(default_factory=list)  # sections of each module
    _wanted: list[str] = field(default_factory=list)  # strong references, in order, some of them more than once
    _groups: set[str] = field(default_factory=set)

    def add(self, module: Module) -> None:
        """Add a module.  Raises ObjectError where it defines a name twice, or is for another instruction set."""
        number = len(self.modules)
        if self.modules and module.isa is not self.modules[0].isa:
            raise ObjectError(
                f"{module.title}: is {module.isa.value.upper()}, and {self.modules[0].title} is "
                f"{self.modules[0].isa.value.upper()}; all files of a program need the same instruction set"
            )
        self.modules.append(module)
        gone: set[int] = set()
        for signature, members in module.groups:
            if signature in self._groups:
                gone |= members
        self._groups |= {signature for signature, _ in module.groups}
        self.dropped.append(frozenset(gone))
        symbols = module.symbols
        for index in np.flatnonzero(symbols["binding"] != elf.STB_LOCAL).tolist():
            name, section = module.names[index], int(symbols["section"][index])
            weak = int(symbols["binding"][index]) == elf.STB_WEAK
            if section == UNDEFINED or section in gone:
                if not weak and index:
                    self._wanted.append(name)
                continue
            strength = _SHARED if module.is_shared else _COMMON if section == COMMON else _WEAK if weak else _STRONG
            found = Definition(number, index, strength, int(symbols["size"][index]))
            self._define(name, found)

    def _define(self, name: str, found: Definition) -> None:
        before = self.definitions.get(name)
        if before is None or found.strength > before.strength:
            self.definitions[name] = found
        elif found.strength == before.strength == _STRONG:
            titles = self.modules[before.module].title, self.modules[found.module].title
            raise ObjectError(f"`{name}` is defined twice, in {titles[0]} and in {titles[1]}")
        elif found.strength == before.strength == _COMMON and found.size > before.size:
            self.definitions[name] = found  # of common symbols the largest counts

    def pull(self, sources: Sequence[MemberSource], given: Mapping[str, int]) -> None:
        """Add members that define names that are referred to and not yet defined, until there are none left."""
        done = 0
        while done < len(self._wanted):  # members that are added want more
            name = self._wanted[done]
            done += 1
            if name in self.definitions or name in given:
                continue
            for source in sources:
                member = source.defining(name)
                if member is not None:
                    self.add(member)
                    break
