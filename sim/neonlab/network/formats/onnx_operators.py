"""Turn the quantized operators of ONNX, and those of ONNX Runtime, into those of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.formats.onnx_place import (
    EIGHT,
    ONE_AXIS,
    Place,
    broadcast,
    image_size,
    in_order_of_sums,
    joined,
    kernel_of,
    lab_axis,
    lab_shape,
    onnx_shape,
    product_of,
    softmax_axes,
    whole,
    window_of,
)
from neonlab.network.graph import Array, Quantization, Tensor

Mapped = Callable[[Place, FileNode], None]
_ARITHMETIC = {"scheme": "onnxruntime", "precision": "float32"}


def _quantize(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    if source.dtype != "float32":
        raise Refusal(f"`{source.name}` is {source.dtype}")
    if place.constant(node, 2) is None and node.attributes.get("output_dtype", 0) not in (0, 2):
        raise Refusal(f"an output of type {node.attributes['output_dtype']}")
    output = place.quantized(node, source.shape, 1)
    place.add("quantize", node, (source.name,), (output.name,), rounding="even")


def _dequantize(place: Place, node: FileNode) -> None:
    tensor = place.tensor(node.inputs[0])
    rank = len(tensor.shape)
    axis = lab_axis(int(node.attributes.get("axis", 1)) % rank, rank) if rank else 0
    found = place.scaled(node, 1, tensor.dtype, axis)
    if tensor.data is None:
        tensor = place.eight(node, 0, 1)
    elif tensor.dtype == "int32" or len(found.scales) > 1 or tensor.quantization is None:
        if len(found.scales) > 1 and tensor.shape[axis] != len(found.scales):
            raise Refusal(f"{len(found.scales)} scales along an axis of {tensor.shape[axis]}")
        # A constant of its own, because each reader may give it another scale.
        name = place.draft.constant(f"{tensor.name}/quantized", tensor.data, found)
        tensor = place.draft.tensors[name]
    output = place.output(node, tensor.shape, "float32")
    place.add("dequantize", node, (tensor.name,), (output.name,))


def convolution(
    place: Place, node: FileNode, image: Tensor, held: Array, scales: Quantization, bias: Array | None, name: str
) -> tuple[str, tuple[str, str], dict[str, object], tuple[int, ...]]:
    """Return operator, names of weights and bias, attributes and output shape of a convolution.

    `held` are the weights as ONNX has them, [out, in / groups, h, w].  Raises Refusal.
    """
    size = image_size(image)
    if held.ndim != 4 or held.dtype.name not in EIGHT:
        raise Refusal(f"weights of {held.dtype} {list(held.shape)}")
    outs, depth, height, width = held.shape
    groups = int(node.attributes.get("group", 1))
    if groups < 1 or outs % groups or image.shape[3] != depth * groups:
        raise Refusal(f"weights {list(held.shape)} in {groups} groups do not fit {image.shape[3]} channels")
    if len(scales.scales) not in (1, outs):
        raise Refusal(f"{len(scales.scales)} scales for {outs} channels")
    if bias is not None and (bias.dtype != np.int32 or bias.shape != (outs,)):
        raise Refusal(f"a bias of {bias.dtype} {list(bias.shape)}; wanted int32 [{outs}]")
    window, out = window_of(node, size, (height, width))
    of_bias = "" if bias is None else place.draft.constant(f"{node.name}/bias", bias)
    many = len(scales.scales) > 1
    if depth == 1 and groups == image.shape[3] and groups > 1:
        taps = np.ascontiguousarray(held[:, 0].transpose(1, 2, 0))
        quantization = Quantization(scales.scales, scales.zero_points, 2 if many else 0)
        weights = place.draft.constant(f"{name}/taps", taps, quantization)
        return "depthwise", (weights, of_bias), {"window": window}, (image.shape[0], *out, outs)
    weights = place.draft.constant(f"{name}/rows", np.ascontiguousarray(held.transpose(0, 2, 3, 1)), scales)
    return "conv", (weights, of_bias), {"window": window, "groups": groups}, (image.shape[0], *out, outs)


def _conv(place: Place, node: FileNode) -> None:
    image, held = place.eight(node, 0, 1), place.wanted(node, 3)
    scales = place.scaled(node, 4, held.dtype.name)
    operator, names, attributes, shape = convolution(
        place, node, image, held, scales, place.constant(node, 8), node.inputs[3]
    )
    output = place.quantized(node, shape, 6)
    place.add(operator, node, (image.name, *names), (output.name,), **attributes, **whole(output), **_ARITHMETIC)


def _gemm(place: Place, node: FileNode) -> None:
    rows, held = place.eight(node, 0, 1), place.wanted(node, 3)
    alpha = float(node.attributes.get("alpha", 1.0))
    if not 0 < alpha < np.inf or node.attributes.get("transA", 0) or held.ndim != 2:
        raise Refusal(f"with an alpha of {alpha:g}, a transposed left side, or weights of other than 2 dimensions")
    weights = held if node.attributes.get("transB", 0) else held.T
    if weights.dtype.name not in EIGHT or len(rows.shape) != 2 or rows.shape[1] != weights.shape[1]:
        raise Refusal(f"weights {list(weights.shape)} do not fit {list(rows.shape)}")
    scales, outs = place.scaled(node, 4, held.dtype.name), weights.shape[0]
    if len(scales.scales) not in (1, outs):
        raise Refusal(f"{len(scales.scales)} scales for {outs} columns")
    bias = place.constant(node, 6)
    if bias is not None and (bias.dtype != np.int32 or bias.size not in (1, outs)):
        raise Refusal(f"a bias of {bias.dtype} {list(bias.shape)}")
    if len(node.inputs) < 8 or not node.inputs[7]:
        raise Refusal("with floats for its output")
    rows = place.scaled_by(node, rows, alpha)
    name = place.draft.constant(f"{node.inputs[3]}/rows", np.ascontiguousarray(weights), scales)
    of_bias = (
        "" if bias is None else place.draft.constant(f"{node.name}/bias", np.broadcast_to(bias.reshape(-1), (outs,)))
    )
    output = place.quantized(node, (rows.shape[0], outs), 7)
    place.add("dense", node, (rows.name, name, of_bias), (output.name,), **whole(output), **_ARITHMETIC)


def _matmul(place: Place, node: FileNode) -> None:
    rows = place.eight(node, 0, 1)
    if node.inputs[3] not in place.constants or len(rows.shape) == 4 or place.wanted(node, 3).ndim > 2:
        right = place.eight(node, 3, 4)
        shape, macs = product_of(rows, right)
        output = place.quantized(node, lab_shape(shape), 6)
        place.add("matmul", node, (rows.name, right.name), (output.name,), macs=macs, **whole(output), **_ARITHMETIC)
        return
    held = place.wanted(node, 3)
    if held.ndim != 2 or held.dtype.name not in EIGHT or not rows.shape or rows.shape[-1] != held.shape[0]:
        raise Refusal(f"weights {list(held.shape)} do not fit {list(rows.shape)}")
    scales = place.scaled(node, 4, held.dtype.name)
    name = place.draft.constant(f"{node.inputs[3]}/rows", np.ascontiguousarray(held.T), scales)
    output = place.quantized(node, (*rows.shape[:-1], held.shape[1]), 6)
    place.add("dense", node, (rows.name, name, ""), (output.name,), **whole(output), **_ARITHMETIC)


def _two(operator: str) -> Mapped:
    def mapped(place: Place, node: FileNode) -> None:
        left, right = place.eight(node, 0, 1), place.eight(node, 3, 4)
        if operator == "add":
            left, right = in_order_of_sums(left, right)
        left, right = place.aligned(node, left, right)
        output = place.quantized(node, broadcast(left, right), 6)
        if {left.dtype, right.dtype} != {output.dtype}:
            raise Refusal(f"{left.dtype} and {right.dtype} to {output.dtype}")
        place.add(operator, node, (left.name, right.name), (output.name,), **whole(output), arithmetic="onnxruntime")

    return mapped


def _global_average(place: Place, node: FileNode) -> None:
    image = place.eight(node, 0, 1)
    image_size(image)
    if node.attributes.get("channels_last", 0):
        raise Refusal("with channels last")
    output = place.quantized(node, (image.shape[0], 1, 1, image.shape[3]), 3)
    place.add("mean", node, (image.name,), (output.name,), **whole(output), arithmetic="onnxruntime")


def _average_pool(place: Place, node: FileNode) -> None:
    image = place.eight(node, 0, 1)
    kernel = kernel_of(node)
    if node.attributes.get("channels_last", 0):
        raise Refusal("with channels last")
    # Where padding counts, ONNX Runtime divides by all of the window, also by what reaches beyond with ceil_mode.
    window, size = window_of(node, image_size(image), kernel, ceil=True)
    output = place.quantized(node, (image.shape[0], *size, image.shape[3]), 3)
    place.add(
        "average_pool", node, (image.name,), (output.name,), kernel=kernel, window=window, **whole(output),
        arithmetic="onnxruntime", count_padding=bool(node.attributes.get("count_include_pad", 0)),
    )  # fmt: skip


def _max_pool(place: Place, node: FileNode) -> None:
    image, kernel = place.tensor(node.inputs[0]), kernel_of(node)
    if image.dtype not in (*EIGHT, "float32"):
        raise Refusal(f"`{image.name}` is {image.dtype}")
    window, size = window_of(node, image_size(image), kernel, ceil=True)
    if len(node.outputs) > 1:
        raise Refusal("with indices")
    output = place.output(node, (image.shape[0], *size, image.shape[3]), image.dtype, image.quantization)
    if image.dtype == "float32":
        place.add("float", node, (image.name,), (output.name,), function="max_pool", kernel=kernel, window=window)
        return
    place.add("max_pool", node, (image.name,), (output.name,), kernel=kernel, window=window, **whole(output))


def _unary(function: str, scale: int = 1) -> Mapped:
    def mapped(place: Place, node: FileNode) -> None:
        source = place.eight(node, 0, scale)
        output = place.quantized(node, source.shape, scale + 2)
        more = {"alpha": float(node.attributes.get("alpha", 0.01))} if function == "leaky_relu" else {}
        place.add("unary", node, (source.name,), (output.name,), function=function, arithmetic="onnxruntime", **more)

    return mapped


def _softmax(place: Place, node: FileNode) -> None:
    source = place.eight(node, 0, 1)
    old = int(node.attributes.get("opset", 1)) < ONE_AXIS
    axes = softmax_axes(int(node.attributes.get("axis", -1)), len(source.shape), old)
    output = place.quantized(node, source.shape, 3)
    place.add("softmax", node, (source.name,), (output.name,), beta=1.0, arithmetic="onnxruntime", axes=axes)


def _concat(place: Place, node: FileNode) -> None:
    count, rest = divmod(len(node.inputs) - 2, 3)
    if rest or count < 1:
        raise Refusal(f"{len(node.inputs)} inputs")
    parts = [place.eight(node, 2 + 3 * number, 3 + 3 * number) for number in range(count)]
    axis = lab_axis(int(node.attributes["axis"]), len(parts[0].shape))
    output = place.quantized(node, joined(parts, axis), 0)
    place.add("concat", node, [part.name for part in parts], (output.name,), axis=axis, scheme="onnxruntime")


def _points(place: Place, node: FileNode, left: Tensor, right: Tensor, along: tuple[int, int]) -> list[str]:
    """Return the names of both zero points, "" for none.  Raises Refusal for a number of them that does not fit."""
    found = []
    for number, (operand, axis) in enumerate(zip((left, right), along, strict=True), 2):
        name = node.inputs[number] if len(node.inputs) > number else ""
        if name and (tensor := place.tensor(name)).size not in (1, operand.shape[axis]):
            raise Refusal(f"{tensor.size} zero points for {list(operand.shape)}")
        found.append(place.tensor(name).name if name else "")
    return found


def _integers(place: Place, node: FileNode) -> tuple[Tensor, Tensor]:
    left, right = (place.tensor(name) for name in node.inputs[:2])
    if left.dtype not in EIGHT or right.dtype not in EIGHT:
        raise Refusal(f"of {left.dtype} and {right.dtype}")
    return left, right


def _matmul_integer(place: Place, node: FileNode) -> None:
    left, right = _integers(place, node)
    shape, macs = product_of(left, right)
    points = _points(place, node, left, right, (-2, -1))
    output = place.output(node, lab_shape(shape), "int32")
    place.add("integer_sums", node, (left.name, right.name, *points), (output.name,), function="matmul",
              macs=macs)  # fmt: skip


def _conv_integer(place: Place, node: FileNode) -> None:
    image, weights = _integers(place, node)
    size, groups = image_size(image), int(node.attributes.get("group", 1))
    outs, height, width, depth = weights.shape if len(weights.shape) == 4 else (0, 0, 0, 0)
    if groups < 1 or not outs or outs % groups or image.shape[3] != depth * groups:
        raise Refusal(f"weights {onnx_shape(weights)} in {groups} groups do not fit {image.shape[3]} channels")
    points = _points(place, node, image, weights, (0, 0))
    if points[0] and place.tensor(points[0]).size > 1:
        raise Refusal("with several zero points of the image")
    window, out = window_of(node, size, (height, width))
    output = place.output(node, (image.shape[0], *out, outs), "int32")
    place.add("integer_sums", node, (image.name, weights.name, *points), (output.name,), function="conv",
              window=window, groups=groups, macs=output.size * height * width * depth)  # fmt: skip


QUANTIZED: Mapping[tuple[str, str], Mapped] = {
    ("", "QuantizeLinear"): _quantize,
    ("", "DequantizeLinear"): _dequantize,
    ("com.microsoft", "QuantizeLinear"): _quantize,
    ("com.microsoft", "DequantizeLinear"): _dequantize,
    ("", "ConvInteger"): _conv_integer,
    ("", "MatMulInteger"): _matmul_integer,
    ("", "QLinearConv"): _conv,
    ("", "QLinearMatMul"): _matmul,
    ("com.microsoft", "QGemm"): _gemm,
    ("com.microsoft", "QLinearAdd"): _two("add"),
    ("com.microsoft", "QLinearMul"): _two("mul"),
    ("com.microsoft", "QLinearGlobalAveragePool"): _global_average,
    ("com.microsoft", "QLinearAveragePool"): _average_pool,
    ("com.microsoft", "QLinearSigmoid"): _unary("sigmoid"),
    ("com.microsoft", "QLinearLeakyRelu"): _unary("leaky_relu"),
    ("com.microsoft", "QLinearSoftmax"): _softmax,
    ("com.microsoft", "QLinearConcat"): _concat,
    ("", "MaxPool"): _max_pool,
}
