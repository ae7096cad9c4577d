"""Take the weights, biases and scales of each layer from the .bin, as many as its parameters say.

Sources: `load_model` in ncnn src/layer/convolution.cpp, convolutiondepthwise.cpp, innerproduct.cpp, quantize.cpp,
dequantize.cpp, requantize.cpp, batchnorm.cpp, scale.cpp and prelu.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.ncnn.drawn import DrawnWeights
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.formats.ncnn.weights import Weights
from neonlab.network.graph import Array

Source = Weights | DrawnWeights

#: From this number on, parameter 8 says that a layer puts out int8.
_REQUANTIZED = 100


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Hold what the .bin has of one layer: flat arrays, None for those that it does not have.

    `scales` multiply weights, `bottom` what goes in, `top` what comes out, to make int8 of it.  For a layer that only
    quantizes or dequantizes, `bottom` are the scales of its input and `top` those of its output.  Layers of floats have
    `numbers`.
    """

    weights: Array | None = None
    bias: Array | None = None
    scales: Array | None = None
    bottom: Array | None = None
    top: Array | None = None
    numbers: tuple[Array, ...] = ()


def take(layer: Layer, weights: Source) -> Held:
    """Return what the .bin holds of a layer.

    Raises Refusal for numbers that no layer has, and InputError where the file ends.
    """
    taking = _TAKEN.get(layer.kind)
    return Held() if taking is None else taking(layer, weights)


def _weighted(layer: Layer, weights: Source, count: int, bias: int, scales: int) -> Held:
    """Take weights, bias and scales; `count`, `bias` are numbers of parameters, `scales` the number of scales."""
    name, outs = layer.name, layer.whole(0)
    if layer.whole(19):
        raise Refusal("with weights that another layer computes")
    total, term = layer.whole(count), layer.whole(8)
    held = weights.weights(name, total, outs, term > 0)
    of_bias = weights.floats(name, outs) if layer.whole(bias) else None
    if not term:
        return Held(held, of_bias)
    of_weights, bottom = weights.of_weights(name, scales, total // max(outs, 1)), weights.of_tensor(name)
    top = weights.of_tensor(name) if term > _REQUANTIZED and layer.kind != "InnerProduct" else None
    return Held(held, of_bias, of_weights, bottom, top)


def _convolution(layer: Layer, weights: Source) -> Held:
    return _weighted(layer, weights, 6, 5, layer.whole(0))


def _depthwise(layer: Layer, weights: Source) -> Held:
    term = layer.whole(8)
    if term not in (0, 1, 2, 101, 102):
        raise Refusal(f"scales of the kind {term}")
    return _weighted(layer, weights, 6, 5, layer.whole(7, 1) if term in (1, 101) else 1)


def _inner_product(layer: Layer, weights: Source) -> Held:
    return _weighted(layer, weights, 2, 1, layer.whole(0))


def _quantize(layer: Layer, weights: Source) -> Held:
    return Held(top=weights.floats(layer.name, layer.whole(0, 1)))


def _dequantize(layer: Layer, weights: Source) -> Held:
    scales, biases = weights.floats(layer.name, layer.whole(0, 1)), layer.whole(1)
    return Held(bottom=scales, bias=weights.floats(layer.name, biases) if biases else None)


def _requantize(layer: Layer, weights: Source) -> Held:
    name, biases = layer.name, layer.whole(2)
    bottom, top = weights.floats(name, layer.whole(0, 1)), weights.floats(name, layer.whole(1, 1))
    return Held(bottom=bottom, top=top, bias=weights.floats(name, biases) if biases else None)


def _batch_norm(layer: Layer, weights: Source) -> Held:
    return Held(numbers=tuple(weights.floats(layer.name, layer.whole(0)) for _ in range(4)))


def _scale(layer: Layer, weights: Source) -> Held:
    if layer.whole(0) == -233:
        raise Refusal("with a scale that another layer computes")
    count = 2 if layer.whole(1) else 1
    return Held(numbers=tuple(weights.floats(layer.name, layer.whole(0)) for _ in range(count)))


def _prelu(layer: Layer, weights: Source) -> Held:
    return Held(numbers=(weights.floats(layer.name, layer.whole(0)),))


_TAKEN: Mapping[str, Callable[[Layer, Source], Held]] = {
    "Convolution": _convolution,
    "ConvolutionDepthWise": _depthwise,
    "InnerProduct": _inner_product,
    "Quantize": _quantize,
    "Dequantize": _dequantize,
    "Requantize": _requantize,
    "BatchNorm": _batch_norm,
    "Scale": _scale,
    "PReLU": _prelu,
}
