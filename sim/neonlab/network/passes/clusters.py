"""Turn clusters of dequantize, an operator on floats, and quantize into operators on integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.int8.arrays import limits
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.passes.rewrite import Changes, Passed, counted

_EIGHT = ("int8", "uint8")
_ARITHMETIC = {"scheme": "onnxruntime", "precision": "float32"}
#: Operators that are computed on integers through a relu that clamps.  ONNX Runtime computes the others on floats
#: there, and rounds a float that is not that of its integers.
_OF_SUMS = ("conv", "gemm", "matmul")


def integer_operators(graph: Graph) -> Passed:
    """Compute on integers what a QDQ model computes on floats between a dequantization and a quantization.

    The results are those of ONNX Runtime, which does the same; sums of the floats themselves, rounded, differ next to
    midpoints.
    """
    changes, made = Changes(graph), dict[str, int]()
    for node in graph.nodes:
        kind = node.attributes["function"] if node.operator == "float" else node.operator
        if kind not in _MADE or graph.tensor(node.outputs[0]).dtype != "float32":
            continue
        last = node
        following = changes.sole_consumer(node.outputs[0])
        relu = following is not None and following.operator == "float" and following.attributes["function"] == "relu"
        if relu and following is not None:
            last, following = following, changes.sole_consumer(following.outputs[0])
        if following is None or following.operator != "quantize":
            continue
        target = graph.tensor(following.outputs[0])
        new = _MADE[kind](changes, node, target)
        if new is None or target.dtype not in _EIGHT or target.quantization is None:
            continue
        low, high = limits(target.dtype)
        if relu and kind not in _OF_SUMS and target.quantization.zero_point != low:
            continue
        attributes = {"lowest": target.quantization.zero_point if relu else low, "highest": high, **new.attributes}
        changes.change(following, replace(new, attributes=attributes))
        changes.drop(node)
        if last is not node:
            changes.drop(last)
        made[node.told] = made.get(node.told, 0) + 1
    return changes.done(
        note for told, number in made.items() for note in counted(number, f"{{}} {told} turned to integers")
    )


def _eight(changes: Changes, name: str) -> Tensor | None:
    """Return the 8-bit tensor with one scale that a float tensor is the dequantization of."""
    maker = changes.makers.get(name)
    if maker is None or maker.operator != "dequantize":
        return None
    found = changes.tensors[maker.inputs[0]]
    one = found.quantization is not None and len(found.quantization.scales) == 1
    return found if found.dtype in _EIGHT and one else None


def _constant(changes: Changes, name: str) -> tuple[Array, Quantization] | None:
    """Return the integers that a float tensor is the dequantization of, if they are constants."""
    maker = changes.makers.get(name)
    if maker is None or maker.operator != "dequantize":
        return None
    found = changes.tensors[maker.inputs[0]]
    return None if found.data is None or found.quantization is None else (found.data, found.quantization)


def _bias(changes: Changes, node: Node, image: Tensor, weights: Quantization) -> str | None:
    """Return the name of the int32 bias; "" if there is none, and None if it is of another scale or a float."""
    if len(node.inputs) < 3:
        return ""
    held = _constant(changes, node.inputs[2])
    if held is None or held[0].dtype != np.int32 or image.quantization is None:
        return None
    wanted = np.float32(image.quantization.scale) * np.array(weights.scales, np.float32)
    if any(held[1].zero_points) or not np.array_equal(
        np.broadcast_to(np.array(held[1].scales, np.float32), wanted.shape), wanted
    ):
        return None
    return changes.constant(f"{node.name}/bias", held[0].reshape(-1))


def _conv(changes: Changes, node: Node, target: Tensor) -> Node | None:
    image, held = _eight(changes, node.inputs[0]), _constant(changes, node.inputs[1])
    if image is None or held is None or held[0].dtype.name not in _EIGHT:
        return None
    weights, scales = held
    bias = _bias(changes, node, image, scales)
    if bias is None or (len(scales.scales) > 1 and scales.axis != 0):
        return None
    groups, window = node.attributes["groups"], node.attributes["window"]
    attributes: dict[str, Any] = {"window": window, **_ARITHMETIC}
    if weights.shape[3] == 1 and groups == image.shape[3] and groups > 1:
        taps = np.ascontiguousarray(weights[..., 0].transpose(1, 2, 0))
        of_taps = replace(scales, axis=2 if len(scales.scales) > 1 else 0)
        name = changes.constant(f"{node.inputs[1]}/taps", taps, of_taps)
        return Node(node.name, "depthwise", (image.name, name, bias), (target.name,), attributes, node.told)
    name = changes.constant(f"{node.inputs[1]}/rows", weights, scales)
    attributes["groups"] = groups
    return Node(node.name, "conv", (image.name, name, bias), (target.name,), attributes, node.told)


def _dense(changes: Changes, node: Node, target: Tensor) -> Node | None:
    rows, held = _eight(changes, node.inputs[0]), _constant(changes, node.inputs[1])
    if rows is None or held is None or held[0].dtype.name not in _EIGHT:
        return None
    turned = node.attributes["turned"]
    weights, scales = held[0] if turned else held[0].T, held[1]
    if len(scales.scales) > 1 and scales.axis != (0 if turned else 1):
        return None
    scales = replace(scales, axis=0)
    bias = _bias(changes, node, rows, scales)
    if bias is None:
        return None
    name = changes.constant(f"{node.inputs[1]}/rows", np.ascontiguousarray(weights), scales)
    return Node(node.name, "dense", (rows.name, name, bias), (target.name,), dict(_ARITHMETIC), node.told)


def _two(operator: str) -> Callable[[Changes, Node, Tensor], Node | None]:
    def made(changes: Changes, node: Node, target: Tensor) -> Node | None:
        left, right = (_eight(changes, name) for name in node.inputs)
        if left is None or right is None or {left.dtype, right.dtype} != {target.dtype}:
            return None
        return Node(
            node.name, operator, (left.name, right.name), (target.name,), {"arithmetic": "onnxruntime"}, node.told
        )

    return made


def _matmul(changes: Changes, node: Node, target: Tensor) -> Node | None:
    left, right = (_eight(changes, name) for name in node.inputs)
    if left is None or right is None:
        return None
    attributes = {"macs": node.attributes["macs"], **_ARITHMETIC}
    return Node(node.name, "matmul", (left.name, right.name), (target.name,), attributes, node.told)


def _product(changes: Changes, node: Node, target: Tensor) -> Node | None:
    """Return a product by constant weights, or of two tensors."""
    found = _dense(changes, node, target)
    if found is not None or len(node.inputs) > 2 or node.attributes["turned"]:
        return found
    rows, columns = changes.tensors[node.inputs[0]], changes.tensors[node.outputs[0]]
    macs = columns.size * rows.shape[-1]
    return _matmul(changes, replace(node, attributes={**node.attributes, "macs": macs}), target)


def _concat(changes: Changes, node: Node, target: Tensor) -> Node | None:
    parts = [_eight(changes, name) for name in node.inputs]
    names = [part.name for part in parts if part is not None and part.dtype == target.dtype]
    if len(names) < len(parts):
        return None
    attributes = {"axis": node.attributes["axis"], "scheme": "onnxruntime"}
    return Node(node.name, "concat", tuple(names), (target.name,), attributes, node.told)


def _mean(changes: Changes, node: Node, target: Tensor) -> Node | None:
    image = _eight(changes, node.inputs[0])
    if image is None or image.dtype != target.dtype:
        return None
    return Node(node.name, "mean", (image.name,), (target.name,), {"arithmetic": "onnxruntime"}, node.told)


def _softmax(changes: Changes, node: Node, target: Tensor) -> Node | None:
    source = _eight(changes, node.inputs[0])
    if source is None or source.dtype != target.dtype:
        return None
    attributes = {"beta": 1.0, "arithmetic": "onnxruntime", "axes": node.attributes["axes"]}
    return Node(node.name, "softmax", (source.name,), (target.name,), attributes, node.told)


def _average_pool(changes: Changes, node: Node, target: Tensor) -> Node | None:
    image = _eight(changes, node.inputs[0])
    if image is None or image.dtype != target.dtype:
        return None
    attributes = {name: node.attributes[name] for name in ("kernel", "window", "count_padding")}
    attributes["arithmetic"] = "onnxruntime"
    return Node(node.name, "average_pool", (image.name,), (target.name,), attributes, node.told)


_MADE: dict[str, Callable[[Changes, Node, Tensor], Node | None]] = {
    "conv": _conv,
    "gemm": _product,
    "matmul": _matmul,
    "add": _two("add"),
    "mul": _two("mul"),
    "global_average": _mean,
    "average_pool": _average_pool,
    "softmax": _softmax,
    "concat": _concat,
}
