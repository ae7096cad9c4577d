"""Join what is computed element by element from one 8-bit tensor to one table of 256 results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.errors import InputError
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.passes.rewrite import Changes, Passed, counted
from neonlab.network.reference.node import compute_values

#: Operators, and functions of floats, that go element by element.
_ELEMENTWISE = ("unary", "rescale", "quantize", "dequantize", "add", "mul")
_FLOATS = ("add", "sub", "mul", "div", "relu", "clip", "sigmoid", "tanh", "leaky_relu", "hard_sigmoid", "hard_swish")
_EIGHT = ("int8", "uint8")


@dataclass(frozen=True, slots=True, eq=False)
class _Of:
    """A tensor as a function of the 8-bit tensor `root`: its values for each byte, and how many nodes compute it."""

    root: str
    values: Array
    steps: int


def join_tables(graph: Graph) -> Passed:
    """Replace chains of nodes that go element by element, such as dequantize, divide, quantize, by one table each.

    The table holds what the nodes themselves compute of all 256 bytes, so the results are the same.  A table that
    changes nothing is left out.
    """
    changes, found, numbers = Changes(graph), dict[str, _Of](), dict[str, Array]()
    joined = removed = shortened = 0
    for node in graph.nodes:
        if not _is_elementwise(node):
            continue
        inputs = [_number(graph, name, numbers) for name in node.inputs]
        if all(held is not None for held in inputs):
            numbers[node.outputs[0]] = compute_values(graph, node, inputs)
            continue
        of = _function(graph, node, inputs, found)
        if of is None:
            continue
        output = graph.tensor(node.outputs[0])
        found[output.name] = of
        if output.dtype not in _EIGHT or (node.operator == "unary" and of.steps == 1):
            continue
        root = graph.tensor(of.root)
        every = np.arange(256, dtype=np.uint8).view(root.dtype)
        if root.dtype == output.dtype and root.quantization == output.quantization and (of.values == every).all():
            changes.drop(node)
            changes.rename(output.name, root.name)
            removed += 1
            continue
        joined += 1
        shortened += of.steps
        attributes = {"function": "table", "table": of.values, "arithmetic": ""}
        changes.change(node, Node(node.name, "unary", (of.root,), node.outputs, attributes, node.told))
    return changes.done(
        (
            *counted(joined, f"{{}} tables in place of chains of nodes, the longest of {_longest(found)}"),
            *counted(removed, "{} chains that change nothing left out"),
        )
    )


def _longest(found: dict[str, _Of]) -> int:
    return max((of.steps for of in found.values()), default=0)


def _is_elementwise(node: Node) -> bool:
    of_floats = node.operator == "float" and node.attributes["function"] in _FLOATS
    return node.operator in _ELEMENTWISE or of_floats


def _number(graph: Graph, name: str, numbers: Mapping[str, Array]) -> Array | None:
    """Return the value of a tensor that is one constant number, such as a divisor that is dequantized; else None."""
    held = graph.tensor(name).data
    return numbers.get(name) if held is None else held.reshape(()) if held.size == 1 else None


def _function(graph: Graph, node: Node, inputs: Sequence[Array | None], found: Mapping[str, _Of]) -> _Of | None:
    """Return what the node makes of a root; None unless it goes element by element on one 8-bit tensor.

    `inputs` has those that are one number, and None for the others.
    """
    output = graph.tensor(node.outputs[0])
    roots: list[_Of] = []
    values: list[Array] = []
    for name, number in zip(node.inputs, inputs, strict=True):
        if number is not None:
            values.append(number)
            continue
        tensor, of = graph.tensor(name), found.get(name)
        if of is None:
            if tensor.dtype not in _EIGHT or tensor.data is not None:
                return None
            of = _Of(name, np.arange(256, dtype=np.uint8).view(tensor.dtype), 0)
        if tensor.shape != output.shape:
            return None
        roots.append(of)
        values.append(of.values)
    return _joined(graph, node, roots, values)


def _joined(graph: Graph, node: Node, roots: Sequence[_Of], inputs: Sequence[Array]) -> _Of | None:
    if len({of.root for of in roots}) != 1:
        return None
    try:
        values = np.ascontiguousarray(compute_values(graph, node, inputs)).reshape(-1)
    except InputError:  # a byte that no inference may have, such as a divisor of 0
        return None
    return _Of(roots[0].root, values, 1 + sum(of.steps for of in roots))
