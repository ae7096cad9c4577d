"""Whole ncnn networks run on the kernels of the library, and every value is that of the reference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import neonlab
from tests.network.ncnn_models import NETWORKS, Writer, run_package

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.open import open_network
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.inference import drawn
from neonlab.network.run.network import run_network

#: What no kernel computes: floats.
HOST = {"relu", "mean", "softmax", "sum"}


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("isa", [Isa.A64, Isa.A32])
@pytest.mark.parametrize("kind", NETWORKS)
def test_every_sum_and_every_int8_is_computed_by_a_kernel(kind: str, isa: Isa) -> None:
    writer = NETWORKS[kind](21)
    graph = apply_passes(read_ncnn("model.param", writer.text, writer.weights, {})).graph
    run = run_network(graph, open_library(), isa, None, [drawn(graph, 21)])
    assert run.wrong == 0 and run.values > 1000
    by_way = {layer.node.name: layer.way for layer in run.layers}
    floats = {name for name, way in by_way.items() if way == "host"}
    last = {"classes"} if kind == "residual" else set()
    assert {name for name in floats if not name.endswith("/activated")} <= HOST | last
    assert run.host_macs == (640 if kind == "residual" else 0)
    kernels = {kernel.rpartition("/")[2] for layer in run.layers for kernel in layer.kernels}
    assert any("quantize_f32s8" in one for one in kernels) and any("requantize_s32s8" in one for one in kernels)
    assert all(by_way[name] == "kernels" for name in by_way if name.endswith(("/scaled", "/quantized")))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("isa", [Isa.A64, Isa.A32])
@pytest.mark.parametrize("size", [(7, 5), (20, 3)])  # 20 rows are more than kernels take
def test_the_greatest_of_all_pixels_goes_into_a_layer_of_int8(size: tuple[int, int], isa: Isa, tmp_path: Path) -> None:
    writer = Writer(28)
    writer.input("data", size[1], size[0], 8)
    writer.layer("Pooling", "greatest", ["data"], ["m"], "0=0 4=1")
    writer.weighted("InnerProduct", "classes", "m", "out", 40, 8, {0: 5, 1: 1, 2: 40, 8: 2})
    graph = apply_passes(read_ncnn("model.param", writer.text, writer.weights, {})).graph
    given = drawn(graph, 28)
    run = run_network(graph, open_library(), isa, None, [given])
    ways = {layer.node.name: layer.way for layer in run.layers}
    assert run.wrong == 0 and ways["greatest"] == ("kernels" if size[0] < 16 else "host"), ways
    (theirs,) = run_package(writer.write(tmp_path), given["data"], ["out"])
    assert theirs.std() > 0 and np.abs(run.outputs["out"] - theirs).max() <= np.abs(theirs).max() * 2.0**-22


@pytest.mark.slow
def test_the_command_reads_the_weights_beside_the_model(tmp_path: Path) -> None:
    path = NETWORKS["two"](22).write(tmp_path)
    shown = neonlab("network", str(path), "--core", "cortex-a53")
    assert shown.returncode == 0 and "all exact" in shown.stdout and "requantize_s32s8_rows_1x16_ncnn" in shown.stdout


@pytest.mark.slow
def test_the_command_says_that_the_weights_are_not_there(tmp_path: Path) -> None:
    path = NETWORKS["two"](23).write(tmp_path)
    path.with_suffix(".bin").unlink()
    shown = neonlab("network", str(path))
    assert shown.returncode == 2 and "its weights are not beside it" in shown.stderr and not shown.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
def test_what_layers_cost_does_not_depend_on_their_weights(kind: str) -> None:
    writer = NETWORKS[kind](24)
    core = ModelledCore.named("cortex-a53", cycles=True)
    costs = []
    for weights in (writer.weights, 1, 2):
        graph = apply_passes(read_ncnn("model.param", writer.text, weights, {})).graph
        run = run_network(graph, open_library(), Isa.A64, core, [drawn(graph, 24)])
        assert run.wrong == 0
        costs.append((run.cost.instructions, run.cost.cycles))
    assert costs[0] == costs[1] == costs[2]


def test_weights_are_drawn_where_that_is_asked_for_and_differ_by_the_seed(tmp_path: Path) -> None:
    path = NETWORKS["two"](25).write(tmp_path)
    path.with_suffix(".bin").unlink()
    first, same, other = (open_network(path, draw=seed) for seed in (1, 1, 2))
    held = {name: tensor.data for name, tensor in first.tensors.items() if tensor.data is not None}
    assert held and all(np.array_equal(np.asarray(same.constant(name)), values) for name, values in held.items())
    assert any(not np.array_equal(np.asarray(other.constant(name)), values) for name, values in held.items())


@pytest.mark.slow
def test_the_command_draws_weights_of_no_other_format(tmp_path: Path) -> None:
    path = NETWORKS["two"](26).write(tmp_path)
    path.with_suffix(".bin").unlink()
    shown = neonlab("network", str(path), "--draw-weights", "--json")
    assert shown.returncode == 0 and json.loads(shown.stdout)["wrong"] == 0
    model = path.with_suffix(".onnx")
    model.write_bytes(b"")
    shown = neonlab("network", str(model), "--draw-weights")
    assert shown.returncode == 2 and "only of a .param the weights can be drawn" in shown.stderr
