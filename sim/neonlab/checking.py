"""Checks of kernels, in this process.

`neonlab.workers` runs the same in processes of their own, where hostile code can do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from neonlab.judged import ENOUGH_FAILURES, Answer, Tried, verdict_of, weight_of
from neonlab.kernel_code import kernel_program
from neonlab.library import Kernel
from neonlab.plan import CaseName, draw_case, parse_shape, plan_cases, range_case
from neonlab.verify.case import Shape
from neonlab.verify.checker import Checker
from neonlab.verify.explanation import explain_failure
from neonlab.verify.lane_wrap_views import Checked
from neonlab.verify.ranges import range_verdict
from neonlab.verify.verdict import Failure, RangeAnswer, Verdict, with_ranges


def check_cases(kernel: Kernel, names: Iterable[CaseName]) -> Iterator[Failure | None]:
    """Run the cases one after another, on one machine; None for each that came out right.

    Stops where enough have failed: to look into every one of them would take long and tell nothing new.
    """
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        yield from _checked(checker, kernel, names)


def _checked(checker: Checker, kernel: Kernel, names: Iterable[CaseName]) -> Iterator[Failure | None]:
    failed = 0
    for name in names:
        outcome = checker.check(draw_case(kernel, name), name.depth)
        failed += weight_of(outcome)
        yield outcome
        if failed >= ENOUGH_FAILURES:
            break


def check_and_answer(
    kernel: Kernel, names: Iterable[CaseName], ranged: CaseName | None, *, fail_fast: bool = False
) -> Tried:
    """`check_cases`, with `fail_fast` up to the first failure; `answer_ranges` of `ranged` where all came out right."""
    found = []
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        for outcome in _checked(checker, kernel, names):
            found.append(outcome)
            if fail_fast and outcome is not None:
                break
        answer = _answered(kernel, ranged, checker.checked) if ranged is not None and not any(found) else None
        return Tried(found, checker.coverage, answer)


def explain(kernel: Kernel, failure: Failure) -> Failure:
    """The failure with the smallest case that fails alike, and what led to it there, where that tells something."""
    name = CaseName(parse_shape(kernel, failure.shape), failure.pattern, failure.seed)
    program, case = kernel_program(kernel), draw_case(kernel, name)
    return replace(failure, explanation=explain_failure(program, kernel.contract, kernel.operator, case, failure))


def answer_ranges(kernel: Kernel, name: CaseName) -> Answer:
    """Whether any input within the declared ranges makes a lane wrap at the shape of `name`; a witness is a failure."""
    return _answered(kernel, name, None)


def _answered(kernel: Kernel, name: CaseName, checked: Sequence[Checked] | None) -> Answer:
    found = range_verdict(kernel_program(kernel), kernel.contract, draw_case(kernel, name), checked=checked)
    failure = Failure(str(name.shape), "worst", name.seed, fault=found.fault) if found.fault is not None else None
    return RangeAnswer(found.status.value, str(name.shape), found.note), failure


def check(
    kernel: Kernel,
    *,
    shapes: Sequence[Shape] = (),
    patterns: Sequence[str] = (),
    seed: int = 1,
    every_tail: bool = False,
    layers: bool = False,
    full: bool = False,
) -> Verdict:
    """Try the kernel and say whether it is right; arguments as in `plan_cases`.  Raises InputError for bad input."""
    names = plan_cases(
        kernel, shapes=shapes, patterns=patterns, seed=seed, every_tail=every_tail, layers=layers, full=full
    )
    tried = check_and_answer(kernel, names, range_case(kernel, names))
    verdict = verdict_of(kernel, tried.outcomes, seed, [tried.coverage])
    return with_ranges(verdict, *tried.answer) if tried.answer is not None else verdict
