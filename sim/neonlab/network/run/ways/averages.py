"""Compute the mean of each channel, with a scale of its own, by kernels: as a product by weights of 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neonlab.int8.requantize import scheme_named
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import mean_of_sums, output_of, quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, scaling
from neonlab.network.run.ways.products import Product, products

#: Sums that a mean is tried on, at most: those of an image of 128x128.
_MOST_SUMS = 1 << 22


def means(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a mean whose sums are requantized.

    A row of the product is one channel, its depth the pixels.  TFLite's and XNNPACK's means are rounded in ways that no
    kernel has; a kernel of another scheme computes one where both agree on every sum that there can be.  An average
    pool of ONNX Runtime has no such way: it adds floats up, and what it makes of a sum of integers depends on their
    order.
    """
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    if {image.dtype, output.dtype} != {"int8"}:
        return
    channels = image.shape[3]
    pixels = image.size // (image.shape[0] * channels)
    point, ones = quantization_of(image).zero_point, np.ones((1, pixels), np.int8)
    for scheme, scale in _schemes(graph, node, pixels):
        try:
            scaled = scaling(ones, None, point, np.array([scale]), scheme, output_of(graph, node))
        except Unfit:
            continue
        for product in products(shelf, output.size, ones, scaled):

            def compute(calling: Calling, inputs: Sequence[Array], product: Product = product) -> Array:
                by_channel = inputs[0].reshape(-1, pixels, channels).transpose(0, 2, 1)
                return product.compute(calling, np.ascontiguousarray(by_channel).reshape(-1, pixels))

            yield Step(product.kernels, compute, image.size)


def _schemes(graph: Graph, node: Node, pixels: int) -> Iterator[tuple[str, float]]:
    """Yield the schemes that round as the node does, with the scale of its sums."""
    source, target = (quantization_of(graph.tensor(name)) for name in (node.inputs[0], node.outputs[0]))
    single = float(np.float32(source.scale) / np.float32(target.scale) / np.float32(pixels))
    if node.attributes["arithmetic"] == "onnxruntime":
        yield "onnxruntime", single
        return
    if pixels * 255 >= _MOST_SUMS:
        return
    sums = np.arange(pixels * (-128 - source.zero_point), pixels * (127 - source.zero_point) + 1).astype(np.int32)
    wanted = mean_of_sums(graph, node, sums, pixels)
    for scheme, scale in (("gemmlowp", source.scale / target.scale / pixels), ("onnxruntime", single)):
        if (scheme_named(scheme).requantize(sums, scale, output_of(graph, node)) == wanted).all():
            yield scheme, scale
