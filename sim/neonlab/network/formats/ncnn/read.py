"""Read an ncnn model, a .param and its .bin, as a graph, in the arithmetic of ncnn's plain C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from neonlab.network.formats.draft import Draft, Lacking, Refusal
from neonlab.network.formats.ncnn.drawn import DrawnWeights
from neonlab.network.formats.ncnn.held import Held, Source, take
from neonlab.network.formats.ncnn.host import check_known, on_host
from neonlab.network.formats.ncnn.layers import MAPPINGS
from neonlab.network.formats.ncnn.place import Place
from neonlab.network.formats.ncnn.text import Layer, in_order, read_layers
from neonlab.network.formats.ncnn.weights import Weights
from neonlab.network.graph import Graph


def read_ncnn(
    path: str, text: bytes, weights: bytes | int, shapes: Mapping[str, Sequence[int]], of_weights: str = ""
) -> Graph:
    """Return the network of an ncnn model, its images as [1, h, w, c].

    `weights` is what the .bin holds, or a seed to draw them.  `path` and `of_weights` are the names of the two files in
    messages.  `shapes` are those of the inputs, as ncnn has
    them, [c, h, w], where the model leaves sizes to the caller.  Raises InputError for files that are damaged or hold
    no such model, and for layers that the lab does not have, all of them at once.
    """
    layers = read_layers(path, text)
    draft = Draft(path, "ncnn")
    ordered = in_order(path, layers)
    for layer in layers:
        try:
            if layer.kind not in MAPPINGS and layer.kind != "Input":
                check_known(layer)
        except Refusal as error:
            draft.refuse(layer.name, layer.kind, str(error))
    source = DrawnWeights(weights) if isinstance(weights, int) else Weights(of_weights or path, weights)
    # Weights of such a layer may stand before those of others, so that nothing more can be read.
    held = {} if draft.refused else _held(draft, layers, source)
    inputs = [layer for layer in layers if layer.kind == "Input"]
    place, lost = Place(draft), set[str]()
    for layer in inputs if not draft.refused else ():
        for name in layer.tops:
            place.blobs[name] = name
            draft.add(name, _shape(draft, layer, name, shapes, len(inputs) == 1), "float32")
    for layer in ordered if held else ():
        if layer.kind != "Input" and not _map(place, layer, held[id(layer)], lost):
            lost.update(layer.tops)
    taken = {name for layer in layers for name in layer.bottoms}
    outputs = [name for layer in layers for name in layer.tops if name not in taken]
    return draft.finish(
        PurePath(path).stem,
        [name for layer in inputs for name in layer.tops],
        list(dict.fromkeys(place.blobs.get(name, name) for name in outputs)),
    )


def _held(draft: Draft, layers: Sequence[Layer], weights: Source) -> dict[int, Held]:
    """Return what the .bin holds of each layer, by the layer's identity."""
    found: dict[int, Held] = {}
    for layer in layers:
        try:
            found[id(layer)] = take(layer, weights)
        except Refusal as error:
            # Where the weights of the next layer begin is not known.
            draft.refuse(layer.name, layer.kind, str(error))
            return {}
    weights.finish()
    return found


def _shape(draft: Draft, layer: Layer, name: str, shapes: Mapping[str, Sequence[int]], only: bool) -> tuple[int, ...]:
    """Return the shape of an input as the lab has it."""
    try:
        width, height, depth, channels = (layer.whole(number) for number in (0, 1, 11, 2))
    except Refusal as error:
        raise draft.fail(f"input `{name}`: {error}") from None
    if depth:
        raise draft.fail(f"input `{name}` has 4 dimensions; the lab goes up to 3")
    known = tuple(size for size in (channels, height, width) if size)
    given = tuple(shapes[name]) if name in shapes else next(iter(shapes.values()), ()) if only else ()
    if len(given) == 4 and given[0] == 1:
        given = given[1:]
    if not known and 1 <= len(given) <= 3:
        known = tuple(given)
    if not known:
        raise draft.fail(
            f"input `{name}` has sizes that the caller chooses: give an array of 1 to 3 dimensions with --input"
        )
    if given and tuple(given) != known:
        raise draft.fail(f"input `{name}` is {list(known)}, and the array given is {list(given)}")
    return (1, known[1], known[2], known[0]) if len(known) == 3 else known


def _map(place: Place, layer: Layer, held: Held, lost: set[str]) -> bool:
    """Add the nodes of a layer; note why where it cannot be, unless it needs what another such layer would compute."""
    if lost.intersection(layer.bottoms):
        return False
    try:
        if not layer.tops:
            raise Refusal("makes no blob")
        _add(place, layer, held)
    except Refusal as error:
        place.draft.refuse(layer.name, layer.kind, str(error))
        return False
    return True


def _add(place: Place, layer: Layer, held: Held) -> None:
    """Add the nodes of a layer, in the lab's arithmetic, or where that lacks it, in the package's.

    Raises Refusal.
    """
    if layer.kind not in MAPPINGS:
        on_host(place, layer)
        return
    try:
        MAPPINGS[layer.kind](place, layer, held)
    except Lacking:
        on_host(place, layer)
