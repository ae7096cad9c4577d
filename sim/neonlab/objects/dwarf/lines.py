"""Read line tables of DWARF 2 to 5: the file and line of each address (DWARF 5, section 6.2)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from neonlab.objects.dwarf.reader import Cursor, DwarfError

_MOST_FILES = 1 << 14
_MOST_ROWS = 1 << 22  # of all tables together
_MOST_TABLES = 1 << 14


@dataclass(frozen=True, slots=True)
class LineRow:
    """A row: the code from `address` to `end` belongs to a line; column 0 means the whole line."""

    address: int
    end: int
    path: str
    folder: str
    line: int
    column: int


def read_rows(sections: Mapping[str, bytes]) -> Iterator[LineRow]:
    """Yield the rows of every table in .debug_line, as far as it can be read."""
    data = sections.get(".debug_line", b"")
    at = tables = 0
    left = _MOST_ROWS
    while at + 4 < len(data) and tables < _MOST_TABLES:
        tables += 1
        cursor = Cursor(data, at)
        try:
            length, offset_size = cursor.length()
            at = cursor.at + length
            if at > len(data):
                return
            for row in _LineTable(Cursor(data, cursor.at, at), offset_size, sections).rows():
                yield row
                left -= 1
                if not left:
                    return
        except DwarfError:
            if at <= cursor.at - 12:
                return
            continue


def file_names(sections: Mapping[str, bytes], offset: int) -> Callable[[int], tuple[str, str]]:
    """Return a function from the number of a file in the table at `offset` to its path and folder.

    The path is relative to the folder.  Raises DwarfError where there is no table.
    """
    cursor = Cursor(sections.get(".debug_line", b""), offset)
    length, offset_size = cursor.length()
    cursor.end = min(cursor.end, cursor.at + length)
    return _LineTable(cursor, offset_size, sections).file


class _LineTable:
    """The header and the line program of one unit."""

    def __init__(self, cursor: Cursor, offset_size: int, sections: Mapping[str, bytes]) -> None:
        self._cursor, self._sections, self._offset_size = cursor, sections, offset_size
        self.version = cursor.number(2)
        if not 2 <= self.version <= 5:
            raise DwarfError("another version")
        self._address_size = 0
        if self.version >= 5:
            self._address_size = cursor.number(1)
            cursor.number(1)
        length = cursor.number(offset_size)
        self._start = cursor.at + length
        self._unit = cursor.number(1)
        if self.version >= 4:
            cursor.number(1)  # operations of a VLIW instruction
        cursor.number(1)  # is_stmt at first: all rows count here
        base = cursor.number(1)
        self._line_base = base - 256 if base > 127 else base
        self._line_range = cursor.number(1)
        self._opcode_base = cursor.number(1)
        self._operands = [cursor.number(1) for _ in range(self._opcode_base - 1)]
        if not self._line_range or not self._opcode_base:
            raise DwarfError("a table without opcodes")
        self.folders, self.files = self._names() if self.version >= 5 else self._old_names()

    def _old_names(self) -> tuple[list[str], list[tuple[str, int]]]:
        folders, files = [""], [("", 0)]
        while folder := self._cursor.string():
            folders.append(folder)
        while name := self._cursor.string():
            files.append((name, self._cursor.uleb()))
            self._cursor.uleb()
            self._cursor.uleb()
        return folders, files

    def _names(self) -> tuple[list[str], list[tuple[str, int]]]:
        folders = [name for name, _ in self._entries()]
        return folders, self._entries()

    def _entries(self) -> list[tuple[str, int]]:
        cursor = self._cursor
        formats = [(cursor.uleb(), cursor.uleb()) for _ in range(cursor.number(1))]
        count = cursor.uleb()
        if count > _MOST_FILES:
            raise DwarfError("too many files")
        found = []
        for _ in range(count):
            name, folder = "", 0
            for content, form in formats:
                value = self._form(form)
                if content == 1 and isinstance(value, str):
                    name = value
                elif content == 2 and isinstance(value, int):
                    folder = value
            found.append((name, folder))
        return found

    def _form(self, form: int) -> int | str | None:
        cursor = self._cursor
        sizes = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8}
        if form == 0x08:
            return cursor.string()
        if form in (0x0E, 0x1F):
            name = ".debug_str" if form == 0x0E else ".debug_line_str"
            return Cursor(self._sections.get(name, b""), cursor.number(self._offset_size)).string()
        if form in sizes:
            return cursor.number(sizes[form])
        if form == 0x0F:
            return cursor.uleb()
        if form == 0x1E:
            cursor.skip(16)
        elif form == 0x09:
            cursor.skip(cursor.uleb())
        else:
            raise DwarfError("a form that is not known here")
        return None

    def file(self, number: int) -> tuple[str, str]:
        """Return the path that the table has for a file, and the folder that it is relative to."""
        if not 0 <= number < len(self.files):
            return "?", ""
        name, folder_number = self.files[number]
        folder = self.folders[folder_number] if 0 <= folder_number < len(self.folders) else ""
        compiled_in = self.folders[0] if self.version >= 5 and self.folders else ""
        path = name if folder in ("", compiled_in) else posixpath.join(folder, name)
        return posixpath.normpath(path) if path else "?", compiled_in

    def rows(self) -> Iterator[LineRow]:
        """Run the line program, and yield its rows.

        The rows of one sequence are in order; a row ends where the next begins.  Raises DwarfError for damaged data.
        """
        cursor = self._cursor
        cursor.at = self._start
        if cursor.at > cursor.end:
            raise DwarfError("the program is outside the unit")
        paths: dict[int, tuple[str, str]] = {}
        before: tuple[int, int, int, int] | None = None
        address = column = 0
        file, line = 1, 1
        left = _MOST_ROWS
        while cursor.at < cursor.end and left:
            opcode = cursor.number(1)
            emits = ends = False
            if opcode >= self._opcode_base:
                special = opcode - self._opcode_base
                address += special // self._line_range * self._unit
                line += self._line_base + special % self._line_range
                emits = True
            elif opcode == 0:
                size = cursor.uleb()
                stop = cursor.at + size
                kind = cursor.number(1) if size else 0
                if kind == 1:
                    emits = ends = True
                elif kind == 2:
                    address = cursor.number(size - 1) if size in (5, 9) else address
                cursor.skip(stop - cursor.at)
            elif opcode == 1:
                emits = True
            elif opcode == 2:
                address += cursor.uleb() * self._unit
            elif opcode == 3:
                line += cursor.sleb()
            elif opcode == 4:
                file = cursor.uleb()
            elif opcode == 5:
                column = cursor.uleb()
            elif opcode == 8:
                address += (255 - self._opcode_base) // self._line_range * self._unit
            elif opcode == 9:
                address += cursor.number(2)
            else:
                for _ in range(self._operands[opcode - 1]):
                    cursor.uleb()
            if emits:
                left -= 1
                if before is not None and address > before[0]:
                    where = paths.get(before[1])
                    if where is None:
                        where = paths[before[1]] = self.file(before[1])
                    yield LineRow(before[0], address, *where, before[2], before[3])
                if before is not None and not line and not ends:  # line 0: the code belongs to the row before
                    before = (address, before[1], before[2], 0)
                else:
                    before = None if ends else (address, file, line, column)
            if ends:
                address = column = 0
                file, line = 1, 1
