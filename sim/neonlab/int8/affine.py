"""Convert between real numbers and 8-bit integers: scale and zero point from a range, quantize, dequantize.

A quantized tensor stands for `scale · (q - zero_point)`.  Moving averages give ranges over batches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neonlab.int8.arrays import (
    LEAST_SCALE,
    Floats,
    Integers,
    OperandError,
    Output,
    check_broadcast,
    finite,
    finite_single,
    integer,
    integers,
    limits,
    number,
    one_scale,
    single_scale,
)
from neonlab.int8.rounding import Reals, half_away, rounded


@dataclass(frozen=True, slots=True)
class Affine:
    """Scale (a real per step, > 0) and zero point of a tensor, and the integer type that holds it."""

    scale: float
    zero_point: int
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        one_scale(self.scale, "the scale")
        Output.of(self.dtype, self.zero_point)


def affine_from_range(minimum: float, maximum: float, dtype: str = "uint8") -> Affine:
    """Return parameters that cover [minimum, maximum], widened to hold 0, with an integer zero point.

    Zero is then represented exactly.  The range [0, 0], or one too narrow for a float32 scale, gets scale 1.  Raises
    OperandError when minimum > maximum or one is not finite.

    Source: `ChooseQuantizationParams` of gemmlowp/doc/quantization_example.cc (float scale, the zero point from the
    double); Jacob et al. 2018, section 3.
    """
    low, high = (number(end, "the range") for end in (minimum, maximum))
    if low > high:
        raise OperandError(f"the range {low} to {high} is empty")
    least, most = limits(dtype)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / (most - least)
    if scale < LEAST_SCALE:
        return Affine(1.0, max(least, 0), dtype)
    nudged = half_away(np.clip(np.array(least - low / scale), least, most))
    return Affine(float(one_scale(scale, "the scale")), int(nudged), dtype)


def quantize(
    reals: object,
    scale: object,
    output: Output,
    rounding: str = "away",
    *,
    reciprocal: bool = False,
    random: np.random.Generator | None = None,
) -> Integers:
    """Return `round(real / scale) + zero point`, clamped: float32 in any shape → the output's type.

    scale: > 0, a number or per channel (broadcasts).  rounding: away (TFLite, ncnn), even (ONNX, QNNPACK), up or
    stochastic (with `random`).  reciprocal: multiply by the float32 1 / scale instead of dividing, as QNNPACK and ncnn
    do.  Computed in float32.  Raises OperandError.

    Source: tensorflow/lite/kernels/internal/reference/quantize.h; ONNX's QuantizeLinear; ncnn src/layer/quantize.cpp.
    """
    values = finite_single(reals, "the reals")
    scales = single_scale(scale, "the scale")
    check_broadcast(scales, values.shape, "the scale")
    with np.errstate(over="ignore"):  # an infinity is clamped as it should be
        steps: Reals = values * (np.float32(1) / scales) if reciprocal else values / scales
    return _place(rounded(steps, rounding, random), output)


def quantize_ncnn(reals: object, factor: object, minimum: int = -127, maximum: int = 127) -> Integers:
    """Return `round(real · factor)`, midpoints away from 0, clamped: float32 in any shape → int8.

    factor: ncnn's scale, > 0, which multiplies: a number, or an array that broadcasts.  The product is a float32.  What
    does not fit an int is clamped, as on Arm; C leaves it undefined.  Raises OperandError.

    Source: ncnn src/layer/quantize.cpp, `float2int8`.
    """
    values = finite_single(reals, "the reals")
    factors = single_scale(factor, "the scale")
    check_broadcast(factors, values.shape, "the scale")
    with np.errstate(over="ignore"):  # an infinity is clamped as it should be
        steps: Reals = values * factors
    return _place(half_away(steps), Output(0, minimum, maximum))


def quantize_gemmlowp(reals: object, affine: Affine) -> Integers:
    """Compute gemmlowp's `round(clamp(zero point + real / scale))`: the zero point added before rounding away.

    float32 in any shape → the type of `affine`.  It differs from `quantize` at negative midpoints, and where adding the
    zero point in float32 loses bits.  Source: gemmlowp/doc/quantization_example.cc.  Raises OperandError.
    """
    values = finite_single(reals, "the reals")
    least, most = limits(affine.dtype)
    with np.errstate(over="ignore"):
        shifted = np.float32(affine.zero_point) + values / np.float32(affine.scale)
    return half_away(np.clip(shifted, np.float32(least), np.float32(most))).astype(affine.dtype)


def dequantize(values: object, scale: object, zero_point: int = 0, bias: object = 0.0) -> NDArray[np.float32]:
    """Return `scale · (q - zero_point) + bias` in float32, multiplied then added; integers of any type and shape.

    scale and bias broadcast ([channels] when channels are last).  With a bias and zero point 0 it is ncnn's
    `dequantize` of int32 accumulators.  Raises OperandError.  Source: ncnn src/layer/dequantize.cpp; ONNX's
    DequantizeLinear.
    """
    point = integer(zero_point, "the zero point")
    steps = (integers(values, "the values").astype(np.int64) - point).astype(np.float32)
    scales, offset = single_scale(scale, "the scale"), finite_single(bias, "the bias")
    check_broadcast(scales, steps.shape, "the scale")
    check_broadcast(offset, steps.shape, "the bias")
    with np.errstate(over="ignore"):
        real = steps * scales + offset
    return finite_single(real, "the result")


def symmetric_scale(reals: object, axis: int | None = None, steps: int = 127) -> Floats:
    """Return `max |x| / steps`, the scale that maps [-max, max] to -steps…steps; one, or one per index of `axis`.

    ncnn stores the reciprocal.  All zeros get scale 1.  `steps` is 31 for ncnn's 3×3 Winograd weights.  Raises
    OperandError for values that are not finite, an axis that does not exist and steps below 1.

    Source: ncnn tools/quantize/ncnn2table.cpp.
    """
    values = finite(reals, "the reals")
    if steps < 1 or (axis is not None and not -values.ndim <= axis < values.ndim):
        raise OperandError(f"steps must be 1 or more and the axis one of {values.ndim}: got {steps} steps, axis {axis}")
    kept = None if axis is None else axis % values.ndim
    others = tuple(index for index in range(values.ndim) if index != kept) if kept is not None else None
    largest = np.abs(values).max(axis=others, initial=0.0)
    return np.where(largest == 0, 1.0, largest / steps)


def quantize_symmetric(reals: object, scale: object, minimum: int = -127) -> NDArray[np.int8]:
    """Compute ncnn's `float2int8(x · s)`: float32 product, rounded half away, clamped to minimum…127; s is 1 / scale.

    scale: > 0, in reals per step, broadcasts.  ncnn clamps at -127 now and clamped at -128 in 2018.  Any shape. Raises
    OperandError.  Source: ncnn src/layer/quantize.cpp.
    """
    return quantize(reals, scale, Output(0, minimum, 127), reciprocal=True).astype(np.int8)


def extremes(reals: object) -> Floats:
    """Return the least and the greatest of a batch of any shape, float64 [2].

    Raises OperandError for an empty batch and for values that are not finite.
    """
    values = finite(reals, "the batch")
    if not values.size:
        raise OperandError("the batch is empty")
    return np.stack([values.min(), values.max()])


@dataclass(frozen=True, slots=True)
class MovingRange:
    """Range of a tensor over training batches, smoothed exponentially (Jacob et al. 2018, section 3.1).

    The first batch sets the range; later ones pull it by 1 - decay.  `settled` says that more than `delay` batches were
    seen; before that, the paper leaves activations unquantized.
    """

    decay: float = 0.99
    delay: int = 0
    batches: int = 0
    minimum: float = 0.0
    maximum: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.decay < 1 or self.delay < 0:
            raise OperandError(f"a decay of {self.decay} is not in [0, 1), or a delay of {self.delay} is below 0")

    def updated(self, reals: object) -> MovingRange:
        """Return the range after one more batch, of any shape.  Raises OperandError for an empty or non-finite one."""
        low, high = (float(end) for end in extremes(reals))
        if self.batches:
            low = self.decay * self.minimum + (1 - self.decay) * low
            high = self.decay * self.maximum + (1 - self.decay) * high
        return replace(self, batches=self.batches + 1, minimum=low, maximum=high)

    @property
    def settled(self) -> bool:
        """Tell whether enough batches have been seen to quantize."""
        return self.batches > self.delay

    def affine(self, dtype: str = "uint8") -> Affine:
        """Return parameters that cover the range.  Raises OperandError before any batch."""
        if not self.batches:
            raise OperandError("no batch has been seen yet")
        return affine_from_range(self.minimum, self.maximum, dtype)


def _place(steps: Reals, output: Output) -> Integers:
    least, most = output.minimum - output.zero_point, output.maximum - output.zero_point
    return output.place(np.clip(steps, least, most).astype(np.int64))
