"""Compute the most memory that a network's activations need at one time, if each is freed after its last use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neonlab.network.graph import Graph


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes of activations at one time, while the node called `node` runs, and the bytes of constants.

    States are kept all the time, and count as activations.
    """

    activations: int
    node: str
    constants: int


def peak_memory(graph: Graph, views: Mapping[str, str]) -> Peak:
    """Return the peak of a graph whose nodes run in its order.

    `views` holds, for each tensor that is a run of another one's bytes, that other tensor.
    """
    owner = {name: _owner(name, views) for name in graph.tensors}
    kept = {owner[name] for name in graph.outputs}
    kept |= {owner[state.written] for state in graph.states}
    last: dict[str, int] = {}
    for number, node in enumerate(graph.nodes):
        for name in (*node.inputs, *node.outputs):
            if name:
                last[owner[name]] = number
    known = set(graph.inputs) | {state.read for state in graph.states}
    alive = {name: graph.tensor(name).nbytes for name in known}
    most, where = sum(alive.values()), ""
    for number, node in enumerate(graph.nodes):
        for name in node.outputs:
            if owner[name] == name:
                alive[name] = graph.tensor(name).nbytes
        total = sum(alive.values())
        if total > most or not where:
            most, where = max(total, most), node.name
        for name in [name for name in alive if last.get(name, -1) <= number and name not in kept]:
            del alive[name]
    constants = {name for node in graph.nodes for name in node.inputs if name and graph.tensor(name).data is not None}
    return Peak(most, where, sum(graph.tensor(name).nbytes for name in constants))


def _owner(name: str, views: Mapping[str, str]) -> str:
    while name in views:
        name = views[name]
    return name
