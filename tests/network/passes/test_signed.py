"""uint8 tensors that are held as int8 give the same, also where the file says a scale of one side alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.network.onnx_models import model, node, run

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference

_RANDOM = np.random.default_rng(2)
_CONSTANTS: dict[str, Any] = {
    "x_s": np.float32(0.05), "x_z": np.uint8(130), "y_s": np.float32(0.1), "y_z": np.uint8(120),
    "w": _RANDOM.integers(-63, 64, (5, 4, 1, 1)).astype(np.int8), "w_s": np.float32(0.01), "w_z": np.int8(0),
    "shape": np.array([1, 4, 6, 5]),
}  # fmt: skip


def _conv(image: str) -> Any:
    return node("QLinearConv", [image, "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"], "y")


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        ([node("Reshape", ["x", "shape"], "r"), _conv("r")], (1, 4, 30)),
        ([node("Transpose", ["x"], "r", perm=[0, 1, 3, 2]), _conv("r")], (1, 4, 6, 5)),
        # The scale of x is known from the convolution alone; that of r from nothing.
        ([node("Transpose", ["x"], "r", perm=[0, 1, 3, 2]), _conv("x")], (1, 4, 6, 5)),
    ],
)
def test_what_is_moved_before_its_scale_is_known_stays_the_same(nodes: list[Any], shape: tuple[int, ...]) -> None:
    data = model(nodes, {"x": ("uint8", shape)}, {"r": "uint8", "y": "uint8"}, _CONSTANTS)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    given = {"x": _RANDOM.integers(0, 256, shape).astype(np.uint8)}
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, run(data, given), strict=True):
        assert values.std() > 0 and np.array_equal(to_file(graph, found[name]), values), name
