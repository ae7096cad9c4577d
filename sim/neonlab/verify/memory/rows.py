"""Handle arguments with rows at a pitch: the permissions of their bytes, and names for places in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from neonlab.contract.header import Argument
from neonlab.emulate.guest.buffer import Buffer
from neonlab.verify.memory import access_watch as aw


def permissions(argument: Argument, values: Mapping[str, int], buffer: Buffer) -> int | npt.NDArray[np.uint8]:
    """Return the permissions of a buffer's bytes: one number for all, or uint8 of one each.

    Bytes between rows have no permissions, or may be read as a margin where the contract declares it.
    """
    block = argument.block(values)
    if not block.gaps and argument.write is None:
        return aw.READABLE
    found = np.full(buffer.size, 0 if block.gaps else aw.READABLE, np.uint8)
    if block.gaps:
        found[_near_rows(argument, values, block.origin, buffer.size)] = aw.READABLE | aw.MARGIN
        found[block.read] = aw.READABLE
    if buffer.writable:
        found[block.written] = aw.READABLE | aw.WRITABLE
    return found


def _near_rows(argument: Argument, values: Mapping[str, int], origin: int, size: int) -> npt.NDArray[np.int64]:
    """Return the offsets of the bytes that may be read before and after each row."""
    if argument.read is None or not argument.under_read + argument.over_read:
        return np.zeros(0, np.int64)
    around = np.arange(-argument.under_read, argument.read.size.evaluate(values) + argument.over_read, dtype=np.int64)
    offsets = np.add.outer(argument.read.starts(values) + origin, around).reshape(-1)
    inside: npt.NDArray[np.int64] = offsets[(offsets >= 0) & (offsets < size)]
    return inside


def between_rows(argument: Argument, values: Mapping[str, int], first: int, end: int, *, written: bool) -> str:
    """Describe where an access to the bytes `first` up to `end` leaves the rows; empty if the buffer has no rows."""
    extent = (argument.write if written else argument.read) or argument.write or argument.read
    if extent is None or not extent.rows:
        return ""
    starts = np.sort(extent.starts(values) + argument.block(values).origin)
    ends = starts + extent.size.evaluate(values)
    row = int(np.searchsorted(starts, max(first, int(starts[0])), side="right")) - 1
    if first < ends[row] < end:
        return f"{_bytes(end - int(ends[row]))} beyond the end of a row"
    if first == ends[row]:
        return "directly after the end of a row, before the next"
    if first > ends[row]:
        return f"{_bytes(first - int(ends[row]))} after the end of a row, before the next"
    return f"{_bytes(int(starts[row]) - first)} before the start of a row"


def element(argument: Argument, values: Mapping[str, int], offset: int) -> str:
    """Name the element that holds the byte at `offset` of the buffer: `element 5 of c`, with its row if it has rows."""
    size = argument.dtype.itemsize
    extent = argument.write or argument.read
    if extent is None or not extent.rows:
        return f"element {offset // size} of `{argument.name}`"
    position = argument.block(values).position(offset)
    length = extent.size.evaluate(values)
    if position is None or length < 1:
        return f"byte {offset} of `{argument.name}`, between its rows,"
    return f"element {position % length // size} of row {position // length} of `{argument.name}`"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' if count != 1 else ''}"
