"""ONNX Runtime's quantized operators give the same bits, but at midpoints where floats fuse or not by machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.tools import require_module

from neonlab.int8.activation import SIGMOID_OUTPUT, look_up, sigmoid, table_of
from neonlab.int8.addition import Operand, add_onnxruntime
from neonlab.int8.affine import Affine, dequantize, quantize
from neonlab.int8.arrays import Output
from neonlab.int8.convolution import conv2d, depthwise_conv2d
from neonlab.int8.elementwise import multiply_onnxruntime
from neonlab.int8.matmul import accumulate_four_terms
from neonlab.int8.pooling import average_pool_onnxruntime, average_pool_requantized, max_pool
from neonlab.int8.requantize import SCHEMES, effective_scale
from neonlab.int8.windows import Window

SCHEME = SCHEMES["onnxruntime"]
EVERY_PAIR = [part.astype(np.uint8) for part in np.meshgrid(np.arange(256), np.arange(256))]
EVERY = np.arange(-128, 128).astype(np.int8)
MICROSOFT = "com.microsoft"
single = np.float32


#: The range of weights by their type.  On processors without VNNI onnxruntime adds two products of uint8 and int8 in
#: int16, which saturates beyond 7 bits of weight ("Quantize ONNX Models", section on reduce_range).
WEIGHTS = {"int8": (-64, 64), "uint8": (0, 256)}


def run(operator: str, inputs: list[Any], out: str, domain: str = "", **attributes: Any) -> np.ndarray:
    """The operator's one output; the first input is fed, the others are constants of the model."""
    onnx, runtime = require_module("onnx"), require_module("onnxruntime")
    helper, numpy_helper = require_module("onnx.helper"), require_module("onnx.numpy_helper")
    arrays = {f"i{number}": np.asarray(value) for number, value in enumerate(inputs)}
    data = arrays["i0"]
    graph = helper.make_graph(
        [helper.make_node(operator, list(arrays), ["o"], domain=domain, **attributes)],
        "one",
        [helper.make_tensor_value_info("i0", helper.np_dtype_to_tensor_dtype(data.dtype), data.shape)],
        [helper.make_tensor_value_info("o", helper.np_dtype_to_tensor_dtype(np.dtype(out)), None)],
        [numpy_helper.from_array(array, name) for name, array in arrays.items() if name != "i0"],
    )
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.array(session.run(None, {"i0": data})[0])


def channels_first(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(image, 3, 1))


def same_but_at_midpoints(got: np.ndarray, ours: np.ndarray, real: np.ndarray) -> bool:
    """Whether every difference is one step, where the real number is within float32's error of a midpoint."""
    apart = got.astype(int) - ours.astype(int)
    off = np.abs(real - np.floor(real) - 0.5)
    return bool((np.abs(apart) <= 1).all() and (off[apart != 0] <= 1e-4).all())


@pytest.mark.parametrize("weight_type", ["int8", "uint8"])
def test_conv_is_the_same(weight_type: str) -> None:
    random = np.random.default_rng(41)
    image = random.integers(0, 256, (2, 9, 8, 6)).astype(np.uint8)
    weights = random.integers(*WEIGHTS[weight_type], (4, 3, 3, 6)).astype(weight_type)
    zero = np.array(0 if weight_type == "int8" else 131, weight_type)
    bias = random.integers(-3000, 3000, 4).astype(np.int32)
    scales = random.uniform(0.001, 0.01, 4 if weight_type == "int8" else 1).astype(np.float32)
    sums = conv2d(image, weights, 120, int(zero), bias, Window((2, 1), ((1, 1), (0, 1)), (1, 2)))
    ours = SCHEME.requantize(sums, effective_scale(0.03, scales, 0.11, "float32"), Output.of("uint8", 130))
    got = run(
        "QLinearConv",
        [
            channels_first(image),
            single(0.03),
            np.uint8(120),
            channels_first(weights),
            scales if scales.size > 1 else scales[0],
            np.full(scales.shape, zero) if scales.size > 1 else zero,
            single(0.11),
            np.uint8(130),
            bias,
        ],
        "uint8",
        pads=[1, 0, 1, 1],
        strides=[2, 1],
        dilations=[1, 2],
    )
    assert (got == channels_first(ours)).all()


def test_depthwise_conv_is_the_same() -> None:
    random = np.random.default_rng(42)
    image = random.integers(0, 256, (1, 9, 8, 6)).astype(np.uint8)
    weights = random.integers(-128, 128, (3, 3, 6)).astype(np.int8)
    sums = depthwise_conv2d(image, weights, 120, window=Window(padding=((1, 1), (1, 1))))
    ours = SCHEME.requantize(sums, effective_scale(0.03, 0.004, 0.11, "float32"), Output.of("uint8", 130))
    kernel = np.moveaxis(weights, 2, 0)[:, None]
    numbers = [single(0.03), np.uint8(120), kernel, single(0.004), np.int8(0), single(0.11), np.uint8(130)]
    got = run("QLinearConv", [channels_first(image), *numbers], "uint8", pads=[1, 1, 1, 1], group=6)
    assert (got == channels_first(ours)).all()


def test_raw_accumulators_are_the_same() -> None:
    random = np.random.default_rng(43)
    image, weights = (random.integers(0, 256, s).astype(np.uint8) for s in ((2, 7, 6, 5), (4, 3, 3, 5)))
    got = run(
        "ConvInteger",
        [channels_first(image), channels_first(weights), np.uint8(120), np.uint8(7)],
        "int32",
        pads=[1, 1, 1, 1],
    )
    assert (got == channels_first(conv2d(image, weights, 120, 7, None, Window(padding=((1, 1), (1, 1)))))).all()
    for types in (("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")):
        left = random.integers(0, 256, (13, 40)).astype(np.uint8).view(types[0])
        right = random.integers(*WEIGHTS[types[1]], (40, 9)).astype(types[1])
        zeros = [left[0, 0], right[0, 0]]
        got = run("MatMulInteger", [left, right, *zeros], "int32")
        assert (got == accumulate_four_terms(left, right, int(zeros[0]), int(zeros[1]))).all()


def test_matmul_is_the_same() -> None:
    random = np.random.default_rng(44)
    left, right = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((13, 40), (40, 9)))
    got = run(
        "QLinearMatMul",
        [left, single(0.02), np.int8(3), right, single(0.01), np.int8(-4), single(0.07), np.int8(5)],
        "int8",
    )
    scale = effective_scale(0.02, 0.01, 0.07, "float32")
    assert (got == SCHEME.requantize(accumulate_four_terms(left, right, 3, -4), scale, Output(5))).all()


@pytest.mark.parametrize("scales", [(0.1, 0.2, 0.15), (0.037, 0.01, 0.09), (0.5, 0.25, 0.5), (0.3, 0.0129, 0.07)])
def test_add_and_mul_of_every_pair_of_bytes_are_the_same(scales: tuple[float, float, float]) -> None:
    left, right = (Operand(v, s, z) for v, s, z in zip(EVERY_PAIR, scales, (100, 30), strict=False))
    a, b, c = (single(scale) for scale in scales)
    inputs = [EVERY_PAIR[0], a, np.uint8(100), EVERY_PAIR[1], b, np.uint8(30), c, np.uint8(128)]
    output = Output.of("uint8", 128)
    x, y = left.centred() * float(a), right.centred() * float(b)
    got = run("QLinearAdd", inputs, "uint8", MICROSOFT)
    assert same_but_at_midpoints(got, add_onnxruntime(left, right, scales[2], output), (x + y) / float(c))
    got = run("QLinearMul", inputs, "uint8", MICROSOFT)
    assert same_but_at_midpoints(got, multiply_onnxruntime(left, right, scales[2], output), x * y / float(c))


@pytest.mark.parametrize("count_padding", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_average_pool_is_the_same(seed: int, count_padding: bool) -> None:
    random = np.random.default_rng(seed)
    image = random.integers(0, 256, (2, 9, 8, 60)).astype(np.uint8)
    a, b = single(random.uniform(0.01, 0.1)), single(random.uniform(0.01, 0.1))
    point, window, output = int(random.integers(256)), Window((2, 1), ((1, 0), (1, 1))), Output.of("uint8", 9 + seed)
    got = run(
        "QLinearAveragePool",
        [channels_first(image), a, np.uint8(point), b, np.uint8(9 + seed)],
        "uint8",
        MICROSOFT,
        kernel_shape=[3, 2],
        strides=[2, 1],
        pads=[1, 1, 0, 1],
        count_include_pad=int(count_padding),
    )
    source = Affine(float(a), point)
    ours = average_pool_onnxruntime(image, (3, 2), source, float(b), output, window, count_padding=count_padding)
    assert np.array_equal(got, channels_first(ours))


def test_global_average_and_max_pool_are_the_same() -> None:
    image = np.random.default_rng(46).integers(0, 256, (2, 9, 8, 6)).astype(np.uint8)
    inputs = [channels_first(image), single(0.03), np.uint8(120), single(0.05), np.uint8(9)]
    got = run("QLinearGlobalAveragePool", inputs, "uint8", MICROSOFT, channels_last=0)
    ratio = float(single(0.03) / single(0.05))
    ours = average_pool_requantized(image, (9, 8), 120, ratio, Output.of("uint8", 9), scheme="onnxruntime")
    assert (got == channels_first(ours)).all()
    got = run("MaxPool", inputs[:1], "uint8", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    assert (got == channels_first(max_pool(image, (3, 3), Window((2, 2), ((1, 1), (1, 1)))))).all()


@pytest.mark.parametrize("scale", [0.05, 0.0121, 0.3])
def test_the_table_of_sigmoid_is_the_same(scale: float) -> None:
    got = run("QLinearSigmoid", [EVERY, single(scale), np.int8(3), single(1 / 256), np.int8(-128)], "int8", MICROSOFT)
    assert (got == look_up(table_of(sigmoid, Affine(scale, 3, "int8"), SIGMOID_OUTPUT, "even"), EVERY)).all()


def test_quantize_and_dequantize_are_the_same() -> None:
    step = single(0.05)
    spread = np.random.default_rng(47).normal(0, 2, 4000)
    reals = np.concatenate([spread, np.arange(-300, 300) * 0.5 * step]).astype(np.float32)
    assert (run("QuantizeLinear", [reals, step, np.int8(3)], "int8") == quantize(reals, 0.05, Output(3), "even")).all()
    assert (run("DequantizeLinear", [EVERY, step, np.int8(3)], "float32") == dequantize(EVERY, 0.05, 3)).all()
