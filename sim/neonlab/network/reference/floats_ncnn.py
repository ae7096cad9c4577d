"""Compute layers of floats as ncnn's plain C++ does, in the order of its float32 operations.

`int8_clamp` says what an activation leaves of floats that are quantized then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from neonlab.int8.affine import quantize_ncnn
from neonlab.network.graph import Array, Node

_ONE = np.float32(1)
#: ncnn's int8 has no -128.
MOST = 127
#: A float beyond all that are quantized to other than the ends.
_FAR = 1e30


def int8_clamp(attributes: Mapping[str, Any] | None, factor: float) -> tuple[int, int] | None:
    """Return the least and greatest int8 that a function of floats leaves, which are multiplied by `factor` then.

    None where it does more than to clamp.  Rounding never falls, so that to clamp integers gives the same as to clamp
    floats before.
    """
    function = None if attributes is None else attributes["function"]
    if function is None:
        return -MOST, MOST
    if function == "relu":
        return 0, MOST
    if attributes is None or function != "clip":
        return None
    low, high = (int(quantize_ncnn(np.clip(attributes[end], -_FAR, _FAR), factor)) for end in ("low", "high"))
    return min(low, high), high


def _average_pool(node: Node, inputs: Sequence[Array]) -> Array:
    """Return float32 sums, pixel after pixel, divided by the area, source: ncnn src/layer/pooling.cpp."""
    image, kernel, window = inputs[0], node.attributes["kernel"], node.attributes["window"]
    patches = window.patches(image, kernel, 0)
    pixels = patches.reshape(*patches.shape[:3], -1, patches.shape[5])
    sums: Array = np.add.accumulate(pixels, axis=3, dtype=np.float32)[..., -1, :]
    for area in node.attributes["area"] or (window.pixels(image.shape[1:3], kernel)[..., None],):
        sums = sums / np.float32(area)
    return sums


def _hard_sigmoid(node: Node, inputs: Sequence[Array]) -> Array:
    """Compute 0, x · alpha + beta, or 1, source: ncnn src/layer/hardsigmoid.cpp."""
    x, (alpha, beta, lower, upper) = inputs[0], _ends(node)
    return np.where(x < lower, np.float32(0), np.where(x > upper, _ONE, x * alpha + beta))


def _hard_swish(node: Node, inputs: Sequence[Array]) -> Array:
    """Compute 0, x · (x · alpha + beta), or x, source: ncnn src/layer/hardswish.cpp."""
    x, (alpha, beta, lower, upper) = inputs[0], _ends(node)
    return np.where(x < lower, np.float32(0), np.where(x > upper, x, x * (x * alpha + beta)))


def _ends(node: Node) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Return slope, offset, and the numbers where ncnn's hard functions change, in float32."""
    alpha, beta = np.float32(node.attributes["alpha"]), np.float32(node.attributes["beta"])
    lower = -beta / alpha
    return alpha, beta, lower, _ONE / alpha + lower


def _lrn(node: Node, inputs: Sequence[Array]) -> Array:
    """Divide by a power of the squares of the channels around, added up in order, source: ncnn src/layer/lrn.cpp."""
    image, size = inputs[0], node.attributes["size"]
    alpha, beta, bias = (np.float32(node.attributes[name]) for name in ("alpha", "beta", "bias"))
    channels, reach = image.shape[3], min(size // 2, image.shape[3])
    squares = np.pad(image * image, ((0, 0), (0, 0), (0, 0), (reach, reach)))
    around = np.lib.stride_tricks.sliding_window_view(squares, 2 * reach + 1, 3)
    sums: Array = np.add.accumulate(around, axis=4, dtype=np.float32)[..., :channels, -1]
    base = (bias + alpha / np.float32(size) * sums).astype(np.float64)
    return np.asarray(image * np.power(base, -np.float64(beta)).astype(np.float32))


def _prelu(_node: Node, inputs: Sequence[Array]) -> Array:
    """Multiply numbers below 0 by slopes, source: ncnn src/layer/prelu.cpp."""
    return np.where(inputs[0] < 0, inputs[0] * inputs[1], inputs[0])


OF_NCNN: Mapping[str, Callable[[Node, Sequence[Array]], Array]] = {
    "average_pool_ncnn": _average_pool,
    "hard_sigmoid_ncnn": _hard_sigmoid,
    "hard_swish_ncnn": _hard_swish,
    "lrn_ncnn": _lrn,
    "prelu": _prelu,
}
