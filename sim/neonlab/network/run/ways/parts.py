"""Multiply windows by weights that no kernel takes, as weights of several taps whose sum they are.

Weights of -128, and those with a zero point, are the sum of a few int8 from -127 to 127.  A window whose pixels are
gathered twice is multiplied by two such weights at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from neonlab.int8.arrays import wide
from neonlab.int8.windows import Window
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Scaling, Step
from neonlab.network.run.ways.windows import WindowProduct, Windows, window_products, windows

_MOST = 127


def centred(graph: Graph, node: Node, axis: int = 0) -> Array | None:
    """Return the weights of a node less their zero points, int64, the channels first; None if data decide them."""
    weights = graph.constant(node.inputs[1])
    if weights is None:
        return None
    moved = np.moveaxis(wide(weights), axis, 0)
    points = np.array(quantization_of(graph.tensor(node.inputs[1])).zero_points, np.int64)
    found: Array = moved - points.reshape(-1, *[1] * (moved.ndim - 1))
    return found


def is_of_parts(weights: Array) -> bool:
    """Tell whether weights are such that some kernels, or all, do not take them as they are."""
    return bool(np.abs(weights).max(initial=0) > _MOST)


def is_of_int8(weights: Array) -> bool:
    """Tell whether all weights are int8."""
    return bool(weights.min(initial=0) >= -_MOST - 1 and weights.max(initial=0) <= _MOST)


def by_parts(shelf: Shelf, graph: Graph, node: Node, weights: Array, scale: Scaling) -> Iterator[Step]:
    """Yield products of windows with the taps of each part of `weights` [channel, height, width, depth], side by side.

    A fully connected layer is one of windows of one pixel.
    """
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    outs, *taps, depth = weights.shape
    groups, window = node.attributes.get("groups", 1), node.attributes.get("window", Window())
    shapes = image.shape, output.shape
    if node.operator == "dense":
        shapes = (image.size // depth, 1, 1, depth), (output.size // outs, 1, 1, outs)
    point = quantization_of(image).zero_point
    found = windows(shelf, shapes[0], shapes[1], (outs, taps[0], taps[1], depth), window, point)
    if found is None:
        return
    more, parts = _repeated(found, weights)
    yield from by_pointers(shelf, more, parts, scale, groups)


def _repeated(found: Windows, weights: Array) -> tuple[Windows, Array]:
    """Return windows with taps that are there once for each part of the weights that has any, and these weights."""
    rest = weights.reshape(len(weights), found.offsets.shape[1], -1)
    kept, parts = list[Array](), list[Array]()
    while not kept or rest.any():
        part = np.clip(rest, -_MOST, _MOST)
        taps = np.flatnonzero(rest.any(axis=(0, 2))) if kept else np.arange(rest.shape[1])
        kept.append(found.offsets[:, taps])
        parts.append(part[:, taps].astype(np.int8))
        rest = rest - part
    return replace(found, offsets=np.concatenate(kept, axis=1)), np.concatenate(parts, axis=1)


def by_pointers(shelf: Shelf, found: Windows, weights: Array, scale: Scaling, groups: int) -> Iterator[Step]:
    """Yield products of windows that kernels gather; the host puts the channels of several groups side by side."""
    outs = len(weights)
    part = outs // groups
    ways = [
        list(window_products(shelf, found, weights[first : first + part], scale.part(first, first + part)))
        for first in range(0, outs, part)
    ]
    for products in zip(*ways, strict=False):

        def compute(calling: Calling, inputs: Sequence[Array], products: tuple[WindowProduct, ...] = products) -> Array:
            framed = found.framed(calling, inputs[0])
            got = [one.compute(calling, framed, found.channels * number) for number, one in enumerate(products)]
            return got[0] if groups == 1 else np.concatenate(got, axis=1)

        kernels = dict.fromkeys((*found.frame.kernels, *(kernel for one in products for kernel in one.kernels)))
        yield Step(tuple(kernels), compute, outs * len(found.offsets) if groups > 1 else 0)
