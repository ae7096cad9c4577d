"""Read and write lanes of registers and memory whose bytes belong to expressions, in compiled code.

A cell is one byte: byte `position` of a lane of `width` bytes that holds `node` modulo the size of the lane.  A cell
whose node is PLAIN does not depend on the inputs.  Plain bytes of registers have their values in `values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.prove.expressions.node import add, constant, power, scale, shift_right, wrap

CELL = np.dtype([("node", np.int32), ("width", np.int8), ("position", np.int8)])
PLAIN = -1


@compiled
def depends(cells: Any, start: int, count: int) -> bool:
    """Tell whether any of `count` bytes depends on the inputs."""
    for at in range(start, start + count):  # noqa: SIM110 - compiled code has no generator expressions
        if cells[at].node != PLAIN:
            return True
    return False


@compiled
def forget(cells: Any, start: int, end: int) -> None:
    """Make bytes plain."""
    for at in range(start, end):
        cells[at].node = PLAIN


@compiled
def write(cells: Any, start: int, width: int, node: int) -> None:
    """Write a lane."""
    for at in range(width):
        cell = cells[start + at]
        cell.node = node
        cell.width = width
        cell.position = at


@compiled
def is_whole(cells: Any, start: int, width: int) -> bool:
    """Tell whether the bytes are one lane of just this width, in order."""
    first = cells[start]
    if first.node == PLAIN or first.width != width:
        return False
    for at in range(width):
        cell = cells[start + at]
        if cell.node != first.node or cell.position != at or cell.width != width:
            return False
    return True


@compiled
def _run(cells: Any, start: int, end: int) -> int:
    """Return the end of the run of cells from `start` that are plain, or that follow each other in one lane."""
    first = cells[start]
    at = start + 1
    while at < end:
        cell = cells[at]
        if cell.node != first.node:
            break
        if first.node != PLAIN and (cell.position != first.position + at - start or cell.width != first.width):
            break
        at += 1
    return at


@compiled
def _plain_number(values: Any, start: int, count: int) -> int:
    """Return the number in plain bytes; of 8 bytes, signed."""
    number = np.int64(0)
    for at in range(count):
        number |= np.int64(values[start + at]) << 8 * at
    return int(number)


@compiled
def _signed_number(number: int, count: int) -> int:
    """Return the signed number of as many bytes that equals an unsigned one modulo their size: numbers stay small."""
    return number - power(8 * count) if count < 8 and number >= power(8 * count - 1) else number


@compiled
def read_raw(nodes: Any, size: Any, cells: Any, values: Any, start: int, width: int) -> int:
    """Return a node that equals the lane of `width` bytes modulo its size."""
    if is_whole(cells, start, width):
        return int(cells[start].node)
    total, at, end = -1, start, start + width
    while at < end:
        until = _run(cells, at, end)
        if cells[at].node == PLAIN:
            number = _plain_number(values, at, until - at)
            piece = constant(nodes, size, _signed_number(number, until - at) if until == end else number)
        else:
            piece = shift_right(nodes, size, cells[at].node, 8 * cells[at].position)
            if until < end:
                piece = wrap(nodes, size, piece, 8 * (until - at), False)
        if at > start:
            piece = scale(nodes, size, piece, power(8 * (at - start)))
        total = piece if total < 0 else add(nodes, size, total, piece)
        at = until
    return total


@compiled
def read(nodes: Any, size: Any, cells: Any, values: Any, start: int, bits: int, signed: bool) -> int:
    """Return the number in a lane."""
    return wrap(nodes, size, read_raw(nodes, size, cells, values, start, bits // 8), bits, signed)
