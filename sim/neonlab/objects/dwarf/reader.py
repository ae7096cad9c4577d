"""Read numbers and strings of DWARF from bytes, never beyond their end."""

from __future__ import annotations

_LONGEST = 1 << 12  # bytes of a path


class DwarfError(Exception):
    """Raised for debug information that cannot be read.  It is not reported, because code runs without it."""


class Cursor:
    """A position in a section, and the methods that read there.  They raise DwarfError at the end."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data, self.at = data, at
        self.end = len(data) if end is None else end

    def number(self, size: int) -> int:
        """Return an unsigned number of `size` bytes, little-endian."""
        if self.at + size > self.end:
            raise DwarfError("ends too early")
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def uleb(self) -> int:
        """Return an unsigned LEB128 number."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 70:
                raise DwarfError("a number is too long")

    def sleb(self) -> int:
        """Return a signed LEB128 number."""
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def string(self) -> str:
        """Return a string that ends with a zero byte."""
        stop = self.data.find(b"\0", self.at, min(self.end, self.at + _LONGEST))
        if stop < 0:
            raise DwarfError("a string has no end, or is too long")
        text = self.data[self.at : stop].decode("utf-8", "backslashreplace")
        self.at = stop + 1
        return text

    def skip(self, size: int) -> None:
        """Skip `size` bytes."""
        if size < 0 or self.at + size > self.end:
            raise DwarfError("ends too early")
        self.at += size

    def length(self) -> tuple[int, int]:
        """Return a unit's length, and the size of offsets in it: 4 or 8."""
        length = self.number(4)
        if length == 0xFFFFFFFF:
            return self.number(8), 8
        if length >= 0xFFFFFFF0:
            raise DwarfError("a reserved length")
        return length, 4
