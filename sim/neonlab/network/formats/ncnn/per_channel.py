"""Turn ncnn's layers of floats with numbers for each channel into nodes: batch normalization, scale, PReLU."""

from __future__ import annotations

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.ncnn.held import Held
from neonlab.network.formats.ncnn.place import Place
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.graph import Array, Tensor


def batch_norm(place: Place, layer: Layer, held: Held) -> None:
    """Add x · b + a, of which a and b are made as ncnn makes them when it loads them.  Raises Refusal.

    Source: ncnn src/layer/batchnorm.cpp, `load_model`.
    """
    source = place.floats(layer)
    slope, mean, variance, bias = held.numbers
    with np.errstate(all="ignore"):
        root = np.sqrt(variance + np.float32(layer.real(1)))
        root = np.where(root == 0, np.float32(0.0001), root)
        offset, factor = bias - slope * mean / root, slope / root
    _scaled(place, layer, source, factor, offset)


def scale(place: Place, layer: Layer, held: Held) -> None:
    """Add x · scale, and + bias where there is one.  Raises Refusal."""
    _scaled(place, layer, place.floats(layer), *held.numbers)


def prelu(place: Place, layer: Layer, held: Held) -> None:
    """Add a relu with a slope below 0 for each channel.  Raises Refusal."""
    source = place.floats(layer)
    name = _constant(place, layer, source, "slope", held.numbers[0])
    place.add("float", layer, "", (source.name, name), place.output(layer, source.shape), function="prelu")


def _scaled(place: Place, layer: Layer, source: Tensor, factor: Array, offset: Array | None = None) -> None:
    by = _constant(place, layer, source, "factor", factor)
    if offset is None:
        place.add("float", layer, "", (source.name, by), place.output(layer, source.shape), function="mul")
        return
    of = _constant(place, layer, source, "offset", offset)
    product = place.between(f"{layer.tops[0]}/product", source.shape)
    place.add("float", layer, "product", (source.name, by), product, function="mul")
    place.add("float", layer, "", (product.name, of), place.output(layer, source.shape), function="add")


def _constant(place: Place, layer: Layer, source: Tensor, what: str, values: Array) -> str:
    """Add one number, or one for each channel of `source`: the first of ncnn's dimensions.  Raises Refusal."""
    channels = source.shape[0] if len(source.shape) == 2 else source.shape[-1]
    if values.size not in (1, channels):
        raise Refusal(f"{values.size} numbers for {channels} channels")
    if not np.isfinite(values).all():
        raise Refusal("numbers that are not finite")
    shaped = values.reshape(-1, 1) if len(source.shape) == 2 else values
    return place.draft.constant(f"{layer.name}/{what}", shaped.astype(np.float32))
