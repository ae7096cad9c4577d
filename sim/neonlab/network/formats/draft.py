"""Collect a graph while a file is read, and everything in the file that the lab cannot take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from neonlab.errors import InputError
from neonlab.network.graph import MOST_BYTES, Array, Graph, Node, Quantization, State, Tensor, check_shape, ordered

#: Refusals that are listed in full.
_LISTED = 20


class Refusal(Exception):
    """Raised where a node cannot be taken; the message says why."""


class Lacking(Refusal):
    """Raised where the format has such a node, and the lab has no arithmetic of its own for it."""


class Draft:
    """A graph under construction.

    `refused` collects nodes that cannot be taken, so that all of them are named at once.
    """

    def __init__(self, path: str, kind: str) -> None:
        self.path, self.kind = path, kind
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self._names: set[str] = set()
        self.refused: list[str] = []

    def fail(self, text: str) -> InputError:
        """Return the InputError to raise for a file that is wrong; its message starts with the path."""
        return InputError(f"{self.path}: {text}")

    def add(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        quantization: Quantization | None = None,
        data: Array | None = None,
    ) -> Tensor:
        """Add a tensor and return it.  Raises InputError for a bad shape, and for a name that is taken."""
        if name in self.tensors:
            raise self.fail(f"two tensors are called `{name}`")
        self.tensors[name] = Tensor(name, check_shape(self.path, name, shape), dtype, quantization, data)
        return self.tensors[name]

    def constant(self, name: str, data: Array, quantization: Quantization | None = None) -> str:
        """Add a constant, under another name where that one is taken; return its name."""
        while name in self.tensors:
            name += "'"
        data = data.copy()
        data.flags.writeable = False
        self.add(name, data.shape, data.dtype.name, quantization, data)
        return name

    def node(
        self,
        operator: str,
        name: str,
        told: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a node, under another name where that one is taken: passes know nodes by their names."""
        while name in self._names:
            name += "'"
        self._names.add(name)
        self.nodes.append(Node(name, operator, tuple(inputs), tuple(outputs), dict(attributes or {}), told))

    def cut(self, count: int) -> None:
        """Leave the first `count` nodes alone."""
        self._names.difference_update(node.name for node in self.nodes[count:])
        del self.nodes[count:]

    def refuse(self, name: str, told: str, why: str) -> None:
        """Note that the node called `name`, which the file calls `told`, cannot be taken."""
        self.refused.append(f"{told} `{name}`: {why}")

    def finish(
        self,
        name: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        states: Sequence[State] = (),
        starts: Mapping[str, Array] | None = None,
    ) -> Graph:
        """Return the graph.  Raises InputError that names every refused node, and for a graph that is none."""
        if self.refused:
            listed = self.refused[:_LISTED]
            more = len(self.refused) - len(listed)
            text = "; ".join(listed) + (f"; and {more} more" if more else "")
            number = len(self.refused)
            raise self.fail(f"{number} node{'s' * (number != 1)} that the lab cannot run: {text}")
        if not outputs:
            raise self.fail("the network has no outputs")
        total = sum(tensor.nbytes for tensor in self.tensors.values())
        if total > MOST_BYTES:
            raise self.fail(
                f"its tensors have {total:,} bytes together; the lab, which keeps all, goes up to {MOST_BYTES:,}"
            )
        graph = Graph(
            name, self.kind, self.tensors, tuple(self.nodes), tuple(inputs), tuple(outputs), tuple(states), starts or {}
        )
        return ordered(self.path, graph)


def scheme_attributes(scheme: str, precision: str) -> dict[str, Any]:
    """Return the attributes that say how sums are requantized, and how scales are multiplied."""
    return {"scheme": scheme, "precision": precision}
