"""Find the code that a function can reach, without running it, and decode no more."""

from __future__ import annotations

import bisect
import difflib
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.isa.decode import UndecodableWord, decode_word
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.thumb.decode import decode_thumb
from neonlab.objects.demangle import demangle
from neonlab.objects.elf.module import ARM, DATA, THUMB
from neonlab.objects.image.address_taken import addresses_made
from neonlab.objects.image.memory_image import Image
from neonlab.objects.image.source_lines import source_lines
from neonlab.objects.image.symbols import ImageSymbol
from neonlab.objects.link import addresses as ad


def program_of(image: Image, names: Sequence[str] = ()) -> Program:
    """Return the program with the code decoded that the functions `names` can reach; without names, all code.

    Raises InputError for a name that is no function here, and where what is reached refers to a name that nobody
    defines or has a relocation that cannot be applied.
    """
    for name in names:
        symbol = image.named(name)
        if symbol is None:
            near = difflib.get_close_matches(name, image.by_name, 1)
            meant = f"; did you mean `{near[0]}`?" if near else ""
            raise InputError(f"{image.title}: no symbol `{name}`{meant}")
        if not any(part.executable and part.address <= symbol.address < part.end for part in image.parts):
            raise InputError(f"{image.title}: `{name}` is not a function: there is no code at its address")
    if not any(part.executable for part in image.parts):
        raise InputError(f"{image.title}: has no code")
    return _reached_program(image, names)


def _reached_program(image: Image, names: Sequence[str]) -> Program:
    """Return the program with what `names` reach decoded, or all code without names; `names` are among its symbols."""
    walk = _Walk(image)
    asked = {name: symbol for name in names if (symbol := image.named(name)) is not None}
    if names:
        for symbol in asked.values():
            walk.go_to(symbol.address)
    else:
        walk.go_everywhere()
    walk.run()
    instructions = tuple(instruction for start in sorted(walk.code) for instruction in walk.code[start])
    return Program(
        isa=image.isa,
        path=image.title,
        segments=image.segments,
        symbols={symbol.name: symbol.entry for symbol in reversed(image.symbols)}
        | {name: symbol.entry for name, symbol in {**image.by_name, **asked}.items()},
        instructions=instructions,
        lines=source_lines(image, sorted({*(i.address for i in instructions), *walk.gaps})),
        linked_at=lambda base, further: program_of(image.linked_at(base, further), names),
        thumb=image.thumb,
        missing={address: name for name, address in image.missing.items()},
    )


class _Walk:
    """Walks over the pieces of memory that code can reach: a function at a time, a section of data at a time."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._places, self._targets, self._statuses = image.references
        self.code: dict[int, list[Instruction]] = {}
        self.gaps: list[int] = []  # addresses in the same code that are no instructions
        self._waiting: list[int] = []
        self._seen: dict[int, int | None] = {}  # pieces, and the piece that reached each first
        self._here: int | None = None
        self._executable = [(part.address, part.end) for part in image.parts if part.executable]
        self._problems = [problem.place for problem in image.problems]
        self._missing = {address: name for name, address in image.missing.items()}

    @cached_property
    def _starts(self) -> list[int]:
        """The addresses where functions and sections of data begin and parts end, sorted."""
        image = self._image
        starts = {symbol.address for symbol in image.symbols if self._is_code(symbol.address)}
        starts |= set(image.sections.values())
        starts |= {address for address, state in image.veneers if state != DATA}
        for part in image.parts:
            starts |= {part.address, part.end}
        # An entry of a shared object's table of addresses is used by itself.
        for (number, index), address in image.sections.items():
            module = image.modules[number]
            if module.is_shared and module.sections[index].name.startswith(".got") and image.isa is Isa.A64:
                starts |= set(range(address, address + module.sections[index].size, 8))
        return sorted(starts)

    def _is_code(self, address: int) -> bool:
        return any(start <= address < end for start, end in self._executable)

    def go_to(self, address: int) -> None:
        """Add the piece that `address` lies in to the walk."""
        number = bisect.bisect_right(self._starts, address) - 1
        if 0 <= number < len(self._starts) - 1 and number not in self._seen:
            self._seen[number] = self._here
            self._waiting.append(number)

    def go_everywhere(self) -> None:
        """Add all code to the walk."""
        for start, end in self._executable:
            for address in self._starts:
                if start <= address < end:
                    self.go_to(address)

    def run(self) -> None:
        """Follow all references until no piece is left."""
        while self._waiting:
            number = self._here = self._waiting.pop()
            start, end = self._starts[number], self._starts[number + 1]
            self._refuse_problems(start, end)
            is_code = self._is_code(start)
            first, last = np.searchsorted(self._places, [start, end])
            references = (self._places, self._targets, self._statuses)
            for place, target, status in zip(*(part[first:last].tolist() for part in references), strict=True):
                if status == ad.NOBODYS:
                    if is_code:
                        self._refuse_missing(target, number, place)
                else:
                    self.go_to(target & ~1 if self._image.isa is Isa.A32 else target)
            if is_code:
                self._decode(start, end)

    def _decode(self, start: int, end: int) -> None:
        found = list(self._instructions(start, end))
        self.code[start] = found
        self._note_gaps(start, end, found)
        shared = self._in_shared(start)
        for address in addresses_made(self._image.isa, found, self._word_at):
            # Other addresses have relocations in an object, except in the code of the same section.
            if shared or self._is_code(address):
                self.go_to(address & ~1 if self._image.isa is Isa.A32 else address)
        for instruction in found:
            if instruction.target is not None and not start <= instruction.target < end:
                self.go_to(instruction.target)
        if _runs_on(found, end):
            self.go_to(end)

    def _note_gaps(self, start: int, end: int, found: Sequence[Instruction]) -> None:
        """Note the addresses in code that are no instructions, so that a fault there has a line."""
        at, unit = start, 2 if self._image.isa is Isa.A32 else 4
        for after in (*((i.address, i.address + i.size) for i in found), (end, end)):
            if len(self.gaps) < _MOST_GAPS:
                self.gaps += range(at, after[0], unit)
            at = after[1]

    @cached_property
    def _shared(self) -> list[tuple[int, int]]:
        image = self._image
        return [
            (address, address + image.modules[number].sections[index].size)
            for (number, index), address in image.sections.items()
            if image.modules[number].is_shared
        ]

    def _in_shared(self, address: int) -> bool:
        return any(start <= address < end for start, end in self._shared)

    def _word_at(self, address: int) -> int | None:
        data = self._image.memory[max(address - self._image.base, 0) :][:4].tobytes()
        return int.from_bytes(data, "little") if len(data) == 4 else None

    def _instructions(self, start: int, end: int) -> Iterator[Instruction]:
        image = self._image
        marks = image.marks
        number = max(bisect.bisect_right(marks, (start, THUMB)) - 1, 0)
        found: list[Instruction] = []
        before = DATA
        while number < len(marks) and marks[number][0] < end:
            address, state = marks[number]
            following, after = marks[number + 1] if number + 1 < len(marks) else (end, DATA)
            first, last = max(address, start), min(following, end)
            if state == DATA and before == after == ARM and last < end and _runs_on(found, first):
                state = before  # instructions that the assembler did not know, written as `.word`
            code = image.memory[first - image.base : last - image.base].tobytes()
            if state == ARM:
                found = list(_words(image.isa, code, first))
            elif state == THUMB:
                # a word that is no instruction is a fault only once it is executed
                found = [one for one in decode_thumb(code, first) if isinstance(one, Instruction)]
            else:
                found = []
            yield from found
            before = state
            number += 1

    def _refuse_problems(self, start: int, end: int) -> None:
        number = bisect.bisect_left(self._problems, start)
        if number < len(self._problems) and self._problems[number] < end:
            raise InputError(self._image.problems[number].message)

    def _refuse_missing(self, target: int, number: int, place: int) -> None:
        # a branch of A32 has the 8 bytes of its pipeline in the addend
        nearest = ad.MISSING + (target + 8 - ad.MISSING) // ad.MISSING_STEP * ad.MISSING_STEP
        name = demangle(self._missing.get(nearest, "?"))
        user = self._symbol(number)
        before = self._seen[number]
        if user is not None and user.name.endswith("@plt") and before is not None:  # the stub's caller
            user = self._symbol(before)
        if user is None:
            raise InputError(f"{self._image.title}: `{name}` is not defined, and code refers to it")
        line = source_lines(self._image, [place]).get(place)
        where = f"{line.path}:{line.line}" if line is not None else self._image.modules[user.module].title
        raise InputError(f"{where}: `{name}` is not defined, and `{demangle(user.name)}` refers to it")

    def _symbol(self, number: int) -> ImageSymbol | None:
        """Return the symbol of the piece, a function if there is one."""
        named = [symbol for symbol in self._image.symbols if symbol.address == self._starts[number]]
        return max(named, key=lambda symbol: (symbol.is_function, symbol.is_global), default=None)


def _words(isa: Isa, code: bytes, address: int) -> Iterator[Instruction]:
    """Yield the instructions among the words.  A word that is none becomes a fault when it is executed."""
    for offset in range(0, len(code) & ~3, 4):
        try:
            yield decode_word(isa, int.from_bytes(code[offset : offset + 4], "little"), address + offset)
        except UndecodableWord:
            continue


def _runs_on(instructions: Sequence[Instruction], end: int) -> bool:
    """Return whether a function continues into the code behind it.

    Compilers end some functions with a call that does not return, and pad.
    """
    if not instructions or instructions[-1].address + instructions[-1].size != end:
        return False
    last = next((i for i in reversed(instructions) if not i.mnemonic.startswith(_PADDING)), None)
    if last is None:
        return True
    goes_on = last.branch in {BranchKind.NONE, BranchKind.CONDITIONAL}
    return goes_on or (last.branch is not BranchKind.CALL and last.condition not in {"", "al"})


_MOST_GAPS = 1 << 16
_PADDING = ("nop", "udf", "andeq")
