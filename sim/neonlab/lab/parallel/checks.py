"""Checks many kernels, side by side in worker processes.

A function that runs in a worker imports the lab there: the process that waits for it needs no emulator.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from neonlab.lab.parallel.pool import KernelHandle, Workers, died
from neonlab.lab.parallel.unit import unit, unit_not_kept
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.judgement import Answer, Tried, up_to_enough, verdict_of
from neonlab.lab.run.ranged import Reach, furthest
from neonlab.verify.cases.case import Case, CaseName
from neonlab.verify.coverage import Coverage
from neonlab.verify.verdict import Failure, Verdict, with_ranges

#: Shares of all cases per process, and the fewest and the most cases in one; its preparation costs as much as 50 cases,
#: and so do the ranges.
_SHARES, _LEAST, _WHOLE, _PREPARED = 2, 72, 1000, 50
#: Work at which a share ends, as the product of sizes.
_WORK = 30_000_000


@unit
def _check_chunk(name: KernelHandle, cases: list[CaseName], fail_fast: bool = False, ranges: bool = False) -> Tried:
    from neonlab.lab.run.check import check_and_answer

    return check_and_answer(name.open(), cases, ranges=ranges, fail_fast=fail_fast)


# The one case of a file: its data would be most of an entry, and running it takes a moment.
@unit_not_kept
def _check_case(name: KernelHandle, case: Case) -> Tried:
    from neonlab.lab.run.check import check_case

    return check_case(name.open(), case)


@unit
def _ranges(name: KernelHandle, case: CaseName) -> Answer:
    from neonlab.lab.run.check import answer_ranges

    return answer_ranges(name.open(), case)


@unit
def _explain(name: KernelHandle, failure: Failure) -> Failure:
    from neonlab.lab.run.check import explain

    return explain(name.open(), failure)


def check_all(
    workers: Workers,
    work: Sequence[tuple[Kernel, Sequence[CaseName]]],
    *,
    seed: int = 1,
    fail_fast: bool = False,
    ranges: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Verdict]:
    """Check each kernel on its cases; `advance` is called with the number of cases that ended since its last call.

    With `fail_fast`, stop at the first failure; kernels without a result by then have no verdict.  With `ranges`, the
    verdicts of kernels that passed hold the answer of `answer_ranges` at one of the shapes.  In a shard, a verdict is
    on the cases of that shard alone.
    """
    most = _share(workers, sum(len(cases) for _, cases in work))
    tasks: list[tuple[Kernel, list[CaseName], bool]] = []
    for kernel, cases in work:
        chunks = _chunks(cases, most)
        # The range analysis reuses results of the check, where all of it is done by one process.
        tasks += [(kernel, chunk, ranges and len(chunks) == 1) for chunk in chunks]
    mine = workers.part(_check_chunk, [len(chunk) + _PREPARED * asked for _, chunk, asked in tasks])
    tasks = [tasks[number] for number in mine]
    named = [(KernelHandle.of(kernel), cases, fail_fast, asked) for kernel, cases, asked in tasks]
    outcomes: dict[str, list[Failure | None]] = {kernel.title: [] for kernel, _ in work}
    coverage: dict[str, list[Coverage]] = {kernel.title: [] for kernel, _ in work}
    accepted: dict[str, list[Sequence[int]]] = {kernel.title: [] for kernel, _ in work}
    reached: dict[str, list[Reach | None]] = {kernel.title: [] for kernel, _ in work}
    answers: dict[str, Answer] = {}
    results = workers.run(_check_chunk, named, lambda index: advance(len(tasks[index][1])))
    with contextlib.closing(results):
        for (kernel, cases, _), result in zip(tasks, results, strict=True):
            tried = Tried(_one_by_one(workers, kernel, cases)) if isinstance(result, Died) else result
            outcomes[kernel.title] += tried.outcomes
            coverage[kernel.title].append(tried.coverage)
            accepted[kernel.title].append(tried.accepted)
            reached[kernel.title].append(tried.ranged)
            if tried.answer is not None:
                answers[kernel.title] = tried.answer
            if fail_fast and any(tried.outcomes):
                break
    verdicts = [
        verdict_of(kernel, up_to_enough(outcomes[kernel.title]), seed, coverage[kernel.title], accepted[kernel.title])
        for kernel, _ in work
        if outcomes[kernel.title]
    ]
    if not ranges or not workers.is_whole:
        return verdicts
    verdicts = [with_ranges(v, *answers[v.kernel]) if v.faultless and v.kernel in answers else v for v in verdicts]
    left = {kernel: furthest(reached[kernel.title]) for kernel, _ in work if kernel.title not in answers}
    return answer_all(workers, {kernel: reach.name for kernel, reach in left.items() if reach is not None}, verdicts)


def fits_one_process(cases: Sequence[CaseName]) -> bool:
    """Tell whether one process may check all of these cases of a kernel."""
    return len(_chunks(cases, _WHOLE)) == 1


def check_again(workers: Workers, kernel: Kernel, case: Case, file: str) -> Verdict:
    """Check a kernel under every check on the one case that `file` holds."""
    [result] = workers.run(_check_case, [(KernelHandle.of(kernel), case)])
    tried = Tried([replace(died(case.name, result), witness=case)]) if isinstance(result, Died) else result
    outcomes = [replace(failure, saved=file) if failure is not None else None for failure in tried.outcomes]
    return verdict_of(kernel, outcomes, case.seed, [tried.coverage], [tried.accepted])


def _share(workers: Workers, cases: int) -> int:
    """Return the number of cases that a process gets at a time: every process has some, and none prepares for few."""
    return min(_WHOLE, max(_LEAST, -(-cases // (_SHARES * workers.spread))))


def _chunks(cases: Sequence[CaseName], most: int) -> list[list[CaseName]]:
    """Split the cases in order into chunks of at most `most`, fewer if they are large."""
    found: list[list[CaseName]] = [[]]
    work = 0
    for case in cases:
        if len(found[-1]) == most or (found[-1] and work + case.shape.work > _WORK):
            found.append([])
            work = 0
        found[-1].append(case)
        work += case.shape.work
    return found


def answer_all(workers: Workers, cases: Mapping[Kernel, CaseName], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts with an answer about ranges, at the given case of each kernel that passed."""
    passed = {verdict.kernel for verdict in verdicts if verdict.faultless}
    asked = {kernel.title: (KernelHandle.of(kernel), name) for kernel, name in cases.items()}
    tasks = {title: task for title, task in asked.items() if title in passed}
    answers = dict(zip(tasks, workers.run(_ranges, list(tasks.values())), strict=True))
    return [
        v if isinstance(answer := answers.get(v.kernel), Died | None) else with_ranges(v, *answer) for v in verdicts
    ]


def explain_all(workers: Workers, kernels: Sequence[Kernel], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts with their failures explained; one whose explanation ends its process is unchanged."""
    by_title = {kernel.title: KernelHandle.of(kernel) for kernel in kernels}
    tasks = [(by_title[v.kernel], failure) for v in verdicts for failure in v.failures if failure.case is not None]
    explained = {
        (name, failure): failure if isinstance(result, Died) else result
        for (name, failure), result in zip(tasks, workers.run(_explain, tasks), strict=True)
    }
    return [replace(v, failures=tuple(explained.get((by_title[v.kernel], f), f) for f in v.failures)) for v in verdicts]


def explain_failures(workers: Workers, failed: Sequence[tuple[Kernel, Failure]]) -> list[Failure]:
    """Return the failures explained; one whose explanation ends its process is unchanged."""
    tasks = [(KernelHandle.of(kernel), failure) for kernel, failure in failed]
    results = workers.run(_explain, tasks)
    return [
        failure if isinstance(result, Died) else result for (_, failure), result in zip(tasks, results, strict=True)
    ]


def _one_by_one(workers: Workers, kernel: Kernel, cases: list[CaseName]) -> list[Failure | None]:
    """Return the outcomes of a chunk that ended its process, from its cases run one at a time."""
    found: list[Failure | None] = []
    name = KernelHandle.of(kernel)
    for case, result in zip(cases, workers.run(_check_chunk, [(name, [case]) for case in cases]), strict=True):
        if isinstance(result, Died):
            found.append(died(case, result))
        else:
            found += result.outcomes
    return found
