"""Track which expression every byte of registers and memory belongs to while a trace is replayed."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neonlab.emulate.trace import Trace
from neonlab.isa.lanes import Lanes
from neonlab.isa.model.dependence import VECTOR
from neonlab.isa.model.isa import Isa, general, vector
from neonlab.isa.model.lane_operation import VECTOR_BYTES, file_bytes, general_start
from neonlab.verify.ranges.nodes import Ids, Nodes

PLAIN = -1  # a byte that does not depend on the inputs; its value is in the trace
Offsets = npt.NDArray[np.int64]
_VECTOR_PLACES = range(VECTOR, VECTOR + 512)


class Cell(NamedTuple):
    """Byte `position` of a lane of `width` bytes that holds `node`."""

    node: int
    width: int
    position: int


NOTHING = Cell(PLAIN, 1, 0)
_GRANULE = 3  # bits of an offset within 8 bytes, of which `RegisterCells` knows the lanes
_MOST_KNOWN = 16  # bytes of lanes that are kept together
_greatest = np.maximum.reduce  # of a few bytes; a method of the array takes twice as long


@functools.lru_cache(maxsize=64)
def _positions(width: int, count: int) -> npt.NDArray[np.int8]:
    """Return the positions of the bytes of `count` lanes of `width` bytes."""
    found = np.tile(np.arange(width, dtype=np.int8), count)
    found.flags.writeable = False
    return found


def ends_of(bits: int, signed: bool) -> tuple[int, int]:
    """Return the least and the greatest number of so many bits."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def granules_of(offsets: Offsets) -> tuple[int, ...]:
    """Return the numbers of the pieces of 8 bytes that hold these bytes."""
    return tuple(np.unique(offsets >> _GRANULE).tolist())


def offset_of_place(isa: Isa, place: int) -> int | None:
    """Return the offset of a place of `neonlab.isa.model.dependence` in a register file; None for flags."""
    if place in _VECTOR_PLACES:
        return place - VECTOR
    return general_start(isa, 0) + place if place < VECTOR else None


@dataclass(slots=True)
class _Known:
    """Lanes of `width` bytes from `start` to `end` as they were written or read last: all of them whole.

    `fits` says whether all are known to fit unsigned and signed numbers of their width.
    """

    start: int
    end: int
    width: int
    ids: Ids
    fits: list[bool]


class RegisterCells:
    """The cells of all registers.

    Most lanes are read as they were written, or again, so those are kept for each 8 bytes until one of them changes.
    """

    def __init__(self, trace: Trace, nodes: Nodes) -> None:
        self._trace, self._nodes, self._isa = trace, nodes, trace.isa
        size = file_bytes(trace.isa)
        self.node = np.full(size, PLAIN, np.int64)
        self.width = np.ones(size, np.int8)
        self.position = np.zeros(size, np.int8)
        self._known: list[_Known | None] = [None] * (size >> _GRANULE)
        self._at, self._held = -1, dict[int, int]()  # vector registers of the trace as step `_at` begins

    def get(self, offset: int) -> Cell:
        """Return the cell of one byte."""
        return Cell(int(self.node[offset]), int(self.width[offset]), int(self.position[offset]))

    def some(self, offsets: Offsets) -> list[Cell]:
        """Return the cells of single bytes."""
        columns = (column[offsets].tolist() for column in (self.node, self.width, self.position))
        return [Cell(*one) for one in zip(*columns, strict=True)]

    def put(self, offsets: Offsets, granules: Iterable[int], cells: Sequence[Cell]) -> None:
        """Set the cells of single bytes, which lie in these `granules`."""
        self.node[offsets], self.width[offsets], self.position[offsets] = zip(*cells, strict=True)
        for granule in granules:
            self._known[granule] = None

    def forget_at(self, offsets: Offsets, granules: Iterable[int]) -> None:
        """Make single bytes plain, which lie in these `granules`."""
        self.node[offsets] = PLAIN
        for granule in granules:
            self._known[granule] = None

    def forget(self, start: int, end: int) -> None:
        """Make these bytes plain."""
        self.node[start:end] = PLAIN
        self._keep(start, end, None)

    def _keep(self, start: int, end: int, known: _Known | None) -> None:
        first, last = start >> _GRANULE, (end - 1 >> _GRANULE) + 1
        self._known[first:last] = [known] * (last - first)

    def depends(self, start: int, end: int) -> bool:
        """Tell whether any of these bytes depends on the inputs."""
        if start >= end:
            return False
        known = self._known[start >> _GRANULE]
        if known is not None and known.start <= start < known.end:
            return True
        return int(_greatest(self.node[start:end])) > PLAIN

    def any_depends(self, offsets: Offsets) -> bool:
        """Tell whether any of the bytes at `offsets` depends on the inputs."""
        return len(offsets) > 0 and int(_greatest(self.node[offsets])) > PLAIN

    def write(self, lanes: Lanes, ids: Ids) -> None:
        """Write whole lanes."""
        width, start, end = lanes.bits // 8, lanes.start, lanes.end
        self.node[start:end] = np.repeat(ids, width)
        self.width[start:end] = width
        self.position[start:end] = _positions(width, lanes.count)
        self._keep(start, end, _Known(start, end, width, ids, [False, False]) if end - start <= _MOST_KNOWN else None)

    def read(self, step: int, lanes: Lanes, signed: bool) -> Ids:
        """Return the expression of each lane as a signed or an unsigned number, as `step` begins."""
        width, start, end = lanes.bits // 8, lanes.start, lanes.end
        if (found := self._as_known(start, end, width, signed)) is not None:
            return found
        node, wide, position = self.node[start:end], self.width[start:end], self.position[start:end]
        ids = node[::width].copy()
        # The low part of a wider lane equals the number if it fits, which `as_number` checks.
        alike = (position == _positions(width, lanes.count)) & (wide >= width) & (node > PLAIN)
        if width > 1:
            alike &= node == np.repeat(ids, width)
        if np.logical_and.reduce(alike):
            if end - start <= _MOST_KNOWN:
                self._keep(start, end, _Known(start, end, width, ids, [False, False]))
            return self.as_number(ids, lanes.bits, signed)
        if not self.depends(start, end):
            return self._plain_lanes(step, lanes, signed)
        whole = alike.reshape(lanes.count, width).all(axis=1)
        ids[~whole] = 0
        for lane in np.flatnonzero(~whole).tolist():
            ids[lane] = self._compose(step, start + lane * width, width, signed)
        return self.as_number(ids, lanes.bits, signed)

    def _as_known(self, start: int, end: int, width: int, signed: bool) -> Ids | None:
        """Return lanes that are kept, or some of those; None if they are not, or were of another width."""
        known = self._known[start >> _GRANULE]
        if known is None or known.width != width or known is not self._known[end - 1 >> _GRANULE]:
            return None
        if start < known.start or end > known.end or (start - known.start) % width:
            return None
        ids = known.ids[(start - known.start) // width : (end - known.start) // width]
        if known.fits[signed]:
            return ids
        known.fits[signed] = self._nodes.all_within(known.ids, *ends_of(8 * width, signed))
        return ids if known.fits[signed] else self.as_number(ids, 8 * width, signed)

    def _plain_lanes(self, step: int, lanes: Lanes, signed: bool) -> Ids:
        data = bytes(self.plain_byte(step, offset) for offset in range(lanes.start, lanes.end))
        width = lanes.bits // 8
        pieces = (data[at : at + width] for at in range(0, len(data), width))
        return self._nodes.constants(int.from_bytes(piece, "little", signed=signed) for piece in pieces)

    def as_number(self, ids: Ids, bits: int, signed: bool) -> Ids:
        """Return the lanes read as signed or unsigned numbers; those that this changes become constants or unknown."""
        low, high = ends_of(bits, signed)
        lows, highs = self._nodes.low(ids), self._nodes.high(ids)
        if int(np.minimum.reduce(lows)) >= low and int(_greatest(highs)) <= high:
            return ids
        other = (lows < low) | (highs > high)
        ids = ids.copy()
        for lane in np.flatnonzero(other).tolist():
            lowest, highest = int(self._nodes.low(ids[lane])), int(self._nodes.high(ids[lane]))
            if lowest == highest:
                value = lowest & (1 << bits) - 1
                ids[lane] = self._nodes.constant(value - (1 << bits) if signed and value >> bits - 1 else value)
            else:
                ids[lane] = self._nodes.unknown(1, low, high)[0]
        return ids

    def _compose(self, step: int, start: int, width: int, signed: bool) -> int:
        """Return a lane composed of plain bytes and whole narrower lanes; unknown if it is made of anything else."""
        nodes, total, byte = self._nodes, None, 0
        while byte < width:
            cell = self.get(start + byte)
            size = cell.width if cell.node != PLAIN else 1
            last = byte + size == width
            if cell.node == PLAIN:
                value = self.plain_byte(step, start + byte)
                part = nodes.constant(value - 256 if last and signed and value > 127 else value)
            elif byte + size > width or any(
                self.get(start + byte + i) != Cell(cell.node, size, i) for i in range(size)
            ):
                return int(nodes.unknown(1, *ends_of(8 * width, signed))[0])
            else:
                part = int(self.as_number(np.array([cell.node]), 8 * size, signed and last)[0])
            shifted = nodes.shift_left(np.array([part]), 8 * byte) if byte else np.array([part])
            total = shifted if total is None else nodes.add(total, shifted)
            byte += size
        assert total is not None
        if nodes.low(total)[0] == nodes.high(total)[0]:
            return nodes.constant(int(nodes.low(total)[0]))
        return int(total[0])

    def _vector(self, step: int, index: int) -> int:
        if self._at != step:
            self._at, self._held = step, {}
        if index not in self._held:
            self._held[index] = self._trace.before(step, vector(index))
        return self._held[index]

    def plain_byte(self, step: int, offset: int) -> int:
        """Return the value of a byte that does not depend on the inputs, as `step` begins."""
        size = VECTOR_BYTES[self._isa]
        if offset < general_start(self._isa, 0):
            index, byte = divmod(offset, size)
            return self._vector(step, index) >> 8 * byte & 255
        index, byte = divmod(offset - general_start(self._isa, 0), 8)
        if index == 31 or (self._isa is Isa.A32 and (byte > 3 or index > 14)):
            return 0
        return self._trace.before(step, general(index)) >> 8 * byte & 255
