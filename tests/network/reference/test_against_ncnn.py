"""Whole ncnn models give the integers of the package `ncnn`, and its floats but for how its bias is added."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.network.ncnn_models import NETWORKS, Writer, run_package, two_convolutions

from neonlab.int8.affine import quantize_ncnn
from neonlab.int8.arrays import Output
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.graph import Array, Graph
from neonlab.network.layout import to_file
from neonlab.network.passes.every import apply_passes
from neonlab.network.reference import node
from neonlab.network.reference.inference import drawn, feed, run_reference

#: Activations by parameters 9 and 10.
ACTIVATIONS = {
    "none": "9=0", "relu": "9=1", "leaky": "9=2 -23310=1,0.1", "clip": "9=3 -23310=2,-0.5,1.7",
    "hard swish": "9=6 -23310=2,0.1666667,0.5", "sigmoid": "9=4",
}  # fmt: skip


def read(writer: Writer) -> Graph:
    return read_ncnn("model.param", writer.text, writer.weights, {})


def both(folder: Path, writer: Writer, names: list[str], seed: int) -> list[tuple[Array, Array]]:
    """What the lab and the package make of a model, for each blob of `names`."""
    print("seed", seed)
    graph = read(writer)
    given = drawn(graph, seed)
    found = run_reference(graph, feed(graph, given))
    theirs = run_package(writer.write(folder), given["data"], names)
    return [(to_file(graph, found[name]), values) for name, values in zip(names, theirs, strict=True)]


def fused(values: Array, scale: object, _zero_point: int = 0, bias: object = 0.0) -> Array:
    """What `dequantize` gives where product and bias are rounded once, as the package's vector code does on x86."""
    # The product of 24 and 24 bits is exact in float64, and the sum is next to exact.
    real = values.astype(np.float32).astype(np.float64) * np.asarray(scale, np.float64) + np.asarray(bias, np.float64)
    return real.astype(np.float32)


def fused_requantize(sums: Array, scale: object, factor: float, bias: object, output: Output) -> Array:
    return quantize_ncnn(fused(sums, scale, 0, bias), factor, output.minimum, output.maximum)


@pytest.mark.parametrize("kind", NETWORKS)
def test_every_blob_is_the_same_once_the_bias_is_fused(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else differs but how floats are added up at the end: means, softmax, a last layer of floats."""
    monkeypatch.setattr(node, "dequantize", fused)
    monkeypatch.setattr(node, "ncnn_requantize", fused_requantize)
    writer = NETWORKS[kind](11)
    graph = read(writer)
    tops = [word for line in writer.lines for word in line.split()[4:] if word in graph.tensors and word != "data"]
    names = list(dict.fromkeys(tops))
    found = dict(zip(names, both(tmp_path, writer, names, 11), strict=True))
    assert len(found) >= 2
    for name, (ours, theirs) in found.items():
        theirs = theirs.reshape(ours.shape)
        last = name in ("m", "c", "out")
        allowed = np.abs(theirs).max() * 2.0**-21 if last else 0
        assert theirs.std() > 0 and np.abs(ours - theirs).max() <= allowed, name


def one_or_two_roundings(folder: Path, writer: Writer, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number of `out` is the reference's, or the one where product and bias are rounded once.

    Which one it is depends on the code that the package has for a shape, and on where the vectors end.
    """
    ((twice, theirs),) = both(folder, writer, ["out"], seed)
    monkeypatch.setattr(node, "dequantize", fused)
    monkeypatch.setattr(node, "ncnn_requantize", fused_requantize)
    ((once, _),) = both(folder, writer, ["out"], seed)
    assert twice.dtype == theirs.dtype and theirs.std() > 0.5
    print("one rounding:", int((once == theirs).sum()), "two:", int((twice == theirs).sum()), "of", theirs.size)
    assert ((once == theirs) | (twice == theirs)).all()


#: Sizes of an int8 layer by its parameters: channels in and out, height and width of the kernel, groups.
SHAPES = {
    "9=1": (8, 8, 1, 1, 1), "3=2 13=1": (8, 12, 3, 2, 1), "4=-233 3=2": (5, 8, 3, 3, 1), "4=-234 3=2": (5, 8, 2, 2, 1),
    "2=2 4=2": (8, 8, 3, 3, 1), "12=3 14=3 4=0": (4, 4, 2, 2, 1), "4=1 15=0 14=2 16=1": (3, 8, 3, 3, 1),
    "7=8 4=1": (8, 8, 3, 3, 8), "7=8 4=2 3=2": (8, 8, 5, 5, 8), "7=2 4=1": (8, 12, 3, 3, 2), "7=4": (4, 8, 1, 1, 4),
}  # fmt: skip


@pytest.mark.parametrize("more", SHAPES)
@pytest.mark.parametrize("term", [1, 2, 101, 102])
def test_every_shape_of_a_convolution_is_the_same(
    tmp_path: Path, more: str, term: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ins, outs, height, width, groups = SHAPES[more]
    count = outs * ins // groups * height * width
    parameters: dict[int, float] = {0: outs, 1: width, 11: height, 5: 1, 6: count, 8: term}
    parameters |= {int(key): int(value) for key, value in (one.split("=") for one in more.split())}
    writer = Writer(41)
    writer.input("data", 12, 10, ins)
    kind = "ConvolutionDepthWise" if groups > 1 else "Convolution"
    writer.weighted(kind, "one", "data", "out", count, count // outs, parameters)
    one_or_two_roundings(tmp_path, writer, 41, monkeypatch)


@pytest.mark.parametrize("kept", ["float32", "float16", "table"])
@pytest.mark.parametrize("kind", ["Convolution", "ConvolutionDepthWise", "InnerProduct"])
def test_weights_of_floats_are_quantized_when_they_are_read(
    tmp_path: Path, kind: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(42)
    writer.input("data", 4, 4, 8)
    ins, parameters = {
        "Convolution": (8, {0: 8, 1: 1, 5: 1, 6: 64, 8: 2}),
        "ConvolutionDepthWise": (9, {0: 8, 1: 3, 5: 1, 6: 72, 7: 8, 8: 1}),
        "InnerProduct": (128, {0: 8, 1: 1, 2: 1024, 8: 2}),
    }[kind]
    writer.weighted(kind, "one", "data", "out", 8 * ins, ins, parameters, kept=kept)
    one_or_two_roundings(tmp_path, writer, 42, monkeypatch)


@pytest.mark.parametrize("kind", NETWORKS)
def test_passes_leave_the_outputs_of_ncnn_as_they_are(kind: str) -> None:
    graph = read(NETWORKS[kind](12))
    given = drawn(graph, 12)
    before = run_reference(graph, feed(graph, given))
    passed = apply_passes(graph)
    after = run_reference(passed.graph, feed(passed.graph, given))
    assert [(before[name] == after[name]).all() for name in graph.outputs] == [True]
    assert len(passed.notes) == (0 if kind in ("separable", "two") else 2)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", [1, 2])
def test_integers_between_convolutions_are_the_same(tmp_path: Path, activation: str, seed: int) -> None:
    writer = two_convolutions(seed, ACTIVATIONS[activation])
    ((ours, theirs),) = both(tmp_path, writer, ["a"], seed)
    assert ours.dtype == theirs.dtype == np.int8 and theirs.std() > 3
    # The two round apart by one step next to midpoints, where a bias that is fused in, or e^x, differs.
    apart = ours.astype(int) - theirs
    assert np.abs(apart).max() <= 1 and np.count_nonzero(apart) <= (8 if activation in ("hard swish", "sigmoid") else 2)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_floats_are_the_same_to_the_last_place(tmp_path: Path, seed: int) -> None:
    writer = two_convolutions(seed, requantized=False)
    ((ours, theirs),) = both(tmp_path, writer, ["b"], seed)
    assert theirs.std() > 1 and np.abs(ours - theirs).max() <= np.abs(theirs).max() * 2.0**-23


@pytest.mark.parametrize("scale", [1.0, 24.0])
def test_floats_next_to_midpoints_are_quantized_as_told(tmp_path: Path, scale: float) -> None:
    """The package's vector code adds 0.5 and cuts off, which rounds up the last float below a half, and no other."""
    near = np.arange(-130, 130, dtype=np.float32) + np.float32(0.5)
    values = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(1e9))]) / scale
    values = np.resize(values.astype(np.float32), (1, 28, 28))
    writer = Writer(0)
    writer.input("data", 28, 28, 1)
    writer.layer("Quantize", "q", ("data",), ("out",), "0=1")
    writer.parts.append(np.float32(scale).tobytes())
    (theirs,) = run_package(writer.write(tmp_path), values, ["out"])
    ours = quantize_ncnn(values, scale)
    apart = ours != theirs
    products = np.abs(values * np.float32(scale))[apart]
    assert set(products) <= {np.nextafter(np.float32(0.5), np.float32(0))}
    assert apart.any()


def test_a_clip_that_ends_beyond_float32_has_no_such_end() -> None:
    found = []
    for last in ("1e39", "1e30"):
        writer = two_convolutions(27, f"9=3 -23310=2,0,{last}")
        graph = apply_passes(read_ncnn("model.param", writer.text, writer.weights, {})).graph
        found.append(run_reference(graph, feed(graph, drawn(graph, 27)))[graph.outputs[0]])
    assert found[0].std() > 0 and np.array_equal(found[0], found[1])
