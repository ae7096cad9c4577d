"""Convert the output of the lab's own assembler to a module, to be linked with other objects."""

from __future__ import annotations

import numpy as np

from neonlab.assemble.linking import words_fallen_into
from neonlab.assemble.output.fixups import ABSOLUTE as ABSOLUTE_NAME
from neonlab.assemble.output.object_file import ObjectFile, Section
from neonlab.isa.decode import UndecodableWord, decode
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import ObjectError
from neonlab.objects.elf.module import ABSOLUTE, ARM, DATA, RELOCATION, SYMBOL, UNDEFINED, InputSection, Module
from neonlab.objects.elf.relocatable import not_loaded
from neonlab.objects.link.relocation_names import relocation_number


def assembled_module(made: ObjectFile) -> Module:
    """Return the module. Its labels are functions where the text says so, or where they are global and in code."""
    numbers = {name: number for number, name in enumerate(made.sections, 1)}
    rows: list[tuple[int, int, int, int, int, int, bool]] = [(ABSOLUTE, 0, 0, elf.STB_LOCAL, elf.STT_NOTYPE, 0, False)]
    names = [""]
    for name, number in numbers.items():
        rows.append((number, 0, 0, elf.STB_LOCAL, elf.STT_SECTION, 0, False))
        names.append(name)
    for name, symbol in made.symbols.items():
        if name in numbers:
            continue
        place = UNDEFINED if symbol.section is None else numbers.get(symbol.section, ABSOLUTE)
        binding = elf.STB_GLOBAL if symbol.is_global or symbol.section is None else elf.STB_LOCAL
        kind = elf.STT_FUNC if symbol.is_function else elf.STT_NOTYPE
        rows.append((place, symbol.value, 0, binding, kind, 0, False))
        names.append(name)
    index = {name: row for row, name in enumerate(names)} | {ABSOLUTE_NAME: 0}
    for relocation in made.relocations:
        if relocation.symbol not in index:
            index[relocation.symbol] = len(rows)
            rows.append((UNDEFINED, 0, 0, elf.STB_GLOBAL, elf.STT_NOTYPE, 0, False))
            names.append(relocation.symbol)
    relocations = np.array(
        [
            (numbers[r.section], r.offset, _number(made, r.kind), index[r.symbol], r.addend, False)
            for r in made.relocations
        ],
        RELOCATION,
    )
    sections = {numbers[name]: _section(made, numbers[name], section) for name, section in made.sections.items()}
    lines = {(numbers[section], offset): line for (section, offset), line in made.lines.items()}
    return Module(
        made.isa, made.path, sections, np.array(rows, SYMBOL), tuple(names), relocations.reshape(-1), lines=lines
    )


def _number(made: ObjectFile, kind: str) -> int:
    number = relocation_number(made.isa, kind)
    if number is None:
        raise ObjectError(f"{made.path}: the relocation {kind} is not known")
    return number


def _section(made: ObjectFile, number: int, section: Section) -> InputSection:
    marks: list[tuple[int, int]] = [(0, DATA)]
    runs = made.code.get(section.name, ())
    for position, (start, end) in enumerate(runs):
        limit = runs[position + 1][0] if position + 1 < len(runs) else len(section.data)
        marks += [(start, ARM), (_end_of_code(made, section, start, end, limit), DATA)]
    return InputSection(
        number,
        section.name,
        memoryview(section.data),
        section.size,
        max(section.alignment, 1),
        section.executable,
        section.writable,
        not not_loaded(section.name),
        tuple(dict(marks).items()),
    )


def _end_of_code(made: ObjectFile, section: Section, start: int, end: int, limit: int) -> int:
    """Return the end of the run with the data words after it that are executed too.

    Such words encode instructions that the assembler does not know.
    """
    if end - 4 < start:
        return end
    try:
        (last,) = decode(made.isa, section.data[end - 4 : end], end - 4)
    except UndecodableWord:
        return end
    return end + 4 * len(words_fallen_into(made, section.name, bytearray(section.data[:limit]), 0, last))
