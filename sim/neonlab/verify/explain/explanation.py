"""Explain why a case fails, on the smallest and sparsest case that fails in the same way."""

from __future__ import annotations

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.verify.cases.case import Case, Depth
from neonlab.verify.cases.operator import Operator
from neonlab.verify.check_case import RETURNED, call_arguments, step_budget
from neonlab.verify.checker import Checker
from neonlab.verify.explain.shrink import describe_inputs, shrink_case
from neonlab.verify.explain.slice import Slice, explain
from neonlab.verify.verdict import Explanation, Failure

#: Kinds of failure that depend on the data; for others the line and the shape say enough.
EXPLAINED = ("mismatch", "lane-wrap")
#: Bytes from which a case is large: trials then look for its failure, and for no other.
_LARGE = 1 << 20


def explain_failure(
    program: Program, contract: Contract, operator: Operator | None, case: Case, failure: Failure
) -> Explanation | None:
    """Shrink `case`, which fails with `failure`, and slice its wrong value; None where this would explain nothing."""
    if failure.identifier not in EXPLAINED:
        return None
    with Checker(program, contract) as checker:

        def fails(other: Case) -> bool:
            found = checker.check(other, _depth(other, failure))
            return found is not None and found.identifier == failure.identifier

        if not fails(case):
            return None
        small = shrink_case(case, contract, operator, fails)
        found = checker.check(small, _depth(small, failure))
    if found is None:
        return None
    sliced: Slice | None = None
    if found.mismatch is not None and found.mismatch.output != RETURNED:
        wrong = found.mismatch
        sliced = explain(
            program,
            contract,
            call_arguments(contract, small),
            wrong.output,
            wrong.offset,
            wrong.size,
            seed=small.seed,
            step_budget=step_budget(contract, small.integers),
        )
    return Explanation(
        shape=small.shape,
        inputs=describe_inputs(small),
        got=found.mismatch.got if found.mismatch else None,
        expected=found.mismatch.expected if found.mismatch else None,
        slice=sliced.to_json() if sliced else None,
        text=tuple(sliced.render().splitlines()) if sliced else (),
    )


def _depth(case: Case, failure: Failure) -> Depth:
    """Return how far to check a case that may fail as `failure` does."""
    if case.nbytes < _LARGE:
        return Depth.FULL
    return Depth.LARGE if failure.mismatch is None else Depth.QUICK
