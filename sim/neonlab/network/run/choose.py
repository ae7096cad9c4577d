"""Choose for each node the step that is cheapest on a core, by the model, once for each network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.reference.node import compute
from neonlab.network.run import convolutions, elementwise
from neonlab.network.run.costs import Cost, CostModel
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Step

Ways = Callable[[Shelf, Graph, Node], Iterator[Step]]
_WAYS: Mapping[str, Ways] = {
    "conv": convolutions.convolutions,
    "depthwise": convolutions.depthwise,
    "dense": convolutions.dense,
    **elementwise.STEPS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """How a node is computed: by a `step` of kernels at `cost`, else on the host; or it is a view, and costs nothing.

    `tried` holds the cost of every way that there was, by its kernels.
    """

    node: Node
    step: Step | None
    cost: Cost = field(default_factory=Cost)
    view: bool = False
    tried: tuple[tuple[tuple[Kernel, ...], Cost], ...] = ()


class _Costing:
    """Call kernels through a Caller and add up what the calls cost."""

    def __init__(self, caller: Caller, model: CostModel) -> None:
        self._caller, self._model = caller, model
        self.cost = Cost()

    def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
        self.cost += self._model.cost(kernel, arguments)
        return self._caller(kernel, arguments)


def choose(
    graph: Graph, shelf: Shelf, model: CostModel, tensors: Mapping[str, Array], done: Callable[[int], object]
) -> tuple[Chosen, ...]:
    """Return how to compute each node, in the order of the graph.

    `tensors` are those of one inference, which the ways are tried on; `done` is called after each node with 1.  Raises
    FaultError for a kernel that faults.
    """
    found = []
    with Caller(watched=False) as caller:
        for node in graph.nodes:
            inputs = [tensors[name] for name in node.inputs if name]
            found.append(_chosen(graph, shelf, model, caller, node, inputs))
            done(1)
    return tuple(found)


def _chosen(
    graph: Graph, shelf: Shelf, model: CostModel, caller: Caller, node: Node, inputs: Sequence[Array]
) -> Chosen:
    if is_view(graph, node):
        return Chosen(node, None, view=True)
    tried: list[tuple[Step, Cost]] = []
    for step in _WAYS.get(node.operator, _no_way)(shelf, graph, node):
        costing = _Costing(caller, model)
        step.run(costing, inputs)
        tried.append((step, costing.cost))
    if not tried:
        return Chosen(node, None)
    # Bytes that the host copies count as if the core moved 8 in a cycle, so that they never come free.
    key = "cycles" if model.core is not None else "instructions"
    step, cost = min(tried, key=lambda one: getattr(one[1], key) + one[0].moved / 8)
    return Chosen(node, step, cost, tried=tuple((one.kernels, price) for one, price in tried))


def _no_way(_shelf: Shelf, _graph: Graph, _node: Node) -> Iterator[Step]:
    return iter(())


def is_view(graph: Graph, node: Node) -> bool:
    """Tell whether the output is a run of the input's bytes, so that nothing needs to be copied."""
    shape = graph.tensor(node.inputs[0]).shape
    if node.operator == "reshape":
        sides = [one for one in (shape, graph.tensor(node.outputs[0]).shape) if len(one) == 4]
        return not node.attributes.get("channels_first") or all(
            math.prod(one[1:3]) == 1 or one[3] == 1 for one in sides
        )
    if node.operator != "slice":
        return False
    counts = [len(range(*part.indices(size))) for part, size in zip(node.attributes["slices"], shape, strict=True)]
    cut = [axis for axis, (count, size) in enumerate(zip(counts, shape, strict=True)) if count != size]
    steps = {node.attributes["slices"][axis].step for axis in cut}
    return not cut or (steps <= {None, 1} and math.prod(counts[: cut[-1]]) == 1 or len(cut) == 1 and cut[0] == 0)


def run_chosen(graph: Graph, chosen: Sequence[Chosen], caller: Caller, tensors: Mapping[str, Array]) -> dict[str, Array]:
    """Return every tensor of one inference: nodes with a step by its kernels, the others on the host.

    `tensors` are those that are known at first.  Raises FaultError for a kernel that faults.
    """
    found = dict(tensors)
    for one in chosen:
        node = one.node
        inputs = [found[name] if name else None for name in node.inputs]
        target = graph.tensor(node.outputs[0])
        if one.step is None:
            values = compute(graph, node, inputs)
        else:
            values = one.step.run(caller, [array for array in inputs if array is not None])
            values = np.ascontiguousarray(values).reshape(-1)[: target.size].reshape(target.shape)
        found[node.outputs[0]] = values
    return found
