"""Apply every pass in its order."""

from __future__ import annotations

from neonlab.network.graph import Graph
from neonlab.network.passes.batch_norm import fold_batch_norm
from neonlab.network.passes.clusters import integer_operators
from neonlab.network.passes.moves import move_before
from neonlab.network.passes.pairs import join_pairs, quantize_early
from neonlab.network.passes.quantized import quantize_before, requantize_sums
from neonlab.network.passes.rewrite import Pass, Passed
from neonlab.network.passes.signed import sign_activations
from neonlab.network.passes.tables import join_tables
from neonlab.network.passes.twins import join_twins
from neonlab.network.passes.weights import quantize_weights
from neonlab.network.passes.windows import clamp_inside, pad_inside, pool_before

#: In this order: what one makes the next ones find.
PASSES: tuple[Pass, ...] = (
    fold_batch_norm,
    join_twins,
    join_pairs,
    quantize_early,
    move_before,
    quantize_weights,
    integer_operators,
    quantize_before,
    requantize_sums,
    pool_before,
    move_before,
    join_tables,
    clamp_inside,
    pad_inside,
    sign_activations,
)


def apply_passes(graph: Graph) -> Passed:
    """Return the graph after all passes, and what each of them did."""
    notes: tuple[str, ...] = ()
    for one in PASSES:
        found = one(graph)
        graph, notes = found.graph, (*notes, *found.notes)
    return Passed(graph, notes)
