"""Compute depthwise convolutions that no kernel of a window takes: several outputs for each channel, any window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.reference.node import quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step
from neonlab.network.run.ways.convolutions import by_window, convolutions


def depthwise(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a depthwise node.

    Where each channel has several outputs, the first of all are one depthwise convolution, the second another.  A
    window that no kernel has is a convolution with a group for each channel.
    """
    weights = graph.constant(node.inputs[1])
    if weights is None:
        return
    outs = weights.shape[2] // graph.tensor(node.inputs[0]).shape[3]
    found = by_window(shelf, graph, node) if outs == 1 else _of_several(shelf, graph, node, outs)
    first = next(found, None)
    if first is None:
        found = convolutions(shelf, *_of_groups(graph, node, weights))
    else:
        yield first
    yield from found


def _of_several(shelf: Shelf, graph: Graph, node: Node, outs: int) -> Iterator[Step]:
    """Yield depthwise convolutions of which each has one output for each channel; the host puts these side by side."""
    ways: list[dict[tuple[Kernel, ...], Step]] = []
    for number in range(outs):
        found: dict[tuple[Kernel, ...], Step] = {}
        for step in by_window(shelf, *_one_of(graph, node, slice(number, None, outs))):
            found.setdefault(step.kernels, step)
        ways.append(found)
    size = graph.tensor(node.outputs[0]).size
    channels = graph.tensor(node.inputs[0]).shape[3]
    for kernels, first in ways[0].items():
        steps = (first, *(found[kernels] for found in ways[1:] if kernels in found))
        if len(steps) == outs:

            def compute(calling: Calling, inputs: Sequence[Array], steps: tuple[Step, ...] = steps) -> Array:
                parts = [np.asarray(step.compute(calling, inputs)).reshape(-1, channels) for step in steps]
                return np.stack(parts, axis=2)

            yield Step(kernels, compute, size + sum(step.moved for step in steps))


def _one_of(graph: Graph, node: Node, part: slice) -> tuple[Graph, Node]:
    """Return the depthwise convolution of some of the output channels, as a node and a graph that has its tensors."""
    weights, output = (graph.tensor(name) for name in (node.inputs[1], node.outputs[0]))
    scales, bias = quantization_of(weights), graph.constant(node.inputs[2])
    assert weights.data is not None
    if len(scales.scales) > 1:
        scales = replace(scales, scales=scales.scales[part], zero_points=scales.zero_points[part])
    held = np.ascontiguousarray(weights.data[..., part])
    tensors = [
        Tensor(f"{weights.name}/part", held.shape, weights.dtype, scales, held),
        replace(output, name=f"{output.name}/part", shape=(*output.shape[:3], held.shape[2])),
    ]
    inputs = [node.inputs[0], tensors[0].name, ""]
    if bias is not None:
        tensors.append(Tensor(f"{node.inputs[2]}/part", held.shape[2:], "int32", None, bias[part]))
        inputs[2] = tensors[-1].name
    every = {**graph.tensors, **{tensor.name: tensor for tensor in tensors}}
    return replace(graph, tensors=every), replace(node, inputs=tuple(inputs), outputs=(tensors[1].name,))


def _of_groups(graph: Graph, node: Node, weights: Array) -> tuple[Graph, Node]:
    """Return the convolution that has a group for each channel."""
    held, scales = graph.tensor(node.inputs[1]), quantization_of(graph.tensor(node.inputs[1]))
    rows = np.ascontiguousarray(np.moveaxis(weights, 2, 0))[..., np.newaxis]
    moved = Quantization(scales.scales, scales.zero_points)
    tensor = Tensor(f"{held.name}/rows", rows.shape, held.dtype, moved, rows)
    groups = graph.tensor(node.inputs[0]).shape[3]
    inputs = (node.inputs[0], tensor.name, node.inputs[2])
    new = replace(node, operator="conv", inputs=inputs, attributes={**node.attributes, "groups": groups})
    return replace(graph, tensors={**graph.tensors, tensor.name: tensor}), new
