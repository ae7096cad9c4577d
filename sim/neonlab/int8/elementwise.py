"""Compute operators that go element by element: mul, requantize and concat, relu and clip, pad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neonlab.int8.addition import Operand, centred_pair
from neonlab.int8.affine import dequantize, quantize
from neonlab.int8.arrays import Int32s, Integers, OperandError, Output, integers, one_scale, to_int32
from neonlab.int8.requantize import effective_scale, scheme_named
from neonlab.int8.rounding import half_away
from neonlab.int8.windows import MOST_PADDING

ACTIVATIONS: dict[str, tuple[float | None, float | None]] = {
    "none": (None, None),
    "relu": (0.0, None),
    "relu6": (0.0, 6.0),
    "relu_n1_to_1": (-1.0, 1.0),
}


def multiply(left: Operand, right: Operand) -> Int32s:
    """Return (a - Za) · (b - Zb), int32, shapes broadcast: accumulators to requantize by Sa · Sb / output scale.

    TFLite, TVM and QNNPACK do so, each with its own scheme.  Raises OperandError.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/mul.h; TVM src/relay/qnn/op/mul.cc.
    """
    a, b = centred_pair(left, right)
    return to_int32(a * b, "the product")


def multiply_onnxruntime(left: Operand, right: Operand, output_scale: float, output: Output) -> Integers:
    """Compute ONNX Runtime's QLinearMul: product of differences · (Sa · Sb / Sc) + zero point, rounded even.

    It is computed in float32.  Adding the zero point before rounding loses bits: next to midpoints it differs from
    requantizing by `onnxruntime`.  Raises OperandError.  Source: onnxruntime/core/mlas/lib/qlmul.cpp.
    """
    scale = effective_scale(left.scale, right.scale, output_scale, "float32").astype(np.float32)
    real = multiply(left, right).astype(np.float32) * scale + np.float32(output.zero_point)
    held = np.clip(real, np.float32(output.minimum), np.float32(output.maximum))
    return output.place(np.rint(held).astype(np.int64) - output.zero_point)


def rescale(operand: Operand, output_scale: float, output: Output, scheme: str = "gemmlowp") -> Integers:
    """Return `operand` with another scale, zero point or type: TFLite's int8 QUANTIZE, TVM's requantize.

    Any shape.  The ratio of the float32 scales is computed in float64.  `onnxruntime` has no ratio: floats are divided
    by the output scale, as its QLinearConcat does.  Raises OperandError.

    Source: tensorflow/lite/kernels/internal/reference/requantize.h; TVM src/relay/qnn/op/requantize.cc;
    onnxruntime/contrib_ops/cpu/quantization/qlinear_concat.cc.
    """
    if scheme == "onnxruntime":
        floats = dequantize(operand.values, operand.scale, operand.zero_point)
        return quantize(floats, output_scale, output, "even")
    ratio = float(one_scale(operand.scale, "the scale")) / float(one_scale(output_scale, "the output scale"))
    return scheme_named(scheme).requantize(operand.centred().astype(np.int32), ratio, output)


def concatenate(
    operands: Sequence[Operand], axis: int, output_scale: float, output: Output, scheme: str = "gemmlowp"
) -> Integers:
    """Join tensors along `axis`, each rescaled to the output first; one of the output's scale is not rounded.

    Raises OperandError for no tensors and for shapes that do not join.  Source: TVM src/relay/qnn/op/concatenate.cc.
    """
    if not operands:
        raise OperandError("nothing to concatenate")
    parts = [
        output.place(one.centred())
        if one_scale(one.scale, "a scale") == one_scale(output_scale, "the output scale")
        else rescale(one, output_scale, output, scheme)
        for one in operands
    ]
    try:
        return np.concatenate(parts, axis)
    except (ValueError, IndexError) as error:
        raise OperandError(f"the tensors cannot be concatenated: {error}") from None


def activation_range(activation: str, scale: float, output: Output) -> Output:
    """Return `output` narrowed to the range of none, relu, relu6 or relu_n1_to_1, at the output's own scale.

    A bound is zero point + round(bound / scale) in float32, ties away.  A fused activation is this clamp alone. Raises
    OperandError.  Source: `CalculateActivationRangeQuantized`, tensorflow/lite/kernels/kernel_util.cc.
    """
    if activation not in ACTIVATIONS:
        raise OperandError(f"no activation is called {activation}; there are {', '.join(ACTIVATIONS)}")
    step = one_scale(scale, "the scale")
    least, most = output.minimum, output.maximum
    low, high = (
        bound if bound is None else int(half_away(np.asarray(np.float32(bound) / step, np.float32))) + output.zero_point
        for bound in ACTIVATIONS[activation]
    )
    return replace(
        output,
        minimum=least if low is None else min(max(least, low), most),
        maximum=most if high is None else max(min(most, high), least),
    )


def clip(values: object, output: Output) -> Integers:
    """Return `values` (int8 or uint8, any shape) clamped to the range of `output`, scale and zero point unchanged.

    Raises OperandError.  With `activation_range` it is relu (max(q, zero point)) and relu6.
    """
    held = integers(values, "the values", output.dtype)
    return np.clip(held, output.minimum, output.maximum)


def pad(values: object, widths: Sequence[tuple[int, int]], zero_point: int) -> Integers:
    """Return `values` with (before, after) elements of the zero point added along each axis.

    Raises OperandError when the zero point does not fit the type, or the widths the shape.
    """
    array = integers(values, "the values")
    Output.of(array.dtype.name, zero_point)
    if len(widths) != array.ndim or not all(0 <= width <= MOST_PADDING for pair in widths for width in pair):
        raise OperandError(f"{len(widths)} pairs of padding, from 0 to {MOST_PADDING}, for {array.ndim} dimensions")
    return np.pad(array, widths, constant_values=zero_point)
