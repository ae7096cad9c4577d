"""Show that a reference gives the same results where a block of zeros is added to its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.prove.comparison.equality import compare
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.large import error_of, is_large, seed_of
from neonlab.prove.reference.array import SymbolicArray, symbolic
from neonlab.prove.reference.inputs import symbolic_inputs
from neonlab.prove.reference.outputs import nodes_of_inputs
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.places import Rows
from neonlab.verify.cases.case import Array, Case
from neonlab.verify.cases.operator import Operator


def check_reference(
    program: Program,
    contract: Contract,
    operator: Operator,
    cases: tuple[Case, Case],
    held: frozenset[str],
    rows: Mapping[str, Rows],
    gap: int,
) -> float:
    """Refuse unless results of the second case are those of the first one where block `gap` of each row is zeros.

    The second case has a size that is a block greater.  Return log2 of a bound on the chance that this is wrong, where
    sums are known by fingerprints; -inf where they are written out.
    """
    small, great = cases
    table = ExpressionTable(seed_of(program, great, held) if is_large(contract, great) else None)
    inputs, elements = symbolic_inputs(table, contract, small, held)
    first = nodes_of_inputs(operator, contract, small, inputs)
    more: dict[str, Array] = {}
    for name, array in inputs.items():
        if name not in rows:
            more[name] = array
            continue
        assert isinstance(array, SymbolicArray)
        itemsize = small.inputs[name].dtype.itemsize
        one = replace(rows[name], length=small.inputs[name].nbytes // rows[name].rows)
        filled = one.inserted(elements[name], gap, itemsize, 0)  # node 0 is the number 0
        more[name] = symbolic(array.value.with_ids(filled.reshape(great.inputs[name].shape)))
    second = nodes_of_inputs(operator, contract, great, more)
    ours, theirs = (np.concatenate([found[name].reshape(-1) for name in sorted(first)]) for found in (first, second))
    answer = compare(table, ours, theirs, every=False)
    if not answer.equal.all():
        raise Refusal(f"the reference at {great.shape} is not that at {small.shape} where zeros are added")
    return error_of(answer.canonical) if table.fingerprints else -np.inf
