"""Make the verdict on a kernel from the outcomes of its cases; no emulator is needed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from neonlab.emulate.run import FaultKind
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ranged import Reach
from neonlab.verify.coverage import Coverage, joined
from neonlab.verify.known_faults import accepted_faults
from neonlab.verify.verdict import Failure, RangeAnswer, Verdict, fold, with_ranges

#: Failures of a kernel after which no more cases run.  A call that never returns takes long to find, so it counts as
#: several.
ENOUGH_FAILURES, _ENDLESS = 12, 4

Answer = tuple[RangeAnswer, Failure | None]


@dataclass(frozen=True, slots=True)
class Tried:
    """The outcomes of some cases of a kernel in order, the coverage, and the answer about ranges if asked for.

    `accepted` holds the number of cases in which each fault that the contract accepts showed.  `ranged` is the case
    among them at whose shape ranges are best analysed, if all are right.
    """

    outcomes: Sequence[Failure | None]
    coverage: Coverage = field(default_factory=Coverage)
    answer: Answer | None = None
    accepted: Sequence[int] = ()
    ranged: Reach | None = None


def verdict_of(
    kernel: Kernel,
    outcomes: Iterable[Failure | None],
    seed: int,
    coverage: Iterable[Coverage] = (),
    accepted: Iterable[Sequence[int]] = (),
) -> Verdict:
    """Fold the outcomes of the kernel's cases, what they ran, and which accepted faults showed, into one verdict."""
    title, path, advice = kernel.title, str(kernel.path), kernel.advice
    verdict = fold(title, kernel.isa.value, path, kernel.judged_by, outcomes, seed, advice=advice)
    not_run = joined(coverage).not_run if verdict.faultless else None
    showed = [sum(counts) for counts in zip(*(counts for counts in accepted if counts), strict=True)]
    known = accepted_faults(kernel.contract, showed) if showed else ()
    return replace(verdict, options=kernel.options, compiler=kernel.code.compiler, not_run=not_run, accepted=known)


def judged(kernel: Kernel, tried: Tried, seed: int) -> Verdict:
    """Return the verdict on a kernel, all of whose cases were run by one process."""
    verdict = verdict_of(kernel, tried.outcomes, seed, [tried.coverage], [tried.accepted])
    return with_ranges(verdict, *tried.answer) if tried.answer is not None else verdict


def weight_of(outcome: Failure | None) -> int:
    """Return how many failures the outcome of a case counts as."""
    if outcome is None:
        return 0
    return _ENDLESS if outcome.fault is not None and outcome.fault.kind is FaultKind.STEP_BUDGET else 1


def up_to_enough(outcomes: Sequence[Failure | None]) -> list[Failure | None]:
    """Return the outcomes up to the failure at which a single process would have stopped."""
    weights = itertools.accumulate(map(weight_of, outcomes))
    last = next((number for number, weight in enumerate(weights) if weight >= ENOUGH_FAILURES), len(outcomes))
    return list(outcomes[: last + 1])
