"""Open one ELF file; every offset and index in its tables is checked before it is used."""

from __future__ import annotations

import zlib
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.objects.elf import layout as elf

Records = npt.NDArray[Any]  # of a structured type; or plain numbers

#: Bytes that one section, and all sections that are loaded, may have.
MOST_BYTES = 1 << 28
#: Entries that the tables of one file may have in all; several tables may be the same bytes.
MOST_ENTRIES = 1 << 22
_MOST_SECTIONS = 1 << 18
_MOST_NAME_BYTES = 1 << 27
_TYPES = {0: "no file type", 2: "an executable", 4: "a core dump"}


class ObjectError(InputError):
    """Raised for a file that is no object the lab can use; the message says what is wrong and where in the file."""


def text_of(data: bytes) -> str:
    """Return a name from a string table; bytes that are not UTF-8 become escapes."""
    return data.decode("utf-8", "backslashreplace")


class SectionHeader(NamedTuple):
    """One section: `address` and `size` in bytes, `offset` in the file."""

    number: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int

    @property
    def is_allocated(self) -> bool:
        """Tell whether the section is part of the program's memory."""
        return bool(self.flags & elf.SHF_ALLOC)

    @property
    def is_executable(self) -> bool:
        """Tell whether the section holds instructions."""
        return bool(self.flags & elf.SHF_EXECINSTR)

    @property
    def is_writable(self) -> bool:
        """Tell whether the program may write the section."""
        return bool(self.flags & elf.SHF_WRITE)


class ElfFile:
    """The tables of one file.  `title` names it in messages: a path, or `archive(member)`.

    Raises ObjectError where the file is not for Arm, is damaged, or needs more than `MOST_BYTES`.
    """

    def __init__(self, data: bytes | memoryview, title: str) -> None:
        self.title = title
        self.data = memoryview(data)
        ident = bytes(self.data[:16])
        if ident[:4] != elf.MAGIC or len(ident) < 16:
            raise self.error("is not an ELF file")
        if ident[4] not in (1, 2):
            raise self.error(f"has the ELF class {ident[4]}, which is neither 32 nor 64 bits")
        if ident[5] != 1:
            raise self.error("is big-endian; the lab runs little-endian code only")
        self.bits = 32 * ident[4]
        if len(self.data) < elf.EHDR[self.bits].itemsize:
            raise self.error("ends within its header")
        header = np.frombuffer(self.data, elf.EHDR[self.bits], 1)[0]
        self.type, self.machine, self.flags = int(header["type"]), int(header["machine"]), int(header["flags"])
        known = {(32, elf.EM_ARM): Isa.A32, (64, elf.EM_AARCH64): Isa.A64}
        if (self.bits, self.machine) not in known:
            raise self.error(f"is for another machine (ELF machine number {self.machine}, {self.bits} bits)")
        self.isa = known[self.bits, self.machine]
        if self.type not in (elf.ET_REL, elf.ET_DYN):
            what = _TYPES.get(self.type, f"of ELF type {self.type}")
            raise self.error(f"is {what}; the lab reads relocatable objects, archives of them, and shared objects")
        self._header = header
        self._entries_read = 0

    def error(self, message: str) -> ObjectError:
        """Return an ObjectError about this file."""
        return ObjectError(f"{self.title}: {message}")

    def table(self, dtype: np.dtype[Any], offset: int, count: int, what: str) -> Records:
        """Return `count` records at `offset` of the file, without a copy.

        Raises ObjectError where they lie outside the file, or where all tables together are too large.
        """
        self.count_entries(count)
        if count and not 0 <= offset <= offset + count * dtype.itemsize <= len(self.data):
            raise self.error(f"the {what} lies outside the file (offset {offset:#x}, {count} entries)")
        return np.frombuffer(self.data, dtype, count, offset) if count else np.zeros(0, dtype)

    def count_entries(self, count: int) -> None:
        """Add to the count of table entries.  Raises ObjectError where all tables together have too many."""
        self._entries_read += count
        if self._entries_read > MOST_ENTRIES:
            raise self.error(f"its tables have more than {MOST_ENTRIES} entries")

    def names(self, starts: Records, strings: bytes, what: str) -> list[str]:
        """Return the name at each of `starts` in a string table that ends with a zero byte; "" at 0."""
        numbers = starts.astype(np.int64)
        if numbers.size and int(numbers.max()) >= max(len(strings), 1):
            raise self.error(f"a name in {what} lies outside its string table")
        if not strings:
            return [""] * len(numbers)
        zeros = np.flatnonzero(np.frombuffer(strings, np.uint8) == 0)
        ends = np.where(numbers > 0, zeros[np.searchsorted(zeros, numbers)], 0)
        if int((ends - numbers).sum()) > _MOST_NAME_BYTES:  # names may share their bytes
            raise self.error(f"the names in {what} have more than {_MOST_NAME_BYTES} bytes")
        return [text_of(strings[a:b]) for a, b in zip(numbers.tolist(), ends.tolist(), strict=True)]

    @cached_property
    def sections(self) -> tuple[SectionHeader, ...]:
        """Every section, by index."""
        dtype, header = elf.SHDR[self.bits], self._header
        offset, count = int(header["shoff"]), int(header["shnum"])
        if not offset:
            return ()
        if int(header["shentsize"]) != dtype.itemsize:
            raise self.error(f"its section headers have {int(header['shentsize'])} bytes, not {dtype.itemsize}")
        first = self.table(dtype, offset, 1, "table of sections")[0]
        count = count or int(first["size"])
        if count > _MOST_SECTIONS:
            raise self.error(f"has {count} sections, more than {_MOST_SECTIONS}")
        records = self.table(dtype, offset, count, "table of sections")
        names_index = int(header["shstrndx"])
        names_index = int(first["link"]) if names_index == elf.SHN_XINDEX else names_index
        names = b""
        if names_index:
            if names_index >= count:
                raise self.error(f"names of sections are in section {names_index}, and there are {count}")
            start, size = int(records[names_index]["offset"]), int(records[names_index]["size"])
            if start + size > len(self.data):
                raise self.error("the names of sections lie outside the file")
            names = bytes(self.data[start : start + size])
        if names and names[-1]:
            raise self.error("the names of sections do not end with a zero")
        titles = self.names(records["name"], names, "the table of sections")
        found = []
        columns = (records[name].tolist() for name in dtype.names or ())
        for index, (_, kind, flags, address, start, size, link, info, alignment, entry) in enumerate(
            zip(*columns, strict=True)
        ):
            title = titles[index]
            if kind == 0:
                size = start = 0
            found.append(
                SectionHeader(index, title, kind, flags, address, start, size, link, info, alignment or 1, entry)
            )
        for section in found:
            self._check(section)
        return tuple(found)

    def _check(self, section: SectionHeader) -> None:
        size, alignment = section.size, section.alignment
        if section.type != elf.SHT_NOBITS and size and section.offset + size > len(self.data):
            has = f"the file has {len(self.data)}"
            raise self.error(f"section {section.name} should have {size} bytes at offset {section.offset:#x}; {has}")
        if size > MOST_BYTES and section.flags & elf.SHF_ALLOC:
            raise self.error(f"section {section.name} has {size} bytes; the lab takes at most {MOST_BYTES}")
        if alignment & (alignment - 1):
            raise self.error(f"section {section.name} is aligned to {alignment} bytes, which is no power of two")

    def contents(self, section: SectionHeader) -> memoryview:
        """Return the bytes of a section, decompressed where the file has them compressed."""
        if section.type == elf.SHT_NOBITS:
            return memoryview(b"")
        raw = self.data[section.offset : section.offset + section.size]
        if not section.flags & elf.SHF_COMPRESSED:
            return raw
        skip = 12 if self.bits == 32 else 24
        size = int.from_bytes(raw[4:8] if self.bits == 32 else raw[8:16], "little")
        if len(raw) < skip or int.from_bytes(raw[:4], "little") != 1 or size > MOST_BYTES:
            raise self.error(f"section {section.name} is compressed in a way that is not supported")
        try:
            return memoryview(zlib.decompressobj().decompress(raw[skip:], size))
        except zlib.error as error:
            raise self.error(f"section {section.name} cannot be decompressed: {error}") from None

    def section(self, index: int, what: str) -> SectionHeader:
        """Return section `index`.  Raises ObjectError, which names `what` refers to it, where there is none."""
        if not 0 < index < len(self.sections):
            raise self.error(f"{what} refers to section {index}, and there are {len(self.sections)}")
        return self.sections[index]

    def strings(self, index: int, what: str) -> bytes:
        """Return a string table, which ends with a zero byte.  Raises ObjectError for another section."""
        section = self.section(index, what)
        if section.type != elf.SHT_STRTAB:
            raise self.error(f"{what} has its names in section {section.name}, which is no string table")
        data = bytes(self.contents(section))
        if data and data[-1]:
            raise self.error(f"the string table {section.name} does not end with a zero")
        return data

    def records(self, section: SectionHeader, dtype: np.dtype[np.void]) -> Records:
        """Return the entries of a section that is a table."""
        return self.table(dtype, section.offset, self.entries(section, dtype), f"section {section.name}")

    def entries(self, section: SectionHeader, dtype: np.dtype[np.void]) -> int:
        """Return the number of entries of a section that is a table.  Raises ObjectError for a broken table."""
        if section.entry_size not in (0, dtype.itemsize) or section.size % dtype.itemsize:
            raise self.error(f"section {section.name} does not consist of entries of {dtype.itemsize} bytes")
        return section.size // dtype.itemsize

    def segments(self) -> Records:
        """Return the program headers."""
        dtype = elf.PHDR[self.bits]
        if self._header["phnum"] and int(self._header["phentsize"]) != dtype.itemsize:
            raise self.error(f"its program headers have {int(self._header['phentsize'])} bytes, not {dtype.itemsize}")
        return self.table(dtype, int(self._header["phoff"]), int(self._header["phnum"]), "table of segments")
