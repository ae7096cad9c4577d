"""Multiply matrices of quantized operands: two ways to handle zero points, packing, and ruy's `Mul`.

Both ways give the same int32 numbers.  Kernels prefer four terms (products of raw 8-bit numbers, corrected by row and
column sums), because subtracting first needs 9-bit operands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import (
    Int32s,
    Int64s,
    Integers,
    OperandError,
    Output,
    exact_matmul,
    finite_single,
    integer,
    integers,
    limits,
    to_int32,
    wide,
)
from neonlab.int8.fixed_point import Multiplier, multiply_once_rounded

_SMALL = ("int8", "uint8", "int16")


def accumulate_four_terms(
    left: object, right: object, left_zero_point: int = 0, right_zero_point: object = 0, bias: object = None
) -> Int32s:
    """Return X·W - X·Zw - Zx·W + Zx·Zw·K + bias: int32 [..., m, n] from left X [..., m, k] and right W [k, n].

    Operands: any 8- or 16-bit integers.  right_zero_point: a number or one per column [n]; bias: int32 [n] or None.
    Raises OperandError for other types and shapes, and when the final sum leaves int32.

    Source: gemmlowp/doc/low-precision.md; TVM's qnn.conv2d and qnn.dense.
    """
    x, w, zw = _operands(left, right, left_zero_point, right_zero_point)
    products = exact_matmul(x, w)
    # In int64 here; int32 of a kernel may wrap on the way, because the result is right modulo 2^32.
    by_rows = wide(x).sum(-1)[..., None] * zw
    by_columns = left_zero_point * wide(w).sum(0)
    corner = left_zero_point * zw * x.shape[-1]
    return to_int32(products - by_rows - by_columns + corner + _bias(bias, w.shape[-1]), "the accumulator")


def accumulate_subtracting_first(
    left: object, right: object, left_zero_point: int = 0, right_zero_point: object = 0, bias: object = None
) -> Int32s:
    """Return (X - Zx)·(W - Zw) + bias, which is TensorFlow's way.

    Operands, result and errors are as in `accumulate_four_terms`.
    """
    x, w, zw = _operands(left, right, left_zero_point, right_zero_point)
    return to_int32(exact_matmul(wide(x) - left_zero_point, wide(w) - zw) + _bias(bias, w.shape[-1]), "the accumulator")


def row_sums(left: object) -> Int32s:
    """Return sums over k of 8- or 16-bit integers [..., m, k]: int32 [..., m], which X·Zw needs.

    Raises OperandError for other types and shapes, and beyond int32.
    """
    return _sums(integers(left, "the left matrix", *_SMALL), -1, "a row's sum")


def column_sums(right: object) -> Int32s:
    """Return sums over k of 8- or 16-bit integers [..., k, n]: int32 [..., n], which Zx·W needs.

    They are known before inference when the right side is weights.  Raises OperandError for other types and shapes, and
    beyond int32.
    """
    return _sums(integers(right, "the right matrix", *_SMALL), -2, "a column's sum")


def _sums(values: Integers, axis: int, name: str) -> Int32s:
    if values.ndim < 2:
        raise OperandError(f"wanted a matrix, not the shape {values.shape}")
    return to_int32(np.asarray(wide(values).sum(axis)), name)


def pack_to_signed(values: object, zero_point: int) -> tuple[NDArray[np.int8], int]:
    """Return uint8 values and their zero point as int8: both minus 128, which is ^ 0x80.

    Products of differences stay the same.  Any shape.  One int8 kernel can then serve both types.  Raises OperandError
    for other types, and for a zero point outside uint8.

    Source: ruy/pack_common.h.
    """
    array = integers(values, "the values", "uint8")
    check_zero_point(zero_point, array, "the zero point")
    return (array ^ np.uint8(0x80)).view(np.int8), zero_point - 128


def ruy_mul(
    lhs: object,
    rhs: object,
    *,
    lhs_zero_point: int = 0,
    rhs_zero_point: int = 0,
    bias: object = None,
    multiplier: Multiplier | None = None,
    output: Output | None = None,
) -> Integers:
    """Compute ruy's quantized `Mul`: lhs [m, k] · rhs [k, n] → [m, n]; bias and multipliers are [m].

    Channels are rows.  Operands are int8, uint8 or int16.  Without a multiplier: the raw int32 accumulators.  With one:
    rounded once, ties up, zero point added, clamped to `output` (whose type may be int16).  Raises OperandError as
    `accumulate_four_terms` does, and for a multiplier without output or the other way round.

    Source: ruy/reference_mul.h.
    """
    left = integers(lhs, "lhs", "int8", "uint8", "int16")
    right = integers(rhs, "rhs", "int8", "uint8", "int16")
    if left.ndim != 2 or right.ndim != 2:
        raise OperandError(f"ruy multiplies matrices, not shapes {left.shape} and {right.shape}")
    # Transposed, rows are columns: the product of the transposes takes bias and zero points along its last axis.
    sums = accumulate_four_terms(right.T, left.T, rhs_zero_point, lhs_zero_point, bias)
    if multiplier is None or output is None:
        if multiplier is not None or output is not None:
            raise OperandError("give both a multiplier and an output, or neither")
        return sums.T
    return output.place(wide(multiply_once_rounded(sums, multiplier))).T


def ruy_mul_floats(
    lhs: object, rhs: object, bias: object = 0.0, clamp_min: float = -np.inf, clamp_max: float = np.inf
) -> NDArray[np.float32]:
    """Compute ruy's float `Mul`: float32 lhs [m, k] · rhs [k, n] + bias, a number or [m], clamped: float32 [m, n].

    Summed in float64, rounded once.  Raises OperandError for shapes that do not multiply, for operands that are not
    finite (the bounds of the clamp may be infinite), and for results beyond float32.  Source: ruy/example/example.cc.
    """
    left, right, offset = finite_single(lhs, "lhs"), finite_single(rhs, "rhs"), finite_single(bias, "the bias")
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise OperandError(f"shapes {left.shape} and {right.shape} do not multiply")
    if offset.shape not in ((), (left.shape[0],)):
        raise OperandError(f"the bias has shape {offset.shape}; wanted [{left.shape[0]}]")
    if not clamp_min <= clamp_max:
        raise OperandError(f"the range {clamp_min} to {clamp_max} is empty")
    sums = left.astype(np.float64) @ right.astype(np.float64) + offset.astype(np.float64)[..., None]
    return finite_single(np.clip(sums, clamp_min, clamp_max), "the result")


def _operands(
    left: object, right: object, left_zero_point: int, right_zero_point: object
) -> tuple[Integers, Integers, Int64s]:
    x, w = integers(left, "the left matrix", *_SMALL), integers(right, "the right matrix", *_SMALL)
    if x.ndim < 1 or w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise OperandError(f"shapes {x.shape} and {w.shape} do not multiply")
    zw = wide(integers(right_zero_point, "the right zero point"))
    if zw.shape not in ((), (w.shape[1],)):
        raise OperandError(f"the right zero point has shape {zw.shape}; wanted one number or [{w.shape[1]}]")
    check_zero_point(integer(left_zero_point, "the left zero point"), x, "the left zero point")
    check_zero_point(zw, w, "the right zero point")
    return x, w, zw


def check_zero_point(zero_point: object, values: Integers, name: str) -> None:
    """Raise OperandError when a zero point is not in the range of the type of `values`."""
    low, high = limits(values.dtype)
    points = integers(zero_point, name)
    if points.size and not (low <= points.min() and points.max() <= high):
        raise OperandError(f"{name} does not fit {values.dtype}")


def _bias(bias: object, columns: int) -> Int64s:
    if bias is None:
        return np.zeros(columns, np.int64)
    array = wide(integers(bias, "the bias"))
    if array.shape not in ((), (columns,)):
        raise OperandError(f"the bias has shape {array.shape}; wanted [{columns}]")
    return array
