"""Networks drawn of many operators, quantized by ONNX Runtime, give its results, before and after the passes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.network.onnx_models import run
from tests.network.random_models import quantized_network

from neonlab.network.formats.onnx import read_onnx
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import feed, run_reference


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("uint8", "qdq"), [(False, True), (True, True), (False, False), (True, False)])
def test_a_drawn_network_gives_what_onnx_runtime_gives(seed: int, uint8: bool, qdq: bool, tmp_path: Path) -> None:
    data, given = quantized_network(seed, tmp_path, uint8=uint8, qdq=qdq)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    found = run_reference(graph, feed(graph, given))
    for name, values in zip(graph.outputs, run(data, given), strict=True):
        got = to_file(graph, found[name])
        # Floats may differ by roundings; a step of 8 bits is at least 1/255 of the greatest value.
        assert got.shape == values.shape
        assert np.abs(got - values).max() <= np.abs(values).max() / 1000, (seed, name)
