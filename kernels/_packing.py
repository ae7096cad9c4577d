"""Pack operands as the name of the layout says: `rows8_depth4`, `cols12_depth4`, `oc8_ic4_of32`."""

from __future__ import annotations

import re

import numpy as np

from neonlab import Array, InputError

_LAYOUT = re.compile(r"(?:rows|cols|oc)(\d+)_(?:depth|ic)(\d+)(?:_of(\d+))?")


def layout_sizes(layout: str) -> tuple[int, int, int]:
    """Return the vectors of a panel, the elements of a group, and what the depth is filled up to a multiple of."""
    match = _LAYOUT.fullmatch(layout)
    if match is None:
        raise InputError(f"layout `{layout}` is not of the form rows8_depth4, cols12_depth4, oc16_ic4 or oc8_ic4_of32")
    return int(match[1]), int(match[2]), int(match[3] or match[2])


def pack_panels(matrix: Array, layout: str) -> Array:
    """Pack `matrix` [vectors][depth] in panels, filled up with zeros to whole panels and whole groups of depth.

    In `rows8_depth4` a panel has 8 vectors: 4 elements of the first, 4 of the second and so on, then the next 4 of
    each; in `oc8_ic4_of32` the depth is filled up to a multiple of 32.  Returns one dimension: [panel][group of
    depth][vector][element], of the matrix's dtype.
    """
    width, group, whole = layout_sizes(layout)
    vectors, depth = matrix.shape
    filled = np.zeros((-(-vectors // width) * width, -(-depth // whole) * whole), matrix.dtype)
    filled[:vectors, :depth] = matrix
    blocks = filled.reshape(-1, width, filled.shape[1] // group, group)
    return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)).reshape(-1)


def unpack_panels(packed: Array, layout: str, vectors: int, depth: int) -> Array:
    """Return the [vectors][depth] matrix that `pack_panels` packed, without the elements that filled the panels up."""
    width, group, whole = layout_sizes(layout)
    blocks = packed.reshape(-(-vectors // width), -(-depth // whole) * whole // group, width, group)
    return blocks.transpose(0, 2, 1, 3).reshape(blocks.shape[0] * width, -1)[:vectors, :depth]
