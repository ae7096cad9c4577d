"""Size expressions: their value is Python's, and nothing but arithmetic gets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonlab.contract.size_expression import SizeExpression, SizeExpressionError

NAMES = ("rows", "cols", "k")


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(NAMES) | st.integers(0, 99).map(str)
    return st.recursive(
        leaves,
        lambda inner: (
            st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
            | st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})")
        ),
        max_leaves=12,
    )


@given(expressions(), st.tuples(*[st.integers(0, 1000)] * 3))
def test_the_value_is_the_one_python_computes(text: str, values: tuple[int, int, int]) -> None:
    bound = dict(zip(NAMES, values, strict=True))
    assert SizeExpression(text).evaluate(bound) == eval(text, {"min": min, "max": max}, bound)


@pytest.mark.parametrize(
    "text",
    ["k**99", "k().x", "open('f')", "[k]", "k if k else 1", "1.5*k", "True", "'k'", "lambda: 1", "k" * 401, "(" * 99],
)
def test_anything_but_integer_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(SizeExpressionError):
        _ = SizeExpression(text).names


def test_an_unbound_name_and_a_division_by_zero_are_named() -> None:
    with pytest.raises(SizeExpressionError, match="`k`"):
        SizeExpression("k + 1").evaluate({})
    with pytest.raises(SizeExpressionError, match="divides by 0"):
        SizeExpression("8 // k").evaluate({"k": 0})
