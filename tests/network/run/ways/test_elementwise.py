"""Nodes without weights on emulated kernels give the bits of the frameworks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model
from tests.network.onnx_models import model, node, run, scales

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import run_network

LIBRARY = open_library(Path(__file__).resolve().parents[4])
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])


@both
@pytest.mark.parametrize(("aligned", "centred"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("size", [(9, 7), (10, 12), (3, 47), (1, 1)])
def test_a_resize_of_tflite_is_that_of_litert(isa: Isa, aligned: bool, centred: bool, size: tuple[int, int]) -> None:
    tensors = [
        Tensor((1, 5, 6, 19), "int8", [0.05], [3]),
        Tensor.constant(np.array(size, np.int32)),
        Tensor((1, *size, 19), "int8", [0.05], [3]),
    ]
    options = {"table": "ResizeNearestNeighborOptions", "alignCorners": aligned, "halfPixelCenters": centred}
    data = build(tensors, [Operator("RESIZE_NEAREST_NEIGHBOR", [0, 1], [2], options)], [0], [2])
    graph = apply_passes(read_tflite("network.tflite", data)).graph
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert [layer.way for layer in found.layers] == ["kernels"] and found.wrong == 0
    assert np.array_equal(found.outputs["t2"], run_model(data, [given["t0"]], kernels="reference")[0])


@both
@pytest.mark.parametrize("channels", [1, 7, 64])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_resize_of_onnx_between_floats_copies_bytes(isa: Isa, channels: int, dtype: str) -> None:
    constants = {"s": np.float32(0.05), "z": np.array(7, dtype), "scales": np.array([1, 1, 2, 3], np.float32)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node("Resize", ["f", "", "scales"], "g", mode="nearest"),
        node("QuantizeLinear", ["g", "s", "z"], "y"),
    ]
    data = model(nodes, {"x": (dtype, (2, channels, 3, 4))}, {"y": dtype}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, isa, None, [given])
    resized = [layer for layer in found.layers if layer.node.operator == "resize_nearest"]
    assert [layer.way for layer in resized] == ["kernels"] and found.wrong == 0
    assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), run(data, given)[0])


@both
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_max_pool_of_numbers_without_a_scale_is_that_of_onnx_runtime(isa: Isa, dtype: str) -> None:
    nodes = [node("MaxPool", ["x"], "y", kernel_shape=[3, 3], strides=[2, 2])]
    data = model(nodes, {"x": (dtype, (1, 5, 9, 8))}, {"y": dtype}, {})
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert found.wrong == 0 and [layer.way for layer in found.layers] == ["kernels"]
    assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), run(data, given)[0])


@both
@pytest.mark.parametrize(
    ("operator", "taps", "shape", "fused"),
    [("MAX_POOL_2D", (3, 2), (1, 9, 7, 20), 3), ("MAX_POOL_2D", (2, 2), (2, 8, 6, 5), 1),
     ("MAX_POOL_2D", (3, 3), (1, 9, 9, 16), 3), ("AVERAGE_POOL_2D", (2, 2), (1, 8, 6, 16), 1)],
)  # fmt: skip
def test_a_pool_of_tflite_with_an_activation_is_that_of_litert(
    isa: Isa, operator: str, taps: tuple[int, int], shape: tuple[int, ...], fused: int
) -> None:
    _, height, width, channels = shape
    size = (height - taps[0]) // 2 + 1, (width - taps[1]) // 2 + 1
    tensors = [Tensor(shape, "int8", [0.06], [-11]), Tensor((shape[0], *size, channels), "int8", [0.06], [-11])]
    options = {"table": "Pool2DOptions", "padding": 1, "strideH": 2, "strideW": 2, "filterHeight": taps[0]}
    options |= {"filterWidth": taps[1], "fusedActivationFunction": fused}
    data = build(tensors, [Operator(operator, [0], [1], options)], [0], [1])
    graph = apply_passes(read_tflite("network.tflite", data)).graph
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert found.wrong == 0 and [layer.way for layer in found.layers] == ["kernels"]
    assert "clip" in "".join(found.layers[0].kernels) and found.outputs["t1"].std() > 0
    assert np.array_equal(found.outputs["t1"], run_model(data, [given["t0"]], kernels="reference")[0])


@both
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize(
    ("shape", "begins", "ends", "steps"),
    [
        ((2, 9, 8, 12), (0, 1, 1, 0), (2, 9, 8, 12), (1, 2, 3, 1)),
        ((3, 6, 5, 7), (1, 0, 1, 0), (3, 4, 4, 7), (1, 1, 1, 1)),
        ((1, 30, 6), (0, 2, 0), (1, 30, 6), (1, 4, 1)),
    ],
)
def test_a_slice_with_steps_is_that_of_onnx_runtime(
    isa: Isa, dtype: str, shape: tuple[int, ...], begins: tuple[int, ...], ends: tuple[int, ...], steps: tuple[int, ...]
) -> None:
    images = len(shape) == 4  # [n, c, h, w] in the file

    def turned(values: tuple[int, ...]) -> tuple[int, ...]:
        return (values[0], values[3], values[1], values[2]) if images else values

    constants = {name: np.array(turned(one)) for name, one in (("b", begins), ("e", ends), ("t", steps))}
    held = {"axes": np.arange(len(shape)), **scales(s=0.1), "z": np.array(3, dtype)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node("Slice", ["a", "b", "e", "axes", "t"], "c"),
        node("QuantizeLinear", ["c", "s", "z"], "y"),
    ]
    data = model(nodes, {"x": (dtype, turned(shape))}, {"y": dtype}, {**constants, **held})
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, isa, None, [given])
    slices = [layer.way for layer in found.layers if layer.node.operator == "slice"]
    assert found.wrong == 0 and slices == ["kernels"]
    assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), run(data, given)[0])
