"""Convolutions whose windows kernels gather: right for any window, stride, dilation, padding, groups and images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.int8.requantize import scheme_named
from neonlab.int8.windows import Window
from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.reference.inference import drawn
from neonlab.network.reference.node import output_of, quantization_of, scale_of
from neonlab.network.run import network as module
from neonlab.network.run.choose import ways
from neonlab.network.run.network import run_network
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.ways.windows import windows

ROOT = Path(__file__).resolve().parents[4]
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
#: Image, weights [out, height, width, in of a group], window.
CASES = {
    "3x3 with padding": ((1, 6, 7, 16), (5, 3, 3, 16), Window(padding=((1, 1), (1, 1)))),
    "7x5 of 3 channels, by 2": ((1, 9, 11, 3), (8, 7, 5, 3), Window((2, 2), ((3, 2), (2, 1)))),
    "1x1 by 2 and 3": ((1, 5, 7, 20), (4, 1, 1, 20), Window((2, 3))),
    "dilated": ((1, 9, 8, 8), (6, 3, 2, 8), Window(padding=((2, 2), (0, 3)), dilation=(2, 3))),
    "groups": ((1, 5, 6, 12), (8, 3, 3, 6), Window((1, 2), ((1, 1), (1, 0)))),
    "three images": ((3, 4, 5, 4), (7, 2, 3, 4), Window(padding=((0, 1), (1, 1)))),
}


def graph_of(name: str, scheme: str) -> Graph:
    image, shape, window = CASES[name]
    rng = np.random.default_rng(3)
    weights = rng.integers(-127, 128, shape, np.int8)
    places = (image[0], *window.output_size((image[1], image[2]), (shape[1], shape[2])), shape[0])
    sums = scheme == "sums"
    tensors = [
        Tensor("x", image, "int8", Quantization((0.5,), (0 if sums else -11,))),
        Tensor("w", shape, "int8", Quantization((0.25,), (0,)), weights),
        Tensor("b", shape[:1], "int32", None, rng.integers(-999, 999, shape[0], np.int32)),
        Tensor("y", places, "int32" if sums else "int8", Quantization((120.0,), (9,))),
    ]
    attributes = {"window": window, "groups": image[3] // shape[3], "scheme": scheme, "precision": "float64"}
    node = Node("conv", "conv", ("x", "w", "" if sums else "b"), ("y",), attributes)
    return Graph("small", "", {one.name: one for one in tensors}, (node,), ("x",), ("y",))


def written_out(graph: Graph, image: Array) -> Array:
    """The outputs, one after another; pixels around the image are the zero point, and add nothing."""
    (node,), point = graph.nodes, quantization_of(graph.tensor("x")).zero_point
    window, scheme = node.attributes["window"], node.attributes["scheme"]
    weights, bias = graph.constant("w"), graph.constant(node.inputs[2])
    assert weights is not None
    outs, height, width, depth = weights.shape
    sums = np.zeros(graph.tensor("y").shape, np.int64)
    for number, y, x, channel in np.ndindex(sums.shape):
        first = channel // (outs // node.attributes["groups"]) * depth
        total = 0 if bias is None else int(bias[channel])
        for dy, dx in np.ndindex(height, width):
            row = y * window.stride[0] + dy * window.dilation[0] - window.padding[0][0]
            column = x * window.stride[1] + dx * window.dilation[1] - window.padding[1][0]
            if 0 <= row < image.shape[1] and 0 <= column < image.shape[2]:
                pixel = image[number, row, column, first : first + depth].astype(np.int64) - point
                total += int(pixel @ weights[channel, dy, dx].astype(np.int64))
        sums[number, y, x, channel] = total
    if scheme == "sums":
        return sums.astype(np.int32)
    return scheme_named(scheme).requantize(sums.astype(np.int32), scale_of(graph, node), output_of(graph, node))


@both
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scheme", ["sums", "ruy"])
@pytest.mark.sweep(keep=8)
def test_every_way_is_right_and_the_host_gathers_nothing(name: str, scheme: str, isa: Isa) -> None:
    print("seeds 3 and 4")
    graph, names = graph_of(name, scheme), set()
    image = np.random.default_rng(4).integers(-128, 128, graph.tensor("x").shape, np.int8)
    wanted = written_out(graph, image).reshape(-1)
    assert len(set(wanted.tolist())) > 20
    with Caller() as caller:
        for step in ways(Shelf(open_library(ROOT), isa, None), graph, graph.nodes[0]):
            if any("conv3x3" in kernel.name for kernel in step.kernels):
                continue
            got = np.ascontiguousarray(step.compute(caller, [image])).reshape(-1)[: wanted.size]
            assert np.array_equal(got, wanted), [kernel.name for kernel in step.kernels]
            assert step.moved == (wanted.size if name == "groups" else 0)
            names.add(next(kernel.name for kernel in step.kernels if "_pointers_" in kernel.name))
    panels = {Isa.A32: "pack_s8s8_pointers_2x16", Isa.A64: "pack_s8s8_pointers_4x16"}[isa]
    assert names == {"pack_s8s8_pointers_1x32", *([panels] if scheme == "ruy" else [])}


def test_panels_of_dot_products_are_gathered_too() -> None:
    graph = graph_of("dilated", "ruy")
    image = np.random.default_rng(4).integers(-128, 128, graph.tensor("x").shape, np.int8)
    shelf = Shelf(open_library(ROOT), Isa.A64, ModelledCore.named("cortex-a55"))
    steps = [one for one in ways(shelf, graph, graph.nodes[0]) if one.kernels[1].name == "pack_s8s8_pointers_8x4"]
    assert steps and all(step.kernels[2].name == "matmul_s8s8_packed_8x12_dotprod_ruy" for step in steps)
    with Caller() as caller:
        for step in steps:
            assert np.array_equal(step.compute(caller, [image]).reshape(-1), written_out(graph, image).reshape(-1))


def test_a_tap_is_a_row_of_the_window_where_its_pixels_lie_side_by_side() -> None:
    shelf = Shelf(open_library(ROOT), Isa.A64, None)
    for name, taps, channels in (("3x3 with padding", 3, 48), ("7x5 of 3 channels, by 2", 7, 15), ("groups", 9, 6)):
        image, shape, window = CASES[name]
        output = (image[0], *window.output_size((image[1], image[2]), (shape[1], shape[2])), shape[0])
        found = windows(shelf, image, output, shape, window, 0)
        assert found is not None and found.offsets.shape == (image[0] * output[1] * output[2], taps)
        assert found.channels == channels


def test_the_host_gathers_where_the_library_has_no_kernels_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, find = graph_of("dilated", "ruy"), Shelf.find

    def without_pointers(self: Shelf, operator: str, types: str, **words: Any) -> list[Kernel]:
        return [one for one in find(self, operator, types, **words) if "_pointers_" not in one.name]

    monkeypatch.setattr(Shelf, "find", without_pointers)
    steps = list(ways(Shelf(open_library(ROOT), Isa.A64, None), graph, graph.nodes[0]))
    rows, bytes_of_a_window = graph.tensor("y").size // 6, 3 * 2 * 8
    assert steps and {step.moved for step in steps} == {rows * bytes_of_a_window}


def test_a_tap_of_the_next_window_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slipping(Caller):
        def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
            given = dict(arguments)
            if "_pointers_" in kernel.name:
                offsets = np.array(given["input"])
                offsets[7, 4] = offsets[8, 4]  # one tap of one window, from the next row of the product
                given["input"] = offsets
            return super().__call__(kernel, given)

    monkeypatch.setattr(module, "Caller", Slipping)
    graph = graph_of("dilated", "gemmlowp")
    run = run_network(graph, open_library(ROOT), Isa.A64, None, [drawn(graph, 1)])
    (layer,) = run.layers
    assert layer.difference is not None and layer.moved == 0
    places = layer.shape[2]
    assert layer.difference.index[:3] == (0, 7 // places, 7 % places) and 0 < layer.difference.wrong <= 6
