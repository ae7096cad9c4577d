"""Run a whole graph by numpy: the values that every kernel's results are compared with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab.errors import InputError
from neonlab.network.graph import Array, Graph
from neonlab.network.inputs import by_name
from neonlab.network.layout import from_file, to_file
from neonlab.network.reference.node import compute


def feed(graph: Graph, given: Mapping[str, Array], states: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """Return the tensors that are known before the first node runs: inputs, states and constants, by name.

    `given` may name each input, or be one array of any name where there is one input.  Raises InputError for an input
    that is missing, superfluous, or of another type or shape.
    """
    found: dict[str, Array] = {}
    for name, held in by_name(given, graph.inputs).items():
        tensor = graph.tensor(name)
        values = from_file(graph, held)
        if values.dtype.name != tensor.dtype or values.shape != tensor.shape:
            raise InputError(
                f"input `{name}` is {values.dtype} {list(values.shape)}; the network takes {tensor.dtype} "
                f"{list(tensor.shape)}"
            )
        found[name] = values
    kept = graph.starts if states is None else states
    found |= {state.read: kept[state.name] for state in graph.states}
    return found | {name: tensor.data for name, tensor in graph.tensors.items() if tensor.data is not None}


def run_reference(graph: Graph, tensors: Mapping[str, Array]) -> dict[str, Array]:
    """Return every tensor of one inference, from those of `feed`."""
    found = dict(tensors)
    for node in graph.nodes:
        found[node.outputs[0]] = compute(graph, node, [found[name] if name else None for name in node.inputs])
    return found


def next_states(graph: Graph, tensors: Mapping[str, Array]) -> dict[str, Array]:
    """Return what the states hold after an inference, by the name of the State."""
    return {state.name: tensors[state.written] for state in graph.states}


def drawn(graph: Graph, seed: int) -> dict[str, Array]:
    """Draw inputs, laid out as in the file.

    Integers of 8 and 16 bits are drawn over their whole type, floats over about the range of the first scale that takes
    them.  Wider integers are 0 or 1: they are indexes or masks, and a larger index might not exist.
    """
    random = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for name in graph.inputs:
        tensor = graph.tensor(name)
        kind = np.dtype(tensor.dtype)
        if kind.kind == "b" or (kind.kind == "i" and kind.itemsize > 2):
            values = random.integers(0, 2, tensor.shape).astype(kind)
        elif kind.kind in "iu":
            limits = np.iinfo(kind)
            values = random.integers(limits.min, limits.max, tensor.shape, kind, endpoint=True)
        elif kind.kind == "f":
            values = random.uniform(*_reals(graph, name), tensor.shape).astype(kind)
        else:
            raise InputError(f"input `{name}` is {tensor.dtype}; give its values")
        found[name] = to_file(graph, values)
    return found


def _reals(graph: Graph, name: str) -> tuple[float, float]:
    for node in graph.nodes:
        target = graph.tensor(node.outputs[0])
        if node.operator == "quantize" and node.inputs[0] == name and target.quantization is not None:
            limits, held = np.iinfo(target.dtype), target.quantization
            return (limits.min - held.zero_point) * held.scale, (limits.max - held.zero_point) * held.scale
    return -1.0, 1.0
