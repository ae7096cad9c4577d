"""Quantizations that stand once for each consumer are one, and what is before them gives ONNX Runtime's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run, scales

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.passes.twins import join_twins
from neonlab.network.reference.inference import feed, run_reference

_RANDOM = np.random.default_rng(17)
_SHAPE = (1, 8, 30, 20)


def _pair(source: str, name: str, point: str = "z") -> list[Any]:
    return [
        node("QuantizeLinear", [source, "t", point], f"{name}_q"),
        node("DequantizeLinear", [f"{name}_q", "t", point], name),
    ]


def _gate(dtype: str, point: str = "z", outputs: tuple[str, ...] = ("y",)) -> tuple[bytes, dict[str, np.ndarray]]:
    """A convolution times its sigmoid, as quantizers write it that give each consumer a pair of its own."""
    most = 127 if dtype == "int8" else 63  # x86 without VNNI adds up two products of uint8 and int8 in 16 bits
    constants: dict[str, Any] = {
        **scales(s=0.031, t=0.027, v=1 / 256, u=0.019), "z": np.array(5, dtype), "z2": np.array(6, dtype),
        "zero": np.array(np.iinfo(dtype).min, dtype), "w": _RANDOM.integers(-most, most, (8, 8, 3, 3)).astype(np.int8),
        "ws": _RANDOM.uniform(0.002, 0.006, 8).astype(np.float32), "wz": np.zeros(8, np.int8),
    }  # fmt: skip
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "xf"),
        node("DequantizeLinear", ["w", "ws", "wz"], "wf", axis=0),
        node("Conv", ["xf", "wf"], "c", pads=[1, 1, 1, 1]),
        *_pair("c", "a"),
        *_pair("c", "b", point),
        node("Sigmoid", ["a"], "g"),
        node("QuantizeLinear", ["g", "v", "zero"], "gq"),
        node("DequantizeLinear", ["gq", "v", "zero"], "gf"),
        node("Mul", ["b", "gf"], "m"),
        node("QuantizeLinear", ["m", "u", "z"], "y"),
    ]
    limits = np.iinfo(dtype)
    given = {"x": _RANDOM.integers(limits.min, limits.max + 1, _SHAPE).astype(dtype)}
    return model(nodes, {"x": (dtype, _SHAPE)}, dict.fromkeys(outputs, dtype), constants), given


def _same(data: bytes, given: dict[str, np.ndarray]) -> Graph:
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, run(data, given), strict=True):
        assert values.std() > 0 and np.array_equal(to_file(graph, found[name]), values), name
    return graph


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_pair_for_each_consumer_is_one(dtype: str) -> None:
    data, given = _gate(dtype)
    passed = join_twins(read_onnx("network.onnx", data, {}))
    assert passed.notes == ("2 quantizations and dequantizations left out, as others do the same",)
    graph = _same(data, given)
    convolutions = [one for one in graph.nodes if one.told == "Conv"]
    assert [one.operator for one in convolutions] == ["conv"] and not convolutions[0].attributes.get("near")


def test_pairs_with_other_zero_points_stay() -> None:
    data, given = _gate("int8", "z2")
    assert join_twins(read_onnx("network.onnx", data, {})).notes == ()
    _same(data, given)


def test_what_leaves_the_network_stays_under_its_name() -> None:
    data, given = _gate("int8", outputs=("y", "b_q", "a_q"))
    assert _same(data, given).outputs[1:] == ("b_q", "a_q")
