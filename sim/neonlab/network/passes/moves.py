"""Move 8-bit numbers, not the floats that they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonlab.network.graph import Graph, Node, Tensor
from neonlab.network.passes.pairs import PASSING
from neonlab.network.passes.rewrite import Changes, Passed, counted, merged
from neonlab.network.reference.node import compute

#: Operators that put elements elsewhere, and repeat or leave out some.
_MOVING = ("reshape", "transpose", "slice", "resize_nearest")
_EIGHT = ("int8", "uint8")


def move_before(graph: Graph) -> Passed:
    """Move 8-bit numbers where their dequantization is moved, or its maximum taken: other takers keep the floats.

    A dequantization is `passed` if ONNX Runtime brings it there too.
    """
    moved = 0
    while True:
        changes, count = Changes(graph), 0
        for node in graph.nodes:
            maker = changes.makers.get(node.inputs[0]) if node.inputs else None
            if maker is None or maker.operator != "dequantize" or len(maker.inputs) != 1:
                continue
            source, target = graph.tensor(maker.inputs[0]), graph.tensor(node.outputs[0])
            pool = node.operator == "float" and node.attributes["function"] == "max_pool"
            if not (pool or node.operator in _MOVING) or not _has_one_scale(source):
                continue
            integers = replace(
                target, name=f"{target.name}/moved", dtype=source.dtype, quantization=source.quantization
            )
            name = changes.tensor(integers)
            new = replace(node, inputs=(source.name,), outputs=(name,))
            new = _pool(new, source.dtype) if pool else new
            if source.data is None:
                changes.insert(node, new)
            else:
                held = compute(replace(graph, tensors=changes.tensors), new, [source.data])
                held.flags.writeable = False
                changes.tensors[name] = replace(integers, name=name, data=held)
            passing = node.told in PASSING and (
                changes.sole_consumer(node.inputs[0]) is node or maker.attributes.get("passed", False)
            )
            new = replace(maker, name=f"{node.name}/floats", inputs=(name,), outputs=(target.name,))
            changes.change(node, replace(new, attributes=merged(maker.attributes, passed=passing)))
            count += 1
        if not count:
            return Passed(graph, counted(moved, "{} moves and max pools brought before dequantizations"))
        graph, moved = changes.done(()).graph, moved + count


def _has_one_scale(tensor: Tensor) -> bool:
    return tensor.dtype in _EIGHT and tensor.quantization is not None and len(tensor.quantization.scales) == 1


def _pool(node: Node, dtype: str) -> Node:
    limits = np.iinfo(dtype)
    kept = {key: node.attributes[key] for key in ("kernel", "window")}
    return replace(node, operator="max_pool", attributes=merged(kept, lowest=int(limits.min), highest=int(limits.max)))
