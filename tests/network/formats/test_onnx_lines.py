"""Operators along one axis are integer layers on kernels, and give the bits of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run.network import run_network

ROOT = Path(__file__).resolve().parents[3]
_OWN = "com.microsoft"
Array = np.ndarray


class Lines:
    """A network along one axis under construction, in QDQ or QOperator form, of int8 or uint8."""

    def __init__(self, seed: int, *, qdq: bool, kind: str) -> None:
        self.random, self.qdq, self.kind = np.random.default_rng(seed), qdq, np.dtype(kind)
        self.shape: tuple[int, ...] = (int(self.random.choice([1, 2])), 4, 37)
        self.first, self.last = self.shape, "x"
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.scale("x")

    def scale(self, name: str, like: str = "") -> None:
        """Give a tensor a scale and a zero point, or those of another one."""
        held = self.constants
        point = int(self.random.integers(-20, 20)) + 128 * (self.kind == np.uint8)
        held[f"{name}_s"] = held[f"{like}_s"] if like else np.float32(self.random.uniform(0.02, 0.2))
        held[f"{name}_z"] = held[f"{like}_z"] if like else np.array(point, self.kind)

    def quantized(self, *names: str) -> list[str]:
        return [part for name in names for part in (name, f"{name}_s", f"{name}_z")]

    def add(self, operator: str, others: list[str], shape: tuple[int, ...], own: str = _OWN, **attributes: Any) -> None:
        """Add an operator on the last tensor and on constants, which have scales."""
        name = f"t{len(self.nodes)}"
        self.scale(name, self.last if operator == "MaxPool" else "")
        ends = [f"{name}_s", f"{name}_z"]
        if self.qdq:
            for one in (self.last, *others):
                along: dict[str, Any] = {"axis": 0} if self.constants[f"{one}_s"].ndim else {}
                self.nodes.append(node("DequantizeLinear", self.quantized(one), f"{name}_{one}", **along))
            self.nodes.append(
                node(operator, [f"{name}_{one}" for one in (self.last, *others)], f"{name}_f", **attributes)
            )
            self.nodes.append(node("QuantizeLinear", [f"{name}_f", *ends], name))
        elif operator == "MaxPool":
            self.nodes.append(node(operator, [self.last], name, **attributes))
        else:
            bias = others.pop() if operator == "Conv" else ""
            inputs = [*self.quantized(self.last, *others), *ends, *([bias] if bias else [])]
            self.nodes.append(node(f"QLinear{operator}", inputs, name, own, **attributes))
        self.last, self.shape = name, shape

    def convolve(self, outs: int, groups: int, taps: int, step: int, apart: int, pads: tuple[int, int]) -> None:
        count, most = len(self.nodes), 63 if self.kind == np.uint8 else 127
        weights, bias = f"w{count}", f"b{count}"
        per = bool(self.random.integers(2))
        held = self.constants
        held[weights] = self.random.integers(-most, most + 1, (outs, self.shape[1] // groups, taps)).astype(np.int8)
        held[f"{weights}_s"] = self.random.uniform(0.001, 0.02, outs if per else ()).astype(np.float32) * np.float32(1)
        held[f"{weights}_z"] = np.zeros(outs if per else (), np.int8)
        held[bias] = self.random.integers(-999, 999, outs).astype(np.int32)
        held[f"{bias}_s"] = held[f"{weights}_s"] * held[f"{self.last}_s"]
        held[f"{bias}_z"] = np.zeros(outs if per else (), np.int32)
        length = (self.shape[2] + sum(pads) - (taps - 1) * apart - 1) // step + 1
        self.add(
            "Conv", [weights, bias], (self.shape[0], outs, length), "", group=groups, strides=[step], pads=list(pads),
            dilations=[apart],
        )  # fmt: skip

    def bytes(self) -> bytes:
        return model(self.nodes, {"x": (self.kind.name, self.first)}, {self.last: self.kind.name}, self.constants)


def network(seed: int, *, qdq: bool, kind: str) -> tuple[bytes, Array]:
    """Every kind of layer along one axis, of drawn sizes, and an input."""
    net = Lines(seed, qdq=qdq, kind=kind)
    draw = net.random.integers
    net.convolve(6, 1, int(draw(1, 6)), 1, int(draw(1, 3)), (int(draw(0, 4)), int(draw(0, 4))))
    net.convolve(6, 6, int(draw(1, 8)), int(draw(1, 3)), 1, (int(draw(0, 4)), int(draw(0, 4))))
    held = f"k{seed}"
    net.constants[held] = draw(0, 100, (1, 6, 1)).astype(net.kind)
    net.scale(held)
    net.add("Add", [held], net.shape)
    net.add("LeakyRelu", [], net.shape, alpha=0.1)
    net.convolve(12, 6, 3, 1, 1, (1, 1))
    net.convolve(8, 2, 3, 1, 2, (0, 2))
    for operator in ("MaxPool", "AveragePool"):
        shape = (*net.shape[:2], (net.shape[2] + 1 - 3) // 2 + 1)
        net.add(operator, [], shape, kernel_shape=[3], strides=[2], pads=[1, 0])
    net.convolve(5, 1, 1, 1, 1, (0, 0))
    net.add("GlobalAveragePool", [], (*net.shape[:2], 1))
    return net.bytes(), draw(np.iinfo(kind).min, np.iinfo(kind).max + 1, net.first).astype(kind)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("qdq", [False, True])
def test_layers_along_one_axis_are_integers_of_the_same_bits(qdq: bool, kind: str, seed: int) -> None:
    data, values = network(seed, qdq=qdq, kind=kind)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    assert not {one.operator for one in graph.nodes} & {"float", "onnx", "quantize", "dequantize"}
    found = run_reference(graph, feed(graph, {"x": values}))[graph.outputs[0]]
    expected = run(data, {"x": values})[0]
    assert expected.std() > 0 and np.array_equal(to_file(graph, found), expected)


@pytest.mark.slow
@pytest.mark.parametrize("isa", [Isa.A64, Isa.A32])
def test_they_run_on_kernels_of_both_instruction_sets(isa: Isa) -> None:
    graph = apply_passes(read_onnx("network.onnx", network(1, qdq=True, kind="int8")[0], {})).graph
    found = run_network(graph, open_library(ROOT), isa, None, [drawn(graph, 1)])
    assert found.wrong == 0 and found.host_macs == 0
    assert {one.node.told for one in found.layers if one.way == "host"} <= {"Transpose", "AveragePool", "MaxPool"}


def test_what_follows_a_layer_along_one_axis_in_another_order_takes_it_as_a_line() -> None:
    random = np.random.default_rng(3)
    constants = {
        "w": random.normal(0, 1, (5, 4, 3)).astype(np.float32), "m": random.normal(0, 1, (6, 2)).astype(np.float32)
    }  # fmt: skip
    nodes = [node("Conv", ["x", "w"], "c"), node("Relu", ["c"], "r"), node("MatMul", ["r", "m"], "y")]
    data = model(nodes, {"x": ("float32", (2, 4, 8))}, {"y": "float32", "c": "float32"}, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = {"x": random.normal(0, 1, (2, 4, 8)).astype(np.float32)}
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, run(data, given), strict=True):
        np.testing.assert_allclose(to_file(graph, found[name]), values, rtol=1e-5, atol=1e-5)
