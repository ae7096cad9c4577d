"""Nodes that nothing needs are dropped; all others keep their value under a new number."""

from __future__ import annotations

import random

import numpy as np
import pytest

from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 7


@pytest.mark.parametrize("seed", [None, b"points"])
@pytest.mark.parametrize("turn", range(4))
def test_what_is_kept_has_the_value_that_it_had(turn: int, seed: bytes | None) -> None:
    print(f"seed {_SEED + turn}")
    rng = random.Random(_SEED + turn)
    table = ExpressionTable(seed)
    values = np.array([rng.randrange(8) for _ in range(6)], np.int64)
    pool = [one.reshape(1) for one in table.elements(6, 0, 7, values)]
    first = len(table)
    for _ in range(300):
        x, y = rng.choice(pool), rng.choice(pool)
        kind = rng.randrange(4)
        if kind == 0:
            pool.append(table.apply(rng.choice((Operation.MINIMUM, Operation.ADD)), x, y))
        elif kind == 1:
            pool.append(table.apply(Operation.SHIFT_RIGHT, x, amount=1))
        elif kind == 2:
            pool.append(table.apply(Operation.SELECT, x, y, rng.choice(pool)))
        else:
            entries = table.constants(np.arange(9) * rng.randrange(5))
            index = table.apply(Operation.MINIMUM, x, table.constants(np.array([8])))
            pool.append(table.apply(Operation.ENTRY, entries[:1], index, amount=9))
    kept = np.concatenate(rng.sample(pool, 12))
    before, rows = evaluate(table, kept, values[None]), len(table)
    numbers = table.drop(first, table.needed_of(kept))
    assert np.array_equal(numbers[:first], np.arange(first))
    assert len(table) < rows
    assert np.array_equal(evaluate(table, numbers[kept], values[None]), before)
    # All that is left is needed: nothing more goes.
    left = len(table)
    again = table.drop(first, table.needed_of(numbers[kept]))
    assert (len(table), again.tolist()) == (left, list(range(left)))
