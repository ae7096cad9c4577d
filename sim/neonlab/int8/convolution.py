"""Compute convolutions and fully connected layers, to int32 accumulators; `requantize` takes them to 8 bits.

Images are [n, height, width, channels]; for channel-first data, use `numpy.moveaxis`.  Padding holds the zero point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neonlab.int8.arrays import Int32s, Int64s, Integers, OperandError, exact_matmul, integer, integers, to_int32, wide
from neonlab.int8.matmul import accumulate_subtracting_first, check_zero_point
from neonlab.int8.windows import Pair, Window

_EIGHT = ("int8", "uint8")


def conv2d(
    image: object,
    weights: object,
    image_zero_point: int = 0,
    weight_zero_point: object = 0,
    bias: object = None,
    window: Window | None = None,
    groups: int = 1,
) -> Int32s:
    """Return accumulators int32 [n, oh, ow, out] of image [n, h, w, in] and weights [out, kh, kw, in / groups].

    image, weights: int8 or uint8; weight_zero_point: a number or [out]; bias: int32 [out] or None.  Output channel o
    reads the input channels of group o // (out / groups).  It uses patches (im2col) and exact matrix products. Raises
    OperandError for types or shapes that do not fit, and when an accumulator leaves int32.

    Source: ONNX's ConvInteger; tensorflow/lite/kernels/internal/reference/integer_ops/conv.h.
    """
    x, w, points = _conv_operands(image, weights, image_zero_point, weight_zero_point, groups)
    # The image is centred before it is padded, so that the padding is zero: the same as padding with the zero point.
    patches = (window or Window()).patches(wide(x) - image_zero_point, w.shape[1:3], 0)
    sums = _grouped_products(patches, wide(w) - points, groups)
    return to_int32(sums + _bias(bias, w.shape[0]), "the accumulator")


@dataclass(frozen=True, slots=True)
class ConvolutionTerms:
    """The four terms of a convolution with zero points, without bias: products - weight - image + corner.

    products: int32 [n, oh, ow, out] of the raw numbers.  weight: the weights' zero point times the window's sum, of the
    same shape.  image: the image's zero point times the kernel's sum, [out].  corner: both zero points times the taps,
    [out].
    """

    products: Int32s
    weight: Int32s
    image: Int32s
    corner: Int32s

    def total(self, bias: object = None) -> Int32s:
        """Return the accumulators of `conv2d`.  Raises OperandError as it does."""
        terms = wide(self.products) - wide(self.weight) - wide(self.image) + wide(self.corner)
        return to_int32(terms + _bias(bias, self.image.shape[0]), "the accumulator")


def conv2d_terms(
    image: object,
    weights: object,
    image_zero_point: int = 0,
    weight_zero_point: object = 0,
    window: Window | None = None,
    groups: int = 1,
) -> ConvolutionTerms:
    """Return the terms that TVM lowers qnn.conv2d to; the image is padded with its zero point.

    Operands and errors are as in `conv2d`.  Source: src/relay/qnn/op/convolution.cc.
    """
    x, w, points = _conv_operands(image, weights, image_zero_point, weight_zero_point, groups)
    patches = (window or Window()).patches(wide(x), w.shape[1:3], image_zero_point)
    out, taps = w.shape[0], math.prod(w.shape[1:])
    sums = _grouped_products(patches, np.ones((groups, *w.shape[1:]), np.int64), groups).repeat(out // groups, -1)
    zero = np.broadcast_to(points.reshape(-1), (out,))
    terms = (
        _grouped_products(patches, wide(w), groups),
        sums * zero,
        image_zero_point * wide(w).sum(axis=(1, 2, 3)),
        image_zero_point * zero * taps,
    )
    return ConvolutionTerms(*(to_int32(term, "a term") for term in terms))


def depthwise_conv2d(
    image: object,
    weights: object,
    image_zero_point: int = 0,
    weight_zero_point: object = 0,
    bias: object = None,
    window: Window | None = None,
) -> Int32s:
    """Return accumulators int32 [n, oh, ow, c · m] of image [n, h, w, c] and weights [kh, kw, c · m].

    Each channel has m outputs: output channel o reads input channel o // m.  weight_zero_point: a number or [c · m].
    Types and errors are as in `conv2d`.  Source:
    tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h.
    """
    x, w = integers(image, "the image", *_EIGHT), integers(weights, "the weights", *_EIGHT)
    if w.ndim != 3 or x.ndim != 4 or w.shape[2] % x.shape[3]:
        raise OperandError(f"wanted image [n, h, w, c] and weights [kh, kw, c * m], not {x.shape} and {w.shape}")
    check_zero_point(integer(image_zero_point, "the image's zero point"), x, "the image's zero point")
    kh, kw, out = w.shape
    channels = x.shape[3]
    patches = (window or Window()).patches((wide(x) - image_zero_point).astype(np.int32), (kh, kw), 0)
    centred = (wide(w) - _per_channel(weight_zero_point, out, w, 1)).astype(np.int32)
    sums = np.einsum("nhwijc,ijcm->nhwcm", patches, centred.reshape(kh, kw, channels, out // channels), dtype=np.int64)
    return to_int32(sums.reshape(*sums.shape[:3], out) + _bias(bias, out), "the accumulator")


def transposed_conv2d(
    image: object,
    weights: object,
    size: Pair,
    image_zero_point: int = 0,
    weight_zero_point: object = 0,
    bias: object = None,
    window: Window | None = None,
) -> Int32s:
    """Return accumulators int32 [n, *size, out] of image [n, h, w, in] and weights [out, kh, kw, in].

    Pixel i of the image adds its product with tap f to the result's pixel i * stride + f - padding before, if there is
    one, on both axes: the window slides over the result.  Types and errors are as in `conv2d`; dilations must be 1.
    Source: tensorflow/lite/kernels/internal/reference/integer_ops/transpose_conv.h.
    """
    x, w, points = _conv_operands(image, weights, image_zero_point, weight_zero_point, 1)
    held = window or Window()
    if held.dilation != (1, 1) or min(size) < 1:
        raise OperandError(f"wanted a size of 1 or more and no dilation, not {size} and {held.dilation}")
    n, height, width, depth = x.shape
    out, kh, kw, _ = w.shape
    centred = (wide(x) - image_zero_point).reshape(-1, depth)
    products = exact_matmul(centred, (wide(w) - points).reshape(-1, depth).T).reshape(n, height, width, out, kh, kw)
    (sy, sx), ((top, _), (left, _)) = held.stride, held.padding
    whole = (top + size[0], left + size[1])
    reach = ((height - 1) * sy + kh, (width - 1) * sx + kw)
    sums = np.zeros((n, max(whole[0], reach[0]), max(whole[1], reach[1]), out), np.int64)
    for row, column in np.ndindex(kh, kw):
        sums[:, row : row + (height - 1) * sy + 1 : sy, column : column + (width - 1) * sx + 1 : sx] += products[
            ..., row, column
        ]
    return to_int32(sums[:, top : whole[0], left : whole[1]] + _bias(bias, out), "the accumulator")


def fully_connected(
    rows: object, weights: object, zero_point: int = 0, weight_zero_point: object = 0, bias: object = None
) -> Int32s:
    """Return accumulators int32 [..., out] of rows [..., in] and weights [out, in]; types and errors as in `conv2d`.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h.
    """
    w = integers(weights, "the weights", *_EIGHT)
    if w.ndim != 2:
        raise OperandError(f"the weights have shape {w.shape}; wanted [out, in]")
    return accumulate_subtracting_first(integers(rows, "the rows", *_EIGHT), w.T, zero_point, weight_zero_point, bias)


def _conv_operands(
    image: object, weights: object, image_zero_point: int, weight_zero_point: object, groups: int
) -> tuple[Integers, Integers, Int64s]:
    x, w = integers(image, "the image", *_EIGHT), integers(weights, "the weights", *_EIGHT)
    if w.ndim != 4 or x.ndim != 4:
        raise OperandError(f"wanted image [n, h, w, in] and weights [out, kh, kw, in], not {x.shape} and {w.shape}")
    out, depth = w.shape[0], w.shape[3]
    if groups < 1 or out % groups or x.shape[3] != depth * groups:
        raise OperandError(f"{groups} groups of {depth} do not make {x.shape[3]} input and {out} output channels")
    check_zero_point(integer(image_zero_point, "the image's zero point"), x, "the image's zero point")
    return x, w, _per_channel(weight_zero_point, out, w, 4)


def _grouped_products(patches: Integers, weights: Int64s, groups: int) -> Int64s:
    """Multiply patches [n, oh, ow, kh, kw, in] by weights [out, kh, kw, in / groups]: int64 [n, oh, ow, out]."""
    n, oh, ow, kh, kw, _ = patches.shape
    out, depth = weights.shape[0], weights.shape[3]
    left = patches.reshape(n, oh, ow, kh * kw, groups, depth).transpose(4, 0, 1, 2, 3, 5)
    right = weights.reshape(groups, out // groups, kh * kw * depth)
    sums = exact_matmul(left.reshape(groups, n * oh * ow, kh * kw * depth), right.transpose(0, 2, 1))
    return sums.transpose(1, 0, 2).reshape(n, oh, ow, out)


def _per_channel(zero_point: object, out: int, weights: Integers, dimensions: int) -> Int64s:
    """Return the zero point shaped to broadcast along the output channels: the first axis of four, or the last."""
    points = wide(integers(zero_point, "the weights' zero point"))
    if points.shape not in ((), (out,)):
        raise OperandError(f"the weights' zero point has shape {points.shape}; wanted one number or [{out}]")
    check_zero_point(points, weights, "the weights' zero point")
    return points.reshape(points.shape + (1,) * (dimensions - 1)) if points.ndim else points


def _bias(bias: object, out: int) -> Int64s:
    array = wide(integers(0 if bias is None else bias, "the bias"))
    if array.shape not in ((), (out,)):
        raise OperandError(f"the bias has shape {array.shape}; wanted [{out}]")
    return array
