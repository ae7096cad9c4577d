"""Build sections: fragments of bytes between alignments, and their layout."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.assemble.source import SourceLine
from neonlab.assemble.text.lines import SyntaxFault

_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Padding:
    """Padding to a multiple of 2**power: none if it needs more than `most` bytes.

    `fill` is repeated; None means NOPs.
    """

    power: int
    fill: bytes | None
    most: int = 0


class Fragment:
    """Bytes at known distances from each other, and the padding that follows them."""

    __slots__ = ("address", "data", "padding", "padding_bytes", "padding_source", "section", "subsection")

    def __init__(self, subsection: Subsection, address: int) -> None:
        self.subsection = subsection
        self.section = subsection.section
        self.address = address  # in the subsection while reading, in the section after layout
        self.data = bytearray()
        self.padding: Padding | None = None
        self.padding_bytes = 0
        self.padding_source: SourceLine | None = None

    @property
    def end(self) -> int:
        """The address one past the data."""
        return self.address + len(self.data)

    def pad(self) -> int:
        """Compute the length of the padding at the present address; return the address behind it."""
        self.padding_bytes = 0
        if self.padding is not None:
            missing = -self.end % (1 << self.padding.power)
            if not self.padding.most or missing <= self.padding.most:
                self.padding_bytes = missing
        return self.end + self.padding_bytes


class Subsection:
    """A numbered part of a section."""

    __slots__ = ("fragments", "number", "section")

    def __init__(self, section: SectionBuilder, number: int) -> None:
        self.section, self.number = section, number
        self.fragments = [Fragment(self, 0)]

    @property
    def last(self) -> Fragment:
        """The fragment that bytes go to."""
        return self.fragments[-1]

    def align(self, padding: Padding, source: SourceLine) -> None:
        """End the fragment with padding for the directive at `source`, and start the next one."""
        if padding.power > 31:
            raise SyntaxFault("an alignment above 2**31 bytes")
        last = self.last
        last.padding, last.padding_source = padding, source
        address = last.pad()
        if padding.fill is not None and last.padding_bytes % len(padding.fill):
            raise SyntaxFault(
                f"{last.padding_bytes} bytes of padding are no multiple of the pattern's {len(padding.fill)}"
            )
        self.section.reserve(last.padding_bytes)
        self.section.alignment_power = max(self.section.alignment_power, padding.power)
        self.fragments.append(Fragment(self, address))


class SectionBuilder:
    """A section that is being built."""

    def __init__(self, name: str, *, executable: bool, writable: bool, is_bss: bool) -> None:
        self.name, self.executable, self.writable, self.is_bss = name, executable, writable, is_bss
        self.alignment_power = 0
        self.is_laid_out = False
        self.subsections: dict[int, Subsection] = {0: Subsection(self, 0)}
        self._reserved = 0

    def reserve(self, count: int) -> None:
        """Count bytes.  Raises SyntaxFault beyond what any kernel needs."""
        self._reserved += count
        if self._reserved > _MAX_BYTES:
            raise SyntaxFault(f"the section {self.name} grows beyond {_MAX_BYTES >> 20} MiB")

    def subsection(self, number: int) -> Subsection:
        """Return subsection `number`, which is created if it is new."""
        if number not in self.subsections:
            self.subsections[number] = Subsection(self, number)
        return self.subsections[number]

    def lay_out(self) -> None:
        """Assign addresses to all fragments, with subsections in order of their numbers."""
        address = 0
        for number in sorted(self.subsections):
            for fragment in self.subsections[number].fragments:
                fragment.address = address
                address = fragment.pad()
        self.is_laid_out = True

    def fragments(self) -> list[Fragment]:
        """Return all fragments in the order of the section."""
        return [fragment for number in sorted(self.subsections) for fragment in self.subsections[number].fragments]

    def image(self, nop: bytes) -> bytes:
        """Return the bytes of the section, with padding filled."""
        data = bytearray()
        for fragment in self.fragments():
            data += fragment.data
            count = fragment.padding_bytes
            if count:
                assert fragment.padding is not None
                data += padding_image(count, fragment.padding.fill, nop)
        return bytes(data)


def padding_image(count: int, fill: bytes | None, nop: bytes) -> bytes:
    """Return `count` bytes of padding: the pattern, cut at the start; or zeros up to a word, then NOPs."""
    if fill is None:
        return bytes(count % 4) + nop * (count // 4)
    return bytes(count % len(fill)) + fill * (count // len(fill))
