"""Convert a shared object to a `Module` whose sections keep their places, with the relocations of a loader."""

from __future__ import annotations

import numpy as np

from neonlab.isa.model.isa import Isa
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import ElfFile, SectionHeader
from neonlab.objects.elf.module import (
    ARM,
    RELOCATION,
    SYMBOL,
    THUMB,
    InputSection,
    LoadSegment,
    Module,
    Records,
)
from neonlab.objects.elf.relocatable import check_symbols, read_marks, read_symbols, relocation_records, section_marks

_SHT_RELR = 19
_RELATIVE = {Isa.A64: 1027, Isa.A32: 23}
_MOST_SEGMENTS = 64
_BX_PC = 0x4778  # with a nop, for callers in Thumb state
_JUMP_SLOT = {Isa.A64: 1026, Isa.A32: 22}


def shared_module(file: ElfFile) -> Module:
    """Return the Module of a shared object.  Raises ObjectError where it is damaged, or has no section headers."""
    tables = [section for section in file.sections if section.type == elf.SHT_DYNSYM]
    if len(tables) != 1:
        raise file.error("is a shared object without a table of dynamic symbols")
    segments = _segments(file)
    symbols, names = read_symbols(file, tables[0])
    symbols, names = _with_locals(file, symbols, names)
    relocations = _relocations(file, len(symbols))
    symbols, names, relocations = _with_stubs(file, symbols, names, relocations)
    placed = {s.number: s for s in file.sections if s.is_allocated and s.size and not s.flags & elf.SHF_TLS}
    marks = read_marks(file, symbols, names)
    relocations = _in_sections(file, placed, relocations)
    sections: dict[int, InputSection] = {}
    for header in file.sections:
        if header.number not in placed and not header.name.startswith(".debug_"):
            continue
        data = file.contents(header)
        sections[header.number] = InputSection(
            header.number,
            header.name,
            data,
            header.size if header.type == elf.SHT_NOBITS else len(data),
            header.alignment,
            header.is_executable,
            header.is_writable,
            header.number in placed,
            section_marks(file.isa, header, marks.get(header.number, []) or _marks_of_functions(header, symbols)),
        )
    positions = {index: header.address for index, header in placed.items()}
    constructors = tuple(s.name for s in file.sections if s.type == elf.SHT_INIT_ARRAY and s.size)
    return Module(
        file.isa,
        file.title,
        sections,
        symbols,
        names,
        relocations,
        constructors=constructors,
        segments=segments,
        positions=positions,
    )


def _segments(file: ElfFile) -> tuple[LoadSegment, ...]:
    found = []
    for record in file.segments():
        if int(record["type"]) != elf.PT_LOAD or not int(record["memsz"]):
            continue
        address, size, flags = int(record["vaddr"]), int(record["memsz"]), int(record["flags"])
        if address + size >= 1 << 28:
            raise file.error(f"a segment of {size} bytes at {address:#x} has to end below {1 << 28:#x}")
        found.append(LoadSegment(address, size, bool(flags & elf.PF_X), bool(flags & elf.PF_W)))
    if not found:
        raise file.error("has no segments to load")
    if len(found) > _MOST_SEGMENTS:
        raise file.error(f"has {len(found)} segments to load, more than {_MOST_SEGMENTS}")
    for header in file.sections:
        if header.is_allocated and header.size and not header.flags & elf.SHF_TLS:
            start, end = header.address, header.address + header.size
            if not any(s.address <= start and end <= s.address + s.size for s in found):
                raise file.error(f"section {header.name} lies in no segment that is loaded")
    return tuple(found)


def _with_locals(file: ElfFile, symbols: Records, names: tuple[str, ...]) -> tuple[Records, tuple[str, ...]]:
    """Return the dynamic symbols, then the local ones where the object still has them."""
    tables = [section for section in file.sections if section.type == elf.SHT_SYMTAB]
    if not tables:
        return symbols, names
    others, other_names = read_symbols(file, tables[0])
    local = np.flatnonzero((others["binding"] == elf.STB_LOCAL) & (others["section"] > 0))
    hidden = np.flatnonzero((others["binding"] != elf.STB_LOCAL) & (others["section"] > 0))
    exported = set(names)
    hidden = np.array([i for i in hidden.tolist() if other_names[i] not in exported], np.int64)
    chosen = np.concatenate([local, hidden])
    more = others[chosen]
    more["binding"] = elf.STB_LOCAL
    return np.concatenate([symbols, more]), names + tuple(other_names[i] for i in chosen.tolist())


def _relocations(file: ElfFile, symbols: int) -> Records:
    """Return the relocations that a loader would apply; `offset` is an address in the object."""
    tables = []
    for header in file.sections:
        if not header.is_allocated:
            continue
        if header.type in (elf.SHT_REL, elf.SHT_RELA):
            explicit = header.type == elf.SHT_RELA
            records = file.records(header, (elf.RELA if explicit else elf.REL)[file.bits])
            tables.append(relocation_records(file, records, explicit))
        elif header.type == _SHT_RELR:
            tables.append(_packed(file, header))
    joined = np.concatenate(tables) if tables else np.zeros(0, RELOCATION)
    check_symbols(file, joined, symbols)
    return joined


def _packed(file: ElfFile, header: SectionHeader) -> Records:
    """Return relative relocations stored as addresses and bit maps (gABI, SHT_RELR); their addends are in place."""
    width = file.bits // 8
    words = file.table(np.dtype(f"<u{width}"), header.offset, header.size // width, header.name).tolist()
    places: list[int] = []
    where = 0
    for word in words:
        file.count_entries(word.bit_count())
        if not word & 1:
            places.append(word)
            where = word + width
            continue
        places += [where + width * bit for bit in range(file.bits - 1) if word >> bit + 1 & 1]
        where += width * (file.bits - 1)
    made = np.zeros(len(places), RELOCATION)
    made["offset"], made["kind"], made["in_place"] = places, _RELATIVE[file.isa], file.isa is Isa.A32
    if file.isa is Isa.A64:
        for number, place in enumerate(places):
            made["addend"][number] = _word_at(file, place)
    return made


def _word_at(file: ElfFile, address: int) -> int:
    for header in file.sections:
        if header.is_allocated and header.address <= address <= header.address + header.size - 8:
            start = header.offset + address - header.address
            return int.from_bytes(file.data[start : start + 8], "little") if header.type != elf.SHT_NOBITS else 0
    raise file.error(f"a packed relocation is for address {address:#x}, which is in no section")


def _in_sections(file: ElfFile, placed: dict[int, SectionHeader], relocations: Records) -> Records:
    """Return the relocations with their sections; `offset` becomes an offset in the section."""
    headers = sorted(placed.values(), key=lambda header: header.address)
    starts = np.array([header.address for header in headers], np.int64)
    found = np.searchsorted(starts, relocations["offset"], "right") - 1
    if (found < 0).any():
        raise file.error("a relocation is for an address in no section")
    made = relocations.copy()
    made["section"] = np.array([header.number for header in headers], np.int32)[found]
    made["offset"] -= starts[found]
    return made


def _marks_of_functions(header: SectionHeader, symbols: Records) -> list[tuple[int, int]]:
    """Return marks from function symbols, for objects without mapping symbols: where code is A32 and where Thumb."""
    mine = symbols[(symbols["section"] == header.number) & (symbols["type"] == elf.STT_FUNC)]
    return [(int(symbol["value"]), THUMB if symbol["thumb"] else ARM) for symbol in mine]


def _with_stubs(
    file: ElfFile, symbols: Records, names: tuple[str, ...], relocations: Records
) -> tuple[Records, tuple[str, ...], Records]:
    """Name the stubs of imported functions, and add a reference from each to its symbol."""
    slots = relocations[relocations["kind"] == _JUMP_SLOT[file.isa]]
    by_slot = dict(zip(slots["offset"].tolist(), slots["symbol"].tolist(), strict=True))
    made, titles, references = [], [], []
    for header in file.sections:
        if header.is_executable and header.name.startswith(".plt"):
            for start, slot in _stubs(file, header):
                if slot not in by_slot:
                    continue
                thumb = file.isa is Isa.A32 and file.contents(header)[start : start + 2] == _BX_PC.to_bytes(2, "little")
                states = (("$t", start), ("$a", start + 4)) if thumb else (("$a", start),)
                for title, place in ((f"{names[by_slot[slot]]}@plt", start), *states):
                    kind = elf.STT_FUNC if place == start and title[0] != "$" else elf.STT_NOTYPE
                    made.append((header.number, place, 0, elf.STB_LOCAL, kind, 0, thumb and kind == elf.STT_FUNC))
                    titles.append(title)
                references.append((0, header.address + start, 0, by_slot[slot], 0, False))
    return (
        np.concatenate([symbols, np.array(made, SYMBOL)]) if made else symbols,
        names + tuple(titles),
        np.concatenate([relocations, np.array(references, RELOCATION)]) if references else relocations,
    )


def _stubs(file: ElfFile, header: SectionHeader) -> list[tuple[int, int]]:
    """Return (offset, address of the slot it jumps through) of each stub, as GNU ld and lld write them."""
    words = np.frombuffer(bytes(file.contents(header))[: header.size & ~3], "<u4").tolist()
    found: list[tuple[int, int]] = []
    for number in range(len(words)):
        here = header.address + 4 * number
        if file.isa is Isa.A64:
            first, second = words[number], words[number + 1] if number + 1 < len(words) else 0
            if first & 0x9F00001F == 0x90000010 and second & 0xFFC003FF == 0xF9400211:  # adrp x16; ldr x17, [x16]
                pages = (first >> 5 & 0x7FFFF) << 2 | first >> 29 & 3
                pages -= (pages & 1 << 20) << 1
                begins = number - 1 if number and words[number - 1] == 0xD503245F else number  # bti c
                found.append((4 * begins, (here & ~0xFFF) + (pages << 12) + (second >> 10 & 0xFFF) * 8))
        elif words[number] & 0xFFFFF000 == 0xE28FC000:  # add ip, pc; add ip, ip; ldr pc, [ip]!
            slot = here + 8 + _rotated(words[number])
            following = number + 1
            while following < len(words) and words[following] & 0xFFFFF000 == 0xE28CC000:
                slot += _rotated(words[following])
                following += 1
            if following < len(words) and words[following] & 0xFFFFF000 == 0xE5BCF000:
                begins = number - 1 if number and words[number - 1] & 0xFFFF == _BX_PC else number
                found.append((4 * begins, slot + (words[following] & 0xFFF)))
    return found


def _rotated(word: int) -> int:
    byte, turn = word & 0xFF, 2 * (word >> 8 & 15)
    return (byte >> turn | byte << 32 - turn) & 0xFFFFFFFF
