"""Keep int8 between the layers of an ncnn network: quantize early, and make int8 of sums at once.

What ncnn quantizes by a product never falls as a float rises, so that a maximum, a clamp and a choice of floats give
the same before it and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from neonlab.network.graph import Graph, Node
from neonlab.network.passes.rewrite import Changes, Passed, counted, merged
from neonlab.network.reference.floats_ncnn import int8_clamp


def quantize_before(graph: Graph) -> Passed:
    """Move quantizations before what chooses floats, a max pool or a concatenation, and clamps into quantizations.

    That is done where nothing else takes the floats.  The results are the same.
    """
    moved = 0
    while True:
        changes, count = Changes(graph), 0
        for node in graph.nodes:
            follower = changes.sole_consumer(node.outputs[0])
            if follower is None or not _by_product(follower):
                continue
            function = node.attributes["function"] if node.operator == "float" else node.operator
            if function in _MOVED and graph.tensor(node.outputs[0]).dtype == "float32":
                _MOVED[function](changes, node, follower)
                count += 1
        if not count:
            return Passed(graph, counted(moved, "{} quantizations moved before pools, concatenations and clamps"))
        graph, moved = changes.done(()).graph, moved + count


def requantize_sums(graph: Graph) -> Passed:
    """Make int8 of sums at once where floats of them are quantized, and nothing else takes these.

    The floats in between are the same, so the results are.
    """
    changes, made = Changes(graph), 0
    for node in graph.nodes:
        follower = changes.sole_consumer(node.outputs[0])
        if node.operator != "dequantize" or len(node.inputs) != 2 or follower is None or not _by_product(follower):
            continue
        kept = {key: follower.attributes[key] for key in ("factor", "lowest", "highest")}
        changes.change(node, replace(node, operator="requantize", outputs=follower.outputs, attributes=kept))
        changes.drop(follower)
        made += 1
    return changes.done(counted(made, "{} dequantizations and quantizations made one requantization"))


def _by_product(node: Node) -> bool:
    return node.operator == "quantize" and "factor" in node.attributes


def _clamp(changes: Changes, node: Node, follower: Node) -> None:
    """Take a clamp of floats into that of the quantization."""
    held = follower.attributes
    ends = int8_clamp(node.attributes, held["factor"])
    assert ends is not None  # `_MOVED` has clamps alone
    lowest, highest = (int(np.clip(held[key], *ends)) for key in ("lowest", "highest"))
    attributes = merged(held, lowest=lowest, highest=highest)
    changes.change(follower, replace(follower, inputs=node.inputs, attributes=attributes))
    changes.drop(node)


def _pool(changes: Changes, node: Node, follower: Node) -> None:
    name = _early(changes, node.inputs[0], follower)
    # Each takes the place of the other.
    changes.change(node, replace(follower, inputs=node.inputs, outputs=(name,)))
    kept = {key: node.attributes[key] for key in ("kernel", "window")} | {"lowest": -128, "highest": 127}
    changes.change(follower, Node(node.name, "max_pool", (name,), follower.outputs, kept, node.told))


def _concat(changes: Changes, node: Node, follower: Node) -> None:
    names = []
    for number, part in enumerate(dict.fromkeys(node.inputs)):
        names.append(_early(changes, part, follower))
        one = replace(follower, name=f"{follower.name}/{number}", inputs=(part,), outputs=(names[-1],))
        changes.insert(node, one)
    by_part = dict(zip(dict.fromkeys(node.inputs), names, strict=True))
    inputs = tuple(by_part[part] for part in node.inputs)
    changes.change(node, replace(node, inputs=inputs, outputs=follower.outputs))
    changes.drop(follower)


def _early(changes: Changes, name: str, follower: Node) -> str:
    """Add the int8 tensor that the quantization makes of the floats `name`."""
    target = changes.tensors[follower.outputs[0]]
    shape = changes.tensors[name].shape
    return changes.tensor(replace(target, name=f"{name}/int8", shape=shape))


_MOVED: Mapping[str, Callable[[Changes, Node, Node], None]] = {
    "relu": _clamp,
    "clip": _clamp,
    "max_pool": _pool,
    "concat": _concat,
}
