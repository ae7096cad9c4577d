"""Pool [n, height, width, channels] by maximum or average; global pooling has a kernel of the image's size.

Input and output share scale and zero point, except where an `Output` is asked for.
"""

from __future__ import annotations

import numpy as np

from neonlab.int8.affine import Affine
from neonlab.int8.arrays import Int32s, Integers, OperandError, Output, integers, limits, one_scale, wide
from neonlab.int8.fixed_point import Multiplier, multiply_twice_rounded, quantize_multiplier
from neonlab.int8.requantize import scheme_named
from neonlab.int8.windows import Pair, Window


def max_pool(image: object, kernel: Pair, window: Window | None = None) -> Integers:
    """Return the maximum of each window; padding never wins.  int8 or uint8 [n, h, w, c] → [n, oh, ow, c].

    Raises OperandError for other types and shapes, and where a window would hold nothing but padding.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/pooling.h.
    """
    x, way = _checked(image, kernel, window)
    return np.asarray(way.patches(x, kernel, limits(x.dtype)[0]).max(axis=(3, 4)))


def pool_sums(image: object, kernel: Pair, window: Window | None = None, zero_point: int = 0) -> tuple[Int32s, Int32s]:
    """Return sums int32 [n, oh, ow, c] of q - zero_point, and the number of real pixels, int32 [oh, ow].

    Padding counts as 0.  Raises OperandError as `max_pool`.
    """
    x, way = _checked(image, kernel, window)
    sums = way.patches(wide(x) - zero_point, kernel, 0).sum(axis=(3, 4))
    return sums.astype(np.int32), way.pixels((x.shape[1], x.shape[2]), kernel)


def average_pool(image: object, kernel: Pair, window: Window | None = None, rounding: str = "away") -> Integers:
    """Return the mean of the raw integers of each window, without padding, in integers.

    rounding: `away`, (sum ± count/2) / count truncated, is TFLite's; `truncate`, towards zero, is TVM's.  Types and
    errors are as in `max_pool`.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/pooling.h; TVM's relay/qnn/op/avg_pool2d.cc.
    """
    x = integers(image, "the image", "int8", "uint8")
    sums, counts = pool_sums(x, kernel, window)
    total, count = wide(sums), wide(counts)[None, :, :, None]
    if rounding not in ("away", "truncate"):
        raise OperandError(f"averages round away or truncate, not {rounding}")
    lifted = np.abs(total) + (count // 2 if rounding == "away" else 0)
    return (np.sign(total) * (lifted // count)).astype(x.dtype)


def average_pool_requantized(
    image: object,
    kernel: Pair,
    zero_point: int,
    ratio: float,
    output: Output,
    window: Window | None = None,
    scheme: str = "qnnpack-fp32",
    *,
    count_padding: bool = True,
) -> Integers:
    """Return the mean by requantizing the sum: scale = ratio / count, ratio = input scale / output scale.

    This is how QNNPACK and PyTorch (qnnpack-fp32, padding counted) and ONNX Runtime's QLinearGlobalAveragePool
    (onnxruntime) do it. The scale is the float32 quotient.  Errors are as in `max_pool`.
    """
    sums, counts = pool_sums(image, kernel, window, zero_point)
    count = np.full(counts.shape, kernel[0] * kernel[1], np.int32) if count_padding else counts
    scale = np.float32(ratio) / count.astype(np.float32)
    return scheme_named(scheme).requantize(sums, np.broadcast_to(scale[None, :, :, None], sums.shape), output)


def mean_tflite(sums: Integers, count: int, scale: float, output: Output) -> Integers:
    """Return the means of `count` numbers, of sums without zero point: the multiplier of `scale` over the count.

    `scale` is that of the input over that of the output.  The quotient of the multiplier is cut off, and rounded twice
    as in gemmlowp.  Raises OperandError for a scale of 2^31 or more.

    Source: tensorflow/lite/kernels/internal/reference/reduce.h, `QuantizedMeanOrSum`.
    """
    whole = quantize_multiplier(scale)
    exponent = int(whole.exponent)
    shift = min(count.bit_length() - 1, 32, 31 + exponent)
    mantissa = np.array((int(whole.mantissa) << shift) // count, np.int32)
    part = Multiplier(mantissa, np.array(exponent - shift, np.int32))
    return output.place(wide(multiply_twice_rounded(sums, part)))


def mean_xnnpack(sums: Integers, count: int, scale: float, output: Output) -> Integers:
    """Return the means of `count` numbers as `mean_tflite` takes them: floats, rounded to even with the zero point.

    Source: XNNPACK src/qs8-rdsum/; its scale is the float32 quotient of the scales times that of 1 and the count.
    """
    single = np.float32(scale) * (np.float32(1) / np.float32(count))
    reals = sums.astype(np.float32) * single + np.float32(output.zero_point)
    return output.place(np.rint(np.clip(reals, -1024, 1024)).astype(np.int64) - output.zero_point)


def average_pool_onnxruntime(
    image: object,
    kernel: Pair,
    source: Affine,
    scale: float,
    output: Output,
    window: Window | None = None,
    *,
    count_padding: bool = False,
) -> Integers:
    """Return the mean of floats, quantized: float32 sums in the order of the window, rounded with the zero point in.

    A tie goes to the even number that includes the output's zero point.  `scale` is the output's.  Types and errors are
    as in `max_pool`.

    Source: onnxruntime/contrib_ops/cpu/quantization/qlinear_pool.cc, `QLinearPool2DTask`, `quantize_value`.
    """
    x, way = _checked(image, kernel, window)
    reals = np.float32(source.scale) * (wide(x) - source.zero_point).astype(np.float32)
    taps = way.patches(reals, kernel, 0)
    n, height, width, _, _, channels = taps.shape
    in_order = taps.reshape(n, height, width, kernel[0] * kernel[1], channels)
    sums = np.add.accumulate(in_order, axis=3, dtype=np.float32)[:, :, :, -1]
    counts = np.array(kernel[0] * kernel[1]) if count_padding else way.pixels((x.shape[1], x.shape[2]), kernel)
    means = sums / counts[..., None].astype(np.float32)
    with np.errstate(over="ignore"):  # an infinite quotient saturates
        found = np.rint(means / one_scale(scale, "the scale") + np.float32(output.zero_point))
    return np.clip(found, output.minimum, output.maximum).astype(output.dtype)


def _checked(image: object, kernel: Pair, window: Window | None) -> tuple[Integers, Window]:
    x, way = integers(image, "the image", "int8", "uint8"), window or Window()
    if x.ndim != 4 or min(kernel) < 1:
        raise OperandError(f"wanted an image [n, h, w, c] and a kernel of at least 1x1, not {x.shape} and {kernel}")
    height, width = way.output_size(x.shape[1:3], kernel)
    for axis, (outputs, taps) in enumerate(zip((height, width), kernel, strict=True)):
        starts = np.arange(outputs)[:, None] * way.stride[axis] - way.padding[axis][0]
        pixels = starts + np.arange(taps) * way.dilation[axis]
        if not ((pixels >= 0) & (pixels < x.shape[1 + axis])).any(axis=1).all():
            raise OperandError(
                f"with padding {way.padding} a window of {kernel[0]}x{kernel[1]} lies entirely in the padding"
            )
    return x, way
