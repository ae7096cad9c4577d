"""Tables against the real function, entry by entry, and softmax against the real one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from neonlab.int8.activation import (
    SIGMOID_OUTPUT,
    TANH_OUTPUT,
    look_up,
    sigmoid,
    softmax,
    softmax_onnxruntime,
    softmax_tables_onnxruntime,
    table_of,
)
from neonlab.int8.affine import Affine
from neonlab.int8.arrays import OperandError

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[float], float], Affine]] = {
    "tanh": (np.tanh, math.tanh, TANH_OUTPUT),
    "sigmoid": (sigmoid, lambda x: 1 / (1 + math.exp(-x)), SIGMOID_OUTPUT),
}


@pytest.mark.parametrize("source", [Affine(0.05, -3, "int8"), Affine(0.031, 130, "uint8")])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_table_holds_the_function_of_each_input(name: str, source: Affine) -> None:
    vector, scalar, target = FUNCTIONS[name]
    table = table_of(vector, source, target)
    values = np.arange(*((-128, 128) if source.dtype == "int8" else (0, 256))).astype(source.dtype)
    for value, got in zip(values.tolist(), look_up(table, values).tolist(), strict=True):
        real = scalar((value - source.zero_point) * source.scale) / target.scale + target.zero_point
        assert abs(got - min(127, max(-128, real))) <= 0.5001


def test_the_published_tanh_table_is_symmetric_with_one_scale_for_both_sides() -> None:
    scale = 0.2
    table = table_of(np.tanh, Affine(scale, 0, "int8"), Affine(scale, 0, "int8"), "even")
    for value in range(-128, 128):
        assert table[value & 255] == max(-128, min(127, round(math.tanh(value * scale) / scale)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_softmax_is_within_a_step_of_the_real_one_and_its_rows_sum_to_1(dtype: str) -> None:
    random = np.random.default_rng(9)
    values = random.integers(0, 256, (20, 37)).astype(np.uint8).view(dtype)
    target = Affine(1 / 256, -128 if dtype == "int8" else 0, dtype)
    got = softmax(values, 0.07, 1.0, target).astype(int) - target.zero_point
    real = np.exp((values.astype(float) - values.max(-1, keepdims=True)) * 0.07)
    real /= real.sum(-1, keepdims=True)
    assert np.abs(got - np.minimum(real * 256, 255)).max() <= 0.501
    assert np.abs(got.sum(-1) - 256).max() <= 37 / 2


def test_softmax_of_equal_values_is_even_and_of_one_saturates() -> None:
    target = Affine(1 / 256, -128, "int8")
    assert softmax(np.full((1, 4), 77, np.int8), 0.1, 1.0, target).tolist() == [[-64] * 4]
    assert softmax(np.array([[5]], np.int8), 0.1, 1.0, target).tolist() == [[127]]


@pytest.mark.parametrize(("units", "point"), [(256, -128), (151, -128), (4001, 7)])
def test_quotients_of_onnx_runtime_are_rounded_once_to_even(units: int, point: int) -> None:
    random, table = np.random.default_rng(units), softmax_tables_onnxruntime(0.02, 1 / units, 6)[0]
    for row in random.integers(100, 128, (400, 6)).astype(np.int8):
        total = np.float32(0)
        for value in row:
            total += table[row.max() - value]
        exact = [Fraction(float(table[row.max() - value])) * units / Fraction(float(total)) for value in row]
        # round() of a fraction goes to even.
        wanted = [max(-128, min(127, round(quotient) + point)) for quotient in exact]
        assert softmax_onnxruntime(row, 0.02, Affine(1 / units, point, "int8")).tolist() == wanted


def test_ties_of_onnx_runtime_go_to_even_and_one_value_saturates_whatever_the_units() -> None:
    two, one = np.array([5, 5], np.int8), np.array([5], np.int8)
    for units in range(1, 200, 2):
        target = Affine(float(np.float32(1 / units)), 0, "int8")
        whole = int(np.float32(1) / np.float32(1 / units))
        half = whole // 2 + (whole // 2) % 2 if whole % 2 else whole // 2
        assert softmax_onnxruntime(two, 0.02, target).tolist() == [half, half]
    for units in (256, 4096, 1 << 24):  # times the exponential, which leaves float32
        assert softmax_onnxruntime(one, 0.02, Affine(1 / units, -128, "int8")).tolist() == [127]


def test_what_has_no_table_is_refused() -> None:
    eight = Affine(0.1, 0, "int8")
    with pytest.raises(OperandError, match="256 entries goes from 8 bits"):
        table_of(np.tanh, Affine(0.1, 0, "int16"), eight)
    with pytest.raises(OperandError, match="not finite"):
        table_of(np.log, Affine(0.1, 0, "int8"), eight)
    with pytest.raises(OperandError, match="has 256 entries"):
        look_up(np.zeros(3, np.int8), np.zeros(3, np.int8))
    with pytest.raises(OperandError, match="at least one value"):
        softmax(np.zeros((3, 0), np.int8), 0.1, 1.0, eight)
    with pytest.raises(OperandError, match="at least one value"):
        softmax_onnxruntime(np.zeros((3, 0), np.int8), 0.1, eight)
