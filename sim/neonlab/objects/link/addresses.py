"""Compute the address of every symbol, after the sections have theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.module import ABSOLUTE, COMMON, Module
from neonlab.objects.link.resolve import Resolution

#: Undefined symbols get addresses from here on, where nothing is ever mapped.
MISSING, MISSING_STEP = 0x7F80_0000, 16

# The outcome for a symbol.
DEFINED, ABSENT, NOBODYS = 0, 1, 2  # ABSENT: weak and defined nowhere
THREAD_LOCAL, CHOSEN_LATER, NOT_KEPT = 3, 4, 5  # UNUSABLE and more: nothing can refer to it
UNUSABLE = THREAD_LOCAL


@dataclass(frozen=True, eq=False)
class Addresses:
    """The symbols of one module by index: address with bit 0 clear, whether it is a Thumb function, status."""

    address: npt.NDArray[np.int64]
    thumb: npt.NDArray[np.bool_]
    status: npt.NDArray[np.uint8]
    typed: npt.NDArray[np.bool_]  # it is known to be a function, so that its state counts


class SymbolAddresses:
    """The addresses of all symbols of a program.

    `given` are absolute addresses of names that no object defines; bit 0 means Thumb.
    """

    def __init__(
        self,
        resolution: Resolution,
        sections: Mapping[tuple[int, int], int],
        common: Mapping[str, int],
        given: Mapping[str, int],
    ) -> None:
        self._resolution, self._sections, self._common, self._given = resolution, sections, common, given
        self.missing: dict[str, int] = {}
        own = [self._own(number, module) for number, module in enumerate(resolution.modules)]
        self.globals = {name: self._global(name, own) for name in resolution.definitions}
        self.modules = [
            self._resolved(number, module, table)
            for (number, module), table in zip(enumerate(resolution.modules), own, strict=True)
        ]

    def _own(self, number: int, module: Module) -> Addresses:
        """Return the addresses of the symbols that a module defines."""
        symbols = module.symbols
        count = max((*module.sections, int(symbols["section"].max())), default=0) + 1
        starts = np.full(count, -1, np.int64)
        for index in module.sections:
            starts[index] = self._sections.get((number, index), -1)
        section = symbols["section"].astype(np.int64)
        start = np.where(section > 0, starts[np.maximum(section, 0)], 0)
        status = np.where(section == 0, NOBODYS, DEFINED).astype(np.uint8)
        status[(section > 0) & (start < 0)] = NOT_KEPT
        status[(symbols["type"] == elf.STT_TLS) & (section != 0)] = THREAD_LOCAL
        status[(symbols["type"] == elf.STT_GNU_IFUNC) & (section != 0)] = CHOSEN_LATER
        address = np.where((section > 0) & (start >= 0), start + symbols["value"], 0)
        address[section == ABSOLUTE] = symbols["value"][section == ABSOLUTE]
        for index in np.flatnonzero(section == COMMON).tolist():
            address[index] = self._common.get(module.names[index], 0)
        typed = symbols["type"] == elf.STT_FUNC
        return Addresses(address, symbols["thumb"].copy(), status, typed)

    def _global(self, name: str, own: list[Addresses]) -> tuple[int, bool, int, bool]:
        found = self._resolution.definitions[name]
        table = own[found.module]
        row = found.symbol
        return int(table.address[row]), bool(table.thumb[row]), int(table.status[row]), bool(table.typed[row])

    def _resolved(self, number: int, module: Module, own: Addresses) -> Addresses:
        """Replace names that other modules define, and fill in names that no module defines."""
        definitions = self._resolution.definitions
        binding = module.symbols["binding"]
        for index in np.flatnonzero(binding != elf.STB_LOCAL).tolist():
            name = module.names[index]
            found = definitions.get(name)
            if found is not None:
                if (found.module, found.symbol) != (number, index):
                    row = self.globals[name]
                    own.address[index], own.thumb[index], own.status[index], own.typed[index] = row
            elif name in self._given:
                address = self._given[name]
                thumb = bool(address & 1) and module.isa.pointer_bytes == 4
                own.address[index], own.thumb[index] = address - thumb, thumb
                own.status[index], own.typed[index] = DEFINED, True
            elif int(binding[index]) == elf.STB_WEAK:
                own.status[index] = ABSENT
            else:
                own.status[index] = NOBODYS
                own.address[index] = self.missing.setdefault(name, MISSING + MISSING_STEP * len(self.missing))
        return own
