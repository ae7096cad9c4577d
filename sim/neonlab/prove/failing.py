"""Run a kernel on inputs that may refute it: those of cases, and those at which expressions differ."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.prove.large import is_large
from neonlab.verify.cases.case import Array, Case, Depth
from neonlab.verify.cases.operator import Operator, OperatorError
from neonlab.verify.check_case import find_mismatch, run_case
from neonlab.verify.checker import Checker
from neonlab.verify.verdict import WITNESS, Failure

#: Cases whose values are tried as inputs that refute.
DRAWN = (("random", 1), ("extremes", 2), ("lowest", 1), ("highest", 1), ("opposed", 1), ("random", 3))


def fault_in(program: Program, contract: Contract, operator: Operator, case: Case) -> Failure | None:
    """Return the failure of a case under every check, None if there is none.

    A proof is about results.  Paths and addresses are the same for all inputs: so what is read beyond a buffer, or left
    changed for the caller, shows in one case.
    """
    witness = operator.refilled(contract, replace(case, pattern=WITNESS), case.inputs)
    found = _checker(program, contract).check(witness, Depth.LARGE if is_large(contract, case) else Depth.FULL)
    return None if found is None else replace(found, witness=witness)


@functools.lru_cache(maxsize=1)
def _checker(program: Program, contract: Contract) -> Checker:
    """Return a checker that serves every shape of a kernel: to make one takes longer than a small case."""
    return Checker(program, contract)


def refuted_by_cases(program: Program, contract: Contract, operator: Operator, case: Case) -> Failure | None:
    """Return how the kernel fails on the case or on one of those drawn, None if it is right on all."""
    found = run_witness(program, contract, operator, case, case.inputs)
    for pattern, seed in DRAWN:
        if found is not None:
            break
        if (pattern, seed) == (case.pattern, case.seed):
            continue
        try:
            other = operator.case(contract, case.shape, pattern, seed)
        except OperatorError:
            continue
        found = run_witness(program, contract, operator, case, other.inputs)
    return found


def run_witness(
    program: Program, contract: Contract, operator: Operator, case: Case, inputs: Mapping[str, Array]
) -> Failure | None:
    """Run the kernel on other inputs of a case; return the failure, None if it is right on them.

    A failure is what every check together makes of it, as if the case had been checked.
    """
    try:
        witness = operator.refilled(contract, replace(case, pattern=WITNESS), inputs)
    except OperatorError:
        return None
    with Machine(program) as machine:
        outcome = run_case(machine, contract, witness)
    fault = outcome if isinstance(outcome, Fault) else None
    mismatch = None if isinstance(outcome, Fault) else find_mismatch(program, contract, witness, outcome)
    if fault is None and mismatch is None:
        return None
    with Checker(program, contract) as checker:
        found = checker.check(witness)
    return replace(found or Failure(witness.name, fault=fault, mismatch=mismatch), witness=witness)
