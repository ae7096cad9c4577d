"""Compute sums of products of integers whose zero points are tensors: ONNX's MatMulInteger and ConvInteger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonlab.network.graph import Array, Graph, Node
from neonlab.network.layout import images_first, images_last
from neonlab.network.reference.floats import product, sums_of_windows


def integer_sums(_graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return the int32 sums of (left - its zero point) * (right - its zero point); sums wrap as int32 does.

    Sums of fewer than 2^37 products of 9 bits each are exact in float64.
    """
    left, right, *points = inputs
    assert left is not None and right is not None
    points += [None] * (2 - len(points))
    if node.attributes["function"] == "conv":
        sums = sums_of_windows(node, _moved(left, points[0]), _moved(right, points[1], (-1, 1, 1, 1)))
    else:
        rows = _moved(images_first(left), points[0], (-1, 1))
        sums = images_last(product(rows, _moved(images_first(right), points[1], (-1,))))
    return sums.astype(np.int64).astype(np.int32)


def _moved(values: Array, point: Array | None, along: tuple[int, ...] = ()) -> Array:
    """Return an operand less its zero point; several of them lie `along` its rows, columns or channels."""
    found = values.astype(np.float64)
    if point is None:
        return found
    moved: Array = found - point.astype(np.float64).reshape(along if point.size > 1 else ())
    return moved
