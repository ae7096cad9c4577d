"""Sum up products of two arrays of nodes along axes that are named by letters, as `numpy.einsum` does."""

from __future__ import annotations

import math

import numpy as np

from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids


def sums_of_products(table: ExpressionTable, left: Ids, right: Ids, axes: tuple[str, str], result: str) -> Ids:
    """Return the nodes of the sums: `axes` has the letters of the axes of both operands, `result` those to keep.

    Where sums are known by fingerprints, no product is kept, and the operands are not made as large as the products.
    """
    sizes = dict(zip("".join(axes), left.shape + right.shape, strict=True))
    summed = "".join(sorted(set("".join(axes)) - set(result)))
    if not table.fingerprints:
        order = result + summed
        products = table.apply(
            Operation.MULTIPLY, *(_aligned(ids, of, order) for ids, of in zip((left, right), axes, strict=True))
        )
        return table.sums(products.reshape(*products.shape[: len(result)], -1))
    both = [axis for axis in result if all(axis in of for of in axes)]
    own = [[axis for axis in result if axis in of and axis not in both] for of in axes]

    def matrices(ids: Ids, of: str, outer: list[str]) -> Ids:
        """Return an operand as [both, outer, summed]."""
        parts = ["".join(both), "".join(outer), summed]
        whole = np.broadcast_to(
            _aligned(ids, of, "".join(parts)), [sizes[axis] for part in parts for axis in part]
        )  # fmt: skip
        return whole.reshape([math.prod(sizes[axis] for axis in part) for part in parts])

    lefts, rights = matrices(left, axes[0], own[0]), matrices(right, axes[1], own[1])
    found = np.zeros((len(lefts), lefts.shape[1], rights.shape[1]), np.int32)
    for at, (one, other) in enumerate(zip(lefts, rights, strict=True)):
        found[at] = table.products(one, other.T)
    made = [*both, *own[0], *own[1]]
    return found.reshape([sizes[axis] for axis in made]).transpose([made.index(axis) for axis in result])


def _aligned(ids: Ids, axes: str, order: str) -> Ids:
    """Return `ids` with its axes in `order`, and one of length 1 for each that it does not have."""
    held = [axis for axis in order if axis in axes]
    moved = ids.transpose([axes.index(axis) for axis in held])
    return moved[tuple(slice(None) if axis in axes else np.newaxis for axis in order)]
