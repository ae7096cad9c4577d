"""Layers of ncnn that the lab has no arithmetic for are computed by the package `ncnn`, and said to be."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tests.network.ncnn_models import Writer, conv, run_package
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.graph import Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference.frameworks.ncnn import NCNN
from neonlab.network.reference.inference import drawn, feed, run_reference
from neonlab.network.run.network import macs_of

#: Layers between the input, 6 channels of 5x8, and what they make: type, parameters, the blobs taken and made.
LAYERS = {
    "permute": ("Permute", "0=3", ("data",), 1),
    "bilinear": ("Interp", "0=2 1=2.0 2=1.5", ("data",), 1),
    "slice": ("Slice", "-23300=3,1,2,-233 1=0", ("data",), 3),
    "shuffle": ("ShuffleChannel", "0=3", ("data",), 1),
    "crop": ("Crop", "0=1 1=2 2=1 3=4 4=2 5=3", ("data",), 1),
    "reorganised": ("Reorg", "0=1", ("data",), 1),
    "mean along w": ("Reduction", "0=3 1=0 -23303=1,2 4=1 5=1", ("data",), 1),
    "product": ("MatMul", "0=1", ("data", "data"), 1),
    "boxes": ("PriorBox", "-23300=1,60.0 -23302=1,2.0 9=-233 10=-233 13=0.5", ("data", "data"), 1),
    "arc tangent": ("BinaryOp", "0=10", ("data", "data"), 1),
    "adaptive pool": ("Pooling", "0=1 7=1 8=3 18=2", ("data",), 1),
    "softmax along h": ("Softmax", "0=1 1=1", ("data",), 1),
}  # fmt: skip


def single(name: str) -> Writer:
    kind, parameters, bottoms, tops = LAYERS[name]
    writer = Writer(1)
    writer.input("data", 8, 5, 6)
    writer.layer(kind, "one", bottoms, [f"out{number}" for number in range(tops)], parameters)
    return writer


def read(writer: Writer) -> Graph:
    require_module("ncnn")
    return read_ncnn("model.param", writer.text, writer.weights, {})


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_gives_what_the_package_gives(name: str, tmp_path: Path) -> None:
    writer = single(name)
    graph = read(writer)
    assert {one.operator for one in graph.nodes} == {"ncnn"} and {one.told for one in graph.nodes} == {LAYERS[name][0]}
    given = drawn(graph, 3)
    found = run_reference(graph, feed(graph, given))
    theirs = run_package(writer.write(tmp_path), given["data"], graph.outputs)
    for output, values in zip(graph.outputs, theirs, strict=True):
        ours = to_file(graph, found[output])
        assert ours.shape == values.shape and values.std() > 0 and np.array_equal(ours, values, equal_nan=True), output


def test_products_of_two_blobs_are_counted() -> None:
    assert sum(macs_of(read(single("product")), one) for one in read(single("product")).nodes) == 6 * 5 * 5 * 8
    assert not sum(macs_of(read(single("slice")), one) for one in read(single("slice")).nodes)


def test_such_layers_stand_between_convolutions(tmp_path: Path) -> None:
    writer = Writer(5)
    writer.input("data", 10, 8, 4)
    conv(writer, "first", "data", "a", (4, 8, 3), "9=1", 2)
    writer.layer("ShuffleChannel", "shuffled", ["a"], ["b"], "0=2")
    writer.layer("Slice", "halves", ["b"], ["l", "r"], "-23300=2,-233,-233 1=0")
    conv(writer, "second", "r", "c", (4, 4, 1), "", 2)
    writer.layer("Concat", "joined", ["l", "c"], ["d"])
    writer.layer("Interp", "larger", ["d"], ["out"], "0=1 1=2.0 2=2.0")
    graph = read(writer)
    passed = apply_passes(graph).graph
    given = drawn(graph, 5)
    before, after = (run_reference(one, feed(one, given))[one.outputs[0]] for one in (graph, passed))
    assert np.array_equal(before, after)
    (theirs,) = run_package(writer.write(tmp_path), given["data"], ["out"])
    ours = to_file(graph, before)
    assert ours.shape == theirs.shape == (8, 12, 16)
    # The package rounds product and bias of the floats that come out of a convolution once, the lab twice.
    assert np.abs(ours - theirs).max() <= np.abs(theirs).max() * 2.0**-21


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Mine one 1 1 data out", "ncnn has no such layer"),
        ("LSTM one 1 1 data out 0=4 1=96", "has weights, and the lab does not know which"),
        ("MemoryData one 0 1 out 0=4", "has weights, and the lab does not know which"),
        (
            "Einsum one 2 1 data data out -23300=8,105,106,44,107,106,45,62,105",
            "does not know its multiply-accumulates|ended",
        ),
        ("Crop one 1 1 data out 0=9 3=4 4=4 5=4", "ended|makes nothing of such blobs"),
        ("DetectionOutput one 3 1 data data data out 0=21 1=0.45", "data decide the size of what it makes|ended"),
    ],
)
def test_what_cannot_be_left_to_the_package_is_refused_with_its_reason(line: str, why: str) -> None:
    require_module("ncnn")
    text = f"7767517\n2 2\nInput data 0 1 data 0=8 1=5 2=6\n{line}\n"
    with pytest.raises(InputError, match=rf"1 node that the lab cannot run: {line.split()[0]} `one`: .*({why})"):
        read_ncnn("model.param", text.encode(), b"", {})


@pytest.mark.slow
def test_damaged_parameters_end_in_a_message_or_in_a_graph() -> None:
    random = np.random.default_rng(17)
    refused = 0
    for name in LAYERS:
        writer = single(name)
        for _ in range(6):
            words = writer.lines[-1].split()
            at = random.integers(4 + int(words[2]) + int(words[3]), len(words))
            key = words[at].partition("=")[0]
            words[at] = f"{key}={random.choice([-1, 0, 7, 1 << 20, -(1 << 31)])}"
            text = "\n".join(["7767517", f"2 {writer.blobs}", writer.lines[0], " ".join(words), ""])
            try:
                read_ncnn("model.param", text.encode(), b"", {})
            except InputError as error:
                assert "one" in str(error)
                refused += 1
    print("refused", refused)
    assert refused > len(LAYERS)


def test_a_process_that_a_layer_ends_is_started_again() -> None:
    graph = read(single("permute"))
    given = feed(graph, drawn(graph, 3))
    wanted = run_reference(graph, given)[graph.outputs[0]]
    process = NCNN.process()
    assert process._process is not None
    process._process.kill()
    with pytest.raises(InputError, match=r"node `one` \(Permute\): ncnn: the process that runs it ended \(SIGKILL\)"):
        run_reference(graph, given)
    assert np.array_equal(run_reference(graph, given)[graph.outputs[0]], wanted)


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    NCNN.process().stop()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(
        InputError, match=r"Permute `one`: the package ncnn computes it .*pip install 'neonlab\[ncnn\]'"
    ):
        read_ncnn("model.param", single("permute").text, b"", {})
