"""Change graphs: replace nodes and tensors, and leave out what nothing needs any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from neonlab.network.graph import Array, Graph, Node, Quantization, Tensor, ordered


@dataclass(frozen=True, slots=True)
class Passed:
    """What a pass made of a graph, and what it did, a sentence for each kind of change."""

    graph: Graph
    notes: tuple[str, ...] = ()


#: A pass: it returns an equal graph, and says what it did.
Pass = Callable[[Graph], Passed]


class Changes:
    """Changes of one graph: nodes that replace others, new tensors, and tensors that are others under another name."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tensors: dict[str, Tensor] = dict(graph.tensors)
        self.nodes: dict[str, Node | None] = {}
        self.same: dict[str, str] = {}
        self.inserted: dict[str, list[Node]] = {}
        self.consumers: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in node.inputs:
                self.consumers.setdefault(name, []).append(node)
        self.makers = {name: node for node in graph.nodes for name in node.outputs}
        self.kept = {*graph.outputs, *(state.written for state in graph.states)}

    def sole_consumer(self, name: str) -> Node | None:
        """Return the one node that takes the tensor; None if there are several, or if it leaves the network."""
        found = self.consumers.get(name, [])
        return found[0] if len(found) == 1 and name not in self.kept else None

    def change(self, node: Node, new: Node) -> None:
        """Let `new` take the place of `node`."""
        self.nodes[node.name] = new

    def drop(self, node: Node) -> None:
        """Leave out a node whose outputs others compute."""
        self.nodes[node.name] = None

    def insert(self, node: Node, new: Node) -> None:
        """Let `new`, a node of another name, run before what takes the place of `node`."""
        self.inserted.setdefault(node.name, []).append(new)

    def rename(self, name: str, other: str) -> None:
        """Let every consumer of a tensor take another one."""
        self.same[name] = other

    def constant(self, name: str, data: Array, quantization: Quantization | None = None) -> str:
        """Add a constant and return its name."""
        while name in self.tensors:
            name += "'"
        held = data.copy()
        held.flags.writeable = False
        self.tensors[name] = Tensor(name, held.shape, held.dtype.name, quantization, held)
        return name

    def tensor(self, tensor: Tensor) -> str:
        """Add a tensor that a node computes, under a name of its own; return the name."""
        name = tensor.name
        while name in self.tensors:
            name += "'"
        self.tensors[name] = replace(tensor, name=name)
        return name

    def done(self, notes: Iterable[str]) -> Passed:
        """Return the changed graph."""
        graph, nodes = self.graph, []
        for node in graph.nodes:
            new = self.nodes.get(node.name, node)
            nodes += [*self.inserted.get(node.name, ()), *(() if new is None else (new,))]
        nodes = [replace(node, inputs=tuple(self._final(name) for name in node.inputs)) for node in nodes]
        outputs = tuple(self._final(name) for name in graph.outputs)
        states = tuple(replace(state, written=self._final(state.written)) for state in graph.states)
        changed = replace(graph, tensors=self.tensors, nodes=tuple(nodes), outputs=outputs, states=states)
        return Passed(ordered(graph.name, changed), tuple(notes))

    def _final(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name


def counted(number: int, text: str) -> tuple[str, ...]:
    """Return a note on so many changes; none if there was none.  `text` has {} where the number stands."""
    return (text.format(number),) if number else ()


def merged(attributes: Mapping[str, object], **new: object) -> dict[str, object]:
    """Return attributes with some of them replaced."""
    return {**attributes, **new}
