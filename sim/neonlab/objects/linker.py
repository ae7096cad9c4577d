"""Link objects to one image in memory: place sections, resolve names, apply relocations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.errors import InputError
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import ObjectError
from neonlab.objects.elf.module import COMMON, Module
from neonlab.objects.image.memory_image import Image
from neonlab.objects.image.symbols import image_symbols
from neonlab.objects.link.addresses import SymbolAddresses
from neonlab.objects.link.apply_fixes import apply_fixes
from neonlab.objects.link.fixes import collect_fixes
from neonlab.objects.link.place import CONSTANTS, DATA, PAGE, TABLE, TEXT, ZEROS, Placement, part_of
from neonlab.objects.link.resolve import MemberSource, Resolution
from neonlab.objects.link.veneers import Veneers

BASE = 0x10000
_TABLE_SYMBOL = "_GLOBAL_OFFSET_TABLE_"


@dataclass(frozen=True, eq=False)
class _PlacedSections:
    placement: Placement
    sections: dict[tuple[int, int], int]  # address by module and index
    common: dict[str, int]
    biases: dict[int, int]  # added to the addresses of each shared object


def link_modules(
    modules: Sequence[Module],
    *,
    archives: Sequence[MemberSource] = (),
    given: Mapping[str, int] | None = None,
    base: int = BASE,
    displacement: int = 0,
) -> Image:
    """Return the image of `modules`, placed and relocated, with the members of `archives` that they need.

    `given` are addresses of names that no object defines.  Undefined names and relocations that cannot be applied are
    not errors yet: they become errors when a function that needs them is requested.  Code and data begin `displacement`
    bytes, less than a page, after the start of their pages, or as many fewer as their alignment requires.  Raises
    ObjectError where two objects define one name, are of different instruction sets, or take too much memory.
    """
    if not modules:
        raise InputError("there is nothing to link")
    if base % PAGE:
        raise InputError(f"the base address {base:#x} is not a multiple of {PAGE:#x}")
    given = dict(given or {})
    resolution = Resolution()
    for module in modules:
        resolution.add(module)
    resolution.pull(archives, given)
    isa = modules[0].isa
    given[_TABLE_SYMBOL] = 0  # its place is set last; references to it are corrected then
    room: dict[tuple[int, int], int] = {}
    while True:  # room for veneers moves later code, so that more may be needed; it never shrinks
        placed = _place(resolution, Placement(base, displacement % PAGE), room)
        addresses = _addresses(resolution, placed, given)
        fixes = collect_fixes(resolution, placed.sections, addresses)
        veneers = Veneers(isa, fixes)
        needed = {section: max(size, room.get(section, 0)) for section, size in veneers.room.items()}
        if needed.items() <= room.items():
            break
        room |= needed
    placement = placed.placement
    entries = fixes.table_entries()
    (table_at,) = placement.lay(TABLE, [(isa.pointer_bytes * len(entries), 16)])
    end = max((part.end for part in placement.parts), default=base)

    memory = np.zeros(end - base, np.uint8)
    for (number, index), address in placed.sections.items():
        data = resolution.modules[number].sections[index].data
        memory[address - base : address - base + len(data)] = np.frombuffer(data, np.uint8)
    fixes.name_table(table_at, [resolution.modules[n].names for n in range(len(resolution.modules))], _TABLE_SYMBOL)
    veneers.place({key: address + _section_size(resolution, key) for key, address in placed.sections.items()})
    problems = apply_fixes(fixes, memory, base, table_at, entries)
    veneers.write(memory, base)
    table = entries.astype("<u8" if isa.pointer_bytes == 8 else "<u4").view(np.uint8)
    memory[table_at - base : table_at - base + table.size] = table
    return Image(
        isa=isa,
        title=modules[0].title,
        base=base,
        memory=memory,
        parts=tuple(placement.parts),
        modules=tuple(resolution.modules),
        sections=placed.sections,
        symbols=image_symbols(resolution, addresses),
        missing=addresses.missing,
        references=fixes.references(
            veneers.references, [(part.address, part.end) for part in placement.parts if part.executable]
        ),
        problems=problems,
        addresses=tuple(addresses.modules),
        biases=placed.biases,
        linked_at=lambda other, further: link_modules(
            modules, archives=archives, given=given, base=other, displacement=further
        ),
        veneers=tuple(veneers.marks),
    )


def _addresses(resolution: Resolution, placed: _PlacedSections, given: Mapping[str, int]) -> SymbolAddresses:
    found = SymbolAddresses(resolution, placed.sections, placed.common, given)
    for number, bias in placed.biases.items():
        found.modules[number].address[0] = bias  # the base of relocations without a symbol
    return found


def _section_size(resolution: Resolution, key: tuple[int, int]) -> int:
    return resolution.modules[key[0]].sections[key[1]].size


def _place(resolution: Resolution, placement: Placement, room: Mapping[tuple[int, int], int]) -> _PlacedSections:
    kept = [
        (number, section)
        for number, module in enumerate(resolution.modules)
        for section in module.sections.values()
        if not module.is_shared and section.loaded and section.number not in resolution.dropped[number]
    ]
    common = _common(resolution)
    addresses: dict[tuple[int, int], int] = {}
    biases: dict[int, int] = {}
    for number, module in enumerate(resolution.modules):
        if module.is_shared:
            biases[number] = placement.fix(module.title, module.segments)
            for index, position in module.positions.items():
                addresses[number, index] = biases[number] + position
    common_at: dict[str, int] = {}
    for name in (TEXT, CONSTANTS, DATA, ZEROS):
        members = [(number, section) for number, section in kept if part_of(section) == name]
        pieces = [(s.size + room.get((number, s.number), 0), s.alignment) for number, s in members]
        extra = list(common.items()) if name == ZEROS else []
        laid = placement.lay(name, pieces + [size for _, size in extra])
        for (number, section), address in zip(members, laid, strict=False):
            addresses[number, section.number] = address
        for (symbol, _), address in zip(extra, laid[len(members) :], strict=True):
            common_at[symbol] = address
    return _PlacedSections(placement, addresses, common_at, biases)


def _common(resolution: Resolution) -> dict[str, tuple[int, int]]:
    """Return size and alignment of each common symbol: the largest of either that an object states."""
    found: dict[str, tuple[int, int]] = {}
    for module in resolution.modules:
        for index in np.flatnonzero(module.symbols["section"] == COMMON).tolist():
            name = module.names[index]
            if int(module.symbols["binding"][index]) == elf.STB_LOCAL:
                raise ObjectError(f"{module.title}: the common symbol `{name}` is local")
            definition = resolution.definitions[name]
            if int(resolution.modules[definition.module].symbols["section"][definition.symbol]) != COMMON:
                continue
            size, alignment = int(module.symbols["size"][index]), int(module.symbols["value"][index])
            if alignment & (alignment - 1) or not 0 <= alignment <= 1 << 20 or size > 1 << 28:
                raise ObjectError(f"{module.title}: `{name}` asks for {size} bytes aligned to {alignment}")
            before = found.get(name, (0, 1))
            found[name] = max(before[0], size), max(before[1], alignment)
    return found
