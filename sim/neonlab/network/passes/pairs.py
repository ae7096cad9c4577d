"""Bring quantizations of ONNX where ONNX Runtime does before it looks for clusters.

Source: onnxruntime/core/optimizer/double_qdq_pairs_remover.cc and qdq_transformer/qdq_propagation.cc.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonlab.int8.arrays import limits
from neonlab.network.graph import Graph, Node, Quantization, Tensor
from neonlab.network.passes.rewrite import Changes, Passed, counted, merged

#: What moves elements, or takes the greatest of some, and lets quantizations pass in ONNX Runtime.
PASSING = ("MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Slice", "Identity")
_EIGHT = ("int8", "uint8")


def join_pairs(graph: Graph) -> Passed:
    """Quantize and dequantize once where that is done twice, one after the other, with nothing between.

    ONNX Runtime takes the range that both have, and gives it all 256 steps.  So do the outputs here.
    """
    joined = 0
    while graph.format == "onnx":
        changes = Changes(graph)
        node = next((one for one in graph.nodes if _join(changes, one)), None)
        if node is None:
            break
        graph, joined = changes.done(()).graph, joined + 1
    return Passed(graph, counted(joined, "{} pairs of quantizations joined with those before them"))


def _join(changes: Changes, parent: Node) -> bool:
    """Leave out the pair that follows a quantization and its dequantization; tell whether there is one."""
    chain = [parent]
    for wanted in ("dequantize", "quantize", "dequantize"):
        following = changes.sole_consumer(chain[-1].outputs[0])
        if following is None or following.operator != wanted:
            return False
        chain.append(following)
    first, second = (changes.tensors[node.outputs[0]] for node in (parent, chain[2]))
    if parent.operator != "quantize" or first.dtype not in _EIGHT or first.dtype != second.dtype:
        return False
    changes.tensors[first.name] = replace(first, quantization=common_range(first, second))
    changes.drop(chain[1])
    changes.drop(chain[2])
    changes.rename(second.name, first.name)
    return True


def common_range(first: Tensor, second: Tensor) -> Quantization:
    """Return the scale and zero point of the range that both tensors have, in float32."""
    both = [one.quantization for one in (first, second) if one.quantization is not None]
    if both[0] == both[1]:
        return both[0]
    least, most = limits(first.dtype)
    low, high = (
        np.array([np.float32(end - one.zero_point) * np.float32(one.scale) for one in both]) for end in (least, most)
    )
    scale = (high.min() - low.max()) / np.float32(most - least)
    point = float(np.float32(least) - low.max() / scale)
    return Quantization((float(scale),), (int(np.copysign(np.floor(abs(point) + 0.5), point)),))


def quantize_early(graph: Graph) -> Passed:
    """Quantize floats before they are moved, or their maximum taken, where nothing else takes them.

    The results are the same.  An operator whose floats are quantized at once may be one of integers then.  What ONNX
    Runtime moves on the host, such as a slice that goes backwards, is a model of floats, and stays one.
    """
    moved = 0
    while True:
        changes, count = Changes(graph), 0
        for node in graph.nodes if graph.format == "onnx" else ():
            follower = changes.sole_consumer(node.outputs[0])
            source = changes.tensors[node.inputs[0]] if node.inputs else None
            if follower is None or follower.operator != "quantize" or source is None or source.data is not None:
                continue
            maker = changes.makers.get(source.name)
            if node.told not in PASSING or node.operator == "onnx" or source.dtype != "float32":
                continue
            if maker and maker.operator == "dequantize":
                continue
            if changes.sole_consumer(source.name) is not node:
                continue
            target = changes.tensors[follower.outputs[0]]
            name = changes.tensor(replace(target, name=f"{source.name}/early", shape=source.shape))
            # Each takes the place of the other.
            changes.change(node, replace(follower, inputs=(source.name,), outputs=(name,)))
            moving = replace(node, inputs=(name, *node.inputs[1:]), outputs=follower.outputs)
            changes.change(follower, _of_integers(moving, target.dtype))
            count += 1
        if not count:
            return Passed(graph, counted(moved, "{} quantizations brought before moves and max pools"))
        graph, moved = changes.done(()).graph, moved + count


def _of_integers(node: Node, dtype: str) -> Node:
    if node.operator != "float":
        return node
    low, high = limits(dtype)
    kept = {key: node.attributes[key] for key in ("kernel", "window")}
    return replace(node, operator="max_pool", attributes=merged(kept, lowest=low, highest=high))
