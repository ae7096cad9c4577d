"""Test that no value is called exact which the framework may round in another way than the reference."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tests.network.onnx_models import model, node

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import NetworkRun, run_network
from neonlab.report.json.network import network_json
from neonlab.report.network.markdown import network_markdown
from neonlab.report.network.page import network_page
from neonlab.report.network.terminal import print_network

ROOT = Path(__file__).resolve().parents[3]


def run_of(zero_point: int, *, pool: bool = False) -> NetworkRun:
    """A product before a relu; and a pool of floats after it."""
    constants = {
        "s": np.float32(0.05), "z": np.int8(zero_point), "t": np.float32(0.01), "u": np.int8(0),
        "w": np.random.default_rng(1).integers(-127, 128, (8, 4, 1, 1)).astype(np.int8),
    }  # fmt: skip
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], "x_f"),
        node("DequantizeLinear", ["w", "t", "u"], "w_f"),
        node("Conv", ["x_f", "w_f"], "c"),
        node("Relu", ["c"], "r"),
        node("QuantizeLinear", ["r", "s", "z"], "y"),
        *([node("DequantizeLinear", ["y", "s", "z"], "y_f"), node("GlobalAveragePool", ["y_f"], "p")] if pool else []),
    ]
    outputs = {"p": "float32"} if pool else {"y": "int8"}
    data = model(nodes, {"x": ("int8", (1, 4, 5, 5))}, outputs, constants)
    graph = apply_passes(read_onnx("network.onnx", data, {})).graph
    return run_network(graph, open_library(ROOT), Isa.A64, None, [drawn(graph, 1)])


def shown(run: NetworkRun) -> str:
    out = StringIO()
    print_network(Console(file=out, width=200), run, None, [])
    return out.getvalue()


@pytest.mark.parametrize("zero_point", [-128, 3])
def test_a_layer_is_exact_where_the_framework_has_integers_and_near_where_it_adds_floats(zero_point: int) -> None:
    run, near = run_of(zero_point), zero_point != -128
    assert run.wrong == 0 and run.values == 200 and run.near == 200 * near
    text, page, document = shown(run), network_page(run, None, []), network_json(run, None, [])
    assert ("all exact" in text) != near and ("200 are near ONNX Runtime's" in text) == near
    assert [layer["result"] for layer in document["layers"]] == ["near" if near else "exact"]
    assert document["near"] == 200 * near
    for one in (text, page, network_markdown(run, None, [])):
        assert ("an 8-bit value beside a midpoint by 1" in one) == near
    assert ('<span class="good">exact</span>' in page) != near and ('<b class="good">exact</b>' in page) != near


def test_floats_that_this_computer_adds_up_are_called_so() -> None:
    run = run_of(-128, pool=True)
    assert [layer["result"] for layer in network_json(run, None, [])["layers"]] == ["exact", "host", "host floats"]
    assert "Layers that are 1 host floats: ONNX Runtime adds floats up" in shown(run)
