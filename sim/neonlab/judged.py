"""The verdict on a kernel from the outcomes of its cases.  Needs no emulator: it is made where results are gathered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from neonlab.library import Kernel
from neonlab.toolchain import made_by, target_of
from neonlab.verify.verdict import Failure, Verdict, fold


def verdict_of(kernel: Kernel, outcomes: Iterable[Failure | None], seed: int) -> Verdict:
    """Fold the outcomes of the kernel's cases into one verdict."""
    verdict = fold(kernel.title, kernel.isa.value, str(kernel.path), kernel.has_reference, outcomes, seed)
    compiler = made_by(kernel.path, target_of(kernel.contract), kernel.build)
    return replace(verdict, options=kernel.options, compiler=compiler)
