"""uint8 tensors that are held as int8 give the same, also where the file says a scale of one side alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model
from tests.network.onnx_models import model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Node
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference

_RANDOM = np.random.default_rng(2)
_CONSTANTS: dict[str, Any] = {
    "x_s": np.float32(0.05), "x_z": np.uint8(130), "y_s": np.float32(0.1), "y_z": np.uint8(120),
    "w": _RANDOM.integers(-63, 64, (5, 4, 1, 1)).astype(np.int8), "w_s": np.float32(0.01), "w_z": np.int8(0),
    "shape": np.array([1, 4, 6, 5]),
}  # fmt: skip


def _conv(image: str) -> Any:
    return node("QLinearConv", [image, "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"], "y")


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        ([node("Reshape", ["x", "shape"], "r"), _conv("r")], (1, 4, 30)),
        ([node("Transpose", ["x"], "r", perm=[0, 1, 3, 2]), _conv("r")], (1, 4, 6, 5)),
        # The scale of x is known from the convolution alone; that of r from nothing.
        ([node("Transpose", ["x"], "r", perm=[0, 1, 3, 2]), _conv("x")], (1, 4, 6, 5)),
    ],
)
def test_what_is_moved_before_its_scale_is_known_stays_the_same(nodes: list[Any], shape: tuple[int, ...]) -> None:
    data = model(nodes, {"x": ("uint8", shape)}, {"r": "uint8", "y": "uint8"}, _CONSTANTS)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = {"x": _RANDOM.integers(0, 256, shape).astype(np.uint8)}
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, run(data, given), strict=True):
        assert values.std() > 0 and np.array_equal(to_file(graph, found[name]), values), name


@pytest.mark.parametrize("arithmetic", ["reference", "xnnpack"])
def test_a_mean_of_uint8_is_rounded_with_the_zero_point_of_the_file(arithmetic: str) -> None:
    """XNNPACK's floats hold it: beside midpoints, one that is 128 less gives other results."""
    shape, different = (1, 5, 6, 3000), 0
    image = _RANDOM.integers(0, 256, shape).astype(np.uint8)
    for point, ratio in ((0, 1.0), (131, 0.8), (255, 0.5)):
        axes = Tensor.constant(np.array([1, 2], np.int32))
        tensors = [Tensor(shape, "uint8", [0.05 * ratio], [point]), axes, Tensor((1, 3000), "uint8", [0.05], [point])]
        data = build(tensors, [Operator("MEAN", [0, 1], [2], {"table": "ReducerOptions"})], [0], [2])
        graph = apply_passes(read_tflite("network.tflite", data, arithmetic)).graph
        assert any(tensor.dtype == "int8" for tensor in graph.tensors.values())
        wanted = run_model(data, [image], kernels=arithmetic)[0]
        assert np.array_equal(run_reference(graph, feed(graph, {"t0": image}))["t2"], wanted)
        plain = replace(graph, nodes=tuple(_without_unsigned(one) for one in graph.nodes))
        different += int((run_reference(plain, feed(plain, {"t0": image}))["t2"] != wanted).sum())
    assert (different > 0) == (arithmetic == "xnnpack")


def _without_unsigned(one: Node) -> Node:
    return replace(one, attributes={key: value for key, value in one.attributes.items() if key != "unsigned"})
