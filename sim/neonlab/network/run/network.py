"""Run a network on emulated kernels: what each layer computes, whether it is right, and what it costs on a core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import Library
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.graph import Array, Graph, Node
from neonlab.network.memory import Peak, peak_memory
from neonlab.network.reference.inference import feed, next_states, run_reference
from neonlab.network.reference.near import is_near
from neonlab.network.run.choose import Chosen, cheapest, run_chosen, try_ways
from neonlab.network.run.cost import Cost
from neonlab.network.run.costs import CostModel
from neonlab.network.run.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a tensor first differs from the reference: the inference (from 0), the index there, and both values.

    `wrong` of `total` values differ, in all inferences.
    """

    inference: int
    index: tuple[int, ...]
    got: str
    expected: str
    wrong: int
    total: int


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """One node: how it was computed, its multiply-accumulates, its cost, and the first difference, None if exact.

    `way` is kernels, host or view.  `moved` are the bytes that the host copied between the kernels.
    """

    node: Node
    shape: tuple[int, ...]
    way: str
    macs: int
    kernels: tuple[str, ...]
    costs: Mapping[str, Cost]
    moved: int
    values: int
    difference: Difference | None
    tried: tuple[tuple[tuple[str, ...], Cost], ...] = ()

    @property
    def cost(self) -> Cost:
        """Return what all calls cost."""
        return sum(self.costs.values(), Cost())

    @property
    def near(self) -> bool:
        """Tell whether values may differ a little from the framework's, though they are those of the reference."""
        return is_near(self.node)


@dataclass(frozen=True, slots=True)
class Improvement:
    """The kernel by which the network gains most: its cycles, and the least that they could be.

    `least` are the cycles that its multiply-accumulates need on the core's multipliers, or its lines from memory; where
    it has none, those of the largest lower bound of the model for its instructions (`by_multiplies` is False).
    """

    kernel: str
    cycles: int
    least: float
    by_multiplies: bool


@dataclass(frozen=True, slots=True, eq=False)
class NetworkRun:
    """A network on one instruction set and core: its layers in the order of execution, and their sums."""

    graph: Graph
    isa: Isa
    core: ModelledCore | None
    inferences: int
    layers: tuple[LayerRun, ...]
    peak: Peak
    outputs: Mapping[str, Array] = field(repr=False)
    watched: bool = True

    @property
    def cost(self) -> Cost:
        """Return the cost of all layers."""
        return sum((layer.cost for layer in self.layers), Cost())

    @property
    def macs(self) -> int:
        """Return the multiply-accumulates of all layers."""
        return sum(layer.macs for layer in self.layers)

    @property
    def host_macs(self) -> int:
        """Return the multiply-accumulates of layers that no kernel computes."""
        return sum(layer.macs for layer in self.layers if layer.way == "host")

    @property
    def values(self) -> int:
        """Return the number of values that kernels computed and that were compared."""
        return sum(layer.values for layer in self.layers if layer.way == "kernels")

    @property
    def near(self) -> int:
        """Return the number of those of layers that the framework may round in another way than the reference."""
        return sum(layer.values for layer in self.layers if layer.way == "kernels" and layer.near)

    @property
    def wrong(self) -> int:
        """Return the number of those that are wrong."""
        return sum(layer.difference.wrong for layer in self.layers if layer.difference is not None)

    def by_kernel(self) -> dict[str, Cost]:
        """Return the cost of the calls of each kernel, the most expensive first."""
        found: dict[str, Cost] = {}
        for layer in self.layers:
            for title, cost in layer.costs.items():
                found[title] = found.get(title, Cost()) + cost
        return dict(sorted(found.items(), key=lambda item: (-item[1].cycles, -item[1].instructions, item[0])))

    def improvement(self) -> Improvement | None:
        """Return the kernel to improve first; None without a core, and for a network without kernels."""
        found = [
            Improvement(title, cost.cycles, cost.floor or cost.bound, cost.floor > 0)
            for title, cost in self.by_kernel().items()
            if cost.cycles
        ]
        return max(found, key=lambda one: one.cycles - one.least, default=None)


def run_network(
    graph: Graph,
    library: Library,
    isa: Isa,
    core: ModelledCore | None,
    inputs: list[dict[str, Array]],
    *,
    watched: bool = True,
    workers: Workers | None = None,
    done: Callable[[int], object] = lambda _: None,
) -> NetworkRun:
    """Run one inference after another on kernels of `library`, and compare every tensor with `neonlab.int8`.

    The kernels are those that are cheapest on `core` by its model; without a core, those of the fewest instructions.
    With `workers` calls are costed side by side, and what each costs is kept.
    `done` is called with 1 for each node that has its kernels, and for each inference: `len(graph.nodes) +
    len(inputs)` times.  Raises InputError for inputs that do not fit, and FaultError for a kernel that faults.
    """
    states = None
    expected = []
    for given in inputs:
        found = run_reference(graph, feed(graph, given, states))
        states = next_states(graph, found)
        expected.append(found)
    with CostModel(core, workers) as model:
        tried = try_ways(graph, Shelf(library, isa, core), model, expected[0], done)
        chosen = [cheapest(one, model) for one in tried]
    differences: dict[str, Difference] = {}
    states, outputs = None, {}
    with Caller(watched=watched) as caller:
        for number, given in enumerate(inputs):
            got = run_chosen(graph, chosen, caller, feed(graph, given, states))
            states = next_states(graph, got)
            for one in chosen:
                name = one.node.outputs[0]
                _compare(differences, number, name, got[name], expected[number][name])
            outputs = {name: got[name] for name in graph.outputs}
            done(1)
    views = {one.node.outputs[0]: one.node.inputs[0] for one in chosen if one.view}
    layers = tuple(_layer(graph, one, len(inputs), differences) for one in chosen)
    return NetworkRun(graph, isa, core, len(inputs), layers, peak_memory(graph, views), outputs, watched)


def cost_calls(
    graph: Graph,
    library: Library,
    isa: Isa,
    core: ModelledCore,
    given: dict[str, Array],
    workers: Workers,
    done: Callable[[int], object] = lambda _: None,
) -> None:
    """Cost the calls that are this shard's of all that `run_network` costs, and keep them in the results of `workers`.

    Raises InputError and FaultError as `run_network` does.
    """
    tensors = run_reference(graph, feed(graph, given, None))
    with CostModel(core, workers) as model:
        try_ways(graph, Shelf(library, isa, core), model, tensors, done)


def _compare(found: dict[str, Difference], number: int, name: str, got: Array, expected: Array) -> None:
    different = (got != expected) & ((got == got) | (expected == expected))  # two that are no numbers are alike
    wrong = int(different.sum())
    if not wrong:
        return
    before = found.get(name)
    if before is None:
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(different)), different.shape))
        found[name] = Difference(number, index, str(got[index]), str(expected[index]), wrong, got.size)
        return
    found[name] = Difference(
        before.inference, before.index, before.got, before.expected, before.wrong + wrong, before.total + got.size
    )


def _layer(graph: Graph, one: Chosen, inferences: int, differences: Mapping[str, Difference]) -> LayerRun:
    target = graph.tensor(one.node.outputs[0])
    kernels = () if one.step is None else tuple(kernel.title for kernel in one.step.kernels)
    return LayerRun(
        one.node,
        target.shape,
        "view" if one.view else "host" if one.step is None else "kernels",
        macs_of(graph, one.node),
        kernels,
        one.costs,
        0 if one.step is None else one.step.moved,
        target.size * inferences,
        differences.get(target.name),
        tuple((tuple(kernel.title for kernel in kernels), cost) for kernels, cost in one.tried),
    )


def macs_of(graph: Graph, node: Node) -> int:
    """Return the multiply-accumulates of a node: those of convolutions and fully connected layers, of floats too."""
    if "macs" in node.attributes:
        return int(node.attributes["macs"])
    operator = node.attributes["function"] if node.operator == "float" else node.operator
    if operator not in ("conv", "depthwise", "dense", "conv_transpose", "gemm"):
        return 0
    image, weights, output = (graph.tensor(name) for name in (*node.inputs[:2], node.outputs[0]))
    if operator == "depthwise":
        return output.size * math.prod(weights.shape[:2])
    if operator == "conv_transpose":
        # Weights of floats begin with the input channels, those of integers end with them.
        return image.size * math.prod(weights.shape[1:] if node.operator == "float" else weights.shape[:3])
    return output.size * (image.shape[-1] if operator == "gemm" else math.prod(weights.shape[1:]))
