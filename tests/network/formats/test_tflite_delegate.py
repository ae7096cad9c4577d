"""Operators that XNNPACK leaves to other kernels, and means, give what LiteRT gives."""

from __future__ import annotations

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference
from neonlab.network.reference.near import is_near
from neonlab.network.run.network import run_network


@pytest.mark.parametrize("power", [-14, -9, 0, 7, 9])
@pytest.mark.parametrize("operation", ["ADD", "MUL"])
def test_sums_and_products_of_any_scales_are_the_same(operation: str, power: int) -> None:
    scale = 0.085 * 2.0**power
    first, second = (scale, 0.065) if operation == "ADD" else (scale, 1.0)
    shape = (1, 4000)
    tensors = [Tensor(shape, "int8", [first], [5]), Tensor(shape, "int8", [second], [-9])]
    tensors.append(Tensor(shape, "int8", [0.085], [3]))
    data = build(tensors, [Operator(operation, [0, 1], [2], {"table": f"{operation.title()}Options"})], [0, 1], [2])
    random = np.random.default_rng(6)
    given = {name: random.integers(-128, 128, shape).astype(np.int8) for name in ("t0", "t1")}
    for arithmetic in ("reference", "xnnpack"):
        graph = read_tflite("network.tflite", data, arithmetic)
        found = run_reference(graph, feed(graph, given))["t2"]
        assert np.array_equal(found, run_model(data, list(given.values()), kernels=arithmetic)[0]), arithmetic


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("arithmetic", ["reference", "xnnpack"])
@pytest.mark.parametrize("size", [(2, 4), (5, 5), (7, 7), (16, 18)])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 2.0, 1.37])
def test_a_mean_is_the_same_at_midpoints_too(dtype: str, arithmetic: str, size: tuple[int, int], ratio: float) -> None:
    random, lowest = np.random.default_rng(7), np.iinfo(dtype).min
    points = [int(point) + lowest for point in random.integers(0, 256, 2)]
    shape = (1, *size, 800)
    axes = Tensor.constant(np.array([1, 2], np.int32))
    tensors = [Tensor(shape, dtype, [0.03 * ratio], points[:1]), axes, Tensor((1, 800), dtype, [0.03], points[1:])]
    data = build(tensors, [Operator("MEAN", [0, 1], [2], {"table": "ReducerOptions"})], [0], [2])
    image = random.integers(lowest, lowest + 256, shape).astype(dtype)
    graph = read_tflite("network.tflite", data, arithmetic)
    found = run_reference(graph, feed(graph, {"t0": image}))["t2"]
    assert np.array_equal(found, run_model(data, [image], kernels=arithmetic)[0])


def test_a_mean_runs_on_kernels_that_agree_on_every_sum() -> None:
    axes = Tensor.constant(np.array([1, 2], np.int32))
    tensors = [Tensor((1, 4, 4, 8), "int8", [0.031], [4]), axes, Tensor((1, 8), "int8", [0.0227], [-3])]
    data = build(tensors, [Operator("MEAN", [0, 1], [2], {"table": "ReducerOptions"})], [0], [2])
    graph = apply_passes(read_tflite("network.tflite", data)).graph
    image = np.random.default_rng(8).integers(-128, 128, (1, 4, 4, 8)).astype(np.int8)
    run = run_network(graph, open_library(), Isa.A64, None, [{"t0": image}])
    assert run.wrong == 0 and [layer.way for layer in run.layers] == ["kernels"]


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize(
    ("scales", "alpha", "arithmetic"),
    [
        ((0.05, 0.031), 0.3, "xnnpack"),
        ((0.031, 0.05), -0.7, "xnnpack"),
        ((0.4, 0.05), 2.6, "xnnpack"),
        # Slopes that XNNPACK leaves to others: too flat below 0, and on both sides.
        ((0.05, 0.031), 0.001, "tflite"),
        ((0.0001, 0.05), 0.3, "tflite"),
    ],
)
def test_a_leaky_relu_is_that_of_litert_for_all_bytes(
    scales: tuple[float, float], alpha: float, arithmetic: str, kind: str
) -> None:
    every = np.arange(256, dtype=np.uint8).view(kind).reshape(1, 16, 16, 1)
    tensors = [Tensor(every.shape, kind, [scale], [5]) for scale in scales]
    options = {"table": "LeakyReluOptions", "alpha": alpha}
    data = build(tensors, [Operator("LEAKY_RELU", [0], [1], options)], [0], [1])
    for asked in ("reference", "xnnpack"):
        graph = apply_passes(read_tflite("network.tflite", data, asked)).graph
        found = run_reference(graph, feed(graph, {graph.inputs[0]: every}))[graph.outputs[0]]
        assert np.array_equal(found, run_model(data, [every], kernels=asked)[0])
    (held,) = [one for one in read_tflite("network.tflite", data, "xnnpack").nodes if one.told == "LEAKY_RELU"]
    assert held.attributes["arithmetic"] == arithmetic


@pytest.mark.parametrize("kernels", ["reference", "xnnpack"])
@pytest.mark.parametrize("operator", ["RELU", "RELU6", "QUANTIZE"])
@pytest.mark.parametrize("scales", [(0.031, 0.05), (0.093, 0.06), (0.45, 0.2)])
def test_a_ratio_that_makes_ties_is_rounded_as_in_litert(
    scales: tuple[float, float], operator: str, kernels: str
) -> None:
    every = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
    tensors = [Tensor(every.shape, "int8", [scale], [5]) for scale in scales]
    data = build(tensors, [Operator(operator, [0], [1], {})], [0], [1])
    graph = apply_passes(read_tflite("network.tflite", data, kernels)).graph
    found = run_reference(graph, feed(graph, {graph.inputs[0]: every}))[graph.outputs[0]]
    assert np.array_equal(found, run_model(data, [every], kernels=kernels)[0])


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize(("taps", "stride"), [((1, 2), (2, 2)), ((3, 2), (3, 3)), ((2, 3), (2, 2))])
def test_a_transposed_convolution_with_a_window_below_its_stride_is_the_same(
    taps: tuple[int, int], stride: tuple[int, int], same: bool
) -> None:
    """XNNPACK leaves it to a kernel that rounds otherwise, if its padding is SAME."""
    random, outs = np.random.default_rng(9), 16
    beyond = (0, 0) if same else tuple(max(0, size - step) for size, step in zip(taps, stride, strict=True))
    size = (1, 4 * stride[0] + beyond[0], 5 * stride[1] + beyond[1], outs)
    scales = random.uniform(0.002, 0.01, outs).astype(np.float32)
    weights = Tensor.constant(random.integers(-127, 128, (outs, *taps, 8)).astype(np.int8), scales.tolist())
    bias = random.integers(-2000, 2000, outs).astype(np.int32)
    tensors = [
        Tensor.constant(np.array(size, np.int32)), weights, Tensor((1, 4, 5, 8), "int8", [0.05], [7]),
        Tensor.constant(bias, (np.float32(0.05) * scales).tolist()), Tensor(size, "int8", [0.05], [4]),
    ]  # fmt: skip
    options = {"table": "TransposeConvOptions", "padding": int(not same), "strideH": stride[0], "strideW": stride[1]}
    data = build(tensors, [Operator("TRANSPOSE_CONV", [0, 1, 2, 3], [4], options, 4)], [2], [4])
    graph = read_tflite("network.tflite", data, "xnnpack")
    left = same and (taps[0] < stride[0] or taps[1] < stride[1])
    assert graph.nodes[0].operator == ("litert" if left else "conv_transpose")
    for _ in range(4):
        image = random.integers(-128, 128, (1, 4, 5, 8)).astype(np.int8)
        found = run_reference(graph, feed(graph, {"t2": image}))["t4"]
        assert np.array_equal(found, run_model(data, [image], kernels="xnnpack")[0])


def test_a_softmax_is_near_the_reference_kernel_and_that_of_the_others() -> None:
    """A row whose greatest result is 237.50008: the reference kernel has 237 there, the others 238."""
    tensors = [Tensor((1, 5), "int8", [0.06223893165588379], [0]), Tensor((1, 5), "int8", [1 / 256], [-128])]
    data = build(tensors, [Operator("SOFTMAX", [0], [1], {"table": "SoftmaxOptions", "beta": 1.0})], [0], [1])
    row = np.array([[0, 51, 0, 96, 25]], np.int8)
    for arithmetic, greatest in (("reference", 109), ("xnnpack", 110)):
        graph = read_tflite("network.tflite", data, arithmetic)
        assert run_model(data, [row], kernels=arithmetic)[0].max() == greatest
        assert run_reference(graph, feed(graph, {"t0": row}))["t1"].max() == 110
        assert is_near(graph.nodes[0]) == (arithmetic == "reference")
