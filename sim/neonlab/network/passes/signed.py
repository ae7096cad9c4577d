"""Keep uint8 activations as int8, 128 less, because kernels take int8."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.network.graph import Graph, Node, Quantization, Tensor
from neonlab.network.passes.rewrite import Changes, Passed, counted

#: Operators whose results move with the zero points; an average that rounds raw numbers does not.
_MOVING = (
    "conv", "depthwise", "dense", "add", "mul", "concat", "max_pool", "mean", "reshape", "transpose", "slice",
    "quantize", "dequantize", "unary", "pad", "resize_nearest", "average_pool",
)  # fmt: skip


def sign_activations(graph: Graph) -> Passed:
    """Hold each uint8 tensor as int8, its numbers and its zero point 128 less: products of differences are the same.

    Inputs and outputs of the network, and what an operator computes whose results would change, stay uint8; a table
    stands between.  Constants are moved, too, except weights, which have a zero point of their own.
    """
    moving = _moving(graph)
    if not moving:
        return Passed(graph)
    changes = Changes(graph)
    for name in moving:
        tensor = graph.tensor(name)
        assert tensor.quantization is not None
        less = tuple(point - 128 for point in tensor.quantization.zero_points)
        held = None if tensor.data is None else (tensor.data ^ np.uint8(0x80)).view(np.int8)
        changes.tensors[name] = Tensor(
            name, tensor.shape, "int8", Quantization(tensor.quantization.scales, less, tensor.quantization.axis), held
        )
    entering = _at_the_border(graph, changes, moving)
    for node in graph.nodes:
        new = replace(node, inputs=tuple(entering.get(name, name) for name in node.inputs))
        changes.change(node, replace(new, attributes=_attributes(node, moving)))
    found = changes.done(counted(len(moving), "{} uint8 tensors held as int8"))
    return Passed(_with_borders(graph, found.graph, entering), found.notes)


def _moving(graph: Graph) -> set[str]:
    """Return the uint8 tensors that every node that makes or takes them allows to be int8."""
    weights = {node.inputs[1] for node in graph.nodes if node.operator in ("conv", "depthwise", "dense")}
    found = {
        name
        for name, tensor in graph.tensors.items()
        if tensor.dtype == "uint8" and tensor.quantization is not None and name not in weights
    }
    borders = {*graph.inputs, *graph.outputs}
    borders |= {name for state in graph.states for name in (state.read, state.written)}
    for node in graph.nodes:
        raw = node.operator == "average_pool" and node.attributes["arithmetic"] == "tflite"
        if node.operator not in _MOVING or raw:
            borders |= {*node.inputs, *node.outputs}
    found -= borders - set(graph.inputs)
    # All tensors of a node that only moves data, or joins it, are of one type.
    changed = True
    while changed:
        changed = False
        for node in graph.nodes:
            alike = [name for name in (*node.inputs, *node.outputs) if name and name not in weights]
            alike = [name for name in alike if graph.tensor(name).dtype == "uint8"]
            if node.operator in ("unary", "rescale", "quantize", "dequantize"):
                continue
            if any(name in found for name in alike) and not all(name in found for name in alike):
                found -= set(alike)
                changed = True
    return found


def _at_the_border(graph: Graph, changes: Changes, moving: set[str]) -> dict[str, str]:
    """Return the int8 names of uint8 inputs of the network, whose own tensors stay as they are."""
    found = {}
    for name in graph.inputs:
        if name in moving:
            signed = changes.tensors[name]
            found[name] = changes.tensor(replace(signed, name=f"{name}/int8"))
            changes.tensors[name] = graph.tensor(name)
    return found


def _with_borders(graph: Graph, changed: Graph, entering: dict[str, str]) -> Graph:
    every = (np.arange(256, dtype=np.uint8) ^ np.uint8(0x80)).view(np.int8)
    first = tuple(
        Node(
            f"{name} to int8", "unary", (name,), (signed,), {"function": "table", "table": every, "arithmetic": ""}, ""
        )
        for name, signed in entering.items()
    )
    return replace(changed, nodes=(*first, *changed.nodes))


def _attributes(node: Node, moving: set[str]) -> dict[str, Any]:
    """Return a node's attributes with clamps, fills and tables moved with its tensors."""
    found = dict(node.attributes)
    output, source = node.outputs[0] in moving, bool(node.inputs) and node.inputs[0] in moving
    if output and "lowest" in found:
        found["lowest"], found["highest"] = found["lowest"] - 128, found["highest"] - 128
    if output and node.operator == "pad":
        found["fill"] -= 128
    if node.operator == "unary" and found["function"] == "table":
        table = found["table"]
        if source:
            table = table[np.arange(256) ^ 0x80]
        if output:
            table = (table ^ np.uint8(0x80)).view(np.int8)
        found["table"] = table
    return found
