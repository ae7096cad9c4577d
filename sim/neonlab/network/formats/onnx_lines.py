"""Read operators of ONNX that go along one axis, [n, c, length], as those of images of height 1.

A tensor that such an operator takes or puts out is held as an image too, and what follows element by element goes on
with that.  Of the two, the one that nothing takes is left out at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.formats.onnx_place import Place, lab_shape, onnx_shape
from neonlab.network.graph import Quantization, Tensor
from neonlab.network.layout import images_last

_OWN = "com.microsoft"
#: Operators with a window, or on channels, and the numbers of their inputs that have the axis.
_ALONG: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("", "Conv"): (0, 1),
    ("", "ConvTranspose"): (0, 1),
    ("", "ConvInteger"): (0, 1),
    ("", "QLinearConv"): (0, 3),
    ("", "MaxPool"): (0,),
    ("", "AveragePool"): (0,),
    ("", "GlobalAveragePool"): (0,),
    ("", "BatchNormalization"): (0,),
    (_OWN, "QLinearAveragePool"): (0,),
    (_OWN, "QLinearGlobalAveragePool"): (0,),
}
#: Operators that go element by element, on one tensor and on two.
_ONE = ("QuantizeLinear", "DequantizeLinear", "Relu", "Clip", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid",
        "HardSwish", "Identity", "QLinearSigmoid", "QLinearLeakyRelu")  # fmt: skip
_TWO: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div"), (0, 1)),
    **dict.fromkeys(("QLinearAdd", "QLinearMul"), (0, 3)),
}
#: Where the axes of [n, c, length] are in ONNX's images, and in the lab's.
_AXES, _LAB_AXES = (0, 1, 3), (0, 3, 2)


def as_image(place: Place, node: FileNode) -> FileNode | None:
    """Return a node on [n, c, length] as one on images, whose outputs have other names; None for another node."""
    numbers = _numbers(place, node)
    if not numbers:
        return None
    inputs = list(node.inputs)
    for number in numbers:
        inputs[number] = _image(place, node.inputs[number])
    outputs = tuple(name and place.free(f"{name}/image") for name in node.outputs)
    return replace(node, inputs=tuple(inputs), outputs=outputs, attributes=_attributes(node))


def put_back(place: Place, node: FileNode, image: FileNode) -> None:
    """Add the outputs of a node, [n, c, length], from those of the same node on images."""
    for name, other in zip(node.outputs, image.outputs, strict=True):
        held = place.draft.tensors[other]
        outer, channels, _, length = onnx_shape(held)
        place.draft.add(name, (outer, channels, length), held.dtype, held.quantization)
        place.draft.node("reshape", f"{name} as a line", "Transpose", (other,), (name,), {"channels_first": True})
        place.images[name] = other


def _numbers(place: Place, node: FileNode) -> tuple[int, ...]:
    """Return the numbers of the inputs that become images; none for a node that stays as it is."""
    key = node.domain, node.operator
    if key in _ALONG:
        numbers = _ALONG[key]
        given = [node.inputs[number] for number in numbers if number < len(node.inputs)]
        return numbers if len(given) == len(numbers) and all(_rank(place, name) == 3 for name in given) else ()
    if node.operator in _ONE:
        return (0,) if node.inputs[:1] and node.inputs[0] in place.images else ()
    if node.operator in _TWO and len(node.inputs) > _TWO[node.operator][1]:
        return _lines(place, node, _TWO[node.operator])
    if node.operator == "Concat":
        return _all_lines(place, node, range(len(node.inputs)))
    if node.operator == "QLinearConcat":
        return _all_lines(place, node, range(2, len(node.inputs), 3))
    return ()


def _lines(place: Place, node: FileNode, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return those of `numbers` that are no single number; none if one has another rank, or none is an image."""
    found = tuple(number for number in numbers if _size(place, node.inputs[number]) != 1)
    return _all_lines(place, node, found)


def _all_lines(place: Place, node: FileNode, numbers: Iterable[int]) -> tuple[int, ...]:
    names = {number: node.inputs[number] for number in numbers}
    lines = all(_rank(place, name) == 3 for name in names.values())
    return tuple(names) if lines and any(name in place.images for name in names.values()) else ()


def _rank(place: Place, name: str) -> int:
    return len(_shape(place, name) or ())


def _size(place: Place, name: str) -> int:
    shape = _shape(place, name)
    return 0 if shape is None else math.prod(shape)


def _shape(place: Place, name: str) -> tuple[int, ...] | None:
    """Return the shape of a constant as in the file, or of another tensor as in the lab; None for an unknown name."""
    if name in place.constants:
        return tuple(place.constants[name].shape)
    return place.draft.tensors[name].shape if name in place.draft.tensors else None


def _attributes(node: FileNode) -> dict[str, Any]:
    found = dict(node.attributes)
    for name, first in (("kernel_shape", 1), ("strides", 1), ("dilations", 1), ("output_padding", 0)):
        if len(found.get(name, ())) == 1:
            found[name] = [first, *found[name]]
    if len(found.get("pads", ())) == 2:
        found["pads"] = [0, found["pads"][0], 0, found["pads"][1]]
    if -3 <= found.get("axis", 3) < 3:
        found["axis"] = _AXES[found["axis"] % 3]
    return found


def _image(place: Place, name: str) -> str:
    """Return the name of a tensor of [n, c, length] as an image, which is added where there is none."""
    if name in place.images:
        return place.images[name]
    found = place.free(f"{name}/image")
    if name in place.constants:
        place.constants[found] = place.constants[name][:, :, np.newaxis]
    else:
        tensor = place.tensor(name)
        maker = next((one for one in place.draft.nodes if one.outputs == (name,)), None)
        held = place.draft.tensors[maker.inputs[0]] if maker is not None and maker.operator == "dequantize" else None
        outer, channels, length = tensor.shape
        place.draft.add(found, lab_shape((outer, channels, 1, length)), tensor.dtype, tensor.quantization)
        if held is not None and held.data is not None:
            # Weights stay constants that are dequantized, with a scale for each channel too.
            place.draft.node("dequantize", found, "DequantizeLinear", (_constant(place, held),), (found,))
        else:
            place.draft.node("reshape", found, "Transpose", (name,), (found,), {"channels_first": True})
    place.images[name] = found
    return found


def _constant(place: Place, held: Tensor) -> str:
    quantization = held.quantization
    assert held.data is not None and quantization is not None
    axis = _LAB_AXES[quantization.axis] if len(quantization.scales) > 1 else 0
    moved = Quantization(quantization.scales, quantization.zero_points, axis)
    return place.draft.constant(f"{held.name}/image", images_last(held.data[:, :, np.newaxis]), moved)
