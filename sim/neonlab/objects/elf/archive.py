"""Read archives of objects (`ar`), GNU and BSD; a member is read when a name that it defines is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.file import ObjectError, text_of
from neonlab.objects.elf.module import UNDEFINED, Module
from neonlab.objects.elf.relocatable import read_module

MAGIC, THIN_MAGIC = b"!<arch>\n", b"!<thin>\n"
_HEADER = 60
_BSD_NAME = "#1/"
_MOST_MEMBERS = 1 << 17
_MOST_NAME = 4096
_SYMBOL_TABLES = ("/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64", "__.SYMDEF_64 SORTED")


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file of an archive: `size` bytes at `offset`."""

    name: str
    offset: int
    size: int


class Archive:
    """An archive in memory.

    Raises ObjectError where it is damaged, or thin: the members of a thin archive are in other files.
    """

    def __init__(self, data: bytes | memoryview, title: str) -> None:
        self.title = title
        self.data = memoryview(data)
        magic = bytes(self.data[:8])
        if magic == THIN_MAGIC:
            raise self._error("is a thin archive, which only names its members; make it again without T (`ar rcs`)")
        if magic != MAGIC:
            raise self._error("is not an archive")
        self.members = tuple(self._members())
        self._modules: dict[int, Module | None] = {}

    def _error(self, message: str) -> ObjectError:
        return ObjectError(f"{self.title}: {message}")

    def _members(self) -> Iterator[ArchiveMember]:
        names = b""
        at = len(MAGIC)
        left = _MOST_MEMBERS
        while at < len(self.data):
            left -= 1
            if left < 0:
                raise self._error(f"has more than {_MOST_MEMBERS} members")
            header = bytes(self.data[at : at + _HEADER])
            if len(header) < _HEADER or header[58:] != b"`\n":
                raise self._error(f"is damaged: no member begins at offset {at:#x}")
            size_text = header[48:58].strip()
            if not size_text.isdigit():
                raise self._error(f"is damaged: the member at offset {at:#x} has no size")
            size, start = int(size_text), at + _HEADER
            if start + size > len(self.data):
                raise self._error(f"is damaged: the member at offset {at:#x} should have {size} bytes, beyond the end")
            name = text_of(header[:16]).rstrip()
            following = start + size + size % 2
            if name == "//":
                names = bytes(self.data[start : start + size])
            else:
                if name.startswith(_BSD_NAME) and name[3:].isdigit():
                    length = min(int(name[3:]), size, _MOST_NAME)
                    name = text_of(bytes(self.data[start : start + length]).rstrip(b"\0"))
                    start, size = start + length, size - length
                elif name[:1] == "/" and name[1:].isdigit():
                    first = int(name[1:])
                    if first >= len(names):
                        raise self._error(f"is damaged: the name of the member at offset {at:#x} is not in its table")
                    end = names.find(b"\n", first, first + _MOST_NAME)
                    name = text_of(names[first : end if end >= 0 else first + _MOST_NAME]).rstrip("/")
                elif name not in _SYMBOL_TABLES:
                    name = name.rstrip("/")
                if name not in _SYMBOL_TABLES:
                    yield ArchiveMember(name, start, size)
            at = following

    def module(self, member: ArchiveMember) -> Module | None:
        """Return the object that a member holds; None where it is no object, such as a text."""
        if member.offset not in self._modules:
            data = self.data[member.offset : member.offset + member.size]
            is_object = bytes(data[:4]) == elf.MAGIC
            title = f"{self.title}({member.name})"
            self._modules[member.offset] = read_module(data, title) if is_object else None
        return self._modules[member.offset]

    def modules(self) -> Iterator[Module]:
        """Yield all objects in the archive."""
        for member in self.members:
            module = self.module(member)
            if module is not None:
                yield module

    @cached_property
    def _definitions(self) -> dict[str, ArchiveMember]:
        """Members by the global names that they define, the first of several; the archive's own index may be stale."""
        found: dict[str, ArchiveMember] = {}
        for member in self.members:
            module = self.module(member)
            if module is None:
                continue
            symbols = module.symbols
            for index in np.flatnonzero(
                (symbols["binding"] != elf.STB_LOCAL) & (symbols["section"] != UNDEFINED)
            ).tolist():
                found.setdefault(module.names[index], member)
        return found

    def defining(self, name: str) -> Module | None:
        """Return the member that defines `name`, or None."""
        member = self._definitions.get(name)
        return self.module(member) if member is not None else None
