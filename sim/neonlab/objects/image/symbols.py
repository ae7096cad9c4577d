"""The symbols of a linked program: functions and data, by address and by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from neonlab.objects.elf import layout as elf
from neonlab.objects.link.addresses import DEFINED, SymbolAddresses
from neonlab.objects.link.resolve import Resolution


@dataclass(frozen=True, slots=True)
class ImageSymbol:
    """A named address.  `address` has bit 0 clear; `module` is the index of the object it comes from."""

    name: str
    address: int
    size: int
    is_function: bool
    is_global: bool
    is_weak: bool
    thumb: bool
    module: int

    @property
    def entry(self) -> int:
        """The address as a pointer holds it: bit 0 is set for Thumb."""
        return self.address | self.thumb


def image_symbols(resolution: Resolution, addresses: SymbolAddresses) -> tuple[ImageSymbol, ...]:
    """Return the named symbols that the program defines, in order of address; of a global name its one definition."""
    found = list(_symbols(resolution, addresses))
    return tuple(sorted(found, key=lambda symbol: (symbol.address, symbol.name)))


def _symbols(resolution: Resolution, addresses: SymbolAddresses) -> Iterator[ImageSymbol]:
    for number, module in enumerate(resolution.modules):
        table, symbols = addresses.modules[number], module.symbols
        wanted = (table.status == DEFINED) & ~np.isin(symbols["type"], (elf.STT_SECTION, elf.STT_FILE))
        binding, kind = symbols["binding"].tolist(), symbols["type"].tolist()
        section, size = symbols["section"].tolist(), symbols["size"].tolist()
        places, thumb = table.address.tolist(), table.thumb.tolist()
        for index in np.flatnonzero(wanted).tolist():
            name = module.names[index]
            if not name or name[0] == "$" or not section[index]:
                continue
            is_global = binding[index] != elf.STB_LOCAL
            if is_global:
                definition = resolution.definitions[name]
                if (definition.module, definition.symbol) != (number, index):
                    continue
            yield ImageSymbol(
                name,
                places[index],
                size[index],
                kind[index] == elf.STT_FUNC,
                is_global,
                binding[index] == elf.STB_WEAK,
                thumb[index],
                number,
            )
