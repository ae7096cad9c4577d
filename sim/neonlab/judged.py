"""The verdict on a kernel from the outcomes of its cases.  Needs no emulator: it is made where results are gathered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from neonlab.library import Kernel
from neonlab.toolchain import made_by, target_of
from neonlab.verify.verdict import Failure, Verdict, fold

#: Failures of a kernel after which no more cases are run.
ENOUGH_FAILURES = 12


def verdict_of(kernel: Kernel, outcomes: Iterable[Failure | None], seed: int) -> Verdict:
    """Fold the outcomes of the kernel's cases into one verdict."""
    verdict = fold(kernel.title, kernel.isa.value, str(kernel.path), kernel.has_reference, outcomes, seed)
    compiler = made_by(kernel.path, target_of(kernel.contract), kernel.build)
    return replace(verdict, options=kernel.options, compiler=compiler)


def up_to_enough(outcomes: Sequence[Failure | None]) -> list[Failure | None]:
    """Those up to the failure that is one too many to look into: what a process alone would have run."""
    failed = [number for number, outcome in enumerate(outcomes, 1) if outcome is not None]
    return list(outcomes[: failed[ENOUGH_FAILURES - 1]] if len(failed) >= ENOUGH_FAILURES else outcomes)
