"""Networks on emulated kernels: every tensor is that of the reference, on both instruction sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import classifier, model, node, run
from tests.network.reference.test_against_litert import WAKE_WORDS, wake_word
from tests.network.tflite_models import network

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run import network as module
from neonlab.network.run.choose import ways
from neonlab.network.run.network import run_network
from neonlab.network.run.shelf import Shelf
from neonlab.verify.cases.case import Array

ROOT = Path(__file__).resolve().parents[3]
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])


def small(kind: str) -> Graph:
    if kind in ("reference", "xnnpack"):
        return apply_passes(read_tflite("network.tflite", network()[0], kind)).graph
    return apply_passes(read_onnx("network.onnx", classifier(kind)[0], {})).graph


@pytest.mark.slow(keep=1)
@both
@pytest.mark.parametrize("kind", ["reference", "xnnpack", "int8", "uint8"])
def test_every_tensor_is_exact(kind: str, isa: Isa) -> None:
    graph = small(kind)
    run = run_network(graph, open_library(ROOT), isa, None, [drawn(graph, 1), drawn(graph, 2)])
    assert run.wrong == 0
    assert all(layer.way != "host" for layer in run.layers if layer.macs), [
        layer.node.name for layer in run.layers if layer.way == "host"
    ]
    assert run.values > 2000 and run.host_macs == 0 and run.cost.instructions > 0


@pytest.mark.slow(keep=1)
@both
@pytest.mark.parametrize("kind", ["reference", "int8"])
def test_every_way_to_compute_a_node_gives_the_same(kind: str, isa: Isa) -> None:
    graph = small(kind)
    tensors = run_reference(graph, feed(graph, drawn(graph, 1)))
    names: set[str] = set()
    shelf = Shelf(open_library(ROOT), isa, None)
    with Caller(watched=True) as caller:
        for node in graph.nodes:
            inputs = [tensors[name] for name in node.inputs if name]
            wanted = tensors[node.outputs[0]].reshape(-1)
            for step in ways(shelf, graph, node):
                got = np.ascontiguousarray(step.compute(caller, inputs)).reshape(-1)[: wanted.size]
                assert np.array_equal(got, wanted), (node.name, [kernel.name for kernel in step.kernels])
                names.update(kernel.operator.name for kernel in step.kernels if kernel.operator is not None)
    assert names >= {"conv1x1", "matmul", "pack", "gemv", "requantize", "pad"}


def pooled(pool: str, **attributes: Any) -> tuple[bytes, Graph]:
    """An average between a dequantization and a quantization."""
    constants = {"s": np.float32(0.05), "z": np.array(-3, np.int8), "t": np.float32(0.03), "u": np.array(9, np.int8)}
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "f"),
        node(pool, ["f"], "g", **attributes),
        node("QuantizeLinear", ["g", "t", "u"], "y"),
    ]
    data = model(nodes, {"x": ("int8", (1, 50, 9, 8))}, {"y": "int8"}, constants)
    return data, apply_passes(read_onnx("network.onnx", data, {})).graph


@both
def test_a_mean_with_a_scale_of_its_own_is_a_product_by_ones(isa: Isa) -> None:
    data, graph = pooled("GlobalAveragePool")
    given = drawn(graph, 7)
    found = run_network(graph, open_library(ROOT), isa, None, [given])
    assert [layer.way for layer in found.layers] == ["kernels"] and found.wrong == 0
    assert len(found.layers[0].tried) > 3 and found.layers[0].moved == 50 * 9 * 8
    assert np.array_equal(to_file(graph, found.outputs["y"]), run(data, given)[0])


@pytest.mark.parametrize("count", [0, 1])
def test_an_average_pool_of_floats_is_that_of_onnx_runtime(count: int) -> None:
    data, graph = pooled("AveragePool", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 2, 1], count_include_pad=count)
    given = drawn(graph, 7)
    found = run_network(graph, open_library(ROOT), Isa.A64, None, [given])
    assert [layer.way for layer in found.layers] == ["host"]  # no kernel adds floats in its order
    assert np.array_equal(to_file(graph, found.outputs["y"]), run(data, given)[0])


@pytest.mark.parametrize("name", [WAKE_WORDS[0]])
def test_a_trained_network_is_exact_over_several_inferences(name: str) -> None:
    path = wake_word(name)
    graph = apply_passes(read_tflite(str(path), path.read_bytes())).graph
    run = run_network(graph, open_library(ROOT), Isa.A64, None, [drawn(graph, seed) for seed in range(3)])
    assert run.wrong == 0 and run.host_macs == 0 and run.macs == 23_968


@pytest.mark.thorough("one of the four proves the same on one instruction set")
@both
@pytest.mark.parametrize("name", WAKE_WORDS)
def test_trained_networks_are_exact_on_both_instruction_sets(name: str, isa: Isa) -> None:
    path = wake_word(name)
    graph = apply_passes(read_tflite(str(path), path.read_bytes())).graph
    run = run_network(graph, open_library(ROOT), isa, None, [drawn(graph, seed) for seed in range(3)])
    assert run.wrong == 0 and run.host_macs == 0


def test_a_kernel_that_is_wrong_is_noticed_with_its_first_value(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slipping(Caller):
        def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
            found = super().__call__(kernel, arguments)
            if "dwconv" in kernel.name:
                values = next(iter(found.values()))
                values[7] ^= 1 << (12 if values.dtype == np.int32 else 0)
            return found

    monkeypatch.setattr(module, "Caller", Slipping)
    graph = small("reference")
    run = run_network(graph, open_library(ROOT), Isa.A64, None, [drawn(graph, 1)])
    first = next(layer for layer in run.layers if layer.difference is not None)
    assert first.node.told == "DEPTHWISE_CONV_2D" and run.wrong >= 1
    assert first.difference is not None and first.difference.index == (0, 0, 0, 7)
    assert first.difference.got != first.difference.expected and first.difference.wrong == 1


def test_the_peak_of_memory_is_that_of_the_widest_layer() -> None:
    graph = small("reference")
    run = run_network(graph, open_library(ROOT), Isa.A64, None, [drawn(graph, 1)])
    # The pool takes 7x6x32 and puts out 3x3x32 (4x3 windows of 2x2 do not fit); the output 7x6x16 is kept.
    assert run.peak.activations == 7 * 6 * 32 + 3 * 3 * 32 + 7 * 6 * 16 and run.peak.node == "6 MAX_POOL_2D"
