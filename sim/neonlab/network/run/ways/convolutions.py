"""Compute convolutions by kernels: those of a window's own, or products of rows that are gathered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neonlab.int8.arrays import Output
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import output_of, quantization_of, scale_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Scaling, Step, Unfit, fits, packed, scaling
from neonlab.network.run.ways.frames import frame, gathered
from neonlab.network.run.ways.parts import by_parts, by_pointers, centred, is_of_int8, is_of_parts
from neonlab.network.run.ways.products import Ending, Product, products
from neonlab.network.run.ways.windows import windows


def weighted_scaling(graph: Graph, node: Node, weights: Array) -> Scaling:
    """Return how the sums of `weights` [channel, ...], less their zero points, become outputs.

    The node is conv, depthwise or dense.  Raises Unfit for tensors that are not int8, and for a bias that leaves int32.
    """
    image, output = (graph.tensor(name) for name in (node.inputs[0], node.outputs[0]))
    if node.attributes["scheme"] == "sums" and image.dtype == "int8" and output.dtype == "int32":
        return Scaling.none(len(weights))
    if {image.dtype, output.dtype} != {"int8"}:
        raise Unfit("not all int8")
    bias = graph.constant(node.inputs[2])
    point = quantization_of(image).zero_point
    held: Output = output_of(graph, node)
    return scaling(weights, bias, point, scale_of(graph, node), node.attributes["scheme"], held)


def _weights_and_scale(graph: Graph, node: Node) -> tuple[Array, Scaling] | None:
    """Return the weights of conv or dense less their zero points, and how their sums become outputs.

    None where no kernel has that.
    """
    weights = centred(graph, node)
    if weights is None:
        return None
    try:
        return weights, weighted_scaling(graph, node, weights)
    except Unfit:
        return None


def convolutions(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a conv node."""
    found = _weights_and_scale(graph, node)
    if found is None:
        return
    weights, scale = found
    if is_of_parts(weights):
        yield from by_parts(shelf, graph, node, weights, scale)
    if is_of_int8(weights):
        weights = weights.astype(np.int8)
        yield from _by_rows(shelf, graph, node, weights, scale)
        yield from _by_window(shelf, graph, node, weights, scale)


def dense(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a dense node."""
    found = _weights_and_scale(graph, node)
    if found is None:
        return
    weights, scale = found
    outs, depth = weights.shape
    if is_of_parts(weights):
        yield from by_parts(shelf, graph, node, weights.reshape(outs, 1, 1, depth), scale)
    if not is_of_int8(weights):
        return
    weights = weights.astype(np.int8)
    rows = graph.tensor(node.inputs[0]).size // depth
    for product in products(shelf, rows, weights, scale):

        def compute(calling: Calling, inputs: Sequence[Array], product: Product = product) -> Array:
            return product.compute(calling, inputs[0].reshape(rows, depth))

        yield Step(product.kernels, compute)


def _by_rows(shelf: Shelf, graph: Graph, node: Node, weights: Array, scale: Scaling) -> Iterator[Step]:
    """Yield products of rows that hold a window each; for several groups, one product for each.

    Kernels gather the rows where the shelf has such, else the host does.
    """
    window, groups = node.attributes["window"], node.attributes["groups"]
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    point = quantization_of(image).zero_point
    outs, height, width, depth = weights.shape
    rows, part = output.size // outs, outs // groups
    as_it_lies = groups == 1 and _lies_in_rows(image.shape, (height, width), window.stride, window.padding)
    found = None if as_it_lies else windows(shelf, image.shape, output.shape, weights.shape, window, point)
    if found is not None:
        yield from by_pointers(shelf, found, weights, scale, groups)
        return
    ways = [
        list(products(shelf, rows, weights[first : first + part].reshape(part, -1), scale.part(first, first + part)))
        for first in range(0, outs, part)
    ]
    moved = 0 if as_it_lies else rows * height * width * depth * groups
    if groups > 1:
        moved += output.size
    for parts in zip(*ways, strict=False):

        def compute(calling: Calling, inputs: Sequence[Array], parts: tuple[Product, ...] = parts) -> Array:
            if as_it_lies:
                return parts[0].compute(calling, inputs[0].reshape(rows, -1))
            found = [
                product.compute(
                    calling,
                    gathered(inputs[0][..., depth * number : depth * (number + 1)], (height, width), window, point),
                )
                for number, product in enumerate(parts)
            ]
            return np.concatenate(found, axis=1)

        kernels = tuple(dict.fromkeys(kernel for product in parts for kernel in product.kernels))
        yield Step(kernels, compute, moved)


def _lies_in_rows(
    shape: tuple[int, ...], kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[tuple[int, int], ...]
) -> bool:
    """Tell whether the image is its own rows: each pixel is one, or all of it is one for each image."""
    if any(side for pair in padding for side in pair):
        return False
    return (kernel == (1, 1) and stride == (1, 1)) or kernel == shape[1:3]


def _by_window(shelf: Shelf, graph: Graph, node: Node, weights: Array, scale: Scaling) -> Iterator[Step]:
    """Yield kernels that slide a window of their own over the image."""
    window, shape = node.attributes["window"], graph.tensor(node.inputs[0]).shape
    outs, height, width, depth = weights.shape
    if height != width or window.stride[0] != window.stride[1] or window.dilation != (1, 1):
        return
    if node.attributes["groups"] != 1 or shape[0] != 1:
        return
    for kernel, ending in _endings(shelf, graph, node, scale, "conv", (height, width)):
        step = sliding(shelf, graph, node, kernel, weights, scale, ending, {"in_channels": depth, "out_channels": outs})
        if step is not None:
            yield step


def _endings(
    shelf: Shelf, graph: Graph, node: Node, scale: Scaling, operator: str, taps: tuple[int, int]
) -> Iterator[tuple[Kernel, Ending | None]]:
    """Yield kernels that put out int8, and those of sums, with the kernel that scales these."""
    if not scale.word:
        return
    stride, output = node.attributes["window"].stride[1], graph.tensor(node.outputs[0])
    for kernel in shelf.find(operator, "s8s8", layout="hwc", scheme=scale.word, window=taps, stride=stride):
        if ("ic3" in kernel.name) == (graph.tensor(node.inputs[0]).shape[3] == 3):
            yield kernel, None
    ending = Ending.of(shelf, output.size // output.shape[3], scale)
    if ending is not None:
        for kernel in shelf.find(operator, "s8s32", layout="hwc", window=taps, stride=stride):
            yield kernel, ending


def sliding(
    shelf: Shelf,
    graph: Graph,
    node: Node,
    kernel: Kernel,
    weights: Array,
    scale: Scaling,
    ending: Ending | None,
    channels: dict[str, int],
) -> Step | None:
    """Return the step of a kernel that slides a square window over one image; None where it does not fit.

    `weights` are as the kernel's operator packs them; `channels` are the numbers of channels that it takes.  The kernel
    has the horizontal stride of the node's window.  Where the vertical one is another, or rows are dilated, it is
    called for each row of the output.
    """
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    _, rows, columns, outs = output.shape
    assert image.shape[0] == 1 and kernel.operator is not None
    taps = weights.shape[1]
    size = (image.shape[1], image.shape[2], image.shape[3])
    around = frame(
        shelf, size, node.attributes["window"], (rows, columns), (taps, taps), quantization_of(image).zero_point
    )
    if around is None:
        return None
    window, pitch = node.attributes["window"], around.shape[1] * around.shape[2]
    step, apart = window.stride[0], window.dilation[0]
    at_once = step == window.stride[1] and apart == 1
    numbers = {"height": rows if at_once else 1, "width": columns, **channels, "input_pitch": apart * pitch}
    numbers["output_pitch"] = columns * outs * (4 if ending is not None else 1)
    numbers = {name: value for name, value in numbers.items() if name in kernel.contract.by_name}
    try:
        held: dict[str, Array | int] = {"weights": packed(kernel, "weights", weights), **numbers}
        if ending is None:
            held |= scale.arguments(kernel.contract)
    except Unfit:
        return None
    if not fits(kernel.contract, numbers):
        return None

    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        framed = around.compute(calling, inputs[0].reshape(size))
        if at_once:
            found = calling(kernel, {"input": framed, **held})["output"]
        else:
            reach = (taps - 1) * apart + 1
            parts = (framed[step * row : step * row + reach] for row in range(rows))
            found = np.concatenate([calling(kernel, {"input": part, **held})["output"] for part in parts])
        return found if ending is None else ending.compute(calling, found)

    kernels = (*around.kernels, kernel, *(() if ending is None else ending.kernels))
    return Step(kernels, compute)


def by_window(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield kernels of a window to compute a depthwise node with one output for each channel of one image.

    A window that no kernel has becomes part of a larger square one, with weights of 0.  Where there is one output
    pixel, its taps are laid out as a square, whatever the window.
    """
    by_channel, image = centred(graph, node, 2), graph.tensor(node.inputs[0])
    window = node.attributes["window"]
    if by_channel is None or image.shape[0] != 1 or len(by_channel) != image.shape[3] or window.dilation[1] != 1:
        return
    try:
        scale = weighted_scaling(graph, node, by_channel)
    except Unfit:
        return
    if not is_of_int8(by_channel):
        return
    weights = np.moveaxis(by_channel, 0, 2).astype(np.int8)
    height, width, channels = weights.shape
    if graph.tensor(node.outputs[0]).shape[1:3] == (1, 1) and height != width:
        yield from _taps_as_square(shelf, graph, node, weights, scale)
    for taps in sorted({(3, 3), (5, 5), (height, width)}):
        if taps[0] != taps[1] or taps[0] < max(height, width):
            continue
        square = np.zeros((*taps, channels), np.int8)
        square[:height, :width] = weights
        for kernel, ending in _endings(shelf, graph, node, scale, "dwconv", taps):
            step = sliding(shelf, graph, node, kernel, square, scale, ending, {"channels": channels})
            if step is not None:
                yield step


def _taps_as_square(shelf: Shelf, graph: Graph, node: Node, weights: Array, scale: Scaling) -> Iterator[Step]:
    """Yield steps for one output pixel whose window is all of an image without padding."""
    window, image = node.attributes["window"], graph.tensor(node.inputs[0])
    height, width, channels = weights.shape
    if (height, width) != image.shape[1:3] or any(side for pair in window.padding for side in pair):
        return
    taps = height * width
    for side in (3, 5):
        if side * side < taps:
            continue
        square = np.zeros((side * side, channels), np.int8)
        square[:taps] = weights.reshape(taps, channels)
        packer = None
        filling = {
            "height": taps, "row": channels, "input_pitch": channels, "top": 0, "bottom": side * side - taps,
            "left": 0, "right": 0, "value": 0,
        }  # fmt: skip
        if side * side > taps:
            packer = next((k for k in shelf.find("pad", "s8s8") if fits(k.contract, filling)), None)
            if packer is None:
                continue
        ending = Ending.of(shelf, 1, scale)
        ways = [(k, None) for k in shelf.find("dwconv", "s8s8", layout="hwc", scheme=scale.word, window=(side, side))]
        if ending is not None:
            ways += [(k, ending) for k in shelf.find("dwconv", "s8s32", layout="hwc", window=(side, side))]  # type: ignore[misc]
        for kernel, end in ways:
            numbers = {"height": 1, "width": 1, "channels": channels, "input_pitch": side * channels}
            numbers["output_pitch"] = channels * (4 if end is not None else 1)
            try:
                held = {"weights": packed(kernel, "weights", square.reshape(side, side, channels)), **numbers}
                if end is None:
                    held |= scale.arguments(kernel.contract)
            except Unfit:
                continue
            if not fits(kernel.contract, numbers):
                continue

            def compute(
                calling: Calling,
                inputs: Sequence[Array],
                kernel: Kernel = kernel,
                end: Ending | None = end,
                held: dict[str, Array | int] = held,
                packer: Kernel | None = packer,
                filling: dict[str, int] = filling,
            ) -> Array:
                values = inputs[0]
                if packer is not None:
                    values = calling(packer, {"input": values, **filling})["output"]
                found = calling(kernel, {"input": values, **held})["output"]
                return found if end is None else end.compute(calling, found)

            kernels = (*(() if packer is None else (packer,)), kernel, *(() if end is None else end.kernels))
            yield Step(kernels, compute)
