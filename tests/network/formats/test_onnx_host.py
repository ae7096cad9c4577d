"""Operators that the lab has no arithmetic for are computed by ONNX Runtime, and said to be."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run.network import macs_of

Arrays = dict[str, np.ndarray]
_RANDOM = np.random.default_rng(20)


def _floats(*shape: int) -> np.ndarray:
    return _RANDOM.normal(0, 1, shape).astype(np.float32)


def _read(nodes: list[Any], given: Arrays, constants: Arrays, outputs: list[str]) -> tuple[Graph, list[np.ndarray]]:
    """The graph, and what ONNX Runtime makes of the inputs."""
    kinds = {name: (values.dtype.name, values.shape) for name, values in given.items()}
    data = model(nodes, kinds, dict.fromkeys(outputs, "float32"), constants, opset=17)
    onnx = require_module("onnx")
    held = onnx.load_from_string(data)
    for output in held.graph.output:
        output.ClearField("type")  # the type is what the operator says
    data = held.SerializeToString()
    return read_onnx("network.onnx", data, {}), run(data, given)


_SINGLE: dict[str, tuple[Any, Arrays, Arrays, int]] = {
    "part": (
        node("Slice", ["x", "from", "to", "along"], "y"),
        {"x": _floats(1, 6, 5, 4)},
        {"from": np.array([1, 0]), "to": np.array([5, 3]), "along": np.array([1, 3])},
        0,
    ),
    "layer normalization": (
        node("LayerNormalization", ["x", "s", "b"], "y"),
        {"x": _floats(2, 7, 16)},
        {"s": _floats(16), "b": _floats(16)},
        0,
    ),
    "scalar index": (node("Gather", ["x", "i"], "y", axis=0), {"x": _floats(2, 3, 4)}, {"i": np.array(1)}, 0),
    "rows of a table": (node("Gather", ["t", "x"], "y"), {"x": np.array([[3, 1, 0]])}, {"t": _floats(5, 8)}, 0),
    "depth to space": (node("DepthToSpace", ["x"], "y", blocksize=2), {"x": _floats(1, 8, 3, 5)}, {}, 0),
    "error function": (node("Erf", ["x"], "y"), {"x": _floats(3, 9)}, {}, 0),
    "mean": (node("ReduceMean", ["x"], "y", axes=[2, 3], keepdims=1), {"x": _floats(1, 6, 4, 5)}, {}, 0),
    "softmax of rows": (node("Softmax", ["x"], "y", axis=-1), {"x": _floats(1, 2, 5, 6)}, {}, 0),
    "convolution of a line": (
        node("Conv", ["x", "w"], "y", pads=[1, 1], strides=[2]),
        {"x": _floats(1, 6, 20)},
        {"w": _floats(8, 6, 3)},
        8 * 10 * 6 * 3,
    ),
    "product of two tensors": (
        node("MatMul", ["x", "w"], "y"),
        {"x": _floats(1, 2, 5, 8), "w": _floats(1, 2, 8, 3)},
        {},
        2 * 5 * 3 * 8,
    ),
    "einsum": (
        node("Einsum", ["x", "w"], "y", equation="bij,jk->bik"),
        {"x": _floats(2, 5, 8)},
        {"w": _floats(8, 3)},
        2 * 5 * 8 * 3,
    ),
    "recurrent layer": (
        node("LSTM", ["x", "w", "r"], "y", hidden_size=6),
        {"x": _floats(4, 1, 5)},
        {"w": _floats(1, 24, 5), "r": _floats(1, 24, 6)},
        4 * 24 * (5 + 6),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _SINGLE)
def test_an_operator_gives_what_onnx_runtime_gives(name: str) -> None:
    one, given, constants, macs = _SINGLE[name]
    graph, expected = _read([one], given, constants, ["y"])
    found = to_file(graph, run_reference(graph, feed(graph, given))["y"])
    assert found.shape == expected[0].shape
    assert np.allclose(found, expected[0], 1e-6, 1e-6)
    assert sum(macs_of(graph, node) for node in graph.nodes) == macs


def test_every_output_of_a_node_is_there() -> None:
    split = require_module("onnx").helper.make_node("Split", ["x", "sizes"], ["a", "", "c"], axis=1, name="parts")
    given = {"x": _RANDOM.integers(-128, 128, (1, 9, 3, 2)).astype(np.int8)}
    data = model([split], {"x": ("int8", (1, 9, 3, 2))}, {"a": "int8", "c": "int8"}, {"sizes": np.array([2, 3, 4])})
    graph = read_onnx("network.onnx", data, {})
    found = run_reference(graph, feed(graph, given))
    assert [one.name for one in graph.nodes] == ["parts", "parts/2"]
    for name, values in (("a", given["x"][:, :2]), ("c", given["x"][:, 5:])):
        assert np.array_equal(to_file(graph, found[name]), values), name


def test_what_an_exporter_writes_to_compute_a_shape_is_gone() -> None:
    nodes = [
        node("Shape", ["x"], "shape"),
        node("Gather", ["shape", "zero"], "batch", axis=0),
        node("Unsqueeze", ["batch", "axes"], "batches"),
        node("Concat", ["batches", "rest"], "target", axis=0),
        node("Reshape", ["x", "target"], "y"),
    ]
    given = {"x": _floats(2, 3, 4)}
    constants = {"zero": np.array(0), "axes": np.array([0]), "rest": np.array([-1])}
    graph, expected = _read(nodes, given, constants, ["y"])
    assert [one.told for one in graph.nodes] == ["Reshape"]
    assert np.array_equal(run_reference(graph, feed(graph, given))["y"], expected[0])


def test_scales_stay_with_the_parts_of_a_tensor() -> None:
    constants: Arrays = {"s": np.array(0.5, np.float32), "z": np.array(3, np.int8), "sizes": np.array([2, 4])}
    split = require_module("onnx").helper.make_node("Split", ["q", "sizes"], ["a", "b"], axis=1, name="parts")
    nodes = [
        node("QuantizeLinear", ["x", "s", "z"], "q"), split,
        *(node("DequantizeLinear", [part, "s", "z"], f"{part}_y") for part in "ab"),
    ]  # fmt: skip
    given = {"x": 20 * _floats(1, 6, 3, 3)}
    graph, expected = _read(nodes, given, constants, ["a_y", "b_y"])
    found = run_reference(graph, feed(graph, given))
    assert graph.tensor("b").quantization == graph.tensor("q").quantization
    for name, values in zip(("a_y", "b_y"), expected, strict=True):
        assert np.array_equal(to_file(graph, found[name]), values), name


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_a_quantized_product_of_two_tensors_is_the_same(rank: int, kind: str) -> None:
    zero = 0 if kind == "int8" else 128
    constants: Arrays = {f"{name}_s": np.array(s, np.float32) for name, s in (("a", 0.03), ("b", 0.02), ("y", 0.09))}
    constants |= {f"{name}_z": np.array(z + zero, kind) for name, z in (("a", 5), ("b", -9), ("y", 2))}
    scaled = {name: [f"{name}_s", f"{name}_z"] for name in "aby"}
    nodes = []
    for name in "ab":
        nodes.append(node("QuantizeLinear", [f"{name}_x", *scaled[name]], f"{name}_q"))
        nodes.append(node("DequantizeLinear", [f"{name}_q", *scaled[name]], f"{name}_f"))
    nodes.append(node("MatMul", ["a_f", "b_f"], "p"))
    nodes.append(node("QuantizeLinear", ["p", *scaled["y"]], "q"))
    nodes.append(node("DequantizeLinear", ["q", *scaled["y"]], "y"))
    lead = (2, 3)[: rank - 2]
    given = {"a_x": _floats(*lead, 17, 40), "b_x": _floats(*lead, 40, 23)}
    graph, expected = _read(nodes, given, constants, ["y"])
    passed = apply_passes(graph).graph
    found = to_file(passed, run_reference(passed, feed(passed, given))["y"])
    assert "matmul" in [one.operator for one in passed.nodes]
    assert np.array_equal(found, expected[0])
    assert sum(macs_of(passed, one) for one in passed.nodes) == 17 * 40 * 23 * int(np.prod(lead))


@pytest.mark.parametrize("points", [(), ("az",), ("az", "bz"), ("rows", "columns")])
def test_integer_products_are_those_of_onnx(points: tuple[str, ...]) -> None:
    given = {
        "a": _RANDOM.integers(0, 256, (2, 5, 30)).astype(np.uint8),
        "b": _RANDOM.integers(-128, 128, (30, 7)).astype(np.int8),
    }
    constants: Arrays = {"az": np.array(131, np.uint8), "bz": np.array(-3, np.int8)}
    constants |= {"rows": np.arange(5, dtype=np.uint8), "columns": np.arange(7, dtype=np.int8)}
    nodes = [node("MatMulInteger", ["a", "b", *points], "y")]
    graph, _ = _integers(nodes, given, constants)
    left, right = given["a"].astype(int), given["b"].astype(int)
    if points:
        left = left - constants[points[0]].astype(int).reshape((-1, 1) if points[0] == "rows" else ())
    if len(points) > 1:
        right = right - constants[points[1]].astype(int)
    found = run_reference(graph, feed(graph, given))["y"]
    assert found.dtype == np.int32 and np.array_equal(found, left @ right)
    assert macs_of(graph, graph.nodes[0]) == 2 * 5 * 30 * 7


@pytest.mark.parametrize("groups", [1, 2])
def test_integer_convolutions_are_those_of_onnx(groups: int) -> None:
    given = {"a": _RANDOM.integers(0, 256, (1, 4, 6, 7)).astype(np.uint8)}
    weights = _RANDOM.integers(-128, 128, (6, 4 // groups, 3, 3)).astype(np.int8)
    constants: Arrays = {"w": weights, "az": np.array(7, np.uint8), "wz": np.array(-5, np.int8)}
    attributes: dict[str, Any] = {"group": groups, "pads": [1, 0, 1, 2], "strides": [2, 1]}
    graph, data = _integers([node("ConvInteger", ["a", "w", "az", "wz"], "y", **attributes)], given, constants)
    found = to_file(graph, run_reference(graph, feed(graph, given))["y"])
    # In floats, which hold such sums exactly; ONNX Runtime's own int8 products saturate on some x86.
    floats = {"x": given["a"].astype(np.float32) - 7}
    of_floats = {"w": weights.astype(np.float32) + 5}
    plain = model(
        [node("Conv", ["x", "w"], "y", **attributes)], {"x": ("float32", (1, 4, 6, 7))}, {"y": "float32"}, of_floats
    )
    assert data and np.array_equal(found, run(plain, floats)[0])
    assert macs_of(graph, graph.nodes[0]) == found.size * weights[0].size


def _integers(nodes: list[Any], given: Arrays, constants: Arrays) -> tuple[Graph, bytes]:
    kinds = {name: (values.dtype.name, values.shape) for name, values in given.items()}
    data = model(nodes, kinds, {"y": "int32"}, constants)
    return read_onnx("network.onnx", data, {}), data


@pytest.mark.parametrize(
    ("one", "constants", "why"),
    [
        (node("NonZero", ["x"], "y"), {}, "data decide the size of `y`"),
        (node("RandomNormalLike", ["x"], "y"), {}, "random numbers"),
        (node("Guess", ["x"], "y", "my.domain"), {}, "a custom operator"),
        (node("Guess", ["x"], "y"), {}, "an operator that the lab does not have"),
        (node("Einsum", ["x", ""], "y", equation="ij,jk->ik"), {}, "lacks input 1"),
        (node("QAttention", ["x"], "y", "com.microsoft"), {}, "of ONNX Runtime's own, or a custom one, that the lab"),
        (
            node("QuantizeLinear", ["x", "s", "z"], "y"),
            {"s": np.float32(1), "z": np.int16(0)},
            "an output of int16; the",
        ),
        (node("Gather", ["x", "i"], "y", axis=5), {"i": np.array([0])}, "axis must be in"),
        (node("MatMul", ["x", "w"], "y"), {"w": np.zeros((7, 3), np.float32)}, r"\[7, 3\] do not fit"),
    ],
)
def test_what_cannot_be_computed_is_named(one: Any, constants: Arrays, why: str) -> None:
    data = model([one], {"x": ("float32", (2, 3))}, {"y": "float32"}, constants)
    with pytest.raises(InputError, match=f"1 node that the lab cannot run: .*{one.op_type}.*({why})"):
        read_onnx("network.onnx", data, {})


def _if(output: str) -> Any:
    helper = require_module("onnx").helper
    branch = helper.make_graph(
        [node("Identity", ["x"], "b")], "branch", [], [helper.make_tensor_value_info("b", 1, None)]
    )
    return node("If", ["c"], output, then_branch=branch, else_branch=branch)


def test_a_branch_is_named() -> None:
    one = _if("y")
    data = model([one], {"x": ("float32", (2, 3)), "c": ("bool", ())}, {"y": "float32"}, {})
    with pytest.raises(InputError, match=r"If `y_node`: its `(then|else)_branch` is a graph"):
        read_onnx("network.onnx", data, {})


def test_what_no_types_would_change_is_named_behind_another_such_node_too() -> None:
    nodes = [
        node("Guess", ["x"], "c", "my.domain"), node("Relu", ["c"], "a"), _if("b"), node("Suppose", ["a"], "d"),
        node("RandomNormalLike", ["d"], "y"),
    ]  # fmt: skip
    data = model(nodes, {"x": ("float32", (2, 3))}, {"y": "float32", "b": "float32"}, {})
    with pytest.raises(InputError, match="4 nodes that the lab cannot run: ") as found:
        read_onnx("network.onnx", data, {})
    assert [f"`{one}_node`" in str(found.value) for one in "cabdy"] == [True, False, True, True, True]


@pytest.mark.parametrize("operator", ["ConstantOfShape", "Expand"])
def test_a_constant_of_many_elements_is_refused_before_it_is_made(operator: str) -> None:
    inputs = ["many"] if operator == "ConstantOfShape" else ["one", "many"]
    constants = {"many": np.array([1 << 20, 1 << 20]), "one": np.zeros((1, 1), np.float32)}
    nodes = [node(operator, inputs, "a"), node("ReduceSum", ["a"], "b"), node("Add", ["x", "b"], "y")]
    data = model(nodes, {"x": ("float32", (2, 3))}, {"y": "float32"}, constants)
    begun = time.monotonic()
    with pytest.raises(InputError, match="1,099,511,627,776 elements"):
        read_onnx("network.onnx", data, {})
    assert time.monotonic() - begun < 5


def test_an_index_that_does_not_exist_is_said() -> None:
    nodes = [node("Gather", ["t", "x"], "y")]
    data = model(nodes, {"x": ("int64", (2,))}, {"y": "float32"}, {"t": _floats(5, 8)})
    graph = read_onnx("network.onnx", data, {})
    run_reference(graph, feed(graph, drawn(graph, 1)))
    with pytest.raises(InputError, match=r"node `y_node` \(Gather\): ONNX Runtime: .*out of data bounds"):
        run_reference(graph, feed(graph, {"x": np.array([2, 9])}))


@pytest.mark.parametrize("rounded", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize(("size", "kernel", "stride", "pad"), [(7, 3, 2, 0), (6, 3, 2, 1), (8, 2, 3, 0), (5, 2, 3, 1)])
def test_a_pool_whose_size_is_rounded_up_is_the_same(
    rounded: str, size: int, kernel: int, stride: int, pad: int
) -> None:
    given = {"x": _RANDOM.integers(-128, 128, (1, 3, size, size + 2)).astype(np.int8)}
    constants: dict[str, np.ndarray] = {"s": np.array(0.1, np.float32), "z": np.array(3, np.int8)}
    window: dict[str, Any] = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "ceil_mode": 1}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node(rounded, ["f"], "p", **window),
        node("QuantizeLinear", ["p", "s", "z"], "q"),
        node("DequantizeLinear", ["q", "s", "z"], "y"),
    ]
    graph, expected = _read(nodes, given, constants, ["y"])
    graph = apply_passes(graph).graph
    assert not any(one.operator in ("onnx", "float") for one in graph.nodes)
    assert np.array_equal(to_file(graph, run_reference(graph, feed(graph, given))["y"]), expected[0])


@pytest.mark.parametrize("form", ["QOperator", "QDQ", "floats"])
@pytest.mark.parametrize(
    ("kernel", "stride", "pads"),
    [((3, 2), (2, 3), (0, 1, 1, 0)), ((2, 2), (2, 2), (0, 0, 0, 0)), ((2, 1), (3, 3), (0,) * 4)],
)
def test_an_average_that_counts_padding_divides_as_onnx_runtime_where_its_size_is_rounded_up(
    form: str, kernel: tuple[int, int], stride: tuple[int, int], pads: tuple[int, ...]
) -> None:
    """Divide 8 bits by all of the window, also by what reaches beyond the padding, and floats by what does not."""
    given = {"x": _RANDOM.integers(-128, 128, (1, 3, 7, 9)).astype(np.int8)}
    constants: dict[str, np.ndarray] = {"s": np.array(0.1, np.float32), "z": np.array(3, np.int8)}
    window: dict[str, Any] = {"kernel_shape": kernel, "strides": stride, "pads": pads, "ceil_mode": 1}
    window["count_include_pad"] = 1
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node("AveragePool", ["f"], "p", **window),
        node("QuantizeLinear", ["p", "s", "z"], "q"),
        node("DequantizeLinear", ["q", "s", "z"], "y"),
    ]
    if form == "QOperator":
        nodes[:3] = [node("QLinearAveragePool", ["x", "s", "z", "s", "z"], "q", "com.microsoft", **window)]
    if form == "floats":
        nodes[2:] = [node("Softplus", ["p"], "y")]
    graph, expected = _read(nodes, given, constants, ["y"])
    graph = apply_passes(graph).graph
    found = to_file(graph, run_reference(graph, feed(graph, given))["y"])
    assert found.shape == expected[0].shape and expected[0].std() > 0
    if form == "floats":
        assert np.allclose(found, expected[0], rtol=1e-5)
    else:
        assert not any(one.operator in ("onnx", "float") for one in graph.nodes)
        assert np.array_equal(found, expected[0])


@pytest.mark.parametrize("shape", [(1, 3, 9), (1, 2, 4, 5, 3)])
def test_a_max_pool_of_8_bits_that_is_no_image_is_left_to_onnx_runtime(shape: tuple[int, ...]) -> None:
    given = {"x": _RANDOM.integers(-128, 128, shape).astype(np.int8)}
    data = model([node("MaxPool", ["x"], "y", kernel_shape=[2] * (len(shape) - 2))], {"x": ("int8", shape)},
                 {"y": "int8"}, {})  # fmt: skip
    graph = read_onnx("network.onnx", data, {})
    assert np.array_equal(to_file(graph, run_reference(graph, feed(graph, given))["y"]), run(data, given)[0])


def test_a_max_pool_of_8_bits_without_a_scale_is_the_same() -> None:
    given = {"x": _RANDOM.integers(-128, 128, (1, 3, 9, 8)).astype(np.int8)}
    data = model([node("MaxPool", ["x"], "y", kernel_shape=[2, 3])], {"x": ("int8", (1, 3, 9, 8))}, {"y": "int8"}, {})
    graph = read_onnx("network.onnx", data, {})
    assert np.array_equal(to_file(graph, run_reference(graph, feed(graph, given))["y"]), run(data, given)[0])
