"""Compute the mean of each channel, with a scale of its own, by kernels: as a product by weights of 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import output_of, quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, scaling
from neonlab.network.run.ways.products import Product, products


def means(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a mean whose sums are requantized, as ONNX Runtime's.

    A row of the product is one channel, its depth the pixels.  An average pool of ONNX Runtime has no such way: it adds
    floats up, and what it makes of a sum of integers depends on their order.
    """
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    if node.attributes["arithmetic"] != "onnxruntime" or {image.dtype, output.dtype} != {"int8"}:
        return
    channels = image.shape[3]
    pixels = image.size // (image.shape[0] * channels)
    source, target = quantization_of(image), quantization_of(output)
    scale = np.float32(source.scale) / np.float32(target.scale) / np.float32(pixels)
    ones = np.ones((1, pixels), np.int8)
    try:
        scaled = scaling(ones, None, source.zero_point, np.array([scale]), "onnxruntime", output_of(graph, node))
    except Unfit:
        return
    for product in products(shelf, output.size, ones, scaled):

        def compute(calling: Calling, inputs: Sequence[Array], product: Product = product) -> Array:
            by_channel = inputs[0].reshape(-1, pixels, channels).transpose(0, 2, 1)
            return product.compute(calling, np.ascontiguousarray(by_channel).reshape(-1, pixels))

        yield Step(product.kernels, compute, image.size)
