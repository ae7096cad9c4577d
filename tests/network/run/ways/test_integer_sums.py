"""MatMulInteger and ConvInteger, whose zero points data decide, run on kernels with ONNX Runtime's sums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run
from tests.tools import require_module

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Array, Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run.choose import ways
from neonlab.network.run.network import run_network
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.ways.frames import Frame

LIBRARY = open_library(Path(__file__).resolve().parents[4])
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
Arrays = dict[str, Array]
#: Types of both operands, and the zero points of the second: none, one, or one for each column.
_KINDS = [("uint8", "int8", ""), ("uint8", "uint8", "one"), ("int8", "int8", "each"), ("uint8", "int8", "one")]


def bytes_of(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Array:
    """Bytes with both ends among them."""
    limits = np.iinfo(kind)
    found = random.integers(limits.min, limits.max + 1, shape).astype(kind)
    found.reshape(-1)[:2] = limits.min, limits.max
    return found


def weights_of(random: np.random.Generator, kinds: tuple[str, str], shape: tuple[int, ...]) -> Array:
    """Weights; of int8 for uint8 in 7 bits, because x86 without VNNI adds up two such products in 16 bits."""
    found = bytes_of(random, kinds[1], shape)
    return found if kinds[0] == kinds[1] else (found // 2).astype(kinds[1])


def product(
    kinds: tuple[str, str, str], left: tuple[int, ...], right: tuple[int, ...], held: bool
) -> tuple[bytes, Arrays]:
    """A model of one MatMulInteger, its first zero point an input, and its second operand too unless it is `held`."""
    random = np.random.default_rng(len(left) + right[-1])
    given = {"a": bytes_of(random, kinds[0], left), "az": np.array(117 if kinds[0] == "uint8" else -9, kinds[0])}
    weights = weights_of(random, kinds[:2], right)
    points = {"": [], "one": ["bz"], "each": ["bz"]}[kinds[2]]
    point = np.array(3, kinds[1]) if kinds[2] == "one" else (np.arange(right[-1]) % 5).astype(kinds[1])
    constants = {"bz": point} if points else {}
    (constants if held else given)["b"] = weights
    taken = {name: (values.dtype.name, values.shape) for name, values in given.items()}
    return model([node("MatMulInteger", ["a", "b", "az", *points], "y")], taken, {"y": "int32"}, constants), given


def read(data: bytes) -> Graph:
    return apply_passes(read_onnx("network.onnx", data, {})).graph


@pytest.mark.slow
def test_every_way_to_multiply_gives_the_sums_of_onnx_runtime() -> None:
    names: set[str] = set()
    for kinds in _KINDS:
        data, given = product(kinds, (2, 5, 30), (30, 7), held=True)
        graph = read(data)
        wanted = run(data, given)[0]
        assert wanted.std() > 0
        tensors = run_reference(graph, feed(graph, given))
        assert np.array_equal(tensors["y"], wanted)
        for isa in (Isa.A32, Isa.A64):
            shelf = Shelf(LIBRARY, isa, ModelledCore.named("cortex-a55", cycles=True))
            with Caller(watched=True) as caller:
                one = graph.nodes[0]
                for step in ways(shelf, graph, one):
                    found = step.compute(caller, [tensors[name] for name in one.inputs if name])
                    assert np.array_equal(found.reshape(wanted.shape), wanted), [kernel.name for kernel in step.kernels]
                    names |= {kernel.name.split("_")[0] for kernel in step.kernels}
    assert names >= {"lut", "pack", "matmul", "conv1x1", "terms"}


@pytest.mark.slow(keep=4)
@both
@pytest.mark.parametrize("kinds", _KINDS)
@pytest.mark.parametrize("shape", [(9, 40), (1, 40), (1, 2, 3, 40)])
def test_a_product_by_weights_runs_on_kernels(kinds: tuple[str, str, str], shape: tuple[int, ...], isa: Isa) -> None:
    data, given = product(kinds, shape, (40, 11), held=True)
    graph = read(data)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert found.wrong == 0 and found.host_macs == 0 and found.macs > 0
    assert np.array_equal(to_file(graph, found.outputs["y"]), run(data, given)[0])


@pytest.mark.slow(keep=2)
@both
@pytest.mark.parametrize(("left", "right"), [((3, 9, 20), (3, 20, 6)), ((2, 9, 20), (20, 6))])
@pytest.mark.parametrize("kinds", [("uint8", "uint8", "one"), ("int8", "int8", "one"), ("uint8", "int8", "")])
def test_two_computed_operands_are_multiplied_where_a_core_has_dot_products(
    left: tuple[int, ...], right: tuple[int, ...], kinds: tuple[str, str, str], isa: Isa
) -> None:
    data, given = product(kinds, left, right, held=False)
    graph, expected = read(data), run(data, given)[0]
    found = run_network(graph, LIBRARY, isa, ModelledCore.named("cortex-a55", cycles=True), [given])
    assert found.wrong == 0 and found.host_macs == 0
    assert np.array_equal(to_file(graph, found.outputs["y"]), expected)
    # Kernels without dot products take no -128, which data may have.
    assert run_network(graph, LIBRARY, isa, None, [given]).host_macs > 0


def test_zero_points_of_each_row_stay_on_the_host() -> None:
    data, given = product(("uint8", "int8", ""), (5, 30), (30, 7), held=True)
    given["az"] = np.arange(5, dtype=np.uint8)
    taken = {name: (values.dtype.name, values.shape) for name, values in given.items()}
    constants = {"b": np.ones((30, 7), np.int8)}
    data = model([node("MatMulInteger", ["a", "b", "az"], "y")], taken, {"y": "int32"}, constants)
    found = run_network(read(data), LIBRARY, Isa.A64, None, [given])
    assert found.wrong == 0 and found.host_macs == found.macs > 0


#: Shape of the weights, attributes, and channels of the image.
_CONVOLUTIONS: dict[str, tuple[tuple[int, ...], dict[str, Any], int]] = {
    "pointwise": ((6, 5, 1, 1), {}, 5),
    "framed": ((5, 4, 3, 2), {"pads": [1, 0, 0, 1], "strides": [2, 1], "dilations": [1, 2]}, 4),
    "groups": ((6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}, 4),
    "depthwise": ((6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1], "strides": [2, 2]}, 6),
}


def convolution(name: str, kinds: tuple[str, str, str]) -> tuple[bytes, Arrays]:
    random = np.random.default_rng(6)
    shape, attributes, channels = _CONVOLUTIONS[name]
    given = {"x": bytes_of(random, kinds[0], (2, channels, 8, 9))}
    given["xz"] = np.array(201 if kinds[0] == "uint8" else -9, kinds[0])
    constants = {"w": weights_of(random, kinds[:2], shape), "wz": np.array(3, kinds[1])}
    points = ["wz"] if kinds[2] else []
    taken = {name: (values.dtype.name, values.shape) for name, values in given.items()}
    nodes = [node("ConvInteger", ["x", "w", "xz", *points], "y", **attributes)]
    return model(nodes, taken, {"y": "int32"}, {key: constants[key] for key in ("w", *points)}), given


@pytest.mark.slow(keep=4)
@both
@pytest.mark.parametrize("name", _CONVOLUTIONS)
@pytest.mark.parametrize("kinds", [("uint8", "int8", ""), ("uint8", "uint8", "one")])
def test_a_convolution_runs_on_kernels(name: str, kinds: tuple[str, str, str], isa: Isa) -> None:
    data, given = convolution(name, kinds)
    graph = read(data)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert found.wrong == 0 and found.host_macs == 0 and found.macs > 0
    assert np.array_equal(to_file(graph, found.outputs["y"]), run(data, given)[0])


def test_a_frame_of_another_value_than_the_zero_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    data, given = convolution("groups", ("uint8", "int8", ""))
    graph = read(data)
    monkeypatch.setattr(Frame, "filled", lambda frame, _: frame)
    assert run_network(graph, LIBRARY, Isa.A64, None, [given]).wrong > 0


@both
def test_a_network_that_onnx_runtime_quantizes_dynamically_has_its_products_on_kernels(
    isa: Isa, tmp_path: Path
) -> None:
    random = np.random.default_rng(9)
    constants = {
        "w": random.normal(0, 0.2, (6, 3, 3, 3)).astype(np.float32), "flat": np.array([1, -1]),
        "v": random.normal(0, 0.2, (6 * 8 * 8, 10)).astype(np.float32),
    }  # fmt: skip
    nodes = [
        node("Conv", ["x", "w"], "c", pads=[1, 1, 1, 1]), node("Relu", ["c"], "r"),
        node("Reshape", ["r", "flat"], "f"), node("MatMul", ["f", "v"], "y"),
    ]  # fmt: skip
    plain, eight = tmp_path / "float.onnx", tmp_path / "eight.onnx"
    plain.write_bytes(model(nodes, {"x": ("float32", (1, 3, 8, 8))}, {"y": "float32"}, constants))
    quantization = require_module("onnxruntime.quantization")
    quantization.quantize_dynamic(
        str(plain), str(eight), op_types_to_quantize=["Conv", "MatMul"], reduce_range=True,
        weight_type=quantization.QuantType.QInt8,
    )  # fmt: skip
    data = eight.read_bytes()
    graph = read(data)
    given = drawn(graph, 3)
    found = run_network(graph, LIBRARY, isa, None, [given])
    sums = [layer for layer in found.layers if layer.node.operator == "integer_sums"]
    assert [layer.way for layer in sums] == ["kernels", "kernels"] and found.wrong == 0 and found.host_macs == 0
    expected = run(data, given)[0]
    assert np.abs(found.outputs["y"] - expected).max() <= np.abs(expected).max() / 1000
