"""Turn the operators of ONNX that take parts of a tensor into those of the graph."""

from __future__ import annotations

from collections.abc import Mapping

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.formats.onnx_operators import Mapped
from neonlab.network.formats.onnx_place import Place, lab_axis
from neonlab.network.graph import Tensor


def _part(place: Place, node: FileNode, source: Tensor, slices: Mapping[int, slice], number: int = 0) -> None:
    """Add output `number` of a node: the elements of `source` that `slices` takes along some axes of ONNX."""
    rank = len(source.shape)
    found = [slice(0, size, 1) for size in source.shape]
    for axis, one in slices.items():
        at = lab_axis(axis, rank)
        found[at] = slice(*one.indices(source.shape[at]))
    shape = [len(range(one.start, one.stop, one.step)) for one in found]
    if min(shape, default=1) < 1:
        raise Refusal(f"no elements of {list(source.shape)}")
    output = place.output(node, shape, source.dtype, source.quantization, number)
    name = node.name if number == 0 else f"{node.name}/{number}"
    place.draft.node("slice", name, node.told, (source.name,), (output.name,), {"slices": tuple(found)})


def _slice(place: Place, node: FileNode) -> None:
    source = place.tensor(node.inputs[0])
    starts, ends = ([int(one) for one in place.wanted(node, number).reshape(-1)] for number in (1, 2))
    axes, steps = (place.constant(node, number) for number in (3, 4))
    along = list(range(len(starts))) if axes is None else [int(one) for one in axes.reshape(-1)]
    by = [1] * len(starts) if steps is None else [int(one) for one in steps.reshape(-1)]
    if min(by, default=1) < 1:
        raise Refusal("backwards")
    if not len(starts) == len(ends) == len(along) == len(by):
        raise Refusal(f"{len(starts)} starts, {len(ends)} ends, {len(along)} axes and {len(by)} steps")
    _part(place, node, source, {axis: slice(*one) for axis, *one in zip(along, starts, ends, by, strict=True)})


def _split(place: Place, node: FileNode) -> None:
    source, axis = place.tensor(node.inputs[0]), int(node.attributes.get("axis", 0))
    whole = source.shape[lab_axis(axis, len(source.shape))]
    held = place.constant(node, 1)
    if held is not None or "split" in node.attributes:
        sizes = [int(one) for one in (node.attributes["split"] if held is None else held.reshape(-1))]
    else:
        most = -(-whole // len(node.outputs))
        sizes = [min(most, whole - most * number) for number in range(len(node.outputs))]
    if sum(sizes) != whole or len(sizes) != len(node.outputs) or min(sizes) < 0:
        raise Refusal(f"{whole} elements along axis {axis} to parts of {sizes}")
    begin = 0
    for number, size in enumerate(sizes):
        if node.outputs[number]:
            _part(place, node, source, {axis: slice(begin, begin + size)}, number)
        begin += size


PARTS: Mapping[tuple[str, str], Mapped] = {("", "Slice"): _slice, ("", "Split"): _split}
