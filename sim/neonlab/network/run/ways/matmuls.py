"""Multiply two computed tensors by kernels: both operands are packed in each inference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.int8.requantize import effective_scale
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Tensor
from neonlab.network.layout import images_first, images_last
from neonlab.network.reference.node import output_of, quantization_of
from neonlab.network.run.shelf import WORD_OF_SCHEME, Shelf
from neonlab.network.run.steps import Calling, Scaling, Step, Unfit, fits, hold, packed

_FLIPPED = (np.arange(256, dtype=np.uint8) ^ np.uint8(0x80)).view(np.int8)
HALF = 128
#: Multiply [row, depth] by [depth, column], int8 or the same numbers as uint8, to [row, column].
Multiplied = Callable[[Calling, Array, Array], Array]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The products of a node: `count` of them, each of `rows` x `depth` by `depth` x `cols`.

    Where all have the same right operand, they are one product of more rows.
    """

    count: int
    rows: int
    depth: int
    cols: int

    @staticmethod
    def of(left: Tensor, right: Tensor, output: Tensor) -> Sizes:
        """Return those of two operands and their product, images as the graph has them."""
        first, second = (_as_in_file(tensor.shape) for tensor in (left, right))
        rows = output.size // second[-1]
        count = 1 if math.prod(second[:-2]) == 1 else rows // first[-2]
        return Sizes(count, rows // count, first[-1], second[-1])


def flipped(calling: Calling, table: Kernel, values: Array) -> Array:
    """Return bytes as int8 with the highest bit turned, by a kernel that looks each of them up."""
    held = {"input": np.ascontiguousarray(values).view(np.int8), "table": _FLIPPED}
    return calling(table, {**held, "count": values.size})["output"].reshape(values.shape)


def _as_in_file(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (shape[0], shape[3], *shape[1:3]) if len(shape) == 4 else shape


def matmuls(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to multiply two tensors of int8 and requantize the sums.

    Kernels that take zero points off both operands have uint8: the bytes are turned before and after by kernels of
    tables, and packed by the host.  Those of int8 are taken where the right zero point is 0 and the left one's part of
    the sums is 0 too; there both operands are packed by kernels.
    """
    left, right = (graph.tensor(name) for name in node.inputs)
    output = graph.tensor(node.outputs[0])
    word = WORD_OF_SCHEME.get(node.attributes["scheme"], "")
    if {left.dtype, right.dtype, output.dtype} != {"int8"} or not word or left.data is not None:
        return
    sizes = Sizes.of(left, right, output)
    held = [quantization_of(tensor) for tensor in (left, right)]
    precision = node.attributes["precision"]
    scale = effective_scale(held[0].scale, held[1].scale, quantization_of(output).scale, precision)
    scales = np.broadcast_to(np.asarray(scale), (sizes.cols,))
    scaling = Scaling(np.zeros(sizes.cols, np.int32), scales, node.attributes["scheme"], output_of(graph, node))
    # What lies as an image has it is brought into the order of the file, and back.
    images = sum(tensor.size for tensor in (left, right, output) if len(tensor.shape) == 4)
    points = (held[0].zero_point, held[1].zero_point)
    for table in shelf.find("lut", "s8s8"):
        if all(fits(table.contract, {"count": tensor.size}) for tensor in (left, right, output)):
            for kernel in shelf.find("matmul", "u8u8", scheme=word):
                multiply = _with_points(kernel, sizes, scaling, points)
                if multiply is not None:
                    moved = images + sizes.count * (sizes.rows + sizes.cols) * sizes.depth
                    yield Step((table, kernel), _turned(table, all_products(sizes, multiply)), moved)
    if points == (0, 0):
        for kernel in shelf.find("matmul", "s8s8", scheme=word):
            found = _packed_by_kernels(shelf, kernel, sizes, scaling)
            if found is not None:
                kernels, multiply = found
                yield Step(
                    kernels, _as_given(all_products(sizes, multiply)), images + sizes.count * sizes.depth * sizes.cols
                )


def all_products(sizes: Sizes, multiply: Multiplied) -> Multiplied:
    """Return the products of whole tensors, in the order of the graph."""

    def compute(calling: Calling, left: Array, right: Array) -> Array:
        first, second = images_first(left), images_first(right)
        if sizes.count == 1:
            found = [multiply(calling, first.reshape(sizes.rows, sizes.depth), second.reshape(sizes.depth, sizes.cols))]
        else:
            batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
            lefts = np.broadcast_to(first, (*batch, *first.shape[-2:])).reshape(sizes.count, sizes.rows, -1)
            rights = np.broadcast_to(second, (*batch, *second.shape[-2:])).reshape(sizes.count, sizes.depth, -1)
            found = [multiply(calling, *pair) for pair in zip(lefts, rights, strict=True)]
        batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
        return images_last(np.stack(found).reshape(*batch, first.shape[-2], sizes.cols))

    return compute


def _as_given(compute: Multiplied) -> Callable[[Calling, Sequence[Array]], Array]:
    return lambda calling, inputs: compute(calling, inputs[0], inputs[1])


def _turned(table: Kernel, compute: Multiplied) -> Callable[[Calling, Sequence[Array]], Array]:
    """Return `compute` on the same numbers as uint8, 128 more, by a kernel that looks each byte up."""

    def turned(calling: Calling, inputs: Sequence[Array]) -> Array:
        left, right = (flipped(calling, table, values).view(np.uint8) for values in inputs)
        return flipped(calling, table, compute(calling, left, right))

    return turned


def _with_points(kernel: Kernel, sizes: Sizes, scaling: Scaling, points: tuple[int, int]) -> Multiplied | None:
    contract, output = kernel.contract, scaling.output
    numbers = {"rows": sizes.rows, "cols": sizes.cols, "depth": sizes.depth, "c_pitch": sizes.cols}
    if not {"points", "scales"} <= contract.by_name.keys() or not fits(contract, numbers):
        return None
    five = np.array([*points, output.zero_point, output.minimum, output.maximum]) + HALF
    arrays: dict[str, Array] = {"scales": scaling.scales.astype(np.float32), "points": five.astype(np.int16)}
    given: dict[str, Array | int] = {"bias": scaling.bias, **arrays, **numbers}
    try:
        for name, values in arrays.items():
            hold(contract, name, values)
    except Unfit:
        return None

    def multiply(calling: Calling, left: Array, right: Array) -> Array:
        a, b = packed(kernel, "a", left), packed(kernel, "b", right.T)
        return calling(kernel, {"a": a, "b": b, **given})["c"].reshape(sizes.rows, sizes.cols)

    return multiply


def _packed_by_kernels(
    shelf: Shelf, kernel: Kernel, sizes: Sizes, scaling: Scaling
) -> tuple[tuple[Kernel, ...], Multiplied] | None:
    numbers = {"rows": sizes.rows, "cols": sizes.cols, "depth": sizes.depth, "c_pitch": sizes.cols}
    first, second = packers_of(shelf, kernel, "s8s8")
    packing = [{"rows": rows, "depth": sizes.depth, "pitch": sizes.depth} for rows in (sizes.rows, sizes.cols)]
    if not fits(kernel.contract, numbers) or not all(takes_any_byte(kernel, name) for name in ("a", "b")):
        return None
    try:
        given: dict[str, Array | int] = {**numbers, **scaling.arguments(kernel.contract)}
    except Unfit:
        return None
    if first is None or second is None:
        return None
    if not fits(first.contract, packing[0]) or not fits(second.contract, packing[1]):
        return None

    def multiply(calling: Calling, left: Array, right: Array) -> Array:
        a = calling(first, {"source": np.ascontiguousarray(left), **packing[0]})["packed"]
        b = calling(second, {"source": np.ascontiguousarray(right.T), **packing[1]})["packed"]
        return calling(kernel, {"a": a, "b": b, **given})["c"].reshape(sizes.rows, sizes.cols)

    return (*dict.fromkeys((first, second)), kernel), multiply


def packers_of(shelf: Shelf, kernel: Kernel, types: str) -> tuple[Kernel | None, Kernel | None]:
    """Return the kernels of the shelf that pack rows of these types for both operands of a product."""
    found = {one.contract.argument("packed").layout: one for one in shelf.find("pack", types, layout="rows")}
    first, second = (kernel.contract.argument(name).layout.replace("cols", "rows") for name in ("a", "b"))
    return found.get(first), found.get(second)


def takes_any_byte(kernel: Kernel, name: str) -> bool:
    """Tell whether an operand of a kernel may be any int8."""
    limits = kernel.contract.argument(name).value_range
    return limits is None or (limits[0] <= -HALF and limits[1] >= HALF - 1)
