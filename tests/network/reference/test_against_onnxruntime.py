"""Whole ONNX models give the bits of ONNX Runtime."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import classifier, model, node, run, scales
from tests.network.packages import models_of
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.int8.activation import softmax_onnxruntime
from neonlab.int8.affine import Affine
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import from_file, to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference
from neonlab.network.run.network import macs_of


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_a_small_network_is_the_same(kind: str) -> None:
    data, image = classifier(kind)
    graph = read_onnx("network.onnx", data, {})
    found = run_reference(graph, feed(graph, {"input": image}))
    for name, values in zip(graph.outputs, run(data, {"input": image}), strict=True):
        assert values.std() > 0 and np.array_equal(to_file(graph, found[name]), values), name


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10, 17, 100, 6625])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_softmax_is_the_same_beside_ties_and_beyond_float32_too(count: int, dtype: str) -> None:
    random, limits, compared = np.random.default_rng(count), np.iinfo(dtype), 0
    # Units of 256, of odd numbers, of which half is a tie, and so many that exponentials times them leave float32.
    for number, target in enumerate([1 / 256, *(1 / units for units in (101, 151, 201, 255, 271, 4099, 1 << 20)), 2.0]):
        scale, point = float(2.0 ** random.uniform(-9, 2)), int(random.integers(limits.min, limits.max + 1))
        least = limits.min if number % 3 == 0 else limits.max - int(random.integers(1, 40))
        values = random.integers(least, limits.max + 1, (60000 // count + 1, count)).astype(dtype)
        constants = {"s": np.float32(scale), "z": np.array(3, dtype), "t": np.float32(target)}
        constants["u"] = np.array(point, dtype)
        nodes = [node("QLinearSoftmax", ["x", "s", "z", "t", "u"], "y", "com.microsoft", axis=-1, opset=13)]
        data = model(nodes, {"x": (dtype, values.shape)}, {"y": dtype}, constants)
        got = run(data, {"x": values})[0]
        assert (got == softmax_onnxruntime(values, scale, Affine(target, point, dtype))).all()
        compared += got.size
    assert compared >= 9 * 60000


@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_parts_are_joined_the_same_for_all_bytes_next_to_midpoints_too(form: str) -> None:
    every = np.arange(-128, 128, dtype=np.int8).reshape(1, 1, 1, 256)
    for first, second, target in ((0.05, 0.11, 0.08), (0.04, 0.02, 0.04), (0.3, 0.7, 0.2)):
        constants = {"s": np.float32(first), "t": np.float32(second), "u": np.float32(target), "z": np.int8(-3)}
        nodes = [node("QLinearConcat", ["u", "z", "x", "s", "z", "w", "t", "z"], "q", "com.microsoft", axis=1)]
        if form == "QDQ":
            nodes = [
                node("DequantizeLinear", ["x", "s", "z"], "a"),
                node("DequantizeLinear", ["w", "t", "z"], "b"),
                node("Concat", ["a", "b"], "c", axis=1),
                node("QuantizeLinear", ["c", "u", "z"], "q"),
            ]
        nodes.append(node("DequantizeLinear", ["q", "u", "z"], "y"))
        given = {"x": every, "w": every}
        data = model(nodes, dict.fromkeys(given, ("int8", every.shape)), {"y": "float32"}, constants)
        passed = apply_passes(read_onnx("network.onnx", data, {})).graph
        found = to_file(passed, run_reference(passed, feed(passed, given))["y"])
        assert np.array_equal(found, run(data, given)[0])


@pytest.mark.parametrize("axis", [1, 2, -1])
@pytest.mark.parametrize("opset", [12, 13])
@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_softmax_along_any_axis_of_an_image_is_the_same(form: str, opset: int, axis: int) -> None:
    values = np.random.default_rng(4).integers(-128, 128, (2, 7, 5, 9)).astype(np.int8)
    constants = {"s": np.float32(0.06), "z": np.array(3, np.int8), "t": np.float32(1 / 256), "u": np.int8(-128)}
    nodes = [node("QLinearSoftmax", ["x", "s", "z", "t", "u"], "q", "com.microsoft", axis=axis, opset=opset)]
    if form == "QDQ":
        nodes = [
            node("DequantizeLinear", ["x", "s", "z"], "a"),
            node("Softmax", ["a"], "b", axis=axis),
            node("QuantizeLinear", ["b", "t", "u"], "q"),
        ]
    nodes.append(node("DequantizeLinear", ["q", "t", "u"], "y"))
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "float32"}, constants, opset)
    passed = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(passed, run_reference(passed, feed(passed, {"x": values}))["y"])
    assert np.array_equal(found, run(data, {"x": values})[0])


@pytest.mark.parametrize(("operator", "steps"), [("Add", 127e8), ("Mul", 127 * 63e8)])
def test_sums_and_products_beyond_int32_saturate_as_the_conversion_of_arm_does(operator: str, steps: float) -> None:
    values = np.array([[-128, -5, 0, 5, 127]], np.int8)
    nodes = [node(f"QLinear{operator}", ["x", "s", "z", "x", "s", "z", "t", "z"], "y", "com.microsoft")]
    data = model(
        nodes, {"x": ("int8", values.shape)}, {"y": "int8"}, {**scales(s=1.0, t=2e-8), "z": np.array(0, np.int8)}
    )
    graph = read_onnx("network.onnx", data, {})
    found, theirs = run_reference(graph, feed(graph, {"x": values}))["y"], run(data, {"x": values})[0]
    assert steps > 1 << 31 and found[0, -1] == 127 and abs(int(found[0, 0])) >= 127
    assert theirs[0, -1] == (-128 if platform.machine() in ("x86_64", "AMD64") else 127)
    assert np.array_equal(found[0, 1:4], theirs[0, 1:4])  # below int32


@pytest.mark.parametrize("operator", ["Sigmoid", "Tanh"])
def test_a_sigmoid_and_a_tanh_of_floats_have_the_same_bits(operator: str) -> None:
    random = np.random.default_rng(6)
    values = np.concatenate([random.uniform(-20, 20, 9000), random.normal(0, 1, 9000), [0, -np.inf, np.inf, np.nan]])
    data = model([node(operator, ["x"], "y")], {"x": ("float32", values.shape)}, {"y": "float32"}, {})
    graph = read_onnx("network.onnx", data, {})
    given = {"x": values.astype(np.float32)}
    found = run_reference(graph, feed(graph, given))["y"]
    assert np.array_equal(found, run(data, given)[0], equal_nan=True)


@pytest.mark.parametrize(
    ("operator", "scale", "point", "target"), [("Tanh", 0.11873495, -48, 1 / 128), ("Sigmoid", 0.24704452, -57, 1e-8)]
)
def test_a_table_has_the_results_of_onnx_runtimes_own_polynomials(
    operator: str, scale: float, point: int, target: float
) -> None:
    values = np.arange(-128, 128).astype(np.int8)
    constants = {"s": np.float32(scale), "z": np.int8(point), "t": np.float32(target), "u": np.int8(0)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node(operator, ["a"], "b"),
        node("QuantizeLinear", ["b", "t", "u"], "y"),
    ]
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    assert [one.operator for one in graph.nodes] == ["unary"]
    assert np.array_equal(run_reference(graph, feed(graph, {"x": values}))["y"], run(data, {"x": values})[0])


def _between_floats(operator: str, shape: tuple[int, ...], more: dict[str, np.ndarray], **attributes: Any) -> None:
    """Compare an operator on floats, between a dequantization and a quantization, with ONNX Runtime."""
    values = np.random.default_rng(6).integers(-128, 128, shape).astype(np.int8)
    constants = {"s": np.float32(0.22), "z": np.int8(38), "t": np.float32(0.3), "u": np.int8(-5), **more}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "a"),
        node("Flatten", ["a"], "a2") if operator == "Slice" else node("Identity", ["a"], "a2"),
        node(operator, ["a2", *more], "b", **attributes),
        node("QuantizeLinear", ["b", "t", "u"], "q"),
        node("DequantizeLinear", ["q", "t", "u"], "y"),
    ]
    data = model(nodes, {"x": ("int8", shape)}, {"y": "float32"}, constants)
    passed = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = to_file(passed, run_reference(passed, feed(passed, {"x": values}))["y"])
    assert np.array_equal(found, run(data, {"x": values})[0])


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
def test_a_max_pool_whose_strides_leave_pixels_out_begins_where_onnx_runtimes_does(auto: str) -> None:
    values = np.random.default_rng(6).integers(-128, 128, (2, 1, 12, 9)).astype(np.int8)
    nodes = [node("MaxPool", ["x"], "y", kernel_shape=[1, 1], strides=[3, 3], auto_pad=auto)]
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "int8"}, {})
    graph = read_onnx("network.onnx", data, {})
    found = to_file(graph, run_reference(graph, feed(graph, {"x": values}))["y"])
    assert np.array_equal(found, run(data, {"x": values})[0])


def test_an_average_pool_larger_than_its_image_is_that_of_integers_with_ceil_mode() -> None:
    window = {"kernel_shape": [4, 2], "strides": [2, 2], "ceil_mode": 1, "count_include_pad": 1}
    _between_floats("AveragePool", (2, 4, 3, 11), {}, **window)


def test_a_slice_that_goes_backwards_stays_one_of_floats() -> None:
    ends = dict(zip("efgh", (np.array([one]) for one in (-1, -1000, 1, -2)), strict=True))
    _between_floats("Slice", (2, 3, 5), ends)


def test_a_product_of_four_dimensions_by_constant_weights_of_two_is_the_same() -> None:
    random = np.random.default_rng(6)
    values = random.integers(-128, 128, (2, 3, 5, 7)).astype(np.int8)
    constants = {"s": np.float32(0.02), "z": np.int8(3), "w": random.integers(-127, 128, (7, 4)).astype(np.int8)}
    constants |= {"t": np.float32(0.1), "u": np.int8(-9), "v": np.int8(0)}
    nodes = [node("QLinearMatMul", ["x", "s", "z", "w", "s", "v", "t", "u"], "y")]
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "int8"}, constants)
    graph = read_onnx("network.onnx", data, {})
    found = to_file(graph, run_reference(graph, feed(graph, {"x": values}))["y"])
    assert np.array_equal(found, run(data, {"x": values})[0])


def test_channels_of_weights_that_are_all_but_0_come_out_as_their_bias() -> None:
    constants = {
        "xs": np.float32(0.03), "xz": np.int8(3), "w": np.full((2, 3, 1, 1), 5, np.int8),
        "ws": np.array([0.01, 1e-25], np.float32), "wz": np.zeros(2, np.int8), "ys": np.float32(0.05),
        "yz": np.int8(-4), "b": np.array([100, -77], np.int32),
    }  # fmt: skip
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"]
    nodes = [node("QLinearConv", names, "q"), node("DequantizeLinear", ["q", "ys", "yz"], "y")]
    values = np.random.default_rng(4).integers(-128, 128, (1, 3, 4, 4)).astype(np.int8)
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "float32"}, constants)
    graph = read_onnx("network.onnx", data, {})
    found = to_file(graph, run_reference(graph, feed(graph, {"x": values}))["y"])
    assert np.array_equal(found, run(data, {"x": values})[0])


@pytest.mark.parametrize(
    ("groups", "attributes"),
    [
        (1, {}),
        (1, {"strides": [2, 2]}),
        (2, {"strides": [2, 3], "pads": [1, 0, 0, 1], "output_padding": [1, 0]}),
        (4, {"strides": [1, 2], "dilations": [2, 1], "pads": [1, 1, 1, 1]}),
    ],
)
def test_a_transposed_convolution_is_the_same_but_for_roundings(groups: int, attributes: dict[str, Any]) -> None:
    random = np.random.default_rng(8)
    constants = {"w": random.normal(0, 1, (8, 6 // (groups if groups < 4 else 2), 3, 2)).astype(np.float32)}
    outs = constants["w"].shape[1] * groups
    constants["b"] = random.normal(0, 1, outs).astype(np.float32)
    nodes = [node("ConvTranspose", ["x", "w", "b"], "y", group=groups, **attributes)]
    data = model(nodes, {"x": ("float32", (1, 8, 5, 4))}, {"y": "float32"}, constants)
    image = random.normal(0, 1, (1, 8, 5, 4)).astype(np.float32)
    graph = read_onnx("network.onnx", data, {})
    mine, wanted = to_file(graph, run_reference(graph, feed(graph, {"x": image}))["y"]), run(data, {"x": image})[0]
    assert mine.shape == wanted.shape and np.allclose(mine, wanted, atol=1e-5)
    assert macs_of(graph, graph.nodes[0]) == 8 * 5 * 4 * 3 * 2 * outs // groups


@pytest.mark.parametrize(
    "attributes",
    [
        {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"},
        {},
    ],
)
@pytest.mark.parametrize("by", [(2, 2), (1, 3), (41, 1)])  # 41 times 1/41, as float32, is below 1
def test_a_resize_repeats_pixels(by: tuple[int, int], attributes: dict[str, Any]) -> None:
    constants = {"scales": np.array([1, 1, *by], np.float32)}
    nodes = [node("Resize", ["x", "", "scales"], "y", mode="nearest", **attributes)]
    data = model(nodes, {"x": ("float32", (1, 3, 5, 4))}, {"y": "float32"}, constants)
    image = np.random.default_rng(8).normal(0, 1, (1, 3, 5, 4)).astype(np.float32)
    graph = read_onnx("network.onnx", data, {})
    found = to_file(graph, run_reference(graph, feed(graph, {"x": image}))["y"])
    assert np.array_equal(found, run(data, {"x": image})[0])


@pytest.mark.parametrize(
    ("scales", "attributes"),
    [
        ((1, 1, 1.5, 2), {}),
        ((1, 2, 1, 1), {}),
        ((1, 1, 2, 2), {"mode": "linear"}),
        ((1, 1, 2, 2), {"coordinate_transformation_mode": "asymmetric"}),
        ((1, 1, 2, 2), {"coordinate_transformation_mode": "align_corners"}),
    ],
)
def test_a_resize_of_another_kind_is_left_to_onnx_runtime(
    scales: tuple[float, ...], attributes: dict[str, Any]
) -> None:
    constants = {"scales": np.array(scales, np.float32)}
    nodes = [node("Resize", ["x", "", "scales"], "y", **{"mode": "nearest", **attributes})]
    data = model(nodes, {"x": ("float32", (1, 3, 4, 4))}, {"y": "float32"}, constants)
    image = np.random.default_rng(8).normal(0, 1, (1, 3, 4, 4)).astype(np.float32)
    graph = read_onnx("network.onnx", data, {})
    found = to_file(graph, run_reference(graph, feed(graph, {"x": image}))["y"])
    assert graph.nodes[0].operator == "onnx"
    assert np.array_equal(found, run(data, {"x": image})[0])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The classifier of rapidocr, quantized by ONNX Runtime in two forms: 53 convolutions."""
    source = models_of("rapidocr_onnxruntime") / "ch_ppocr_mobile_v2.0_cls_infer.onnx"
    quantization = require_module("onnxruntime.quantization")
    shapes = require_module("onnxruntime.quantization.shape_inference")
    folder = tmp_path_factory.mktemp("models")
    shapes.quant_pre_process(str(source), str(folder / "float.onnx"), skip_symbolic_shape=True)

    class Reader(quantization.CalibrationDataReader):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            random = np.random.default_rng(1)
            self.rest = [{"x": random.uniform(-1, 1, (1, 3, 48, 192)).astype(np.float32)} for _ in range(2)]

        def get_next(self) -> dict[str, np.ndarray] | None:
            return self.rest.pop() if self.rest else None

    found = {}
    for form, kind in (("QOperator", "QInt8"), ("QDQ", "QUInt8")):
        found[form] = folder / f"{form}.onnx"
        quantization.quantize_static(
            str(folder / "float.onnx"),
            str(found[form]),
            Reader(),
            quant_format=getattr(quantization.QuantFormat, form),
            activation_type=getattr(quantization.QuantType, kind),
            weight_type=quantization.QuantType.QInt8,
            reduce_range=kind == "QUInt8",  # as in `random_models`
            per_channel=form == "QOperator",  # of which a QDQ model of this version knows nothing
        )
    return found


@pytest.mark.thorough("a small network of the same operators proves the same")
@pytest.mark.parametrize("form", ["QOperator", "QDQ"])
def test_a_trained_classifier_is_the_same_in_every_tensor_that_leaves_integers(
    trained: dict[str, Path], form: str
) -> None:
    onnx = require_module("onnx")
    image = np.random.default_rng(5).uniform(-1, 1, (1, 3, 48, 192)).astype(np.float32)
    data = trained[form].read_bytes()
    graph = apply_passes(read_onnx("classifier.onnx", data, {"x": image.shape})).graph
    assert sum(one.told in ("QLinearConv", "Conv") for one in graph.nodes) == 53
    held = onnx.load_from_string(data)
    kinds = {tensor: graph.tensor(tensor).dtype for one in graph.nodes for tensor in one.outputs}
    # ONNX Runtime keeps what is an output; it must not be changed by that, so integers alone are asked for.
    asked = [out for one in held.graph.node for out in one.output if "QLinear" in one.op_type or one.op_type == "QGemm"]
    asked = [name for name in asked if name in kinds]
    for name in asked:
        held.graph.output.append(onnx.helper.ValueInfoProto(name=name))
    found = run_reference(graph, feed(graph, {"x": image}))
    got = run(held.SerializeToString(), {"x": image})
    assert np.array_equal(to_file(graph, found[graph.outputs[0]]), got[0])
    for name, values in zip(asked, got[1:], strict=True):
        mine = found[name] if kinds[name] == values.dtype.name else found[name].view(np.uint8) ^ np.uint8(0x80)
        assert np.array_equal(mine, from_file(graph, values).reshape(mine.shape)), name


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.7])
@pytest.mark.parametrize("turned", [0, 1])
def test_a_product_with_an_alpha_is_the_same(turned: int, alpha: float) -> None:
    random = np.random.default_rng(5)
    weights = random.integers(-127, 128, (9, 30)).astype(np.int8)
    constants = {
        "xs": np.float32(0.07), "xz": np.int8(4), "w": weights if turned else weights.T.copy(),
        "ws": random.uniform(0.001, 0.02, 9).astype(np.float32), "wz": np.zeros(9, np.int8), "ys": np.float32(0.31),
        "yz": np.int8(-5), "b": random.integers(-9999, 9999, 9).astype(np.int32),
    }  # fmt: skip
    inputs = ["x", "xs", "xz", "w", "ws", "wz", "b", "ys", "yz"]
    nodes = [node("QGemm", inputs, "y", "com.microsoft", alpha=alpha, transB=turned)]
    values = random.integers(-128, 128, (900, 30)).astype(np.int8)
    data = model(nodes, {"x": ("int8", values.shape)}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_reference(graph, feed(graph, {"x": values}))["y"]
    expected = run(data, {"x": values})[0]
    assert expected.std() > 0 and np.array_equal(found, expected)
    assert not {one.operator for one in graph.nodes} - {"dense", "reshape"}


def test_a_dilated_window_with_padding_that_follows_from_the_size_is_left_to_onnx_runtime() -> None:
    attributes: dict[str, Any] = {"auto_pad": "SAME_UPPER", "dilations": [1, 2], "strides": [1, 1]}
    constants = {"s": np.float32(0.1), "z": np.int8(0), "w": np.ones((2, 2, 2, 2), np.int8)}
    nodes = [node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], "y", **attributes)]
    data = model(nodes, {"x": ("int8", (1, 2, 6, 7))}, {"y": "int8"}, constants)
    with pytest.raises(InputError, match="with auto_pad SAME_UPPER and dilations"):
        read_onnx("network.onnx", data, {})
