"""The values that parts of forms are said to lie between, against values drawn."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.prove.comparison.choice import FormReader, Primitive
from neonlab.prove.expressions.canonical import Canonical
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable

pytestmark = pytest.mark.thorough("compiling the forms of expressions takes a minute on a new machine")

_SEED = 4
_EVERY = ((0, (1 << 32) - 1),)
_SPANS = [((-1e30, 1e30), (1e-9, 1e7)), ((-2.5, 3.0), (-0.0, 1e-40)), ((0.25, 4.0), (-7.0, -1.5))]
_ARITHMETIC = [Operation.FLOAT_ADD, Operation.FLOAT_SUBTRACT, Operation.FLOAT_MULTIPLY]


def _domain(table: ExpressionTable, node: np.ndarray) -> tuple[tuple[int, int], ...]:
    canonical = Canonical(table)
    (form,) = canonical.of(node).tolist()
    reading = FormReader(canonical.forms, table.spans)
    part = reading.form(form)[0]
    assert isinstance(part, Primitive)
    return reading.domain(part)


@pytest.mark.parametrize(("first", "second"), _SPANS)
@pytest.mark.parametrize("inner", _ARITHMETIC)
@pytest.mark.parametrize("outer", _ARITHMETIC)
def test_floats_made_of_inputs_lie_in_their_domain_which_holds_no_nan(
    first: tuple[float, float], second: tuple[float, float], inner: Operation, outer: Operation
) -> None:
    print(f"seed {_SEED}")
    table, random = ExpressionTable(), np.random.default_rng(_SEED)
    x, y = (table.elements(1, *_EVERY[0], span=span) for span in (first, second))
    node = table.apply(outer, table.apply(inner, x, y), y)
    drawn = np.array([random.choice([*span, random.uniform(*span)], 400) for span in (first, second)], np.float32)
    values = evaluate(table, node, drawn.view(np.uint32).astype(np.int64).T)[:, 0]
    domain = _domain(table, node)
    held = np.array([any(low <= one <= high for low, high in domain) for one in values.tolist()])
    assert held.all()
    ends = np.array(domain, np.int64)
    finite = (
        outer is not Operation.FLOAT_MULTIPLY or inner is not Operation.FLOAT_MULTIPLY or first[1] * second[1] < 1e32
    )
    assert (domain == _EVERY) is not finite
    assert not finite or np.isfinite(ends.astype(np.uint32).view(np.float32)).all()


def test_the_domain_of_what_may_be_infinite_or_comes_after_many_steps_is_all_bits() -> None:
    table = ExpressionTable()
    x = table.elements(1, *_EVERY[0], span=(-1e30, 1e30))
    assert _domain(table, table.apply(Operation.FLOAT_MULTIPLY, x, x)) == _EVERY
    y = table.elements(1, *_EVERY[0], span=(0.5, 1.0))
    long = y
    for _ in range(40):
        long = table.apply(Operation.FLOAT_MULTIPLY, long, y)
    assert _domain(table, long) == _EVERY
