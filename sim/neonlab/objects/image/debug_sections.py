"""Relocate the debug sections of an object as a linker would: addresses in them are those of the image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab.isa.model.isa import Isa
from neonlab.objects.elf.module import Module
from neonlab.objects.link import addresses as ad
from neonlab.objects.link.addresses import Addresses

# ABS64 and ABS32; compilers use no others there.  Distances between sections do not occur.
_SIZES = {Isa.A64: {257: 8, 258: 4}, Isa.A32: {2: 4}}


def debug_sections(module: Module, addresses: Addresses) -> Mapping[str, bytes]:
    """Return the contents by section name.  References to functions that the program does not keep are 0."""
    found: dict[str, bytes] = {}
    table = module.relocations
    for section in module.sections.values():
        if not section.name.startswith(".debug_"):
            continue
        image = np.frombuffer(section.data, np.uint8).copy()
        mine = table[table["section"] == section.number]
        for kind, size in _SIZES[module.isa].items():
            some = mine[(mine["kind"] == kind) & (mine["offset"] >= 0) & (mine["offset"] + size <= image.size)]
            if not len(some):
                continue
            symbol = some["symbol"]
            own = module.symbols["section"][symbol]
            is_placed = addresses.status[symbol] == ad.DEFINED
            # a symbol of a debug section has no address: its place in the section counts
            inside_debug = np.isin(own, [s.number for s in module.sections.values() if not s.loaded])
            target = np.where(inside_debug, module.symbols["value"][symbol], addresses.address[symbol])
            target = np.where(inside_debug | is_placed, target, 0)
            where = some["offset"][:, None] + np.arange(size)
            old = image[where]
            in_place = np.zeros(len(some), np.int64)
            for position in range(size):
                in_place |= old[:, position].astype(np.int64) << (8 * position)
            value = target + np.where(some["in_place"], in_place, some["addend"])
            value = np.where(inside_debug | is_placed, value, 0)
            image[where] = np.ascontiguousarray(value.astype("<i8")).view(np.uint8).reshape(-1, 8)[:, :size]
        found[section.name] = image.tobytes()
    return found
