"""Clusters of QDQ give the integers of ONNX Runtime, which computes some of them on integers and others on floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference

_RANDOM = np.random.default_rng(11)
_CONSTANTS: dict[str, Any] = {
    "x_s": np.float32(0.1), "x_z": np.int8(3), "w_s": np.float32(0.013), "w_z": np.int8(-9), "y_s": np.float32(0.07),
    "g_s": np.float32(0.004), "g_z": np.int8(0), "g": _RANDOM.integers(-127, 128, (32, 24)).astype(np.int8),
}  # fmt: skip
_IMAGE = (2, 8, 40, 30)


def checked(nodes: list[Any], shapes: dict[str, tuple[int, ...]], zero_point: int) -> Graph:
    """The graph of nodes from the floats of each input to `z`, whose results are those of ONNX Runtime."""
    given = {name: _RANDOM.integers(-128, 128, shape).astype(np.int8) for name, shape in shapes.items()}
    held = [*given, *(["g"] if any("g_f" in one.input for one in nodes) else [])]
    nodes = [node("DequantizeLinear", [name, f"{name}_s", f"{name}_z"], f"{name}_f") for name in held] + nodes
    nodes.append(node("QuantizeLinear", ["z", "y_s", "y_z"], "y"))
    constants = {**_CONSTANTS, "y_z": np.int8(zero_point)}
    data = model(nodes, {name: ("int8", shape) for name, shape in shapes.items()}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(graph, run_reference(graph, feed(graph, given))[graph.outputs[0]])
    expected = run(data, given)[0]
    assert expected.std() > 0 and np.array_equal(found, expected)
    return graph


_RELUS: dict[str, tuple[list[Any], dict[str, tuple[int, ...]]]] = {
    "sum": ([node("Add", ["x_f", "w_f"], "v")], {"x": _IMAGE, "w": _IMAGE}),
    "product": ([node("Mul", ["x_f", "w_f"], "v")], {"x": _IMAGE, "w": _IMAGE}),
    "parts": ([node("Concat", ["x_f", "w_f"], "v", axis=1)], {"x": _IMAGE, "w": _IMAGE}),
    "rows": ([node("MatMul", ["x_f", "g_f"], "v")], {"x": (100, 32)}),
}


@pytest.mark.parametrize("zero_point", [-128, 0, -5])
@pytest.mark.parametrize("name", _RELUS)
def test_a_relu_after_an_operator_clamps_or_keeps_it_on_floats(name: str, zero_point: int) -> None:
    nodes, shapes = _RELUS[name]
    graph = checked([*nodes, node("Relu", ["v"], "z")], shapes, zero_point)
    floats = any(one.operator == "float" for one in graph.nodes)
    assert floats == (name != "rows" and zero_point != -128)


@pytest.mark.parametrize("moved", ["input", "weights"])
def test_what_is_moved_before_a_product_leaves_it_on_integers(moved: str) -> None:
    turned = node("Transpose", ["x_f" if moved == "input" else "g_f"], "t")
    shapes: dict[str, tuple[int, ...]] = {"x": (32, 50) if moved == "input" else (50, 24)}
    product = node("MatMul", ["t", "g_f"] if moved == "input" else ["x_f", "t"], "z")
    graph = checked([turned, product], shapes, 0)
    assert "dense" in {one.operator for one in graph.nodes}
    assert not any(one.operator in ("float", "dequantize") for one in graph.nodes)


def test_a_byte_that_has_no_quotient_refuses_no_network_that_never_has_it() -> None:
    nodes = [
        node("DequantizeLinear", ["x", "x_s", "x_z"], "f"),
        node("Div", ["f", "f"], "v"),
        node("Add", ["v", "f"], "z"),
        node("QuantizeLinear", ["z", "y_s", "w_z"], "y"),
    ]
    given = {"x": np.setdiff1d(np.arange(-128, 128), [3]).astype(np.int8)}  # 3 stands for 0
    data = model(nodes, {"x": ("int8", given["x"].shape)}, {"y": "int8"}, _CONSTANTS)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(graph, run_reference(graph, feed(graph, given))[graph.outputs[0]])
    assert np.array_equal(found, run(data, given)[0])
