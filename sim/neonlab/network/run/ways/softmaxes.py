"""Compute softmax by kernels that take exponentials from a table, as LiteRT or as ONNX Runtime does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from neonlab.int8.activation import softmax_table, softmax_tables_onnxruntime
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.layout import are_rows, from_rows, rows_along
from neonlab.network.reference.node import quantization_of
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, Unfit, fits, hold


def softmaxes(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a softmax of int8.

    That of ONNX Runtime goes along any axes; the host brings the elements of a row together, and back.
    """
    source, target = (graph.tensor(name) for name in (*node.inputs, *node.outputs))
    if {source.dtype, target.dtype} != {"int8"}:
        return
    scale, held = quantization_of(source).scale, quantization_of(target)
    of_onnxruntime = node.attributes["arithmetic"] == "onnxruntime"
    axes = node.attributes["axes"] if of_onnxruntime else (len(source.shape) - 1,)
    cols = math.prod(source.shape[axis] for axis in axes)
    arrays: dict[str, Array] = {}
    if of_onnxruntime:
        table, arrays["products"] = softmax_tables_onnxruntime(scale, held.scale, cols)
        arrays["products"] = np.ascontiguousarray(arrays["products"][::-1])
    else:
        table, arrays["scale"] = softmax_table(scale, node.attributes["beta"]), np.array([held.scale], np.float32)
    arrays["table"] = np.ascontiguousarray(table[::-1])
    numbers = {"rows": source.size // cols, "cols": cols, "zero_point": held.zero_point}
    moved = 0 if are_rows(source.shape, axes) else source.size + target.size
    for kernel in shelf.find("softmax", "s8s8", scheme="fp64" if of_onnxruntime else ""):
        try:
            for name, values in arrays.items():
                hold(kernel.contract, name, values)
        except Unfit:
            continue
        if fits(kernel.contract, numbers):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                found = calling(kernel, {"input": rows_along(inputs[0], axes), **arrays, **numbers})["output"]
                return from_rows(found, source.shape, axes)

            yield Step((kernel,), compute, moved)
