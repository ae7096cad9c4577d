"""Link an object file to a program: sections at addresses, relocations applied, instructions decoded."""

from __future__ import annotations

import contextlib
import re

from neonlab.assemble.output import relocations
from neonlab.assemble.output.object_file import ObjectFile, Relocation, Section
from neonlab.assemble.program import Program, Segment
from neonlab.assemble.source import AssemblyError, SourceLine, printable
from neonlab.errors import InputError
from neonlab.isa.decode import UndecodableWord, decode
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa

BASE = 0x10000
_PAGE = 0x1000
_MAX_ALIGNMENT = 1 << 20
_GOT = ".got"
_WORD = re.compile(r"(?:\S+: )*\.(?:word|long|int|4byte)\b", re.I)
# Tables for debuggers, unwinders and linkers, which no program has in memory.
_NOT_LOADED = (".note", ".comment", ".debug", ".ARM.", ".gnu.", ".stab", ".group")


def link(object_file: ObjectFile, *, base: int = BASE, displacement: int = 0) -> Program:
    """Link one ObjectFile into a Program: give addresses to sections, apply relocations, decode instructions.

    `.text` goes to the address `base`, a multiple of 4096; every section has pages of its own, with an unmapped page
    between two.  Sections begin `displacement` bytes (less than 4096) into their first page, rounded down to their
    alignment.

    Raises InputError for an undefined symbol, a relocation that is unknown or out of range, and a word in code that is
    no instruction.
    """
    if base % _PAGE:
        raise InputError(f"the base address {base:#x} is not a multiple of {_PAGE:#x}")
    loaded = [
        section
        for section in object_file.sections.values()
        if section.size and not section.name.startswith(_NOT_LOADED)
    ]
    got = _got_symbols(object_file)
    addresses = _addresses(loaded, base, displacement % _PAGE)
    pointer = object_file.isa.pointer_bytes
    end = max([addresses[section.name] + section.size for section in loaded], default=base)
    got_address = -(-(end + _PAGE) // _PAGE) * _PAGE
    places = {name: got_address + pointer * index for index, name in enumerate(got)}
    values = _symbol_values(object_file, addresses)
    images = {section.name: bytearray(section.data + bytes(section.zeros)) for section in loaded}
    for relocation in object_file.relocations:
        if relocation.section in images:
            _apply(object_file, relocation, images[relocation.section], addresses, values, places)
    segments = [
        Segment(
            section.name, addresses[section.name], bytes(images[section.name]), section.executable, section.writable
        )
        for section in loaded
    ]
    if got:
        table = b"".join(values[name].to_bytes(pointer, "little") for name in got)
        segments.append(Segment(_GOT, got_address, table))
    return Program(
        isa=object_file.isa,
        path=object_file.path,
        segments=tuple(segments),
        symbols={name: values[name] for name, symbol in object_file.symbols.items() if symbol.section in addresses},
        instructions=_instructions(object_file, images, addresses),
        lines={
            addresses[section] + offset: line
            for (section, offset), line in object_file.lines.items()
            if section in addresses
        },
        linked_at=lambda other, further: link(object_file, base=other, displacement=further),
    )


def _addresses(sections: list[Section], base: int, displacement: int) -> dict[str, int]:
    addresses: dict[str, int] = {}
    address = base
    # .text first, so that addresses in it do not depend on the data
    for section in sorted(sections, key=lambda section: (section.name != ".text", not section.executable)):
        if section.alignment > _MAX_ALIGNMENT:
            raise InputError(f"the section {section.name} asks for an alignment of {section.alignment} bytes")
        alignment = max(section.alignment, _PAGE)
        address = -(-address // alignment) * alignment
        address += displacement // max(section.alignment, 1) * max(section.alignment, 1)
        addresses[section.name] = address
        address = -(-(address + section.size) // _PAGE) * _PAGE + _PAGE
    return addresses


def _got_symbols(object_file: ObjectFile) -> list[str]:
    names = [
        relocation.symbol
        for relocation in object_file.relocations
        if relocations.is_supported(relocation.kind) and relocations.uses_got(relocation.kind)
    ]
    return list(dict.fromkeys(names))


def _symbol_values(object_file: ObjectFile, addresses: dict[str, int]) -> dict[str, int]:
    """Return the addresses of sections and defined symbols.  Raises InputError for undefined symbols."""
    values = {"*ABS*": 0, **addresses}
    for name, symbol in object_file.symbols.items():
        if symbol.section == "*ABS*":
            values[name] = symbol.value
        elif symbol.section in addresses:
            values[name] = addresses[symbol.section] + symbol.value
        elif symbol.section is not None:
            # a label of an empty section is a place all the same
            values[name] = addresses.get(".text", BASE) + symbol.value
    for section in object_file.sections:
        values.setdefault(section, addresses.get(".text", BASE))
    missing: dict[str, list[str]] = {}
    for relocation in object_file.relocations:
        if relocation.symbol not in values:
            line = _line(object_file, relocation)
            missing.setdefault(relocation.symbol, []).append(line.where if line else relocation.section)
    if missing:
        reports = []
        for name, users in missing.items():
            more = f" and {len(users) - 3} more" if len(users) > 3 else ""
            reports.append(f"`{name}`, which {', '.join(users[:3])}{more} refer{'s' * (len(users) == 1)} to")
        raise InputError(printable(f"{object_file.path}: error: undefined symbol: " + "; ".join(reports)))
    return values


def _line(object_file: ObjectFile, relocation: Relocation) -> SourceLine | None:
    return object_file.lines.get((relocation.section, relocation.offset))


def _apply(
    object_file: ObjectFile,
    relocation: Relocation,
    image: bytearray,
    addresses: dict[str, int],
    values: dict[str, int],
    places: dict[str, int],
) -> None:
    if not relocations.is_supported(relocation.kind):
        raise AssemblyError(
            f"the relocation {relocation.kind} against `{relocation.symbol}` is not supported",
            _line(object_file, relocation),
        )
    target = places if relocations.uses_got(relocation.kind) else values
    place = addresses[relocation.section] + relocation.offset
    try:
        value = target[relocation.symbol] + relocation.addend
        relocations.apply(relocation.kind, image, relocation.offset, value, place)
    except relocations.RelocationRangeError as error:
        raise AssemblyError(f"`{relocation.symbol}`: {error}", _line(object_file, relocation)) from None


def _instructions(
    object_file: ObjectFile, images: dict[str, bytearray], addresses: dict[str, int]
) -> tuple[Instruction, ...]:
    instructions: list[Instruction] = []
    for name in sorted(object_file.code, key=lambda name: addresses.get(name, 0)):
        if name not in images:
            continue
        runs = object_file.code[name]
        for index, (start, end) in enumerate(runs):
            line = object_file.lines.get((name, start))
            if start % 4:
                raise AssemblyError("an instruction at an address that is no multiple of 4", line)
            known = _known(object_file.isa, images[name][start:end], addresses[name] + start)
            instructions += known
            limit = runs[index + 1][0] if index + 1 < len(runs) else len(images[name])
            if known and known[-1].address + 4 == addresses[name] + end:
                instructions += words_fallen_into(object_file, name, images[name][:limit], addresses[name], known[-1])
    return tuple(instructions)


def _known(isa: Isa, code: bytearray, address: int) -> list[Instruction]:
    """Return the instructions among the words of a run.

    `.inst` may write words that are none; those are a fault only when they are executed.
    """
    found: list[Instruction] = []
    for offset in range(0, len(code), 4):
        with contextlib.suppress(UndecodableWord):
            found += decode(isa, bytes(code[offset : offset + 4]), address + offset)
    return found


def words_fallen_into(
    object_file: ObjectFile, section: str, image: bytearray, base: int, last: Instruction
) -> list[Instruction]:
    """Return instructions that are written as `.word`, because some assembler did not know them.

    Data that execution falls into is code.  Data behind a jump is data, such as a literal pool.
    """
    found: list[Instruction] = []
    offset = last.address + 4 - base
    while offset + 4 <= len(image) and _falls_through(last):
        line = object_file.lines.get((section, offset))
        if line is None or not _WORD.match(line.expanded):
            break
        try:
            (last,) = decode(object_file.isa, bytes(image[offset : offset + 4]), base + offset)
        except UndecodableWord:
            break
        found.append(last)
        offset += 4
    return found


def _falls_through(instruction: Instruction) -> bool:
    goes_on = instruction.branch in {BranchKind.NONE, BranchKind.CONDITIONAL, BranchKind.CALL}
    return goes_on or instruction.condition not in {"", "al"}
