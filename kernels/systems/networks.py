"""Parts of networks and a whole one, layer after layer in TVM's arithmetic, with random weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from neonlab import Array, Calls, Outcome, System
from neonlab.int8.activation import TANH_OUTPUT, sigmoid, table_of
from neonlab.int8.addition import Operand, add_tvm
from neonlab.int8.affine import Affine, dequantize, quantize
from neonlab.int8.arrays import Output
from neonlab.int8.elementwise import multiply, rescale
from neonlab.int8.fixed_point import tvm_multiplier
from neonlab.int8.pooling import average_pool, max_pool
from neonlab.int8.requantize import effective_scale, scheme_named
from neonlab.int8.windows import Window

from ._layers import (
    Layer,
    classifier,
    classifier_expected,
    convolution,
    convolution_expected,
    depthwise,
    depthwise_expected,
    drawn,
    pointwise,
    pointwise_expected,
)

_LINEAR = Output(-3)
#: With relu fused: nothing below the zero point.
_RELU = Output(-100, -100, 127)
Way = Callable[[Calls, Array, Layer], Array]


class Part(System):
    """A part of a network, whose layers and input are drawn with a seed."""

    system = "TVM"

    def __init__(self, title: str, way: Callable[[Calls, np.random.Generator], tuple[Array, Array]]) -> None:
        self.title, self._way = title, way

    def run(self, calls: Calls) -> Outcome:
        return Outcome(*self._way(calls, np.random.default_rng(6)))


def _image(random: np.random.Generator, *shape: int) -> Array:
    return random.integers(-128, 127, shape, dtype=np.int8, endpoint=True)


def _added(calls: Calls, left: Operand, right: Operand, scale: float, output: Output) -> tuple[Array, Array]:
    """Return the sum of two images, by the kernel and by the reference."""
    ways = [tvm_multiplier(effective_scale(side.scale, 1.0, scale)) for side in (left, right)]
    points = [left.zero_point, right.zero_point, output.zero_point, output.minimum, output.maximum]
    flat = calls(
        "add_s8s8_flat_@_tvm", a=left.values, b=right.values, count=left.values.size,
        points=np.array(points, np.int16), multipliers=np.array([way.mantissa for way in ways], np.int32),
        shifts=np.array([way.exponent for way in ways], np.int32),
    )["output"]  # fmt: skip
    return flat.reshape(left.values.shape), add_tvm(left, right, scale, output)


def _inverted_residual(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a block of MobileNet v2: widened, depthwise, narrowed without activation, and the input added."""
    layers = [
        drawn(random, (96, 24), 5, _RELU),
        drawn(random, (3, 3, 96), _RELU.zero_point, _RELU),
        drawn(random, (24, 96), _RELU.zero_point, _LINEAR),
    ]
    got = expected = image = _image(random, 14, 14, 24)
    for layer, way, reference in zip(
        layers,
        (pointwise, depthwise, pointwise),
        (pointwise_expected, depthwise_expected, pointwise_expected),
        strict=True,
    ):
        got, expected = way(calls, got, layer), reference(expected, layer)
    shortcut = Operand(image, 0.05, 5)
    found, _ = _added(calls, shortcut, Operand(got, 0.07, -3), 0.09, Output(2))
    return found, add_tvm(shortcut, Operand(expected, 0.07, -3), 0.09, Output(2))


def _basic_block(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a block of ResNet: two 3x3 convolutions, the input added, then relu."""
    layers = [drawn(random, (16, 3, 3, 16), 9, _RELU), drawn(random, (16, 3, 3, 16), _RELU.zero_point, _LINEAR)]
    got = expected = image = _image(random, 16, 16, 16)
    for layer in layers:
        got, expected = convolution(calls, got, layer), convolution_expected(expected, layer)
    shortcut, target = Operand(image, 0.04, 9), Output(-20)
    found, _ = _added(calls, shortcut, Operand(got, 0.05, -3), 0.08, target)
    rectified = calls("relu_s8s8_flat_@", input=found, count=found.size, zero=np.array([-20], np.int8))["output"]
    total = add_tvm(shortcut, Operand(expected, 0.05, -3), 0.08, target)
    return rectified.reshape(image.shape), np.maximum(total, np.int8(-20))


def _inception(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run two branches of GoogLeNet side by side: 1x1 and pooled, each with its own scale."""
    image, layer = _image(random, 14, 14, 32), drawn(random, (24, 32), 0, _LINEAR)
    branches = [pointwise(calls, image, layer)]
    pooled = calls(
        "maxpool3x3s2_s8s8_hwc_@", input=image, height=7, width=7, channels=32, input_pitch=14 * 32,
        output_pitch=7 * 32, top=1, left=1, bottom=0, right=0,
    )["output"]  # fmt: skip
    branches = [branches[0][::2, ::2].copy(), pooled.reshape(7, 7, 32)]
    one = pointwise_expected(image, layer)[::2, ::2]
    other = max_pool(image[np.newaxis], (3, 3), Window((2, 2), ((1, 0), (1, 0))))[0]
    target, scale, kinds = Output(4), 0.1, ((0.06, -3), (0.08, 0))
    got = np.zeros((49, 56), np.int8)
    expected = np.zeros((7, 7, 56), np.int8)
    at = 0
    for branch, reference, (own, zero) in zip(branches, (one, other), kinds, strict=True):
        channels = branch.shape[2]
        table = rescale(Operand(np.arange(256, dtype=np.uint8).view(np.int8), own, zero), scale, target, "tvm-upward")
        side = calls(
            "concat_s8s8_rows_@", input=branch, rows=49, cols=channels, input_pitch=channels, output_pitch=channels,
            table=table,
        )["output"]  # fmt: skip
        got[:, at : at + channels] = side.reshape(49, channels)
        expected[..., at : at + channels] = rescale(Operand(reference, own, zero), scale, target, "tvm-upward")
        at += channels
    return got.reshape(expected.shape), expected


def _squeeze_and_excite(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a block of MobileNet v3: the mean of each channel, two fully connected layers, a sigmoid, and a product.

    The product is that of the sigmoid's results with the image.
    """
    image = _image(random, 7, 7, 40)
    squeeze, excite = drawn(random, (12, 40), 0, _RELU), drawn(random, (40, 12), _RELU.zero_point, _LINEAR)
    got = calls("globalpool_s8s8_hwc_@", input=image, pixels=49, channels=40, pitch=40)["output"]
    expected = average_pool(image[np.newaxis], (7, 7))[0, 0, 0]
    for layer in (squeeze, excite):
        got, expected = classifier(calls, got, layer), classifier_expected(expected, layer)
    table = table_of(sigmoid, Affine(0.05, -3, "int8"), Affine(1 / 256, -128, "int8"))
    gates = calls("lut_s8s8_flat_@", input=got, count=40, table=table)["output"]
    ratio = 0.02 / 256 / 0.02
    product = calls(
        "mul_s8s8_flat_@_fp32", a=image, b=np.tile(gates, 49), count=image.size,
        points=np.array([0, -128, 7, -128, 127], np.int16), scale=np.array([ratio], np.float32),
    )["output"]  # fmt: skip
    wanted = multiply(
        Operand(image, 1.0), Operand(np.tile(table[expected.view(np.uint8)], 49).reshape(7, 7, 40), 1.0, -128)
    )
    return product.reshape(image.shape), scheme_named("qnnpack-fp32").requantize(wanted, np.float32(ratio), Output(7))


def _tanh_of_relu6(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run a convolution, a relu6 and a tanh in one kernel: a range and a table; the reference takes them in turn."""
    scale = 6 / 200
    zero = -100
    layer = drawn(random, (40, 24), 5, Output(zero, zero, zero + round(6 / scale)))
    image, tanh = _image(random, 14, 14, 24), table_of(np.tanh, Affine(scale, zero, "int8"), TANH_OUTPUT)
    got = pointwise(calls, image, layer, tanh)
    reals = np.clip(dequantize(pointwise_expected(image, replace(layer, output=Output(zero))), scale, zero), 0, 6)
    again = quantize(reals, scale, Output(zero))  # relu6 of reals is the range of the integers
    return got, quantize(np.tanh(dequantize(again, scale, zero).astype(np.float64)), TANH_OUTPUT.scale, Output(0))


def _mobilenet(calls: Calls, random: np.random.Generator) -> tuple[Array, Array]:
    """Run MobileNet v1 with a quarter of the channels (Howard et al. 2017, table 1): 28 layers, floats to floats."""
    picture = random.uniform(-1, 1, (128, 128, 3)).astype(np.float32)
    scale = np.float32(1 / 127)
    got = calls(
        "quantize_f32s8_flat_@_fp32", input=picture, count=picture.size, inverse=np.array([1 / scale], np.float32),
        range=np.array([0, -128, 127], np.int16),
    )["output"].reshape(picture.shape)  # fmt: skip
    expected = quantize(picture, scale, Output(0), "even", reciprocal=True)
    first = drawn(random, (8, 3, 3, 3), 0, _RELU, stride=2)
    got, expected = convolution(calls, got, first), convolution_expected(expected, first)
    channels, zero = 8, _RELU.zero_point
    for wider, stride in zip(
        (16, 32, 32, 64, 64, 128, *[128] * 5, 256, 256), (1, 2, 1, 2, 1, 2, *[1] * 5, 2, 1), strict=True
    ):
        deep, point = (
            drawn(random, (3, 3, channels), zero, _RELU, stride),
            drawn(random, (wider, channels), zero, _RELU),
        )
        got, expected = depthwise(calls, got, deep), depthwise_expected(expected, deep)
        got, expected = pointwise(calls, got, point), pointwise_expected(expected, point)
        channels = wider
    got = calls("globalpool_s8s8_hwc_@", input=got, pixels=16, channels=channels, pitch=channels)["output"]
    expected = average_pool(expected[np.newaxis], (4, 4))[0, 0, 0]
    last = drawn(random, (1000, channels), zero, _LINEAR)
    got, expected = classifier(calls, got, last), classifier_expected(expected, last)
    scores = calls(
        "dequantize_s32f32_rows_@", input=got.astype(np.int32) + 3, rows=1, cols=1000, input_pitch=4000,
        output_pitch=4000, scales=np.full(1000, 0.125, np.float32), bias=np.zeros(1000, np.float32),
    )["output"]  # fmt: skip
    return scores, dequantize(expected, 0.125, -3)


SYSTEMS = (
    Part("conv1x1, relu6 and tanh, fused", _tanh_of_relu6),
    Part("sub-network: inverted residual of MobileNet v2, 14x14x24", _inverted_residual),
    Part("sub-network: basic block of ResNet, 16x16x16", _basic_block),
    Part("sub-network: two branches of GoogLeNet and their concatenation", _inception),
    Part("sub-network: squeeze and excitation of MobileNet v3", _squeeze_and_excite),
    Part("network: MobileNet v1 0.25, 128x128, floats in, scores out", _mobilenet),
)
