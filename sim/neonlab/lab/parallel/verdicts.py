"""Keep the verdicts of whole checks, and find them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from neonlab.lab.cache.results import Question, Results
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape
from neonlab.verify.verdict import Verdict

#: The kind of these results.
VERDICTS = "verdict"


def ask_verdicts(
    results: Results, wanted: Sequence[tuple[Kernel, Sequence[Shape]]], **options: Any
) -> dict[Kernel, Question | None]:
    """Return the question about each kernel at its shapes; `options` are those of `plan_cases`."""
    told = sorted(options.items())
    return {kernel: results.question(VERDICTS, kernel, list(shapes), told) for kernel, shapes in wanted}


def kept_verdicts(results: Results, questions: dict[Kernel, Question | None]) -> dict[Kernel, Verdict]:
    """Return the verdicts that are kept; none in a shard, and in a merge, which have parts of them."""
    if results.spread:
        return {}
    answers = results.answers(list(questions.values()), VERDICTS)
    pairs = zip(questions, answers, strict=True)
    return {kernel: verdict for kernel, verdict in pairs if isinstance(verdict, Verdict)}


def keep_verdicts(
    results: Results,
    questions: dict[Kernel, Question | None],
    workers: Workers,
    kernels: Iterable[Kernel],
    verdicts: Sequence[Verdict],
) -> None:
    """Keep the verdicts of the kernels, explained, but for those in whose check a process ended or ran out of time.

    What happened there may be the computer's doing.
    """
    if results.spread:
        return
    by_title = {verdict.kernel: verdict for verdict in verdicts}
    for kernel in kernels:
        verdict = by_title.get(kernel.title)
        if verdict is None or KernelHandle.of(kernel) in workers.bereaved:
            continue
        # The case of a witness served its explanation, and would be the largest part of an entry.
        failures = tuple(replace(failure, witness=None) for failure in verdict.failures)
        results.keep(questions.get(kernel), replace(verdict, failures=failures))
