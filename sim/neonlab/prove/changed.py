"""Prove changed copies of a kernel equal to the kernel itself, which is followed only once at each shape.

    prover = ChangedKernels(program, contract, operator, shapes)
    found = prover.prove(changed, address, size)

A copy is compared at shapes that run the changed code.  Both are followed with the same inputs as any value: those that
the reference does not need as numbers, and where that does not do, those that are no parameters.  Inputs that show a
difference are run, and the reference says which is right.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import Machine
from neonlab.measure.shape import Shape
from neonlab.prove.judge import Sides, beside, coded, judged, more_held, parameters, reference_side, with_kernel
from neonlab.prove.proof import ProofStatus, ShapeProof
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.operator import Operator
from neonlab.verify.check_case import run_case

#: Shapes that run an instruction, if so many do, and most at which one copy is proved.
_FOR_EACH, _FOR_ONE = 3, 6
#: Shapes at which the kernel is kept as it was followed.
_KEPT = 12


@dataclass(frozen=True, eq=False)
class _Site:
    """A shape with the case whose path is followed, and the halfwords of code that it runs, from `base` on."""

    shape: Shape
    case: Case
    runs: npt.NDArray[np.bool_]
    base: int

    def reaches(self, address: int, size: int) -> bool:
        """Tell whether any byte of code from `address` on, `size` of them, is run."""
        first = (address - self.base) // 2
        return bool(self.runs[first : first + size // 2].any())


@dataclass(frozen=True, eq=False)
class _Followed:
    """The kernel beside its reference, with the inputs that are held."""

    sides: Sides
    held: frozenset[str]


class ChangedKernels:
    """Proves copies of one kernel.

    `sites` are the shapes to prove copies at: those given if they are `chosen`, else as few of them as run each
    instruction three times.
    """

    def __init__(
        self, program: Program, contract: Contract, operator: Operator, shapes: Sequence[Shape], seed: int, chosen: bool
    ) -> None:
        self._program, self._contract, self._operator, self._seed = program, contract, operator, seed
        sites = self._sites(shapes)
        self.sites = sites if chosen else _covering(sites)
        self._kernel = functools.lru_cache(maxsize=_KEPT)(self._follow)

    def prove(self, program: Program, address: int, size: int) -> list[ShapeProof]:
        """Return what can be shown of a copy with other code in `size` bytes from `address` on, shape by shape.

        PROVED means that it gives the same results as the kernel for every input that the contract allows, but for
        inputs that are held; REFUTED that inputs were run for which it fails.  The list ends at the first shape that
        refutes it.  It is empty where no shape that can be followed runs that code.
        """
        found: list[ShapeProof] = []
        for site, kernel in self._reaching(address, size):
            one = self._compared(site, kernel, program)
            if one.status is ProofStatus.NOT_PROVED:
                holding = self._kernel(site.shape, True)
                again = self._compared(site, holding, program) if holding is not None else one
                one = again if again.status is not ProofStatus.NOT_PROVED else one
            found.append(one)
            if one.status is ProofStatus.REFUTED:
                break
        return found

    def _compared(self, site: _Site, kernel: _Followed, program: Program) -> ShapeProof:
        held = tuple(sorted(kernel.held))
        unproved = ShapeProof(site.shape, ProofStatus.NOT_PROVED, self._seed, held)
        try:
            sides = beside(kernel.sides, program, self._contract)
        except Refusal as refusal:
            return replace(unproved, reason=refusal.reason, where=refusal.place)
        return judged(program, self._contract, self._operator, sides, unproved, kernel.held, look=True)

    def _reaching(self, address: int, size: int) -> list[tuple[_Site, _Followed]]:
        """Return the shapes to prove a copy at, evenly spaced from the smallest to the largest that serve."""
        reached = [(site, self._kernel(site.shape, False)) for site in self.sites if site.reaches(address, size)]
        sites = [(site, kernel) for site, kernel in reached if kernel is not None]
        spaced = {round(place) for place in np.linspace(0, len(sites) - 1, _FOR_ONE).tolist()} if sites else ()
        return [sites[number] for number in sorted(spaced)]

    def _follow(self, shape: Shape, holds_parameters: bool) -> _Followed | None:
        """Follow the kernel, with those inputs held whose numbers the reference needs; None where that fails.

        Parameters are held if asked, and where it fails without.
        """
        case = next(site.case for site in self.sites if site.shape == shape)
        every = parameters(self._contract) & case.inputs.keys()
        held = coded(self._operator, case) | (every if holds_parameters else frozenset())
        while True:
            try:
                reference = reference_side(self._program, self._contract, self._operator, case, held)
                return _Followed(with_kernel(reference, self._program, self._contract), held)
            except Refusal as refusal:
                more = more_held(self._contract, self._operator, case, held, refusal)
                if more is None and every <= held:
                    return None
                held = held | every if more is None else more

    def _sites(self, shapes: Sequence[Shape]) -> list[_Site]:
        meter, found = BlockMeter(self._program), []
        with Machine(self._program, probes=(meter,)) as machine:
            for shape in shapes:
                case = self._operator.case(self._contract, shape, "random", self._seed)
                run_case(machine, self._contract, case)
                found.append(_Site(shape, case, meter.executions() > 0, meter.base))
        return found


def _covering(sites: Sequence[_Site]) -> list[_Site]:
    """Return as few sites as greedily run each halfword three times, if so many of them run it; the order stays."""
    if not sites:
        return []
    runs = np.array([site.runs for site in sites])
    wanted = np.minimum(runs.sum(axis=0), _FOR_EACH)
    chosen: set[int] = set()
    while wanted.any():
        gains = (runs & (wanted > 0)).sum(axis=1)
        gains[list(chosen)] = 0
        best = int(np.argmax(gains))  # of equal ones the smallest shape
        chosen.add(best)
        wanted = np.maximum(wanted - runs[best], 0)
    return [sites[number] for number in sorted(chosen)]
