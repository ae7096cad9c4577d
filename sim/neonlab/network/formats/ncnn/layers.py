"""Turn ncnn's layers into nodes: those without weights here, by their type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from neonlab.int8.arrays import OperandError
from neonlab.int8.windows import Pair, Window
from neonlab.network.formats.draft import Lacking, Refusal
from neonlab.network.formats.ncnn.activations import ACTIVATIONS, of_layer
from neonlab.network.formats.ncnn.held import Held
from neonlab.network.formats.ncnn.per_channel import batch_norm, prelu, scale
from neonlab.network.formats.ncnn.place import Place
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.formats.ncnn.weighted import convolution, dequantize, inner_product, quantize, same_window
from neonlab.network.graph import Tensor

Mapped = Callable[[Place, Layer, Held], None]
_MAX, _AVERAGE = 0, 1
_FULL, _VALID, _SAME_UPPER, _SAME_LOWER = range(4)


def _alias(place: Place, layer: Layer, _held: Held) -> None:
    place.alias(layer, place.tensor(layer))


def _dropout(place: Place, layer: Layer, _held: Held) -> None:
    if layer.real(0, 1.0) != 1.0:
        raise Refusal("with a scale")
    place.alias(layer, place.tensor(layer))


def _activation(place: Place, layer: Layer, _held: Held) -> None:
    source, attributes = place.floats(layer), of_layer(layer)
    place.add("float", layer, "", (source.name,), place.output(layer, source.shape), **attributes)


def _pooling(place: Place, layer: Layer, _held: Held) -> None:
    image, kind = place.image(layer), layer.whole(0)
    size, channels = (image.shape[1], image.shape[2]), image.shape[3]
    if kind not in (_MAX, _AVERAGE):
        raise Refusal(f"pooling of the kind {kind}")
    if layer.whole(4):
        _pool(place, layer, image, (channels,), size, Window(), (size[0] * size[1],))
        return
    if layer.whole(7):
        wanted = (layer.whole(18, layer.whole(8)), layer.whole(8))
        if wanted == (1, 1):
            _pool(place, layer, image, (1, 1, 1, channels), size, Window(), size)
        elif all(want in (-233, side) for want, side in zip(wanted, size, strict=True)):
            place.alias(layer, image)
        else:
            raise Lacking(f"adaptive pooling to {wanted[0]}x{wanted[1]}")
        return
    kernel = (layer.whole(11, layer.whole(1)), layer.whole(1))
    if min(kernel) < 1:
        raise Refusal(f"a kernel of {kernel[0]}x{kernel[1]}")
    try:
        window, mode = _pool_window(layer, size, kernel), layer.whole(5)
        out, least = window.output_size(size, kernel), int(window.pixels(size, kernel).min())
    except (OperandError, ZeroDivisionError) as error:
        raise Refusal(str(error)) from None
    if not least:
        raise Refusal("a window without a pixel of the image")
    # ncnn counts the pixels that SAME padding adds.
    counted = bool(layer.whole(6)) or mode in (_SAME_UPPER, _SAME_LOWER)
    area = (kernel[0] * kernel[1],) if counted else ()
    _pool(place, layer, image, (1, *out, channels), kernel, window, area)


def _pool(
    place: Place, layer: Layer, image: Tensor, shape: Sequence[int], kernel: Pair, window: Window, area: Sequence[int]
) -> None:
    """Add a pool; `area` are the numbers that a sum is divided by one after another, () for the pixels of the image."""
    output, maximum = place.output(layer, shape), layer.whole(0) == _MAX
    function = "max_pool" if maximum else "average_pool_ncnn"
    more = {} if maximum else {"area": tuple(area)}
    place.add("float", layer, "", (image.name,), output, function=function, kernel=kernel, window=window, **more)


def _pool_window(layer: Layer, size: Pair, kernel: Pair) -> Window:
    """Return the window of a pool, source: ncnn src/layer/pooling.cpp, `make_padding`."""
    stride, mode = (layer.whole(12, layer.whole(2, 1)), layer.whole(2, 1)), layer.whole(5)
    left = layer.whole(3)
    top, right = layer.whole(13, left), layer.whole(14, left)
    bottom = layer.whole(15, top)
    if mode in (_SAME_UPPER, _SAME_LOWER):
        if any((left, right, top, bottom)):
            raise Refusal("padding of its own and SAME padding")
        return same_window(size, kernel, stride, (1, 1), mode == _SAME_LOWER)
    if mode not in (_FULL, _VALID):
        raise Refusal(f"padding of the kind {mode}")
    if mode == _FULL:
        # The last window may reach beyond the image and its padding.
        bottom += -(size[0] + top + bottom - kernel[0]) % stride[0]
        right += -(size[1] + left + right - kernel[1]) % stride[1]
    return Window(stride, ((top, bottom), (left, right)))


def _shapes(parts: Sequence[Tensor]) -> str:
    """Return the shapes that there are, each once."""
    return ", ".join(str(list(shape)) for shape in dict.fromkeys(part.shape for part in parts))


def _eltwise(place: Place, layer: Layer, _held: Held) -> None:
    parts = [place.floats(layer, number) for number in range(len(layer.bottoms))]
    kind, factors = layer.whole(0), layer.reals(1)
    function = {0: "mul", 1: "add", 2: "max"}.get(kind)
    if function is None or len(parts) < 2 or {part.shape for part in parts} != {parts[0].shape}:
        raise Refusal(f"kind {kind} of the shapes {_shapes(parts)}")
    if factors and (len(factors) != len(parts) or function != "add"):
        raise Refusal(f"{len(factors)} factors")
    names = [part.name for part in parts]
    for number, factor in enumerate(factors):
        one = place.between(f"{layer.tops[0]}/term {number}", parts[0].shape)
        constant = place.draft.constant(f"{layer.name}/factor {number}", np.full(1, factor, np.float32))
        place.add("float", layer, f"term {number}", (names[number], constant), one, function="mul")
        names[number] = one.name
    total = names[0]
    for number, name in enumerate(names[1:], 1):
        last = number == len(names) - 1
        found = (
            place.output(layer, parts[0].shape)
            if last
            else place.between(f"{layer.tops[0]}/sum {number}", parts[0].shape)
        )
        place.add("float", layer, "" if last else f"sum {number}", (total, name), found, function=function)
        total = found.name


def _binary(place: Place, layer: Layer, _held: Held) -> None:
    left, kind = place.floats(layer), layer.whole(0)
    function = _BINARY.get(kind)
    if function is None:
        raise Lacking(f"an operation of the kind {kind}")
    if layer.whole(1):
        names = [left.name, place.draft.constant(f"{layer.name}/b", np.full(1, layer.real(2), np.float32))]
    else:
        right = place.floats(layer, 1)
        by_channel = [part.shape == (1, 1, 1, left.shape[-1]) and len(left.shape) == 4 for part in (left, right)]
        if left.shape != right.shape and not any(by_channel):
            raise Refusal(f"shapes {list(left.shape)} and {list(right.shape)}")
        names = [left.name, right.name]
        left = right if by_channel[0] else left
    if kind in (_RSUB, _RDIV):
        names.reverse()
    place.add("float", layer, "", names, place.output(layer, left.shape), function=function)


_RSUB, _RDIV = 7, 8
_BINARY = {0: "add", 1: "sub", 2: "mul", 3: "div", 4: "max", 5: "min", _RSUB: "sub", _RDIV: "div"}


def _axis(tensor: Tensor, axis: int) -> int:
    """Return where an axis of ncnn, [c, h, w], is in the lab's tensor.  Raises Refusal."""
    rank = 3 if len(tensor.shape) == 4 else len(tensor.shape)
    if not -rank <= axis < rank:
        raise Refusal(f"axis {axis} of {rank}")
    return (3, 1, 2)[axis % rank] if rank == 3 else axis % rank


def _concat(place: Place, layer: Layer, _held: Held) -> None:
    parts = [place.floats(layer, number) for number in range(len(layer.bottoms))]
    if not parts:
        raise Refusal("takes no blobs")
    axis = _axis(parts[0], layer.whole(0))
    rests = {part.shape[:axis] + part.shape[axis + 1 :] for part in parts}
    if len(rests) > 1 or len({len(part.shape) for part in parts}) > 1:
        raise Refusal(f"shapes {_shapes(parts)} along axis {axis}")
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    place.add("concat", layer, "", [part.name for part in parts], place.output(layer, shape), axis=axis, scheme="ncnn")


def _softmax(place: Place, layer: Layer, _held: Held) -> None:
    source = place.floats(layer)
    if _axis(source, layer.whole(0)) != len(source.shape) - 1:
        raise Lacking(f"along axis {layer.whole(0)} of {list(source.shape)}")
    place.add("float", layer, "", (source.name,), place.output(layer, source.shape), function="softmax", axes=(-1,))


def _flatten(place: Place, layer: Layer, _held: Held) -> None:
    source = place.floats(layer)
    place.add("reshape", layer, "", (source.name,), place.output(layer, (source.size,)), channels_first=True)


def _reshape(place: Place, layer: Layer, _held: Held) -> None:
    source = place.floats(layer)
    sizes = [layer.whole(number, -233) for number in (2, 1, 0)]
    sizes = sizes[next((at for at, size in enumerate(sizes) if size != -233), 3) :]
    own = (source.shape[3], *source.shape[1:3]) if len(source.shape) == 4 else source.shape
    if not sizes or -233 in sizes or layer.whole(11, -233) != -233 or 6 in layer.parameters:
        raise Refusal("to sizes that are not 1 to 3 numbers")
    # 0 keeps the size at the same place, counted from the last.
    back = len(own) - len(sizes)
    if any(size == 0 and not 0 <= back + at < len(own) for at, size in enumerate(sizes)):
        raise Refusal(f"to {sizes} of {list(own)}")
    found = [own[back + at] if size == 0 else size for at, size in enumerate(sizes)]
    if found.count(-1) == 1:
        known = -int(np.prod(found))
        found[found.index(-1)] = source.size // known if known > 0 else 0
    if int(np.prod(found)) != source.size or min(found) < 1:
        raise Refusal(f"{list(own)} to {sizes}")
    shape = (1, found[1], found[2], found[0]) if len(found) == 3 else tuple(found)
    place.add("reshape", layer, "", (source.name,), place.output(layer, shape), channels_first=True)


def _padding(place: Place, layer: Layer, _held: Held) -> None:
    image = place.image(layer)
    top, bottom, left, right = (layer.whole(number) for number in range(4))
    if layer.whole(4) or layer.whole(6) or layer.whole(7) or layer.whole(8):
        raise Refusal("other than with one number, around images")
    if not 0 <= min(top, bottom, left, right) <= max(top, bottom, left, right) < 1 << 10:
        raise Refusal(f"by {[top, bottom, left, right]}")
    widths = ((0, 0), (top, bottom), (left, right), (0, 0))
    shape = [size + sum(pair) for size, pair in zip(image.shape, widths, strict=True)]
    fill = float(np.float32(layer.real(5)))
    place.add(
        "float", layer, "", (image.name,), place.output(layer, shape), function="pad", widths=widths, fill=fill
    )  # fmt: skip


def _lrn(place: Place, layer: Layer, _held: Held) -> None:
    image, size = place.image(layer), layer.whole(1, 5)
    if layer.whole(0) or size < 1:
        raise Refusal("within channels, or over none")
    numbers = {name: float(np.float32(layer.real(*ends))) for name, ends in _LRN.items()}
    output = place.output(layer, image.shape)
    place.add("float", layer, "", (image.name,), output, function="lrn_ncnn", size=size, **numbers)


_LRN = {"alpha": (2, 1.0), "beta": (3, 0.75), "bias": (4, 1.0)}
#: Layers, but for Input.
MAPPINGS: Mapping[str, Mapped] = {
    "Convolution": convolution,
    "ConvolutionDepthWise": convolution,
    "InnerProduct": inner_product,
    "Quantize": quantize,
    "Dequantize": dequantize,
    "Requantize": dequantize,
    "BatchNorm": batch_norm,
    "Scale": scale,
    "PReLU": prelu,
    "LRN": _lrn,
    "Split": _alias,
    "Noop": _alias,
    "Dropout": _dropout,
    "Pooling": _pooling,
    "Eltwise": _eltwise,
    "BinaryOp": _binary,
    "Concat": _concat,
    "Softmax": _softmax,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Padding": _padding,
    **dict.fromkeys(ACTIVATIONS, _activation),
}
