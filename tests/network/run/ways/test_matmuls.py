"""Products of two computed tensors on emulated kernels give the bits of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference
from neonlab.network.run.choose import ways
from neonlab.network.run.network import run_network
from neonlab.network.run.shelf import Shelf

LIBRARY = open_library(Path(__file__).resolve().parents[4])
#: Shapes of both sides: one product, the same right side for all, one for each, and broadcast ones; also of images.
SHAPES = [
    ((7, 33), (33, 19)),
    ((1, 5), (5, 1)),
    ((2, 3, 17), (17, 9)),
    ((3, 4, 20), (3, 20, 6)),
    ((5, 8), (2, 8, 3)),
    ((2, 3, 9, 16), (2, 3, 16, 9)),
    ((2, 3, 5, 4), (1, 3, 4, 7)),
]


@pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize(("dtype", "points"), [("int8", (0, 0, 3)), ("int8", (-128, 5, -7)), ("uint8", (0, 131, 128))])
def test_a_product_is_that_of_onnx_runtime(
    isa: Isa, dtype: str, points: tuple[int, int, int], shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    random, limits = np.random.default_rng(shapes[0][-1]), np.iinfo(dtype)
    numbers = {"s": 0.02, "t": 0.031, "u": 0.0011 * shapes[0][-1]}
    constants = {name: np.array(number, np.float32) for name, number in numbers.items()}
    constants |= {name: np.array(point, dtype) for name, point in zip("zvw", points, strict=True)}
    nodes = [node("QLinearMatMul", ["a", "s", "z", "b", "t", "v", "u", "w"], "y")]
    data = model(nodes, dict(zip("ab", ((dtype, shape) for shape in shapes), strict=True)), {"y": dtype}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = {
        name: random.integers(limits.min, limits.max + 1, shape).astype(dtype)
        for name, shape in zip("ab", shapes, strict=True)
    }
    found = run_network(graph, LIBRARY, isa, None, [given])
    assert {layer.node.operator: layer.way for layer in found.layers}["matmul"] == "kernels" and found.wrong == 0
    # ONNX Runtime on x86 without VNNI adds pairs of uint8 times int8 in 16 bits; of equal types it does not.
    wanted = run(data, given)[0]
    assert wanted.size == found.outputs[graph.outputs[0]].size and len(np.unique(wanted)) > (wanted.size > 1)
    assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), wanted)
    # Every way has these results, that of a core with dot products too.
    product = next(layer.node for layer in found.layers if layer.node.operator == "matmul")
    expected = run_reference(graph, feed(graph, given))
    inputs, out = [expected[name] for name in product.inputs], expected[product.outputs[0]].reshape(-1)
    names = set()
    with Caller(watched=True) as caller:
        for step in ways(Shelf(LIBRARY, isa, ModelledCore.named("cortex-a76")), graph, product):
            names.add(step.kernels[-1].name.split("_")[1])
            assert np.array_equal(np.asarray(step.compute(caller, inputs)).reshape(-1)[: out.size], out)
    # Those of int8 take no zero points off.
    assert names == ({"u8u8", "s8s8"} if isa is Isa.A64 and (dtype, points[:2]) == ("int8", (0, 0)) else {"u8u8"})


@pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
@pytest.mark.parametrize("shapes", [shapes for shapes in SHAPES if len(shapes[1]) > 2])
def test_several_constant_matrices_are_multiplied_as_computed_ones_are(
    isa: Isa, shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    random = np.random.default_rng(shapes[0][-1])
    a, b = (random.integers(-127, 128, shape).astype(np.int8) for shape in shapes)
    constants = {name: np.array(number, np.float32) for name, number in {"s": 0.02, "t": 0.03, "u": 0.05}.items()}
    constants |= {name: np.array(point, np.int8) for name, point in zip("zvw", (3, -5, 7), strict=True)}
    nodes = [node("QLinearMatMul", ["a", "s", "z", "b", "t", "v", "u", "w"], "y")]
    data = model(nodes, {"a": ("int8", shapes[0])}, {"y": "int8"}, {**constants, "b": b})
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_network(graph, LIBRARY, isa, None, [{"a": a}])
    assert [layer.way for layer in found.layers if layer.node.operator == "matmul"] == ["kernels"] and not found.wrong
    assert np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), run(data, {"a": a})[0])
