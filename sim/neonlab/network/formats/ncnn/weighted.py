"""Turn ncnn's convolutions and fully connected layers, and its layers between floats and integers, into nodes.

A layer with scales is several nodes, with the results of ncnn's plain C++: floats to int8 by the layer's own scale, the
sums, and either sums to floats, or sums to int8 by the scale of what comes out.  An activation stands before that.

Source: `forward_int8` in ncnn src/layer/convolution.cpp, convolutiondepthwise.cpp and innerproduct.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.int8.arrays import OperandError
from neonlab.int8.requantize import ncnn_sum_scale
from neonlab.int8.windows import Pair, Window, same_padding
from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.ncnn.activations import fused
from neonlab.network.formats.ncnn.held import Held
from neonlab.network.formats.ncnn.place import (
    Place,
    factor_of,
    quantization_by,
    quantized_weights,
)
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.graph import Array, Quantization, Tensor
from neonlab.network.reference.floats_ncnn import int8_clamp

#: Padding of these numbers is computed from the sizes: the odd pixel after, or before.
_SAME_UPPER, _SAME_LOWER = -233, -234


@dataclass(frozen=True, slots=True, eq=False)
class _Product:
    """Hold what a layer multiplies: operator and attributes, weights as the lab has them, shape of the output."""

    operator: str
    weights: Array
    attributes: Mapping[str, Any]
    shape: Sequence[int]


def convolution(place: Place, layer: Layer, held: Held) -> None:
    """Add the nodes of Convolution and ConvolutionDepthWise.  Raises Refusal."""
    quantized = held.bottom is not None
    image = place.image(layer, ("float32", "int8") if quantized else ("float32",))
    outs, channels = layer.whole(0), image.shape[3]
    kernel = (layer.whole(11, layer.whole(1)), layer.whole(1))
    groups = layer.whole(7, 1) if layer.kind == "ConvolutionDepthWise" else 1
    assert held.weights is not None
    if min(*kernel, groups, outs) < 1 or channels % groups or outs % groups:
        raise Refusal(f"a kernel of {kernel[0]}x{kernel[1]} in {groups} groups, of {channels} channels to {outs}")
    depth = channels // groups
    if held.weights.size != outs * depth * kernel[0] * kernel[1]:
        raise Refusal(
            f"{held.weights.size} weights; {kernel[0]}x{kernel[1]} of {depth} channels to {outs} are "
            f"{outs * depth * kernel[0] * kernel[1]}"
        )
    if layer.real(18):
        raise Refusal(f"padding with {layer.real(18):g}")
    window = _window(layer, image.shape[1:3], kernel)
    shape = (1, *_size(window, image.shape[1:3], kernel), outs)
    weights = held.weights.reshape(outs, depth, *kernel).transpose(0, 2, 3, 1)
    if quantized and depth == 1 and groups == outs and groups > 1:
        _layer(place, layer, held, image, _Product("depthwise", weights, {"window": window}, shape))
    else:
        _layer(place, layer, held, image, _Product("conv", weights, {"window": window, "groups": groups}, shape))


def inner_product(place: Place, layer: Layer, held: Held) -> None:
    """Add the nodes of InnerProduct.  Raises Refusal."""
    source, outs = place.tensor(layer), layer.whole(0)
    assert held.weights is not None
    if source.dtype not in (("float32", "int8") if held.bottom is not None else ("float32",)):
        raise Refusal(f"`{layer.bottoms[0]}` is {source.dtype}")
    depth, rest = divmod(held.weights.size, max(outs, 1))
    by_row = len(source.shape) == 2 and source.shape[1] == depth
    if outs < 1 or rest or (source.size != depth and not by_row):
        raise Refusal(f"{held.weights.size} weights for {source.size} numbers to {outs}")
    weights = held.weights.reshape(outs, depth)
    if len(source.shape) == 4:
        # ncnn flattens [c, h, w]; the lab's image is [h, w, c].
        _, height, width, channels = source.shape
        weights = weights.reshape(outs, channels, height, width).transpose(0, 2, 3, 1).reshape(outs, depth)
    shape = (source.shape[0], outs) if by_row else (outs,)
    if held.bottom is None and not by_row:
        flat = place.between(f"{source.name}/flat", (1, depth))
        place.add("reshape", layer, "flat", (source.name,), flat)
        source = flat
    _layer(place, layer, held, source, _Product("dense", weights, {}, shape))


def _layer(place: Place, layer: Layer, held: Held, source: Tensor, product: _Product) -> None:
    activation = fused(layer.whole(9), layer.reals(10))
    if held.bias is not None and not np.isfinite(held.bias).all():
        raise Refusal("a bias that is not finite")
    if held.bottom is None:
        _on_floats(place, layer, held, source, product, activation)
        return
    assert held.scales is not None
    bottom, outs = factor_of(held.bottom, "the input"), product.shape[-1]
    scales = np.repeat(held.scales, outs // held.scales.size) if held.scales.size else held.scales
    weights, scales = quantized_weights(product.weights, scales)
    axis = 0
    if product.operator == "depthwise":
        weights, axis = np.ascontiguousarray(weights[..., 0].transpose(1, 2, 0)), 2
    of_weights = Quantization(tuple(float(np.float32(1) / scale) for scale in scales), (0,) * outs, axis)
    name = place.draft.constant(f"{layer.name}/weights", weights, of_weights)
    image = place.int8(layer, source, bottom)
    try:
        by_sum = ncnn_sum_scale(bottom, scales)
    except OperandError as error:
        raise Refusal(str(error)) from None
    sums = place.between(f"{layer.tops[0]}/sums", product.shape, "int32", _of_sums(by_sum, len(product.shape)))
    place.add(product.operator, layer, "", (image.name, name, ""), sums, **product.attributes, scheme="sums")
    bias = np.zeros(outs, np.float32) if held.bias is None else held.bias
    top = None if held.top is None else factor_of(held.top, "the output")
    _end(place, layer, sums, bias, top, activation)


def _of_sums(scales: Array, rank: int) -> Quantization:
    return Quantization(tuple(map(float, scales)), (0,) * len(scales), rank - 1)


def _end(
    place: Place, layer: Layer, sums: Tensor, bias: Array, top: float | None, activation: Mapping[str, Any] | None
) -> None:
    """Add what makes floats of sums, or int8 where `top` is given."""
    name = place.draft.constant(f"{layer.name}/bias", bias)
    limits = None if top is None else int8_clamp(activation, top)
    if top is not None and limits is not None:
        output = place.output(layer, sums.shape, "int8", quantization_by(top))
        place.add(
            "requantize", layer, "scaled", (sums.name, name), output, factor=top, lowest=limits[0],
            highest=limits[1],
        )  # fmt: skip
        return
    last = top is None and activation is None
    floats = place.output(layer, sums.shape) if last else place.between(f"{layer.tops[0]}/floats", sums.shape)
    place.add("dequantize", layer, "scaled", (sums.name, name), floats)
    if activation is not None:
        found = place.output(layer, sums.shape) if top is None else place.between(f"{layer.tops[0]}/act", sums.shape)
        place.add("float", layer, "activated", (floats.name,), found, **activation)
        floats = found
    if top is not None:
        output = place.output(layer, sums.shape, "int8", quantization_by(top))
        place.quantize(layer, "quantized", floats, output, top)


def _on_floats(
    place: Place, layer: Layer, held: Held, source: Tensor, product: _Product, activation: Mapping[str, Any] | None
) -> None:
    if product.weights.dtype == np.int8:
        raise Refusal("int8 weights without scales")
    if not np.isfinite(product.weights).all():
        raise Refusal("weights that are not finite")
    names = [place.draft.constant(f"{layer.name}/weights", np.ascontiguousarray(product.weights))]
    if held.bias is not None:
        names.append(place.draft.constant(f"{layer.name}/bias", held.bias))
    found = (
        place.output(layer, product.shape)
        if activation is None
        else place.between(f"{layer.tops[0]}/floats", product.shape)
    )
    dense = product.operator == "dense"
    attributes = {"turned": True} if dense else product.attributes
    place.add(
        "float", layer, "", (source.name, *names), found, function="gemm" if dense else "conv", **attributes
    )  # fmt: skip
    if activation is not None:
        output = place.output(layer, product.shape)
        place.add("float", layer, "activated", (found.name,), output, **activation)


def quantize(place: Place, layer: Layer, held: Held) -> None:
    """Add the node of Quantize.  Raises Refusal."""
    source, factor = place.floats(layer), factor_of(held.top, "the output")
    place.quantize(layer, "", source, place.output(layer, source.shape, "int8", quantization_by(factor)), factor)


def dequantize(place: Place, layer: Layer, held: Held) -> None:
    """Refuse Dequantize and Requantize: ncnn's tools write neither, because its layers hold them."""
    raise Refusal("sums that a layer of its own computes; ncnn's tools write none")


def _window(layer: Layer, size: Sequence[int], kernel: Pair) -> Window:
    stride = (layer.whole(13, layer.whole(3, 1)), layer.whole(3, 1))
    dilation = (layer.whole(12, layer.whole(2, 1)), layer.whole(2, 1))
    left = layer.whole(4)
    top, right = layer.whole(14, left), layer.whole(15, left)
    pads = (left, right, top, layer.whole(16, top))
    try:
        for same in (_SAME_UPPER, _SAME_LOWER):
            if set(pads) == {same}:
                return same_window((size[0], size[1]), kernel, stride, dilation, same == _SAME_LOWER)
        return Window(stride, ((pads[2], pads[3]), (pads[0], pads[1])), dilation)
    except (OperandError, ZeroDivisionError) as error:
        raise Refusal(str(error)) from None


def same_window(size: Pair, kernel: Pair, stride: Pair, dilation: Pair, before: bool) -> Window:
    """Return SAME padding, the odd pixel after, or `before`.  Raises OperandError.

    Where windows leave pixels out along one side and need padding along the other, ncnn pads the first side by less
    than nothing, and so cuts the image off before its first window: that is refused.  Source: ncnn's
    src/layer/convolution.cpp, `make_padding`.
    """
    found = Window.same(size, kernel, stride, dilation)
    rows, columns = same_padding(size, kernel, stride, dilation)
    if max(rows, columns) > 0 and min(rows, columns) < (0 if before else -1):
        raise Refusal(f"SAME padding of {rows} rows and {columns} columns, which cuts the image off")
    if not before:
        return found
    (top, bottom), (left, right) = found.padding
    return Window(stride, ((bottom, top), (right, left)), dilation)


def _size(window: Window, size: Sequence[int], kernel: Pair) -> Pair:
    try:
        return window.output_size((size[0], size[1]), kernel)
    except OperandError as error:
        raise Refusal(str(error)) from None
