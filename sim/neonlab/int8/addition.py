"""Add two quantized tensors of different scales: TFLite's, TVM's, QNNPACK's, XNNPACK's and ONNX Runtime's ways.

Operands are int8 or uint8 of shapes that broadcast; scales are reals per step.  They round at different places: each
operand and the sum (TFLite), each operand (TVM), the sum alone (QNNPACK, XNNPACK), floats (ONNX Runtime).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neonlab.int8.arrays import Int64s, Integers, OperandError, Output, integers, one_scale, wide
from neonlab.int8.fixed_point import Multiplier, multiply_twice_rounded, quantize_multiplier
from neonlab.int8.matmul import check_zero_point
from neonlab.int8.requantize import scheme_named

_LEFT_SHIFT = 20


@dataclass(frozen=True, slots=True)
class Operand:
    """One input: its integers, scale (> 0) and zero point."""

    values: Integers
    scale: float
    zero_point: int = 0

    def centred(self) -> Int64s:
        """Return the integers minus the zero point.  Raises OperandError for other than int8 or uint8 tensors."""
        values = integers(self.values, "an operand", "int8", "uint8")
        check_zero_point(self.zero_point, values, "an operand's zero point")
        one_scale(self.scale, "an operand's scale")
        return wide(values) - self.zero_point


def centred_pair(left: Operand, right: Operand) -> tuple[Int64s, Int64s]:
    """Return both operands minus their zero points.

    Raises OperandError for wrong types, and for shapes that do not broadcast.
    """
    pair = left.centred(), right.centred()
    try:
        np.broadcast_shapes(pair[0].shape, pair[1].shape)
    except ValueError:
        raise OperandError(f"shapes {pair[0].shape} and {pair[1].shape} do not broadcast") from None
    return pair


@dataclass(frozen=True, slots=True)
class TfliteAddition:
    """The three multipliers of TFLite's add: of each input, shifted left by 20, and of their sum."""

    left: Multiplier
    right: Multiplier
    output: Multiplier


def tflite_addition(left_scale: float, right_scale: float, output_scale: float) -> TfliteAddition:
    """Return the multipliers of `add::Prepare`: scales over twice the larger, then that over 2^20 · output scale.

    The scales are float32, combined in float64.  Raises OperandError for scales that are not positive.

    Source: tensorflow/lite/kernels/add.cc.
    """
    left, right, out = (float(one_scale(s, "a scale")) for s in (left_scale, right_scale, output_scale))
    twice = 2 * max(left, right)
    return TfliteAddition(
        quantize_multiplier(left / twice),
        quantize_multiplier(right / twice),
        quantize_multiplier(twice / ((1 << _LEFT_SHIFT) * out)),
    )


def add_tflite(left: Operand, right: Operand, output_scale: float, output: Output) -> Integers:
    """Compute TFLite's int8 and uint8 add: both inputs scaled to a common int32, summed, and scaled.

    It rounds three times, as gemmlowp does.  Raises OperandError.  Source:
    tensorflow/lite/kernels/internal/reference/add.h.
    """
    ways = tflite_addition(left.scale, right.scale, output_scale)
    scaled = [
        wide(multiply_twice_rounded(side << _LEFT_SHIFT, multiplier))
        for side, multiplier in zip(centred_pair(left, right), (ways.left, ways.right), strict=True)
    ]
    return output.place(wide(multiply_twice_rounded(scaled[0] + scaled[1], ways.output)))


def add_tvm(left: Operand, right: Operand, output_scale: float, output: Output, scheme: str = "tvm-upward") -> Integers:
    """Compute TVM's qnn.add: each input requantized to the output's scale in int32, summed, clamped once.

    An input whose scale equals the output's is not rounded.  `scheme`: tvm-upward (its default), tvm-tonearest or
    tvm-arm.  Raises OperandError.  Source: src/relay/qnn/op/add.cc.
    """
    int32 = Output.of("int32")
    total = [
        wide(scheme_named(scheme).requantize(side.astype(np.int32), _ratio(scale, output_scale), int32))
        for side, scale in zip(centred_pair(left, right), (left.scale, right.scale), strict=True)
    ]
    return output.place(total[0] + total[1])


def add_qnnpack(left: Operand, right: Operand, output_scale: float, output: Output) -> Integers:
    """Compute QNNPACK's add: 22-bit multipliers that share one shift, one rounding of the sum, ties away from zero.

    Raises OperandError unless both input scales over the output's are from 2^-14 to below 2^8.

    Source: QNNPACK src/qnnpack/params.h and src/q8vadd/.
    """
    total, shift = _sum_of_products(left, right, output_scale, 22, -14)
    mask = (1 << shift) - 1
    return output.place((total >> shift) + ((total & mask) - (total < 0) > mask >> 1))


def add_xnnpack(left: Operand, right: Operand, output_scale: float, output: Output) -> Integers:
    """Compute XNNPACK's add, LiteRT's default: 21-bit multipliers, one rounding of the sum, ties up.

    Raises OperandError unless both input scales over the output's are from 2^-10 to below 2^8.

    Source: XNNPACK src/microparams-init.c, `xnn_init_qs8_add_minmax_scalar_params`.
    """
    total, shift = _sum_of_products(left, right, output_scale, 21, -10)
    return output.place((total + (1 << (shift - 1))) >> shift)


def add_onnxruntime(left: Operand, right: Operand, output_scale: float, output: Output) -> Integers:
    """Compute ONNX Runtime's QLinearAdd: `round_even(a · Sa/Sc + (b · Sb/Sc + fixed))` in float32.

    `fixed` is `Zc - (Sa/Sc · Za + (Sb/Sc · Zb))`, of which the inner product alone is rounded by itself: other products
    are fused with additions, as compilers do for machines with FMA.  Without FMA, a sum next to a midpoint may round to
    its other side.  Raises OperandError.

    Source: onnxruntime/core/mlas/lib/intrinsics/avx2/qladd_avx2.cpp.
    """
    centred_pair(left, right)
    single = np.float32
    out = one_scale(output_scale, "the output scale")
    ratios = [single(side.scale) / out for side in (left, right)]
    second = np.float64(ratios[1] * single(right.zero_point))
    fixed = single(output.zero_point) - single(np.float64(ratios[0]) * left.zero_point + second)
    total = np.asarray(fixed, np.float64)
    for side, ratio in ((right, ratios[1]), (left, ratios[0])):
        total = (side.values.astype(np.float64) * np.float64(ratio) + total).astype(np.float32).astype(np.float64)
    return output.place(np.rint(np.clip(total, -(2.0**31), 2.0**31 - 1)).astype(np.int64) - output.zero_point)


def _ratio(scale: float, output_scale: float) -> float:
    return float(np.float32(scale)) / float(one_scale(output_scale, "the output scale"))


def xnnpack_addition(left_scale: float, right_scale: float, output_scale: float) -> tuple[tuple[int, int], int]:
    """Return XNNPACK's multipliers of both inputs, of at most 21 bits, and the shift to the right of their sum.

    Raises OperandError as `add_xnnpack` does.
    """
    return _weights(left_scale, right_scale, output_scale, 21, -10)


def _weights(
    left_scale: float, right_scale: float, output_scale: float, bits: int, least: int
) -> tuple[tuple[int, int], int]:
    out = one_scale(output_scale, "the output scale")
    ratios = [np.float32(scale) / out for scale in (left_scale, right_scale)]
    if not all(2.0**least <= ratio < 2.0**8 for ratio in ratios):
        raise OperandError(f"this add takes inputs of scales 2^{least} to 2^8 of the output's, not {ratios}")
    shift = bits - int(np.frexp(max(ratios))[1])
    first, second = (int(np.rint(np.ldexp(ratio, shift))) for ratio in ratios)
    return (first, second), shift


def _sum_of_products(left: Operand, right: Operand, output_scale: float, bits: int, least: int) -> tuple[Int64s, int]:
    """Return the sum of both inputs times their scales over the output's, in integers, and the shift back.

    The scaled weights have at most `bits` bits.
    """
    sides = centred_pair(left, right)
    weights, shift = _weights(left.scale, right.scale, output_scale, bits, least)
    return sides[0] * weights[0] + sides[1] * weights[1], shift
