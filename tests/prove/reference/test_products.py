"""Sums of products of two arrays along named axes, written out or by fingerprints, against `numpy.einsum`."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.reference.products import sums_of_products

_SEED = 23
_SIZES = {"n": 2, "h": 3, "w": 2, "i": 3, "j": 2, "c": 4, "m": 2, "k": 5}


@pytest.mark.parametrize("seed", [None, b"points"])
@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("nhwijc", "ijcm", "nhwcm"),
        ("ik", "kj", "ij"),
        ("ik", "jk", "ji"),
        ("nik", "nkj", "nij"),
        ("c", "c", ""),
        ("c", "m", "mc"),
        ("ck", "c", "c"),
        ("cm", "mc", "cm"),
    ],
)
def test_they_are_those_of_numpy(left: str, right: str, result: str, seed: bytes | None) -> None:
    print("seed", _SEED)
    random, table = np.random.default_rng(_SEED), ExpressionTable(seed)
    numbers = [random.integers(-9, 10, [_SIZES[axis] for axis in axes]) for axes in (left, right)]
    nodes = [table.elements(one.size, -9, 9, one.reshape(-1)).reshape(one.shape) for one in numbers]
    begin = len(table)
    found = sums_of_products(table, nodes[0], nodes[1], (left, right), result)
    values = np.concatenate([one.reshape(-1) for one in numbers])[np.newaxis]
    wanted = np.einsum(f"{left},{right}->{result}", *numbers)
    assert found.shape == wanted.shape
    assert np.array_equal(evaluate(table, found, values)[0], wanted)
    if seed is not None:
        assert len(table) == begin + wanted.size
