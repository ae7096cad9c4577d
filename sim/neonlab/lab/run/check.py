"""Check kernels in this process.

`neonlab.lab.parallel.pool` does the same in separate processes, where hostile code can do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.judgement import ENOUGH_FAILURES, Answer, Tried, judged, weight_of
from neonlab.lab.run.lookup import AskedKernel, AskedShape, one_kernel, some_shapes
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.lab.run.ranged import Reach, furthest
from neonlab.verify.cases.case import Array, Case, CaseName
from neonlab.verify.cases.operator import OperatorError
from neonlab.verify.checker import Checker
from neonlab.verify.explain.explanation import explain_failure
from neonlab.verify.known_faults import KnownFaults, looking_past
from neonlab.verify.lanes.views import Checked
from neonlab.verify.ranges.proof import range_verdict
from neonlab.verify.verdict import WORST, Failure, RangeAnswer, Verdict


def check_cases(kernel: Kernel, names: Iterable[CaseName]) -> Iterator[Failure | None]:
    """Run the cases one after another on one machine; yield None for each that is right, else its failure.

    Stop after enough failures: more would take long and show nothing new.
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
    kernel: Kernel, names: Sequence[CaseName], *, ranges: bool = False, fail_fast: bool = False
) -> Tried:
    """Run cases as `check_cases` does; with `fail_fast`, stop at the first failure.

    If all are right and `ranges` are asked for, answer about these too, at the shape that suits best.
    """
    found: list[Failure | None] = []
    ranged: Reach | None = None
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        for name, outcome in zip(names, _checked(checker, kernel, names), strict=False):
            found.append(outcome)
            ranged = furthest([ranged, Reach(name, checker.extent)])
            if fail_fast and outcome is not None:
                break
        if any(found):
            ranged = None
        answer = _answered(kernel, ranged.name, checker.checked) if ranges and ranged is not None else None
        return Tried(found, checker.coverage, answer, checker.accepted, ranged)


def check_case(kernel: Kernel, case: Case) -> Tried:
    """Run a case that no pattern draws, under every check."""
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        failure = checker.check(case)
        found = replace(failure, witness=case) if failure is not None else None
        return Tried([found], checker.coverage, None, checker.accepted)


def explain(kernel: Kernel, failure: Failure) -> Failure:
    """Return the failure with the smallest case that fails in the same way and its explanation, if that helps."""
    case = failure.witness
    if case is None:
        if failure.case is None:
            return failure
        case = draw_case(kernel, failure.case)
    found = explain_failure(kernel_program(kernel), kernel.contract, kernel.operator, case, failure)
    return replace(failure, explanation=found)


def answer_ranges(kernel: Kernel, name: CaseName) -> Answer:
    """Tell whether any input within the declared ranges makes a lane wrap at the shape of `name`.

    A witness is returned as a failure.
    """
    return _answered(kernel, name, None)


def _answered(kernel: Kernel, name: CaseName, checked: Sequence[Checked] | None) -> Answer:
    program, contract, case = kernel_program(kernel), kernel.contract, draw_case(kernel, name)
    found = range_verdict(program, contract, case, checked=checked)
    number = KnownFaults(program, contract).number_of(found.fault)
    if number is not None:
        found = range_verdict(program, looking_past(contract), case)
    failure = None
    if found.fault is not None and found.witness is not None:
        witness = _refilled(kernel, replace(case, pattern=WORST), found.witness)
        failure = Failure(CaseName(name.shape, WORST, name.seed), fault=found.fault, witness=witness)
    return RangeAnswer(found.status.value, name.shape, found.note, number, found.scope), failure


def _refilled(kernel: Kernel, case: Case, inputs: Mapping[str, Array]) -> Case:
    """Return the case with other inputs; without expected results if the operator cannot compute them."""
    try:
        if kernel.operator is not None:
            return kernel.operator.refilled(kernel.contract, case, inputs)
    except OperatorError:
        pass
    return replace(case, inputs=inputs, expected={}, returned=None)


def check(
    kernel: AskedKernel,
    *,
    shapes: AskedShape | Sequence[AskedShape] = (),
    patterns: Sequence[str] = (),
    seed: int = 1,
    every_tail: bool = False,
    layers: bool = False,
    full: bool = False,
) -> Verdict:
    """Try a kernel on many cases, and say whether it is right and, where it is wrong, which line is at fault.

    `kernel` is a Kernel, a name of the library such as "armv8/conv1x1_s8s32_hwc_4x4", or the path of a file.  `shapes`
    are Shapes or text such as "3x3x16x8", one or several, each tried under every pattern; without any, a choice of
    small shapes in which every two sizes meet.  `patterns` restricts the data to some of "random", "extremes",
    "lowest", "highest", "opposed", "alternating", "one_hot" and "sparse".  `every_tail` tries every combination
    of small sizes, `layers` the layers of real networks too, `full` applies every check to large cases too.  `seed` (0
    or more) fixes the data.

    Runs in this process: code that can bring down the emulator is better checked by `neonlab check`.  Raises InputError
    for a kernel, a shape or a pattern that is not known, or that the contract does not allow.
    """
    kernel = one_kernel(kernel)
    shapes = some_shapes(kernel, shapes)
    names = plan_cases(
        kernel, shapes=shapes, patterns=patterns, seed=seed, every_tail=every_tail, layers=layers, full=full
    )
    verdict = judged(kernel, check_and_answer(kernel, names, ranges=True), seed)
    return replace(verdict, chosen=bool(shapes or patterns))
