"""Addition, each library's way, against its source worded one number at a time; and against the real sum."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.int8 import oracle

from neonlab.int8.addition import (
    Operand,
    add_onnxruntime,
    add_qnnpack,
    add_tflite,
    add_tvm,
    add_xnnpack,
    tflite_addition,
)
from neonlab.int8.arrays import OperandError, Output

SCALES = [(0.1, 0.2, 0.15), (0.5, 0.25, 0.5), (0.01, 0.3, 0.7), (0.037, 0.037, 0.037), (1.5, 0.004, 0.9)]
WAYS = {
    "tflite": add_tflite,
    "tvm": add_tvm,
    "qnnpack": add_qnnpack,
    "xnnpack": add_xnnpack,
    "onnxruntime": add_onnxruntime,
}


def twice(value: int, scale: float) -> int:
    return oracle.scaled("gemmlowp", value, scale)


def by_hand(way: str, a: int, b: int, scales: tuple[float, float, float], output: Output) -> int:
    left, right, out = (oracle.float32(s) for s in scales)
    if way == "tflite":
        larger = 2 * max(left, right)
        total = twice(a << 20, left / larger) + twice(b << 20, right / larger)
        sum_ = twice(total, larger / ((1 << 20) * out))
    elif way == "tvm":
        sum_ = oracle.scaled("tvm-upward", a, left / out) + oracle.scaled("tvm-upward", b, right / out)
    elif way in ("qnnpack", "xnnpack"):
        ratios = [oracle.float32(left / out), oracle.float32(right / out)]
        shift = (22 if way == "qnnpack" else 21) - math.frexp(max(ratios))[1]
        weights = [oracle.even(Fraction(ratio) * 2**shift) for ratio in ratios]
        exact = Fraction(a * weights[0] + b * weights[1], 2**shift)
        sum_ = oracle.away(exact) if way == "qnnpack" else oracle.up(exact)
    else:
        raise ValueError(way)
    return max(output.minimum, min(output.maximum, sum_ + output.zero_point))


def operands(dtype: str, scales: tuple[float, float, float]) -> tuple[Operand, Operand, Output]:
    info = np.iinfo(dtype)
    a, b = np.meshgrid(np.arange(info.min, info.max + 1, 3), np.arange(info.min, info.max + 1, 5))
    middle = (int(info.min) + int(info.max) + 1) // 2
    left = Operand(a.astype(dtype), scales[0], middle - 3)
    return left, Operand(b.astype(dtype), scales[1], middle + 7), Output.of(dtype, middle + 1)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("way", ["tflite", "tvm", "qnnpack", "xnnpack"])
def test_addition_is_what_the_source_says(way: str, scales: tuple[float, float, float], dtype: str) -> None:
    left, right, output = operands(dtype, scales)
    got = WAYS[way](left, right, scales[2], output)
    assert got.dtype == np.dtype(dtype)
    pairs = zip(left.centred().ravel().tolist()[::13], right.centred().ravel().tolist()[::13], strict=True)
    assert got.ravel().tolist()[::13] == [by_hand(way, a, b, scales, output) for a, b in pairs]


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("way", WAYS)
def test_addition_is_near_the_real_sum(way: str, scales: tuple[float, float, float]) -> None:
    left, right, output = operands("int8", scales)
    real = (left.centred() * scales[0] + right.centred() * scales[1]) / scales[2] + output.zero_point
    off = np.abs(WAYS[way](left, right, scales[2], output) - np.clip(real, -128, 127))
    assert off.max() <= (1.001 if way == "tvm" else 0.501)


def test_tflite_multipliers_are_those_of_its_prepare_step() -> None:
    ways = tflite_addition(0.5, 0.25, 0.125)
    assert (int(ways.left.mantissa), int(ways.left.exponent)) == (1 << 30, 0)
    assert (int(ways.right.mantissa), int(ways.right.exponent)) == (1 << 30, -1)
    assert (int(ways.output.mantissa), int(ways.output.exponent)) == (1 << 30, 4 - 20)


def test_what_cannot_be_added_is_refused() -> None:
    one = Operand(np.zeros(3, np.int8), 0.5)
    with pytest.raises(OperandError, match="an operand holds int16"):
        add_tflite(Operand(np.zeros(3, np.int16), 0.5), one, 0.5, Output())
    with pytest.raises(OperandError, match="zero point does not fit int8"):
        add_tvm(Operand(np.zeros(3, np.int8), 0.5, 200), one, 0.5, Output())
    with pytest.raises(OperandError, match="scale must be greater than 0"):
        add_onnxruntime(Operand(np.zeros(3, np.int8), 0.0), one, 0.5, Output())
    with pytest.raises(OperandError, match=r"2\^-10 to 2\^8"):
        add_xnnpack(one, Operand(np.zeros(3, np.int8), 0.0001), 0.5, Output())
    with pytest.raises(OperandError, match=r"2\^-14 to 2\^8"):
        add_qnnpack(Operand(np.zeros(3, np.int8), 0.5), one, 0.001, Output())
