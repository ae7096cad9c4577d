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
from neonlab.network.reference.near import is_near

_RANDOM = np.random.default_rng(11)
_CONSTANTS: dict[str, Any] = {
    "x_s": np.float32(0.1), "x_z": np.int8(3), "w_s": np.float32(0.013), "w_z": np.int8(-9), "y_s": np.float32(0.07),
    "g_s": np.float32(0.004), "g_z": np.int8(0), "g": _RANDOM.integers(-127, 128, (32, 24)).astype(np.int8),
}  # fmt: skip
_IMAGE = (2, 8, 40, 30)


def checked(
    nodes: list[Any], shapes: dict[str, tuple[int, ...]], zero_point: int, more: dict[str, Any] | None = None
) -> Graph:
    """The graph of nodes from the floats of each input to `z`, whose results are those of ONNX Runtime."""
    given = {name: _RANDOM.integers(-128, 128, shape).astype(np.int8) for name, shape in shapes.items()}
    held = [*given, *(["g"] if any("g_f" in one.input for one in nodes) else [])]
    nodes = [node("DequantizeLinear", [name, f"{name}_s", f"{name}_z"], f"{name}_f") for name in held] + nodes
    nodes.append(node("QuantizeLinear", ["z", "y_s", "y_z"], "y"))
    constants = {**_CONSTANTS, **(more or {}), "y_z": np.int8(zero_point)}
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


_CLIPS = {"wide": (-50, 50), "above": (0, 100), "inside": (0, 1)}
_FOLLOWED: dict[str, tuple[list[Any], dict[str, tuple[int, ...]]]] = {
    **_RELUS,
    "softmax": ([node("Softmax", ["x_f"], "v", axis=1)], {"x": _IMAGE}),
    "average": ([node("AveragePool", ["x_f"], "v", kernel_shape=[3, 3])], {"x": _IMAGE}),
    "global": ([node("GlobalAveragePool", ["x_f"], "v")], {"x": (20, 8, 2, 3)}),
}


@pytest.mark.parametrize("clip", _CLIPS)
@pytest.mark.parametrize("zero_point", [-128, 0])
@pytest.mark.parametrize("name", [name for name in _FOLLOWED if name != "rows"])
def test_a_clip_that_quantization_makes_needless_leaves_integers(name: str, zero_point: int, clip: str) -> None:
    nodes, shapes = _FOLLOWED[name]
    low, high = _CLIPS[clip]
    more = {"low": np.float32(low), "high": np.float32(high)}
    graph = checked([*nodes, node("Clip", ["v", "low", "high"], "z")], shapes, zero_point, more)
    needless = clip == "wide" or (clip == "above" and zero_point == -128)
    assert any(one.operator == "float" for one in graph.nodes) != needless


def _product(
    bias: str, output: str, clip: tuple[float, float] | None = None, step: float = 0.3
) -> tuple[bytes, dict[str, np.ndarray]]:
    """Rows by columns of many scales, with a bias, to integers; and what goes in."""
    random = np.random.default_rng(6)
    constants: dict[str, Any] = {
        "x_s": np.float32(0.05), "x_z": np.int8(5), "y_s": np.float32(step), "y_z": np.array(7, output),
        "w_s": random.uniform(0.001, 0.02, 24).astype(np.float32), "w_z": np.zeros(24, np.int8),
        "w": random.integers(-128, 128, (32, 24)).astype(np.int8), "b": random.integers(-999, 999, 24).astype(np.int32),
        "b_z": np.zeros(24, np.int32),
    }  # fmt: skip
    constants["b_s"] = constants["w_s"] * constants["x_s"] * np.float32(3 if bias == "of another scale" else 1)
    held = ["x", "w", *(["b"] if bias else [])]
    nodes = [
        node("DequantizeLinear", [name, f"{name}_s", f"{name}_z"], f"{name}_f", axis=int(name == "w")) for name in held
    ]
    nodes.append(node("Gemm", [f"{name}_f" for name in held], "v"))
    if clip is not None:
        constants |= {"low": np.float32(clip[0]), "high": np.float32(clip[1])}
        nodes.append(node("Clip", ["v", "low", "high"], "c"))
    nodes.append(node("QuantizeLinear", ["c" if clip else "v", "y_s", "y_z"], "y"))
    given = {"x": random.integers(-128, 128, (500, 32)).astype(np.int8)}
    return model(nodes, {"x": ("int8", (500, 32))}, {"y": output}, constants), given


@pytest.mark.parametrize(
    ("bias", "output", "clip", "near"),
    [
        ("of the sums", "int8", None, False),
        ("of another scale", "int8", None, False),
        ("", "int8", (-100, 100), False),
        ("of the sums", "int8", (-1, 2), True),
        ("", "uint8", None, True),
    ],
)
def test_a_product_is_that_of_onnx_runtime_or_called_near(
    bias: str, output: str, clip: tuple[float, float] | None, near: bool
) -> None:
    data, given = _product(bias, output, clip)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_reference(graph, feed(graph, given))[graph.outputs[0]]
    (dense,) = [one for one in graph.nodes if one.operator == "dense"]
    assert is_near(dense) == near
    apart = np.abs(found.astype(int) - run(data, given)[0])
    assert apart.max() <= int(near) and np.count_nonzero(apart) <= apart.size // 1000


def test_a_bias_of_another_scale_is_not_added_to_integers_that_onnx_runtime_has_as_floats() -> None:
    data, given = _product("of another scale", "int8", (-1, 2))
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    (gemm,) = [one for one in graph.nodes if one.operator == "float" and one.attributes["function"] == "gemm"]
    assert is_near(gemm)
    apart = np.abs(run_reference(graph, feed(graph, given))["y"].astype(int) - run(data, given)[0])
    assert apart.max() <= 1 and np.count_nonzero(apart) <= apart.size // 1000


@pytest.mark.parametrize("step", [0.0011, 0.0009])
def test_sums_in_steps_beyond_those_of_the_output_stay_floats(step: float) -> None:
    # The greatest scale of the sums is 0.00099.
    data, _ = _product("of the sums", "uint8", step=step)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    assert [one.operator for one in graph.nodes if one.told == "Gemm"] == ["dense" if step > 0.001 else "float"]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("operator", ["Conv", "Gemm", "ConvTranspose"])
def test_float_weights_and_biases_are_quantized_as_onnx_runtime_does(operator: str, held: bool, bias: bool) -> None:
    random = np.random.default_rng(9)
    shape = {"Conv": (8, 6, 3, 3), "Gemm": (6, 8), "ConvTranspose": (6, 8, 3, 3)}[operator]
    given = {"x": random.integers(-128, 128, (40, 6) if operator == "Gemm" else (1, 6, 9, 8)).astype(np.int8)}
    constants: dict[str, Any] = {
        "x_s": np.float32(0.05), "x_z": np.int8(5), "y_s": np.float32(0.3), "y_z": np.int8(-3),
        "w_s": np.float32(0.004), "w_z": np.int8(2), "b_f": random.normal(0, 1, 8).astype(np.float32),
    }  # fmt: skip
    nodes = [node("DequantizeLinear", ["x", "x_s", "x_z"], "x_f")]
    if held:
        constants["w"] = random.integers(-128, 128, shape).astype(np.int8)
        nodes.append(node("DequantizeLinear", ["w", "w_s", "w_z"], "w_f"))
    else:
        constants["w_f"] = random.normal(0, 0.5, shape).astype(np.float32)
    nodes += [
        node(operator, ["x_f", "w_f", *(["b_f"] if bias else [])], "z"),
        node("QuantizeLinear", ["z", "y_s", "y_z"], "y"),
    ]
    data = model(nodes, {"x": ("int8", given["x"].shape)}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    assert not any(one.operator in ("float", "dequantize") for one in graph.nodes)
    found = to_file(graph, run_reference(graph, feed(graph, given))["y"])
    apart = np.abs(found.astype(int) - run(data, given)[0])
    # Transposed convolutions stay floats in ONNX Runtime.
    assert apart.max() <= int(operator == "ConvTranspose") and np.count_nonzero(apart) <= apart.size // 500
