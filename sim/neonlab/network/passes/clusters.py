"""Turn clusters of dequantize, an operator on floats, and quantize into operators on integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.int8.arrays import limits
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.passes.rewrite import Changes, Passed, counted
from neonlab.network.reference.floats import compute_floats
from neonlab.network.reference.node import compute_values

_EIGHT = ("int8", "uint8")
_ARITHMETIC = {"scheme": "onnxruntime", "precision": "float32"}
#: Operators that are computed on integers where ONNX Runtime adds floats up, too.  Their results are `near` then:
#: a float next to a midpoint may be rounded to its other side, and which one depends on the order of the additions.
_OF_SUMS = ("conv", "conv_transpose", "gemm", "matmul")
#: Scales of a bias of a convolution that ONNX Runtime takes for those of the sums: up to so much of them beside them.
_LIKE = 0.012
#: A float beyond all that are quantized to other than the ends.
_FAR = 1e30


def integer_operators(graph: Graph) -> Passed:
    """Compute on integers what a QDQ model computes on floats between a dequantization and a quantization.

    The results are those of ONNX Runtime, which does the same where all are of one type, and nothing but a clamp that
    the quantization makes needless stands between.  Elsewhere it computes on floats; there convolutions and products
    of matrices become integers that are `near` its results, and all else stays as it is.

    Source: onnxruntime/core/optimizer/qdq_transformer, `NodeGroupSelector` and `IsClipMadeRedundantByQ`.
    """
    changes, made, near = Changes(graph), dict[str, int](), 0
    for node in graph.nodes:
        kind = node.attributes["function"] if node.operator == "float" else node.operator
        if kind not in _MADE or graph.tensor(node.outputs[0]).dtype != "float32":
            continue
        clamps, last = clamps_after(changes, node)
        target = graph.tensor(last.outputs[0]) if last is not None else None
        if last is None or target is None or target.dtype not in _EIGHT or target.quantization is None:
            continue
        new = _MADE[kind](changes, node, target)
        if new is None:
            continue
        clamped = _clamped(graph, clamps, last)
        on_floats = clamped is not None or _is_mixed(changes, new) or not _are_passed(changes, node)
        if on_floats and (kind not in _OF_SUMS or not _are_near(changes, node, new)):
            continue
        low, high = limits(target.dtype) if clamped is None else clamped
        attributes = {"lowest": low, "highest": high, **new.attributes}
        if on_floats:
            attributes["near"] = True
            near += 1
        changes.change(last, replace(new, attributes=attributes))
        for one in (node, *clamps):
            changes.drop(one)
        made[node.told] = made.get(node.told, 0) + 1
    notes = [note for told, number in made.items() for note in counted(number, f"{{}} {told} turned to integers")]
    return changes.done((*notes, *counted(near, "{} of these are floats in ONNX Runtime: near its results")))


def clamps_after(changes: Changes, node: Node) -> tuple[list[Node], Node | None]:
    """Return the relus and clips after a node, and the quantization that alone takes what they leave.

    None where something else takes the floats.
    """
    clamps = list[Node]()
    following = changes.sole_consumer(node.outputs[0])
    while following is not None and following.operator == "float":
        if following.attributes["function"] not in ("relu", "clip"):
            return clamps, None
        clamps.append(following)
        following = changes.sole_consumer(following.outputs[0])
    return clamps, following if following is not None and following.operator == "quantize" else None


def _clamped(graph: Graph, clamps: Sequence[Node], last: Node) -> tuple[int, int] | None:
    """Return the least and greatest integer that is left; None if the quantization clamps as much without `clamps`.

    What is left of each end of the floats goes through all of them: a clamp never falls.
    """
    ends: Array = np.array([-_FAR, _FAR], np.float32)
    for one in clamps:
        ends = compute_floats(one, [ends])
    quantized = compute_values(graph, last, [ends])
    found = int(quantized[0]), int(quantized[1])
    return None if found == limits(graph.tensor(last.outputs[0]).dtype) else found


def scales_of_sums(image: Quantization, weights: Quantization) -> Array:
    """Return the scale of the sums of each output channel, or the one of all, in float32 as ONNX Runtime has it."""
    found: Array = np.float32(image.scale) * np.array(weights.scales, np.float32)
    return found


def _are_near(changes: Changes, node: Node, new: Node) -> bool:
    """Tell whether integers are near the floats: a step of the output is no smaller than one of the sums.

    Else what floats lose while they are added up may be many steps.
    """
    image, weights, output = (changes.tensors[name].quantization for name in (*new.inputs[:2], new.outputs[0]))
    assert image is not None and weights is not None and output is not None
    return _adds_bias_as_it_is(changes, node) and float(scales_of_sums(image, weights).max()) <= output.scale


def _adds_bias_as_it_is(changes: Changes, node: Node) -> bool:
    """Tell whether the integers of a bias are those of the sums, and not only taken for them by ONNX Runtime."""
    if len(node.inputs) < 3:
        return True
    parts = [changes.makers[name] for name in node.inputs]
    image, weights, bias = (changes.tensors[maker.inputs[0]].quantization for maker in parts)
    assert image is not None and weights is not None and bias is not None
    wanted = scales_of_sums(image, weights)
    return not any(bias.zero_points) and bool((np.array(bias.scales, np.float32) == wanted).all())


def _are_passed(changes: Changes, node: Node) -> bool:
    """Tell whether ONNX Runtime has the dequantizations at the operator, too."""
    makers = (changes.makers.get(name) for name in node.inputs)
    return all(maker is None or maker.attributes.get("passed", True) for maker in makers)


def _is_mixed(changes: Changes, node: Node) -> bool:
    """Tell whether ONNX Runtime has no integers for an operator on tensors of these types."""
    if node.operator == "conv_transpose":
        return True
    if node.operator not in ("conv", "depthwise", "dense", "matmul"):
        return False
    image, weights, output = (changes.tensors[name].dtype for name in (*node.inputs[:2], node.outputs[0]))
    return image != output or (image == "int8" and weights != "int8")


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


def _bias(changes: Changes, node: Node, image: Tensor, weights: Quantization, outs: int) -> str | None:
    """Return the name of the int32 bias; "" if there is none, and None if it is a float or none of the sums.

    Of a product of matrices ONNX Runtime takes the integers whatever their scale and zero point.
    """
    if len(node.inputs) < 3:
        return ""
    held = _constant(changes, node.inputs[2])
    if held is None or held[0].dtype != np.int32 or image.quantization is None:
        return None
    if node.attributes["function"] != "gemm":
        wanted = scales_of_sums(image.quantization, weights)
        scales = np.array(held[1].scales, np.float32)
        if any(held[1].zero_points) or scales.size not in (1, wanted.size):
            return None
        if (np.abs(scales - wanted) > _LIKE * wanted).any():
            return None
    if held[0].size not in (1, outs):
        return None
    return changes.constant(f"{node.name}/bias", np.broadcast_to(held[0].reshape(-1), (outs,)))


def _conv(changes: Changes, node: Node, target: Tensor) -> Node | None:
    image, held = _eight(changes, node.inputs[0]), _constant(changes, node.inputs[1])
    if image is None or held is None or held[0].dtype.name not in _EIGHT:
        return None
    weights, scales = held
    bias = _bias(changes, node, image, scales, weights.shape[0])
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


def _conv_transpose(changes: Changes, node: Node, target: Tensor) -> Node | None:
    image, held = _eight(changes, node.inputs[0]), _constant(changes, node.inputs[1])
    window = node.attributes["window"]
    if image is None or held is None or held[0].dtype.name not in _EIGHT:
        return None
    weights, scales = np.ascontiguousarray(held[0].transpose(3, 1, 2, 0)), held[1]
    if node.attributes["groups"] != 1 or window.dilation != (1, 1) or (len(scales.scales) > 1 and scales.axis != 3):
        return None
    scales = replace(scales, axis=0)
    bias = _bias(changes, node, image, scales, weights.shape[0])
    if bias is None:
        return None
    name = changes.constant(f"{node.inputs[1]}/rows", weights, scales)
    attributes = {"window": window, **_ARITHMETIC}
    return Node(node.name, "conv_transpose", (image.name, name, bias), (target.name,), attributes, node.told)


def _dense(changes: Changes, node: Node, target: Tensor) -> Node | None:
    rows, held = _eight(changes, node.inputs[0]), _constant(changes, node.inputs[1])
    if rows is None or held is None or held[0].dtype.name not in _EIGHT:
        return None
    turned = node.attributes["turned"]
    weights, scales = held[0] if turned else held[0].T, held[1]
    if len(scales.scales) > 1 and scales.axis != (0 if turned else 1):
        return None
    scales = replace(scales, axis=0)
    bias = _bias(changes, node, rows, scales, weights.shape[0])
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
    "conv_transpose": _conv_transpose,
    "gemm": _product,
    "matmul": _matmul,
    "add": _two("add"),
    "mul": _two("mul"),
    "global_average": _mean,
    "average_pool": _average_pool,
    "softmax": _softmax,
    "concat": _concat,
}
