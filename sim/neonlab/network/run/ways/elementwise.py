"""Compute nodes without weights by kernels: sums, products, tables, pools, padding, resizes, and copies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from neonlab.errors import InputError
from neonlab.int8.addition import tflite_addition, xnnpack_addition
from neonlab.int8.arrays import Integers
from neonlab.int8.fixed_point import quantize_multiplier, tvm_multiplier
from neonlab.int8.requantize import effective_scale
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Tensor
from neonlab.network.reference.node import compute_values, nearest, output_of, quantization_of
from neonlab.network.reference.unary import table_of_node
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, fits, hold
from neonlab.network.run.ways.pools import pools

_EIGHT = ("int8", "uint8")
#: Kernels, what they take besides their two operands, and the order of these: -1 where the first is b.
Ways = tuple[list[Kernel], dict[str, Array], int]


def _tensors(graph: Graph, node: Node) -> list[Tensor]:
    return [graph.tensor(name) for name in (*node.inputs, *node.outputs) if name]


def _flat(kernel: Kernel, count: int, held: Mapping[str, Array], order: int, moved: int) -> Step | None:
    """Return the step of a kernel of two runs of `count` elements, each a copy where it must be repeated.

    `order` is 1 where the first input is a, -1 where it is b.
    """
    try:
        for name, values in held.items():
            hold(kernel.contract, name, values)
    except Unfit:
        return None
    if not fits(kernel.contract, {"count": count}):
        return None

    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        first, second = (np.ascontiguousarray(values) for values in np.broadcast_arrays(*inputs)[::order])
        return calling(kernel, {"a": first, "b": second, "count": count, **held})["output"]

    return Step((kernel,), compute, moved)


def _moved_by_broadcast(graph: Graph, node: Node) -> int:
    size = graph.tensor(node.outputs[0]).size
    return sum(size for name in node.inputs if graph.tensor(name).size != size)


def _pair(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the kernels of a sum or a product of two tensors.

    A kernel that rounds in another way than the node's framework counts where both agree on all pairs of bytes.
    """
    if any(tensor.dtype != "int8" for tensor in _tensors(graph, node)):
        return
    count, moved = graph.tensor(node.outputs[0]).size, _moved_by_broadcast(graph, node)
    wanted = node.attributes["arithmetic"]
    for arithmetic, ways in _SUMS if node.operator == "add" else _PRODUCTS:
        same = arithmetic == wanted and not node.attributes.get("unsigned")
        if not same and not _agree(graph, node, arithmetic):
            continue
        kernels, held, order = ways(shelf, graph, node)
        for kernel in kernels:
            step = _flat(kernel, count, held, order, moved)
            if step is not None:
                yield step


def _agree(graph: Graph, node: Node, arithmetic: str) -> bool:
    """Tell whether the node has the same results by another arithmetic of int8, for all 65,536 pairs of bytes."""
    every = np.arange(256, dtype=np.uint8).view(np.int8)
    pairs = (every[:, np.newaxis], every[np.newaxis, :])
    other = replace(node, attributes={**node.attributes, "arithmetic": arithmetic, "unsigned": False})
    try:
        return np.array_equal(compute_values(graph, node, pairs), compute_values(graph, other, pairs))
    except InputError:
        return False  # scales that this arithmetic refuses


def _points(graph: Graph, node: Node) -> Array:
    left, right = (quantization_of(graph.tensor(name)) for name in node.inputs)
    output = output_of(graph, node)
    points = [left.zero_point, right.zero_point, output.zero_point, output.minimum, output.maximum]
    return np.array(points, np.int16)


def _added(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (quantization_of(tensor).scale for tensor in _tensors(graph, node))
    ways = tflite_addition(left, right, out)
    # The kernel scales one operand, b, after a shift by 20; the other one's multiplier is 1/2 exactly.
    first_larger = left >= right
    small = ways.right if first_larger else ways.left
    points = _points(graph, node)
    held = {
        "points": points if first_larger else points[[1, 0, 2, 3, 4]],
        "multipliers": np.array([small.mantissa, ways.output.mantissa], np.int32),
        "shifts": np.array([small.exponent, ways.output.exponent], np.int32),
    }
    return shelf.find("add", "s8s8", scheme="gemmlowp"), held, 1 if first_larger else -1


def _added_tvm(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (quantization_of(tensor).scale for tensor in _tensors(graph, node))
    ways = [tvm_multiplier(effective_scale(scale, 1.0, out)) for scale in (left, right)]
    held = {
        "points": _points(graph, node),
        "multipliers": np.array([way.mantissa for way in ways], np.int32),
        "shifts": np.array([way.exponent for way in ways], np.int32),
    }
    return shelf.find("add", "s8s8", scheme="tvm"), held, 1


def _added_once(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (quantization_of(tensor).scale for tensor in _tensors(graph, node))
    multipliers, shift = xnnpack_addition(left, right, out)
    held = {
        "points": _points(graph, node),
        "multipliers": np.array(multipliers, np.int32),
        "shift": np.array([-shift], np.int32),
    }
    return shelf.find("add", "s8s8", scheme="xnnpack"), held, 1


def _added_in_floats(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (np.float32(quantization_of(tensor).scale) for tensor in _tensors(graph, node))
    scales = np.array([left / out, right / out], np.float32)
    return shelf.find("add", "s8s8", scheme="fp32"), {"points": _points(graph, node), "scales": scales}, 1


def _multiplied(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (quantization_of(tensor).scale for tensor in _tensors(graph, node))
    multiplier = quantize_multiplier(effective_scale(left, right, out))
    held = {
        "points": _points(graph, node),
        "multiplier": np.asarray(multiplier.mantissa, np.int32).reshape(1),
        "shift": np.asarray(multiplier.exponent, np.int32).reshape(1),
    }
    return shelf.find("mul", "s8s8", scheme="gemmlowp"), held, 1


def _multiplied_in_floats(shelf: Shelf, graph: Graph, node: Node) -> Ways:
    left, right, out = (quantization_of(tensor).scale for tensor in _tensors(graph, node))
    scale = effective_scale(left, right, out, "float32").astype(np.float32).reshape(1)
    return shelf.find("mul", "s8s8", scheme="fp32"), {"points": _points(graph, node), "scale": scale}, 1


#: Arithmetics of sums and products, and the kernels that have them.
_SUMS = (("tflite", _added), ("tvm", _added_tvm), ("xnnpack", _added_once), ("onnxruntime", _added_in_floats))
_PRODUCTS = (("xnnpack", _multiplied_in_floats), ("tflite", _multiplied))


def _lut(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    source, target = _tensors(graph, node)
    if source.dtype not in _EIGHT or target.dtype not in _EIGHT:
        return
    table = table_of_node(graph, node).view(np.int8)
    for kernel in shelf.find("lut", "s8s8"):
        if fits(kernel.contract, {"count": source.size}):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                values = np.ascontiguousarray(inputs[0]).view(np.int8)
                found = calling(kernel, {"input": values, "count": source.size, "table": table})["output"]
                return found.view(target.dtype)

            yield Step((kernel,), compute)


def _concat(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the joining of rows, each part through a table that rescales it, or the same table where it need not."""
    *parts, target = _tensors(graph, node)
    if target.dtype not in _EIGHT or any(part.dtype != target.dtype for part in parts):
        return
    axis = node.attributes["axis"]
    rows = math.prod(target.shape[:axis])
    lengths = [part.size // rows for part in parts]
    tables = [_table_of_part(graph, node, part) for part in parts]
    for kernel in shelf.find("concat", "s8s8"):
        sizes = [_copied(rows, length, length, sum(lengths)) for length in lengths]
        if not all(fits(kernel.contract, numbers) for numbers in sizes):
            continue

        def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
            found = np.empty((rows, sum(lengths)), np.int8)
            at = 0
            for values, length, table in zip(inputs, lengths, tables, strict=True):
                bytes_ = np.ascontiguousarray(values).view(np.int8)
                # The kernel writes one part of wider rows; the caller's array has room for this part alone.
                numbers = _copied(rows, length, length, length)
                part = calling(kernel, {"input": bytes_, "table": table, **numbers})["output"]
                found[:, at : at + length] = part.reshape(rows, length)
                at += length
            return found.view(target.dtype)

        yield Step((kernel,), compute)


def _copied(rows: int, cols: int, input_pitch: int, output_pitch: int) -> dict[str, int]:
    return {"rows": rows, "cols": cols, "input_pitch": input_pitch, "output_pitch": output_pitch}


_SAME = np.arange(256, dtype=np.uint8).view(np.int8)


def _table_of_part(graph: Graph, node: Node, part: Tensor) -> Integers:
    target = graph.tensor(node.outputs[0])
    if part.quantization == target.quantization:
        return _SAME
    inner = Node(node.name, "rescale", (part.name,), node.outputs, {"scheme": node.attributes["scheme"]})
    return table_of_node(graph, inner).view(np.int8)


def _slice(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the copy of rows out of wider ones, as where channels are split."""
    source, target = _tensors(graph, node)
    found = _rows_of_slice(source.shape, node.attributes["slices"])
    if source.dtype not in _EIGHT:
        return
    if found is None:
        yield from _pixels_of_slice(shelf, source, target, node.attributes["slices"])
        return
    first, numbers = found
    for kernel in shelf.find("concat", "s8s8"):
        if fits(kernel.contract, numbers):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                values = np.ascontiguousarray(inputs[0]).view(np.int8).reshape(-1)[first:]
                result = calling(kernel, {"input": values, "table": _SAME, **numbers})["output"]
                return result.view(target.dtype)

            yield Step((kernel,), compute)


def _pixels_of_slice(shelf: Shelf, source: Tensor, target: Tensor, slices: tuple[slice, ...]) -> Iterator[Step]:
    """Yield the copy of pixels out of images, such as every other one, where channels are whole."""
    more = 4 - len(source.shape)
    if more < 0 or source.shape[-1:] != target.shape[-1:]:
        return
    shape = (1,) * more + source.shape
    taken = [np.arange(size)[part] for part, size in zip((slice(None),) * more + slices, shape, strict=True)]
    lines = taken[0][:, np.newaxis] * shape[1] + taken[1]
    yield from _copies(shelf, shape, lines.reshape(-1), taken[2], target.dtype)


def _rows_of_slice(shape: tuple[int, ...], slices: tuple[slice, ...]) -> tuple[int, dict[str, int]] | None:
    """Return the first element and the numbers of a copy of rows at one pitch; None for a part that is none."""
    counts = [len(range(*part.indices(size))) for part, size in zip(slices, shape, strict=True)]
    cut = [axis for axis, count in enumerate(counts) if count != shape[axis]]
    if not cut or any(slices[axis].step not in (None, 1) for axis in cut):
        return None
    inner = math.prod(shape[cut[-1] + 1 :])
    # All axes before the innermost that is cut are one axis of rows, if they are whole or of one index.
    before = [axis for axis in cut[:-1] if counts[axis] != 1]
    outer = math.prod(counts[: cut[-1]])
    if before or (len(cut) > 1 and outer > 1):
        return None
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    first = sum(part.indices(size)[0] * step for part, size, step in zip(slices, shape, strides, strict=True))
    length = counts[cut[-1]] * inner
    return first, _copied(outer, length, shape[cut[-1]] * inner, length)


def _pad(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    source, _ = _tensors(graph, node)
    widths = ((0, 0),) * (4 - len(source.shape)) + node.attributes["widths"]
    shape = (1,) * (4 - len(source.shape)) + source.shape
    if len(shape) != 4 or source.dtype != "int8" or shape[0] != 1 or any(widths[0]) or any(widths[3]):
        return
    _, height, width, channels = shape
    numbers = {
        "height": height, "row": width * channels, "input_pitch": width * channels, "top": widths[1][0],
        "bottom": widths[1][1], "left": widths[2][0] * channels, "right": widths[2][1] * channels,
        "value": node.attributes["fill"],
    }  # fmt: skip
    for kernel in shelf.find("pad", "s8s8"):
        if fits(kernel.contract, numbers):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                return calling(kernel, {"input": inputs[0], **numbers})["output"]

            yield Step((kernel,), compute)


def _resize(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield the copy of the nearest pixels; the rows of several images are those of one."""
    source, target = _tensors(graph, node)
    if source.dtype not in _EIGHT or source.dtype != target.dtype:
        return
    lines, columns = nearest(graph, node)
    firsts = np.arange(source.shape[0])[:, np.newaxis] * source.shape[1] + lines
    yield from _copies(shelf, source.shape, firsts.reshape(-1), columns, target.dtype)


def _copies(shelf: Shelf, shape: tuple[int, ...], lines: Array, columns: Array, dtype: str) -> Iterator[Step]:
    """Yield the copy of the pixels in these lines and columns of images [n, height, width, channels], as one image."""
    images, height, width, channels = shape
    tables = {"rows": lines * (width * channels), "columns": columns * channels}
    held: dict[str, Array | int] = {name: places.astype(np.int32) for name, places in tables.items()}
    numbers = {"height": len(lines), "width": len(columns), "channels": channels}
    numbers["input_pixels"] = images * height * width
    for kernel in shelf.find("resize", "s8s8", layout="hwc"):
        if fits(kernel.contract, numbers):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                values = np.ascontiguousarray(inputs[0]).view(np.int8)
                return calling(kernel, {"input": values, **held, **numbers})["output"].view(dtype)

            yield Step((kernel,), compute)


STEPS = {
    "add": _pair,
    "mul": _pair,
    "unary": _lut,
    "rescale": _lut,
    "concat": _concat,
    "slice": _slice,
    "average_pool": pools,
    "max_pool": pools,
    "pad": _pad,
    "resize_nearest": _resize,
}
