"""Describe memory that a call hands to the guest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class PointerField:
    """A pointer stored inside a buffer: byte `offset` holds the guest's pointer to `target` + `displacement`.

    Arrays of row pointers and parameter structs consist of these.  With an array of displacements it is as many
    pointers, one behind another.
    """

    offset: int
    target: Buffer
    displacement: int | npt.NDArray[np.int64] = 0

    @property
    def displacements(self) -> npt.NDArray[np.int64]:
        """Return the displacement of each pointer."""
        return np.atleast_1d(np.asarray(self.displacement, np.int64))

    def stored(self, pointer: int, width: int) -> npt.NDArray[np.uint8]:
        """Return the bytes of the pointers, `width` of each, where that to the target is `pointer`."""
        values = np.uint64(pointer % (1 << 64)) + self.displacements.astype(np.uint64)
        return values.astype(f"<u{width}").view(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Pass an array to emulated code, with control over where it lies; a plain array is enough otherwise.

    `data` is what the memory holds when the call begins (any dtype and shape; its bytes in C order); the code works on
    a copy.  `writable` allows writes.  The pointer that the code receives points to byte `origin` of the data, and
    equals `offset` modulo `alignment` (bytes).  `readable_before` and `readable_after` bytes beyond the ends may be
    read too, for kernels that declare an over-read; they hold noise.  `pointers` are pointers stored inside the data.
    `slack` more bytes on either side are memory, though nothing may touch them.
    One Buffer passed for two arguments is one piece of memory.

    Raises ValueError for an alignment below 1 or a negative margin.
    """

    name: str
    data: npt.NDArray[Any]
    writable: bool = False
    alignment: int = 64
    offset: int = 0
    readable_before: int = 0
    readable_after: int = 0
    pointers: tuple[PointerField, ...] = ()
    origin: int = 0
    slack: int = 0

    def __post_init__(self) -> None:
        if self.alignment < 1 or self.readable_before < 0 or self.readable_after < 0:
            raise ValueError(f"buffer `{self.name}`: alignment must be at least 1 and margins not negative")

    def at(self, alignment: int, offset: int, readable_before: int, readable_after: int) -> Buffer:
        """Return the buffer at another place, with other margins; all are in bytes."""
        return Buffer(
            self.name,
            self.data,
            self.writable,
            alignment,
            offset,
            readable_before,
            readable_after,
            self.pointers,
            self.origin,
            self.slack,
        )

    @property
    def mapped_before(self) -> int:
        """The number of bytes before its first byte that are mapped as memory."""
        return self.readable_before + self.slack

    @property
    def mapped_after(self) -> int:
        """The number of bytes after its last byte that are mapped as memory."""
        return self.readable_after + self.slack

    @property
    def size(self) -> int:
        """Return the size of the data in bytes."""
        return self.data.nbytes

    def contents(self) -> npt.NDArray[np.uint8]:
        """Return the data as uint8 in one dimension, in C order; a view where possible."""
        return np.ascontiguousarray(self.data).reshape(-1).view(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBuffer:
    """A buffer and the guest address of its first byte."""

    buffer: Buffer
    address: int

    @property
    def end(self) -> int:
        """The address one past its last byte."""
        return self.address + self.buffer.size

    @property
    def pointer(self) -> int:
        """The pointer that the guest gets."""
        return self.address + self.buffer.origin

    def distance(self, address: int) -> int:
        """Return the bytes between `address` and the nearest byte of the buffer; 0 inside."""
        return max(self.address - address, address - self.end + 1, 0)


def distinct_buffers(arguments: Sequence[object]) -> list[Buffer]:
    """Return the buffers among the arguments, then those that they point to, each once."""
    found: dict[int, Buffer] = {}
    waiting = [argument for argument in arguments if isinstance(argument, Buffer)]
    while waiting:
        following = []
        for buffer in waiting:
            if id(buffer) not in found:
                found[id(buffer)] = buffer
                following += [field.target for field in buffer.pointers]
        waiting = following
    return list(found.values())


def changed_buffers(arguments: Sequence[object], change: Callable[[Buffer], Buffer]) -> list[Any]:
    """Return the arguments with `change` applied to every buffer, also those pointed to; pointers are updated."""
    made: dict[int, Buffer] = {}

    def changed(buffer: Buffer) -> Buffer:
        if id(buffer) not in made:
            new = change(buffer)
            pointers = tuple(replace(field, target=changed(field.target)) for field in buffer.pointers)
            made[id(buffer)] = replace(new, pointers=pointers) if pointers else new
        return made[id(buffer)]

    return [changed(argument) if isinstance(argument, Buffer) else argument for argument in arguments]


def buffers_by_name(arguments: Sequence[object]) -> Mapping[str, Buffer]:
    """Return every buffer of a call by its name."""
    return {buffer.name: buffer for buffer in distinct_buffers(arguments)}
