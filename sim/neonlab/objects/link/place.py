"""Place the sections of a program in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.objects.elf.file import MOST_BYTES, ObjectError
from neonlab.objects.elf.module import InputSection, LoadSegment

PAGE = 0x1000
_SHARED_ALIGNMENT = 0x10000
#: The parts of a program in the order in which they lie in memory, an unmapped page after each.
TEXT, CONSTANTS, DATA, ZEROS = ".text", ".rodata", ".data", ".bss"
TABLE = ".got"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of sections with one protection."""

    name: str
    address: int
    size: int
    executable: bool = False
    writable: bool = False

    @property
    def end(self) -> int:
        """The address one past the last byte."""
        return self.address + self.size


def part_of(section: InputSection) -> str:
    """Return the part that a section belongs to."""
    if section.executable:
        return TEXT
    if not section.writable:
        return CONSTANTS
    return DATA if len(section.data) else ZEROS


class Placement:
    """Assigns addresses, part after part."""

    def __init__(self, base: int, displacement: int) -> None:
        self.base = self._next = base
        self._displacement = displacement
        self.parts: list[Part] = []

    def fix(self, name: str, segments: Sequence[LoadSegment]) -> int:
        """Place a shared object, whose segments keep their distances; return what is added to its addresses."""
        bias = -(-self._next // _SHARED_ALIGNMENT) * _SHARED_ALIGNMENT
        for number, segment in enumerate(segments):
            start, end = bias + segment.address // PAGE * PAGE, bias + segment.address + segment.size
            if start < self._next or end - self.base > MOST_BYTES:
                raise ObjectError(
                    f"{name}: its segments share pages, are out of order, or take more than {MOST_BYTES} bytes"
                )
            title = f"{TEXT if segment.executable else DATA if segment.writable else CONSTANTS}.{number}"
            self.parts.append(Part(title, start, end - start, segment.executable, segment.writable))
            self._next = -(-end // PAGE) * PAGE
        self._next += PAGE
        return bias

    def lay(self, name: str, pieces: Sequence[tuple[int, int]]) -> list[int]:
        """Return the addresses of pieces given as (size, alignment), one after another; they become one part."""
        largest = max((alignment for _, alignment in pieces), default=1)
        start = -(-self._next // max(PAGE, largest)) * max(PAGE, largest)
        start = self._next = start + self._displacement // largest * largest
        addresses = []
        for size, alignment in pieces:
            self._next = -(-self._next // alignment) * alignment
            addresses.append(self._next)
            self._next += size
            if self._next - self.base > MOST_BYTES:
                raise ObjectError(f"the program takes more than the {MOST_BYTES} bytes that the lab has room for")
        if self._next > start:
            self.parts.append(Part(name, start, self._next - start, name == TEXT, name in (DATA, ZEROS)))
            self._next = -(-self._next // PAGE) * PAGE + PAGE
        return addresses
