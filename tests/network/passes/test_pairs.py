"""Quantizations stand where ONNX Runtime has them, so that what is between them gives its integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import PASSES, apply_passes
from neonlab.network.passes.pairs import join_pairs
from neonlab.network.reference.inference import feed, run_reference
from neonlab.network.reference.near import is_near

_RANDOM = np.random.default_rng(12)
_CONSTANTS: dict[str, Any] = {
    "x_s": np.float32(0.1), "x_z": np.int8(3), "w_s": np.float32(0.013), "w_z": np.int8(-9), "y_s": np.float32(0.07),
    "y_z": np.int8(-11), "u_s": np.float32(0.031), "u_z": np.int8(5), "to": np.array([0, -1]), "one": np.array([1]),
    "four": np.array([4]),
}  # fmt: skip
_SHAPE = (2, 8, 20, 15)
_SUM = [
    node("DequantizeLinear", ["x", "x_s", "x_z"], "x_f"),
    node("DequantizeLinear", ["w", "w_s", "w_z"], "w_f"),
    node("Add", ["x_f", "w_f"], "v"),
]


def checked(nodes: list[Any], output: str, kind: str) -> Graph:
    """The graph of a sum and what follows, whose results are those of ONNX Runtime."""
    given = {name: _RANDOM.integers(-128, 128, _SHAPE).astype(np.int8) for name in ("x", "w")}
    data = model([*_SUM, *nodes], dict.fromkeys(given, ("int8", _SHAPE)), {output: kind}, _CONSTANTS)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(graph, run_reference(graph, feed(graph, given))[graph.outputs[0]])
    expected = run(data, given)[0]
    assert expected.std() > 0 and np.array_equal(found, expected)
    return graph


_MOVES: dict[str, list[Any]] = {
    "max pool": [node("MaxPool", ["v"], "m", kernel_shape=[2, 2], strides=[2, 2], pads=[1, 0, 0, 1])],
    "transpose": [node("Transpose", ["v"], "m", perm=[0, 2, 3, 1])],
    "reshape": [node("Reshape", ["v", "to"], "m")],
    "slice": [node("Slice", ["v", "one", "four", "one"], "m")],
    "two": [node("MaxPool", ["v"], "p", kernel_shape=[2, 2]), node("Transpose", ["p"], "m", perm=[0, 2, 3, 1])],
    "flat": [node("Flatten", ["v"], "m")],
}


@pytest.mark.parametrize("name", _MOVES)
def test_a_quantization_after_a_move_makes_the_sum_before_it_integers(name: str) -> None:
    graph = checked([*_MOVES[name], node("QuantizeLinear", ["m", "y_s", "y_z"], "y")], "y", "int8")
    # ONNX Runtime brings no quantization through Flatten.
    assert any(one.operator == "float" for one in graph.nodes) == (name == "flat")


def pair(before: str, name: str, after: str) -> list[Any]:
    ends = [f"{name}_s", f"{name}_z"]
    return [
        node("QuantizeLinear", [before, *ends], f"{after}_{name}"),
        node("DequantizeLinear", [f"{after}_{name}", *ends], after),
    ]


@pytest.mark.parametrize("names", ["yu", "uy", "yuw", "yy"])
def test_pairs_one_after_another_have_the_range_of_all(names: str) -> None:
    nodes, last = [], "v"
    for number, name in enumerate(names):
        nodes += pair(last, name, f"f{number}")
        last = f"f{number}"
    graph = checked(nodes, last, "float32")
    assert [one.operator for one in graph.nodes] == ["add", "dequantize"]


def test_a_pair_that_something_else_takes_stays() -> None:
    nodes = [*pair("v", "y", "f"), *pair("f", "u", "g"), node("Add", ["f", "g"], "h")]
    graph = checked(nodes, "h", "float32")
    assert [one.operator for one in graph.nodes].count("dequantize") == 2


def test_what_is_left_out_is_found() -> None:
    nodes = [*_SUM, *pair("v", "y", "f"), *pair("f", "u", "g")]
    given = {name: _RANDOM.integers(-128, 128, _SHAPE).astype(np.int8) for name in ("x", "w")}
    data = model(nodes, dict.fromkeys(given, ("int8", _SHAPE)), {"g": "float32"}, _CONSTANTS)
    graph = read_onnx("network.onnx", data, {})
    for one in PASSES:
        graph = graph if one is join_pairs else one(graph).graph
    assert not np.array_equal(run_reference(graph, feed(graph, given))["g"], run(data, given)[0])


@pytest.mark.parametrize("operator", ["Flatten", "Reshape"])
def test_a_product_after_a_move_that_onnx_runtime_has_on_floats_is_near(operator: str) -> None:
    constants = {**_CONSTANTS, "k": _RANDOM.integers(-128, 128, (48, 20)).astype(np.int8)}
    nodes = [
        node("DequantizeLinear", ["x", "x_s", "x_z"], "x_f"),
        node(operator, ["x_f", *(["to"] if operator == "Reshape" else [])], "m"),
        node("DequantizeLinear", ["k", "w_s", "w_z"], "k_f"),
        node("MatMul", ["m", "k_f"], "v"),
        node("QuantizeLinear", ["v", "y_s", "y_z"], "y"),
    ]
    data = model(nodes, {"x": ("int8", (200, 8, 3, 2))}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    (dense,) = [one for one in graph.nodes if one.operator == "dense"]
    assert is_near(dense) == (operator == "Flatten")
    given = {"x": _RANDOM.integers(-128, 128, (200, 8, 3, 2)).astype(np.int8)}
    apart = np.abs(run_reference(graph, feed(graph, given))["y"].astype(int) - run(data, given)[0])
    assert apart.max() <= int(operator == "Flatten") and np.count_nonzero(apart) <= apart.size // 100
