"""Arrange the guest's address space: its stack, its caller and its buffers.  The linker places its code.

HOME is the usual arrangement.  `elsewhere` returns another one, in which nothing has the same address, order, or low
bits beyond those that the procedure call standard promises.  A result that is the same in both does not depend on any
address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa

PAGE = 4096
PROGRAM_BYTES = 0x1F00_0000
BUFFERS_BYTES = 0x5000_0000
# In A64 above 4 GiB, so that a kernel that truncates an address to 32 bits faults.
BUFFERS = {Isa.A32: 0x2000_0000, Isa.A64: 0x1_2000_0000}
STACK_TOP = 0x7F00_0000
RETURN_ADDRESS = 0x7FFF_0000  # nothing is ever mapped here
THREAD_POINTER = 0x7FFE_0000  # and nothing here


@dataclass(frozen=True, slots=True)
class AddressSpace:
    """One arrangement: sp on entry (without stack arguments), lr on entry, the thread pointer, and the buffers.

    Buffers are in the order of the arguments or, if `reverse`, in the opposite one.  The first is `buffers_after` bytes
    after the lowest address that buffers have.  The last of them lie across `boundaries`, which ascend.
    """

    stack_top: int = STACK_TOP
    return_address: int = RETURN_ADDRESS
    reverse: bool = False
    buffers_after: int = 0
    thread_pointer: int = THREAD_POINTER
    boundaries: tuple[int, ...] = ()

    def order(self, count: int) -> Sequence[int]:
        """Return the numbers of `count` buffers, from the lowest address up."""
        return range(count - 1, -1, -1) if self.reverse else range(count)

    def boundary_of(self, count: int) -> dict[int, int]:
        """Return the boundary in the middle of a buffer by its number, for those of `count` buffers that have one."""
        return dict(zip(reversed(self.order(count)), reversed(self.boundaries[:count]), strict=False))


HOME = AddressSpace()

_ELSEWHERE = {
    # caller < stack < buffers < code, against code < buffers < stack < caller; sp on 8 bytes and no better.
    # A buffer across 2^31, where addresses compared with their signs are out of order.
    Isa.A32: AddressSpace(0x1FF0_0A18, 0x1F80_0A44, True, 3 * PAGE, 0x1F70_0128, (1 << 31,)),
    # buffers < caller < stack < code, against code < stack < caller < buffers; sp on 16 bytes and no better.
    # A buffer across a multiple of 2^32, where lower halves of addresses are out of order.
    Isa.A64: AddressSpace(0x3_8000_0A10, 0x3_7800_0A44, True, (1 << 32) + 3 * PAGE, 0x3_7000_0128, (3 << 32,)),
}
# Above all that; and for programs that hold 32-bit addresses, where these reach.
_CODE_ELSEWHERE = {Isa.A32: (0x9000_0000,), Isa.A64: (0x3_9000_0000, 0x0C00_0000)}


def elsewhere(isa: Isa) -> AddressSpace:
    """Return the other arrangement."""
    return _ELSEWHERE[isa]


def code_elsewhere(isa: Isa) -> tuple[int, ...]:
    """Return the addresses where the program's pages may begin in it; the first that its relocations allow is used."""
    return _CODE_ELSEWHERE[isa]
