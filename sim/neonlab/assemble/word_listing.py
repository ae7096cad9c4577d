"""List an object as `neonlab asm` prints it: each statement with its address, bytes, disassembly and source."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from neonlab.assemble.output.object_file import ObjectFile
from neonlab.assemble.source import printable
from neonlab.isa.decode import UndecodableWord, decode_word

_BYTES_IN_A_ROW = 16


@dataclass(frozen=True, slots=True)
class ListingRow:
    """One row.  `address` is the offset in the section; `disassembly` is a data directive for data.

    `is_code` says that the row is an instruction of four bytes.
    """

    section: str
    address: int
    data: bytes
    disassembly: str
    where: str
    source: str
    is_code: bool = False

    @property
    def shown(self) -> str:
        """The row's bytes: an instruction as a 32-bit word (`4e209400`), data as bytes in the order of memory."""
        return f"{int.from_bytes(self.data, 'little'):08x}" if self.is_code else self.data.hex(" ")


def listing(object_file: ObjectFile) -> tuple[ListingRow, ...]:
    """Return the rows in order of sections and addresses; the disassembly names relocations."""
    notes: dict[tuple[str, int], str] = {}
    for relocation in object_file.relocations:
        addend = f"{relocation.addend:+#x}" if relocation.addend else ""
        notes[relocation.section, relocation.offset] = printable(f"  <{relocation.kind} {relocation.symbol}{addend}>")
    rows: list[ListingRow] = []
    for name, section in object_file.sections.items():
        starts = sorted(offset for at, offset in object_file.lines if at == name)
        code = object_file.code.get(name, ())
        edges = sorted({*starts, *(edge for run in code for edge in run), len(section.data)})
        for start, end in itertools.pairwise(edges):
            is_code = any(first <= start < last for first, last in code)
            step = 4 if is_code else _BYTES_IN_A_ROW
            for offset in range(start, min(end, len(section.data)), step):
                data = section.data[offset : min(offset + step, end)]
                rows.append(_row(object_file, name, offset, data, notes, is_code=is_code))
    return tuple(rows)


def _row(
    object_file: ObjectFile, name: str, offset: int, data: bytes, notes: dict[tuple[str, int], str], *, is_code: bool
) -> ListingRow:
    line = object_file.lines.get((name, offset))
    is_code = is_code and len(data) == 4
    text = _instruction(object_file, data, offset) if is_code else _datum(data)
    text += notes.get((name, offset), "")
    if line is None:
        return ListingRow(name, offset, data, text, "", "", is_code)
    source = (line.expanded or line.text).strip() if line.trail else line.text.strip()
    return ListingRow(name, offset, data, text, f"{line.path}:{line.line}", source, is_code)


def _instruction(object_file: ObjectFile, data: bytes, offset: int) -> str:
    word = int.from_bytes(data, "little")
    try:
        return decode_word(object_file.isa, word, offset).text
    except UndecodableWord:
        return f".inst 0x{word:08x}"


def _datum(data: bytes) -> str:
    names = {1: ".byte", 2: ".hword", 4: ".word", 8: ".quad"}
    if len(data) in names:
        return f"{names[len(data)]} {int.from_bytes(data, 'little'):#x}"
    return ".byte " + ", ".join(f"{byte:#x}" for byte in data)
