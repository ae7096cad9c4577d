"""Operands of different ranks are aligned as ONNX aligns them, and added in the order of ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference

#: Shapes of two operands: images with what stands for each of their channels, pixels or numbers, in either order.
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 5, 5, 5), (5, 5, 5)), ((5, 5, 5), (2, 5, 5, 5)), ((2, 5, 5, 5), (5,)), ((5, 5), (1, 5, 5, 5)),
    ((2, 8, 4, 3), (8, 1, 1)), ((1, 8, 1, 1), (2, 8, 4, 3)), ((2, 8, 4, 3), (2, 8, 1, 1)), ((), (2, 8, 4, 3)),
    ((2, 3, 4, 5, 6), (3, 4, 5, 6)), ((2, 3, 1, 1), (2, 2, 3, 4, 6)), ((40, 1), (1,)), ((40, 1), (1, 1, 1)),
    ((1,), (40, 1)), ((40, 1), (1, 40)), ((1, 40), (40, 1)), ((), ()), ((1, 1), (1,)), ((40, 1), ()), ((), (40, 1)),
]  # fmt: skip


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
@pytest.mark.parametrize("operator", ["Add", "Mul"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_two_shapes_give_what_onnx_runtime_gives(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], operator: str, form: str, constant: bool
) -> None:
    random = np.random.default_rng(5)
    left, right = (random.integers(-128, 128, shape).astype(np.int8) for shape in shapes)
    constants: dict[str, Any] = {
        "s": np.float32(0.0313), "t": np.float32(0.0277), "u": np.float32(0.07), "z": np.int8(3), "y_z": np.int8(-5),
    }  # fmt: skip
    scales = ["s", "z", "w", "t", "y_z", "u", "z"]
    nodes = [node(f"QLinear{operator}", ["x", *scales], "q", "com.microsoft")]
    if form == "QDQ":
        nodes = [
            node("DequantizeLinear", ["x", "s", "z"], "a"),
            node("DequantizeLinear", ["w", "t", "y_z"], "b"),
            node(operator, ["a", "b"], "c"),
            node("QuantizeLinear", ["c", "u", "z"], "q"),
        ]
    nodes.append(node("DequantizeLinear", ["q", "u", "z"], "y"))
    given = {"x": left} if constant else {"x": left, "w": right}
    if constant:
        constants["w"] = right
    data = model(nodes, {name: ("int8", held.shape) for name, held in given.items()}, {"y": "float32"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(graph, run_reference(graph, feed(graph, given))[graph.outputs[0]])
    assert np.array_equal(found, run(data, given)[0])


def test_shapes_that_do_not_broadcast_are_told_as_the_file_has_them() -> None:
    kinds = {"x": ("float32", (1, 8, 4, 3)), "w": ("float32", (5, 4, 3))}
    data = model([node("Add", ["x", "w"], "y")], kinds, {"y": "float32"}, {})
    with pytest.raises(Exception, match=r"shapes \[1, 8, 4, 3\] and \[1, 5, 4, 3\] do not broadcast"):
        read_onnx("network.onnx", data, {})


def _given_and_found(nodes: list[Any], constants: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, Any]:
    """What ONNX Runtime makes of int8 `x` as `y`, what the lab does, and the graph after the passes."""
    image = np.random.default_rng(9).integers(-128, 128, (1, 4, 6, 5)).astype(np.int8)
    data = model(nodes, {"x": ("int8", image.shape)}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(graph, run_reference(graph, feed(graph, {"x": image}))[graph.outputs[0]])
    return run(data, {"x": image})[0], found, graph


_SCALES: dict[str, Any] = {
    "s": np.float32(0.03), "z": np.int8(3), "t": np.float32(0.05), "u": np.int8(-4), "k": np.float32(1.5),
}  # fmt: skip


def test_a_tensor_may_be_read_with_several_scales() -> None:
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node("DequantizeLinear", ["x", "t", "u"], "b"),
        node("Add", ["a", "b"], "c"),
        node("QuantizeLinear", ["c", "t", "u"], "y"),
    ]
    expected, found, _ = _given_and_found(nodes, _SCALES)
    assert np.array_equal(found, expected)


def test_nodes_of_one_name_are_told_apart() -> None:
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node("Mul", ["a", "k"], "b"),
        node("Relu", ["b"], "c"),
        node("QuantizeLinear", ["c", "t", "u"], "y"),
    ]
    expected, _, _ = _given_and_found(nodes, _SCALES)
    for one in nodes:  # ONNX Runtime refuses such a model; other programs write it
        one.name = "node"
    data = model(nodes, {"x": ("int8", (1, 4, 6, 5))}, {"y": "int8"}, _SCALES)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    image = np.random.default_rng(9).integers(-128, 128, (1, 4, 6, 5)).astype(np.int8)
    found = to_file(graph, run_reference(graph, feed(graph, {"x": image}))[graph.outputs[0]])
    assert np.array_equal(found, expected)


def test_weights_that_the_model_quantizes_itself_are_constants() -> None:
    random = np.random.default_rng(10)
    constants = {
        **_SCALES, "w": random.normal(0, 0.3, (6, 4, 3, 3)).astype(np.float32), "w_z": np.zeros(6, np.int8),
        "w_s": random.uniform(0.005, 0.01, 6).astype(np.float32),
    }  # fmt: skip
    nodes = [
        node("QuantizeLinear", ["w", "w_s", "w_z"], "q", axis=0),
        node("DequantizeLinear", ["q", "w_s", "w_z"], "v", axis=0),
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node("Conv", ["a", "v"], "c", pads=[1, 1, 1, 1]),
        node("QuantizeLinear", ["c", "t", "u"], "y"),
    ]
    expected, found, graph = _given_and_found(nodes, constants)
    assert np.array_equal(found, expected) and [one.operator for one in graph.nodes] == ["conv"]
