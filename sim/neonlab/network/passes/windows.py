"""Move padding into convolutions, clamps into what they follow, and max pools before a dequantization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonlab.int8.arrays import OperandError
from neonlab.int8.windows import Window
from neonlab.network.graph import Graph, Node
from neonlab.network.passes.rewrite import Changes, Passed, counted, merged
from neonlab.network.reference.unary import table_of_node

_WEIGHTED = ("conv", "conv_transpose", "depthwise", "dense", "add", "mul")


def pad_inside(graph: Graph) -> Passed:
    """Take padding with the zero point into the window of the convolution that alone takes the padded image.

    A convolution pads with the zero point itself, so the results are the same.
    """
    changes, moved = Changes(graph), 0
    for node in graph.nodes:
        follower = changes.sole_consumer(node.outputs[0])
        source = graph.tensor(node.inputs[0])
        if node.operator != "pad" or follower is None or follower.operator not in ("conv", "depthwise"):
            continue
        widths = node.attributes["widths"]
        if len(widths) != 4 or any(widths[0]) or any(widths[3]) or source.quantization is None:
            continue
        if node.attributes["fill"] != source.quantization.zero_point or follower.inputs[0] != node.outputs[0]:
            continue
        held: Window = follower.attributes["window"]
        vertical, horizontal = (
            (pair[0] + more[0], pair[1] + more[1]) for pair, more in zip(held.padding, widths[1:3], strict=True)
        )
        try:
            window = replace(held, padding=(vertical, horizontal))
        except OperandError:
            continue
        new = replace(
            follower, inputs=(source.name, *follower.inputs[1:]), attributes=merged(follower.attributes, window=window)
        )
        changes.change(follower, new)
        changes.drop(node)
        moved += 1
    return changes.done(counted(moved, "{} paddings moved into convolutions"))


def clamp_inside(graph: Graph) -> Passed:
    """Take a table that only clamps into the clamp of the node before it, if nothing else takes that one's output.

    A relu at the same scale is such a table: the results are the same.
    """
    changes, moved = Changes(graph), 0
    for node in graph.nodes:
        before = changes.makers.get(node.inputs[0]) if node.inputs else None
        if node.operator != "unary" or before is None or before.operator not in _WEIGHTED:
            continue
        if changes.sole_consumer(node.inputs[0]) is not node or before.name in changes.nodes:
            continue
        limits = _clamp(graph, node)
        if limits is None or "lowest" not in before.attributes:
            continue
        low, high = before.attributes["lowest"], before.attributes["highest"]
        lowest, highest = (int(np.clip(limit, *limits)) for limit in (low, high))
        new = replace(
            before, outputs=node.outputs, attributes=merged(before.attributes, lowest=lowest, highest=highest)
        )
        changes.change(before, new)
        changes.drop(node)
        moved += 1
    return changes.done(counted(moved, "{} clamps moved into the nodes before them"))


def _clamp(graph: Graph, node: Node) -> tuple[int, int] | None:
    """Return lowest and highest of a table that does nothing but clamp, at one scale; else None."""
    source, target = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    if source.dtype != target.dtype or source.quantization != target.quantization:
        return None
    table = table_of_node(graph, node)
    every = np.arange(256, dtype=np.uint8).view(source.dtype)
    lowest, highest = int(table.min()), int(table.max())
    return (lowest, highest) if (table == np.clip(every, lowest, highest)).all() else None


def pool_before(graph: Graph) -> Passed:
    """Pool 8-bit numbers, not the floats that they stand for: the greatest stays the greatest.

    Functions between that never fall, such as a division by a positive number, come after the pool, too.
    """
    changes, moved = Changes(graph), 0
    for node in graph.nodes:
        if node.operator != "float" or node.attributes["function"] != "max_pool":
            continue
        chain = _rising(graph, changes, node)
        source = graph.tensor(chain[0].inputs[0]) if chain else None
        if source is None or source.dtype not in ("int8", "uint8") or source.quantization is None:
            continue
        target, limits = graph.tensor(node.outputs[0]), np.iinfo(source.dtype)
        name = changes.tensor(
            replace(target, name=f"{target.name}/pooled", dtype=source.dtype, quantization=source.quantization)
        )
        attributes = {key: node.attributes[key] for key in ("kernel", "window")}
        attributes |= {"lowest": int(limits.min), "highest": int(limits.max)}
        # Each node takes the place of the one after it, and the pool that of the first.
        places = [*chain, node]
        changes.change(places[0], Node(places[0].name, "max_pool", (source.name,), (name,), attributes, node.told))
        for one, place in zip(chain, places[1:], strict=True):
            output = target.name if place is node else changes.tensor(replace(target, name=f"{one.outputs[0]}/pooled"))
            inputs = tuple(name if held == one.inputs[0] else held for held in one.inputs)
            changes.change(place, replace(one, name=place.name, inputs=inputs, outputs=(output,)))
            name = output
        moved += 1
    return changes.done(counted(moved, "{} max pools moved before dequantizations"))


def _rising(graph: Graph, changes: Changes, node: Node) -> list[Node]:
    """Return the nodes from a dequantization to the pool, none of which falls or goes elsewhere; else no nodes."""
    found: list[Node] = []
    name = node.inputs[0]
    taker = node
    while True:
        maker = changes.makers.get(name)
        if maker is None or changes.sole_consumer(name) is not taker:
            return []
        found.insert(0, maker)
        if maker.operator == "dequantize":
            return found
        function = maker.attributes.get("function") if maker.operator == "float" else None
        if function in ("mul", "div"):
            factor = graph.tensor(maker.inputs[1])
            if factor.data is None or factor.size != 1 or not float(factor.data.reshape(())) > 0:
                return []
        elif function not in ("relu", "clip"):
            return []
        name, taker = maker.inputs[0], maker
