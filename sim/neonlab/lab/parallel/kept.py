"""Run units of work whose results are kept: those that are known are not run again."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.lab.cache.results import Question, Results
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died

#: Functions whose results are not kept: they depend on packages or files that no key names.
_NOT_KEPT = ("searches._search", "checks._check_case")


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
    if not results.is_on or kind in _NOT_KEPT:
        return [None] * len(tasks)
    return [results.question(kind, opened(task[0]), *task[1:]) for task in tasks]


def merged(
    results: Results,
    questions: Sequence[Question | None],
    answers: Sequence[Any],
    fresh: Generator[Any],
    done: Callable[[int], None],
) -> Generator[Any]:
    """Yield the answers in order, with the next of `fresh` for each that is not known; keep these.

    `fresh` gives a Timed for each, or what says that it ended its process.  It calls `done` itself.
    """
    try:
        for number, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            if answer is not None:
                done(number)
                yield answer
                continue
            result = next(fresh)
            if isinstance(result, Timed):
                results.keep(question, result.value, result.seconds)
                result = result.value
            elif isinstance(result, Died):
                results.ended(question, result)
            yield result
    finally:
        fresh.close()
