"""Transposed convolutions on emulated kernels give the bits of LiteRT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build, run_model

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Graph
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run.choose import ways
from neonlab.network.run.network import run_network
from neonlab.network.run.shelf import Shelf

LIBRARY = open_library(Path(__file__).resolve().parents[4])
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
SAME, VALID = 0, 1
#: Window, stride, padding, and the size of the output of an image of 5x4.
LAYERS = {
    "2x2 stride 2": ((2, 2), (2, 2), VALID, (10, 8)),
    "3x3 stride 2": ((3, 3), (2, 2), SAME, (10, 8)),
    "3x3 stride 2 with its border": ((3, 3), (2, 2), VALID, (11, 9)),
    "3x3 stride 2 to odd sizes": ((3, 3), (2, 2), SAME, (9, 7)),
    "4x4 stride 2": ((4, 4), (2, 2), SAME, (10, 8)),
    "6x6 stride 2": ((6, 6), (2, 2), SAME, (10, 8)),
    "3x2 stride 2x1": ((3, 2), (2, 1), SAME, (10, 4)),
    "3x3 stride 1": ((3, 3), (1, 1), SAME, (5, 4)),
    "2x3 stride 3, which leaves gaps": ((2, 3), (3, 3), VALID, (15, 12)),
    "5x4 stride 3 of 2 images": ((5, 4), (3, 3), SAME, (15, 12)),
}


def layer(name: str, scales: int = 8, dtype: str = "int8", activation: int = 0) -> tuple[bytes, tuple[int, ...]]:
    """A model of one layer of 16 channels to 8, with as many scales of weights; and the shape of its image."""
    window, stride, padding, size = LAYERS[name]
    random = np.random.default_rng(3)
    images, point = 2 if "images" in name else 1, 0 if dtype == "int8" else 128
    held = random.uniform(0.002, 0.006, scales).astype(np.float32)
    weights = random.integers(-127, 128, (8, *window, 16))
    if dtype == "uint8":
        taps = Tensor.constant((weights + 128).astype(np.uint8), held.tolist(), [128])
    else:
        taps = Tensor.constant(weights.astype(np.int8), held.tolist(), [0] * scales)
    bias = random.integers(-900, 900, 8).astype(np.int32)
    tensors = [
        Tensor.constant(np.array([images, *size, 8], np.int32)),
        taps,
        Tensor((images, 5, 4, 16), dtype, [0.02], [point - 5]),
        Tensor.constant(bias, (np.float32(0.02) * held).tolist(), [0] * scales),
        Tensor((images, *size, 8), dtype, [0.09], [point + 7]),
    ]
    options: dict[str, Any] = {"table": "TransposeConvOptions", "padding": padding}
    options |= {"strideH": stride[0], "strideW": stride[1], "fusedActivationFunction": activation}
    operator = Operator("TRANSPOSE_CONV", [0, 1, 2, 3], [4], options, 4 if activation else 3)
    return build(tensors, [operator], [2], [4]), (images, 5, 4, 16)


def graph_of(data: bytes, arithmetic: str = "reference") -> Graph:
    return apply_passes(read_tflite("network.tflite", data, arithmetic)).graph


@both
@pytest.mark.parametrize("name", LAYERS)
def test_every_way_gives_the_bits_of_litert(name: str, isa: Isa) -> None:
    data, shape = layer(name)
    graph = graph_of(data)
    image = np.random.default_rng(7).integers(-128, 128, shape).astype(np.int8)
    wanted = run_model(data, [image], kernels="reference")[0]
    assert np.array_equal(run_reference(graph, feed(graph, {"t2": image}))["t4"], wanted)
    assert len(np.unique(wanted)) > 80
    shelf, count = Shelf(LIBRARY, isa, None), 0
    with Caller(watched=True) as caller:
        for step in ways(shelf, graph, graph.nodes[0]):
            found = step.compute(caller, [image])
            assert np.array_equal(found.reshape(wanted.shape), wanted), [kernel.name for kernel in step.kernels]
            count += 1
    assert count >= 2


@pytest.mark.parametrize(("scales", "activation"), [(1, 0), (8, 1)])
@pytest.mark.parametrize("arithmetic", ["reference", "xnnpack"])
def test_scales_and_activations_are_those_of_litert(scales: int, activation: int, arithmetic: str) -> None:
    data, _ = layer("3x3 stride 2", scales, activation=activation)
    graph = graph_of(data, arithmetic)
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, Isa.A64, None, [given])
    assert [one.way for one in found.layers] == ["kernels"] and found.wrong == 0
    assert found.host_macs == 0 and found.macs == 5 * 4 * 16 * 9 * 8
    assert np.array_equal(found.outputs["t4"], run_model(data, [given["t2"]], kernels=arithmetic)[0])


def test_a_window_of_the_size_of_the_stride_is_one_product() -> None:
    graph = graph_of(layer("2x2 stride 2")[0])
    found = run_network(graph, LIBRARY, Isa.A64, None, [drawn(graph, 4)])
    *products, last = (name.split("/")[1] for name in found.layers[0].kernels)
    assert last == "resize_s8s8_hwc_1x64" and found.layers[0].moved == 0
    assert all(name.startswith(("conv1x1", "matmul", "pack", "requantize")) for name in products)


def test_weights_of_uint8_run_on_kernels_too() -> None:
    data, _ = layer("3x3 stride 2", 1, "uint8")
    graph = graph_of(data)
    given = drawn(graph, 4)
    found = run_network(graph, LIBRARY, Isa.A64, None, [given])
    assert [one.way for one in found.layers if one.macs] == ["kernels"] and found.wrong == 0
    assert np.array_equal(found.outputs["t4"], run_model(data, [given["t2"]], kernels="reference")[0])
