"""Arrange the guest's address space: its stack, its caller and its buffers.  The linker places its code.

HOME is the usual arrangement.  `elsewhere` returns others, in which nothing has the same address, order, or low bits
beyond those that the procedure call standard promises.  Over several calls each bit of each pointer differs from what
it is at HOME, and so does each bit of sp up to bit 20, whatever a frame takes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from neonlab.isa.model.isa import Isa

PAGE = 4096
PROGRAM_BYTES = 0x1F00_0000
BUFFERS_BYTES = 0x5000_0000
# In A64 above 4 GiB, so that a kernel that truncates an address to 32 bits faults.
BUFFERS = {Isa.A32: 0x2000_0000, Isa.A64: 0x1_2000_0000}
STACK_TOP = 0x7F00_0000
RETURN_ADDRESS = 0x7FFF_0000  # nothing is ever mapped here
THREAD_POINTER = 0x7FFE_0000  # and nothing here


#: What the turn of a call decides besides which buffer is at a boundary: how it lies there.
_BESIDE = 8
#: Buffers begin on different pages modulo the ways of a first-level cache, as allocated memory does.
_STAGGER = 5 * PAGE
#: The unit of the places of buffers; elsewhere the first is so many units further on at most.
SLOT, _MOST_SLOTS = 0x40_0000, 48


@dataclass(frozen=True, slots=True)
class AddressSpace:
    """One arrangement: sp on entry (without stack arguments), lr on entry, the thread pointer, and the buffers.

    Buffers are in the order of the arguments or, if `reverse`, in the opposite one.  The first is `buffers_after` bytes
    after the lowest address that buffers have.  One of them may lie across the address `boundary`, or end there; then
    those before it in their order are below, and the others above.  0 stands for none.  If the arrangement `scatters`,
    the pages where buffers begin change from call to call.  `signs` tells whether the CPU has keys to sign pointers
    with.
    """

    stack_top: int = STACK_TOP
    return_address: int = RETURN_ADDRESS
    reverse: bool = False
    buffers_after: int = 0
    thread_pointer: int = THREAD_POINTER
    boundary: int = 0
    scatters: bool = False
    signs: bool = False

    def order(self, count: int) -> Sequence[int]:
        """Return the numbers of `count` buffers, from the lowest address up."""
        return range(count - 1, -1, -1) if self.reverse else range(count)

    def at_boundary(self, count: int, turn: int) -> int | None:
        """Return the number of the buffer of `count` that is at the boundary, each in turn; None for none."""
        return turn // _BESIDE % count if count and self.boundary else None

    def first_slot(self, turn: int) -> int:
        """Return how far behind the lowest address buffers begin, in bytes, in a call of this turn."""
        return zlib.crc32(b"%d" % turn) % _MOST_SLOTS * SLOT if self.scatters else 0

    def page_in_slot(self, index: int, turn: int) -> int:
        """Return the offset in its slot from which buffer `index` lies."""
        if self.scatters:
            return zlib.crc32(b"%d %d" % (turn, index)) % (SLOT // PAGE) * PAGE
        return index % 64 * _STAGGER


HOME = AddressSpace()

#: Where addresses with all of bits 34-47 begin; the other arrangements of A64 lie above.
HIGH = 0xFFFC_0000_0000
_ELSEWHERE = {
    # caller < stack < buffers < code, against code < buffers < stack < caller; sp on 8 bytes and no better.
    # A buffer across 2^31, or up to there, where addresses compared with their signs are out of order.  None ends at
    # 2^32: C has an address behind each object that is greater than the object's own.
    Isa.A32: AddressSpace(0x1FE0_0000, 0x1F80_0A44, True, 3 * PAGE, 0x1F70_0128, 1 << 31, True),
    # buffers < caller < stack < code, against code < stack < caller < buffers; sp on 16 bytes and no better.
    # A buffer across a multiple of 2^32, or up to there, where lower halves of addresses are out of order.
    Isa.A64: AddressSpace(
        HIGH + 0x3_8000_0000,
        HIGH + 0x3_7800_0A44,
        True,
        HIGH + 3 * PAGE,
        HIGH + 0x3_7000_0128,
        HIGH + (2 << 32),
        True,
        signs=True,
    ),
}
# How much further on buffers lie where none is at a boundary: so bits 29 to 33 differ in A64, and bit 31 in A32.
_WITHOUT_BOUNDARY = {Isa.A32: (0, 0, SLOT, 0x6000_0000), Isa.A64: (0, 0, 0, 0x1_A000_0000)}
# Displacements of sp.  For every frame up to 4 KiB, and those of a power of two up to 64 KiB, each bit from that of the
# unit up to bit 20 differs from HOME in one of them; they were found by a search.
_SP_ELSEWHERE = {
    Isa.A32: (0x0486B8, 0x105BA8, 0x1B9148, 0x0A72A8),
    Isa.A64: (0x14B9B0, 0x09A790, 0x1944D0, 0x031710),
}
# Another caller for every other of them: with those above, each bit of lr from 2 to 22 differs from HOME's in one.
_CALLERS = {Isa.A32: 0x1F83_F5B8, Isa.A64: HIGH + 0x3_2000_F5B8}
#: Number of the other arrangements.
ELSEWHERES = len(_SP_ELSEWHERE[Isa.A64])
# Above all that; and for programs that hold 32-bit addresses, where these reach.  Bits 12-23 differ from HOME's.
_PAGES = 0x00FE_F000
_CODE_ELSEWHERE = {Isa.A32: (0xE000_0000 + _PAGES,), Isa.A64: (HIGH + 0x3_9000_0000 + _PAGES, 0x0C00_0000 + _PAGES)}


def elsewhere(isa: Isa, turn: int = 0) -> AddressSpace:
    """Return one of the other arrangements, of which `turn` selects one."""
    other = _ELSEWHERE[isa]
    after = _WITHOUT_BOUNDARY[isa][turn % 4]
    if after:
        other = replace(other, buffers_after=other.buffers_after + after, boundary=0)
    elif turn % 2 and isa is Isa.A64:  # an odd multiple of 2^31, where lower halves are out of order as signed numbers
        other = replace(other, boundary=HIGH + (5 << 31))
    caller = _CALLERS[isa] if turn % 2 else other.return_address
    sp = other.stack_top + _SP_ELSEWHERE[isa][turn % ELSEWHERES]
    return replace(other, stack_top=sp, return_address=caller)


def code_elsewhere(isa: Isa) -> tuple[int, ...]:
    """Return the addresses where the program's pages may begin in it; the first that its relocations allow is used."""
    return _CODE_ELSEWHERE[isa]
