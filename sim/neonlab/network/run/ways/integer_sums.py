"""Compute ONNX's MatMulInteger and ConvInteger by kernels: products of the bytes, and then the terms of zero points.

    sum (a - za) * (w - zw) = sum a * (w - zw) - za * sum (w - zw)            where the weights are constants
                            = sum a * b - zb * sum a - za * sum b + depth * za * zb            where data decide zb too

Data decide za, so its term is taken off the sums by a kernel of its own.  uint8 is turned into int8, 128 less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neonlab.int8.arrays import wide
from neonlab.int8.windows import Window
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.layout import images_first, images_last
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, fits, hold, packed
from neonlab.network.run.ways.convolutions import convolutions, dense
from neonlab.network.run.ways.depthwise import depthwise
from neonlab.network.run.ways.frames import Frame, frame
from neonlab.network.run.ways.matmuls import HALF, Sizes, all_products, flipped, packers_of, takes_any_byte

_WAYS = {"conv": convolutions, "depthwise": depthwise, "dense": dense}


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The product of a node whose weights are constants: as one of a graph of its own, and what is around it.

    `rows` are the sums of a channel; `columns` holds the sum of the weights of each.
    """

    graph: Graph
    node: Node
    rows: int
    columns: Array
    frame: Frame | None = None


def integer_sums(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a node of integer_sums.

    The zero point of the first operand may come from data, but must be one number.
    """
    point = node.inputs[2] if len(node.inputs) > 2 else ""
    if graph.tensor(node.inputs[0]).data is not None or (point and graph.tensor(point).size != 1):
        return
    yield from _of_constants(shelf, graph, node, point)
    if node.attributes["function"] == "matmul":
        yield from _of_packed(shelf, graph, node, point)


def _of_constants(shelf: Shelf, graph: Graph, node: Node, point: str) -> Iterator[Step]:
    """Yield products by weights less their zero points, if both are constants, as of any layer of int8."""
    parts, left, output = _parts(shelf, graph, node), graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    table = _table(shelf, left) if left.dtype == "uint8" else None
    if parts is None or (left.dtype == "uint8" and table is None):
        return
    # What lies as an image has it is brought into the order of the file, and back.
    images = node.attributes["function"] == "matmul"
    moved = sum(one.size for one in (left, output) if images and len(one.shape) == 4)
    for step in _WAYS[parts.node.operator](shelf, parts.graph, parts.node):
        for terms in shelf.find("terms", "s32s32", layout="rows"):
            found = _with_terms(parts, step, terms, table, bool(point), images)
            if found is not None:
                yield replace(found, moved=found.moved + moved)


def _table(shelf: Shelf, tensor: Tensor) -> Kernel | None:
    return next((one for one in shelf.find("lut", "s8s8") if fits(one.contract, {"count": tensor.size})), None)


def _parts(shelf: Shelf, graph: Graph, node: Node) -> _Parts | None:
    right, points = graph.constant(node.inputs[1]), np.zeros(1, np.int64)
    if len(node.inputs) > 3 and node.inputs[3]:
        held = graph.constant(node.inputs[3])
        if held is None:
            return None
        points = wide(held).reshape(-1)
    if right is None:
        return None
    if node.attributes["function"] == "conv":
        return _of_windows(shelf, graph, node, right, points)
    if right.ndim != 2:
        return None
    rows = graph.tensor(node.outputs[0]).size // right.shape[1]
    weights = np.ascontiguousarray(right.T)
    shapes = (rows, right.shape[0]), (rows, right.shape[1])
    return _alone(graph, node, "dense", shapes, weights, points, {})


def _of_windows(shelf: Shelf, graph: Graph, node: Node, right: Array, points: Array) -> _Parts | None:
    """Return the convolution of an image in its frame: what stands there is the zero point, which data decide."""
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    window, groups = node.attributes["window"], node.attributes["groups"]
    _, height, width, depth = right.shape
    count, *size, channels = image.shape
    places = (output.shape[1], output.shape[2])
    around = frame(shelf, (size[0], size[1], channels), window, places, (height, width), 0)
    if around is None:
        return None
    inside = Window(window.stride, ((0, 0), (0, 0)), window.dilation)
    shapes = (count, *around.shape), output.shape
    by_channel = depth == 1 and groups == channels and groups > 1
    if by_channel:
        taps = np.ascontiguousarray(np.moveaxis(right[..., 0], 0, 2))
        found = _alone(graph, node, "depthwise", shapes, taps, points, {"window": inside})
    else:
        found = _alone(graph, node, "conv", shapes, right, points, {"window": inside, "groups": groups})
    return None if found is None else replace(found, frame=around)


def _alone(
    graph: Graph,
    node: Node,
    operator: str,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    weights: Array,
    points: Array,
    attributes: dict[str, object],
) -> _Parts | None:
    """Return the sums of int8 times weights less their zero points, as a node of a graph of its own."""
    axis = 2 if operator == "depthwise" else 0
    by_channel = np.moveaxis(wide(weights), axis, 0).reshape(weights.shape[axis], -1) - points[:, np.newaxis]
    # So the sums, also those less the zero point, fit in int32, and the kernel that takes it off can tell.
    if np.abs(by_channel).sum(axis=1).max() > 1 << 23:
        return None
    along = Quantization((1.0,) * len(points), tuple(int(point) for point in points), axis)
    tensors = {
        "image": Tensor("image", shapes[0], "int8", Quantization((1.0,), (0,))),
        "weights": Tensor("weights", weights.shape, weights.dtype.name, along, weights),
        "sums": Tensor("sums", shapes[1], "int32"),
    }
    new = Node(node.name, operator, ("image", "weights", ""), ("sums",), {"scheme": "sums", **attributes})
    rows = int(np.prod(shapes[1])) // len(by_channel)
    return _Parts(replace(graph, tensors=tensors), new, rows, by_channel.sum(axis=1).astype(np.int32))


def _with_terms(
    parts: _Parts, step: Step, terms: Kernel, table: Kernel | None, has_point: bool, images: bool
) -> Step | None:
    """Return a step of the sums with what is before it, bytes turned and a frame, and after it, the zero point's term.

    With `images` an operand of four dimensions is brought into the order of the file.
    """
    numbers = {"rows": parts.rows, "cols": len(parts.columns), "depth": 1}  # the term that has the depth is 0
    try:
        hold(terms.contract, "column_sums", parts.columns)
    except Unfit:
        return None
    if not fits(terms.contract, numbers):
        return None
    held: dict[str, Array | int] = {"row_sums": np.zeros(parts.rows, np.int32), "column_sums": parts.columns, **numbers}

    def compute(calling: Calling, inputs: Sequence[Array]) -> Array:
        point = int(inputs[2].reshape(())) if has_point else 0
        values = images_first(inputs[0]) if images else inputs[0]
        if table is not None:
            values, point = flipped(calling, table, values), point - HALF
        if parts.frame is not None:
            around = parts.frame.filled(point)
            values = np.stack([around.compute(calling, one) for one in values])
        sums = step.compute(calling, [values])
        points = np.array([point, 0], np.int16)
        found = calling(terms, {"input": sums, "points": points, **held})["output"]
        if not images or inputs[0].ndim != 4:
            return found
        return images_last(found.reshape(*values.shape[:3], len(parts.columns)))

    before = (*(() if table is None else (table,)), *(() if parts.frame is None else parts.frame.kernels))
    return Step((*before, *step.kernels, terms), compute, step.moved)


def _of_packed(shelf: Shelf, graph: Graph, node: Node, point: str) -> Iterator[Step]:
    """Yield products of panels that kernels pack, with the sums of their rows, and all four terms.

    Kernels that pack with sums take uint8, so int8 is turned first.  A constant is packed once.
    """
    names = [name for name in node.inputs[2:] if name]
    other = node.inputs[3] if len(node.inputs) > 3 else ""
    left, right, output = (graph.tensor(name) for name in (*node.inputs[:2], node.outputs[0]))
    table = _table(shelf, max(left, right, key=lambda tensor: tensor.size))
    if table is None or (other and graph.tensor(other).size != 1):
        return
    sizes = Sizes.of(left, right, output)
    moved = sum(tensor.size for tensor in (left, right, output) if len(tensor.shape) == 4)
    if right.data is None:
        moved += sizes.count * sizes.depth * sizes.cols
    for multiply in _panels(shelf, sizes, right):

        def compute(calling: Calling, inputs: Sequence[Array], multiply: _Panels = multiply) -> Array:
            given = dict(zip(names, inputs[2:], strict=True))
            points = [int(given[name].reshape(())) if name else 0 for name in (point, other)]
            held = [at - HALF * (one.dtype == "uint8") for at, one in zip(points, (left, right), strict=True)]
            first = _as_unsigned(calling, table, inputs[0])
            second = inputs[1] if right.data is not None else _as_unsigned(calling, table, inputs[1])
            return all_products(sizes, replace(multiply, points=(held[0], held[1])))(calling, first, second)

        turned = left.dtype == "int8" or (right.dtype == "int8" and right.data is None)
        yield Step(((table,) if turned else ()) + multiply.kernels, compute, moved)


def _as_unsigned(calling: Calling, table: Kernel, values: Array) -> Array:
    return values if values.dtype == np.uint8 else flipped(calling, table, values).view(np.uint8)


def _panels(shelf: Shelf, sizes: Sizes, right: Tensor) -> Iterator[_Panels]:
    """Yield every way of the shelf to multiply uint8 by way of panels, once for each kernel of products."""
    numbers = {"rows": sizes.rows, "cols": sizes.cols, "depth": sizes.depth}
    terms = next((one for one in shelf.find("terms", "s32s32") if fits(one.contract, numbers)), None)
    for kernel in shelf.find("matmul", "s8s32"):
        first, second = packers_of(shelf, kernel, "u8s8")
        if (
            terms is None
            or first is None
            or second is None
            or not fits(kernel.contract, numbers | {"c_pitch": sizes.cols})
        ):
            continue
        packing = zip((first, second), (sizes.rows, sizes.cols), strict=True)
        if not all(fits(packer.contract, _packing(rows, sizes.depth)) for packer, rows in packing):
            continue
        try:
            held = _packed_once(kernel, right, sizes)
        except Unfit:
            continue
        if held is not None or takes_any_byte(kernel, "b"):
            yield _Panels(sizes, (first, second), kernel, terms, held)


def _packed_once(kernel: Kernel, right: Tensor, sizes: Sizes) -> tuple[Array, Array] | None:
    """Return the panels of a constant as int8, and the sums of its columns; None for what is no constant.

    Raises Unfit for a constant that the kernel does not take, and for several matrices.
    """
    if right.data is None:
        return None
    if sizes.count > 1:
        raise Unfit("several matrices")
    values = images_first(right.data).reshape(sizes.depth, sizes.cols)
    signed = (values ^ np.uint8(0x80)).view(np.int8) if values.dtype == np.uint8 else values
    return packed(kernel, "b", np.ascontiguousarray(signed.T)), wide(signed).sum(axis=0).astype(np.int32)


def _packing(rows: int, depth: int) -> dict[str, int]:
    return {"rows": rows, "depth": depth, "pitch": depth}


@dataclass(frozen=True, slots=True, eq=False)
class _Panels:
    """Multiply uint8 [row, depth] by [depth, column] by way of panels: `right` has those of a constant, and its sums.

    The zero points are as of int8.
    """

    sizes: Sizes
    packers: tuple[Kernel, Kernel]
    kernel: Kernel
    terms: Kernel
    right: tuple[Array, Array] | None
    points: tuple[int, int] = (0, 0)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Return the kernels that are called, each once."""
        packers = self.packers if self.right is None else self.packers[:1]
        return tuple(dict.fromkeys((*packers, self.kernel, self.terms)))

    def __call__(self, calling: Calling, left: Array, right: Array) -> Array:
        """Return the int32 sums, [row, column]."""
        rows, cols, depth = self.sizes.rows, self.sizes.cols, self.sizes.depth
        first = calling(self.packers[0], {"source": np.ascontiguousarray(left), **_packing(rows, depth)})
        if self.right is not None:
            panels, columns = self.right
        else:
            found = calling(self.packers[1], {"source": np.ascontiguousarray(right.T), **_packing(cols, depth)})
            panels, columns = found["packed"], found["sums"][:cols]
        numbers = {"rows": rows, "cols": cols, "depth": depth}
        sums = calling(self.kernel, {"a": first["packed"], "b": panels, **numbers, "c_pitch": cols})["c"]
        points = np.array(self.points, np.int16)
        arguments = {"input": sums, "row_sums": first["sums"][:rows], "column_sums": columns, "points": points}
        return calling(self.terms, {**arguments, **numbers})["output"].reshape(rows, cols)
