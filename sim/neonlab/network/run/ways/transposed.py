"""Compute transposed convolutions by kernels: as convolutions, whose pixels are then put in order.

The stride divides the rows of the output into as many phases, and so the columns.  To the pixels of one phase only
every stride-th tap gives something, so they are a convolution of stride 1 by these taps.  Phases that see the same
pixels of the input are one convolution of more channels; so are all phases of a window as large as the stride, without
padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neonlab.int8.windows import Window
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.reference.node import quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, fits
from neonlab.network.run.ways.convolutions import convolutions

#: Operators whose kernels bring pixels to where others multiply them.
_BRINGING = frozenset({"pad", "pack", "pack_pointers"})


@dataclass(frozen=True, slots=True)
class _Part:
    """Phases of one axis that see the same pixels: `taps` of them, in an image with so many more at its two ends.

    `count` positions of the window are computed for each phase.
    """

    phases: tuple[int, ...]
    taps: int
    ends: tuple[int, int]
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """One axis of the output: its parts, and for each of its pixels the part, its phase there, and the place."""

    parts: tuple[_Part, ...]
    part: Array
    phase: Array
    place: Array

    @staticmethod
    def of(length: int, size: int, taps: int, step: int, before: int) -> _Axis:
        """Divide an axis of `size` pixels, to each of which pixels of the input, `length`, give by `taps` taps.

        `before` pixels of the whole are cut off: tap f of pixel i of the input gives to pixel i * step + f - before.
        """
        found: dict[tuple[int, tuple[int, int], int], list[int]] = {}
        held = {}
        for phase in range(step):
            # Pixels of the phase are those of q * step + phase - before; pixel i gives to them by tap q - i of its own.
            first, last = -((phase - before) // step), (size - 1 + before - phase) // step
            if last < first:
                continue
            own = max(1, -((phase - taps) // step))
            ends = max(0, own - 1 - first), max(0, last - length + 1)
            key = own, ends, length + sum(ends) - own + 1
            found.setdefault(key, []).append(phase)
            held[phase] = key, len(found[key]) - 1
        parts = tuple(_Part(tuple(phases), *key) for key, phases in found.items())
        numbers = {key: number for number, key in enumerate(found)}
        quotients, phases = np.divmod(np.arange(size) + before, step)
        kept = [held[int(phase)] for phase in phases]
        place = [q - key[0] + 1 + key[1][0] for q, (key, _) in zip(quotients, kept, strict=True)]
        return _Axis(
            parts, np.array([numbers[key] for key, _ in kept]), np.array([at for _, at in kept]), np.array(place)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """A transposed convolution as convolutions: one for each pair of parts of its axes, the columns' innermost."""

    graph: Graph
    node: Node
    weights: Array
    rows: _Axis
    columns: _Axis

    @staticmethod
    def of(graph: Graph, node: Node, weights: Array) -> _Layer:
        """Divide the layer of a node with constant weights [out, height, width, in]."""
        shapes = (graph.tensor(name).shape[1:3] for name in (node.inputs[0], node.outputs[0]))
        window: Window = node.attributes["window"]
        axes = (
            _Axis.of(length, size, taps, step, before)
            for length, size, taps, step, (before, _) in zip(
                *shapes, weights.shape[1:3], window.stride, window.padding, strict=True
            )
        )
        return _Layer(graph, node, weights, *axes)

    @property
    def pairs(self) -> list[tuple[_Part, _Part]]:
        """Return the parts of rows and columns that make a convolution each."""
        return [(row, column) for row in self.rows.parts for column in self.columns.parts]

    def convolution(self, row: _Part, column: _Part) -> tuple[Graph, Node]:
        """Return a convolution as a node, and a graph with its weights, bias and output."""
        image, weights, output = (self.graph.tensor(name) for name in (*self.node.inputs[:2], self.node.outputs[0]))
        phases, outs = len(row.phases) * len(column.phases), len(self.weights)
        scales = quantization_of(weights)
        if len(scales.scales) > 1:
            scales = Quantization(scales.scales * phases, scales.zero_points * phases)
        bias = self.graph.constant(self.node.inputs[2])
        tiled = np.tile(np.zeros(outs, np.int32) if bias is None else bias, phases)
        found = image.shape[0], row.count, column.count, phases * outs
        held = self._taps(row, column)
        tensors = [
            Tensor(f"{weights.name}/taps", held.shape, weights.dtype, scales, held),
            Tensor(f"{weights.name}/bias", tiled.shape, "int32", None, tiled),
            replace(output, name=f"{output.name}/part", shape=found),
        ]
        attributes = {**self.node.attributes, "window": Window((1, 1), (row.ends, column.ends)), "groups": 1}
        taps, added, target = (tensor.name for tensor in tensors)
        node = Node(self.node.name, "conv", (image.name, taps, added), (target,), attributes)
        every = {**self.graph.tensors, **{tensor.name: tensor for tensor in tensors}}
        return replace(self.graph, tensors=every), node

    def _taps(self, row: _Part, column: _Part) -> Array:
        """Return the weights of a convolution: each phase has its taps, the last first, as its output channels."""
        outs, _, _, depth = self.weights.shape
        step = self.node.attributes["window"].stride
        shape = len(row.phases), len(column.phases), outs, row.taps, column.taps, depth
        # A weight of 0 is the zero point.
        points = np.array(quantization_of(self.graph.tensor(self.node.inputs[1])).zero_points)
        found = np.broadcast_to(points.reshape(-1, 1, 1, 1), shape).astype(self.weights.dtype)
        for down, across in np.ndindex(*shape[:2]):
            # Phases beyond the window have no taps, and one weight that is the zero point.
            own = self.weights[:, row.phases[down] :: step[0], column.phases[across] :: step[1]][:, ::-1, ::-1]
            found[down, across, :, : own.shape[1], : own.shape[2]] = own
        return found.reshape(-1, *shape[3:])

    def offsets(self) -> Array:
        """Return where each pixel of the output [n, height, width] begins in the results of all convolutions."""
        images, height, width, outs = self.graph.tensor(self.node.outputs[0]).shape
        found, base = np.zeros((images, height, width), np.int64), 0
        for down, row in enumerate(self.rows.parts):
            for across, column in enumerate(self.columns.parts):
                y, x = (np.flatnonzero(one.part == n) for one, n in ((self.rows, down), (self.columns, across)))
                pixel = len(row.phases) * len(column.phases) * outs
                lines = np.arange(images)[:, np.newaxis] * row.count + self.rows.place[y]
                places = lines[:, :, np.newaxis] * column.count + self.columns.place[x]
                phases = self.rows.phase[y][:, np.newaxis] * len(column.phases) + self.columns.phase[x]
                found[:, y[:, np.newaxis], x] = base + places * pixel + phases * outs
                base += images * row.count * column.count * pixel
        return found


def transposed(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield ways to compute a transposed convolution, of which each part multiplies by the same kernels."""
    weights = graph.constant(node.inputs[1])
    if weights is None:
        return
    layer = _Layer.of(graph, node, weights)
    by_kernels: list[dict[tuple[Kernel, ...], Step]] = []
    for row, column in layer.pairs:
        found: dict[tuple[Kernel, ...], Step] = {}
        for step in convolutions(shelf, *layer.convolution(row, column)):
            found.setdefault(_multiplying(step.kernels), step)
        by_kernels.append(found)
    offsets = layer.offsets()
    outs = len(weights)
    in_order = np.array_equal(offsets.reshape(-1), np.arange(offsets.size) * outs)
    size = sum(one[0].count * one[1].count * len(one[0].phases) * len(one[1].phases) for one in layer.pairs)
    tables = _tables(offsets, outs, len(offsets) * size)
    numbers = {"height": tables["rows"].size, "width": tables["columns"].size}
    numbers["channels"] = offsets.size * outs // (numbers["height"] * numbers["width"])
    numbers["input_pixels"] = len(offsets) * size * outs // numbers["channels"]
    movers = (kernel for kernel in shelf.find("resize", "s8s8", layout="hwc") if fits(kernel.contract, numbers))
    for mover in (None,) if in_order else movers:
        for kernels, first in by_kernels[0].items():
            steps = (first, *(found[kernels] for found in by_kernels[1:] if kernels in found))
            if len(steps) == len(by_kernels):
                yield _step(steps, mover, {**tables, **numbers})


def _multiplying(kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
    """Return the kernels without those that bring pixels to their places, which depend on taps and borders."""
    return tuple(one for one in kernels if one.operator is None or one.operator.name not in _BRINGING)


def _tables(offsets: Array, outs: int, pixels: int) -> dict[str, Array]:
    """Return the offsets as those of rows and of runs of pixels in a row; else those of all runs.

    A run is of pixels that lie together wherever it begins; `pixels` of results are whole runs.
    """
    rows = offsets.reshape(-1, offsets.shape[2])
    together = np.concatenate([[False], (np.diff(rows, axis=1) == outs).all(axis=0)])
    lengths = (n for n in range(rows.shape[1], 0, -1) if rows.shape[1] % n == 0 and pixels % n == 0)
    run = next(n for n in lengths if together.reshape(-1, n)[:, 1:].all())
    firsts = rows[:, ::run]
    lines, places = firsts[:, 0], firsts[0] - firsts[0, 0]
    if places.min() < 0 or not np.array_equal(lines[:, np.newaxis] + places, firsts):
        lines, places = np.zeros(1, np.int64), firsts.reshape(-1)
    return {"rows": lines.astype(np.int32), "columns": places.astype(np.int32)}


def _step(steps: Sequence[Step], mover: Kernel | None, held: dict[str, Array | int]) -> Step:
    """Return the step of convolutions that write one array, one after another, and of what puts its pixels in order."""

    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        parts = np.concatenate([step.compute(calling, inputs).reshape(-1) for step in steps])
        return parts if mover is None else calling(mover, {"input": parts, **held})["output"]

    kernels = [*(kernel for step in steps for kernel in step.kernels), *(() if mover is None else (mover,))]
    return Step(tuple(dict.fromkeys(kernels)), compute, sum(step.moved for step in steps))
