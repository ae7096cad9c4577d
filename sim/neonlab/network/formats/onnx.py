"""Read an .onnx model as a graph, in the arithmetic of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from neonlab.network.formats.draft import Draft, Refusal
from neonlab.network.formats.onnx_file import FileNode, FileValue, read_model
from neonlab.network.formats.onnx_floats import FLOATS
from neonlab.network.formats.onnx_host import fold, on_host, why_never
from neonlab.network.formats.onnx_lines import as_image, put_back
from neonlab.network.formats.onnx_operators import QUANTIZED, Mapped
from neonlab.network.formats.onnx_place import Place, lab_shape
from neonlab.network.graph import Graph

_MAPPINGS = {**FLOATS, **QUANTIZED}
#: Operators on 8 bits that ONNX Runtime computes alike on every machine, because they add and multiply nothing.
_EXACT = (("", "MaxPool"),)


def read_onnx(path: str, data: bytes, shapes: Mapping[str, Sequence[int]]) -> Graph:
    """Return the network of an .onnx model: QOperator, QDQ or floats, its images as [n, h, w, c].

    `shapes` are those of the inputs, as ONNX has them, where the model leaves sizes to the caller; the first size that
    it leaves is 1 otherwise.  Raises InputError for a file that is damaged or holds no such model, and for nodes that
    the lab does not have, all of them at once.
    """
    model = read_model(path, data)
    draft = Draft(path, "onnx")
    place = Place(draft, dict(model.constants), model.opsets, model.ir_version)
    for value in model.inputs:
        shape = _shape(draft, value, shapes)
        draft.add(value.name, lab_shape(shape), value.dtype)
    lost: set[str] = set()
    for node in model.nodes:
        if not _map(place, node, lost):
            lost.update(node.outputs)
    for name in model.outputs:
        if name in place.constants and name not in draft.tensors:
            place.tensor(name)
    return draft.finish(PurePath(path).stem, [value.name for value in model.inputs], model.outputs)


def _shape(draft: Draft, value: FileValue, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    given = tuple(shapes[value.name]) if value.name in shapes else None
    if given is None and len(shapes) == 1 and len(value.shape) == len(next(iter(shapes.values()))):
        given = tuple(next(iter(shapes.values())))
    if given is None:
        given = tuple(1 if size < 0 and at == 0 else size for at, size in enumerate(value.shape))
    if len(given) != len(value.shape) or any(size < 0 for size in given):
        raise draft.fail(
            f"input `{value.name}` has sizes that the caller chooses, {list(value.shape)}: give an array with --input"
        )
    if any(known not in (-1, size) for known, size in zip(value.shape, given, strict=True)):
        raise draft.fail(f"input `{value.name}` is {list(value.shape)}, and the array given is {list(given)}")
    return given


def _map(place: Place, node: FileNode, lost: set[str]) -> bool:
    """Add a node; note why where it cannot be, unless it needs what another such node would compute."""
    key = node.domain, node.operator
    if lost.intersection(node.inputs):
        if key not in _MAPPINGS:
            # Another such node hides the types that this one takes; it is named for what no types change.
            refused = why_never(place, node)
            if refused:
                place.draft.refuse(node.name, node.told, refused)
        return False
    if (key not in QUANTIZED or node.operator == "QuantizeLinear") and fold(place, node):
        return True
    image = as_image(place, node) if key in _MAPPINGS else None
    if image is not None and not _refused(_MAPPINGS[key], place, image):
        put_back(place, node, image)
        return True
    why = _refused(_MAPPINGS[key], place, node) if key in _MAPPINGS else _refused(on_host, place, node)
    if (
        why
        and key in _MAPPINGS
        and (key not in QUANTIZED or key in _EXACT)
        and not place.draft.tensors.keys() & set(node.outputs)
    ):
        # What the lab's own arithmetic does not cover, ONNX Runtime may; if not, the first reason is the clearer one.
        why = why if _refused(on_host, place, node) else ""
    if why:
        place.draft.refuse(node.name, node.told, why)
    return not why


def _refused(mapping: Mapped, place: Place, node: FileNode) -> str:
    """Add a node as `mapping` does; return why it cannot be, or "" if it was."""
    try:
        mapping(place, node)
    except Refusal as error:
        return str(error)
    except (IndexError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        return f"lacks an input or an attribute, or has a bad one ({error})"
    return ""
