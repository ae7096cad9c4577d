"""Leave operators of ONNX that the lab has no arithmetic of its own for to ONNX Runtime, a node at a time, on the host.

A node whose inputs are all known becomes constants at once, and so does the shape of a tensor: what exporters write to
compute shapes is gone before the first inference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.onnx_file import FileNode
from neonlab.network.formats.onnx_place import Place, lab_shape, onnx_shape
from neonlab.network.graph import DTYPES, MOST_ELEMENTS, Array, Quantization
from neonlab.network.reference.frameworks.runtime import TYPES, OneNode, Promised, RuntimeRefusal

#: Operators of ONNX Runtime's own domain without products, and those whose products are counted below.
_OWN = (
    "BiasGelu", "FastGelu", "FusedConv", "FusedMatMul", "Gelu", "QLinearReduceMean", "QLinearWhere", "QuickGelu",
    "SkipLayerNormalization",
)  # fmt: skip
#: Operators that draw numbers.
_RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
#: Operators with products that are not counted, so that a share of the host's MACs would be wrong.  Those with products
#: of 8 bits, which ONNX Runtime saturates on some x86 and not on Arm, are the lab's own in `onnx_operators`.
_NOT_COUNTED = ("Attention", "DeformConv", "LinearAttention")
#: Operators that put out elements of their first input.
_MOVING = (
    "DepthToSpace", "Expand", "Gather", "GatherElements", "GatherND", "MaxPool", "Slice", "SpaceToDepth", "Split",
    "Tile",
)  # fmt: skip
#: Operators with an output that is never larger than their inputs, though data decide its size.
_BOUNDED = ("Compress", "NonZero", "Unique")

#: Elements of a constant that is computed whatever the others have.
_SMALL = 1 << 10

Shapes = Mapping[int, Sequence[int]]


def fold(place: Place, node: FileNode) -> bool:
    """Compute a node whose inputs are constants, or that asks for a shape; tell whether it was one."""
    if node.domain or len(node.outputs) != 1 or node.operator in (*_RANDOM, *_NOT_COUNTED):
        return False
    tensor = place.draft.tensors.get(node.inputs[0]) if node.inputs else None
    if node.operator in ("Shape", "Size") and tensor is not None:
        shape = onnx_shape(tensor)
        part = shape[node.attributes.get("start", 0) : node.attributes.get("end", len(shape))]
        held = np.array(part if node.operator == "Shape" else math.prod(shape), np.int64)
    elif node.inputs and all(not name or name in place.constants for name in node.inputs):
        try:
            held = _computed(place, node)
        except (Refusal, RuntimeRefusal):
            return False
    else:
        return False
    held.flags.writeable = False
    place.constants[node.outputs[0]] = held
    return True


def _computed(place: Place, node: FileNode) -> Array:
    alone = _alone(place, node)
    (output,) = alone.outputs()
    size = math.prod(one or 0 for one in output.shape)
    known = None not in output.shape or node.operator in _BOUNDED
    held = sum(one.size for one in place.constants.values()) if size > _SMALL else 0
    if not known or held + size > MOST_ELEMENTS or output.kind not in TYPES:
        raise Refusal("no constant")
    return alone.run(output.name, ())


def on_host(place: Place, node: FileNode) -> None:
    """Add a node that ONNX Runtime computes.  Raises Refusal for one that it cannot, or that the lab cannot count."""
    never = why_never(place, node)
    if never:
        raise Refusal(never)
    try:
        alone = _alone(place, node)
        promised = {one.name: one for one in alone.outputs()}
    except RuntimeRefusal as error:
        raise Refusal(str(error)) from None
    for number, name in enumerate(node.outputs):
        if name:
            _add(place, node, number, alone, promised[name])


def why_never(place: Place, node: FileNode) -> str:
    """Return why a node is left to nobody, whatever it takes; "" where that depends on what it takes."""
    if node.domain not in ("", "com.microsoft"):
        return "a custom operator"
    if node.domain and node.operator not in _OWN:
        return "an operator of ONNX Runtime's own, or a custom one, that the lab does not have"
    if node.operator in _RANDOM:
        return "puts out random numbers"
    if node.operator in _NOT_COUNTED or (not node.domain and _formal_inputs(place, node) is None):
        return "an operator that the lab does not have"
    odd = next((name for name, value in node.attributes.items() if not _is_plain(value)), None)
    return "" if odd is None else f"its `{odd}` is a graph, or of another kind that the lab does not have"


def _formal_inputs(place: Place, node: FileNode) -> Sequence[Any] | None:
    """Return what ONNX says of the inputs of an operator of its own; None if the model's version has no such one."""
    import onnx

    try:
        found: Sequence[Any] = onnx.defs.get_schema(node.operator, place.opsets.get("", 1), "").inputs
    except Exception:
        # The package raises a SchemaError, which is no public name of every version.
        return None
    return found


def _is_plain(value: object) -> bool:
    """Tell whether an attribute is numbers, text or a tensor; no graph, type or sparse tensor."""
    parts = value if isinstance(value, list) else [value]
    return isinstance(value, np.ndarray) or all(isinstance(part, (int, float, str, bytes)) for part in parts)


def _add(place: Place, node: FileNode, number: int, alone: OneNode, promised: Promised) -> None:
    dtype = TYPES.get(promised.kind, promised.kind)
    if dtype not in DTYPES:
        raise Refusal(f"`{promised.name}` is {dtype}")
    shape = [size for size in promised.shape if size is not None]
    if len(shape) != len(promised.shape):
        raise Refusal(f"data decide the size of `{promised.name}`")
    first = place.draft.tensors.get(node.inputs[0]) if node.inputs else None
    moved: Quantization | None = None
    if node.operator in _MOVING and first is not None and first.dtype == dtype and first.quantization is not None:
        moved = first.quantization if len(first.quantization.scales) == 1 else None
    output = place.output(node, lab_shape(shape), dtype, moved, number)
    told = node.name if number == 0 else f"{node.name}/{number}"
    place.draft.node(
        "onnx", told, node.told, alone.inputs, (output.name,),
        {"alone": alone, "output": promised.name, "macs": _macs(place, node, shape) if number == 0 else 0},
    )  # fmt: skip


def _alone(place: Place, node: FileNode) -> OneNode:
    """Return a model of this node alone; constants are part of it.  Raises Refusal."""
    import onnx

    helper = onnx.helper
    _check_inputs(onnx, place, node)
    taken, held = [], []
    for name in dict.fromkeys(filter(None, node.inputs)):
        if name in place.constants:
            held.append(onnx.numpy_helper.from_array(np.asarray(place.constants[name], order="C"), name))
            continue
        tensor = place.tensor(name)
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(tensor.dtype))
        taken.append(helper.make_tensor_value_info(name, kind, onnx_shape(tensor)))
    # ONNX Runtime 1.32 ends the process where Split leaves an output out that is not the last.
    named = [name or f"output {number}" for number, name in enumerate(node.outputs)]
    last = max((number for number, name in enumerate(node.outputs) if name), default=-1)
    alone = helper.make_node(node.operator, node.inputs, named[: last + 1], domain=node.domain)
    alone.attribute.extend(_attribute(onnx, name, value) for name, value in node.attributes.items())
    outputs = [onnx.ValueInfoProto(name=name) for name in node.outputs if name]
    graph = helper.make_graph([alone], "node", taken, outputs, held)
    opsets = [helper.make_opsetid(domain, version) for domain, version in sorted(place.opsets.items())]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=place.ir_version)
    return OneNode(model.SerializeToString(), tuple(one.name for one in taken))


def _check_inputs(onnx: Any, place: Place, node: FileNode) -> None:
    """Raise Refusal for an input that is left out and must not be: ONNX Runtime 1.32 ends the process for some."""
    if node.domain:
        return
    formal = _formal_inputs(place, node)
    if formal is None:
        raise Refusal("an operator that the lab does not have")
    for number, name in enumerate(node.inputs):
        one = formal[min(number, len(formal) - 1)] if formal else None
        if not name and (one is None or one.option != onnx.defs.OpSchema.FormalParameterOption.Optional):
            raise Refusal(f"lacks input {number}")


def _attribute(onnx: Any, name: str, value: object) -> Any:
    if isinstance(value, np.ndarray):
        return onnx.helper.make_attribute(name, onnx.numpy_helper.from_array(value))
    if not _is_plain(value):
        raise Refusal(f"its `{name}` is a graph, or of another kind that the lab does not have")
    if value == []:
        return onnx.helper.make_attribute(name, [], attr_type=onnx.AttributeProto.INTS)
    return onnx.helper.make_attribute(name, value)


def _macs(place: Place, node: FileNode, output: Sequence[int]) -> int:
    """Return the multiply-accumulates of a node: those of convolutions, products of matrices, and recurrent layers."""
    counted = _COUNTED.get(node.operator)
    if counted is None:
        return 0
    shapes = [_shape(place, name) if name else [] for name in node.inputs]
    return counted(node, shapes, math.prod(output))


def _shape(place: Place, name: str) -> list[int]:
    return list(place.constants[name].shape) if name in place.constants else onnx_shape(place.tensor(name))


def _of_window(_node: FileNode, shapes: Sequence[Sequence[int]], results: int) -> int:
    return results * math.prod(shapes[1][1:])


def _of_transposed(_node: FileNode, shapes: Sequence[Sequence[int]], _results: int) -> int:
    return math.prod(shapes[0]) * math.prod(shapes[1][1:])


def _of_product(node: FileNode, shapes: Sequence[Sequence[int]], results: int) -> int:
    left = shapes[0]
    return results * left[-2 if node.attributes.get("transA", 0) and len(left) > 1 else -1]


def _of_layer(_node: FileNode, shapes: Sequence[Sequence[int]], _results: int) -> int:
    """Return those of a recurrent layer: at each step, both matrices of each direction."""
    return math.prod(shapes[0][:2]) * (math.prod(shapes[1]) + math.prod(shapes[2]))


def _of_einsum(node: FileNode, shapes: Sequence[Sequence[int]], _results: int) -> int:
    labels = str(node.attributes["equation"]).replace(" ", "").partition("->")[0].split(",")
    if "..." in "".join(labels):
        raise Refusal("an equation with dots")
    sizes = {label: size for term, shape in zip(labels, shapes, strict=True) for label, size in zip(term, shape)}  # noqa: B905
    return math.prod(sizes.values()) if len(labels) > 1 else 0


_COUNTED: Mapping[str, Callable[[FileNode, Sequence[Sequence[int]], int], int]] = {
    "Conv": _of_window,
    "FusedConv": _of_window,
    "ConvTranspose": _of_transposed,
    "MatMul": _of_product,
    "Gemm": _of_product,
    "FusedMatMul": _of_product,
    "LSTM": _of_layer,
    "GRU": _of_layer,
    "RNN": _of_layer,
    "Einsum": _of_einsum,
}
