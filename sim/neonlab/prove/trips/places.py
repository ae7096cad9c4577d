"""Find how arrays grow with a size, and show that each access goes to the same elements whatever the size.

An array that grows has rows, each of which gets as many bytes more with each block of the size.  Two sizes that differ
by a block then have the same elements but for a gap: the bytes that one row has more, inserted from one place in the
row on.  An access at a size and the same access at the next one must lie on the same side of the gap in the same row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.instruction import AccessKind
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.passes import Loop
from neonlab.prove.trips.state import STACK
from neonlab.prove.trips.walk import Access


@dataclass(frozen=True, slots=True)
class Rows:
    """An array of `rows` rows of `length` bytes, to each of which a block of the size adds `step` bytes."""

    rows: int
    length: int
    step: int

    def inserted(self, array: npt.NDArray[Any], gap: int, itemsize: int, filling: Any) -> npt.NDArray[Any]:
        """Return the elements of an array, any shape, flat, with a block of `filling` from block `gap` of each row on.

        An element has `itemsize` bytes.
        """
        parts = array.reshape(self.rows, self.length // itemsize)
        at = gap * self.step // itemsize
        block = np.full((self.rows, self.step // itemsize), filling, array.dtype)
        return np.concatenate([parts[:, :at], block, parts[:, at:]], axis=1).reshape(-1)


def rows_of(accesses: Sequence[Access], loops: Sequence[Loop], sizes: Mapping[str, tuple[int, int]]) -> dict[str, Rows]:
    """Return the rows of each array that grows.  `sizes` has the bytes of each array, and those that a block adds.

    Raises Refusal where passes of loops do not go through rows evenly.
    """
    steps: dict[str, set[int]] = {}
    for access in accesses:
        if access.loop >= 0 and access.form.t:
            steps.setdefault(access.form.base, set()).add(access.form.t * loops[access.loop].growth)
    found = {}
    for name, (length, growth) in sizes.items():
        if not growth:
            continue
        if len(steps.get(name, ())) != 1:
            raise Refusal(f"passes of loops do not go through `{name}` in even steps")
        (step,) = steps[name]
        if step <= 0 or growth % step or length % (growth // step):
            raise Refusal(f"passes of loops do not go through `{name}` in rows that grow evenly")
        rows = growth // step
        found[name] = Rows(rows, length // rows, step)
    return found


def first_block(accesses: Sequence[Access], rows: Mapping[str, Rows]) -> int:
    """Return the first block of a row that the first pass of a loop reads anything of."""
    blocks = [
        int(((access.form.number + np.arange(access.count)) % rows[access.form.base].length).min())
        // rows[access.form.base].step
        for access in accesses
        if access.loop >= 0 and access.form.t and access.form.base in rows
    ]
    return min(blocks, default=0)


def check_places(
    accesses: Sequence[Access],
    loops: Sequence[Loop],
    rows: Mapping[str, Rows],
    inputs: Mapping[str, int],
    outputs: frozenset[str],
    *,
    gap: int,
    window: int,
    fewest: int,
) -> None:
    """Refuse an access that is not at the same elements for each size.

    `inputs` has the bytes of each array that is only read.  The gap is before block `gap` of each row, and `window` is
    how many passes of a loop may read on either side of it; passes from `window` on read behind it.  The size may be
    smaller by -`fewest` blocks than in the run.
    """
    for name, one in rows.items():
        if one.length + fewest * one.step < gap * one.step:
            raise Refusal(f"the rows of `{name}` are too short at the least size")
    for access in dict.fromkeys(accesses):
        try:
            _check(access, loops, rows, inputs, outputs, gap, window, fewest)
        except Refusal as refusal:
            raise Refusal(refusal.reason, place=access.place) from None


def _check(
    access: Access,
    loops: Sequence[Loop],
    rows: Mapping[str, Rows],
    inputs: Mapping[str, int],
    outputs: frozenset[str],
    gap: int,
    window: int,
    fewest: int,
) -> None:
    form, name = access.form, access.form.base
    if access.kind is AccessKind.STORE and access.loop >= 0:
        raise Refusal("a pass of the loop stores: only loops that add up are followed for every size")
    if name == STACK or name in outputs:
        if form.k or form.t:
            raise Refusal("the place of a result, or on the stack, depends on the size")
        return
    if access.kind is AccessKind.STORE or (name and name not in inputs):
        raise Refusal("an access outside the arguments' buffers and the stack")
    if name not in rows:
        if form.k or form.t or (name and not 0 <= form.number <= inputs[name] - access.count):
            raise Refusal(f"an address in `{name or 'the program'}` depends on the size, or is outside of it")
        return
    one = rows[name]
    places = form.number + np.arange(access.count, dtype=np.int64)
    if places.min() < 0 or places.max() >= one.rows * one.length:
        raise Refusal(f"reads outside `{name}`")
    row, at = places // one.length, places % one.length
    if form.t:
        loop = loops[access.loop]
        if np.any(form.k != row * one.step) or (at + form.t * (loop.passes - 1) >= one.length).any():
            raise Refusal(f"a loop reads other rows of `{name}` as the size grows")
        if (at + form.t * window < gap * one.step).any():
            raise Refusal(f"passes of a loop read `{name}` too far behind others")
        return
    before = (form.k == row * one.step) & (at < gap * one.step)
    behind = (form.k == (row + 1) * one.step) & (at + fewest * one.step >= gap * one.step)
    if not (before | behind).all():
        raise Refusal(f"an element of `{name}` that is read is another one as the size grows")
