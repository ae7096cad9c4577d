"""The bytes that a pointer may touch: one run of bytes, or rows of bytes at a pitch.

    read  = "4*k"
    write = { rows = "m", bytes = "4*n", pitch = "ldc" }
    read  = { rows = ["planes", "height"], bytes = "width", pitch = ["plane_pitch", "row_pitch"] }

`pitch` is the distance in bytes from the start of one row to the start of the next.  It may be larger than a row, and
it may be negative; the pointer points to row 0 in every case.  Of several levels, the outermost comes first.  The
kernel must not touch the bytes between rows.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.contract.size_expression import SizeExpression, SizeExpressionError

#: The most rows of an extent: each has a separate address here.
_MOST_ROWS = 1 << 24
#: A selection of bytes of a buffer: a slice of it, or offsets in order.
Selection = slice | npt.NDArray[np.int64]


@dataclass(frozen=True)
class Extent:
    """An extent of `size` bytes, or of rows: `rows` rows of `size` bytes, `pitches` bytes apart, outermost first."""

    size: SizeExpression
    rows: tuple[SizeExpression, ...] = ()
    pitches: tuple[SizeExpression, ...] = ()

    def __hash__(self) -> int:
        """Return the hash of its expressions, computed once: a case asks for its blocks a dozen times."""
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        return hash((self.size, self.rows, self.pitches))

    @property
    def text(self) -> str:
        """The extent as a contract writes it."""
        if not self.rows:
            return self.size.text
        rows, pitches = (
            items[0].text if len(items) == 1 else f"[{', '.join(item.text for item in items)}]"
            for items in (self.rows, self.pitches)
        )
        return f"{{ rows = {rows}, bytes = {self.size.text}, pitch = {pitches} }}"

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """The arguments that the extent depends on."""
        return self.size.names.union(*(expression.names for expression in (*self.rows, *self.pitches)))

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Return the number of bytes, without those between rows; a negative number where a size is negative."""
        total = self.size.evaluate(values)
        for rows in self.rows:
            count = rows.evaluate(values)
            total = min(total, count) if min(total, count) < 0 else total * count
        return total

    def starts(self, values: Mapping[str, int]) -> npt.NDArray[np.int64]:
        """Return the offset in bytes of each row from the pointer, int64.

        Raises SizeExpressionError for too many rows.
        """
        if (count := math.prod(max(0, rows.evaluate(values)) for rows in self.rows)) > _MOST_ROWS:
            raise SizeExpressionError(f"{count} rows in `{self.text}`: the lab goes up to {_MOST_ROWS}")
        found = np.zeros(1, np.int64)
        for rows, pitch in zip(self.rows, self.pitches, strict=True):
            steps = np.arange(max(0, rows.evaluate(values)), dtype=np.int64) * pitch.evaluate(values)
            found = np.add.outer(found, steps).reshape(-1)
        return found

    def overlaps(self, values: Mapping[str, int]) -> bool:
        """Tell whether rows share bytes."""
        if len(self.rows) == 1:  # as a short cut: this is asked of each of thousands of shapes
            return self.rows[0].evaluate(values) > 1 and abs(self.pitches[0].evaluate(values)) < self.size.evaluate(
                values
            )
        if self.evaluate(values) <= 0:
            return False
        starts = np.sort(self.starts(values))
        return bool((np.diff(starts) < self.size.evaluate(values)).any())

    def ends(self, values: Mapping[str, int]) -> tuple[int, int]:
        """Return the offsets of the lowest byte and of the one past the highest, relative to the pointer."""
        total = self.evaluate(values)
        if total <= 0 or not self.rows:
            return 0, max(0, total)
        steps = [
            (rows.evaluate(values) - 1) * pitch.evaluate(values)
            for rows, pitch in zip(self.rows, self.pitches, strict=True)
        ]
        return sum(min(0, step) for step in steps), sum(max(0, step) for step in steps) + self.size.evaluate(values)

    def select(self, values: Mapping[str, int], origin: int) -> Selection:
        """Return the selection of its bytes, row after row, in a buffer with the pointer at byte `origin`."""
        size = max(0, self.size.evaluate(values))
        if not self.rows:
            return slice(origin, origin + size)
        if self.evaluate(values) <= 0:
            return NO_BYTES
        chosen = np.add.outer(self.starts(values) + origin, np.arange(size, dtype=np.int64)).reshape(-1)
        chosen.flags.writeable = False
        return chosen


NOTHING = slice(0, 0)
NO_BYTES = np.zeros(0, np.int64)
NO_BYTES.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Block:
    """The buffer behind one argument of one call: `size` bytes, with the pointer at byte `origin`.

    `read` and `written` select the bytes that the contract says are read and written, in the order of its rows.  `gaps`
    says that there may be other bytes, between rows.
    """

    size: int
    origin: int
    read: Selection
    written: Selection
    gaps: bool

    def read_mask(self) -> npt.NDArray[np.bool_]:
        """Return a bool for each byte of the buffer: True where it is read."""
        return self._mask(self.read)

    def written_mask(self) -> npt.NDArray[np.bool_]:
        """Return a bool for each byte of the buffer: True where it is written."""
        return self._mask(self.written)

    def _mask(self, selection: Selection) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.size, np.bool_)
        mask[selection] = True
        return mask

    def position(self, offset: int) -> int | None:
        """Return the index of the byte at `offset` among the bytes read, else those written; None between rows."""
        for selection in (self.read, self.written):
            if isinstance(selection, slice):
                if selection.start <= offset < selection.stop:
                    return offset - int(selection.start)
            elif (found := np.flatnonzero(selection == offset)).size:
                return int(found[0])
        return None

    def offset(self, position: int) -> int:
        """Return the offset of byte number `position` of the written bytes."""
        if isinstance(self.written, slice):
            return int(self.written.start) + position
        return int(self.written[position])


def block(
    read: Extent | None, write: Extent | None, values: Mapping[str, int], before: SizeExpression | None = None
) -> Block:
    """Return the buffer that holds both extents; `before` bytes of it lie before the pointer."""
    names = _names(read, write, before)
    return _block(read, write, before, tuple([(name, values[name]) for name in names if name in values]))


@functools.lru_cache(maxsize=256)
def _names(read: Extent | None, write: Extent | None, before: SizeExpression | None) -> tuple[str, ...]:
    """Return the arguments that a block depends on, in order."""
    names = before.names if before is not None else frozenset()
    return tuple(sorted(names.union(*(extent.names for extent in (read, write) if extent is not None))))


def span(
    read: Extent | None, write: Extent | None, values: Mapping[str, int], before: SizeExpression | None = None
) -> int:
    """Return the size in bytes of the buffer that `block` returns, without selecting bytes.

    The size may be too large to allocate.
    """
    shift = before.evaluate(values) if before is not None else 0
    ends = [extent.ends(values) for extent in (read, write) if extent is not None]
    return max((high - shift for _, high in ends), default=0) - min((0, *(low - shift for low, _ in ends)))


@functools.lru_cache(maxsize=16)  # one call asks for the same blocks a dozen times
def _block(
    read: Extent | None, write: Extent | None, before: SizeExpression | None, known: tuple[tuple[str, int], ...]
) -> Block:
    values = dict(known)
    extents = [extent for extent in (read, write) if extent is not None]
    shift = before.evaluate(values) if before is not None else 0
    ends = [(low - shift, high - shift) for low, high in (extent.ends(values) for extent in extents)]
    low, high = min((end[0] for end in ends), default=0), max((end[1] for end in ends), default=0)
    low = min(low, 0)
    selections: list[Any] = [
        extent.select(values, -low - shift) if extent is not None else NOTHING for extent in (read, write)
    ]
    gaps = any(extent.rows for extent in extents)
    return Block(high - low, -low, selections[0], selections[1], gaps)
