"""Prove changed copies of a kernel, each against the same reference, which is followed only once.

    prover = ChangedKernels(program, contract, operator, shapes)
    found = prover.prove(changed, address, size)

A copy is compared at the shapes at which the kernel itself is proved and runs the changed code.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import Machine
from neonlab.measure.shape import Shape
from neonlab.prove.judge import Reference, prove_shape, reference_side, with_reference
from neonlab.prove.proof import ProofStatus, ShapeProof
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.operator import Operator
from neonlab.verify.check_case import run_case

#: Shapes that run an instruction, if so many do, and most at which one copy is proved.
_FOR_EACH, _FOR_ONE = 3, 6
#: References that are kept.
_KEPT = 24


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
        self._reference = functools.lru_cache(maxsize=_KEPT)(self._followed)
        self._original = functools.cache(self._proved)

    def prove(self, program: Program, address: int, size: int) -> list[ShapeProof]:
        """Return what can be shown of a copy with other code in `size` bytes from `address` on, shape by shape.

        The list ends at the first shape that refutes it.  It is empty where no shape runs that code.
        """
        found: list[ShapeProof] = []
        for site in self._reaching(address, size):
            held = self._original(site.shape).held
            one = with_reference(
                # What the copy adds to the table of expressions must not stay there.
                copy.deepcopy(self._reference(site.shape, frozenset(held))),
                program,
                self._contract,
                self._operator,
            )
            found.append(one)
            if one.status is ProofStatus.REFUTED:
                break
        return found

    def _reaching(self, address: int, size: int) -> list[_Site]:
        """Return the shapes to prove a copy at, evenly spaced from the smallest to the largest that serve."""
        sites = [site for site in self.sites if site.reaches(address, size)]
        sites = [site for site in sites if self._original(site.shape).status is ProofStatus.PROVED]
        spaced = {round(place) for place in np.linspace(0, len(sites) - 1, _FOR_ONE).tolist()} if sites else ()
        return [sites[number] for number in sorted(spaced)]

    def _proved(self, shape: Shape) -> ShapeProof:
        """Return what can be shown of the kernel itself; copies are compared with the same inputs held."""
        return prove_shape(self._program, self._contract, self._operator, shape, self._seed)

    def _followed(self, shape: Shape, held: frozenset[str]) -> Reference:
        case = next(site.case for site in self.sites if site.shape == shape)
        return reference_side(self._contract, self._operator, case, held)

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
