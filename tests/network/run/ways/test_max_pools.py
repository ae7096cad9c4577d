"""Max pools of windows that have no kernel of their own run on kernels with ONNX Runtime's results."""

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
from neonlab.network.run.network import run_network

ROOT = Path(__file__).resolve().parents[4]
both = pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
#: Shape and attributes.
_POOLS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "row": ((1, 17, 5, 9), {"kernel_shape": [1, 3], "strides": [1, 2], "pads": [0, 1, 0, 1]}),
    "column": ((1, 3, 9, 4), {"kernel_shape": [4, 1], "auto_pad": "SAME_LOWER"}),
    "images": ((3, 8, 7, 6), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "large": ((1, 4, 8, 7), {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]}),
    "apart": (
        (2, 5, 11, 9),
        {"kernel_shape": [3, 2], "dilations": [2, 3], "strides": [3, 1], "pads": [2, 1, 0, 1]},
    ),
    "beyond": ((1, 4, 6, 7), {"kernel_shape": [3, 4], "strides": [2, 3], "ceil_mode": 1}),
    "pixel": ((1, 4, 6, 7), {"kernel_shape": [1, 1], "strides": [2, 3]}),
    "line": ((2, 6, 13), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
}


@both
@pytest.mark.parametrize("name", _POOLS)
def test_a_max_pool_of_any_window_runs_on_kernels(name: str, isa: Isa) -> None:
    shape, attributes = _POOLS[name]
    given = np.random.default_rng(4).integers(-128, 128, shape).astype(np.int8)
    data = model([node("MaxPool", ["x"], "y", **attributes)], {"x": ("int8", shape)}, {"y": "int8"}, {})
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_network(graph, open_library(ROOT), isa, None, [{"x": given}])
    assert found.wrong == 0
    assert [one.way for one in found.layers if one.node.operator == "max_pool"] == ["kernels"]
    expected = run(data, {"x": given})[0]
    assert expected.std() > 0 and np.array_equal(to_file(graph, found.outputs[graph.outputs[0]]), expected)
