"""Leave layers of ncnn that the lab has no arithmetic of its own for to the package `ncnn`, one at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from neonlab.errors import InputError
from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.ncnn.place import Place
from neonlab.network.formats.ncnn.text import Layer
from neonlab.network.graph import check_shape
from neonlab.network.reference.frameworks.ncnn import NcnnRefusal, OneLayer

Shapes = Sequence[tuple[int, ...]]


def check_known(layer: Layer) -> None:
    """Raise Refusal for a layer that ncnn does not have, or that has weights: the lab does not know how many."""
    try:
        OneLayer(layer.kind, layer.text, len(layer.bottoms), len(layer.tops), None).promised()
    except NcnnRefusal as error:
        raise Refusal(str(error)) from None


def on_host(place: Place, layer: Layer) -> None:
    """Add a node for each blob that the layer makes, which the package computes.

    Raises Refusal for a layer that the package cannot compute, or that the lab cannot count.
    """
    taken = [place.floats(layer, number) for number in range(len(layer.bottoms))]
    shapes = tuple((one.shape[3], *one.shape[1:3]) if len(one.shape) == 4 else one.shape for one in taken)
    alone = OneLayer(layer.kind, layer.text, len(taken), len(layer.tops), shapes)
    try:
        made = [one.shape or () for one in alone.promised()]
    except NcnnRefusal as error:
        raise Refusal(str(error)) from None
    macs = _macs(layer, shapes, made)
    names = [one.name for one in taken]
    for number, (top, shape) in enumerate(zip(layer.tops, made, strict=True)):
        if not 1 <= len(shape) <= 3:
            raise Refusal(f"makes a blob of {len(shape)} dimensions; the lab goes up to 3")
        held = (1, shape[1], shape[2], shape[0]) if len(shape) == 3 else shape
        try:
            check_shape("", "", held)
        except InputError:
            raise Refusal(f"makes a blob of {list(shape)}") from None
        tensor = place.between(top, held)
        place.blobs[top] = tensor.name
        name = f"{layer.name}/{number}" if number else layer.name
        attributes = {"alone": alone, "output": number, "macs": 0 if number else macs}
        place.draft.node("ncnn", name, layer.kind, names, (tensor.name,), attributes)


def _macs(layer: Layer, shapes: Shapes, made: Shapes) -> int:
    """Return the multiply-accumulates of a layer without weights.  Raises Refusal where they are not known."""
    if layer.kind in _NOT_COUNTED:
        raise Refusal("the lab does not know its multiply-accumulates")
    depth = _DEPTH.get(layer.kind)
    return math.prod(made[0]) * depth(layer, shapes) if depth is not None else 0


def _of_product(_layer: Layer, shapes: Shapes) -> int:
    return shapes[0][-1]


def _of_gemm(layer: Layer, shapes: Shapes) -> int:
    return shapes[0][0 if layer.whole(2) else -1]


#: How many products are added up for each number that a layer makes; none for those that are not listed.
_DEPTH: Mapping[str, Callable[[Layer, Shapes], int]] = {
    "Gemm": _of_gemm,
    "MatMul": _of_product,
}
_NOT_COUNTED = ("Einsum", "InverseSpectrogram", "SDPA", "Spectrogram")
