"""Leave out quantizations and dequantizations that others do already."""

from __future__ import annotations

from neonlab.network.graph import Graph, Node
from neonlab.network.passes.rewrite import Changes, Passed, counted


def join_twins(graph: Graph) -> Passed:
    """Quantize and dequantize once what quantizers write once for each node that takes it.

    What is behind an operator then finds it between one dequantization and one quantization.  ONNX Runtime does the
    same.  Source: onnxruntime/core/optimizer/common_subexpression_elimination.cc.
    """
    changes, first, joined = Changes(graph), dict[object, Node](), 0
    for node in graph.nodes:
        if graph.format != "onnx" or node.operator not in ("quantize", "dequantize"):
            continue
        output = graph.tensor(node.outputs[0])
        inputs = tuple(changes.same.get(name, name) for name in node.inputs)
        attributes = repr(sorted(node.attributes.items()))
        twin = first.setdefault((node.operator, inputs, attributes, output.dtype, output.quantization), node)
        if twin is not node and output.name not in changes.kept:
            changes.drop(node)
            changes.rename(output.name, twin.outputs[0])
            joined += 1
    return changes.done(counted(joined, "{} quantizations and dequantizations left out, as others do the same"))
