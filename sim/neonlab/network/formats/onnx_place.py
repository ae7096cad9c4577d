"""Hold what is known of the values of an ONNX graph while its nodes are turned into those of the lab.

ONNX's images are [n, c, h, w]; the lab's are [n, h, w, c].  Every value with 4 dimensions is taken for an image.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from neonlab.int8.arrays import OperandError, Output
from neonlab.int8.windows import Pair, Window, same_padding
from neonlab.network.formats.draft import Draft, Refusal
from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.graph import Array, Quantization, Tensor
from neonlab.network.layout import images_first, images_last

EIGHT = ("int8", "uint8")
#: The version of ONNX's operators from which a softmax goes along one axis, not along all from there on.
ONE_AXIS = 13


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The draft, the constants of the file as they are there, [n, c, h, w], and the versions of its operators.

    `images` has the names of tensors of [n, c, length] that are there as images of height 1 too, with those of these.
    """

    draft: Draft
    constants: dict[str, Array]
    opsets: Mapping[str, int] = field(default_factory=dict)
    ir_version: int = 0
    images: dict[str, str] = field(default_factory=dict)

    def tensor(self, name: str) -> Tensor:
        """Return a value by its name; a constant becomes a tensor.  Raises Refusal for one that is not known."""
        if name in self.draft.tensors:
            return self.draft.tensors[name]
        if name not in self.constants:
            raise Refusal(f"takes `{name}`, which no node before it computes" if name else "an input is left out")
        data = images_last(self.constants[name])
        if data.dtype.name not in ("int8", "uint8", "int16", "int32", "int64", "float32", "bool"):
            raise Refusal(f"constant `{name}` is {data.dtype}")
        return self.draft.tensors[self.draft.constant(name, data)]

    def constant(self, node: FileNode, number: int) -> Array | None:
        """Return input `number` of a node if it is a constant; None if it is left out.  Raises Refusal for others."""
        if number >= len(node.inputs) or not node.inputs[number]:
            return None
        if node.inputs[number] not in self.constants:
            raise Refusal(f"`{node.inputs[number]}` must be a constant")
        return self.constants[node.inputs[number]]

    def wanted(self, node: FileNode, number: int) -> Array:
        """Return a constant that must be there."""
        found = self.constant(node, number)
        if found is None:
            raise Refusal(f"input {number} is left out")
        return found

    def scaled(self, node: FileNode, first: int, dtype: str | None = None, axis: int = 0) -> Quantization:
        """Return scale and zero point from inputs `first` and `first + 1`.  Raises Refusal for bad ones."""
        scales = self.wanted(node, first).reshape(-1)
        points = self.constant(node, first + 1)
        if points is not None and dtype is not None and points.dtype.name != dtype:
            raise Refusal(f"a zero point of {points.dtype} for {dtype}")
        if scales.dtype != np.float32 or not (np.isfinite(scales) & (scales > 0)).all() or not scales.size:
            raise Refusal("a scale that is no float32 above 0")
        zeros = np.zeros(scales.size, np.int64) if points is None else points.reshape(-1)
        if zeros.size != scales.size:
            zeros = np.broadcast_to(zeros, scales.shape) if zeros.size == 1 else zeros
        if zeros.size != scales.size:
            raise Refusal(f"{scales.size} scales and {zeros.size} zero points")
        return Quantization(tuple(map(float, scales)), tuple(map(int, zeros)), axis if scales.size > 1 else 0)

    def eight(self, node: FileNode, number: int, scale: int) -> Tensor:
        """Return an input of 8 bits, with the scale and zero point that the node gives it.

        Where another node gives it others, it is the same bytes under another name.  Raises Refusal for other types.
        """
        tensor = self.tensor(node.inputs[number])
        found = self.scaled(node, scale, tensor.dtype)
        if tensor.dtype not in EIGHT or len(found.scales) != 1:
            raise Refusal(f"`{tensor.name}` is {tensor.dtype} with {len(found.scales)} scales")
        if tensor.quantization is None:
            tensor = replace(tensor, quantization=found)
            self.draft.tensors[tensor.name] = tensor
        return tensor if tensor.quantization == found else self._named(node, tensor, found)

    def scaled_by(self, node: FileNode, tensor: Tensor, factor: float) -> Tensor:
        """Return a tensor of 8 bits with a scale that is multiplied, in float32."""
        held = tensor.quantization
        if factor == 1 or held is None:
            return tensor
        scale = float(np.float32(factor) * np.float32(held.scale))
        return self._named(node, tensor, Quantization((scale,), held.zero_points))

    def _named(self, node: FileNode, tensor: Tensor, found: Quantization) -> Tensor:
        """Return the same bytes under another name, with another scale or zero point."""
        if tensor.data is not None:
            return self.draft.tensors[self.draft.constant(f"{tensor.name}/scaled", tensor.data, found)]
        name = self.free(f"{tensor.name}/scaled")
        self.draft.node("reshape", f"{node.name}/{name}", node.told, (tensor.name,), (name,))
        return self.draft.add(name, tensor.shape, tensor.dtype, found)

    def free(self, name: str) -> str:
        """Return a name that no tensor has."""
        while name in self.draft.tensors or name in self.constants:
            name += "'"
        return name

    def aligned(self, node: FileNode, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        """Return two operands with as many dimensions each where one is an image, whose axes stand in another order.

        ONNX puts sizes of 1 before those of the operand with fewer.
        """
        rank = max(len(left.shape), len(right.shape))
        first, second = (self._of_rank(node, one, rank) for one in (left, right))
        return first, second

    def _of_rank(self, node: FileNode, tensor: Tensor, rank: int) -> Tensor:
        held = len(tensor.shape)
        if held in (0, rank) or 4 not in (held, rank):
            return tensor
        shape = (1,) * (rank - held) + tuple(onnx_shape(tensor))
        name = f"{tensor.name}/{rank}"
        if tensor.data is not None:
            data = images_last(images_first(tensor.data).reshape(shape))
            return self.draft.tensors[self.draft.constant(name, data, tensor.quantization)]
        name = self.free(name)
        self.draft.node("reshape", f"{node.name}/{name}", node.told, (tensor.name,), (name,), {"channels_first": True})
        return self.draft.add(name, lab_shape(shape), tensor.dtype, tensor.quantization)

    def output(
        self,
        node: FileNode,
        shape: Sequence[int],
        dtype: str,
        quantization: Quantization | None = None,
        number: int = 0,
    ) -> Tensor:
        """Add an output of a node, of the shape [n, h, w, c], and return it."""
        if number >= len(node.outputs) or not node.outputs[number]:
            raise Refusal("an output is left out")
        return self.draft.add(node.outputs[number], shape, dtype, quantization)

    def quantized(self, node: FileNode, shape: Sequence[int], scale: int) -> Tensor:
        """Add the output of 8 bits whose scale and zero point are inputs `scale` and `scale + 1`."""
        found = self.scaled(node, scale)
        points = self.constant(node, scale + 1)
        dtype = "uint8" if points is None else points.dtype.name
        if dtype not in EIGHT:
            raise Refusal(f"an output of {dtype}; the lab quantizes to int8 and uint8")
        if len(found.scales) != 1:
            raise Refusal(f"an output of {dtype} with {len(found.scales)} scales")
        return self.output(node, shape, dtype, found)

    def add(
        self, operator: str, node: FileNode, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any
    ) -> None:
        """Add a node."""
        self.draft.node(operator, node.name, node.told, inputs, outputs, attributes)


def onnx_shape(tensor: Tensor) -> list[int]:
    """Return a tensor's shape as ONNX has it."""
    shape = list(tensor.shape)
    return [shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else shape


def lab_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape of ONNX as the lab has it."""
    return (shape[0], *shape[2:], shape[1]) if len(shape) == 4 else tuple(shape)


def lab_axis(axis: int, rank: int) -> int:
    """Return where an axis of ONNX is in the lab's tensor of that rank.  Raises Refusal for one that is not there."""
    if not -rank <= axis < rank:
        raise Refusal(f"axis {axis} of {rank}")
    axis %= rank
    return (0, 3, 1, 2)[axis] if rank == 4 else axis


def softmax_axes(axis: int, rank: int, old: bool) -> tuple[int, ...]:
    """Return the axes along which a softmax goes, in ONNX's order: one, or as of `old` all from it on.

    Raises Refusal for an axis that is not there.
    """
    first = lab_axis(axis, rank)
    return tuple(lab_axis(one, rank) for one in range(axis % rank, rank)) if old else (first,)


def product_of(left: Tensor, right: Tensor) -> tuple[list[int], int]:
    """Return the shape of a product of matrices, as ONNX has it, and its multiply-accumulates.  Raises Refusal."""
    first, second = onnx_shape(left), onnx_shape(right)
    try:
        if min(len(first), len(second)) < 2 or first[-1] != second[-2]:
            raise ValueError
        shape = [*np.broadcast_shapes(tuple(first[:-2]), tuple(second[:-2])), first[-2], second[-1]]
    except ValueError:
        raise Refusal(f"{second} do not fit {first}") from None
    return shape, math.prod(shape) * first[-1]


def image_size(tensor: Tensor) -> Pair:
    """Return height and width.  Raises Refusal for a tensor that is no image."""
    if len(tensor.shape) != 4:
        raise Refusal(f"`{tensor.name}` has {len(tensor.shape)} dimensions, not 4")
    return tensor.shape[1], tensor.shape[2]


def window_of(node: FileNode, size: Pair, kernel: Pair, *, ceil: bool = False) -> tuple[Window, Pair]:
    """Return a node's window, and the height and width of its output.

    With `ceil_mode` the last window may reach beyond the padding, as if there were more of it; `ceil`, of pools, allows
    that.  Raises Refusal.
    """
    if node.attributes.get("ceil_mode", 0) and not ceil:
        raise Refusal("with ceil_mode")
    try:
        window = _window_within(node, size, kernel, pool=ceil)
        if node.attributes.get("ceil_mode", 0):
            window = _reaching_beyond(window, size, kernel)
        return window, window.output_size(size, kernel)
    except (OperandError, ZeroDivisionError) as error:
        raise Refusal(str(error)) from None


def _window_within(node: FileNode, size: Pair, kernel: Pair, *, pool: bool) -> Window:
    """Return a node's window with no more padding than it has.  Raises Refusal, OperandError and ZeroDivisionError."""
    strides, dilations = (_pair(node, name, (1, 1)) for name in ("strides", "dilations"))
    auto = node.attributes.get("auto_pad", "NOTSET")
    if auto not in ("SAME_UPPER", "SAME_LOWER"):
        pads = [int(pad) for pad in node.attributes.get("pads", (0, 0, 0, 0))] if auto == "NOTSET" else [0] * 4
        if len(pads) != 4:
            raise Refusal(f"padding of {len(pads)} numbers")
        return Window(strides, ((pads[0], pads[2]), (pads[1], pads[3])), dilations)
    if dilations != (1, 1):
        # ONNX Runtime's convolutions refuse it, and its pools pad as if nothing were dilated.
        raise Refusal(f"with auto_pad {auto} and dilations")
    if pool and min(same_padding(size, kernel, strides, dilations)) < 0:
        # ONNX Runtime's pools begin inside of the image then, its convolutions at the first pixel.
        raise Refusal(f"with auto_pad {auto} and strides that leave pixels out")
    window = Window.same(size, kernel, strides, dilations)
    if auto == "SAME_UPPER":
        return window
    return replace(window, padding=tuple(pair[::-1] for pair in window.padding))  # type: ignore[arg-type]


def _reaching_beyond(window: Window, size: Pair, kernel: Pair) -> Window:
    """Return a window with more padding at the end: for one more position, if that begins on the image or before."""
    padding = []
    for length, pads, taps, step, apart in zip(
        size, window.padding, kernel, window.stride, window.dilation, strict=True
    ):
        short = (taps - 1) * apart + 1 - length - sum(pads)
        fit = max(-short // step + 1, 0)
        beyond = fit * step + short
        more = beyond if beyond < step and fit * step < length + pads[0] else 0
        padding.append((pads[0], pads[1] + more))
    return replace(window, padding=(padding[0], padding[1]))


def counting(node: FileNode, size: Pair, kernel: Pair, window: Window) -> dict[str, object]:
    """Return whether an average counts padding, and the rows and columns `beyond` it that `window` has by ceil_mode."""
    own = _window_within(node, size, kernel, pool=True)
    down, right = (more[1] - less[1] for more, less in zip(window.padding, own.padding, strict=True))
    return {"count_padding": bool(node.attributes.get("count_include_pad", 0)), "beyond": (down, right)}


def _pair(node: FileNode, name: str, default: Pair) -> Pair:
    found = node.attributes.get(name, default)
    if len(found) != 2:
        raise Refusal(f"{name} of {len(found)} numbers")
    return int(found[0]), int(found[1])


def kernel_of(node: FileNode) -> Pair:
    """Return the attribute kernel_shape.  Raises Refusal where it is not two numbers of 1 or more."""
    found = _pair(node, "kernel_shape", (0, 0))
    if min(found) < 1:
        raise Refusal(f"a kernel of {found[0]}x{found[1]}")
    return found


def joined(parts: Sequence[Tensor], axis: int) -> list[int]:
    """Return the shape of parts side by side along an axis of the lab.  Raises Refusal for parts that do not fit."""
    shape = list(parts[0].shape)
    for part in parts:
        if len(part.shape) != len(shape) or any(
            one != other for at, (one, other) in enumerate(zip(part.shape, shape, strict=True)) if at != axis
        ):
            raise Refusal(f"parts of {onnx_shape(parts[0])} and {onnx_shape(part)}")
    shape[axis] = sum(part.shape[axis] for part in parts)
    return shape


def whole(tensor: Tensor) -> dict[str, int]:
    """Return the clamp of an output that has none of its own."""
    output = Output.of(tensor.dtype)
    return {"lowest": output.minimum, "highest": output.maximum}


def broadcast(left: Tensor, right: Tensor) -> tuple[int, ...]:
    """Return the shape of two that are `aligned` together.  Raises Refusal."""
    try:
        return np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        raise Refusal(f"shapes {onnx_shape(left)} and {onnx_shape(right)} do not broadcast") from None


def in_order_of_sums(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return the operands of a sum in the order in which ONNX Runtime adds them up: it rounds after each of them.

    The one that stays the same along the last axis comes second.  Source: onnxruntime/core/providers/cpu/math/
    element_wise_ops.h, `Broadcaster`, and onnxruntime/contrib_ops/cpu/quantization/qlinear_binary_op.cc.
    """
    first, second = ([1, *onnx_shape(one)] if not one.shape else onnx_shape(one) for one in (left, right))
    for one, other in zip(first[::-1], second[::-1], strict=False):
        if max(one, other) > 1:
            return (right, left) if one == 1 else (left, right)
    return right, left
