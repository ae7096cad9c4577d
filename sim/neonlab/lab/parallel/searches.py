"""Searches failing cases of many kernels with Hypothesis, side by side in worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neonlab.lab.parallel.pool import KernelHandle, Workers, died
from neonlab.lab.parallel.unit import unit_not_kept
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.judgement import verdict_of
from neonlab.verify.verdict import Search, Verdict


# Hypothesis chooses the cases, and no key names its version.
@unit_not_kept
def _search(name: KernelHandle, examples: int, seed: int) -> Search:
    from neonlab.lab.run.search import search

    return search(name.open(), examples, seed)


def search_all(workers: Workers, kernels: Sequence[Kernel], examples: int, seed: int) -> list[Verdict]:
    """Search with Hypothesis for a failing case of each kernel; a verdict holds the simplest found."""
    tasks = [(KernelHandle.of(kernel), examples, seed) for kernel in kernels]
    verdicts = []
    for kernel, result in zip(kernels, workers.run(_search, tasks), strict=True):
        if isinstance(result, Died):
            found = Search(examples, died(None, result, search_seed=seed, search_cases=examples))
        else:
            found = result
        failures = () if found.failure is None else (found.failure,)
        verdicts.append(
            replace(verdict_of(kernel, (), seed), cases=found.cases, failed=len(failures), failures=failures)
        )
    return verdicts
