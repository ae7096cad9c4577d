"""Define the results of a proof: plain values, which processes exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from neonlab.measure.shape import Shape
from neonlab.verify.verdict import Failure


class ProofStatus(StrEnum):
    """The word for what was shown; none of them ever stands for another."""

    PROVED = "proved"  # equal to the reference for every input that the contract allows
    PROVED_WITH_ERROR = "proved with error below 2^-50"  # the same, but for a chance that unequal sums pass for equal
    REFUTED = "refuted"  # an input was found, and run, for which the kernel is wrong
    NOT_PROVED = "not proved"  # neither; the reason says why

    @property
    def is_proof(self) -> bool:
        """Tell whether every result was found equal to that of the reference."""
        return self in (ProofStatus.PROVED, ProofStatus.PROVED_WITH_ERROR)


@dataclass(frozen=True, slots=True)
class Noticed:
    """The instruction at which something was noticed: file:line, and its text."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class ShapeProof:
    """Hold the outcome of a proof at one shape.

    `held` names the inputs that were not followed as any value, but held at those of the case of `pattern` and `seed`.
    `filling` names the packed arrays whose filling was held at what the operator packs there.
    `steps` counts the instructions of the path, `results` the elements compared, `enumerated` the values of a part at
    which two functions of it were compared instead, one by one or by intervals.  `wraps` is a lane whose sum may leave
    it in between, where one was found; None says that none does.  `reason` says why nothing was proved.  `failure` is
    the outcome on the witness.

    `error` is given where sums were compared by their values at random points of a field: log2 of a bound on the
    chance that any two different ones of them have the same values there.
    """

    shape: Shape
    status: ProofStatus
    seed: int
    held: tuple[str, ...] = ()
    filling: tuple[str, ...] = ()
    steps: int = 0
    results: int = 0
    enumerated: int = 0
    wraps: Noticed | None = None
    reason: str = ""
    where: str = ""
    failure: Failure | None = None
    error: float | None = None

    def to_json(self, kernel: str = "") -> dict[str, Any]:
        """Return plain values, as `--json` prints them; `kernel` is what the command line calls the kernel."""
        return {
            "shape": str(self.shape),
            "status": self.status.value,
            "seed": self.seed,
            "held": list(self.held),
            "filling": list(self.filling),
            "steps": self.steps,
            "results": self.results,
            "enumerated": self.enumerated,
            "log2_error": self.error,
            "lane_may_wrap": {"where": self.wraps.where, "instruction": self.wraps.text} if self.wraps else None,
            "reason": self.reason or None,
            "where": self.where or None,
            "failure": self.failure.to_json(kernel) if self.failure is not None else None,
        }


@dataclass(frozen=True, slots=True)
class EverySize:
    """The outcome for every value of one size that is a multiple of a block away from that of `shape`.

    The values go from `first` to `last`, a `block` apart.  It is assumed that the reference adds nothing for zeros;
    `shown` are the values at which that was seen.  `greatest` is the proof at `last`: the inputs that it holds are
    held for all.  `error` is log2 of a bound on the chance that any of it is wrong; None where nothing was left to
    chance.  `reason` says why it was not proved, and `where` has its place.
    """

    dimension: str
    shape: Shape
    first: int = 0
    block: int = 0
    last: int = 0
    shown: tuple[int, ...] = ()
    greatest: ShapeProof | None = None
    error: float | None = None
    reason: str = ""
    where: str = ""

    @property
    def status(self) -> ProofStatus:
        """Return PROVED, or PROVED_WITH_ERROR where something was left to chance; else NOT_PROVED."""
        if self.reason or self.greatest is None:
            return ProofStatus.NOT_PROVED
        return ProofStatus.PROVED if self.error is None else ProofStatus.PROVED_WITH_ERROR

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        proved = self.status.is_proof
        return {
            "size": self.dimension,
            "shape": str(self.shape),
            "status": self.status.value,
            "first": self.first if proved else None,
            "block": self.block if proved else None,
            "last": self.last if proved else None,
            "assumed": f"the reference is a sum over {self.dimension}, to which zeros add nothing" if proved else None,
            "reference_seen_at": list(self.shown),
            "held": list(self.greatest.held) if proved and self.greatest else [],
            "log2_error": self.error,
            "reason": self.reason or None,
            "where": self.where or None,
        }


@dataclass(frozen=True, slots=True)
class Proof:
    """Hold the outcome of a proof of one kernel, shape by shape, and of those for every value of a size.

    `c_reference` names the function that it was compared with; it is empty where the reference is that of an operator.
    """

    kernel: str
    isa: str
    path: str
    shapes: tuple[ShapeProof, ...]
    options: str = ""
    every: tuple[EverySize, ...] = ()
    c_reference: str = ""

    @property
    def status(self) -> ProofStatus:
        """Return REFUTED if any shape is, PROVED if all are, else NOT_PROVED.

        It is PROVED_WITH_ERROR if all are proved, and some of them with an error.
        """
        found = {shape.status for shape in self.shapes}
        if ProofStatus.REFUTED in found:
            return ProofStatus.REFUTED
        if not found or not all(status.is_proof for status in found):
            return ProofStatus.NOT_PROVED
        return ProofStatus.PROVED if found == {ProofStatus.PROVED} else ProofStatus.PROVED_WITH_ERROR

    @property
    def is_complete(self) -> bool:
        """Tell whether all that was asked for is proved: each shape, and each for every value of a size."""
        return self.status.is_proof and all(one.status.is_proof for one in self.every)

    @property
    def held(self) -> tuple[str, ...]:
        """Return the inputs that were held at values of a case at any shape."""
        return tuple(sorted({name for shape in self.shapes for name in shape.held}))

    @property
    def filling(self) -> tuple[str, ...]:
        """Return the packed arrays whose filling was held at any shape."""
        return tuple(sorted({name for shape in self.shapes for name in shape.filling}))

    @property
    def called(self) -> str:
        """Return what the command line calls the kernel, with its options."""
        return f"{self.kernel} {self.options}".rstrip()

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Return the failures on the inputs that refute it, one for each refuted shape."""
        return tuple(shape.failure for shape in self.shapes if shape.failure is not None)

    def with_failures(self, failures: Sequence[Failure]) -> Proof:
        """Return the proof with other failures in the places of its own."""
        left = iter(failures)
        shapes = tuple(s if s.failure is None else replace(s, failure=next(left)) for s in self.shapes)
        return replace(self, shapes=shapes)

    def of(self, status: ProofStatus) -> Sequence[ShapeProof]:
        """Return the shapes with a status."""
        return [shape for shape in self.shapes if shape.status is status]

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as `--json` prints them."""
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "path": self.path,
            "status": self.status.value,
            "proved": len(self.of(ProofStatus.PROVED)),
            "proved_with_error": len(self.of(ProofStatus.PROVED_WITH_ERROR)),
            "refuted": len(self.of(ProofStatus.REFUTED)),
            "not_proved": len(self.of(ProofStatus.NOT_PROVED)),
            "shapes": [shape.to_json(self.called) for shape in self.shapes],
            "every": [one.to_json() for one in self.every],
        }
