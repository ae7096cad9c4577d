"""Run one kernel under every check: memory, procedure call, lanes, uninitialised data, and the result itself.

A case that comes out right has been run twice, with different noise in registers and memory that nobody set.  A failure
is attributed to the cause that explains most.  A value that depends on noise comes first, since an address made from an
uninitialised register is out of bounds only as a consequence; then a lane that wrapped, then the fault as it showed,
then a wrong result.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.host.closing import Closing
from neonlab.isa.model.isa import Isa
from neonlab.measure.counts import Counts, CountsProbe
from neonlab.verify.abi.unwatched import UnwatchedCheck
from neonlab.verify.cases.case import Case, Depth
from neonlab.verify.check_case import call_arguments, find_mismatch, step_budget
from neonlab.verify.coverage import Coverage, Extent
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

#: Bytes from which a buffer of a quick case is aligned for the emulator's sake.
_LARGE_BUFFER = 1 << 19
#: A kernel that exhausted its step budget is run again for the cause with the budget divided by this.
_SOONER = 8


def placed_arguments(contract: Contract, passed: list[Argument], case: Case, depth: Depth) -> list[Argument]:
    """Return `passed` with the buffers placed as the case and the depth demand.

    Unicorn takes five times as long over accesses that are not aligned to 8 bytes, so large cases in A64 are aligned,
    and so are large buffers where results alone are compared.  In A64 no vector load or store faults for its alignment;
    in A32 some do.
    """
    if depth is Depth.QUICK and any(isinstance(one, Buffer) and one.size > _LARGE_BUFFER for one in passed):
        return place_arguments(contract, passed, 1, 64)
    least = 8 if depth is Depth.LARGE and contract.isa is Isa.A64 else 1
    return place_arguments(contract, passed, 0 if depth is Depth.QUICK else case.placement, least)


class Checker(Closing):
    """Runs cases of one kernel, one after another.  It is a context manager, since it holds emulators."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self.program, self.contract = program, contract
        self._covered = CoverageCount(program)
        self._known = KnownFaults(program, contract)

    @property
    def coverage(self) -> Coverage:
        """Return the parts of the program that the cases checked so far executed."""
        return self._covered.coverage()

    @property
    def extent(self) -> Extent:
        """Return how much of the program the last case executed."""
        return self._covered.extent()

    @property
    def accepted(self) -> tuple[int, ...]:
        """Return, for each fault that the contract accepts, the number of cases so far in which it showed."""
        return tuple(self._known.cases)

    @functools.cached_property
    def _looking_past(self) -> Checker:
        return Checker(self.program, looking_past(self.contract))

    @functools.cached_property
    def _lanes(self) -> LaneWrapProbe:
        return LaneWrapProbe(self.program, self.contract)

    @property
    def checked(self) -> tuple[Checked, ...]:
        """Return the instructions whose lanes are watched."""
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
    def _unwatched(self) -> UnwatchedCheck:
        return UnwatchedCheck(self.program, self.contract)

    @functools.cached_property
    def _unset(self) -> UnsetCheck:
        return UnsetCheck(self.program, self.contract)

    def counts(self) -> Counts:
        """Return the counts of the last case checked with `Depth.QUICK`."""
        return self._plain_meter.collect()

    def check(self, case: Case, depth: Depth = Depth.FULL) -> Failure | None:
        """Check the case as far as `depth` says.

        Return its failure, or None if nothing showed but faults that the contract accepts.
        """
        showed: set[int] = set()
        found = self._beyond_accepted(case, depth, showed)
        for number in showed:
            self._known.cases[number] += 1
        return found

    def _beyond_accepted(self, case: Case, depth: Depth, showed: set[int]) -> Failure | None:
        """Return the failure beside accepted faults, and add the numbers of those that showed to `showed`.

        The case is checked again with all accepted faults ignored.  A fault that shows even then hides others of its
        kind, since dependence on uninitialised data is found by comparing whole calls; then only the result is
        compared.
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
        """Return the failure of a wrong result behind an accepted fault; the fault if the call does not complete."""
        arguments = placed_arguments(self.contract, call_arguments(self.contract, case), case, depth)
        outcome = self._call(self._plain, arguments, case, case.seed)
        if isinstance(outcome, Fault):
            assert accepted.fault is not None
            told = f"{accepted.fault.message}; it is accepted, but the call does not complete: {outcome.message}"
            return replace(accepted, fault=replace(accepted.fault, message=told))
        mismatch = self._mismatch(case, outcome)
        return Failure(case.name, mismatch=mismatch) if mismatch is not None else None

    def _look(self, case: Case, depth: Depth) -> Failure | None:
        """Return the failure that explains most, accepted or not; None if the case is right."""
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
            due = quick and self._unwatched.is_due(self._plain.entry_state, self._plain.exit_state, self._plain_meter)
            return self._look(case, Depth.LARGE) if due else None
        found = Failure(case.name, fault=fault, mismatch=None if fault else mismatch)
        if quick and (fault is None or fault.kind is not FaultKind.STEP_BUDGET):
            # A quick check only compares results; a watched run finds the cause.
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
        """Return the fault that explains most; None for a result that is merely wrong, or for a harmless wrap."""

        def failed(other: Run | Fault) -> bool:
            return isinstance(other, Fault) or self._mismatch(case, other) is not None

        # A call that never returns need not run to the full budget again.
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
        if endless:  # wrapped lanes are not the cause of an endless loop
            return fault
        return (self._harmful_wrap(case, arguments) if wrapped is not None else None) or fault

    def _harmful_wrap(self, case: Case, arguments: list[Argument]) -> Fault | None:
        """Return the fault of the first wrapped lane that affects a result; None if no wrapped lane is read."""
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
