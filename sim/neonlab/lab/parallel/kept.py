"""Run units of work whose results are kept: those that are known are not run again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.lab.cache.results import Question, Results
from neonlab.lab.parallel.unit import is_kept
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died


@dataclass(frozen=True, slots=True)
class Timed:
    """The value of a unit, and how many seconds it took."""

    value: Any
    seconds: float


def timed(function: Callable[..., Any], *task: Any) -> Timed:
    """Return `function(*task)`, and how long it took."""
    began = time.perf_counter()
    value = function(*task)
    return Timed(value, time.perf_counter() - began)


def kind_of(function: Callable[..., Any]) -> str:
    """Return what a unit is called: `proofs._prove`."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def questions_of(
    results: Results, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], opened: Callable[[Any], Kernel]
) -> list[Question | None]:
    """Return the question that each unit answers, whose first argument names a kernel; None where it is not kept."""
    kind = kind_of(function)
    if not results.is_on or not is_kept(function):
        return [None] * len(tasks)
    return [results.question(kind, opened(task[0]), *task[1:]) for task in tasks]


def keep(results: Results, question: Question | None, result: Any) -> None:
    """Keep what a unit gave: a Timed, or what says that it ended its process."""
    if isinstance(result, Timed):
        results.keep(question, result.value, result.seconds)
    elif isinstance(result, Died):
        results.ended(question, result)


def longest_first(kernels: Sequence[Hashable], seconds: Sequence[float | None]) -> list[int]:
    """Return the order in which to begin units of these kernels, by how long each took before.

    The units of one kernel stay together, because a process prepares for a kernel once.  Kernels with the longest units
    come first, and before these the kernels of which a unit is not known.
    """
    longest: dict[Hashable, float] = {}
    for kernel, known in zip(kernels, seconds, strict=True):
        longest[kernel] = max(longest.get(kernel, 0.0), math.inf if known is None else known)
    places = {kernel: place for place, kernel in enumerate(longest)}
    return sorted(range(len(kernels)), key=lambda one: (-longest[kernels[one]], places[kernels[one]], one))


def merged(answers: Sequence[Any], fresh: Generator[Any], done: Callable[[int], None]) -> Generator[Any]:
    """Yield the answers in order, with the next of `fresh` for each that is not known.

    `fresh` gives a Timed for each, or what says that it ended its process.  It calls `done` itself.  For the answers
    that are known, `done` is called first.
    """
    try:
        for number, answer in enumerate(answers):
            if answer is not None:
                done(number)
        for answer in answers:
            if answer is not None:
                yield answer
                continue
            result = next(fresh)
            yield result.value if isinstance(result, Timed) else result
    finally:
        fresh.close()
