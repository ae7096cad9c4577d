"""Compute by kernels what stands between floats and integers in ncnn's networks: floats to int8, sums to either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import output_of, quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, fits, hold


def quantize(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the kernels that make int8 of floats by a product with one scale, as ncnn does."""
    source = graph.tensor(node.inputs[0])
    if "factor" not in node.attributes or source.dtype != "float32":
        return
    held = {"inverse": np.full(1, node.attributes["factor"], np.float32), "range": _range(graph, node)}
    for kernel in shelf.find("quantize", "f32s8", scheme="ncnn"):
        yield from _step(kernel, {"count": source.size}, held)


def dequantize(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the kernels that make floats of sums, with a scale and a bias for each channel."""
    source = graph.tensor(node.inputs[0])
    if len(node.inputs) != 2 or source.dtype != "int32":
        return
    held = {"scales": _scales(graph, node), "bias": _bias(graph, node)}
    for kernel in shelf.find("dequantize", "s32f32", layout="rows"):
        yield from _step(kernel, _rows(graph, node, 4), held)


def requantize(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the kernels that make int8 of sums in the scheme of ncnn."""
    scales = _scales(graph, node)
    held = {
        "scales_in": scales,
        "bias": _bias(graph, node),
        "scales_out": np.full_like(scales, node.attributes["factor"]),
        "range": _range(graph, node),
    }
    for kernel in shelf.find("requantize", "s32s8", scheme="ncnn"):
        yield from _step(kernel, _rows(graph, node, 1), held)


def _scales(graph: Graph, node: Node) -> Array:
    return np.array(quantization_of(graph.tensor(node.inputs[0])).scales, np.float32)


def _bias(graph: Graph, node: Node) -> Array:
    bias = graph.constant(node.inputs[1])
    assert bias is not None
    return bias


def _range(graph: Graph, node: Node) -> Array:
    output = output_of(graph, node)
    return np.array([output.zero_point, output.minimum, output.maximum], np.int16)


def _rows(graph: Graph, node: Node, size: int) -> dict[str, int]:
    """Return rows of channels, and the bytes from one to the next; `size` are the bytes of an output's element."""
    source = graph.tensor(node.inputs[0])
    channels = source.shape[-1]
    rows = {"rows": source.size // channels, "cols": channels}
    return rows | {"input_pitch": 4 * channels, "output_pitch": size * channels}


def _step(kernel: Kernel, numbers: Mapping[str, int], held: Mapping[str, Array]) -> Iterator[Step]:
    """Yield the step that calls a kernel on the node's first input, unless its contract does not allow the numbers."""
    try:
        for name, values in held.items():
            hold(kernel.contract, name, values)
    except Unfit:
        return
    if not fits(kernel.contract, numbers):
        return

    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        return calling(kernel, {"input": inputs[0], **numbers, **held})["output"]

    yield Step((kernel,), compute)
