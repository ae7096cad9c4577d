"""Turn operators of ONNX on floats, and those that move data, into those of the graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.formats.onnx_operators import Mapped
from neonlab.network.formats.onnx_place import (
    ONE_AXIS,
    Place,
    broadcast,
    counting,
    image_size,
    in_order_of_sums,
    joined,
    kernel_of,
    lab_axis,
    lab_shape,
    onnx_shape,
    product_of,
    softmax_axes,
    window_of,
)
from neonlab.network.graph import Tensor

_AT = "coordinate_transformation_mode"
#: What a Resize has that says nothing else.
_RESIZES = {"mode": "nearest", _AT: "half_pixel", "nearest_mode": "round_prefer_floor"}


def _float(place: Place, name: str) -> Tensor:
    """Return a tensor of floats.  Raises Refusal for others."""
    tensor = place.tensor(name)
    if tensor.dtype != "float32":
        raise Refusal(f"`{tensor.name}` is {tensor.dtype}; the lab has this operator for float32")
    return tensor


def _unary(function: str, place: Place, node: FileNode) -> None:
    source = _float(place, node.inputs[0])
    given = {name: float(value) for name, value in node.attributes.items() if name in ("alpha", "beta")}
    defaults = {"leaky_relu": {"alpha": 0.01}, "hard_sigmoid": {"alpha": 0.2, "beta": 0.5}}.get(function, {})
    output = place.output(node, source.shape, "float32")
    more: dict[str, Any] = {**defaults, **given, "arithmetic": "onnxruntime"}
    place.add("float", node, (source.name,), (output.name,), function=function, **more)


def _clip(place: Place, node: FileNode) -> None:
    source = _float(place, node.inputs[0])
    bounds = [node.attributes.get("min", -math.inf), node.attributes.get("max", math.inf)]
    for number in (1, 2):
        held = place.constant(node, number)
        if held is not None:
            bounds[number - 1] = float(held.reshape(()))
    output = place.output(node, source.shape, "float32")
    place.add("float", node, (source.name,), (output.name,), function="clip", low=bounds[0], high=bounds[1])


def _two(function: str, place: Place, node: FileNode) -> None:
    left, right = (_float(place, name) for name in node.inputs[:2])
    if function == "add":
        # A sum of floats is the same either way; one of quantized ones, which it may become, is not.
        left, right = in_order_of_sums(left, right)
    left, right = place.aligned(node, left, right)
    output = place.output(node, broadcast(left, right), "float32")
    place.add("float", node, (left.name, right.name), (output.name,), function=function)


def _conv(place: Place, node: FileNode) -> None:
    image, weights = _float(place, node.inputs[0]), _float(place, node.inputs[1])
    size = image_size(image)
    groups = int(node.attributes.get("group", 1))
    if (
        len(weights.shape) != 4
        or groups < 1
        or image.shape[3] != weights.shape[3] * groups
        or weights.shape[0] % groups
    ):
        raise Refusal(f"weights of {list(weights.shape)} in {groups} groups do not fit {image.shape[3]} channels")
    window, out = window_of(node, size, (weights.shape[1], weights.shape[2]))
    names = [image.name, weights.name]
    if len(node.inputs) > 2 and node.inputs[2]:
        names.append(_float(place, node.inputs[2]).name)
    output = place.output(node, (image.shape[0], *out, weights.shape[0]), "float32")
    place.add("float", node, names, (output.name,), function="conv", window=window, groups=groups)


def _conv_transpose(place: Place, node: FileNode) -> None:
    image, weights = _float(place, node.inputs[0]), _float(place, node.inputs[1])
    size = image_size(image)
    groups = int(node.attributes.get("group", 1))
    if len(weights.shape) != 4 or groups < 1 or weights.shape[0] != image.shape[3] or image.shape[3] % groups:
        raise Refusal(f"weights of {list(weights.shape)} in {groups} groups do not fit {image.shape[3]} channels")
    kernel = weights.shape[1], weights.shape[2]
    if "output_shape" in node.attributes or node.attributes.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise Refusal("with padding that follows from the shape of the output")
    # A window over the output, of which each position is a pixel of the input.
    window, _ = window_of(node, (1 << 16, 1 << 16), kernel)
    more = [int(one) for one in node.attributes.get("output_padding", (0, 0))]
    out = [
        (length - 1) * step + (taps - 1) * apart + 1 + beyond - sum(padding)
        for length, step, taps, apart, beyond, padding in zip(
            size, window.stride, kernel, window.dilation, more, window.padding, strict=True
        )
    ]
    if min(out) < 1 or min(more) < 0:
        raise Refusal(f"an output of {out[0]}x{out[1]}")
    names = [image.name, weights.name]
    if len(node.inputs) > 2 and node.inputs[2]:
        names.append(_float(place, node.inputs[2]).name)
    output = place.output(node, (image.shape[0], *out, weights.shape[3] * groups), "float32")
    place.add("float", node, names, (output.name,), function="conv_transpose", window=window, groups=groups,
              size=(out[0], out[1]))  # fmt: skip


def _gemm(place: Place, node: FileNode) -> None:
    rows, weights = _float(place, node.inputs[0]), _float(place, node.inputs[1])
    attributes = node.attributes
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0 or attributes.get("transA", 0):
        raise Refusal("with alpha, beta or a transposed left side")
    turned = bool(attributes.get("transB", 0))
    if len(rows.shape) != 2 or len(weights.shape) != 2 or rows.shape[1] != weights.shape[1 if turned else 0]:
        raise Refusal(f"weights of {list(weights.shape)} do not fit {list(rows.shape)}")
    names = [rows.name, weights.name]
    if len(node.inputs) > 2 and node.inputs[2]:
        names.append(_float(place, node.inputs[2]).name)
    output = place.output(node, (rows.shape[0], weights.shape[0 if turned else 1]), "float32")
    place.add("float", node, names, (output.name,), function="gemm", turned=turned)


def _matmul(place: Place, node: FileNode) -> None:
    rows, weights = _float(place, node.inputs[0]), _float(place, node.inputs[1])
    shape, macs = product_of(rows, weights)
    output = place.output(node, lab_shape(shape), "float32")
    if len(weights.shape) == 2 and len(rows.shape) in (2, 3):
        place.add("float", node, (rows.name, weights.name), (output.name,), function="gemm", turned=False)
    else:
        place.add("float", node, (rows.name, weights.name), (output.name,), function="matmul", macs=macs)


def _batch_norm(place: Place, node: FileNode) -> None:
    image = _float(place, node.inputs[0])
    channels = image.shape[-1] if len(image.shape) in (2, 4) else 0
    names = [_float(place, name).name for name in node.inputs[1:5]]
    if any(place.draft.tensors[name].shape != (channels,) for name in names) or len(names) != 4:
        raise Refusal(f"parameters that do not fit {list(image.shape)}")
    output = place.output(node, image.shape, "float32")
    epsilon = float(node.attributes.get("epsilon", 1e-5))
    place.add("float", node, (image.name, *names), (output.name,), function="batch_norm", epsilon=epsilon)


def _global_average(place: Place, node: FileNode) -> None:
    image = _float(place, node.inputs[0])
    image_size(image)
    output = place.output(node, (image.shape[0], 1, 1, image.shape[3]), "float32")
    place.add("float", node, (image.name,), (output.name,), function="global_average")


def _pool(function: str, place: Place, node: FileNode) -> None:
    image, kernel = _float(place, node.inputs[0]), kernel_of(node)
    window, size = window_of(node, image_size(image), kernel, ceil=True)
    output = place.output(node, (image.shape[0], *size, image.shape[3]), "float32")
    place.add(
        "float", node, (image.name,), (output.name,), function=function, kernel=kernel, window=window,
        **counting(node, image_size(image), kernel, window),
    )  # fmt: skip


def _softmax(place: Place, node: FileNode) -> None:
    source = _float(place, node.inputs[0])
    old = place.opsets.get("", ONE_AXIS) < ONE_AXIS
    axes = softmax_axes(int(node.attributes.get("axis", 1 if old else -1)), len(source.shape), old)
    output = place.output(node, source.shape, "float32")
    place.add("float", node, (source.name,), (output.name,), function="softmax", axes=axes)


def _reshaped(place: Place, node: FileNode, source: Tensor, shape: list[int]) -> None:
    """Add a reshape to `shape`, as ONNX has it, of the elements in ONNX's order."""
    if math.prod(shape) != source.size or any(size < 1 for size in shape):
        raise Refusal(f"{source.size} elements to {shape}")
    output = place.output(node, lab_shape(shape), source.dtype, source.quantization)
    place.add("reshape", node, (source.name,), (output.name,), channels_first=4 in (len(source.shape), len(shape)))


def _reshape(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    asked = [int(size) for size in place.wanted(node, 1).reshape(-1)]
    before = onnx_shape(source)
    if not node.attributes.get("allowzero", 0):
        asked = [before[at] if size == 0 and at < len(before) else size for at, size in enumerate(asked)]
    if asked.count(-1) > 1:
        raise Refusal(f"to {asked}")
    if -1 in asked:
        rest = -math.prod(asked)
        if rest < 1 or source.size % rest:
            raise Refusal(f"{source.size} elements to {asked}")
        asked[asked.index(-1)] = source.size // rest
    _reshaped(place, node, source, asked)


def _flatten(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    before, axis = onnx_shape(source), int(node.attributes.get("axis", 1))
    axis = axis + len(before) if axis < 0 else axis
    _reshaped(place, node, source, [math.prod(before[:axis]), math.prod(before[axis:])])


def _axes(place: Place, node: FileNode) -> list[int] | None:
    if "axes" in node.attributes:
        return [int(axis) for axis in node.attributes["axes"]]
    held = place.constant(node, 1)
    return None if held is None else [int(axis) for axis in held.reshape(-1)]


def _squeeze(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    before, axes = onnx_shape(source), _axes(place, node)
    gone = {axis % len(before) for axis in axes} if axes is not None else {a for a, n in enumerate(before) if n == 1}
    if any(before[axis] != 1 for axis in gone):
        raise Refusal(f"axes {sorted(gone)} of {before}")
    _reshaped(place, node, source, [size for axis, size in enumerate(before) if axis not in gone])


def _unsqueeze(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    before, axes = onnx_shape(source), _axes(place, node)
    if axes is None:
        raise Refusal("without axes")
    rank = len(before) + len(axes)
    new = {axis % rank for axis in axes}
    rest = iter(before)
    _reshaped(place, node, source, [1 if axis in new else next(rest, 1) for axis in range(rank)])


def _transpose(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    rank = len(source.shape)
    order = [int(axis) for axis in node.attributes.get("perm", range(rank)[::-1])]
    if sorted(order) != list(range(rank)):
        raise Refusal(f"the order {order} of {rank} axes")
    # Output axis i of ONNX is input axis order[i]; both sides are laid out anew where they have 4.
    found = [0] * rank
    for at, axis in enumerate(order):
        found[lab_axis(at, rank)] = lab_axis(axis, rank)
    output = place.output(node, [source.shape[axis] for axis in found], source.dtype, source.quantization)
    place.add("transpose", node, (source.name,), (output.name,), order=tuple(found))


def _resize(place: Place, node: FileNode) -> None:
    """Add a resize that repeats each pixel a whole number of times."""
    source = place.tensor(node.inputs[0])
    height, width = image_size(source)
    ways = {name: node.attributes.get(name, default) for name, default in _RESIZES.items()}
    scales, sizes = (place.constant(node, number) for number in (2, 3))
    if sizes is None or not sizes.size:
        scale = np.ones(4) if scales is None else scales.reshape(-1)
        sizes = np.floor(np.array(onnx_shape(source)) * scale) if scale.size == 4 else np.zeros(0)
    asked = [int(size) for size in sizes.reshape(-1)]
    repeats = asked[:2] == onnx_shape(source)[:2] and all(
        size > 0 and size % length == 0 for size, length in zip(asked[2:], (height, width), strict=False)
    )
    # Each of these ways takes the pixel that covers the output's.
    covering = (
        ways["nearest_mode"] == "floor" if ways[_AT] == "asymmetric" else ways["nearest_mode"].startswith("round")
    )
    if ways["mode"] != "nearest" or ways[_AT] not in ("asymmetric", "half_pixel") or not covering:
        raise Refusal(f"with {', '.join(f'{name} {value}' for name, value in ways.items())}")
    if len(asked) != 4 or not repeats or node.attributes.get("axes"):
        raise Refusal(f"from {onnx_shape(source)} to {asked}: pixels are not repeated a whole number of times")
    output = place.output(
        node, (source.shape[0], asked[2], asked[3], source.shape[3]), source.dtype, source.quantization
    )
    place.add("resize_nearest", node, (source.name,), (output.name,), arithmetic="repeated")


def _identity(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    output = place.output(node, source.shape, source.dtype, source.quantization)
    place.add("reshape", node, (source.name,), (output.name,))


def _concat(place: Place, node: FileNode) -> None:
    parts = [place.tensor(name) for name in node.inputs]
    axis = lab_axis(int(node.attributes["axis"]), len(parts[0].shape))
    if len({(part.dtype, part.quantization) for part in parts}) > 1:
        raise Refusal("parts of different types or scales")
    output = place.output(node, joined(parts, axis), parts[0].dtype, parts[0].quantization)
    place.add("concat", node, [part.name for part in parts], (output.name,), axis=axis, scheme="onnxruntime")


def _pad(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    held = place.constant(node, 1) if "pads" not in node.attributes else np.array(node.attributes["pads"])
    rank = len(source.shape)
    if node.attributes.get("mode", "constant") != "constant" or held is None or held.size != 2 * rank:
        raise Refusal("other than a constant number of elements on each side")
    fill = place.constant(node, 2)
    value = float(node.attributes.get("value", 0.0)) if fill is None else float(fill.reshape(()))
    widths = [(0, 0)] * rank
    for axis in range(rank):
        widths[lab_axis(axis, rank)] = (int(held.reshape(-1)[axis]), int(held.reshape(-1)[axis + rank]))
    if min(side for pair in widths for side in pair) < 0:
        raise Refusal("with fewer elements than before")
    shape = [size + sum(pair) for size, pair in zip(source.shape, widths, strict=True)]
    output = place.output(node, shape, source.dtype, source.quantization)
    if source.dtype == "float32":
        place.add("float", node, (source.name,), (output.name,), function="pad", widths=tuple(widths), fill=value)
    else:
        place.add("pad", node, (source.name,), (output.name,), widths=tuple(widths), fill=int(value))


def _part(place: Place, node: FileNode, source: Tensor, slices: Mapping[int, slice], number: int = 0) -> None:
    """Add output `number` of a node: the elements of `source` that `slices` takes along some axes of ONNX."""
    rank = len(source.shape)
    found = [slice(0, size, 1) for size in source.shape]
    for axis, one in slices.items():
        at = lab_axis(axis, rank)
        found[at] = slice(*one.indices(source.shape[at]))
    shape = [len(range(one.start, one.stop, one.step)) for one in found]
    if min(shape, default=1) < 1:
        raise Refusal(f"no elements of {list(source.shape)}")
    output = place.output(node, shape, source.dtype, source.quantization, number)
    name = node.name if number == 0 else f"{node.name}/{number}"
    place.draft.node("slice", name, node.told, (source.name,), (output.name,), {"slices": tuple(found)})


def _slice(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    starts, ends = ([int(one) for one in place.wanted(node, number).reshape(-1)] for number in (1, 2))
    axes, steps = (place.constant(node, number) for number in (3, 4))
    along = list(range(len(starts))) if axes is None else [int(one) for one in axes.reshape(-1)]
    by = [1] * len(starts) if steps is None else [int(one) for one in steps.reshape(-1)]
    if min(by, default=1) < 1:
        raise Refusal("backwards")
    if not len(starts) == len(ends) == len(along) == len(by):
        raise Refusal(f"{len(starts)} starts, {len(ends)} ends, {len(along)} axes and {len(by)} steps")
    _part(place, node, source, {axis: slice(*one) for axis, *one in zip(along, starts, ends, by, strict=True)})


def _split(place: Place, node: FileNode) -> None:
    source, axis = place.tensor(node.inputs[0]), int(node.attributes.get("axis", 0))
    whole = source.shape[lab_axis(axis, len(source.shape))]
    held = place.constant(node, 1)
    if held is not None or "split" in node.attributes:
        sizes = [int(one) for one in (node.attributes["split"] if held is None else held.reshape(-1))]
    else:
        most = -(-whole // len(node.outputs))
        sizes = [min(most, whole - most * number) for number in range(len(node.outputs))]
    if sum(sizes) != whole or len(sizes) != len(node.outputs) or min(sizes) < 0:
        raise Refusal(f"{whole} elements along axis {axis} to parts of {sizes}")
    begin = 0
    for number, size in enumerate(sizes):
        if node.outputs[number]:
            _part(place, node, source, {axis: slice(begin, begin + size)}, number)
        begin += size


FLOATS: Mapping[tuple[str, str], Mapped] = {
    **{
        ("", name): partial(_unary, function)
        for name, function in (
            ("Relu", "relu"),
            ("Sigmoid", "sigmoid"),
            ("Tanh", "tanh"),
            ("LeakyRelu", "leaky_relu"),
            ("HardSigmoid", "hard_sigmoid"),
            ("HardSwish", "hard_swish"),
        )
    },
    **{("", name): partial(_two, name.lower()) for name in ("Add", "Sub", "Mul", "Div")},
    ("", "Clip"): _clip,
    ("", "Conv"): _conv,
    ("", "ConvTranspose"): _conv_transpose,
    ("", "Gemm"): _gemm,
    ("", "MatMul"): _matmul,
    ("", "BatchNormalization"): _batch_norm,
    ("", "GlobalAveragePool"): _global_average,
    ("", "AveragePool"): partial(_pool, "average_pool"),
    ("", "Softmax"): _softmax,
    ("", "Reshape"): _reshape,
    ("", "Flatten"): _flatten,
    ("", "Squeeze"): _squeeze,
    ("", "Unsqueeze"): _unsqueeze,
    ("", "Transpose"): _transpose,
    ("", "Resize"): _resize,
    ("", "Identity"): _identity,
    ("", "Dropout"): _identity,
    ("", "Concat"): _concat,
    ("", "Pad"): _pad,
    ("", "Slice"): _slice,
    ("", "Split"): _split,
}
