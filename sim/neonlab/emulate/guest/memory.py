"""Lay out the guest's address space: the program, the stack, and buffers between unmapped pages.

All of it is host memory that Unicorn maps as it is, so that a buffer's contents are one numpy copy.  Addresses depend
only on the program, the arrangement and the sizes of a call's buffers, never on earlier calls.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from unicorn import UC_PROT_EXEC, UC_PROT_READ, UC_PROT_WRITE

from neonlab.assemble.program import Program, Segment
from neonlab.emulate.engine import Uc, check, uclib
from neonlab.emulate.guest.address_space import (
    BUFFERS,
    BUFFERS_BYTES,
    HOME,
    PAGE,
    PROGRAM_BYTES,
    SLOT,
    AddressSpace,
)
from neonlab.emulate.guest.buffer import Buffer, PlacedBuffer
from neonlab.emulate.native import aligned_bytes
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

# udf of A64; udf of A32 whose halfwords are udf of Thumb, and a Thumb branch back to that.
_UNDEFINED = {Isa.A32: 0xE7FD_DEFE, Isa.A64: 0x0000_0000}
_UNDEFINED_THUMB = (0xFE, 0xDE)
# eret, eretaa, eretab, drps: undefined in user mode, and Unicorn's CPU would leave the level it runs at for good.
_EXCEPTION_RETURNS = (0xD69F03E0, 0xD69F0BFF, 0xD69F0FFF, 0xD6BF03E0)


# Bytes of a buffer at a boundary; a larger one might reach its neighbours.
_MOST_ACROSS = 0x0400_0000


class CallError(InputError):
    """Raised for a call that cannot be made: an unknown symbol, arguments or memory that do not fit."""


def _in_slot(start: int, buffer: Buffer) -> tuple[int, int, int]:
    """Return first page, end of the last, and address of a buffer from `start` on, close to the end of its pages."""
    occupied = buffer.mapped_before + buffer.size + buffer.mapped_after
    pages = max(-(-occupied // PAGE), 1)
    while True:
        last = start + pages * PAGE - buffer.mapped_after - buffer.size
        address = last - (last + buffer.origin - buffer.offset) % buffer.alignment
        if address - buffer.mapped_before >= start:
            return start, start + pages * PAGE, address
        pages += -(-(start - address + buffer.mapped_before) // PAGE)


def _at_boundary(boundary: int, buffer: Buffer, turn: int) -> tuple[int, int, int]:
    """Return the same of a buffer across `boundary` or up to there, as `turn` says; alignment may move it down."""
    promised = math.gcd(buffer.alignment, buffer.offset)
    if turn % 2 == 0 and (buffer.size // promised % 2 or turn % 8 == 0):
        back = buffer.size
    else:  # aligned as promised and no better, so that all low bits differ from home
        back = (buffer.size // 2 // promised | 1) * promised
    wanted = boundary - back
    address = wanted - (wanted + buffer.origin - buffer.offset) % promised
    start = (address - buffer.mapped_before) // PAGE * PAGE
    return start, max(-(-(address + buffer.size + buffer.mapped_after) // PAGE) * PAGE, start + PAGE), address


@dataclass(slots=True)
class _Region:
    """Host memory, and where it is mapped at present."""

    host: npt.NDArray[np.uint8]
    address: int = 0
    size: int = 0
    protection: int = 0


class Memory:
    """The mappings of one engine."""

    def __init__(self, engine: Uc, program: Program, stack_bytes: int, space: AddressSpace = HOME) -> None:
        self._engine = engine
        self._program = program
        self._space = space
        self._data: list[tuple[Segment, npt.NDArray[np.uint8]]] = []
        self._keep: list[npt.NDArray[np.uint8]] = []
        self._buffers: list[_Region] = []
        self._program_end = 0
        for segment in sorted(program.segments, key=lambda segment: segment.address):
            self._map_segment(segment)
        self.stack_size = -(-stack_bytes // PAGE) * PAGE
        beyond = -space.stack_top % PAGE
        pages = aligned_bytes(self.stack_size + (PAGE if beyond else 0))
        self.stack = pages[pages.size - beyond - self.stack_size : pages.size - beyond]
        self._map(space.stack_top + beyond - pages.size, pages, UC_PROT_READ | UC_PROT_WRITE)

    def _map_segment(self, segment: Segment) -> None:
        start, end = segment.address // PAGE * PAGE, -(-segment.end // PAGE) * PAGE
        lowest = min(other.address for other in self._program.segments) // PAGE * PAGE
        if start < self._program_end or end - lowest > PROGRAM_BYTES:
            raise ValueError(
                f"segment `{segment.name}` shares a page with another, or ends {PROGRAM_BYTES:#x} bytes after the first"
            )
        if start == end:
            return
        self._program_end = end
        host = aligned_bytes(end - start)
        if segment.executable:  # so that running off either end is noticed
            host.view(np.uint32)[:] = _UNDEFINED[self._program.isa]
        inside = host[segment.address - start : segment.end - start]
        inside[:] = np.frombuffer(segment.data, np.uint8)
        if segment.executable and segment.end % 4 == 2:  # a branch back would land in code
            host[segment.end - start : segment.end - start + 2] = _UNDEFINED_THUMB
        if segment.executable and self._program.isa is Isa.A64:
            words = host.view(np.uint32)
            words[np.isin(words, _EXCEPTION_RETURNS)] = _UNDEFINED[Isa.A64]
        protection = UC_PROT_READ
        protection |= UC_PROT_EXEC if segment.executable else 0
        if segment.writable:
            protection |= UC_PROT_WRITE
            self._data.append((segment, inside))
        self._map(start, host, protection)

    def _map(self, address: int, host: npt.NDArray[np.uint8], protection: int) -> None:
        self._keep.append(host)
        start = ctypes.c_void_p(host.ctypes.data)
        check(uclib.uc_mem_map_ptr(self._engine._uch, address, host.size, protection, start))

    def restore_data(self) -> None:
        """Restore the program's writable segments to their linked contents."""
        for segment, host in self._data:
            host[:] = np.frombuffer(segment.data, np.uint8)

    def place(self, buffers: Sequence[Buffer], noise: npt.NDArray[np.uint8]) -> tuple[PlacedBuffer, ...]:
        """Map and fill `buffers`, each as close to the end of its last page as its alignment allows, or at a boundary.

        Whether one lies across a boundary of the address space, or ends there, may depend on all their sizes.
        The bytes between a buffer and the edges of its pages hold `noise`.  Raises CallError when the buffers do not
        fit.
        """
        places = self._places(buffers)
        # Unmap moved regions first: a buffer may take the place that another had in the previous call.
        for index, region in enumerate(self._buffers):
            start, end, _ = places.get(index, (0, 0, 0))
            if (region.address, region.size) != (start, end - start):
                self._unmap(region)
        placed: list[PlacedBuffer] = []
        for index, buffer in enumerate(buffers):
            start, end, address = places[index]
            host = self._map_buffer(index, start, end - start, buffer.writable)
            self._fill(host, buffer, address - start, noise)
            placed.append(PlacedBuffer(buffer, address))
        self._store_pointers(placed)
        return tuple(placed)

    def _places(self, buffers: Sequence[Buffer]) -> dict[int, tuple[int, int, int]]:
        """Return first page, end of the last, and address of each buffer, by number."""
        space, places = self._space, dict[int, tuple[int, int, int]]()
        # Not a checksum, whose bits are sums: the turns of a call come from another one of the same sizes.
        sizes = repr([space.stack_top, *((buffer.size, buffer.offset) for buffer in buffers)]).encode()
        turn = int.from_bytes(hashlib.blake2s(sizes, digest_size=4).digest())
        lowest = BUFFERS[self._program.isa] + space.buffers_after
        slot = lowest + space.first_slot(turn)
        limit = slot + BUFFERS_BYTES
        special = space.at_boundary(len(buffers), turn)
        for index in space.order(len(buffers)):
            buffer = buffers[index]
            if index == special and buffer.size <= _MOST_ACROSS:
                places[index] = _at_boundary(space.boundary, buffer, turn)
                slot = -(-places[index][1] // SLOT) * SLOT + SLOT
                limit = slot + BUFFERS_BYTES
                continue
            places[index] = _in_slot(slot + space.page_in_slot(index, turn), buffer)
            slot += -(-(places[index][1] + PAGE - slot) // SLOT) * SLOT
            if slot > limit:
                raise CallError(f"buffer `{buffer.name}` does not fit: all buffers share {BUFFERS_BYTES} bytes")
        return places

    def _map_buffer(self, index: int, address: int, size: int, writable: bool) -> npt.NDArray[np.uint8]:
        protection = UC_PROT_READ | (UC_PROT_WRITE if writable else 0)
        while index >= len(self._buffers):
            self._buffers.append(_Region(aligned_bytes(size)))
        region = self._buffers[index]
        if not region.size:
            if region.host.size < size:
                region.host = aligned_bytes(size)
            start = ctypes.c_void_p(region.host.ctypes.data)
            check(uclib.uc_mem_map_ptr(self._engine._uch, address, size, protection, start))
            region.address, region.size, region.protection = address, size, protection
        elif region.protection != protection:
            check(uclib.uc_mem_protect(self._engine._uch, address, size, protection))
            region.protection = protection
        return region.host[:size]

    def _unmap(self, region: _Region) -> None:
        if region.size:
            check(uclib.uc_mem_unmap(self._engine._uch, region.address, region.size))
            region.size = 0

    @staticmethod
    def _fill(host: npt.NDArray[np.uint8], buffer: Buffer, start: int, noise: npt.NDArray[np.uint8]) -> None:
        end = start + buffer.size
        for margin in (host[:start], host[end:]):
            for first in range(0, margin.size, noise.size):
                part = margin[first : first + noise.size]
                part[:] = noise[: part.size]
        host[start:end] = buffer.contents()

    def _store_pointers(self, placed: Sequence[PlacedBuffer]) -> None:
        addresses = {id(item.buffer): item.pointer for item in placed}
        width = self._program.isa.pointer_bytes
        for index, item in enumerate(placed):
            start = item.address - self._buffers[index].address
            for field in item.buffer.pointers:
                stored = field.stored(addresses[id(field.target)], width)
                if not 0 <= field.offset <= item.buffer.size - stored.size:
                    raise CallError(f"buffer `{item.buffer.name}` has no room for a pointer at offset {field.offset}")
                where = start + field.offset
                self._buffers[index].host[where : where + stored.size] = stored

    def contents(self, index: int, placed: PlacedBuffer) -> npt.NDArray[np.uint8]:
        """Return a copy of the present bytes of buffer `index` of the last `place`."""
        start = placed.address - self._buffers[index].address
        return self._buffers[index].host[start : start + placed.buffer.size].copy()
