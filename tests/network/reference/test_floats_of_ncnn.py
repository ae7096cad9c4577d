"""Layers of floats around ncnn's int8 give what the package gives, to the last places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.network.ncnn_models import Writer, run_package

from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.layout import to_file
from neonlab.network.reference.inference import drawn, feed, run_reference

#: Layers with parameters, on an image of 6 channels and 9x7 pixels.
IMAGE = (
    "ReLU 0=0", "ReLU 0=0.1", "Clip 0=-0.3 1=0.4", "Clip 0=-0.3", "Sigmoid", "TanH", "Mish", "Swish", "HardSwish",
    "HardSwish 0=0.1666667 1=0.5", "HardSigmoid", "HardSigmoid 0=1.6 1=0.5", "Dropout", "Noop", "Flatten",
    "Softmax 0=0 1=1", "Softmax 0=-3 1=1", "Pooling 0=0 1=3 2=2", "Pooling 0=0 1=2 11=3 2=2 12=1 13=1",
    "Pooling 0=0 1=3 2=2 5=1", "Pooling 0=0 1=3 2=2 5=2", "Pooling 0=0 1=3 2=2 5=3", "Pooling 0=0 4=1",
    "Pooling 0=1 1=3 2=2", "Pooling 0=1 1=3 2=2 3=1 5=1", "Pooling 0=1 1=3 2=2 3=1 6=1", "Pooling 0=1 1=3 2=2 5=2",
    "Pooling 0=1 4=1", "Pooling 0=1 7=1 8=1", "Pooling 0=0 7=1 8=-233", "BinaryOp 0=0 1=1 2=0.3",
    "BinaryOp 0=1 1=1 2=0.3", "BinaryOp 0=2 1=1 2=0.3", "BinaryOp 0=3 1=1 2=0.3", "BinaryOp 0=4 1=1 2=0.3",
    "BinaryOp 0=5 1=1 2=0.3", "BinaryOp 0=7 1=1 2=0.3", "BinaryOp 0=8 1=1 2=0.3", "Padding 0=1 1=2 2=0 3=3 5=0.25",
    "Reshape 0=21 1=18", "Reshape 0=9 1=-1 2=6", "Reshape 0=-1", "Reshape 0=0 1=0 2=-1", "LRN",
    "LRN 1=3 2=0.5 3=0.6 4=2",
)  # fmt: skip
#: Layers of two images of these sizes.
PAIRS = (
    "Eltwise 0=0", "Eltwise 0=1", "Eltwise 0=2", "Eltwise 0=1 -23301=2,0.3,-1.7", "BinaryOp 0=0", "BinaryOp 0=1",
    "BinaryOp 0=2", "BinaryOp 0=4", "BinaryOp 0=5", "BinaryOp 0=7", "Concat 0=0", "Concat 0=1", "Concat 0=2",
    "Concat 0=-1",
)  # fmt: skip
#: Layers with numbers of their own, how many each.
NUMBERS = {"BatchNorm 0=6 1=0.001": 24, "Scale 0=6": 6, "Scale 0=6 1=1": 12, "PReLU 0=6": 6, "PReLU 0=1": 1}


def compare(folder: Path, writer: Writer, seed: int) -> None:
    print("seed", seed)
    graph = read_ncnn("model.param", writer.text, writer.weights, {})
    given = drawn(graph, seed)
    found = run_reference(graph, feed(graph, given))
    (theirs,) = run_package(writer.write(folder), given["data"], ["out"])
    ours = to_file(graph, found[graph.outputs[0]])
    assert ours.shape == theirs.shape and theirs.std() > 0
    assert np.abs(ours - theirs).max() <= np.abs(theirs).max() * 2.0**-20


@pytest.mark.parametrize("words", IMAGE)
def test_a_layer_of_one_image_is_the_same(tmp_path: Path, words: str) -> None:
    kind, _, parameters = words.partition(" ")
    writer = Writer(31)
    writer.input("data", 7, 9, 6)
    writer.layer(kind, "one", ["data"], ["out"], parameters)
    compare(tmp_path, writer, 31)


@pytest.mark.parametrize("words", PAIRS)
def test_a_layer_of_two_images_is_the_same(tmp_path: Path, words: str) -> None:
    kind, _, parameters = words.partition(" ")
    writer = Writer(32)
    writer.input("data", 7, 9, 6)
    writer.layer("Split", "split", ["data"], ["a", "b"])
    writer.layer("Clip", "clip", ["b"], ["c"], "0=-0.6 1=0.2")
    writer.layer(kind, "one", ["a", "c"], ["out"], parameters)
    compare(tmp_path, writer, 32)


@pytest.mark.parametrize("words", NUMBERS)
@pytest.mark.parametrize("before", ["", "Pooling", "Reshape"])
def test_a_layer_with_numbers_for_each_channel_is_the_same(tmp_path: Path, words: str, before: str) -> None:
    """After a global pool a blob has one dimension, after a reshape two, of which the first are the channels."""
    kind, _, parameters = words.partition(" ")
    writer = Writer(33)
    writer.input("data", 7, 9, 6)
    if before:
        writer.layer(before, "before", ["data"], ["x"], "0=1 4=1" if before == "Pooling" else "0=63 1=6")
    writer.layer(kind, "one", ["x" if before else "data"], ["out"], parameters)
    writer.parts.append(writer.random.uniform(0.3, 1.5, NUMBERS[words]).astype(np.float32).tobytes())
    compare(tmp_path, writer, 33)


@pytest.mark.parametrize("kind", ["Convolution", "ConvolutionDepthWise", "InnerProduct"])
@pytest.mark.parametrize("activation", [0, 1, 4])
def test_weights_of_floats_are_the_same(tmp_path: Path, kind: str, activation: int) -> None:
    writer = Writer(34)
    writer.input("data", 7, 9, 6)
    if kind == "InnerProduct":
        writer.weighted(kind, "one", "data", "out", 5 * 378, 378, {0: 5, 1: 1, 2: 5 * 378, 9: activation})
    else:
        groups, outs = (2, 8) if kind == "ConvolutionDepthWise" else (1, 5)
        count = outs * 6 // groups * 6
        parameters = {0: outs, 1: 3, 11: 2, 3: 2, 13: 1, 4: -233, 5: 1, 6: count, 7: groups, 9: activation}
        writer.weighted(kind, "one", "data", "out", count, 6 // groups * 6, parameters)
    compare(tmp_path, writer, 34)
