"""TFLite's reference kernels, as LiteRT ships them, give the same bits; those of XNNPACK too, by other schemes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Tensor, run

from neonlab.int8.activation import SIGMOID_OUTPUT, TANH_OUTPUT, look_up, sigmoid_in_singles, softmax, table_of
from neonlab.int8.addition import Operand, add_tflite, add_xnnpack
from neonlab.int8.affine import Affine, dequantize, quantize
from neonlab.int8.arrays import Output
from neonlab.int8.convolution import conv2d, depthwise_conv2d, fully_connected
from neonlab.int8.elementwise import activation_range, clip, concatenate, multiply, pad, rescale
from neonlab.int8.pooling import average_pool, max_pool
from neonlab.int8.requantize import SCHEMES, effective_scale
from neonlab.int8.windows import Window

GEMMLOWP = SCHEMES["gemmlowp"]
EVERY_PAIR = [part.astype(np.int8) for part in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128))]
EVERY = np.arange(-128, 128).astype(np.int8)
THREE_SCALES = [(0.1, 0.2, 0.15), (0.037, 0.01, 0.09), (0.5, 0.25, 0.5), (1.3, 0.02, 0.7)]
IMAGE_SCALE, OUTPUT_SCALE = np.float32(0.03), np.float32(0.11)


@pytest.mark.parametrize("scales", THREE_SCALES)
def test_add_and_mul_of_every_pair_of_int8_are_the_same(scales: tuple[float, float, float]) -> None:
    left, right = (Operand(v, s, z) for v, s, z in zip(EVERY_PAIR, scales, (5, -9), strict=False))
    tensors = [Tensor((256, 256), "int8", [s], [z]) for s, z in zip(scales, (5, -9), strict=False)]
    output = Tensor((256, 256), "int8", [scales[2]], [3])
    got = run("ADD", tensors, output, EVERY_PAIR, kernels="reference", table="AddOptions")
    assert (got == add_tflite(left, right, scales[2], Output(3))).all()
    got = run("MUL", tensors, output, EVERY_PAIR, kernels="reference", table="MulOptions")
    assert (got == GEMMLOWP.requantize(multiply(left, right), effective_scale(*scales), Output(3))).all()


@pytest.mark.parametrize("scales", THREE_SCALES)
def test_requantizing_int8_is_the_same(scales: tuple[float, float, float]) -> None:
    source, target = Tensor((256,), "int8", [scales[0]], [5]), Tensor((256,), "int8", [scales[2]], [3])
    got = run("QUANTIZE", [source], target, [EVERY], kernels="reference", table="QuantizeOptions")
    assert (got == rescale(Operand(EVERY, scales[0], 5), scales[2], Output(3))).all()


def convolution(kind: str, kernels: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What LiteRT puts out, our accumulators and the scale of each channel's weights."""
    random = np.random.default_rng(21)
    image = random.integers(-128, 128, (2, 9, 8, 6)).astype(np.int8)
    window = Window.same((9, 8), (3, 3), (2, 1))
    out = {"CONV_2D": 40, "DEPTHWISE_CONV_2D": 12, "FULLY_CONNECTED": 40}[kind]
    scales = random.uniform(0.001, 0.01, out).astype(np.float32)
    bias = random.integers(-3000, 3000, out).astype(np.int32)
    fields: dict[str, Any]
    if kind == "FULLY_CONNECTED":
        scales = scales[:1]
        image, weights = image.reshape(12, 72), random.integers(-127, 128, (out, 72)).astype(np.int8)
        sums, axis, fields = fully_connected(image, weights, -5, 0, bias), 0, {"table": "FullyConnectedOptions"}
    else:
        fields = {"table": "Conv2DOptions", "strideH": 2, "strideW": 1, "padding": 0}
        if kind == "CONV_2D":
            weights, axis = random.integers(-127, 128, (out, 3, 3, 6)).astype(np.int8), 0
            sums = conv2d(image, weights, -5, 0, bias, window)
        else:
            weights, axis = random.integers(-127, 128, (1, 3, 3, out)).astype(np.int8), 3
            sums = depthwise_conv2d(image, weights[0], -5, 0, bias, window)
            fields |= {"table": "DepthwiseConv2DOptions", "depthMultiplier": 2}
    got = run(
        kind,
        [
            Tensor(image.shape, "int8", [float(IMAGE_SCALE)], [-5]),
            Tensor.constant(weights, scales.tolist(), axis=axis),
            Tensor.constant(bias, (IMAGE_SCALE * scales).tolist()),
        ],
        Tensor(sums.shape, "int8", [float(OUTPUT_SCALE)], [7]),
        [image],
        kernels=kernels,
        **fields,
    )
    return got, sums, scales


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [("CONV_2D", "gemmlowp"), ("DEPTHWISE_CONV_2D", "gemmlowp"), ("FULLY_CONNECTED", "tvm-tonearest")],
)
def test_convolutions_are_the_same(kind: str, scheme: str) -> None:
    got, sums, scales = convolution(kind, "reference")
    scale = effective_scale(IMAGE_SCALE, scales, OUTPUT_SCALE)
    assert (got == SCHEMES[scheme].requantize(sums, scale, Output(7))).all()


def test_a_fully_connected_layer_rounds_once_and_ties_away_from_zero() -> None:
    # A scale that is a power of two: every eighth sum is a tie.
    values = np.arange(-127, 128, dtype=np.int8).reshape(-1, 1)
    source, target = Tensor(values.shape, "int8", [0.5], [0]), Tensor(values.shape, "int8", [2.0], [3])
    weights = Tensor.constant(np.ones((1, 1), np.int8), [0.5])
    bias = Tensor.constant(np.ones(1, np.int32), [0.25])
    table = {"table": "FullyConnectedOptions"}
    got = run("FULLY_CONNECTED", [source, weights, bias], target, [values], kernels="reference", **table)
    sums = values.astype(np.int32) + 1
    assert (got == SCHEMES["tvm-tonearest"].requantize(sums, 0.125, Output(3))).all()
    for other in ("ruy", "gemmlowp", "qnnpack-fp32"):
        assert (got != SCHEMES[other].requantize(sums, 0.125, Output(3))).sum() > 10


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_optimised_convolutions_differ_next_to_midpoints_only(kind: str) -> None:
    # Which kernel runs depends on the machine: they round once, or twice in one way or another.  Rounding twice moves
    # the boundary by half a unit of the first rounding, 2^-(shift + 1) of a step; these scales shift by 6 and more.
    got, sums, scales = convolution(kind, "optimised")
    scale = effective_scale(IMAGE_SCALE, scales, OUTPUT_SCALE)
    real = np.clip(sums * scale + 7, -128, 127)
    assert np.abs(got - real).max() <= 0.5 + 2.0**-6
    assert (got != GEMMLOWP.requantize(sums, scale, Output(7))).mean() < 0.01


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_convolutions_of_xnnpack_are_qnnpacks(kind: str) -> None:
    got, sums, scales = convolution(kind, "xnnpack")
    scale = effective_scale(IMAGE_SCALE, scales, OUTPUT_SCALE, "float32")
    assert (got == SCHEMES["qnnpack-fp32"].requantize(sums, scale, Output(7))).all()


@pytest.mark.parametrize("scales", THREE_SCALES)
def test_add_and_mul_of_xnnpack_are_the_same(scales: tuple[float, float, float]) -> None:
    left, right = (Operand(v, s, z) for v, s, z in zip(EVERY_PAIR, scales, (5, -9), strict=False))
    tensors = [Tensor((256, 256), "int8", [s], [z]) for s, z in zip(scales, (5, -9), strict=False)]
    output = Tensor((256, 256), "int8", [scales[2]], [3])
    got = run("ADD", tensors, output, EVERY_PAIR, kernels="xnnpack", table="AddOptions")
    assert (got == add_xnnpack(left, right, scales[2], Output(3))).all()
    got = run("MUL", tensors, output, EVERY_PAIR, kernels="xnnpack", table="MulOptions")
    scale = effective_scale(*scales, "float32")
    assert (got == SCHEMES["qnnpack-fp32"].requantize(multiply(left, right), scale, Output(3))).all()


@pytest.mark.parametrize("kernels", ["reference", "optimised"])
def test_pooling_is_the_same(kernels: str) -> None:
    image = np.random.default_rng(22).integers(-128, 128, (2, 9, 8, 6)).astype(np.int8)
    window = Window.same((9, 8), (3, 3), (2, 2))
    shape = (2, *window.output_size((9, 8), (3, 3)), 6)
    fields = {"strideH": 2, "strideW": 2, "filterHeight": 3, "filterWidth": 3, "padding": 0, "table": "Pool2DOptions"}
    for operator, function in (("AVERAGE_POOL_2D", average_pool), ("MAX_POOL_2D", max_pool)):
        tensors = (Tensor(s, "int8", [0.1], [-5]) for s in (image.shape, shape))
        got = run(operator, [next(tensors)], next(tensors), [image], kernels=kernels, **fields)
        assert (got == function(image, (3, 3), window)).all()


@pytest.mark.parametrize("scale", [0.05, 0.0121, 0.3, 1 / 256])  # the last has midpoints
def test_tables_of_tanh_and_logistic_are_the_same(scale: float) -> None:
    for operator, function, target in (
        ("TANH", np.tanh, TANH_OUTPUT),
        ("LOGISTIC", sigmoid_in_singles, SIGMOID_OUTPUT),
    ):
        source = Tensor((256,), "int8", [scale], [3])
        output = Tensor((256,), "int8", [target.scale], [target.zero_point])
        got = run(operator, [source], output, [EVERY], kernels="reference")
        assert (got == look_up(table_of(function, Affine(scale, 3, "int8"), target), EVERY)).all()


@pytest.mark.parametrize("operator", ["RELU", "RELU6"])
def test_relus_are_the_same(operator: str) -> None:
    for scale, zero in itertools.product([0.05, 0.017, 0.4], [3, -128, 90]):
        tensor = Tensor((256,), "int8", [scale], [zero])
        got = run(operator, [tensor], tensor, [EVERY], kernels="reference")
        assert (got == clip(EVERY, activation_range(operator.lower(), scale, Output(zero)))).all()


@pytest.mark.parametrize(("code", "activation"), [(0, "none"), (1, "relu"), (2, "relu_n1_to_1"), (3, "relu6")])
def test_activations_fused_into_an_add_are_the_same(code: int, activation: str) -> None:
    scales, output = THREE_SCALES[1], Output(3)
    left, right = (Operand(v, s, z) for v, s, z in zip(EVERY_PAIR, scales, (5, -9), strict=False))
    tensors = [Tensor((256, 256), "int8", [s], [z]) for s, z in zip(scales, (5, -9), strict=False)]
    target = Tensor((256, 256), "int8", [scales[2]], [3])
    fields = {"table": "AddOptions", "fusedActivationFunction": code}
    got = run("ADD", tensors, target, EVERY_PAIR, kernels="reference", **fields)
    assert (got == add_tflite(left, right, scales[2], activation_range(activation, scales[2], output))).all()


@pytest.mark.parametrize("scale", [0.07, 0.25, 0.01])
def test_softmax_is_the_same_but_for_midpoints(scale: float) -> None:
    values = np.random.default_rng(23).integers(-128, 128, (50, 40)).astype(np.int8)
    output = Tensor(values.shape, "int8", [1 / 256], [-128])
    source = Tensor(values.shape, "int8", [scale], [3])
    got = run("SOFTMAX", [source], output, [values], kernels="reference", table="SoftmaxOptions", beta=1.0)
    ours = softmax(values, scale, 1.0, Affine(1 / 256, -128, "int8"))
    # expf of the C library and a correctly rounded one may differ in the last bit.
    assert (got != ours).mean() < 0.002 and np.abs(got.astype(int) - ours).max() <= 1


def test_quantize_dequantize_and_pad_are_the_same() -> None:
    random = np.random.default_rng(24)
    step = np.float32(0.05)
    reals = np.concatenate([random.normal(0, 2, 4000), np.arange(-300, 300) * 0.5 * step]).astype(np.float32)
    fine, coarse = Tensor(reals.shape, "float32"), Tensor(reals.shape, "int8", [0.05], [3])
    got = run("QUANTIZE", [fine], coarse, [reals], kernels="reference", table="QuantizeOptions")
    assert (got == quantize(reals, 0.05, Output(3))).all()
    back = run("DEQUANTIZE", [coarse], fine, [got], kernels="reference")
    assert (back == dequantize(got, 0.05, 3)).all()
    image = random.integers(-128, 128, (1, 3, 4, 2)).astype(np.int8)
    widths = [(0, 0), (1, 2), (0, 3), (0, 0)]
    source, target = (Tensor(shape, "int8", [0.1], [-5]) for shape in (image.shape, (1, 6, 7, 2)))
    constant = Tensor.constant(np.array(widths, np.int32))
    assert (
        run("PAD", [source, constant], target, [image], kernels="reference", table="PadOptions")
        == pad(image, widths, -5)
    ).all()


@pytest.mark.parametrize("scales", [(0.1, 0.05), (0.037, 0.09)])
def test_concatenating_uint8_is_the_same_by_floats(scales: tuple[float, float]) -> None:
    # Its uint8 kernel rescales in float32, rounding away: the scheme called ncnn here.
    values = EVERY.view(np.uint8)
    tensors = [Tensor((256,), "uint8", [s], [z]) for s, z in zip(scales, (5, 9), strict=True)]
    output = Tensor((512,), "uint8", [scales[0]], [5])
    got = run(
        "CONCATENATION", tensors, output, [values, values], kernels="reference", table="ConcatenationOptions", axis=0
    )
    parts = [Operand(values, s, z) for s, z in zip(scales, (5, 9), strict=True)]
    assert (got == concatenate(parts, 0, scales[0], Output.of("uint8", 5), "ncnn")).all()
