"""Each pass leaves the results as they are, and does what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build
from tests.network.onnx_models import classifier, model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.layout import to_file
from neonlab.network.passes.batch_norm import fold_batch_norm
from neonlab.network.passes.clusters import integer_operators
from neonlab.network.passes.every import PASSES
from neonlab.network.passes.moves import move_before
from neonlab.network.passes.rewrite import Pass
from neonlab.network.passes.signed import sign_activations
from neonlab.network.passes.tables import join_tables
from neonlab.network.passes.windows import clamp_inside, pad_inside, pool_before
from neonlab.network.reference.inference import drawn, feed, run_reference


def outputs(graph: Graph, given: dict[str, Array]) -> list[Array]:
    found = run_reference(graph, feed(graph, given))
    return [found[name] for name in graph.outputs]


def held_to_the_same(graph: Graph, one: Pass) -> tuple[Graph, tuple[str, ...]]:
    """Apply a pass, and compare every output over several inputs."""
    passed = one(graph)
    for seed in range(4):
        given = drawn(graph, seed)
        for before, after in zip(outputs(graph, given), outputs(passed.graph, given), strict=True):
            assert before.std() > 0 or before.size < 4
            assert before.dtype == after.dtype and np.array_equal(before, after)
    return passed.graph, passed.notes


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_the_passes_one_after_another_leave_a_classifier_as_it_is(kind: str) -> None:
    graph = read_onnx("network.onnx", classifier(kind)[0], {})
    done: tuple[str, ...] = ()
    for one in PASSES:
        graph, notes = held_to_the_same(graph, one)
        done += notes
    assert any("tables" in note for note in done) and any("max pools" in note for note in done)
    assert any("uint8" in note for note in done) == (kind == "uint8")


def test_a_hard_swish_in_four_nodes_becomes_one_table() -> None:
    graph = read_onnx("network.onnx", classifier()[0], {})
    short, _ = held_to_the_same(graph, join_tables)
    assert len(short.nodes) < len(graph.nodes) - 4
    assert not any(one.operator in ("add", "mul") for one in short.nodes)


def test_a_pool_moves_before_the_floats_that_never_fall() -> None:
    graph = read_onnx("network.onnx", classifier()[0], {})
    assert [one.operator for one in graph.nodes].count("max_pool") == 0
    short, notes = held_to_the_same(graph, pool_before)
    assert [one.operator for one in short.nodes].count("max_pool") == 1
    assert notes == ("1 max pools moved before dequantizations",)


def test_no_tensor_of_kernels_is_uint8_in_the_end() -> None:
    graph = sign_activations(read_onnx("network.onnx", classifier("uint8")[0], {})).graph
    weighted = [one for one in graph.nodes if one.operator in ("conv", "depthwise", "dense", "add", "mul")]
    assert weighted and {graph.tensor(one.outputs[0]).dtype for one in weighted} == {"int8"}
    assert {graph.tensor(name).dtype for name in graph.outputs} == {"float32", "uint8"}


def padded_and_clamped() -> bytes:
    random = np.random.default_rng(3)
    weights = Tensor.constant(random.integers(-127, 128, (8, 3, 3, 4)).astype(np.int8), [0.004])
    bias = Tensor.constant(random.integers(-90, 90, 8).astype(np.int32), [0.02 * 0.004])
    widths = Tensor.constant(np.array([[0, 0], [1, 2], [3, 1], [0, 0]], np.int32))
    tensors = [
        Tensor((1, 6, 5, 4), "int8", [0.02], [-7]), widths, Tensor((1, 9, 9, 4), "int8", [0.02], [-7]), weights, bias,
        Tensor((1, 7, 7, 8), "int8", [0.05], [-3]), Tensor((1, 7, 7, 8), "int8", [0.05], [-3]),
    ]  # fmt: skip
    conv = {"table": "Conv2DOptions", "padding": 1, "strideH": 1, "strideW": 1}
    operators = [
        Operator("PAD", [0, 1], [2], {"table": "PadOptions"}),
        Operator("CONV_2D", [2, 3, 4], [5], conv),
        Operator("RELU6", [5], [6], {}),
    ]
    return build(tensors, operators, [0], [6])


def test_padding_and_a_clamp_move_into_the_convolution_between_them() -> None:
    graph = read_tflite("network.tflite", padded_and_clamped())
    graph, clamped = held_to_the_same(graph, clamp_inside)
    graph, padded = held_to_the_same(graph, pad_inside)
    assert [one.operator for one in graph.nodes] == ["conv"] and clamped and padded
    assert graph.nodes[0].attributes["lowest"] == -3 and graph.nodes[0].attributes["highest"] == 117
    assert graph.nodes[0].attributes["window"].padding == ((1, 2), (3, 1))


def floats() -> bytes:
    random = np.random.default_rng(3)
    constants = {
        "w": random.normal(0, 0.2, (6, 3, 3, 3)).astype(np.float32),
        "b": random.normal(0, 0.2, 6).astype(np.float32),
        **{name: random.uniform(0.5, 2, 6).astype(np.float32) for name in ("scale", "offset", "mean", "variance")},
    }
    nodes = [
        node("Conv", ["x", "w", "b"], "c", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "scale", "offset", "mean", "variance"], "n"),
        node("Relu", ["n"], "y"),
    ]
    return model(nodes, {"x": ("float32", [1, 3, 8, 8])}, {"y": "float32"}, constants)


def test_batch_normalization_folds_up_to_roundings() -> None:
    graph = read_onnx("network.onnx", floats(), {})
    passed = fold_batch_norm(graph)
    assert [one.attributes["function"] for one in passed.graph.nodes] == ["conv", "relu"]
    given = drawn(graph, 1)
    before, after = outputs(graph, given)[0], outputs(passed.graph, given)[0]
    assert np.allclose(before, after, rtol=1e-4, atol=1e-5) and before.std() > 0


def clusters() -> bytes:
    random = np.random.default_rng(3)
    constants = {
        "w": random.integers(-127, 128, (6, 3, 3, 3)).astype(np.int8), "w_s": np.full(6, 0.01, np.float32),
        "w_z": np.zeros(6, np.int8), "b": random.integers(-99, 99, 6).astype(np.int32),
        "x_s": np.float32(0.02), "x_z": np.int8(4), "b_s": np.full(6, np.float32(0.02) * np.float32(0.01)),
        "b_z": np.zeros(6, np.int32), "y_s": np.float32(0.1), "y_z": np.int8(-8),
    }  # fmt: skip
    nodes = [
        node("QuantizeLinear", ["x", "x_s", "x_z"], "x_q"),
        node("DequantizeLinear", ["x_q", "x_s", "x_z"], "x_f"),
        node("DequantizeLinear", ["w", "w_s", "w_z"], "w_f", axis=0),
        node("DequantizeLinear", ["b", "b_s", "b_z"], "b_f", axis=0),
        node("Conv", ["x_f", "w_f", "b_f"], "c", pads=[1, 1, 1, 1]),
        node("Relu", ["c"], "r"),
        node("QuantizeLinear", ["r", "y_s", "y_z"], "y"),
    ]
    return model(nodes, {"x": ("float32", [1, 3, 8, 8])}, {"y": "int8"}, constants)


def test_a_cluster_becomes_one_integer_convolution_with_the_relu_in_its_clamp() -> None:
    graph = read_onnx("network.onnx", clusters(), {})
    short, notes = integer_operators(graph).graph, integer_operators(graph).notes
    assert [one.operator for one in short.nodes] == ["quantize", "conv"]
    # The zero point is not the least int8, so that ONNX Runtime leaves the relu, and the convolution on floats.
    assert notes == ("1 Conv turned to integers", "1 of these are floats in ONNX Runtime: near its results")
    assert short.nodes[1].attributes["lowest"] == -8 and short.nodes[1].attributes["near"]
    given = drawn(graph, 2)
    before, after = outputs(graph, given)[0], outputs(short, given)[0]
    # Sums of floats, rounded, may differ from sums of integers next to midpoints, by a step.
    assert np.abs(before.astype(int) - after).max() <= 1 and (before != after).mean() < 0.01 and after.std() > 0


def test_a_divisor_that_is_quantized_too_is_a_number_in_the_table() -> None:
    constants = {"s": np.float32(0.05), "z": np.array(-3, np.int8), "six": np.array(127, np.int8)}
    constants |= {"d": np.float32(6 / 127), "o": np.array(0, np.int8), "t": np.float32(0.01)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node("DequantizeLinear", ["six", "d", "o"], "g"),
        node("Div", ["f", "g"], "h"),
        node("QuantizeLinear", ["h", "t", "z"], "y"),
    ]
    data = model(nodes, {"x": ("int8", (1, 4, 8, 8))}, {"y": "int8"}, constants)
    graph = read_onnx("network.onnx", data, {})
    short, _ = held_to_the_same(graph, join_tables)
    assert [one.operator for one in short.nodes] == ["unary"]
    given = np.random.default_rng(5).integers(-128, 128, (1, 4, 8, 8)).astype(np.int8)
    assert np.array_equal(to_file(short, outputs(short, {"x": given})[0]), run(data, {"x": given})[0])


_HALF = {"mode": "nearest", "coordinate_transformation_mode": "half_pixel"}
_MOVES = {
    "Resize": node("Resize", ["f", "", "", "size"], "g", **_HALF),
    "MaxPool": node("MaxPool", ["f"], "g", kernel_shape=[2, 3], pads=[0, 1, 1, 0]),
    "Slice": node("Slice", ["f", "from", "to", "along"], "g"),
    "Transpose": node("Transpose", ["f"], "g", perm=[0, 2, 3, 1]),
    "Reshape": node("Reshape", ["f", "flat"], "g"),
}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", _MOVES)
def test_what_moves_elements_moves_before_the_dequantization(name: str, shared: bool) -> None:
    constants = {"s": np.float32(0.05), "z": np.array(-3, np.int8), "size": np.array([1, 4, 6, 24], np.int64)}
    constants |= {
        "from": np.array([1, 2]),
        "to": np.array([4, 8]),
        "along": np.array([1, 3]),
        "flat": np.array([1, -1]),
    }
    one = _MOVES[name]
    nodes = [node("DequantizeLinear", ["x", "s", "z"], "f"), one, node("QuantizeLinear", ["g", "s", "z"], "y")]
    outputs_ = {"y": "int8"}
    if shared:  # another node takes the same floats
        nodes.append(node("Softplus", ["f"], "other"))
        outputs_["other"] = "float32"
    data = model(nodes, {"x": ("int8", (1, 4, 3, 8))}, outputs_, constants)
    graph = read_onnx("network.onnx", data, {})
    moved, notes = held_to_the_same(graph, move_before)
    assert notes == ("1 moves and max pools brought before dequantizations",)
    short = join_tables(moved).graph
    integer = {tensor for tensor in short.tensors if short.tensor(tensor).dtype == "int8"}
    assert all({*one.inputs, *one.outputs} <= integer for one in short.nodes if one.told == name)
    assert not any(one.operator == "quantize" for one in short.nodes)
    given = np.random.default_rng(5).integers(-128, 128, (1, 4, 3, 8)).astype(np.int8)
    for found, values in zip(outputs(short, {"x": given}), run(data, {"x": given}), strict=True):
        assert np.array_equal(to_file(short, found), values)


def test_parts_of_several_scales_are_joined_as_integers() -> None:
    constants = {"s": np.float32(0.05), "t": np.float32(0.11), "u": np.float32(0.08), "z": np.array(-3, np.int8)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node("DequantizeLinear", ["w", "t", "z"], "g"),
        node("Concat", ["f", "g"], "h", axis=1),
        node("QuantizeLinear", ["h", "u", "z"], "y"),
    ]
    data = model(nodes, {"x": ("int8", (1, 4, 3, 8)), "w": ("int8", (1, 2, 3, 8))}, {"y": "int8"}, constants)
    graph = read_onnx("network.onnx", data, {})
    joined, _ = held_to_the_same(graph, integer_operators)
    assert [one.operator for one in joined.nodes] == ["concat"]
    random = np.random.default_rng(6)
    given = {name: random.integers(-128, 128, (1, count, 3, 8)).astype(np.int8) for name, count in (("x", 4), ("w", 2))}
    assert np.array_equal(to_file(joined, outputs(joined, given)[0]), run(data, given)[0])


@pytest.mark.parametrize("operator", ["QLinearAdd", "QLinearMul"])
def test_sums_and_products_of_uint8_are_rounded_with_the_zero_points_of_the_file(operator: str) -> None:
    """For all pairs of bytes: the floats hold the zero points, and lose other bits with others."""
    left, right = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8), indexing="ij")
    given = {"a": left[np.newaxis, np.newaxis], "b": right[np.newaxis, np.newaxis]}
    different = 0
    random = np.random.default_rng(7)
    cases = [[(random.uniform(0.001, 0.03), int(random.integers(0, 256))) for _ in "aby"] for _ in range(6)]
    # What a drawn network had, and a trained classifier.
    cases.append([(0.029520800337195396, 139), (0.0020905493292957544, 0), (0.015029345639050007, 138)])
    cases.append([(0.03569602221250534, 122), (0.02680639736354351, 129), (0.044384557753801346, 132)])
    for case in cases:
        constants: dict[str, Any] = {}
        for name, (scale, point) in zip("aby", case, strict=True):
            constants |= {f"{name}s": np.float32(scale), f"{name}z": np.array(point, np.uint8)}
        nodes = [node(operator, ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], "y", "com.microsoft")]
        kinds = {name: ("uint8", values.shape) for name, values in given.items()}
        data = model(nodes, kinds, {"y": "uint8"}, constants)
        graph = read_onnx("network.onnx", data, {})
        moved = sign_activations(graph).graph
        expected = run(data, given)[0]
        assert np.array_equal(to_file(moved, outputs(moved, given)[0]), expected)
        plain = replace(moved, nodes=tuple(_without_unsigned(one) for one in moved.nodes))
        different += int((to_file(plain, outputs(plain, given)[0]) != expected).sum())
    assert different > 0  # else this would show nothing


def _without_unsigned(one: Node) -> Node:
    return replace(one, attributes={key: value for key, value in one.attributes.items() if key != "unsigned"})
