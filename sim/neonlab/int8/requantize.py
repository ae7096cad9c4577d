"""Requantize int32 accumulators to 8 bits: the schemes of the field behind one interface.

`SCHEMES["gemmlowp"].requantize(accumulators, scale, output)` multiplies by `scale` (input scale · weight scale / output
scale), rounds, adds the zero point and clamps, exactly as that library does.  The schemes differ in the width of the
multiplier (31 bits, or the 24 of a float32), in how often and how the product is rounded, and at midpoints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonlab.int8 import fixed_point
from neonlab.int8.arrays import (
    LEAST_SCALE,
    Floats,
    Int32s,
    Int64s,
    Integers,
    OperandError,
    Output,
    check_broadcast,
    finite_single,
    integers,
    positive,
    single_scale,
    wide,
)
from neonlab.int8.rounding import half_away

_MAGIC = np.float32(12582912.0)  # 1.5 · 2^23: adding it leaves a float32's integer part in its low mantissa bits
_MAGIC_BITS = 0x4B400000

Apply = Callable[[Int32s, Floats, Output], Int64s]


@dataclass(frozen=True, slots=True)
class Scheme:
    """One library's way.  `rounding` says how often it rounds and where midpoints go; `source` says where that is."""

    name: str
    rounding: str
    source: str
    apply: Apply
    limit: float = 2.0**30  # scales must be less

    def requantize(self, accumulators: object, scale: object, output: Output) -> Integers:
        """Return requantized accumulators, of the output's integer type, in the accumulators' shape.

        accumulators: int32, any shape, bias included.  scale: > 0, a number or an array that broadcasts against the
        accumulators ([channels] when channels are last).  Raises OperandError for other types, and for scales that the
        library refuses too.
        """
        sums = integers(accumulators, "accumulators", "int32")
        scales = positive(scale, "the scale")
        if scales.size and not (scales.max() < self.limit and scales.min() >= LEAST_SCALE):
            raise OperandError(f"{self.name} takes scales of 2^-60 to below {self.limit:g}, not {scale}")
        check_broadcast(scales, sums.shape, "the scale")
        return output.place(self.apply(sums.astype(np.int32), scales, output))


def effective_scale(
    input_scale: object, weight_scale: object, output_scale: object, precision: str = "float64"
) -> Floats:
    """Return input scale · weight scale / output scale, from float32 scales, as float64.

    It is computed in float64, as in TFLite, or in float32, as in QNNPACK and ONNX Runtime.  weight_scale may hold one
    scale per channel.  Raises OperandError.
    """
    width = {"float64": np.float64, "float32": np.float32}.get(precision)
    if width is None:
        raise OperandError(f"scales are multiplied in float64 or float32, not {precision}")
    named = ((input_scale, "the input scale"), (weight_scale, "the weight scale"), (output_scale, "the output scale"))
    inputs, weights, outputs = (single_scale(scale, name).astype(width) for scale, name in named)
    try:
        with np.errstate(all="ignore"):
            product = np.asarray(inputs * weights / outputs, np.float64)
    except ValueError:
        raise OperandError(f"scales of shapes {inputs.shape}, {weights.shape} and {outputs.shape} do not fit") from None
    single_scale(product, "the effective scale")
    return product


def ncnn_sum_scale(input_scale: object, weight_scale: object) -> NDArray[np.float32]:
    """Return what ncnn multiplies sums by, 1 / (input scale · weight scale), in float32; its scales multiply.

    weight_scale may hold one scale per channel.  Raises OperandError.  Source: ncnn src/layer/convolution.cpp,
    `forward_int8`.
    """
    inputs, weights = single_scale(input_scale, "the input scale"), single_scale(weight_scale, "the weight scale")
    with np.errstate(all="ignore"):
        found = np.asarray(np.float32(1) / (inputs * weights), np.float32)
    return single_scale(found, "the scale of the sums")


def ncnn_requantize(
    accumulators: object, scale_in: object, scale_out: object, bias: object, output: Output
) -> Integers:
    """Compute ncnn's fused layer: float32 `(sum · scale_in + bias) · scale_out`, rounded half away, clamped.

    accumulators: int32 [..., channels]; scale_in: 1 / (input scale · weight scale) in ncnn's terms (its scales multiply
    to quantize), a number or [channels]; scale_out likewise; bias: float32 [channels] or 0.  ncnn clamps to -127…127.
    Raises OperandError.

    Source: src/layer/requantize.cpp, which multiplies and adds separately (SIMD builds may fuse).
    """
    sums = integers(accumulators, "accumulators", "int32").astype(np.float32)
    first, second = single_scale(scale_in, "scale_in"), single_scale(scale_out, "scale_out")
    offset = finite_single(bias, "the bias")
    for values, name in ((first, "scale_in"), (second, "scale_out"), (offset, "the bias")):
        check_broadcast(values, sums.shape, name)
    with np.errstate(over="ignore"):  # an infinity is clamped as it should be
        real = (sums * first + offset) * second
    return output.place(_held(half_away(real), output))


def _fixed(
    multiply: Callable[[Integers, fixed_point.Multiplier], Int32s],
    encode: Callable[[object], fixed_point.Multiplier] = fixed_point.quantize_multiplier,
) -> Apply:
    def apply(sums: Int32s, scale: Floats, _output: Output) -> Int64s:
        return multiply(sums, encode(scale)).astype(np.int64)

    return apply


def _tvm(rounding: str) -> Apply:
    return _fixed(
        lambda sums, multiplier: fixed_point.tvm_fixed_point_multiply(sums, multiplier, rounding),
        fixed_point.tvm_multiplier,
    )


def _held(values: NDArray[np.float32] | Floats, output: Output) -> Int64s:
    """Return floats as int64, clamped first, because casting a huge float is undefined."""
    return np.clip(values, output.minimum - output.zero_point, output.maximum - output.zero_point).astype(np.int64)


def _scaled(sums: Int32s, scale: Floats, output: Output) -> NDArray[np.float32]:
    product = sums.astype(np.float32) * scale.astype(np.float32)
    least, most = output.minimum - output.zero_point, output.maximum - output.zero_point
    return np.clip(product, np.float32(least), np.float32(most))


def _float_half_even(sums: Int32s, scale: Floats, output: Output) -> Int64s:
    return np.rint(_scaled(sums, scale, output)).astype(np.int64)


def _float_magic(sums: Int32s, scale: Floats, output: Output) -> Int64s:
    bits = (_scaled(sums, scale, output) + _MAGIC).view(np.int32)
    return bits.astype(np.int64) - _MAGIC_BITS


def _float_half_away(sums: Int32s, scale: Floats, output: Output) -> Int64s:
    return _held(half_away(sums.astype(np.float32) * scale.astype(np.float32)), output)


def _bits_of(scale: Floats, name: str) -> Int64s:
    single = scale.astype(np.float32)
    if not ((single < 1) & (single >= np.float32(2.0**-32))).all():
        raise OperandError(f"{name} takes scales from 2^-32 to below 1")
    return single.view(np.int32).astype(np.int64)


def _precise(sums: Int32s, scale: Floats, _output: Output) -> Int64s:
    bits = _bits_of(scale, "qnnpack-precise")
    mantissa, shift = (bits & 0x7FFFFF) | 0x800000, 127 + 23 - (bits >> 23)
    numbers = wide(sums)
    magnitude: Int64s = (np.abs(numbers) * mantissa + (np.int64(1) << (shift - 1))) >> shift
    return np.where(numbers < 0, -magnitude, magnitude)


def _q31(sums: Int32s, scale: Floats, _output: Output) -> Int64s:
    bits = _bits_of(scale, "qnnpack-q31")
    mantissa, shift = ((bits & 0x7FFFFF) | 0x800000) << 7, 127 + 31 - 32 - (bits >> 23)
    high = (wide(sums) * mantissa + (1 << 30)) >> 31
    mask = (np.int64(1) << shift) - 1
    lifted: Int64s = (high >> shift) + ((high & mask) - (high < 0) > (mask >> 1))
    return lifted


_RUY = "ruy/apply_multiplier.cc"
_QNNPACK = "QNNPACK src/requantization/"

SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("ruy", "once, up", _RUY, _fixed(fixed_point.multiply_once_rounded)),
        Scheme(
            "ruy-neon",
            "once, up (sqdmulh, srshl)",
            f"{_RUY}, comment",
            _fixed(fixed_point.multiply_truncating_then_rounding),
        ),
        Scheme(
            "tflite-single",
            "once, up",
            "tensorflow/lite/kernels/internal/common.cc, TFLITE_SINGLE_ROUNDING",
            _fixed(fixed_point.multiply_once_rounded),
        ),
        Scheme(
            "gemmlowp",
            "twice: up, then away",
            "gemmlowp/fixedpoint/fixedpoint.h; TFLite's default",
            _fixed(fixed_point.multiply_twice_rounded),
        ),
        Scheme("tvm-upward", "once, up", "TVM src/target/intrin_rule.cc", _tvm("UPWARD")),
        Scheme("tvm-tonearest", "once, away", "TVM src/relay/qnn/utils.cc", _tvm("TONEAREST")),
        Scheme(
            "tvm-arm",
            "twice: up, then up (sqrdmulh, srshl)",
            "TVM topi/arm_cpu/tensor_intrin.py; also LiteRT's optimised convolutions on x86",
            _fixed(fixed_point.multiply_twice_rounded_up, fixed_point.tvm_multiplier),
        ),
        Scheme(
            "qnnpack-fp32",
            "float32, then even",
            f"{_QNNPACK}fp32-scalar.c; XNNPACK, LiteRT's default",
            _float_half_even,
        ),
        Scheme("qnnpack-magic", "float32, then even (adds 1.5·2^23)", f"{_QNNPACK}fp32-scalar.c", _float_magic),
        Scheme("qnnpack-precise", "once, away; 24-bit multiplier", f"{_QNNPACK}precise-scalar.c", _precise, 1.0),
        Scheme("qnnpack-q31", "twice: up, then away; 24-bit multiplier", f"{_QNNPACK}q31-scalar.c", _q31, 1.0),
        Scheme("ncnn", "float32, then away", "ncnn src/layer/requantize.cpp", _float_half_away),
        Scheme(
            "onnxruntime",
            "float32, then even",
            "onnxruntime/core/mlas/lib/quantize.cpp, MlasRequantizeOutput",
            _float_half_even,
        ),
    )
}


def scheme_named(name: str) -> Scheme:
    """Return the scheme called `name`.  Raises OperandError, which names the schemes that exist."""
    try:
        return SCHEMES[name]
    except KeyError:
        raise OperandError(f"no requantization scheme is called {name}; there are {', '.join(SCHEMES)}") from None
