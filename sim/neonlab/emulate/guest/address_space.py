"""Arrange the guest's address space: its stack, its caller and its buffers.  The linker places its code.

HOME is the usual arrangement.  `elsewhere` returns others, in which nothing has the same address, order, or low bits
beyond those that the procedure call standard promises.  Each of bits 29 to 47 of a pointer of A64 differs between HOME
and one of them, and so does each bit of sp up to bit 20, whatever a frame takes.  A result that is the same in all of
them may still depend on bits in between, and on which buffer is at a boundary.
"""

from __future__ import annotations

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


#: What the turn of a call decides besides: where a buffer is at a boundary, and how it is aligned there.
_BESIDE = 8


@dataclass(frozen=True, slots=True)
class AddressSpace:
    """One arrangement: sp on entry (without stack arguments), lr on entry, the thread pointer, and the buffers.

    Buffers are in the order of the arguments or, if `reverse`, in the opposite one.  The first is `buffers_after` bytes
    after the lowest address that buffers have.  One of them may lie across the address `crossed`, and one may end at
    the address `ended`; 0 stands for none.  `signs` tells whether the CPU has keys to sign pointers with.  If it
    `rotates`, calls begin the order with one buffer or another.
    """

    stack_top: int = STACK_TOP
    return_address: int = RETURN_ADDRESS
    reverse: bool = False
    buffers_after: int = 0
    thread_pointer: int = THREAD_POINTER
    crossed: int = 0
    ended: int = 0
    signs: bool = False
    rotates: bool = False

    def order(self, count: int, turn: int = 0) -> Sequence[int]:
        """Return the numbers of `count` buffers, from the lowest address up.

        Where the arrangement rotates, `turn` chooses which of them is the first: else the same buffer would be at a
        boundary in each call.
        """
        found = range(count - 1, -1, -1) if self.reverse else range(count)
        first = turn // _BESIDE % count if count and self.rotates else 0
        return (*found[first:], *found[:first])

    def at_boundaries(self, count: int, turn: int, lowest: int) -> tuple[int | None, int | None]:
        """Return the numbers of the buffers that lie across `crossed` and end at `ended`; None for none.

        The others of `count` buffers lie from `lowest` on.  The order of all stays.  Where one buffer would be at both
        places, `turn` chooses one of them.
        """
        if not count or not self.crossed:
            return None, None
        order = self.order(count, turn)
        crossing, ending = (order[-1 if boundary > lowest else 0] for boundary in (self.crossed, self.ended))
        if crossing != ending:
            return crossing, ending
        return (crossing, None) if turn % 2 else (None, ending)


HOME = AddressSpace()

#: Where addresses with all of bits 34-47 begin; the other arrangements of A64 lie above.
HIGH = 0xFFFC_0000_0000
_ELSEWHERE = {
    # caller < stack < buffers < code, against code < buffers < stack < caller; sp on 8 bytes and no better.
    # A buffer across 2^31, or up to there, where addresses compared with their signs are out of order.  None ends at
    # 2^32: C has an address behind each object that is greater than the object's own.
    Isa.A32: AddressSpace(0x1FE0_0000, 0x1F80_0A44, True, 3 * PAGE, 0x1F70_0128, 1 << 31, 1 << 31),
    # buffers < caller < stack < code, against code < stack < caller < buffers; sp on 16 bytes and no better.
    # A buffer across a multiple of 2^32, where lower halves of addresses are out of order, and one up to another.
    Isa.A64: AddressSpace(
        HIGH + 0x3_8000_0000,
        HIGH + 0x3_7800_0A44,
        True,
        HIGH + (1 << 32) + 3 * PAGE,
        HIGH + 0x3_7000_0128,
        HIGH + (3 << 32),
        HIGH + (2 << 32),
        signs=True,
    ),
}
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
    if turn % 4 > 1 and isa is Isa.A64:  # none is at a boundary, and bits 29-33 differ
        after = other.buffers_after + (0xA000_0000 if turn % 2 else 0x2000_0000)
        other = replace(other, buffers_after=after, crossed=0, ended=0)
    elif turn % 2 and isa is Isa.A64:  # an odd multiple of 2^31, where lower halves are out of order as signed numbers
        other = replace(other, crossed=HIGH + (5 << 31))
    elif turn % 2:  # all but the lowest buffer above 2^31
        other = replace(other, buffers_after=0x6800_0000 + 3 * PAGE)
    caller = _CALLERS[isa] if turn % 2 else other.return_address
    return replace(
        other,
        stack_top=other.stack_top + _SP_ELSEWHERE[isa][turn % ELSEWHERES],
        return_address=caller,
        rotates=turn % 2 == 1,  # in the others each buffer is on the other side of each other one than at HOME
    )


def code_elsewhere(isa: Isa) -> tuple[int, ...]:
    """Return the addresses where the program's pages may begin in it; the first that its relocations allow is used."""
    return _CODE_ELSEWHERE[isa]
