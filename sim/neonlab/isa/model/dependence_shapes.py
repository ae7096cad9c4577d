"""Byte dependence of rearrangements that both instruction sets have; operands are given by their first place."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.isa.model.dependence import Flow


def reverse(flow: Flow, d: int, n: int, size: int, lane: int, group: int) -> None:
    """Describe rev64, rev32, rev16: lanes of `lane` bytes in opposite order within each `group` bytes."""
    lanes = group // lane
    for byte in range(size):
        at, inside = byte // group * group, byte % group
        flow.add([d + byte], [n + at + (lanes - 1 - inside // lane) * lane + inside % lane])


def extract(flow: Flow, d: int, n: int, m: int, size: int, first: int) -> None:
    """Describe ext: `size` bytes from byte `first` of n followed by m."""
    both = [*range(n, n + size), *range(m, m + size)]
    flow.permute(d, both[first : first + size])


def _take(flow: Flow, d: int, lane: int, starts: Sequence[int]) -> None:
    flow.permute(d, [start + byte for start in starts for byte in range(lane)])


def interleave(flow: Flow, d: int, n: int, m: int, size: int, lane: int, second: int) -> None:
    """Describe zip1 and zip2."""
    half = size // 2
    firsts = range(half * second, half * second + half, lane)
    _take(flow, d, lane, [operand + at for at in firsts for operand in (n, m)])


def pick_even_or_odd(flow: Flow, d: int, n: int, m: int, size: int, lane: int, second: int) -> None:
    """Describe uzp1 and uzp2."""
    _take(flow, d, lane, [operand + at for operand in (n, m) for at in range(lane * second, size, 2 * lane)])


def transpose(flow: Flow, d: int, n: int, m: int, size: int, lane: int, second: int) -> None:
    """Describe trn1 and trn2."""
    _take(flow, d, lane, [operand + at for at in range(lane * second, size, 2 * lane) for operand in (n, m)])


def table_lookup(flow: Flow, d: int, table: Sequence[int], entry: int, indices: int, size: int, *, keeps: bool) -> None:
    """Describe tbl and tbx: a byte depends on its index and on any byte of the table.

    The table's registers have `entry` bytes.
    """
    kept = [(d, 1)] * keeps
    flow.lanes(d, 1, size, [(indices, 1), *kept], [(start, entry) for start in table])


def shift_right(flow: Flow, d: int, n: int, size: int, lane: int, amount: int, *, signed: bool) -> None:
    """Let each byte of a lane depend on the one or two bytes that its bits come from.

    Bits from beyond the lane come from its sign, or are zeros.
    """
    for byte in range(size):
        at = byte // lane * lane
        first = byte - at + amount // 8
        sources = range(first, first + 1 + (amount % 8 > 0))
        top = at + n + lane - 1
        inside = [at + n + source for source in sources if source < lane]
        flow.add([d + byte], [*inside, top] if signed and sources[-1] >= lane else inside)


def shift_left(flow: Flow, d: int, n: int, size: int, lane: int, amount: int) -> None:
    """Let each byte of a lane depend on the one or two bytes that its bits come from.

    Zeros come from below the lane.
    """
    for byte in range(size):
        at = byte // lane * lane
        last = byte - at - amount // 8
        flow.add([d + byte], [at + n + source for source in range(last - (amount % 8 > 0), last + 1) if source >= 0])


def matrix(flow: Flow, d: int, n: int, m: int) -> None:
    """Describe smmla and similar: 2x2 words += 2x8 bytes times 8x2 bytes."""
    for row in range(2):
        for column in range(2):
            word = d + 4 * (2 * row + column)
            flow.lanes(word, 4, 1, [(n + 8 * row, 8), (m + 8 * column, 8), (word, 4)])
