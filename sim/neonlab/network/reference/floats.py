"""Compute operators on floats with numpy, in float32; products of matrices are summed in float64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from neonlab.errors import InputError
from neonlab.int8.activation import Real, sigmoid, sigmoid_onnxruntime, tanh_onnxruntime
from neonlab.int8.windows import Window
from neonlab.network.graph import Array, Node
from neonlab.network.layout import images_first, images_last
from neonlab.network.reference.floats_ncnn import OF_NCNN

Computed = Callable[[Node, Sequence[Array]], Array]
_ONE = np.float32(1)


def compute_floats(node: Node, inputs: Sequence[Array]) -> Array:
    """Return what a node of the operator `float` puts out.  Raises InputError for a function that there is not."""
    function = _FUNCTIONS.get(node.attributes["function"])
    if function is None:
        raise InputError(f"node `{node.name}`: no function is called {node.attributes['function']}")
    with np.errstate(all="ignore"):
        return function(node, inputs).astype(np.float32, copy=False)


def _double(function: Callable[[Array], Array]) -> Computed:
    return lambda _node, inputs: function(inputs[0].astype(np.float64))


def _of_framework(function: Real, onnxruntime: Real) -> Computed:
    """Return a function that ONNX Runtime computes by a formula of its own."""

    def computed(node: Node, inputs: Sequence[Array]) -> Array:
        by = onnxruntime if node.attributes.get("arithmetic") == "onnxruntime" else function
        return by(inputs[0].astype(np.float64))

    return computed


def _hard_sigmoid(node: Node, inputs: Sequence[Array]) -> Array:
    alpha, beta = np.float32(node.attributes["alpha"]), np.float32(node.attributes["beta"])
    return np.asarray(np.clip(alpha * inputs[0] + beta, np.float32(0), _ONE))


def _hard_swish(_node: Node, inputs: Sequence[Array]) -> Array:
    gate: Array = np.clip(np.float32(1 / 6) * inputs[0] + np.float32(0.5), np.float32(0), _ONE)
    return np.asarray(inputs[0] * gate)


def _leaky(node: Node, inputs: Sequence[Array]) -> Array:
    return np.asarray(np.where(inputs[0] >= 0, inputs[0], inputs[0] * np.float32(node.attributes["alpha"])))


def _clip(node: Node, inputs: Sequence[Array]) -> Array:
    return np.asarray(np.clip(inputs[0], np.float32(node.attributes["low"]), np.float32(node.attributes["high"])))


def _conv(node: Node, inputs: Sequence[Array]) -> Array:
    total = sums_of_windows(node, inputs[0], inputs[1])
    return total + inputs[2] if len(inputs) > 2 else total


def sums_of_windows(node: Node, image: Array, weights: Array) -> Array:
    """Return the sums in float64 of an image [n, h, w, c] with weights [out, h, w, in of a group], without a bias."""
    outs, height, width, depth = weights.shape
    groups = node.attributes["groups"]
    patches = node.attributes["window"].patches(image.astype(np.float64), (height, width), 0)
    part = outs // groups
    sums = [
        np.tensordot(patches[..., depth * group : depth * (group + 1)], weights[part * group : part * (group + 1)],
                     ((3, 4, 5), (1, 2, 3)))
        for group in range(groups)
    ]  # fmt: skip
    return np.concatenate(sums, axis=-1)


def _conv_transpose(node: Node, inputs: Sequence[Array]) -> Array:
    """Add up what each pixel gives to each tap; weights are [in, height, width, out of a group]."""
    image, weights = inputs[0].astype(np.float64), inputs[1].astype(np.float64)
    window, groups = node.attributes["window"], node.attributes["groups"]
    (sy, sx), (dy, dx), ((top, bottom), (left, right)) = window.stride, window.dilation, window.padding
    (n, height, width, depth), (_, rows, columns, outs) = image.shape, weights.shape
    by_group = image.reshape(n, height, width, groups, depth // groups)
    given = np.einsum("nhwgi,gikld->nhwklgd", by_group, weights.reshape(groups, -1, rows, columns, outs), optimize=True)
    target = node.attributes["size"]
    whole = np.zeros((n, target[0] + top + bottom, target[1] + left + right, groups * outs))
    for row in range(rows):
        for column in range(columns):
            first, last = row * dy, column * dx
            part = given[:, :, :, row, column].reshape(n, height, width, -1)
            whole[:, first : first + sy * (height - 1) + 1 : sy, last : last + sx * (width - 1) + 1 : sx] += part
    found: Array = whole[:, top : top + target[0], left : left + target[1]]
    return found + inputs[2] if len(inputs) > 2 else found


def _gemm(node: Node, inputs: Sequence[Array]) -> Array:
    weights = inputs[1].T if node.attributes["turned"] else inputs[1]
    total = product(inputs[0], weights)
    return total + inputs[2] if len(inputs) > 2 else total


def product(left: Array, right: Array) -> Array:
    """Return a product of matrices in float64."""
    found: Array = left.astype(np.float64) @ right.astype(np.float64)
    return found


def _batch_norm(node: Node, inputs: Sequence[Array]) -> Array:
    image, scale, bias, mean, variance = inputs
    factor = scale / np.sqrt(variance + np.float32(node.attributes["epsilon"]))
    found: Array = image * factor + (bias - mean * factor)
    return found


def _global_average(_node: Node, inputs: Sequence[Array]) -> Array:
    """Return the means of float32 sums, pixel after pixel, as ONNX Runtime forms them."""
    image = inputs[0]
    n, height, width, channels = image.shape
    sums: Array = np.add.accumulate(image.reshape(n, height * width, channels), axis=1, dtype=np.float32)[:, -1]
    return (sums / np.float32(height * width)).reshape(n, 1, 1, channels)


def _average_pool(node: Node, inputs: Sequence[Array]) -> Array:
    image, kernel, window = inputs[0], node.attributes["kernel"], node.attributes["window"]
    sums = window.patches(image.astype(np.float64), kernel, 0).sum(axis=(3, 4))
    size = image.shape[1:3]
    if node.attributes["count_padding"]:
        # Padding counts, but not what a window reaches beyond it with ceil_mode.
        beyond = node.attributes["beyond"]
        size = tuple(length + sum(pair) - more for length, pair, more in zip(size, window.padding, beyond, strict=True))
        window = Window(window.stride, ((0, beyond[0]), (0, beyond[1])), window.dilation)
    return np.asarray(sums / window.pixels(size, kernel)[..., None])


def _max_pool(node: Node, inputs: Sequence[Array]) -> Array:
    image, kernel, window = inputs[0], node.attributes["kernel"], node.attributes["window"]
    padded = np.pad(image, ((0, 0), *window.padding, (0, 0)), constant_values=-np.inf)
    inside = Window(window.stride, ((0, 0), (0, 0)), window.dilation)
    return np.asarray(inside.patches(padded, kernel, 0).max(axis=(3, 4)))


def _softmax(node: Node, inputs: Sequence[Array]) -> Array:
    axes = node.attributes["axes"]
    powers = np.exp((inputs[0] - inputs[0].max(axis=axes, keepdims=True)).astype(np.float64))
    found: Array = powers / powers.sum(axis=axes, keepdims=True)
    return found


_FUNCTIONS: Mapping[str, Computed] = {
    "add": lambda _node, inputs: inputs[0] + inputs[1],
    "sub": lambda _node, inputs: inputs[0] - inputs[1],
    "mul": lambda _node, inputs: inputs[0] * inputs[1],
    "div": lambda _node, inputs: inputs[0] / inputs[1],
    "relu": lambda _node, inputs: np.maximum(inputs[0], 0),
    "clip": _clip,
    "sigmoid": _of_framework(sigmoid, sigmoid_onnxruntime),
    "tanh": _of_framework(np.tanh, tanh_onnxruntime),
    "leaky_relu": _leaky,
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "gemm": _gemm,
    "matmul": lambda _node, inputs: images_last(product(*map(images_first, inputs))),
    "batch_norm": _batch_norm,
    "mish": _double(lambda x: x * np.tanh(np.logaddexp(x, 0))),
    "max": lambda _node, inputs: np.maximum(inputs[0], inputs[1]),
    "min": lambda _node, inputs: np.minimum(inputs[0], inputs[1]),
    "global_average": _global_average,
    "average_pool": _average_pool,
    "max_pool": _max_pool,
    "softmax": _softmax,
    "swish": _double(lambda x: x * sigmoid(x)),
    **OF_NCNN,
    "pad": lambda node, inputs: np.pad(inputs[0], node.attributes["widths"], constant_values=node.attributes["fill"]),
}
