"""Keep uint8 activations as int8, 128 less, because kernels take int8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.network.graph import Graph, Node, Quantization, Tensor, ordered
from neonlab.network.passes.rewrite import Passed, counted

#: Operators whose results move with the zero points.  An average pool is none: it rounds the numbers themselves away
#: from 0, or adds the zero point to a float that it rounds then.
_MOVING = (
    "conv", "depthwise", "dense", "add", "mul", "concat", "max_pool", "mean", "reshape", "transpose", "slice",
    "quantize", "dequantize", "unary", "rescale", "pad", "resize_nearest", "softmax",
    "matmul", "conv_transpose",
)  # fmt: skip
#: Those that round floats which hold the zero points, so that they must know the ones of the file.
_WITH_POINTS = (("add", "onnxruntime"), ("mul", "onnxruntime"), ("mean", "xnnpack"))
#: Those whose second input is weights.
_WEIGHTED = ("conv", "conv_transpose", "depthwise", "dense")
_FLIPPED = (np.arange(256, dtype=np.uint8) ^ np.uint8(0x80)).view(np.int8)


def sign_activations(graph: Graph) -> Passed:
    """Hold each uint8 tensor as int8, its numbers and its zero point 128 less: differences from it are the same.

    Inputs and outputs of the network stay uint8, and so does what an operator takes or puts out whose results would
    change; a table stands between.  Weights stay as they are: they have a zero point of their own.
    """
    signed, tensors, converters = _signed(graph)
    if not signed:
        return Passed(graph)
    nodes = []
    for node in graph.nodes:
        if not _moves(graph, node):
            nodes.append(node)
            continue
        weights = node.inputs[1] if node.operator in _WEIGHTED else ""
        inputs = tuple(name if name == weights else signed.get(name, name) for name in node.inputs)
        outputs = tuple(signed.get(name, name) for name in node.outputs)
        nodes.append(replace(node, inputs=inputs, outputs=outputs, attributes=_attributes(node, signed)))
    changed = replace(graph, tensors=tensors, nodes=(*nodes, *converters))
    return Passed(ordered(graph.name, changed), counted(len(signed), "{} uint8 tensors held as int8"))


def _moves(graph: Graph, node: Node) -> bool:
    """Tell whether a node computes the same on int8; a uint8 tensor without a scale stays as it is on both sides."""
    sides = (graph.tensor(name) for name in (*node.inputs, *node.outputs) if name)
    return node.operator in _MOVING and all(one.dtype != "uint8" or one.quantization is not None for one in sides)


def _signed(graph: Graph) -> tuple[dict[str, str], dict[str, Tensor], list[Node]]:
    """Return the int8 tensor's name for each uint8 one that has one, all tensors, and the tables between the two."""
    makers = {name: node for node in graph.nodes for name in node.outputs}
    weights = {node.inputs[1] for node in graph.nodes if node.operator in _WEIGHTED}
    leaving = {*graph.outputs, *(state.written for state in graph.states)}
    takers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for name in node.inputs:
            takers.setdefault(name, []).append(node)
    signed: dict[str, str] = {}
    tensors, converters = dict(graph.tensors), list[Node]()
    for name, tensor in graph.tensors.items():
        if tensor.dtype != "uint8" or tensor.quantization is None or name in weights:
            continue
        wanted = any(_moves(graph, node) for node in takers.get(name, []))
        # A table, and a quantization, put out either type.
        either = name in makers and makers[name].operator in ("unary", "rescale", "quantize") and not wanted
        made = name in makers and _moves(graph, makers[name]) and not either
        kept = name in leaving or not all(_moves(graph, node) for node in takers.get(name, []))
        if not made and not wanted:
            continue
        other = f"{name}/int8" if kept or not made else name
        while other != name and other in tensors:
            other += "'"
        signed[name], tensors[other] = other, _moved(other, tensor)
        if other != name and tensor.data is None:
            ends = (other, name) if made else (name, other)
            table = _FLIPPED.view(np.uint8) if made else _FLIPPED
            attributes = {"function": "table", "table": table, "arithmetic": ""}
            converters.append(Node(f"{ends[0]} converted", "unary", ends[:1], ends[1:], attributes, "conversion"))
    return signed, tensors, converters


def _moved(name: str, tensor: Tensor) -> Tensor:
    assert tensor.quantization is not None
    less = tuple(point - 128 for point in tensor.quantization.zero_points)
    held = None if tensor.data is None else (tensor.data ^ np.uint8(0x80)).view(np.int8)
    quantization = Quantization(tensor.quantization.scales, less, tensor.quantization.axis)
    return Tensor(name, tensor.shape, "int8", quantization, held)


def _attributes(node: Node, signed: Mapping[str, str]) -> dict[str, Any]:
    """Return a node's attributes with clamps, fills and tables moved with its tensors."""
    found = dict(node.attributes)
    output, source = node.outputs[0] in signed, bool(node.inputs) and node.inputs[0] in signed
    if output and "lowest" in found:
        found["lowest"], found["highest"] = found["lowest"] - 128, found["highest"] - 128
    if output and (node.operator, found.get("arithmetic")) in _WITH_POINTS:
        found["unsigned"] = True
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
