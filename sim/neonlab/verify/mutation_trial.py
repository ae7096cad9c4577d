"""Whether the cases of a kernel tell a mutant of it from the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neonlab.assemble.contract import Contract
from neonlab.assemble.program import Program
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.verify.case import Case
from neonlab.verify.check_case import call_arguments, step_budget
from neonlab.verify.checker import Checker
from neonlab.verify.mutation import Mutant, mutated
from neonlab.verify.placement import place_arguments

#: Cases, the largest, that a mutant is tried on without explanations before the checker gets it.
_TELLING = 6


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A case and what its call takes: the same for every mutant."""

    case: Case
    arguments: list[Argument]
    budget: int


class Trial:
    """Tries mutants of one program on the cases of its kernel, as `Checker` would, until the first that fails."""

    def __init__(self, program: Program, contract: Contract, cases: Sequence[Case]) -> None:
        self.program, self.contract = program, contract
        # The larger a shape the more of the kernel it runs; data at random are hit by most slips.
        ordered = sorted(cases, key=lambda case: (-sum(case.shape.sizes), case.pattern != "random"))
        self._cases = [
            _Prepared(
                case,
                place_arguments(contract, call_arguments(contract, case), case.placement),
                step_budget(contract, case.integers),
            )
            for case in ordered
        ]

    def judge(self, mutant: Mutant) -> str | None:
        """Identifier of what kills the mutant, None where it survives every case.

        Results that differ and plain faults show on a machine without watchers, fifteen times sooner; whatever gets
        past that is the checker's.
        """
        program = mutated(self.program, mutant)
        return self._plainly(program) or self._thoroughly(program)

    def _plainly(self, program: Program) -> str | None:
        with Machine(program) as machine:
            for prepared in self._cases[:_TELLING]:
                outcome = machine.call(
                    self.contract.name,
                    prepared.arguments,
                    self.contract.signature,
                    float_abi=self.contract.float_abi,
                    step_budget=prepared.budget,
                    seed=prepared.case.seed,
                )
                if isinstance(outcome, Fault):
                    return outcome.kind.value
                if _differs(prepared.case, outcome):
                    return FaultKind.MISMATCH.value
        return None

    def _thoroughly(self, program: Program) -> str | None:
        with Checker(program, self.contract) as checker:
            for prepared in self._cases:
                failure = checker.check(prepared.case)
                if failure is not None:
                    return failure.identifier
        return None


def _differs(case: Case, run: Run) -> bool:
    for name, expected in case.expected.items():
        got = run.outputs[name].view(np.uint8).reshape(-1)[: expected.array.nbytes]
        if got.tobytes() != expected.array.tobytes():
            return True
    return False
