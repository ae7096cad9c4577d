"""Tell where the reference may differ from a model's framework: where that adds floats up in an order of its own."""

from __future__ import annotations

from neonlab.network.graph import Node

#: Functions of floats that round once for each element, so that every machine has the same results.
_ROUNDED_ONCE = ("add", "sub", "mul", "div", "relu", "clip", "leaky_relu", "prelu", "max", "min", "max_pool", "pad")


def is_near(node: Node) -> bool:
    """Tell whether a value of the node may differ from the framework's in the last place, or by 1 of an integer.

    That is so where floats are added up, where e^x and its like are computed, and where integers stand for such sums.
    """
    if node.operator == "float":
        return node.attributes["function"] not in _ROUNDED_ONCE
    return bool(node.attributes.get("near", False))
