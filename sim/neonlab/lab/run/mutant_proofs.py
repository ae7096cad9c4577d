"""Prove the mutants of a kernel that no check detects: different, equal, or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import shapes_to_prove
from neonlab.measure.shape import Shape
from neonlab.prove.changed import ChangedKernels
from neonlab.prove.proof import ProofStatus, ShapeProof
from neonlab.verify.mutation.mutants import Mutant, mutated
from neonlab.verify.verdict import Failure

_NOT_RUN = "no shape at which the kernel can be followed runs the changed code"


class Fate(StrEnum):
    """The word for what was shown of a mutant."""

    DIFFERENT = "different"  # inputs were found, and run, for which it fails: a case is missing
    EQUAL = "equal"  # it gives the results of the kernel itself for all inputs, at the shapes tried
    OPEN = "open"  # neither


@dataclass(frozen=True, slots=True)
class MutantProof:
    """The fate of one mutant, and the shapes that it was tried at.

    `held` and `filling` are as in a ShapeProof.  `reason` says why it is open, `failure` how it fails.
    """

    fate: Fate
    shapes: tuple[Shape, ...] = ()
    held: tuple[str, ...] = ()
    filling: tuple[str, ...] = ()
    reason: str = ""
    failure: Failure | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "fate": self.fate.value,
            "shapes": [str(shape) for shape in self.shapes],
            "held": list(self.held),
            "filling": list(self.filling),
            "reason": self.reason or None,
            "failure": None if self.failure is None else _told(self.failure),
        }


def _told(failure: Failure) -> dict[str, Any]:
    """Return what is the same on every computer, as it is written to reports."""
    name = Path(failure.saved).name if failure.saved else None
    return {"identifier": failure.identifier, "shape": str(failure.shape), "saved": name}


def folded(found: Sequence[ShapeProof]) -> MutantProof:
    """Return the fate of a mutant by what was shown at each shape; open if it was tried at none."""
    if not found:
        return MutantProof(Fate.OPEN, reason=_NOT_RUN)
    shapes = tuple(one.shape for one in found)
    held, filling = (tuple(sorted({n for one in found for n in names(one)})) for names in (_held, _filling))
    refuted = next((one for one in found if one.status is ProofStatus.REFUTED), None)
    if refuted is not None:
        return MutantProof(Fate.DIFFERENT, shapes, held, filling, failure=refuted.failure)
    unproved = next((one for one in found if one.status is not ProofStatus.PROVED), None)
    if unproved is None:
        return MutantProof(Fate.EQUAL, shapes, held, filling)
    return MutantProof(Fate.OPEN, shapes, held, filling, f"at {unproved.shape}: {unproved.reason}")


def _held(one: ShapeProof) -> tuple[str, ...]:
    return one.held


def _filling(one: ShapeProof) -> tuple[str, ...]:
    return one.filling


class MutantProver:
    """Proves mutants of one kernel at the given shapes, or at a few of the small ones that `check` tries."""

    def __init__(self, kernel: Kernel, shapes: Sequence[Shape] = ()) -> None:
        assert kernel.operator is not None, "only kernels with an operator have mutants"
        self._program = kernel_program(kernel)
        self._kernels = ChangedKernels(
            self._program, kernel.contract, kernel.operator, shapes_to_prove(kernel, shapes), 1, chosen=bool(shapes)
        )

    def prove(self, mutant: Mutant) -> MutantProof:
        """Return what can be shown of a mutant."""
        program = mutated(self._program, mutant)
        return folded(self._kernels.prove(program, mutant.address, 4 * len(mutant.words)))
