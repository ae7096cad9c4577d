"""Convert a relocatable ELF file to a `Module`."""

from __future__ import annotations

import numpy as np

from neonlab.isa.model.isa import Isa
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import MOST_BYTES, ElfFile, SectionHeader
from neonlab.objects.elf.module import (
    ABSOLUTE,
    ARM,
    COMMON,
    DATA,
    RELOCATION,
    SYMBOL,
    THUMB,
    UNDEFINED,
    InputSection,
    Module,
    Records,
)

# Tables for debuggers, unwinders and linkers.  They are in memory on a device, but no kernel reads them.
_NOT_LOADED = (".note", ".comment", ".eh_frame", ".gcc_except_table", ".ARM.ex", ".ARM.attributes", ".stab", ".gnu.")
_DEBUG = (".debug_",)
_CONSTRUCTORS = (elf.SHT_INIT_ARRAY, elf.SHT_FINI_ARRAY, elf.SHT_PREINIT_ARRAY)
_LOADED_TYPES = (elf.SHT_PROGBITS, elf.SHT_NOBITS, *_CONSTRUCTORS)
#: A section may ask to be aligned to this many bytes.
MOST_ALIGNMENT = 1 << 20


def is_loaded(header: SectionHeader) -> bool:
    """Return whether the linker places the section; thread-local storage is not placed."""
    wanted = header.is_allocated and header.type in _LOADED_TYPES and not header.flags & elf.SHF_TLS
    return wanted and not not_loaded(header.name)


def not_loaded(name: str) -> bool:
    """Return whether a section is for debuggers, unwinders or linkers."""
    return name.startswith((*_NOT_LOADED, *_DEBUG))


def read_module(data: bytes | memoryview, title: str) -> Module:
    """Return the object in `data`.

    Raises ObjectError where it is none, is damaged, or holds what the lab cannot place.
    """
    file = ElfFile(data, title)
    if file.type != elf.ET_REL:
        raise file.error("is a shared object, which is loaded and not linked")
    return module_of(file)


def module_of(file: ElfFile) -> Module:
    """Return the Module of a relocatable object.  Raises ObjectError where it is damaged or too large."""
    tables = [section for section in file.sections if section.type == elf.SHT_SYMTAB]
    if len(tables) > 1:
        raise file.error("has more than one symbol table")
    symbols, names = read_symbols(file, tables[0]) if tables else (np.zeros(1, SYMBOL), ("",))
    marks = read_marks(file, symbols, names)
    sections: dict[int, InputSection] = {}
    total = 0
    for header in file.sections:
        loaded = is_loaded(header)
        if not loaded and not header.name.startswith(_DEBUG):
            continue
        if loaded and header.alignment > MOST_ALIGNMENT:
            raise file.error(f"section {header.name} asks for an alignment of {header.alignment} bytes")
        contents = file.contents(header)
        size = header.size if header.type == elf.SHT_NOBITS else len(contents)
        total += size
        if total > MOST_BYTES:
            raise file.error(f"its sections have more than the {MOST_BYTES} bytes that the lab takes")
        sections[header.number] = InputSection(
            header.number,
            header.name,
            contents,
            size,
            header.alignment,
            header.is_executable,
            header.is_writable,
            loaded,
            section_marks(file.isa, header, marks.get(header.number, [])),
        )
    constructors = tuple(s.name for s in file.sections if s.type in _CONSTRUCTORS and s.size)
    return Module(
        file.isa,
        file.title,
        sections,
        symbols,
        names,
        _relocations(file, len(symbols)),
        _groups(file, names),
        constructors=constructors,
    )


def read_symbols(file: ElfFile, table: SectionHeader) -> tuple[Records, tuple[str, ...]]:
    """Return the symbols of a table, and their names.

    Raises ObjectError where they refer to sections or names that do not exist.
    """
    what = f"the symbol table {table.name}"
    records = file.records(table, elf.SYM[file.bits])
    names = tuple(file.names(records["name"], file.strings(table.link, what), what))
    symbols = np.zeros(max(len(records), 1), SYMBOL)
    if not len(records):
        return symbols, ("",)
    shndx = records["shndx"].astype(np.int64)
    extended = next((s for s in file.sections if s.type == elf.SHT_SYMTAB_SHNDX and s.link == table.number), None)
    is_extended = shndx == elf.SHN_XINDEX
    if is_extended.any():
        if extended is None or extended.size // 4 < len(records):
            raise file.error(f"{what} has section numbers in a table that is not there")
        shndx[is_extended] = file.table(np.dtype("<u4"), extended.offset, len(records), extended.name)[is_extended]
    section = np.where(is_extended | (shndx < elf.SHN_LORESERVE), shndx, UNDEFINED)
    section[(shndx == elf.SHN_ABS) & ~is_extended] = ABSOLUTE
    section[(shndx == elf.SHN_COMMON) & ~is_extended] = COMMON
    wrong = np.flatnonzero(section >= len(file.sections))
    if wrong.size:
        number = int(wrong[0])
        raise file.error(
            f"symbol {number} `{names[number]}` is in section {section[number]}, and there are {len(file.sections)}"
        )
    symbols["section"] = section
    symbols["value"] = records["value"].astype(np.uint64).view(np.int64)
    if file.type == elf.ET_DYN:  # there it is an address
        starts = np.array([section.address for section in file.sections], np.uint64).view(np.int64)
        inside = section > 0
        symbols["value"][inside] -= starts[section[inside]]
    symbols["size"] = np.minimum(records["size"], np.uint64(1) << np.uint64(62)).astype(np.int64)
    symbols["binding"], symbols["type"] = records["info"] >> 4, records["info"] & 15
    symbols["visibility"] = records["other"] & 3
    if file.isa is Isa.A32:
        is_function = np.isin(symbols["type"], (elf.STT_FUNC, elf.STT_GNU_IFUNC)) & (section != UNDEFINED)
        symbols["thumb"] = is_function & (symbols["value"] & 1 == 1)
        symbols["value"] -= symbols["thumb"]
    if file.type == elf.ET_REL:  # a linker may put symbols where its sections are not
        _check_values(file, symbols, names)
    symbols["section"][0] = ABSOLUTE  # references without a symbol mean address 0
    return symbols, names


def _check_values(file: ElfFile, symbols: Records, names: tuple[str, ...]) -> None:
    """Raise ObjectError for a symbol that lies neither in its section nor at its end."""
    sizes = np.array([section.size for section in file.sections], np.uint64)
    inside = symbols["section"] > 0
    values = np.ascontiguousarray(symbols["value"]).view(np.uint64)
    rows = np.flatnonzero(inside)
    outside = rows[values[rows] > sizes[symbols["section"][rows]]] if rows.size else rows
    if outside.size:
        number = int(outside[0])
        section = file.sections[int(symbols["section"][number])]
        value = int(symbols["value"][number]) % (1 << 64)
        raise file.error(
            f"symbol `{names[number]}` is at {value:#x} of section {section.name}, which has {section.size} bytes"
        )


def _relocations(file: ElfFile, symbols: int) -> Records:
    """Return the relocations of all sections."""
    tables = [header for header in file.sections if header.type in (elf.SHT_REL, elf.SHT_RELA)]
    targets = [file.section(header.info, f"the relocations {header.name}").number for header in tables]
    seen: set[int] = set()
    for target in targets:
        if target in seen:
            raise file.error(f"section {file.sections[target].name} has two tables of relocations")
        seen.add(target)
    found = []
    for kind in (elf.SHT_REL, elf.SHT_RELA):
        members = [(header, target) for header, target in zip(tables, targets, strict=True) if header.type == kind]
        if members:
            explicit = kind == elf.SHT_RELA
            dtype = (elf.RELA if explicit else elf.REL)[file.bits]
            counts = [file.entries(header, dtype) for header, _ in members]
            file.count_entries(sum(counts))
            whole = b"".join(file.data[header.offset : header.offset + header.size] for header, _ in members)
            made = relocation_records(file, np.frombuffer(whole, dtype), explicit)
            made["section"] = np.repeat([target for _, target in members], counts)
            found.append(made)
    joined = np.concatenate(found) if found else np.zeros(0, RELOCATION)
    check_symbols(file, joined, symbols)
    return joined


def check_symbols(file: ElfFile, relocations: Records, symbols: int) -> None:
    """Raise ObjectError for a relocation against a symbol that does not exist."""
    if relocations.size and int(relocations["symbol"].max()) >= symbols:
        number = int(relocations["symbol"].max())
        raise file.error(f"a relocation is against symbol {number}, and there are {symbols}")


def relocation_records(file: ElfFile, records: Records, explicit: bool) -> Records:
    """Return the linker's records without the section; an addend in place is 0 here."""
    made = np.zeros(len(records), RELOCATION)
    symbol_bits, kind_mask = (32, 0xFFFFFFFF) if file.bits == 64 else (8, 0xFF)
    made["offset"] = records["offset"].astype(np.uint64).view(np.int64)
    made["symbol"] = records["info"] >> symbol_bits
    made["kind"] = records["info"] & kind_mask
    if explicit:
        made["addend"] = records["addend"]
    made["in_place"] = not explicit
    return made


def read_marks(file: ElfFile, symbols: Records, names: tuple[str, ...]) -> dict[int, list[tuple[int, int]]]:
    """Return the mapping symbols of each section (AAELF32, AAELF64): $a, $t, $x, $d, with or without .suffix."""
    states = {"$a": ARM, "$x": ARM, "$t": THUMB, "$d": DATA}
    found: dict[int, list[tuple[int, int]]] = {}
    candidates = np.flatnonzero((symbols["binding"] == elf.STB_LOCAL) & (symbols["section"] > 0))
    sections, values = symbols["section"].tolist(), symbols["value"].tolist()
    for number in candidates.tolist():
        name = names[number]
        if name[:1] == "$" and name[:2] in states and name[2:3] in ("", "."):
            found.setdefault(sections[number], []).append((values[number], states[name[:2]]))
    return found


def section_marks(isa: Isa, header: SectionHeader, marks: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the marks in order of offset, the last of several at one place; code without marks is all code."""
    if not marks:
        return ((0, ARM),) if header.is_executable else ((0, DATA),)
    by_offset = dict(sorted(marks, key=lambda mark: mark[0]))
    return tuple(by_offset.items())


def _groups(file: ElfFile, names: tuple[str, ...]) -> tuple[tuple[str, frozenset[int]], ...]:
    groups = []
    for header in file.sections:
        if header.type != elf.SHT_GROUP:
            continue
        words = file.table(np.dtype("<u4"), header.offset, header.size // 4, header.name)
        if not len(words) or not int(words[0]) & elf.GRP_COMDAT:
            continue
        if header.info >= len(names):
            raise file.error(f"the group {header.name} is named by symbol {header.info}, and there are {len(names)}")
        groups.append((names[header.info], frozenset(int(word) for word in words[1:])))
    return tuple(groups)
