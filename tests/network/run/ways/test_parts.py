"""Weights that no kernel takes, and depthwise convolutions of any kind, run on kernels with ONNX Runtime's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.run.network import NetworkRun, run_network
from neonlab.network.run.ways import parts

ROOT = Path(__file__).resolve().parents[4]
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
Case = tuple[tuple[int, ...], dict[str, Any], int]
#: Shape of the weights, attributes, and channels of the image; of a product, its columns.
_LAYERS: dict[str, Case] = {
    "pointwise": ((6, 5, 1, 1), {}, 5),
    "window": ((5, 4, 3, 2), {"pads": [1, 0, 0, 1], "strides": [2, 1], "dilations": [1, 2]}, 4),
    "groups": ((6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}, 4),
    "depthwise": ((6, 1, 3, 3), {"group": 6}, 6),
    "several": ((8, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}, 4),
    "large": ((4, 1, 1, 7), {"group": 4, "pads": [0, 3, 0, 3], "dilations": [1, 2]}, 4),
    "product": ((7, 5), {}, 7),
}
#: The type of image and weights, and the zero points of the weights.
_WEIGHTS = {"-128": ("int8", "int8", 0), "moved": ("int8", "int8", -9), "uint8": ("uint8", "uint8", 117)}


def layer(name: str, kind: str) -> tuple[bytes, dict[str, np.ndarray]]:
    random = np.random.default_rng(4)
    shape, attributes, channels = _LAYERS[name]
    image, held, point = _WEIGHTS[kind]
    limits = np.iinfo(held)
    weights = random.integers(limits.min, limits.max + 1, shape).astype(held)
    weights.reshape(-1)[:2] = limits.min, limits.max
    size = (9, channels) if name == "product" else (1, channels, 8, 9)
    constants = {
        "x_s": np.float32(0.04), "x_z": np.array(3 if image == "int8" else 131, image), "w": weights,
        "w_s": np.float32(0.02), "w_z": np.array(point, held), "y_s": np.float32(0.4), "y_z": np.array(5, image),
    }  # fmt: skip
    inputs = ["x", "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"]
    nodes = [node("QLinearMatMul" if name == "product" else "QLinearConv", inputs, "y", **attributes)]
    ends = np.iinfo(image)
    given = random.integers(ends.min, ends.max + 1, size).astype(image)
    return model(nodes, {"x": (image, size)}, {"y": image}, constants), {"x": given}


def both_of(data: bytes, given: dict[str, np.ndarray], isa: Isa) -> tuple[NetworkRun, Graph]:
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    return run_network(graph, open_library(ROOT), isa, None, [given]), graph


@pytest.mark.slow(keep=4)
@both
@pytest.mark.parametrize("kind", _WEIGHTS)
@pytest.mark.parametrize("name", _LAYERS)
def test_every_weight_runs_on_kernels(name: str, kind: str, isa: Isa) -> None:
    data, given = layer(name, kind)
    found, graph = both_of(data, given, isa)
    assert found.wrong == 0 and [one.node.name for one in found.layers if one.way == "host"] == []
    expected = run(data, given)[0]
    assert expected.std() > 0 and np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), expected)


def test_a_part_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = parts._repeated

    def first_alone(found: Any, weights: np.ndarray) -> Any:
        return repeated(found, np.clip(weights, -127, 127))

    data, given = layer("window", "-128")
    assert both_of(data, given, Isa.A64)[0].wrong == 0
    monkeypatch.setattr(parts, "_repeated", first_alone)
    assert both_of(data, given, Isa.A64)[0].wrong > 0
