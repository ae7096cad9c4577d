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
from neonlab.network.run.cost import Cost
from neonlab.network.run.costs import Call, CostModel
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Step
from neonlab.network.run.ways import convolutions, elementwise, scales
from neonlab.network.run.ways.averages import means
from neonlab.network.run.ways.depthwise import depthwise
from neonlab.network.run.ways.integer_sums import integer_sums
from neonlab.network.run.ways.matmuls import matmuls
from neonlab.network.run.ways.softmaxes import softmaxes
from neonlab.network.run.ways.transposed import transposed

Ways = Callable[[Shelf, Graph, Node], Iterator[Step]]
_WAYS: Mapping[str, Ways] = {
    "conv": convolutions.convolutions,
    "depthwise": depthwise,
    "dense": convolutions.dense,
    "conv_transpose": transposed,
    **elementwise.STEPS,
    "mean": means,
    "integer_sums": integer_sums,
    "matmul": matmuls,
    "softmax": softmaxes,
    "quantize": scales.quantize,
    "dequantize": scales.dequantize,
    "requantize": scales.requantize,
}


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """How a node is computed: by a `step` of kernels, else on the host; or it is a view, and costs nothing.

    `costs` holds what the calls of each kernel cost, by its title.  `tried` holds every way that there was, by its
    kernels, with its cost.
    """

    node: Node
    step: Step | None
    costs: Mapping[str, Cost] = field(default_factory=dict)
    view: bool = False
    tried: tuple[tuple[tuple[Kernel, ...], Cost], ...] = ()

    @property
    def cost(self) -> Cost:
        """Return what all calls cost."""
        return sum(self.costs.values(), Cost())


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A node, with every way to compute it by kernels and the calls of each, whose costs are asked for."""

    node: Node
    view: bool = False
    ways: tuple[tuple[Step, tuple[tuple[str, Call], ...]], ...] = ()


class _Asking:
    """Call kernels through a Caller, and ask what the calls cost."""

    def __init__(self, caller: Caller, model: CostModel) -> None:
        self._caller, self._model = caller, model
        self.calls: list[tuple[str, Call]] = []

    def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
        self.calls.append((kernel.title, self._model.ask(kernel, arguments)))
        return self._caller(kernel, arguments)


def try_ways(
    graph: Graph, shelf: Shelf, model: CostModel, tensors: Mapping[str, Array], done: Callable[[int], object]
) -> list[Tried]:
    """Try every way to compute each node, in the order of the graph, and have all their calls costed.

    `tensors` are those of one inference, which the ways are tried on; `done` is called after each node with 1.  Raises
    FaultError for a kernel that faults.
    """
    found = []
    with Caller(watched=False) as caller:
        for node in graph.nodes:
            inputs = [tensors[name] for name in node.inputs if name]
            found.append(_tried(graph, shelf, model, caller, node, inputs))
            if model.is_full:
                model.begin()
            done(1)
    model.wait()
    return found


def _tried(graph: Graph, shelf: Shelf, model: CostModel, caller: Caller, node: Node, inputs: Sequence[Array]) -> Tried:
    if is_view(graph, node):
        return Tried(node, view=True)
    found = []
    for step in ways(shelf, graph, node):
        asking = _Asking(caller, model)
        step.compute(asking, inputs)
        found.append((step, tuple(asking.calls)))
    return Tried(node, ways=tuple(found))


def cheapest(tried: Tried, model: CostModel) -> Chosen:
    """Return the cheapest way to compute a node, by the costs that `model` found."""
    if not tried.ways:
        return Chosen(tried.node, None, view=tried.view)
    found = []
    for step, calls in tried.ways:
        costs: dict[str, Cost] = {}
        for title, call in calls:
            costs[title] = costs.get(title, Cost()) + model.cost(call)
        found.append((step, costs))
    totals = [sum(costs.values(), Cost()) for _, costs in found]
    best = min(range(len(found)), key=lambda one: _price(found[one][0], totals[one], model))
    step, costs = found[best]
    every = tuple((one.kernels, total) for (one, _), total in zip(found, totals, strict=True))
    return Chosen(tried.node, step, costs, tried=every)


def _price(step: Step, cost: Cost, model: CostModel) -> float:
    """Return what the way is chosen by.

    Bytes that the host copies count as if the core moved 8 in a cycle, so that they never come free.
    """
    return (cost.cycles if model.core is not None else cost.instructions) + step.moved / 8


def ways(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way of the shelf to compute a node."""
    if node.operator in _WAYS:
        yield from _WAYS[node.operator](shelf, graph, node)


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
    if not cut or any(node.attributes["slices"][axis].step not in (None, 1) for axis in cut):
        return not cut
    return math.prod(counts[: cut[-1]]) == 1 or cut == [0]


def run_chosen(
    graph: Graph, chosen: Sequence[Chosen], caller: Caller, tensors: Mapping[str, Array]
) -> dict[str, Array]:
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
            values = one.step.compute(caller, [array for array in inputs if array is not None])
            values = np.ascontiguousarray(values).reshape(-1)[: target.size].reshape(target.shape)
        found[node.outputs[0]] = values
    return found
