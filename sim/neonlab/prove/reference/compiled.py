"""Follow a C reference that is compiled for the guest, as a kernel is followed: it gives a node for each result.

The nodes are compared with what the reference wrote in the recorded case, and with its results for other inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.prove.expressions.evaluate import elements_of, evaluate
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.kernel.symbolic_run import DECIDES_PATH, kernel_nodes
from neonlab.prove.reference.inputs import input_values
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Array, Case
from neonlab.verify.cases.operator import Operator
from neonlab.verify.check_case import RETURNED

#: Patterns of the data beside the case's own that the nodes are checked at.
_PATTERNS = ("random", "extremes", "lowest", "highest", "alternating")
_ADVICE = "write the choice as a conditional expression, which -O2 mostly compiles to an instruction that selects"
#: The same where the source has such an expression.
_ADVICE_ON_EXPRESSION = (
    "the compiler made a branch of this conditional expression. It selects where both values are there before the "
    "choice: load and compute them into variables of their own"
)


@runtime_checkable
class CompiledReference(Protocol):
    """An operator whose reference is code of the guest."""

    def code_to_follow(self) -> tuple[Program, Contract]:
        """Return the reference's program, and the contract that names its symbol."""
        ...


def compiled_nodes(
    operator: Operator, case: Case, table: ExpressionTable, elements: Mapping[str, Ids], limit: int
) -> dict[str, Ids]:
    """Return the nodes of each output that the reference writes, and of what it returns, for all inputs in `elements`.

    `operator` is a CompiledReference.  Raises Refusal where the reference cannot be followed in `limit` steps, and
    where the nodes differ from its results on numbers.
    """
    assert isinstance(operator, CompiledReference)
    program, contract = operator.code_to_follow()
    try:
        found = kernel_nodes(program, contract, case, table, elements, limit)
    except Refusal as refusal:
        raise Refusal(_said(contract.name, refusal, program), refusal.inputs, refusal.place) from None
    names = sorted(found.outputs)
    outputs = np.concatenate([found.outputs[name].reshape(-1) for name in names])
    inputs = [table.nodes["amount"][ids] for ids in elements.values()]
    if np.setdiff1d(elements_of(table, outputs), np.concatenate([one.reshape(-1) for one in inputs])).size:
        raise Refusal(f"the reference `{contract.name}` leaves bytes of its outputs as they were")
    draws = list(_draws(operator, contract, case, table, elements))
    values = np.stack([input_values(table, elements, drawn.inputs) for drawn in draws])
    for drawn, got in zip(draws, evaluate(table, outputs, values), strict=True):
        if not np.array_equal(got, np.concatenate([_numbers(drawn, name) for name in names])):
            raise Refusal(
                f"the expressions of the reference `{contract.name}` differ from its results at {drawn.title}: "
                "a rule of the prover is wrong"
            )
    return dict(found.outputs)


def _said(name: str, refusal: Refusal, program: Program) -> str:
    reason = refusal.reason
    if reason.startswith(DECIDES_PATH):
        lines = (line for line in program.lines.values() if f"{line.path}:{line.line}" == refusal.place)
        line = next(lines, None)
        advice = _ADVICE_ON_EXPRESSION if line is not None and "?" in line.text else _ADVICE
        return f"the reference `{name}` decides its path by the data{reason.removeprefix(DECIDES_PATH)}: {advice}"
    return f"the reference `{name}` cannot be followed: {reason}"


def _numbers(case: Case, name: str) -> Array:
    """Return what is expected of an output as numbers, floats as those of their bits."""
    if name == RETURNED:
        return np.array([case.returned], np.int64)
    array = np.ascontiguousarray(case.expected[name].array).reshape(-1)
    return (array.view(np.uint32) if array.dtype.kind == "f" else array).astype(np.int64)


def _draws(
    operator: Operator, contract: Contract, case: Case, table: ExpressionTable, elements: Mapping[str, Ids]
) -> Iterator[Case]:
    """Yield the case, and the same one with other data in what is not held."""
    yield case
    if table.fingerprints:  # sums without operands have their values at the case alone
        return
    for seed, pattern in enumerate(_PATTERNS, case.seed + 1):
        other = operator.case(contract, case.shape, pattern, seed)
        drawn = {name: other.inputs[name] if name in elements else array for name, array in case.inputs.items()}
        if all(drawn[name].shape == array.shape for name, array in case.inputs.items()):
            yield operator.refilled(contract, case, drawn)
