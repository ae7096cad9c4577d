"""Whether the cases of a kernel tell a mutant of it from the kernel."""

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

#: Cases, the largest, that a mutant is tried on without explanations before the checker gets it.
_TELLING = 6


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one mutant: `killed` by a fault of that identifier, or no worse for a `reason`, or neither."""

    killed: str | None = None
    reason: str | None = None

    @property
    def survives(self) -> bool:
        """Neither killed nor known to be no worse."""
        return self.killed is None and self.reason is None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A case and what its call takes: the same for every mutant."""

    case: Case
    depth: Depth
    arguments: list[Argument]
    budget: int


class Trial:
    """Tries mutants of one program on the cases of its kernel, as `Checker` would, until the first that fails."""

    def __init__(self, program: Program, contract: Contract, cases: Sequence[tuple[Case, Depth]]) -> None:
        self.program, self.contract = program, contract
        # The larger a shape the more of the kernel it runs; data at random are hit by most slips.
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
        """Whether a case kills the mutant; if none does, whether a rule says that none can.

        Results that differ and plain faults show on a machine without watchers, far sooner; whatever gets past that
        is the checker's, unless it is known to do what the program does.
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
        """Identifier of what kills the mutant, None where it survives every case, whatever the rules say."""
        program, cases = mutated(self.program, mutant), self._reaching(mutant)
        return self._plainly(program, cases) or self._thoroughly(program, cases)

    def plainly_killed(self, mutant: Mutant) -> str | None:
        """Identifier of what kills the mutant without the checker's watchers, None where nothing does."""
        return self._plainly(mutated(self.program, mutant), self._reaching(mutant))

    def excuse(self, mutant: Mutant) -> str | None:
        """Reason why the mutant does what the program does, None where no rule says so, whatever the cases say."""
        return self._equivalence.reason(mutant)

    def close(self) -> None:
        """Free the emulator of the rules."""
        if "_equivalence" in self.__dict__:
            self.__dict__.pop("_equivalence").close()

    @functools.cached_property
    def _equivalence(self) -> Equivalence:
        return Equivalence(self.program, self.contract)

    def _reaching(self, mutant: Mutant) -> list[_Prepared]:
        """The cases that run what the mutant changes; in all others it is the program."""
        start, base = self._executed
        first = (mutant.address - base) // 2
        changed = slice(first, first + 2 * len(mutant.words))
        return [prepared for prepared, ran in zip(self._cases, start, strict=True) if ran[changed].any()]

    @functools.cached_property
    def _executed(self) -> tuple[list[npt.NDArray[np.bool_]], int]:
        """For each case which halfwords of the code the program runs, and the address of the first of these."""
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
