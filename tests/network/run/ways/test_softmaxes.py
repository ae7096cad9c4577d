"""Softmaxes on emulated kernels give the bits of the frameworks."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model
from tests.network.onnx_models import model, node, run

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
@pytest.mark.parametrize(("shape", "beta"), [((1, 5), 1.0), ((3, 2, 70), 1.0), ((2, 1000), 2.0)])
@pytest.mark.parametrize("scale", [0.01, 0.1, 0.7])
def test_a_softmax_of_tflite_is_that_of_litert(isa: Isa, scale: float, shape: tuple[int, ...], beta: float) -> None:
    tensors = [Tensor(shape, "int8", [scale], [4]), Tensor(shape, "int8", [1 / 256], [-128])]
    data = build(tensors, [Operator("SOFTMAX", [0], [1], {"table": "SoftmaxOptions", "beta": beta})], [0], [1])
    graph = apply_passes(read_tflite("network.tflite", data)).graph
    given = drawn(graph, 5)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert [layer.way for layer in found.layers] == ["kernels"] and found.wrong == 0
    wanted = run_model(data, [given["t0"]], kernels="reference")[0]
    # Where the C library rounds an exponential in another way, a value beside a midpoint may be another one.
    differences = np.abs(found.outputs["t1"].astype(int) - wanted)
    assert differences.max() <= 1 and differences.mean() <= 0.002 and len(np.unique(wanted)) > 1


#: Shapes, the version of the operator, and an axis: the last one, others, and all from one on.
AXES = [
    ((6, 1), 13, -1),
    ((700, 7), 13, -1),
    ((3, 1000), 13, 1),
    ((2, 17, 30), 13, 1),
    ((2, 5, 6, 7), 13, 1),
    ((2, 5, 6, 7), 13, 2),
    ((2, 5, 6, 7), 13, 3),
    ((3, 2, 5, 4, 3), 13, 0),
    ((3, 40), 12, 1),
    ((3, 4, 50), 12, 1),
    ((2, 5, 6, 7), 12, 1),
    ((2, 5, 6, 7), 12, 2),
]


@both
@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize(("shape", "opset", "axis"), AXES)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_softmax_of_onnx_runtime_is_the_same_along_every_axis(
    isa: Isa, dtype: str, shape: tuple[int, ...], opset: int, axis: int
) -> None:
    random, limits, compared, seen = np.random.default_rng(len(shape) + axis), np.iinfo(dtype), 0, set[int]()
    # Of values near each other many are equal, and half of an odd number of units is a tie.
    for scale, target, point, least in (
        (0.06, 1 / 256, limits.min, limits.min),
        (0.004, 1 / 4001, limits.min + 9, limits.min),
        (0.9, 0.011, 10, limits.max - 12),
    ):
        constants = {"s": np.float32(scale), "z": np.array(3, dtype), "t": np.float32(target)}
        constants["u"] = np.array(point, dtype)
        nodes = [node("QLinearSoftmax", ["x", "s", "z", "t", "u"], "y", "com.microsoft", axis=axis, opset=opset)]
        data = model(nodes, {"x": (dtype, shape)}, {"y": dtype}, constants)
        graph = apply_passes(read_onnx("network.onnx", data, {})).graph
        given = {"x": random.integers(least, limits.max + 1, shape).astype(dtype)}
        found = run_network(graph, LIBRARY, isa, None, [given])
        ways = {layer.node.operator: layer.way for layer in found.layers}
        assert ways["softmax"] == "kernels" and found.wrong == 0
        wanted = run(data, given)[0]
        assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), wanted)
        compared += wanted.size
        seen |= set(wanted.reshape(-1).tolist())
    assert compared == 3 * math.prod(shape) and len(seen) > 1


@both
def test_a_softmax_whose_units_no_contract_allows_runs_on_the_host(isa: Isa) -> None:
    constants = {"s": np.float32(0.1), "z": np.int8(3), "t": np.float32(2.0**-30), "u": np.int8(-128)}
    nodes = [node("QLinearSoftmax", ["x", "s", "z", "t", "u"], "y", "com.microsoft", axis=1, opset=13)]
    data = model(nodes, {"x": ("int8", (3, 9))}, {"y": "int8"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = drawn(graph, 5)
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert [layer.way for layer in found.layers] == ["host"]
    assert np.array_equal(found.outputs["y"], run(data, given)[0])
