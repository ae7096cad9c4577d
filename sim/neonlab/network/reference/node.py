"""Compute one node by `neonlab.int8`, bit for bit as the framework of its attributes does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from neonlab.errors import InputError
from neonlab.int8 import elementwise
from neonlab.int8.activation import look_up, softmax, softmax_onnxruntime
from neonlab.int8.addition import Operand, add_onnxruntime, add_tflite, add_tvm, add_xnnpack
from neonlab.int8.affine import Affine, dequantize, quantize, quantize_ncnn
from neonlab.int8.arrays import Floats, OperandError, Output
from neonlab.int8.convolution import conv2d, depthwise_conv2d, fully_connected, transposed_conv2d
from neonlab.int8.pooling import (
    average_pool,
    average_pool_onnxruntime,
    average_pool_requantized,
    max_pool,
    mean_tflite,
    mean_xnnpack,
    pool_sums,
)
from neonlab.int8.requantize import effective_scale, ncnn_requantize, scheme_named
from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor
from neonlab.network.layout import from_file, from_rows, images_first, images_last, rows_along, to_file
from neonlab.network.reference.floats import compute_floats, product
from neonlab.network.reference.frameworks.refusal import FrameworkRefusal
from neonlab.network.reference.integer_sums import integer_sums
from neonlab.network.reference.unary import table_of_node

#: An effective scale at which each int32 sum is rounded to 0, as at any smaller one.
_ALL_TO_ZERO = 2.0**-40
#: What uint8 and int8 of the same bits but the highest differ by.
_HALF = 128
Computed = Callable[[Graph, Node, Sequence[Array | None]], Array]


def compute(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return what `node` puts out of `inputs`, None for one that is left out.

    Raises InputError, which names the node, for operands that its operator refuses.
    """
    found = compute_values(graph, node, inputs)
    target = graph.tensor(node.outputs[0])
    if found.size != target.size:
        raise InputError(f"node `{node.name}` computes {list(found.shape)}; its output is {list(target.shape)}")
    return np.asarray(found.reshape(target.shape), target.dtype, order="C")


def compute_values(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Compute as `compute` does, for inputs of any shape where the operator goes element by element."""
    try:
        if node.operator == "float":
            return compute_floats(node, [values for values in inputs if values is not None])
        return _COMPUTED[node.operator](graph, node, inputs)
    except OperandError as error:
        raise InputError(f"node `{node.name}`: {error}") from None


def quantization_of(tensor: Tensor) -> Quantization:
    """Return a tensor's quantization.  Raises InputError for a tensor without."""
    if tensor.quantization is None:
        raise InputError(f"tensor `{tensor.name}` has no scale")
    return tensor.quantization


def output_of(graph: Graph, node: Node) -> Output:
    """Return the format of a node's output, with the clamp of its attributes."""
    tensor = graph.tensor(node.outputs[0])
    whole = Output.of(tensor.dtype, quantization_of(tensor).zero_point)
    lowest, highest = node.attributes.get("lowest", whole.minimum), node.attributes.get("highest", whole.maximum)
    return Output(whole.zero_point, lowest, highest, whole.dtype)


def scale_of(graph: Graph, node: Node) -> Floats:
    """Return what the sums of a layer with weights are multiplied by: a number, or one for each channel."""
    image, weights = (quantization_of(graph.tensor(name)) for name in node.inputs[:2])
    output = quantization_of(graph.tensor(node.outputs[0]))
    # Channels of weights that training has made all but 0 have scales that no kernel takes.
    least = np.float32(_ALL_TO_ZERO * output.scale / image.scale)
    scales = np.maximum(np.array(weights.scales, np.float32), least)
    return effective_scale(
        image.scale, scales if scales.size > 1 else scales[0], output.scale, node.attributes["precision"]
    )


def _weight_point(graph: Graph, node: Node) -> int | Array:
    quantization = quantization_of(graph.tensor(node.inputs[1]))
    points = quantization.zero_points
    return points[0] if len(set(points)) == 1 else np.array(points, np.int32)


def operand(graph: Graph, name: str, values: Array) -> Operand:
    """Return a tensor's values with its scale and zero point."""
    quantization = quantization_of(graph.tensor(name))
    return Operand(values, quantization.scale, quantization.zero_point)


def sums_of(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return the int32 sums of a layer with weights, with bias, before they are scaled."""
    image, weights, bias = inputs
    assert image is not None and weights is not None
    point, other = quantization_of(graph.tensor(node.inputs[0])).zero_point, _weight_point(graph, node)
    if node.operator == "dense":
        return fully_connected(image.reshape(-1, weights.shape[1]), weights, point, other, bias)
    window = node.attributes["window"]
    if node.operator == "depthwise":
        return depthwise_conv2d(image, weights, point, other, bias, window)
    if node.operator == "conv_transpose":
        size = graph.tensor(node.outputs[0]).shape[1:3]
        return transposed_conv2d(image, weights, (size[0], size[1]), point, other, bias, window)
    return conv2d(image, weights, point, other, bias, window, node.attributes["groups"])


def _weighted(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    sums = sums_of(graph, node, inputs)
    if node.attributes["scheme"] == "sums":
        return sums
    output = output_of(graph, node)
    return scheme_named(node.attributes["scheme"]).requantize(sums, scale_of(graph, node), output)


def _matmul(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return a product of two tensors with a scale each; its sums, of 9 bits by 9, are exact in float64."""
    held = [quantization_of(graph.tensor(name)) for name in node.inputs]
    left, right = (
        images_first(values).astype(np.int64) - one.zero_point
        for values, one in zip(inputs, held, strict=True)
        if values is not None
    )
    sums = images_last(product(left, right)).astype(np.int64).astype(np.int32)
    target = quantization_of(graph.tensor(node.outputs[0])).scale
    scale = effective_scale(held[0].scale, held[1].scale, target, node.attributes["precision"])
    return scheme_named(node.attributes["scheme"]).requantize(sums, scale, output_of(graph, node))


def _pair(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> tuple[Operand, Operand, float, Output]:
    left, right = inputs
    assert left is not None and right is not None
    scale = quantization_of(graph.tensor(node.outputs[0])).scale
    operands = (operand(graph, name, values) for name, values in zip(node.inputs, (left, right), strict=True))
    first, second = operands
    return first, second, scale, output_of(graph, node)


def _in_floats(
    way: Callable[[Operand, Operand, float, Output], Array], graph: Graph, node: Node, inputs: Sequence[Array | None]
) -> Array:
    """Compute a sum or product of ONNX Runtime, whose floats hold the zero points and are rounded with these.

    So it depends on them, and what is `unsigned` in the file is computed as it is there.
    """
    left, right, scale, output = _pair(graph, node, inputs)
    if not node.attributes.get("unsigned"):
        return way(left, right, scale, output)
    return _signed(way(_unsigned(left), _unsigned(right), scale, _moved(output)))


def _moved(output: Output) -> Output:
    return Output(output.zero_point + _HALF, output.minimum + _HALF, output.maximum + _HALF, "uint8")


def _signed(values: Array) -> Array:
    return (values ^ np.uint8(_HALF)).view(np.int8)


def _unsigned(held: Operand) -> Operand:
    return Operand(held.values.view(np.uint8) ^ np.uint8(_HALF), held.scale, held.zero_point + _HALF)


def _add(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    if node.attributes["arithmetic"] == "onnxruntime":
        return _in_floats(add_onnxruntime, graph, node, inputs)
    ways = {"tflite": add_tflite, "tvm": add_tvm, "xnnpack": add_xnnpack}
    return ways[node.attributes["arithmetic"]](*_pair(graph, node, inputs))


def _mul(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    arithmetic = node.attributes["arithmetic"]
    if arithmetic == "onnxruntime":
        return _in_floats(elementwise.multiply_onnxruntime, graph, node, inputs)
    left, right, scale, output = _pair(graph, node, inputs)
    precision, scheme = ("float32", "qnnpack-fp32") if arithmetic == "xnnpack" else ("float64", "gemmlowp")
    products = elementwise.multiply(left, right)
    return scheme_named(scheme).requantize(products, effective_scale(left.scale, right.scale, scale, precision), output)


def _concat(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    arrays = [values for values in inputs if values is not None]
    target = graph.tensor(node.outputs[0])
    if target.quantization is None:
        return np.concatenate(arrays, node.attributes["axis"])
    operands = [operand(graph, name, values) for name, values in zip(node.inputs, arrays, strict=True)]
    return elementwise.concatenate(
        operands, node.attributes["axis"], target.quantization.scale, output_of(graph, node), node.attributes["scheme"]
    )


def _average_pool(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    image, kernel, window = inputs[0], node.attributes["kernel"], node.attributes["window"]
    output = output_of(graph, node)
    if node.attributes["arithmetic"] == "tflite":
        return np.clip(average_pool(image, kernel, window), output.minimum, output.maximum)
    source = graph.tensor(node.inputs[0])
    held, target = quantization_of(source), quantization_of(graph.tensor(node.outputs[0]))
    return average_pool_onnxruntime(
        image, kernel, Affine(held.scale, held.zero_point, source.dtype), target.scale, output, window,
        count_padding=node.attributes.get("count_padding", False),
    )  # fmt: skip


def _max_pool(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    pooled = max_pool(inputs[0], node.attributes["kernel"], node.attributes["window"])
    return np.clip(pooled, node.attributes["lowest"], node.attributes["highest"])


def mean_of_sums(graph: Graph, node: Node, sums: Array, count: int) -> Array:
    """Return the means that a mean node of TFLite makes of sums of `count` numbers, without the zero point."""
    source, target = (quantization_of(graph.tensor(name)).scale for name in (node.inputs[0], node.outputs[0]))
    output = output_of(graph, node)
    if node.attributes["arithmetic"] == "xnnpack":
        ratio = float(np.float32(source) / np.float32(target))
        # Its floats hold the zero point, as those of ONNX Runtime's sums.
        if node.attributes.get("unsigned"):
            return _signed(mean_xnnpack(sums, count, ratio, _moved(output)))
        return mean_xnnpack(sums, count, ratio, output)
    return mean_tflite(sums, count, source / target, output)


def _mean(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    image = inputs[0]
    assert image is not None
    source, target = (quantization_of(graph.tensor(name)) for name in (node.inputs[0], node.outputs[0]))
    if node.attributes["arithmetic"] != "onnxruntime":
        sums, _ = pool_sums(image, image.shape[1:3], None, source.zero_point)
        return mean_of_sums(graph, node, sums, image.shape[1] * image.shape[2])
    ratio = float(np.float32(source.scale) / np.float32(target.scale))
    return average_pool_requantized(
        image, image.shape[1:3], source.zero_point, ratio, output_of(graph, node), None, "onnxruntime"
    )


def _pad(_graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    return elementwise.pad(inputs[0], node.attributes["widths"], node.attributes["fill"])


def _unary(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    return look_up(table_of_node(graph, node), inputs[0])


def _softmax(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    source, target = (quantization_of(graph.tensor(name)) for name in (node.inputs[0], node.outputs[0]))
    affine = Affine(target.scale, target.zero_point, graph.tensor(node.outputs[0]).dtype)
    if node.attributes["arithmetic"] == "onnxruntime":
        assert inputs[0] is not None
        axes, shape = node.attributes["axes"], inputs[0].shape
        return from_rows(softmax_onnxruntime(rows_along(inputs[0], axes), source.scale, affine), shape, axes)
    return softmax(inputs[0], source.scale, node.attributes["beta"], affine)


def _quantize(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return floats as integers; `factor` is a scale that multiplies, as ncnn's."""
    if "factor" in node.attributes:
        return quantize_ncnn(
            inputs[0], node.attributes["factor"], node.attributes["lowest"], node.attributes["highest"]
        )
    scale = quantization_of(graph.tensor(node.outputs[0])).scale
    return quantize(inputs[0], scale, output_of(graph, node), node.attributes["rounding"])


def _requantize(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    scales = np.array(quantization_of(graph.tensor(node.inputs[0])).scales, np.float32)
    return ncnn_requantize(inputs[0], scales, node.attributes["factor"], inputs[1], output_of(graph, node))


def _dequantize(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return integers as floats; a second input is a bias for each channel, added after the product."""
    quantization, values = quantization_of(graph.tensor(node.inputs[0])), inputs[0]
    assert values is not None
    if len(inputs) > 1:
        return dequantize(values, np.array(quantization.scales, np.float32), 0, inputs[1])
    if len(quantization.scales) == 1:
        return dequantize(values, quantization.scale, quantization.zero_point)
    shape = [1] * values.ndim
    shape[quantization.axis] = -1
    points = np.array(quantization.zero_points, np.int64).reshape(shape)
    return dequantize(values - points, np.array(quantization.scales, np.float32).reshape(shape))


def _reshape(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return the elements in their order; `channels_first` is the order of [n, c, h, w] on a side with 4 dimensions."""
    values = inputs[0]
    assert values is not None
    shape = graph.tensor(node.outputs[0]).shape
    if not node.attributes.get("channels_first"):
        return values.reshape(shape)
    if values.ndim == 4:
        values = values.transpose(0, 3, 1, 2)
    if len(shape) != 4:
        return values.reshape(shape)
    return values.reshape(shape[0], shape[3], *shape[1:3]).transpose(0, 2, 3, 1)


def _transpose(_graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    values = inputs[0]
    assert values is not None
    return values.transpose(node.attributes["order"])


def _slice(_graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    values = inputs[0]
    assert values is not None
    found: Array = values[node.attributes["slices"]]
    return found


def nearest(graph: Graph, node: Node) -> tuple[Array, Array]:
    """Return the row of the input that each row of a resize's output is, and the column that each column is."""
    source, target = (graph.tensor(name).shape for name in (node.inputs[0], node.outputs[0]))
    rows, columns = (_nearest(node, whole, size) for whole, size in zip(source[1:3], target[1:3], strict=True))
    return rows, columns


def _nearest(node: Node, whole: int, size: int) -> Array:
    """Return the place out of `whole` for each of `size`: repeated ones, or TFLite's, which it computes in floats."""
    places = np.arange(size)
    if node.attributes["arithmetic"] == "repeated":
        return places // (size // whole)
    aligned = node.attributes["align_corners"]
    scale = np.float32((whole - 1) / (size - 1)) if aligned and size > 1 else np.float32(whole / size)
    centre = np.float32(0.5 if node.attributes["half_pixel"] else 0)
    found = (places.astype(np.float32) + centre) * scale
    # Numbers are not negative: those aligned are rounded to the nearest, ties up.
    found = np.floor(found.astype(np.float64) + (0.5 if aligned else 0))
    return np.minimum(found.astype(np.int64), whole - 1)


def _resize_nearest(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    values = inputs[0]
    assert values is not None
    rows, columns = nearest(graph, node)
    found: Array = values[:, rows][:, :, columns]
    return found


def _by_framework(graph: Graph, node: Node, inputs: Sequence[Array | None]) -> Array:
    """Return what the framework of the file's format computes of arrays that are laid out as in the file."""
    arrays = [to_file(graph, values) for values in inputs if values is not None]
    try:
        return from_file(graph, node.attributes["alone"].run(node.attributes["output"], arrays))
    except FrameworkRefusal as error:
        raise InputError(f"node `{node.name}` ({node.told}): {error.framework}: {error}") from None


_COMPUTED: Mapping[str, Computed] = {
    "conv": _weighted,
    "depthwise": _weighted,
    "conv_transpose": _weighted,
    "dense": _weighted,
    "matmul": _matmul,
    "add": _add,
    "mul": _mul,
    "concat": _concat,
    "average_pool": _average_pool,
    "max_pool": _max_pool,
    "mean": _mean,
    "pad": _pad,
    "unary": _unary,
    "rescale": _unary,
    "softmax": _softmax,
    "quantize": _quantize,
    "dequantize": _dequantize,
    "requantize": _requantize,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "resize_nearest": _resize_nearest,
    "onnx": _by_framework,
    "litert": _by_framework,
    "ncnn": _by_framework,
    "integer_sums": integer_sums,
}
