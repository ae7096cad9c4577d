"""Try the rule that tells where no denormal can be, on random and extreme operands, and where there can be one."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.kernel.denormals import is_normal

pytestmark = pytest.mark.thorough("compiling it takes seconds; tests/prove/test_judge.py proves kernels by it")

_SEED = 11
_LEAST_NORMAL = 0x00800000
#: Bits between which elements lie: of floats of either sign, of those above 0, and of those from 2^-30 to 256.
_INTERVALS = ((0, (1 << 32) - 1), (1, 0x7F7FFFFF), (_LEAST_NORMAL, 0x7F800000), (0x30800000, 0x43800000))
_NUMBERS = (0.0, -0.0, 1.0, -3.5, 1e-9, 2.0**-126, -(2.0**-103), 2.0**-104, 1e-40, -1e-45, np.inf)
_OPERATIONS = (Operation.FLOAT_ADD, Operation.FLOAT_SUBTRACT, Operation.FLOAT_MULTIPLY)


def _leaves(table: ExpressionTable) -> list[int]:
    whole = table.elements(2, -(1 << 31), (1 << 31) - 1)
    floats = [table.elements(1, low, high) for low, high in _INTERVALS]
    bits = np.array(_NUMBERS, np.float32).view(np.uint32)
    flushed = table.apply(Operation.FLOAT_FLUSH, floats[0])
    found = [table.apply(Operation.FLOAT_OF, whole), *floats, flushed, table.constants(bits)]
    leaves: list[int] = np.concatenate(found).tolist()
    return leaves


def _draws(random: np.random.Generator) -> np.ndarray:
    """Values of the elements: small and large integers, and floats near the ends of each interval."""
    count = 4000
    whole = random.choice([-1, 1], (count, 2)) * (1 << random.integers(0, 31, (count, 2))) - random.integers(0, 2)
    ends = []
    for low, high in _INTERVALS:
        near = random.integers(0, 4, count)
        drawn = random.integers(low, high, count, endpoint=True)
        ends.append(np.choose(random.integers(0, 3, count), [low + near, high - near, drawn]))
    return np.column_stack([whole, *ends])


def test_no_denormal_is_told_to_be_none() -> None:
    print(f"seed {_SEED}")
    random = np.random.default_rng(_SEED)
    table = ExpressionTable()
    leaves = _leaves(table)
    products = [
        int(table.apply(Operation.FLOAT_MULTIPLY, np.array([x]), np.array([y]))[0]) for x in leaves for y in leaves
    ]
    operands = random.choice(leaves + products, (6000, 2))
    operations = random.choice(_OPERATIONS, len(operands))
    sums = [
        int(table.apply(operation, np.array([x]), np.array([y]))[0])
        for operation, (x, y) in zip(operations, operands.tolist(), strict=True)
    ]
    nodes = np.array(leaves + products + sums, np.int32)
    told = np.array([is_normal(table.nodes, node) for node in nodes.tolist()])
    bits = evaluate(table, nodes, _draws(random)) & 0x7FFFFFFF
    denormal = ((bits > 0) & (bits < _LEAST_NORMAL)).any(axis=0)
    assert not (told & denormal).any()
    assert told[len(leaves) :].sum() > 500
