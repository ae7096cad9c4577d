"""One kernel under every check: memory, procedure call, lanes, noise, and the result itself.

A case that comes out right has been run twice, with other noise in everything that nobody set, and other registers.
What goes wrong is put down to the cause that explains most: a value that depends on noise first (an address made of an
unset register is out of bounds only by consequence), then a lane that wrapped, then the fault as it showed, then a
result that differs.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from types import TracebackType
from typing import Self

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.model.isa import Isa
from neonlab.measure.counts import Counts, CountsProbe
from neonlab.verify.cases.case import Case, Depth
from neonlab.verify.check_case import call_arguments, find_mismatch, step_budget
from neonlab.verify.coverage import Coverage
from neonlab.verify.coverage_count import CoverageCount
from neonlab.verify.known_faults import KnownFaults, looking_past
from neonlab.verify.lanes.reach import harmful_wrap
from neonlab.verify.lanes.views import Checked
from neonlab.verify.lanes.wrap import LaneWrapProbe
from neonlab.verify.memory.placement import place_arguments
from neonlab.verify.memory.sanitizer import stack_bytes_for
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.uninitialised.narrow_arguments import depends_on_upper_half
from neonlab.verify.uninitialised.noise_check import EVERY_ROUND, UnsetCheck
from neonlab.verify.verdict import UNKNOWN_DATA, Failure, Mismatch

#: Of the step budget, the part in which a kernel that ran out of it is watched again for why.
_SOONER = 8


def placed_arguments(contract: Contract, passed: list[Argument], case: Case, depth: Depth) -> list[Argument]:
    """`passed` with the buffers where the case and the depth have them.

    Unicorn takes five times as long over accesses that are not aligned to 8.  Of large cases in A64, none are: no load
    or store of vectors faults there for where it lies, as they do in A32.
    """
    least = 8 if depth is Depth.LARGE and contract.isa is Isa.A64 else 1
    return place_arguments(contract, passed, 0 if depth is Depth.QUICK else case.placement, least)


class Checker:
    """Runs cases of one kernel, one after another; a context manager, since it holds emulators."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self.program, self.contract = program, contract
        self._covered = CoverageCount(program)
        self._known = KnownFaults(program, contract)

    @property
    def coverage(self) -> Coverage:
        """What the cases checked so far ran of the program."""
        return self._covered.coverage()

    @property
    def accepted(self) -> tuple[int, ...]:
        """On how many of the cases checked so far each fault showed that the contract accepts."""
        return tuple(self._known.cases)

    @functools.cached_property
    def _looking_past(self) -> Checker:
        return Checker(self.program, looking_past(self.contract))

    @functools.cached_property
    def _lanes(self) -> LaneWrapProbe:
        return LaneWrapProbe(self.program, self.contract)

    @property
    def checked(self) -> tuple[Checked, ...]:
        """The instructions whose lanes are watched."""
        return self._lanes.checked

    @functools.cached_property
    def _watched(self) -> SanitizedMachine:
        return SanitizedMachine(self.program, self.contract, probes=(self._lanes,))

    @functools.cached_property
    def _plain_meter(self) -> CountsProbe:
        return CountsProbe(self.program)

    @functools.cached_property
    def _plain(self) -> Machine:
        return Machine(self.program, probes=(self._plain_meter,))

    @functools.cached_property
    def _unset(self) -> UnsetCheck:
        return UnsetCheck(self.program, self.contract)

    def counts(self) -> Counts:
        """What the last case checked with `Depth.QUICK` executed."""
        return self._plain_meter.collect()

    def check(self, case: Case, depth: Depth = Depth.FULL) -> Failure | None:
        """None where the kernel is right on the case, as far as `depth` looks, but for faults its contract accepts."""
        showed: set[int] = set()
        found = self._beyond_accepted(case, depth, showed)
        for number in showed:
            self._known.cases[number] += 1
        return found

    def _beyond_accepted(self, case: Case, depth: Depth, showed: set[int]) -> Failure | None:
        """What is wrong besides accepted faults; the numbers of those are added to `showed`.

        The case is checked again with all of them looked past.  One that shows even then (what depends on something
        unset is found by comparing whole calls) hides others of its kind: there the result at least is compared.
        """
        found = self._look(case, depth)
        number = self._known.number_of(found.fault if found is not None else None)
        if found is None or number is None:
            return found
        showed.add(number)
        rest = self._looking_past._look(case, depth)
        number = self._known.number_of(rest.fault if rest is not None else None)
        if rest is None or number is None:
            return rest
        showed.add(number)
        return self._result_alone(case, depth, rest)

    def _result_alone(self, case: Case, depth: Depth, accepted: Failure) -> Failure | None:
        """The failure of a wrong result behind an accepted fault, or the fault itself where there is no result."""
        arguments = placed_arguments(self.contract, call_arguments(self.contract, case), case, depth)
        outcome = self._call(self._plain, arguments, case, case.seed)
        if isinstance(outcome, Fault):
            assert accepted.fault is not None
            told = f"{accepted.fault.message}; it is accepted, but the call does not complete: {outcome.message}"
            return replace(accepted, fault=replace(accepted.fault, message=told))
        mismatch = self._mismatch(case, outcome)
        return Failure(str(case.shape), case.pattern, case.seed, mismatch=mismatch) if mismatch is not None else None

    def _look(self, case: Case, depth: Depth) -> Failure | None:
        """The first and most telling thing that is wrong, accepted or not."""
        passed = call_arguments(self.contract, case)
        arguments = placed_arguments(self.contract, passed, case, depth)
        quick = depth is Depth.QUICK
        outcome = self._call(self._plain if quick else self._watched, arguments, case, case.seed)
        self._covered.add(self._plain_meter if quick else self._watched.meter)
        mismatch = self._mismatch(case, outcome)
        fault = outcome if isinstance(outcome, Fault) else None
        if not quick:
            wrapped = self._lanes.collect(case.seed)
            if fault is not None or mismatch is not None or wrapped is not None:
                fault = self._cause(case, arguments, fault, mismatch, wrapped)
            elif depth is Depth.FULL:
                fault = self._depends(case, passed, step_budget(self.contract, case.integers))
        if fault is None and mismatch is None:
            return None
        found = Failure(str(case.shape), case.pattern, case.seed, fault=fault, mismatch=None if fault else mismatch)
        if quick and (fault is None or fault.kind is not FaultKind.STEP_BUDGET):
            # What was only compared says what is wrong when it is watched, as it would of another case.
            return self._look(case, Depth.LARGE) or found
        return found

    def _call(
        self, machine: Machine | SanitizedMachine, arguments: list[Argument], case: Case, noise: int
    ) -> Run | Fault:
        return machine.call(
            self.contract.name,
            arguments,
            self.contract.signature,
            float_abi=self.contract.float_abi,
            step_budget=step_budget(self.contract, case.integers),
            seed=noise,
        )

    def _mismatch(self, case: Case, outcome: Run | Fault) -> Mismatch | None:
        if isinstance(outcome, Fault):
            return None
        return find_mismatch(self.program, self.contract, case, outcome)

    def _cause(
        self,
        case: Case,
        arguments: list[Argument],
        fault: Fault | None,
        mismatch: Mismatch | None,
        wrapped: Fault | None,
    ) -> Fault | None:
        """Of all that is wrong, what explains most; None for a result that is merely wrong, or a harmless wrap."""

        def failed(other: Run | Fault) -> bool:
            return isinstance(other, Fault) or self._mismatch(case, other) is not None

        # What never came back needs not be waited for to the end again and again.
        endless = fault is not None and fault.kind is FaultKind.STEP_BUDGET
        budget = step_budget(self.contract, case.integers) // (_SOONER if endless else 1)
        if fault is not None or mismatch is not None:
            upper = depends_on_upper_half(
                self.program, self.contract, arguments, failed, seed=case.seed, step_budget=budget
            )
            if upper is not None:
                return upper
        unset = self._depends(case, arguments, budget, EVERY_ROUND)
        if unset is not None and unset.kind in UNKNOWN_DATA:
            return unset
        if endless:  # lanes that wrapped on the way did not make it so
            return fault
        return (self._harmful_wrap(case, arguments) if wrapped is not None else None) or fault

    def _harmful_wrap(self, case: Case, arguments: list[Argument]) -> Fault | None:
        """The first lane that wrapped and of which something comes; one that nobody reads may wrap as it likes."""
        return harmful_wrap(
            self.program,
            self.contract,
            self._lanes,
            lambda machine: self._call(machine, arguments, case, case.seed),
            case.seed,
            stack_bytes_for(self.contract),
        )

    def _depends(self, case: Case, arguments: list[Argument], budget: int, rounds: int = 2) -> Fault | None:
        return self._unset.find(arguments, seed=case.seed, step_budget=budget, rounds=rounds)

    def close(self) -> None:
        """Free the emulators."""
        for name in ("_watched", "_plain", "_unset", "_looking_past"):
            if name in self.__dict__:
                self.__dict__.pop(name).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
