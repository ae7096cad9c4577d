"""Write a linked program as assembly text that GNU as and clang assemble to the same bytes.

Every word is a `.word` with the disassembly as a comment.  A `.inst` would name the same bytes, but linkers patch what
is marked as code (the workaround for erratum 843419 of Cortex-A53), and then other code would be measured.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from neonlab.assemble.program import Program, Segment
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

#: Where an exported program lies: far from what a static executable and its heap take, in each instruction set.
BASES = {Isa.A32: 0x3000_0000, Isa.A64: 0x10_0000_0000}
_BYTES_IN_A_ROW = 16


def program_for_board(program: Program) -> Program:
    """Return the program linked at the address where a board's bench puts it.  Raises InputError if it cannot move."""
    if program.linked_at is None:
        raise InputError(f"{program.path}: this program cannot be moved to another address")
    return program.linked_at(BASES[program.isa], 0)


def checksum(program: Program) -> int:
    """Return the CRC-32 of the program's bytes in order of address."""
    found = 0
    for segment in ordered_segments(program):
        found = zlib.crc32(segment.data, found)
    return found


def ordered_segments(program: Program) -> tuple[Segment, ...]:
    """Return the segments with bytes in order of address."""
    return tuple(sorted((one for one in program.segments if one.data), key=lambda one: one.address))


def segment_symbol(kernel: int, segment: int) -> str:
    """Return the name of the symbol at the bytes of a segment."""
    return f"neonlab_{kernel}_{segment}"


def code_lines(program: Program, kernel: int) -> Iterator[str]:
    """Yield the lines of assembly that hold the segments of kernel number `kernel` as constant data."""
    names = {address: name for name, address in program.addresses.items()}
    for number, segment in enumerate(ordered_segments(program)):
        symbol = segment_symbol(kernel, number)
        yield f"    .globl  {symbol}"
        yield "    .balign 16"
        yield f"{symbol}:  // {segment.name} at {segment.address:#x}, {len(segment.data)} bytes"
        yield from _rows(program, segment, names)


def _rows(program: Program, segment: Segment, names: dict[int, str]) -> Iterator[str]:
    at = 0
    while at < len(segment.data):
        address = segment.address + at
        if address in names:
            yield f"    // {_comment(names[address])}:"
        instruction = program.by_address.get(address) if segment.executable else None
        if instruction is not None:
            size = _thumb_size(segment.data, at) if instruction.thumb else 4
            directive, unit = (".hword", 2) if instruction.thumb else (".word", 4)
            numbers = [int.from_bytes(segment.data[n : n + unit], "little") for n in range(at, at + size, unit)]
            words = ", ".join(f"{number:#0{2 + 2 * unit}x}" for number in numbers)
            yield f"    {directive:<7} {words}  // {_comment(instruction.text)}"
            at += size
            continue
        end = min(at + _BYTES_IN_A_ROW, len(segment.data))
        if segment.executable:
            code = (there for there in range(at + 1, end) if segment.address + there in program.by_address)
            end = next(code, end)
        yield f"    .byte   {', '.join(f'{byte:#04x}' for byte in segment.data[at:end])}"
        at = end


def _thumb_size(data: bytes, at: int) -> int:
    """Return 4 for a Thumb instruction of two halfwords, else 2."""
    return 4 if int.from_bytes(data[at : at + 2], "little") >> 11 in (0b11101, 0b11110, 0b11111) else 2


def _comment(text: str) -> str:
    """Return text that cannot end a comment or start a preprocessor's line."""
    return text.encode("ascii", "replace").decode().replace("\\", "/").replace("\n", " ")
