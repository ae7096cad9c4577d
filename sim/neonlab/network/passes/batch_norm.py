"""Fold batch normalizations into the float convolutions before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonlab.network.graph import Graph
from neonlab.network.passes.rewrite import Changes, Passed, counted


def fold_batch_norm(graph: Graph) -> Passed:
    """Scale the weights of a convolution by its batch normalization, and put the rest into the bias.

    The floats change by roundings: the documents' own definition, y = (x - mean) · scale / sqrt(variance + ε) + bias.
    """
    changes, folded = Changes(graph), 0
    for node in graph.nodes:
        if node.operator != "float" or node.attributes["function"] != "batch_norm":
            continue
        conv = changes.makers.get(node.inputs[0])
        if conv is None or conv.operator != "float" or conv.attributes["function"] != "conv":
            continue
        weights = graph.constant(conv.inputs[1])
        parameters = [graph.constant(name) for name in node.inputs[1:5]]
        before = graph.constant(conv.inputs[2]) if len(conv.inputs) > 2 else np.zeros(1, np.float32)
        if weights is None or before is None or changes.sole_consumer(node.inputs[0]) is not node:
            continue
        scale, bias, mean, variance = (one.astype(np.float64) for one in parameters if one is not None)
        factor = scale / np.sqrt(variance + node.attributes["epsilon"])
        scaled = (weights * factor.reshape(-1, 1, 1, 1)).astype(np.float32)
        rest = ((before - mean) * factor + bias).astype(np.float32)
        names = (changes.constant(f"{conv.inputs[1]}/folded", scaled), changes.constant(f"{conv.name}/folded", rest))
        changes.change(conv, replace(conv, inputs=(conv.inputs[0], *names), outputs=node.outputs))
        changes.drop(node)
        folded += 1
    return changes.done(counted(folded, "{} batch normalizations folded into convolutions"))
