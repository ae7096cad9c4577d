"""The verdict on a kernel from the outcomes of its cases.  Needs no emulator: it is made where results are gathered."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from neonlab.emulate.run import FaultKind
from neonlab.library import Kernel
from neonlab.toolchain import made_by, target_of
from neonlab.verify.coverage import Coverage, joined
from neonlab.verify.verdict import Failure, RangeAnswer, Verdict, fold

#: Failures of a kernel after which no more cases are run; one that never returns is long in the telling, and stands for
#: several.
ENOUGH_FAILURES, _ENDLESS = 12, 4

Answer = tuple[RangeAnswer, Failure | None]


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of some cases of a kernel, in their order; what they ran; and the answer about ranges, if asked for."""

    outcomes: Sequence[Failure | None]
    coverage: Coverage = field(default_factory=Coverage)
    answer: Answer | None = None


def verdict_of(
    kernel: Kernel, outcomes: Iterable[Failure | None], seed: int, coverage: Iterable[Coverage] = ()
) -> Verdict:
    """Fold the outcomes of the kernel's cases, and what they ran, into one verdict."""
    verdict = fold(kernel.title, kernel.isa.value, str(kernel.path), kernel.has_reference, outcomes, seed)
    compiler = made_by(kernel.path, target_of(kernel.contract), kernel.build)
    not_run = joined(coverage).not_run if verdict.passed else None
    return replace(verdict, options=kernel.options, compiler=compiler, not_run=not_run)


def weight_of(outcome: Failure | None) -> int:
    """How many of the failures that are enough the outcome of a case counts for."""
    if outcome is None:
        return 0
    return _ENDLESS if outcome.fault is not None and outcome.fault.kind is FaultKind.STEP_BUDGET else 1


def up_to_enough(outcomes: Sequence[Failure | None]) -> list[Failure | None]:
    """Those up to the failure that is one too many to look into: what a process alone would have run."""
    weights = itertools.accumulate(map(weight_of, outcomes))
    last = next((number for number, weight in enumerate(weights) if weight >= ENOUGH_FAILURES), len(outcomes))
    return list(outcomes[: last + 1])
