"""Turn the operators of TFLite into those of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.elementwise import activation_range
from neonlab.int8.windows import Pair, Window
from neonlab.network.formats.draft import Draft, Refusal
from neonlab.network.formats.tflite_delegate import arithmetic_of, check_transposed, exactness, leaky_arithmetic
from neonlab.network.formats.tflite_file import FileGraph, FileOperator
from neonlab.network.graph import Array, Quantization, State, Tensor

_ACTIVATIONS = {0: "none", 1: "relu", 2: "relu_n1_to_1", 3: "relu6"}
_EIGHT = ("int8", "uint8")
Mapped = Callable[["Place", str, FileOperator], None]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Say where operators are put: the draft, the subgraph, its tensors' names, and whose arithmetic is wanted.

    `states` and `starts` collect what operators keep themselves from one inference to the next.
    """

    draft: Draft
    graph: FileGraph
    names: list[str]
    arithmetic: str
    states: list[State] = field(default_factory=list)
    starts: dict[str, Array] = field(default_factory=dict)

    def name_of(self, numbered: str) -> str:
        """Return the name of the tensor whose number is given as `#12`."""
        return self.names[int(numbered[1:])]

    def tensor(self, number: int) -> Tensor:
        """Return a tensor by its number.  Raises Refusal for one that is left out."""
        if number < 0 or self.names[number] not in self.draft.tensors:
            raise Refusal("an input is left out, or is a variable")
        return self.draft.tensors[self.names[number]]

    def values(self, number: int) -> Array:
        """Return the values of a constant.  Raises Refusal for a tensor that is none."""
        data = self.tensor(number).data
        if data is None:
            raise Refusal(f"`{self.names[number]}` must be a constant")
        return data

    def eight(self, number: int) -> Tensor:
        """Return a quantized tensor of 8 bits with one scale.  Raises Refusal for others."""
        tensor = self.tensor(number)
        quantization = tensor.quantization
        if tensor.dtype not in _EIGHT or quantization is None or len(quantization.scales) != 1:
            raise Refusal(f"`{tensor.name}` is {tensor.dtype}, not int8 or uint8 with a scale: quantize the model")
        return tensor

    def scheme(self, kind: str) -> dict[str, Any]:
        """Return how the sums of conv, depthwise or dense are requantized."""
        if self.arithmetic == "xnnpack":
            return {"scheme": "qnnpack-fp32", "precision": "float32"}
        return {"scheme": "tvm-tonearest" if kind == "dense" else "gemmlowp", "precision": "float64"}


def clamp_of(tensor: Tensor, activation: int) -> dict[str, int]:
    """Return `lowest` and `highest` of an output with a fused activation.  Raises Refusal for other activations."""
    quantization = tensor.quantization
    if activation not in _ACTIVATIONS or quantization is None:
        raise Refusal(f"fused activation {activation}, which the lab does not have")
    whole = Output.of(tensor.dtype, quantization.zero_point)
    held = activation_range(_ACTIVATIONS[activation], quantization.scale, whole)
    return {"lowest": held.minimum, "highest": held.maximum}


def _window(place: Place, operator: FileOperator, size: Pair, kernel: Pair, found: tuple[int, ...]) -> Window:
    """Return the window of a convolution or a pool.  Raises Refusal where it does not give the output's size."""
    options = operator.options
    stride = (options["StrideH"], options["StrideW"])
    dilation = (options.get("DilationHFactor", 1), options.get("DilationWFactor", 1))
    try:
        same = options["Padding"] == 0
        window = Window.same(size, kernel, stride, dilation) if same else Window(stride, ((0, 0), (0, 0)), dilation)
        output = window.output_size(size, kernel)
    except (OperandError, ZeroDivisionError) as error:
        raise Refusal(str(error)) from None
    if output != found:
        raise Refusal(f"the output is {found[0]}x{found[1]}, and its window makes {output[0]}x{output[1]}")
    return window


def _image(tensor: Tensor) -> Pair:
    if len(tensor.shape) != 4:
        raise Refusal(f"`{tensor.name}` has {len(tensor.shape)} dimensions, not 4")
    return tensor.shape[1], tensor.shape[2]


def _weights(place: Place, number: int, channels: int, axis: int) -> tuple[Tensor, Quantization]:
    """Return constant weights and their quantization, one scale or one for each of `channels` along `axis`."""
    tensor = place.tensor(number)
    place.values(number)
    quantization = tensor.quantization
    if tensor.dtype not in _EIGHT or quantization is None:
        raise Refusal(f"the weights `{tensor.name}` are {tensor.dtype} without a scale: quantize the model")
    if len(quantization.scales) > 1 and (quantization.axis != axis or len(quantization.scales) != channels):
        raise Refusal(f"the weights have {len(quantization.scales)} scales along axis {quantization.axis}")
    return tensor, quantization


def _bias(place: Place, operator: FileOperator, channels: int, at: int = 2) -> str:
    if len(operator.inputs) <= at or operator.inputs[at] < 0:
        return ""
    bias = place.values(operator.inputs[at])
    if bias.dtype != np.int32 or bias.size != channels:
        raise Refusal(f"a bias of {bias.dtype} {list(bias.shape)}; wanted int32 [{channels}]")
    return place.draft.constant(f"{place.names[operator.inputs[at]]}/flat", bias.reshape(-1))


def _conv(place: Place, name: str, operator: FileOperator) -> None:
    image, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    size, outs = _image(image), output.shape[-1]
    tensor, _ = _weights(place, operator.inputs[1], outs, 0)
    if len(tensor.shape) != 4 or tensor.shape[0] != outs or image.shape[3] % tensor.shape[3]:
        raise Refusal(f"weights {list(tensor.shape)} do not fit {list(image.shape)} and {list(output.shape)}")
    groups = image.shape[3] // tensor.shape[3]
    if outs % groups:
        raise Refusal(f"{groups} groups do not divide {outs} output channels")
    window = _window(place, operator, size, (tensor.shape[1], tensor.shape[2]), _image(output))
    clamp = clamp_of(output, operator.options["FusedActivationFunction"])
    place.draft.node(
        "conv", name, operator.name, (image.name, tensor.name, _bias(place, operator, outs)), (output.name,),
        {"window": window, "groups": groups, **clamp, **place.scheme("conv")},
    )  # fmt: skip


def _conv_transpose(place: Place, name: str, operator: FileOperator) -> None:
    image, output = place.eight(operator.inputs[2]), place.eight(operator.outputs[0])
    size, outs = _image(output), output.shape[-1]
    tensor, _ = _weights(place, operator.inputs[1], outs, 0)
    if len(tensor.shape) != 4 or (tensor.shape[0], tensor.shape[3]) != (outs, image.shape[3]):
        raise Refusal(f"weights {list(tensor.shape)} do not fit {list(image.shape)} and {list(output.shape)}")
    # The window slides over the output, and each of its positions is a pixel of the image.
    window = _window(place, operator, size, (tensor.shape[1], tensor.shape[2]), _image(image))
    check_transposed(place.arithmetic, tensor.shape[1:3], window, same=operator.options["Padding"] == 0)
    place.draft.node(
        "conv_transpose", name, operator.name, (image.name, tensor.name, _bias(place, operator, outs, 3)),
        (output.name,), {"window": window, **clamp_of(output, operator.options.get("FusedActivationFunction", 0)),
                         **place.scheme("conv")},
    )  # fmt: skip


def _depthwise(place: Place, name: str, operator: FileOperator) -> None:
    image, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    size, outs = _image(image), output.shape[-1]
    tensor, quantization = _weights(place, operator.inputs[1], outs, 3)
    if len(tensor.shape) != 4 or tensor.shape[0] != 1 or tensor.shape[3] != outs or outs % image.shape[3]:
        raise Refusal(f"weights {list(tensor.shape)} do not fit {list(image.shape)} and {list(output.shape)}")
    window = _window(place, operator, size, (tensor.shape[1], tensor.shape[2]), _image(output))
    taps = place.draft.constant(
        f"{tensor.name}/taps", place.values(operator.inputs[1])[0],
        Quantization(quantization.scales, quantization.zero_points, 2 if len(quantization.scales) > 1 else 0),
    )  # fmt: skip
    place.draft.node(
        "depthwise", name, operator.name, (image.name, taps, _bias(place, operator, outs)), (output.name,),
        {"window": window, **clamp_of(output, operator.options["FusedActivationFunction"]), **place.scheme("conv")},
    )  # fmt: skip


def _dense(place: Place, name: str, operator: FileOperator) -> None:
    rows, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    outs = output.shape[-1]
    tensor, _ = _weights(place, operator.inputs[1], outs, 0)
    if len(tensor.shape) != 2 or tensor.shape[0] != outs or rows.size % tensor.shape[1]:
        raise Refusal(f"weights {list(tensor.shape)} do not fit {list(rows.shape)} and {list(output.shape)}")
    if operator.options["WeightsFormat"]:
        raise Refusal("weights that are shuffled")
    place.draft.node(
        "dense", name, operator.name, (rows.name, tensor.name, _bias(place, operator, outs)), (output.name,),
        {**clamp_of(output, operator.options["FusedActivationFunction"]), **place.scheme("dense")},
    )  # fmt: skip


def _two(operation: str) -> Mapped:
    def mapped(place: Place, name: str, operator: FileOperator) -> None:
        left, right = (place.eight(number) for number in operator.inputs[:2])
        output = place.eight(operator.outputs[0])
        if len(left.shape) > 4 or len(right.shape) > 4 or {left.dtype, right.dtype} != {output.dtype}:
            raise Refusal(f"{left.dtype} and {right.dtype} to {output.dtype}")
        clamp = clamp_of(output, operator.options.get("FusedActivationFunction", 0))
        place.draft.node(
            operation, name, operator.name, (left.name, right.name), (output.name,),
            {**clamp, "arithmetic": arithmetic_of(place.arithmetic, operation, left, right, output)},
        )  # fmt: skip

    return mapped


def _pool(operation: str) -> Mapped:
    def mapped(place: Place, name: str, operator: FileOperator) -> None:
        image, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
        if image.quantization != output.quantization:
            raise Refusal("the output has another scale than the image")
        kernel = (operator.options["FilterHeight"], operator.options["FilterWidth"])
        window = _window(place, operator, _image(image), kernel, _image(output))
        clamp = clamp_of(output, operator.options["FusedActivationFunction"])
        place.draft.node(
            operation, name, operator.name, (image.name,), (output.name,),
            {"kernel": kernel, "window": window, **clamp, "arithmetic": "tflite"},
        )  # fmt: skip

    return mapped


def _concat(place: Place, name: str, operator: FileOperator) -> None:
    output = place.tensor(operator.outputs[0])
    parts = [place.tensor(number) for number in operator.inputs]
    if operator.options.get("FusedActivationFunction", 0):
        raise Refusal("with a fused activation")
    axis = operator.options["Axis"] % len(output.shape)
    if any(part.dtype != output.dtype for part in parts):
        raise Refusal("tensors of different types")
    if output.dtype == "int8" and any(part.quantization != output.quantization for part in parts):
        raise Refusal("tensors of different scales, which TFLite refuses for int8")
    attributes = {"axis": axis, "scheme": "ncnn"}
    place.draft.node("concat", name, operator.name, (part.name for part in parts), (output.name,), attributes)


def _unary(function: str) -> Mapped:
    def mapped(place: Place, name: str, operator: FileOperator) -> None:
        source, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
        attributes: dict[str, Any] = {"function": function, "arithmetic": "tflite"}
        if function == "leaky_relu":
            alpha = float(operator.options["Alpha"])
            attributes |= {"alpha": alpha, "arithmetic": leaky_arithmetic(place.arithmetic, alpha, source, output)}
        place.draft.node("unary", name, operator.name, (source.name,), (output.name,), attributes)

    return mapped


def _softmax(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    attributes = {"beta": float(operator.options["Beta"]), "arithmetic": "tflite", **exactness(place.arithmetic)}
    place.draft.node("softmax", name, operator.name, (source.name,), (output.name,), attributes)


def _quantize(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.tensor(operator.inputs[0]), place.eight(operator.outputs[0])
    if source.dtype == "float32":
        place.draft.node("quantize", name, operator.name, (source.name,), (output.name,), {"rounding": "away"})
        return
    place.eight(operator.inputs[0])
    scheme = "xnnpack" if place.arithmetic == "xnnpack" and source.dtype == output.dtype else "gemmlowp"
    place.draft.node("rescale", name, operator.name, (source.name,), (output.name,), {"scheme": scheme})


def _dequantize(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.eight(operator.inputs[0]), place.tensor(operator.outputs[0])
    if output.dtype != "float32":
        raise Refusal(f"to {output.dtype}")
    place.draft.node("dequantize", name, operator.name, (source.name,), (output.name,))


def _reshape(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.tensor(operator.inputs[0]), place.tensor(operator.outputs[0])
    if source.size != output.size or source.dtype != output.dtype:
        raise Refusal(f"{source.dtype} {list(source.shape)} to {output.dtype} {list(output.shape)}")
    place.draft.node("reshape", name, operator.name, (source.name,), (output.name,))


def _transpose(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.tensor(operator.inputs[0]), place.tensor(operator.outputs[0])
    order = tuple(int(axis) for axis in place.values(operator.inputs[1]).reshape(-1))
    if sorted(order) != list(range(len(source.shape))):
        raise Refusal(f"the order {list(order)} of {len(source.shape)} axes")
    place.draft.node("transpose", name, operator.name, (source.name,), (output.name,), {"order": order})


def _pad(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    widths = place.values(operator.inputs[1])
    if widths.shape != (len(source.shape), 2) or (widths < 0).any():
        raise Refusal(f"padding of shape {list(widths.shape)}")
    assert source.quantization is not None
    fill = source.quantization.zero_point
    if operator.name == "PADV2":
        fill = int(place.values(operator.inputs[2]).reshape(()))
    pairs = tuple((int(before), int(after)) for before, after in widths)
    place.draft.node("pad", name, operator.name, (source.name,), (output.name,), {"widths": pairs, "fill": fill})


def _sliced(place: Place, name: str, told: str, source: Tensor, output: str, steps: Sequence[slice]) -> None:
    place.draft.node("slice", name, told, (source.name,), (output,), {"slices": tuple(steps)})


def _strided_slice(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.tensor(operator.inputs[0]), place.tensor(operator.outputs[0])
    starts, stops, steps = (place.values(number).reshape(-1).tolist() for number in operator.inputs[1:4])
    options = operator.options
    if any(options[mask] for mask in ("EllipsisMask", "NewAxisMask")) or options.get("Offset"):
        raise Refusal("with an ellipsis, a new axis or offsets")
    if not len(starts) == len(stops) == len(steps) <= len(source.shape) or not all(steps):
        raise Refusal("begin, end and strides do not fit")
    found = []
    for axis, size in enumerate(source.shape):
        if axis >= len(starts):
            found.append(slice(0, size, 1))
            continue
        start = None if options["BeginMask"] >> axis & 1 else starts[axis]
        stop = None if options["EndMask"] >> axis & 1 else stops[axis]
        step = steps[axis]
        if options["ShrinkAxisMask"] >> axis & 1:
            start = starts[axis] % size
            stop, step = start + 1, 1
        if step < 0:
            raise Refusal("with a negative stride")
        found.append(slice(*slice(start, stop, step).indices(size)))
    _sliced(place, name, operator.name, source, output.name, found)


def _slice(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.tensor(operator.inputs[0]), place.tensor(operator.outputs[0])
    starts, sizes = (place.values(number).reshape(-1).tolist() for number in operator.inputs[1:3])
    if len(starts) != len(source.shape) or len(sizes) != len(source.shape):
        raise Refusal("begin and size do not fit")
    found = [
        slice(start, whole if size < 0 else start + size, 1)
        for start, size, whole in zip(starts, sizes, source.shape, strict=True)
    ]
    _sliced(place, name, operator.name, source, output.name, found)


def _split(place: Place, name: str, operator: FileOperator) -> None:
    by_size = operator.name == "SPLIT_V"
    source = place.tensor(operator.inputs[0 if by_size else 1])
    axis = int(place.values(operator.inputs[2 if by_size else 0]).reshape(())) % len(source.shape)
    at = 0
    for number, output in enumerate(operator.outputs):
        part = place.tensor(output)
        found = [slice(0, size, 1) for size in source.shape]
        found[axis] = slice(at, at + part.shape[axis], 1)
        at += part.shape[axis]
        _sliced(place, f"{name} {number}", operator.name, source, part.name, found)
    if at != source.shape[axis]:
        raise Refusal(f"parts of {at} elements along axis {axis} of {source.shape[axis]}")


def _mean(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    axes = {int(axis) % len(source.shape) for axis in place.values(operator.inputs[1]).reshape(-1)}
    if len(source.shape) != 4 or axes != {1, 2}:
        raise Refusal(f"over axes {sorted(axes)} of {len(source.shape)} dimensions; the lab has height and width of 4")
    arithmetic = {"arithmetic": "xnnpack" if place.arithmetic == "xnnpack" else "tflite"}
    place.draft.node("mean", name, operator.name, (source.name,), (output.name,), arithmetic)


def _resize(place: Place, name: str, operator: FileOperator) -> None:
    source, output = place.eight(operator.inputs[0]), place.eight(operator.outputs[0])
    _image(source)
    aligned, half = (bool(operator.options[name]) for name in ("AlignCorners", "HalfPixelCenters"))
    ways = {"arithmetic": "tflite", "align_corners": aligned, "half_pixel": half}
    place.draft.node("resize_nearest", name, operator.name, (source.name,), (output.name,), ways)


MAPPINGS: Mapping[str, Mapped] = {
    "CONV_2D": _conv,
    "TRANSPOSE_CONV": _conv_transpose,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _dense,
    "ADD": _two("add"),
    "MUL": _two("mul"),
    "AVERAGE_POOL_2D": _pool("average_pool"),
    "MAX_POOL_2D": _pool("max_pool"),
    "MEAN": _mean,
    "CONCATENATION": _concat,
    "LOGISTIC": _unary("sigmoid"),
    "TANH": _unary("tanh"),
    "RELU": _unary("relu"),
    "RELU6": _unary("relu6"),
    "RELU_N1_TO_1": _unary("relu_n1_to_1"),
    "LEAKY_RELU": _unary("leaky_relu"),
    "HARD_SWISH": _unary("hard_swish"),
    "SOFTMAX": _softmax,
    "QUANTIZE": _quantize,
    "DEQUANTIZE": _dequantize,
    "RESHAPE": _reshape,
    "SQUEEZE": _reshape,
    "EXPAND_DIMS": _reshape,
    "TRANSPOSE": _transpose,
    "PAD": _pad,
    "PADV2": _pad,
    "STRIDED_SLICE": _strided_slice,
    "SLICE": _slice,
    "SPLIT": _split,
    "SPLIT_V": _split,
    "RESIZE_NEAREST_NEIGHBOR": _resize,
}
