"""Hold what is known of the blobs of an ncnn network while its layers are turned into nodes.

ncnn's images are [c, h, w]; the lab's are [1, h, w, c].  Blobs of 1 and 2 dimensions are laid out as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.int8.affine import quantize_ncnn
from neonlab.int8.arrays import LEAST_SCALE
from neonlab.network.formats.draft import Draft, Refusal
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.graph import Array, Quantization, Tensor
from neonlab.network.reference.floats_ncnn import MOST


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The draft; tensors by the names of blobs, several of which may be one tensor; names of nodes.

    `quantized` has the int8 tensor of each tensor of floats and scale.
    """

    draft: Draft
    blobs: dict[str, str] = field(default_factory=dict)
    quantized: dict[tuple[str, float], str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def tensor(self, layer: Layer, number: int = 0) -> Tensor:
        """Return what a layer takes.  Raises Refusal where it takes fewer blobs."""
        if number >= len(layer.bottoms):
            raise Refusal(f"takes {len(layer.bottoms)} blobs")
        return self.draft.tensors[self.blobs[layer.bottoms[number]]]

    def floats(self, layer: Layer, number: int = 0) -> Tensor:
        """Return a blob of floats.  Raises Refusal for another one."""
        tensor = self.tensor(layer, number)
        if tensor.dtype != "float32":
            raise Refusal(f"`{layer.bottoms[number]}` is {tensor.dtype}, and the layer takes floats")
        return tensor

    def image(self, layer: Layer, kinds: Sequence[str] = ("float32",)) -> Tensor:
        """Return a blob of 3 dimensions.  Raises Refusal for another one, and for other types."""
        tensor = self.tensor(layer)
        if len(tensor.shape) != 4 or tensor.dtype not in kinds:
            raise Refusal(f"`{layer.bottoms[0]}` is {tensor.dtype} {list(tensor.shape)}, and no image that it takes")
        return tensor

    def alias(self, layer: Layer, tensor: Tensor) -> None:
        """Let every blob that the layer makes be `tensor`."""
        self.blobs.update(dict.fromkeys(layer.tops, tensor.name))

    def output(
        self, layer: Layer, shape: Sequence[int], dtype: str = "float32", quantization: Quantization | None = None
    ) -> Tensor:
        """Add the one blob that the layer makes, of the shape that the lab has."""
        if len(layer.tops) != 1:
            raise Refusal(f"makes {len(layer.tops)} blobs")
        tensor = self.between(layer.tops[0], shape, dtype, quantization)
        self.blobs[layer.tops[0]] = tensor.name
        return tensor

    def between(
        self, name: str, shape: Sequence[int], dtype: str = "float32", quantization: Quantization | None = None
    ) -> Tensor:
        """Add a tensor, under another name where that one is taken."""
        while name in self.draft.tensors:
            name += "'"
        return self.draft.add(name, shape, dtype, quantization)

    def add(
        self, operator: str, layer: Layer, step: str, inputs: Sequence[str], output: Tensor, **attributes: Any
    ) -> None:
        """Add a node for a layer; `step` is "" or says which part of the layer it is."""
        name = f"{layer.name}/{step}" if step else layer.name
        while name in self.names:
            name += "'"
        self.names.add(name)
        told = f"{layer.kind} {step}" if step else layer.kind
        self.draft.node(operator, name, told, inputs, (output.name,), attributes)

    def int8(self, layer: Layer, tensor: Tensor, factor: float) -> Tensor:
        """Return `tensor`, floats, as int8; one node quantizes all that takes the same blob at the same scale."""
        if tensor.dtype == "int8":
            return tensor
        key = (tensor.name, factor)
        if key not in self.quantized:
            found = self.between(f"{tensor.name}/int8", tensor.shape, "int8", quantization_by(factor))
            self.quantize(layer, "quantized", tensor, found, factor)
            self.quantized[key] = found.name
        return self.draft.tensors[self.quantized[key]]

    def quantize(self, layer: Layer, step: str, source: Tensor, target: Tensor, factor: float) -> None:
        """Add the node that makes `target`, int8, of floats, by a product with `factor`."""
        self.add(
            "quantize", layer, step, (source.name,), target, factor=factor, rounding="away", lowest=-MOST, highest=MOST
        )


def quantization_by(factor: float) -> Quantization:
    """Return the quantization of a tensor that was multiplied by `factor`."""
    return Quantization((float(np.float32(1) / np.float32(factor)),), (0,))


def factor_of(scales: Array | None, what: str) -> float:
    """Return the one scale of a blob.  Raises Refusal for none, for several, and for one that is not above 0."""
    if scales is None or scales.size != 1:
        raise Refusal(f"{0 if scales is None else scales.size} scales of {what}")
    return float(checked(scales, what)[0])


def checked(scales: Array, what: str) -> Array:
    """Return scales.  Raises Refusal for one that is not above 0."""
    if not (np.isfinite(scales) & (scales >= LEAST_SCALE) & (scales <= 1 / LEAST_SCALE)).all():
        raise Refusal(f"a scale of {what} that is not above 0, or beyond 2^60")
    return scales


def quantized_weights(weights: Array, scales: Array) -> tuple[Array, Array]:
    """Return weights [channel, ...] as int8, and the scales.

    Floats are multiplied by the scales and rounded, as ncnn does when it loads them.  A channel of the scale 0, whose
    sums ncnn multiplies by 0, gets weights of 0 and the scale 1: its results are the same.
    """
    none = scales == 0
    scales = np.where(none, np.float32(1), scales).astype(np.float32)
    checked(scales, "the weights")
    if weights.dtype != np.int8:
        if not np.isfinite(weights).all():
            raise Refusal("weights that are not finite")
        weights = quantize_ncnn(weights, scales.reshape(-1, *(1,) * (weights.ndim - 1)))
    return np.where(none.reshape(-1, *(1,) * (weights.ndim - 1)), np.int8(0), weights), scales
