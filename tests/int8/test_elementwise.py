"""Mul, rescale, concat, relu and clip, pad: element by element, in Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.int8 import oracle

from neonlab.int8.addition import Operand
from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.elementwise import activation_range, clip, concatenate, multiply, pad, rescale
from neonlab.int8.requantize import SCHEMES


def test_products_are_of_the_differences_from_the_zero_points() -> None:
    a, b = np.arange(-128, 128, dtype=np.int8), np.arange(255, -1, -1, dtype=np.uint8)
    got = multiply(Operand(a, 0.5, -7), Operand(b, 0.25, 100))
    assert got.dtype == np.int32
    assert got.tolist() == [(int(x) + 7) * (int(y) - 100) for x, y in zip(a, b, strict=True)]
    assert multiply(Operand(a[:, None], 0.5), Operand(b[None, :4], 0.5)).shape == (256, 4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rescaling_goes_by_the_scheme_named(scheme: str) -> None:
    values = np.arange(-128, 128, dtype=np.int8)
    got = rescale(Operand(values, 0.1, 5), 0.3, Output.of("uint8", 128), scheme)
    ratio = oracle.float32(0.1) / oracle.float32(0.3)
    assert got.tolist() == [max(0, min(255, oracle.scaled(scheme, int(v) - 5, ratio) + 128)) for v in values]


def test_concatenation_rescales_what_differs_and_copies_the_rest() -> None:
    same, other = Operand(np.arange(6, dtype=np.int8).reshape(2, 3), 0.5, 1), Operand(np.full((2, 1), 9, np.int8), 1.0)
    got = concatenate([same, other], 1, 0.5, Output(zero_point=1))
    assert got.tolist() == [[0, 1, 2, 19], [3, 4, 5, 19]]
    with pytest.raises(OperandError, match="cannot be concatenated"):
        concatenate([same, other], 0, 0.5, Output())
    with pytest.raises(OperandError, match="nothing to concatenate"):
        concatenate([], 0, 0.5, Output())


@pytest.mark.parametrize(
    ("activation", "scale", "zero_point", "minimum", "maximum"),
    [
        ("none", 0.1, 0, -128, 127),
        ("relu", 0.1, -20, -20, 127),
        ("relu6", 0.1, -128, -128, -68),
        ("relu6", 0.04, -20, -20, 127),
        ("relu_n1_to_1", 0.4, 0, -3, 3),
        ("relu", 0.1, 127, 127, 127),
    ],
)
def test_a_fused_activation_is_a_narrower_clamp(
    activation: str, scale: float, zero_point: int, minimum: int, maximum: int
) -> None:
    narrowed = activation_range(activation, scale, Output(zero_point))
    assert (narrowed.minimum, narrowed.maximum) == (minimum, maximum)
    values = np.arange(-128, 128, dtype=np.int8)
    held = clip(values, narrowed)
    assert held.tolist() == [max(minimum, min(maximum, int(v))) for v in values]
    real = (held.astype(float) - zero_point) * scale
    wanted = {"none": values, "relu": np.maximum(values, zero_point)}.get(activation)
    assert wanted is None or held.tolist() == wanted.tolist()
    assert activation != "relu6" or real.max() <= 6 + scale / 2


def test_padding_holds_the_zero_point() -> None:
    got = pad(np.ones((2, 2), np.int8), [(1, 0), (0, 2)], -5)
    assert got.tolist() == [[-5, -5, -5, -5], [1, 1, -5, -5], [1, 1, -5, -5]]
    with pytest.raises(OperandError, match="zero point -5"):
        pad(np.ones((2, 2), np.uint8), [(1, 0), (0, 2)], -5)
    with pytest.raises(OperandError, match="1 pairs of padding"):
        pad(np.ones((2, 2), np.uint8), [(1, 0)], 5)


def test_what_is_no_activation_is_refused() -> None:
    with pytest.raises(OperandError, match="there are none, relu"):
        activation_range("swish", 0.1, Output())
    with pytest.raises(OperandError, match="holds uint8"):
        clip(np.zeros(3, np.uint8), Output())
