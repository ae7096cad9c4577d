"""Compute activations of 8-bit tensors: tables of 256 entries, built from the real function, and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.affine import Affine, dequantize, quantize
from neonlab.int8.arrays import Integers, OperandError, Output, integers, limits, one_scale
from neonlab.int8.rounding import half_away

Real = Callable[[NDArray[np.float64]], NDArray[np.float64]]

TANH_OUTPUT = Affine(1 / 128, 0, "int8")
"""The output that TFLite's int8 tanh requires."""

SIGMOID_OUTPUT = Affine(1 / 256, -128, "int8")
"""The output that TFLite's int8 logistic requires."""


#: The greatest float32, and how far below it, as a logarithm, ONNX Runtime keeps the sum of exponentials of a softmax.
_LARGEST, _RESERVED = 3.4028234663852886e38, 5.0


def sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute 1 / (1 + e^-x) in float64, without overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * values)


def sigmoid_in_singles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute 1 / (1 + e^-x) as TFLite does, each step rounded to float32: another result beside a midpoint.

    Source: tensorflow/lite/kernels/activations.cc, `SigmoidPrepare`.
    """
    with np.errstate(over="ignore"):  # 1 / infinity is 0
        powers = np.exp(-values).astype(np.float32)
    found: NDArray[np.float64] = (np.float32(1) / (np.float32(1) + powers)).astype(np.float64)
    return found


#: Coefficients of ONNX Runtime's quotients of polynomials, of the highest power first, and how far they are used.
#: Source: onnxruntime/core/mlas/lib/logistic.cpp and tanh.cpp.
_LOGISTIC = (
    (4.37031012579801e-11, 1.15627324459942e-07, 6.08574864600143e-05, 8.51377133304701e-03, 2.48287947061529e-01),
    (6.10247389755681e-13, 5.76102136993427e-09, 6.29106785017040e-06, 1.70198817374094e-03, 1.16817656904453e-01,
     9.93151921023180e-01),
    18.0,
)  # fmt: skip
_TANH = (
    (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
     6.37261928875436e-04, 4.89352455891786e-03),
    (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03),
    9.0,
)  # fmt: skip


def sigmoid_onnxruntime(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute ONNX Runtime's float32 Sigmoid: half more than a quotient of polynomials, never below 0."""
    half = np.float32(0.5)
    found: NDArray[np.float64] = np.maximum(_quotient(values, *_LOGISTIC) + half, np.float32(0)).astype(np.float64)
    return found


def tanh_onnxruntime(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute ONNX Runtime's float32 Tanh: a quotient of polynomials."""
    return _quotient(values, *_TANH).astype(np.float64)


def _quotient(
    values: NDArray[np.float64], above: tuple[float, ...], below: tuple[float, ...], most: float
) -> NDArray[np.float32]:
    """Return x · above(x²) / below(x²) in float32, of values up to `most` away from 0; each step of Horner is fused."""
    x = np.clip(values.astype(np.float32), np.float32(-most), np.float32(most))
    square = x * x
    found: NDArray[np.float32] = _horner(square, above) * x / _horner(square, below)
    return found


def _horner(x: NDArray[np.float32], coefficients: tuple[float, ...]) -> NDArray[np.float32]:
    """Return a polynomial; a product of two float32 is exact in float64, so that each step is rounded as if once."""
    found = np.full_like(x, np.float32(coefficients[0]))
    for one in coefficients[1:]:
        found = (found.astype(np.float64) * x + np.float64(np.float32(one))).astype(np.float32)
    return found


def table_of(function: Real, source: Affine, target: Affine, rounding: str = "away") -> Integers:
    """Return the 256 results of `function` on an 8-bit tensor, indexed by the input's byte: `table[q & 255]`.

    The input is dequantized in float32, and the function computed in float64.  Its float32 result is quantized by the
    reciprocal of the scale, and clamped.  rounding: away (TFLite), even (ONNX Runtime, PyTorch).  Raises OperandError
    for types that are not 8 bits wide and for results that are not finite.

    Source: tensorflow/lite/kernels/internal/common.h, `LUTPopulate`.
    """
    if {np.dtype(source.dtype).itemsize, np.dtype(target.dtype).itemsize} != {1}:
        raise OperandError("a table of 256 entries goes from 8 bits to 8 bits")
    inputs = np.arange(256, dtype=np.uint8).view(source.dtype)
    with np.errstate(all="ignore"):  # numbers that are not finite are refused below
        results = function(dequantize(inputs, source.scale, source.zero_point).astype(np.float64))
    return quantize(results, target.scale, Output.of(target.dtype, target.zero_point), rounding, reciprocal=True)


def look_up(table: Integers, values: object) -> Integers:
    """Return `table` at each value (int8 or uint8, any shape). Raises OperandError for other types or table lengths."""
    array = integers(values, "the values", "int8", "uint8")
    if table.shape != (256,):
        raise OperandError(f"a table has 256 entries, not the shape {table.shape}")
    return table[array.view(np.uint8)]


def softmax(values: object, input_scale: float, beta: float, target: Affine) -> Integers:
    """Compute softmax along the last axis, by a table of exponentials: 8 bits [..., n] → the target's type.

    In float32: e^(-input scale · beta · d) for each distance d from the row's maximum, summed in order.  Each is
    divided by (sum · output scale), rounded (uint8: + 0.5 truncated, int8: away), the zero point added, and clamped.
    TFLite's target is 1/256 with zero point -128 (int8) or 0 (uint8).  Raises OperandError.

    Source: tensorflow/lite/kernels/internal/optimized/optimized_ops.h, `PopulateSoftmaxLookupTable`, `Softmax`.
    """
    return softmax_by_table(values, softmax_table(input_scale, beta), target)


def softmax_table(input_scale: float, beta: float) -> NDArray[np.float32]:
    """Return the exponentials of `softmax`: float32, for each distance from 0 to 255.  Raises OperandError."""
    slope = -one_scale(input_scale, "the input scale") * one_scale(beta, "beta")
    distances = np.arange(256, dtype=np.float32)
    found: NDArray[np.float32] = np.exp((slope * distances).astype(np.float64)).astype(np.float32)
    return found


def softmax_by_table(values: object, table: NDArray[np.float32], target: Affine) -> Integers:
    """Compute `softmax` by its table of exponentials, or by another one.  Raises OperandError."""
    x = _rows(values)
    single = np.float32
    exponentials = table[x.max(axis=-1, keepdims=True).astype(np.int64) - x]
    sums = np.add.accumulate(exponentials, axis=-1, dtype=np.float32)[..., -1:]
    rescaled = exponentials * (single(1) / (sums * single(target.scale)))
    rounded = np.trunc(rescaled + single(0.5)) if target.dtype == "uint8" else half_away(rescaled)
    least, most = limits(target.dtype)
    return np.clip(rounded.astype(np.int64) + target.zero_point, least, most).astype(target.dtype)


def softmax_onnxruntime(values: object, input_scale: float, target: Affine) -> Integers:
    """Compute ONNX Runtime's QLinearSoftmax along the last axis: int8 or uint8 [..., n] → the type of `target`.

    Exponentials of the distance from the row's greatest are a table of float32, as large as their sum may be; they are
    added one after another.  The quotient, in units of the whole part of 1 / the output scale, is rounded to even once,
    the zero point added, and clamped.  Raises OperandError.

    Source: onnxruntime/contrib_ops/cpu/quantization/qlinear_softmax.cc; release 1.32 divides in float64.
    """
    x = _rows(values)
    return softmax_by_quotients(x, *softmax_tables_onnxruntime(input_scale, target.scale, x.shape[-1]), target)


def softmax_tables_onnxruntime(
    input_scale: float, output_scale: float, count: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the exponentials of `softmax_onnxruntime`, and what they are times the whole part of 1 / the output scale.

    Both are for each distance from 0 to 255, for rows of `count` values.  The second table is exact.  Raises
    OperandError.
    """
    scale = float(one_scale(input_scale, "the input scale"))
    # The logarithm of the greatest sum is a float32, what is made of it a float64.
    greatest = float(np.float32(math.log(np.float32(_LARGEST) / np.float32(count))))
    shift = max(0.0, greatest - _RESERVED) / scale
    table = np.array([math.exp((shift - distance) * scale) for distance in range(256)]).astype(np.float32)
    whole = np.floor(np.float32(1) / one_scale(output_scale, "the output scale"))
    return table, table.astype(np.float64) * float(whole)


def softmax_by_quotients(
    values: object, table: NDArray[np.float32], products: NDArray[np.float64], target: Affine
) -> Integers:
    """Compute `softmax_onnxruntime` by its tables, or by other ones.  Raises OperandError."""
    x = _rows(values)
    distances = x.max(axis=-1, keepdims=True).astype(np.int64) - x
    sums = np.add.accumulate(table[distances], -1, dtype=np.float32)[..., -1:]
    quotients = np.rint(products[distances] / sums.astype(np.float64))
    least, most = limits(target.dtype)
    held: Integers = np.clip(quotients + target.zero_point, least, most).astype(target.dtype)
    return held


def _rows(values: object) -> Integers:
    """Return 8-bit values that have a last axis of 1 or more.  Raises OperandError for others."""
    x = integers(values, "the values", "int8", "uint8")
    if not x.ndim or not x.shape[-1]:
        raise OperandError("softmax needs at least one value along its last axis")
    return x
