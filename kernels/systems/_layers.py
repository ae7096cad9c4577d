"""Layers of int8 networks in TVM's arithmetic (which is also ruy's), by kernels and by the reference.

Images are int8 [height, width, channels] with one zero point; weights have none, and a scale for each output channel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neonlab import Array, Calls
from neonlab.int8.arrays import Int32s, Output, wide
from neonlab.int8.convolution import conv2d, depthwise_conv2d, fully_connected
from neonlab.int8.fixed_point import Multiplier, multiply_once_rounded, tvm_multiplier
from neonlab.int8.windows import Window

from .._convolution import Convolution
from .._depthwise import pack_taps

#: Standard deviation, in steps, that scales are chosen to give an output.
_SPREAD = 45.0


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights (as the reference takes them), bias, multiplier of the sums, zero point of the input, and output."""

    weights: Array
    bias: Int32s
    multiplier: Multiplier
    zero_point: int
    output: Output
    stride: int = 1

    @property
    def window(self) -> Window:
        """The window of a 3x3 kernel: a pixel of padding before, and one after where the stride needs it."""
        after = 1 if self.stride == 1 else 0
        return Window((self.stride, self.stride), ((1, after), (1, after)))

    def parameters(self, sums_of_weights: Array) -> dict[str, Array]:
        """Return the parameters that kernels take for each output channel; the bias includes the input's zero point."""
        bias = wide(self.bias) - self.zero_point * wide(sums_of_weights)
        return {
            "bias": bias.astype(np.int32),
            "multipliers": self.multiplier.mantissa,
            "shifts": self.multiplier.exponent,
            "range": range_of(self.output),
        }

    def requantized(self, sums: Int32s) -> Array:
        """Requantize `sums`, int32 [..., channels], as the reference does."""
        return self.output.place(wide(multiply_once_rounded(sums, self.multiplier)))


def range_of(output: Output) -> Array:
    """Return an output's range as kernels take it."""
    return np.array([output.zero_point, output.minimum, output.maximum], np.int16)


def drawn(
    random: np.random.Generator, shape: tuple[int, ...], zero_point: int, output: Output, stride: int = 1
) -> Layer:
    """Draw a layer of random weights of that shape.

    Output channels are last in depthwise ones (3 dimensions), else first.  Scales bring sums of random inputs to about
    the output's range; each channel has its own.
    """
    channels = shape[-1] if len(shape) == 3 else shape[0]
    depth = int(np.prod(shape)) // channels
    weights = random.integers(-127, 127, shape, dtype=np.int8, endpoint=True)
    bias = random.integers(-2000, 2000, channels, dtype=np.int32)
    scales = random.uniform(0.7, 1.4, channels) * _SPREAD / (73 * 50 * np.sqrt(depth))
    return Layer(weights, bias, tvm_multiplier(scales), zero_point, output, stride)


def padded(calls: Calls, image: Array, value: int, before: int, after: int) -> Array:
    """Return the image with pixels of `value` around it, padded by the kernel."""
    height, width, channels = image.shape
    flat = calls(
        "pad_s8s8_rows_@", input=image, height=height, row=width * channels, input_pitch=width * channels,
        top=before, bottom=after, left=before * channels, right=after * channels, value=value,
    )["output"]  # fmt: skip
    return flat.reshape(height + before + after, width + before + after, channels)


def pointwise(calls: Calls, image: Array, layer: Layer, table: Array | None = None) -> Array:
    """Compute a 1x1 convolution by the kernel, its results looked up if there is a table; weights [out, in]."""
    height, width, ins = image.shape
    outs = len(layer.weights)
    flat = calls(
        f"conv1x1_s8s8_hwc_@_ruy{'' if table is None else '_lut'}", input=image, weights=layer.weights,
        pixels=height * width, in_channels=ins, out_channels=outs, **({} if table is None else {"table": table}),
        **layer.parameters(layer.weights.sum(axis=1, dtype=np.int64)),
    )["output"]  # fmt: skip
    return flat[: height * width * outs].reshape(height, width, outs)


def pointwise_expected(image: Array, layer: Layer) -> Array:
    """Compute the 1x1 convolution of `pointwise` by the reference."""
    weights = layer.weights[:, np.newaxis, np.newaxis, :]
    return layer.requantized(conv2d(image[np.newaxis], weights, layer.zero_point, 0, layer.bias)[0])


def convolution(calls: Calls, image: Array, layer: Layer) -> Array:
    """Compute a 3x3 convolution, padded, by kernels; weights [out, 3, 3, in]."""
    outs, _, _, ins = layer.weights.shape
    (before, after), _ = layer.window.padding
    wide_image = padded(calls, image, layer.zero_point, before, after)
    height, width = layer.window.output_size(image.shape[:2], (3, 3))
    name = f"conv3x3{'s2' if layer.stride == 2 else ''}_s8s8_hwc_@{'_ic3' if ins == 3 else ''}_ruy"
    kernel = calls.kernel(name)
    assert isinstance(kernel.operator, Convolution)
    rows = layer.weights.reshape(outs, 3, 3 * ins)
    flat = calls(
        name, input=wide_image, height=height, width=width, in_channels=ins, out_channels=outs,
        weights=kernel.operator.pack(rows, kernel.contract.argument("weights").layout),
        input_pitch=wide_image.shape[1] * ins, output_pitch=width * outs,
        **layer.parameters(layer.weights.sum(axis=(1, 2, 3), dtype=np.int64)),
    )["output"]  # fmt: skip
    return flat[: height * width * outs].reshape(height, width, outs)


def convolution_expected(image: Array, layer: Layer) -> Array:
    """Compute the 3x3 convolution of `convolution` by the reference."""
    sums = conv2d(image[np.newaxis], layer.weights, layer.zero_point, 0, layer.bias, layer.window)
    return layer.requantized(sums[0])


def depthwise(calls: Calls, image: Array, layer: Layer) -> Array:
    """Compute a depthwise 3x3 convolution, padded, by kernels; weights [3, 3, channels]."""
    channels = image.shape[2]
    (before, after), _ = layer.window.padding
    wide_image = padded(calls, image, layer.zero_point, before, after)
    height, width = layer.window.output_size(image.shape[:2], (3, 3))
    name = f"dwconv3x3{'s2' if layer.stride == 2 else ''}_s8s8_hwc_@_ruy"
    flat = calls(
        name, input=wide_image, height=height, width=width, channels=channels,
        weights=pack_taps(layer.weights, calls.kernel(name).contract.argument("weights").layout),
        input_pitch=wide_image.shape[1] * channels, output_pitch=width * channels,
        **layer.parameters(layer.weights.sum(axis=(0, 1), dtype=np.int64)),
    )["output"]  # fmt: skip
    return flat[: height * width * channels].reshape(height, width, channels)


def depthwise_expected(image: Array, layer: Layer) -> Array:
    """Compute the depthwise convolution of `depthwise` by the reference."""
    sums = depthwise_conv2d(image[np.newaxis], layer.weights, layer.zero_point, 0, layer.bias, layer.window)
    return layer.requantized(sums[0])


def classifier(calls: Calls, values: Array, layer: Layer) -> Array:
    """Compute a fully connected layer by the kernel; weights [out, in]."""
    outs, depth = layer.weights.shape
    flat = calls(
        "gemv_s8s8_rows_@_ruy", weights=layer.weights, input=values, rows=outs, depth=depth,
        **layer.parameters(layer.weights.sum(axis=1, dtype=np.int64)),
    )["output"]  # fmt: skip
    return flat[:outs]


def classifier_expected(values: Array, layer: Layer) -> Array:
    """Compute the fully connected layer of `classifier` by the reference."""
    return layer.requantized(fully_connected(values, layer.weights, layer.zero_point, 0, layer.bias))
