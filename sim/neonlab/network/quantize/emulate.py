"""Run samples through a quantized network twice: on `neonlab.int8`, and on emulated kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Library
from neonlab.network.graph import Array, Graph
from neonlab.network.layout import to_file
from neonlab.network.reference.inference import feed, run_reference
from neonlab.network.run.choose import cheapest, run_chosen, try_ways
from neonlab.network.run.costs import CostModel
from neonlab.network.run.shelf import Shelf


@dataclass(frozen=True, slots=True, eq=False)
class Emulated:
    """The outputs of each sample by name, of the reference and of the kernels; of `values` compared, `wrong` differ.

    `layers` of all nodes ran on kernels, the others on this computer.
    """

    isa: Isa
    reference: Sequence[Mapping[str, Array]]
    kernels: Sequence[Mapping[str, Array]]
    values: int
    wrong: int
    layers: int
    nodes: int


def emulate(
    graph: Graph, library: Library, isa: Isa, samples: Sequence[Mapping[str, Array]], done: Callable[[int], object]
) -> Emulated:
    """Run the samples one after another; every tensor that a kernel computes is compared, bit by bit.

    The kernels are those of the fewest instructions.  `done` is called with 1 for each node and for each sample.
    Raises InputError for samples that do not fit, and FaultError for a kernel that faults.
    """
    reference: list[Mapping[str, Array]] = []
    kernels: list[Mapping[str, Array]] = []
    first = run_reference(graph, feed(graph, samples[0]))
    with CostModel(None) as model:
        tried = try_ways(graph, Shelf(library, isa, None), model, first, done)
        chosen = [cheapest(one, model) for one in tried]
    by_kernels = [one.node.outputs[0] for one in chosen if one.step is not None and not one.view]
    values = wrong = 0
    with Caller(watched=False) as caller:
        for sample in samples:
            given = feed(graph, sample)
            expected, got = run_reference(graph, given), run_chosen(graph, chosen, caller, given)
            for name in by_kernels:
                values += got[name].size
                wrong += int((got[name] != expected[name]).sum())
            for held, into in ((expected, reference), (got, kernels)):
                into.append({name: to_file(graph, held[name]) for name in graph.outputs})
            done(1)
    return Emulated(isa, reference, kernels, values, wrong, len(by_kernels), len(chosen))
