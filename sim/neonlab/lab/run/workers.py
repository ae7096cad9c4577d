"""Run kernels in separate processes: in parallel, with a time limit, and safe from crashes.

Emulated code can crash the emulator and its process.  Here that costs one worker and ends in a verdict.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool

from neonlab.contract.options import NOTHING, Given
from neonlab.emulate.run import Fault, FaultKind
from neonlab.errors import InputError
from neonlab.host.interrupts import interrupts_held
from neonlab.host.memory_limit import gib, memory_left, out_of_memory
from neonlab.lab.compare.comparison import Look, Side
from neonlab.lab.repository.library import Kernel, is_member, open_kernel, open_member
from neonlab.lab.run.fork_server import start_early, worker_context
from neonlab.lab.run.judgement import Answer, Tried, up_to_enough, verdict_of
from neonlab.lab.run.plan import CaseName, plan_cases, range_case
from neonlab.lab.run.shapes import integers_of
from neonlab.verify.cases.case import Shape
from neonlab.verify.coverage import Coverage
from neonlab.verify.verdict import Failure, Search, Verdict, with_ranges

if TYPE_CHECKING:
    from neonlab.measure.options import MemoryOptions
    from neonlab.measure.profile import Profile

#: Most seconds of one task; the step budget ends an endless loop of the guest long before.
TIME_LIMIT = 300.0
#: Shares of all cases per process, and the fewest and the most cases in one; its preparation costs as much as 50 cases.
_SHARES, _LEAST, _WHOLE = 2, 72, 1000
#: Work at which a share ends, as the product of sizes.
_WORK = 30_000_000
#: Most processes at a time, on a machine with fewer cores.
_MOST_JOBS = 16
#: Seconds between the pool's looks at its processes; a command waits for one at its end.
_LOOK_AGAIN = 0.02

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KernelName:
    """A kernel as it is sent to a worker: operators hold code, so each process opens it itself."""

    path: Path
    root: Path | None
    given: Given = NOTHING

    @staticmethod
    def of(kernel: Kernel) -> KernelName:
        """Return the name of `kernel`."""
        return KernelName(kernel.path, kernel.root, kernel.given)

    def open(self) -> Kernel:
        """Open the kernel."""
        if self.root is not None and is_member(self.root, self.path) and self.given.says_nothing:
            return open_member(self.root, self.path)
        return open_kernel(self.path, self.given)


@dataclass(frozen=True, slots=True)
class Died:
    """A task that ended its process or ran out of time."""

    reason: str


class Workers:
    """A pool of at most `jobs` worker processes, as many as cores by default.  It is a context manager."""

    def __init__(self, jobs: int | None = None, time_limit: float = TIME_LIMIT) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        # The pool starts all of its processes with the first task; more than the cores only take memory.
        self.jobs = min(jobs or cores, max(_MOST_JOBS, cores))
        self.time_limit = time_limit
        start_early()
        CONSTS.sleep_unit = _LOOK_AGAIN
        self._pool = ProcessPool(max_workers=self.jobs, context=worker_context())

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.stop()
        self._pool.join()

    def run(
        self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], done: Callable[[int], None] = lambda _: None
    ) -> Generator[T | Died]:
        """Call `function(*task)` for each task, and yield the results in order.

        `done` is called with the index of each task that ended.  The tasks start at once.  An InputError raised in a
        worker is raised here; anything else that ends its process gives a Died.
        """
        futures = [self.begin(function, *task) for task in tasks]
        return self._results(futures, done)

    def _results(self, futures: Sequence[ProcessFuture[Any]], done: Callable[[int], None]) -> Generator[Any]:
        for index, future in enumerate(futures):
            try:
                result = self.result(future)
            except InputError:
                for other in futures:
                    other.cancel()
                raise
            done(index)
            yield result

    def begin(self, function: Callable[..., object], *task: Any) -> ProcessFuture[Any]:
        """Schedule `function(*task)` for the next free process; `result` takes its result."""
        with interrupts_held():
            try:
                return self._pool.schedule(_told, args=[function, *task], timeout=self.time_limit)
            except (RuntimeError, BrokenProcessPool) as error:
                raise _no_workers(error) from None

    def result(self, future: ProcessFuture[Any]) -> Any:
        """Wait for the result and return it.  Raises InputError, and CancelledError if the task was cancelled."""
        try:
            return future.result()
        except FutureTimeout:
            return Died(f"no end within {self.time_limit:g} s")
        except ProcessExpired as error:
            killed = ": something killed it, as systems do where memory runs out" if error.exitcode == -9 else ""
            return Died(f"the emulator's process died with exit code {error.exitcode}{killed}")
        except BrokenProcessPool as error:
            raise _no_workers(error) from None


class WorkerError(RuntimeError):
    """A defect of the lab that showed in a worker; the text is the worker's traceback."""


def _no_workers(error: Exception) -> InputError:
    """Return the error for a pool that cannot start processes: the system refuses them, or their memory."""
    room = memory_left()
    left = f"; {gib(room.bytes)} of memory are left of {room.of}" if room is not None else ""
    reason = str(error.__cause__ or error).strip()
    return InputError(f"worker processes cannot be had{f' ({reason})' if reason else ''}{left}: try fewer with --jobs")


def _told(function: Callable[..., T], *task: Any) -> T:
    """Return `function(*task)`, with its errors converted to ones that can be pickled."""
    try:
        return function(*task)
    except InputError:
        raise
    except MemoryError as error:
        of = next((f"{one.path}: " for one in task if isinstance(one, KernelName)), "")
        raise InputError(f"{of}{out_of_memory(error)}") from None
    except BaseException:
        raise WorkerError(traceback.format_exc()) from None


# The functions that run in a worker import the lab there, since the process that waits for them needs no emulator.
def _check_chunk(
    name: KernelName, cases: list[CaseName], fail_fast: bool = False, ranged: CaseName | None = None
) -> Tried:
    from neonlab.lab.run.check import check_and_answer

    return check_and_answer(name.open(), cases, ranged, fail_fast=fail_fast)


def _profile(name: KernelName, shape: Shape, seed: int, memory: MemoryOptions | None) -> Profile | Failure:
    from neonlab.lab.run.profile import profile

    return profile(name.open(), shape, seed=seed, memory=memory)


def _look(
    name: KernelName, shape: Shape, cores: tuple[str, ...], loop: bool, warm: bool, seed: int, revision: str | None
) -> Side:
    from neonlab.lab.run.profile import look

    return look(name.open(), shape, cores=cores, loop=loop, warm=warm, seed=seed, revision=revision)


def _code(name: KernelName) -> str:
    from neonlab.lab.repository.kernel_code import code_digest

    return code_digest(name.open())


def _search(name: KernelName, examples: int, seed: int) -> Search:
    from neonlab.lab.run.search import search

    return search(name.open(), examples, seed)


def search_all(workers: Workers, kernels: Sequence[Kernel], examples: int, seed: int) -> list[Verdict]:
    """Search with Hypothesis for a failing case of each kernel; a verdict holds the simplest found."""
    tasks = [(KernelName.of(kernel), examples, seed) for kernel in kernels]
    verdicts = []
    for kernel, result in zip(kernels, workers.run(_search, tasks), strict=True):
        found = Search(examples, died("", "", seed, result)) if isinstance(result, Died) else result
        failures = () if found.failure is None else (found.failure,)
        verdicts.append(
            replace(verdict_of(kernel, (), seed), cases=found.cases, failed=len(failures), failures=failures)
        )
    return verdicts


def _plan(name: KernelName, shapes: Sequence[Shape], options: dict[str, Any]) -> list[CaseName]:
    return plan_cases(name.open(), shapes=shapes, **options)


def plan_all(
    workers: Workers, wanted: Sequence[tuple[Kernel, Sequence[Shape]]], **options: Any
) -> list[tuple[Kernel, list[CaseName]]]:
    """Return each kernel with its cases, made by `plan_cases` from the shapes and `options`; in parallel if many."""
    if len(wanted) < 2 * workers.jobs:
        return [(kernel, plan_cases(kernel, shapes=shapes, **options)) for kernel, shapes in wanted]
    plans = workers.run(_plan, [(KernelName.of(kernel), shapes, options) for kernel, shapes in wanted])
    return [
        (kernel, plan_cases(kernel, shapes=shapes, **options) if isinstance(plan, Died) else plan)
        for (kernel, shapes), plan in zip(wanted, plans, strict=True)
    ]


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
    verdicts of kernels that passed hold the answer of `answer_ranges` at one of the shapes.
    """
    most = _share(workers, sum(len(cases) for _, cases in work))
    tasks: list[tuple[Kernel, list[CaseName], CaseName | None]] = []
    for kernel, cases in work:
        chunks = _chunks(cases, most)
        asked = range_case(kernel, cases) if ranges and (len(chunks) == 1 or not fail_fast) else None
        # The range analysis reuses results of the check.  It belongs to the first chunk, since it takes longest.
        tasks += [(kernel, chunk, None if number else asked) for number, chunk in enumerate(chunks)]
    named = [(KernelName.of(kernel), cases, fail_fast, asked) for kernel, cases, asked in tasks]
    outcomes: dict[str, list[Failure | None]] = {kernel.title: [] for kernel, _ in work}
    coverage: dict[str, list[Coverage]] = {kernel.title: [] for kernel, _ in work}
    accepted: dict[str, list[Sequence[int]]] = {kernel.title: [] for kernel, _ in work}
    answers: dict[str, Answer] = {}
    results = workers.run(_check_chunk, named, lambda index: advance(len(tasks[index][1])))
    with contextlib.closing(results):
        for (kernel, cases, _), result in zip(tasks, results, strict=True):
            tried = Tried(_one_by_one(workers, kernel, cases)) if isinstance(result, Died) else result
            outcomes[kernel.title] += tried.outcomes
            coverage[kernel.title].append(tried.coverage)
            accepted[kernel.title].append(tried.accepted)
            if tried.answer is not None:
                answers[kernel.title] = tried.answer
            if fail_fast and any(tried.outcomes):
                break
    verdicts = [
        verdict_of(kernel, up_to_enough(outcomes[kernel.title]), seed, coverage[kernel.title], accepted[kernel.title])
        for kernel, _ in work
        if outcomes[kernel.title]
    ]
    if not ranges:
        return verdicts
    verdicts = [with_ranges(v, *answers[v.kernel]) if v.faultless and v.kernel in answers else v for v in verdicts]
    return answer_all(workers, [(k, names) for k, names in work if k.title not in answers], verdicts)


def _share(workers: Workers, cases: int) -> int:
    """Return the number of cases that a process gets at a time: every process has some, and none prepares for few."""
    return min(_WHOLE, max(_LEAST, -(-cases // (_SHARES * workers.jobs))))


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


def died(shape: str, pattern: str, seed: int, end: Died) -> Failure:
    """Return the failure for a task whose process ended."""
    return Failure(shape, pattern, seed, fault=Fault(FaultKind.EMULATOR_DIED, end.reason, 0))


def _ranges(name: KernelName, case: CaseName) -> Answer:
    from neonlab.lab.run.check import answer_ranges

    return answer_ranges(name.open(), case)


def answer_all(
    workers: Workers, work: Sequence[tuple[Kernel, Sequence[CaseName]]], verdicts: Sequence[Verdict]
) -> list[Verdict]:
    """Return the verdicts with an answer about ranges for each kernel that passed."""
    passed = {verdict.kernel for verdict in verdicts if verdict.faultless}
    asked = {k.title: (KernelName.of(k), name) for k, names in work if (name := range_case(k, names))}
    tasks = {title: task for title, task in asked.items() if title in passed}
    answers = dict(zip(tasks, workers.run(_ranges, list(tasks.values())), strict=True))
    return [
        v if isinstance(answer := answers.get(v.kernel), Died | None) else with_ranges(v, *answer) for v in verdicts
    ]


def _explain(name: KernelName, failure: Failure) -> Failure:
    from neonlab.lab.run.check import explain

    return explain(name.open(), failure)


def explain_all(workers: Workers, kernels: Sequence[Kernel], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts with their failures explained; one whose explanation ends its process is unchanged."""
    by_title = {kernel.title: KernelName.of(kernel) for kernel in kernels}
    tasks = [(by_title[v.kernel], failure) for v in verdicts for failure in v.failures if failure.shape]
    explained = {
        (name, failure): failure if isinstance(result, Died) else result
        for (name, failure), result in zip(tasks, workers.run(_explain, tasks), strict=True)
    }
    return [replace(v, failures=tuple(explained.get((by_title[v.kernel], f), f) for f in v.failures)) for v in verdicts]


def _one_by_one(workers: Workers, kernel: Kernel, cases: list[CaseName]) -> list[Failure | None]:
    """Return the outcomes of a chunk that ended its process, from its cases run one at a time."""
    found: list[Failure | None] = []
    name = KernelName.of(kernel)
    for case, result in zip(cases, workers.run(_check_chunk, [(name, [case]) for case in cases]), strict=True):
        if isinstance(result, Died):
            found.append(died(str(case.shape), case.pattern, case.seed, result))
        else:
            found += result.outcomes
    return found


def profile_all(
    workers: Workers,
    work: Sequence[tuple[Kernel, Shape]],
    *,
    seed: int = 1,
    memory: MemoryOptions | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Profile | Failure]:
    """Profile each kernel on its shape."""
    return profile_each(workers, [(kernel, shape, memory) for kernel, shape in work], seed=seed, advance=advance)


def profile_each(
    workers: Workers,
    work: Sequence[tuple[Kernel, Shape, MemoryOptions | None]],
    *,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Profile | Failure]:
    """Profile each kernel on its shape with its own options."""
    longest_first = sorted(range(len(work)), key=lambda number: _macs(*work[number][:2]), reverse=True)
    tasks = [(KernelName.of(k), shape, seed, memory) for k, shape, memory in (work[n] for n in longest_first)]
    results = workers.run(_profile, tasks, lambda _: advance(1))
    with interrupts_held():  # an interrupted import would fail the thread that takes results from the workers
        importlib.import_module("neonlab.measure.profile")  # results need it; import it while the workers start
    found: dict[int, Profile | Failure] = {}
    for number, result in zip(longest_first, results, strict=True):
        found[number] = died(str(work[number][1]), "random", seed, result) if isinstance(result, Died) else result
    return [found[number] for number in range(len(work))]


def _macs(kernel: Kernel, shape: Shape) -> int:
    """Return the multiply-accumulates that the contract declares for the shape; 0 if none."""
    return kernel.contract.macs.evaluate(integers_of(kernel, shape)) if kernel.contract.macs else 0


def look_all(
    workers: Workers,
    plan: Sequence[tuple[Look, str | None]],
    *,
    cores: Sequence[str] = (),
    warm: bool = False,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Side]:
    """Examine each kernel for a comparison, labelled with its revision if one is named."""
    tasks = [(KernelName.of(k), shape, tuple(cores), loop, warm, seed, at) for (k, shape, loop), at in plan]
    found = []
    for ((kernel, shape, _), at), result in zip(plan, workers.run(_look, tasks, lambda _: advance(1)), strict=True):
        if isinstance(result, Died):
            failure = died(str(shape), "random", seed, result)
            found.append(Side(kernel.title, kernel.isa.value, at, failure=failure, exact=False))
        else:
            found.append(result)
    return found


def code_digests(
    workers: Workers, kernels: Sequence[Kernel], advance: Callable[[int], None] = lambda _: None
) -> list[str]:
    """Return the digest of each kernel's code; for one whose assembly ends the process, the reason."""
    results = workers.run(_code, [(KernelName.of(kernel),) for kernel in kernels], lambda _: advance(1))
    return [result.reason if isinstance(result, Died) else result for result in results]
