"""Find whether the cases of a kernel detect a mutant of it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.verify.cases.case import Case, Depth
from neonlab.verify.check_case import call_arguments, is_right, step_budget
from neonlab.verify.checker import Checker, placed_arguments
from neonlab.verify.mutation.equivalence import READS_MORE, Equivalence
from neonlab.verify.mutation.mutants import Mutant, mutated

#: Number of largest cases that a mutant runs on without the checker's probes first.
_TELLING = 6


@dataclass(frozen=True, slots=True)
class Judgement:
    """The fate of one mutant: `killed` by a fault of that identifier, or equivalent for a `reason`, or neither."""

    killed: str | None = None
    reason: str | None = None

    @property
    def survives(self) -> bool:
        """Tell whether the mutant was neither killed nor shown to be equivalent."""
        return self.killed is None and self.reason is None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A case and the arguments of its call, which are the same for every mutant."""

    case: Case
    depth: Depth
    arguments: list[Argument]
    budget: int


class Trial:
    """Tries mutants of one program on the cases of its kernel, as `Checker` would, until the first that fails."""

    def __init__(self, program: Program, contract: Contract, cases: Sequence[tuple[Case, Depth]]) -> None:
        self.program, self.contract = program, contract
        # Larger shapes run more of the kernel, and random data show most slips.
        ordered = sorted(cases, key=lambda item: (item[0].pattern != "random", -sum(item[0].shape.sizes)))
        self._cases = [
            _Prepared(
                case,
                depth,
                placed_arguments(contract, call_arguments(contract, case), case, depth),
                step_budget(contract, case.integers),
            )
            for case, depth in ordered
        ]

    def judge(self, mutant: Mutant) -> Judgement:
        """Find whether a case kills the mutant, or a rule shows it to be equivalent.

        A few cases run without probes first, which is far faster and shows wrong results and plain faults.  Then the
        rules are tried.  A mutant that is still undecided runs on all cases, last under the checker.
        """
        program, cases = mutated(self.program, mutant), self._reaching(mutant)
        killed = self._plainly(program, cases[:_TELLING])
        if killed is not None:
            return Judgement(killed)
        reason = self._equivalence.reason(mutant)
        if reason is not None and reason != READS_MORE:
            return Judgement(reason=reason)
        killed = self._plainly(program, cases[_TELLING:]) or self._thoroughly(program, cases)
        return Judgement(killed) if killed is not None else Judgement(reason=reason)

    def killer(self, mutant: Mutant) -> str | None:
        """Return the identifier of the fault that kills the mutant, None if it survives every case; try no rule."""
        program, cases = mutated(self.program, mutant), self._reaching(mutant)
        return self._plainly(program, cases) or self._thoroughly(program, cases)

    def plainly_killed(self, mutant: Mutant) -> str | None:
        """Return the identifier of the fault that kills the mutant without the checker's probes, or None."""
        return self._plainly(mutated(self.program, mutant), self._reaching(mutant))

    def excuse(self, mutant: Mutant) -> str | None:
        """Return the reason why the mutant is equivalent, None if no rule gives one; the cases are not run."""
        return self._equivalence.reason(mutant)

    def close(self) -> None:
        """Free the emulator of the rules."""
        if "_equivalence" in self.__dict__:
            self.__dict__.pop("_equivalence").close()

    @functools.cached_property
    def _equivalence(self) -> Equivalence:
        return Equivalence(self.program, self.contract)

    def _reaching(self, mutant: Mutant) -> list[_Prepared]:
        """Return the cases that run the changed instructions; in all others the mutant is the same as the program."""
        start, base = self._executed
        first = (mutant.address - base) // 2
        changed = slice(first, first + 2 * len(mutant.words))
        return [prepared for prepared, ran in zip(self._cases, start, strict=True) if ran[changed].any()]

    @functools.cached_property
    def _executed(self) -> tuple[list[npt.NDArray[np.bool_]], int]:
        """Return a mask of the executed halfwords of code for each case, and the address of the first halfword."""
        meter = BlockMeter(self.program)
        found = []
        with Machine(self.program, probes=(meter,)) as machine:
            for prepared in self._cases:
                self._call(machine, prepared)
                found.append(meter.executions() > 0)
        return found, meter.base

    def _call(self, machine: Machine, prepared: _Prepared) -> Run | Fault:
        return machine.call(
            self.contract.name,
            prepared.arguments,
            self.contract.signature,
            float_abi=self.contract.float_abi,
            step_budget=prepared.budget,
            seed=prepared.case.seed,
        )

    def _plainly(self, program: Program, cases: Sequence[_Prepared]) -> str | None:
        if not cases:
            return None
        with Machine(program) as machine:
            for prepared in cases:
                outcome = self._call(machine, prepared)
                if isinstance(outcome, Fault):
                    return outcome.kind.value
                if not is_right(self.contract, prepared.case, outcome):
                    return FaultKind.MISMATCH.value
        return None

    def _thoroughly(self, program: Program, cases: Sequence[_Prepared]) -> str | None:
        with Checker(program, self.contract) as checker:
            for prepared in cases:
                failure = checker.check(prepared.case, prepared.depth)
                if failure is not None:
                    return failure.identifier
        return None
