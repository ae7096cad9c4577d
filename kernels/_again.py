"""Keep what was computed last: an operator draws inputs by the sums that its reference then needs again."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from neonlab import Array


def kept_for_the_same(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return `function` of arrays and other values, which gives its last result again for equal ones.

    Arrays that are no plain ones, as those of a proof, are never kept.
    """
    kept: list[tuple[tuple[object, ...], Array]] = []

    @functools.wraps(function)
    def call(*operands: object) -> Array:
        if kept and _are_equal(kept[0][0], operands):
            return kept[0][1].copy()
        found = function(*operands)
        if all(type(one) in (np.ndarray, int) for one in operands):
            copies = tuple(one.copy() if isinstance(one, np.ndarray) else one for one in operands)
            kept[:] = [(copies, found.copy())]
        return found

    return call


def _are_equal(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    if [type(one) for one in left] != [type(one) for one in right]:
        return False
    return all(
        a.dtype == b.dtype and np.array_equal(a, b)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        else a == b
        for a, b in zip(left, right, strict=True)
    )
