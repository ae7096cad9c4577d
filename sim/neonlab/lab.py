"""The lab's three verbs: check a kernel, profile it, compare it with others.  All in this process.

`neonlab.workers` runs the same in processes of their own, where hostile code can do no harm.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.code import forget_programs as forget_programs
from neonlab.code import load_program as load_program
from neonlab.comparison import Comparison, Side, fold_sides, plan_comparison
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.errors import InputError
from neonlab.judged import ENOUGH_FAILURES
from neonlab.judged import verdict_of as verdict_of
from neonlab.library import Kernel
from neonlab.measure.core import load_core
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop_report import report_hot_loop
from neonlab.measure.options import MemoryOptions
from neonlab.measure.pipeline_core import load_pipeline, pipeline_names
from neonlab.measure.profile import Profile
from neonlab.measure.traffic import TrafficProbe
from neonlab.plan import CaseName, draw_case, parse_shape, plan_cases, range_case
from neonlab.toolchain import made_by, target_of
from neonlab.verify.case import Depth, Shape
from neonlab.verify.check_case import run_case
from neonlab.verify.checker import Checker
from neonlab.verify.explanation import explain_failure
from neonlab.verify.lane_wrap_views import Checked
from neonlab.verify.ranges import range_verdict
from neonlab.verify.verdict import Failure, RangeAnswer, Verdict, with_ranges

#: Patterns under which a comparison tries whether results are right.
_TRIED = ("random", "extremes")


def kernel_program(kernel: Kernel) -> Program:
    """The kernel's program.  Raises InputError when it does not assemble or does not define its own name."""
    return load_program(kernel.path, kernel.contract, kernel.build)


def compiler_of(kernel: Kernel) -> str:
    """The compiler that made the kernel's code, its version and flags; empty where none did."""
    return made_by(kernel.path, target_of(kernel.contract), kernel.build)


def code_digest(kernel: Kernel) -> str:
    """What is the same for two kernels if and only if they assemble to the same code and data; else why they do not."""
    try:
        program = kernel_program(kernel)
    except InputError as error:
        return str(error)
    digest = hashlib.sha256()
    for segment in program.segments:
        digest.update(f"{segment.name} {segment.address} {len(segment.data)} ".encode() + segment.data)
    return digest.hexdigest()


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
        failed += outcome is not None
        yield outcome
        if failed >= ENOUGH_FAILURES:
            break


def check_and_answer(
    kernel: Kernel, names: Iterable[CaseName], ranged: CaseName | None, *, fail_fast: bool = False
) -> tuple[list[Failure | None], tuple[RangeAnswer, Failure | None] | None]:
    """`check_cases`, with `fail_fast` up to the first failure; `answer_ranges` of `ranged` where all came out right."""
    found = []
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        for outcome in _checked(checker, kernel, names):
            found.append(outcome)
            if fail_fast and outcome is not None:
                break
        answer = _answered(kernel, ranged, checker.checked) if ranged is not None and not any(found) else None
    return found, answer


def explain(kernel: Kernel, failure: Failure) -> Failure:
    """The failure with the smallest case that fails alike, and what led to it there, where that tells something."""
    name = CaseName(parse_shape(kernel, failure.shape), failure.pattern, failure.seed)
    program, case = kernel_program(kernel), draw_case(kernel, name)
    return replace(failure, explanation=explain_failure(program, kernel.contract, kernel.operator, case, failure))


def answer_ranges(kernel: Kernel, name: CaseName) -> tuple[RangeAnswer, Failure | None]:
    """Whether any input within the declared ranges makes a lane wrap at the shape of `name`; a witness is a failure."""
    return _answered(kernel, name, None)


def _answered(kernel: Kernel, name: CaseName, checked: Sequence[Checked] | None) -> tuple[RangeAnswer, Failure | None]:
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
    outcomes, answer = check_and_answer(kernel, names, range_case(kernel, names))
    verdict = verdict_of(kernel, outcomes, seed)
    return with_ranges(verdict, *answer) if answer is not None else verdict


def profile(kernel: Kernel, shape: Shape, *, seed: int = 1, memory: MemoryOptions | None = None) -> Profile | Failure:
    """Count one call on random data, and with `memory` where its accesses go; a Failure where the kernel faults.

    Raises InputError for a shape not allowed, and for a core not known or that cannot run the kernel.
    """
    refuse_core(kernel, memory)
    case = draw_case(kernel, CaseName(shape, "random", seed))
    macs = kernel.contract.macs.evaluate(case.integers) if kernel.contract.macs else 0
    return profile_call(
        kernel,
        kernel_program(kernel),
        lambda machine: run_case(machine, kernel.contract, case),
        str(shape),
        macs=macs,
        seed=seed,
        memory=memory,
    )


def refuse_core(kernel: Kernel, memory: MemoryOptions | None) -> None:
    """Raise InputError for a core that is not known, or cannot run the kernel."""
    if memory is not None and memory.core is not None:
        refusal = load_core(memory.core).refusal(kernel.isa, kernel.contract.features)
        if refusal is not None:
            raise InputError(f"{kernel.title}: {refusal}")


def profile_call(
    kernel: Kernel,
    program: Program,
    call: Callable[[Machine], Run | Fault],
    shape: str,
    *,
    macs: int = 0,
    seed: int = 1,
    memory: MemoryOptions | None = None,
) -> Profile | Failure:
    """What any one call of the kernel costs: `call` makes it on the machine it is given, each time the same.

    `shape` names it in the profile; `macs` is the work it does.
    """
    probe = CountsProbe(program)
    traffic = _traffic_probe(program, memory) if memory is not None else None
    machine = Machine(program, probes=(probe,) if traffic is None else (probe, traffic))
    try:
        outcome = call(machine)
        if isinstance(outcome, Fault):
            return Failure(shape, "random", seed, fault=outcome)
        counts = probe.collect()
        if sum(counts.by_class.values()) != counts.instructions:
            unknown = Fault(FaultKind.UNDEFINED_INSTRUCTION, "executes a word that is no instruction known here", 0)
            return Failure(shape, "random", seed, fault=unknown)
        if memory is not None and traffic is not None and traffic.unplanned is not None:
            machine.close()
            traffic = _traffic_probe(program, memory, stepwise=True)
            machine = Machine(program, probes=(traffic,))
            call(machine)
        if memory is not None and traffic is not None and memory.core is not None and memory.warm:
            traffic.warm = True
            call(machine)
    finally:
        machine.close()
    moved, caches, cycles = None, None, None
    if traffic is not None:
        moved, caches = traffic.collect(), traffic.collect_caches()
        cycles = traffic.collect_cycles(counts.executions)
    loop = None
    if cycles is not None and memory is not None and memory.core is not None and memory.loop:
        loop = report_hot_loop(program, load_pipeline(memory.core), counts, cycles, moved, kernel.contract.features)
    compiler = compiler_of(kernel)
    return Profile(kernel.title, kernel.isa.value, shape, macs, counts, moved, caches, cycles, loop, compiler)


def _traffic_probe(program: Program, memory: MemoryOptions, *, stepwise: bool | None = None) -> TrafficProbe:
    core = load_core(memory.core) if memory.core is not None else None
    pipeline = load_pipeline(memory.core) if memory.core in pipeline_names() else None
    return TrafficProbe(program, core, pipeline=pipeline, prefetcher=memory.prefetcher, stepwise=stepwise)


def look(
    kernel: Kernel,
    shape: Shape,
    *,
    cores: Sequence[str] = (),
    loop: bool = False,
    warm: bool = False,
    seed: int = 1,
    revision: str | None = None,
) -> Side:
    """The kernel as one side of a comparison: quick trials of its results on `shape`, and a profile on each core.

    `loop` asks to look into the hot loop.  Raises InputError for a shape not allowed or a core not known.
    """
    side = Side(kernel.title, kernel.isa.value, revision)
    names = [CaseName(shape, pattern, seed, Depth.QUICK) for pattern in _TRIED]
    failure = next(filter(None, check_cases(kernel, names)), None)
    profiles = []
    if failure is None or failure.mismatch is not None:
        for core in cores or (None,):
            memory = MemoryOptions(core, warm, loop=loop) if core is not None else None
            outcome = profile(kernel, shape, seed=seed, memory=memory)
            if isinstance(outcome, Failure):
                return replace(side, failure=outcome, exact=False)
            profiles.append(outcome)
    exact = failure is None if kernel.operator is not None or failure is not None else None
    return replace(side, profiles=tuple(profiles), failure=failure, exact=exact)


def compare(
    kernels: Sequence[Kernel], shapes: Sequence[Shape], *, cores: Sequence[str] = (), warm: bool = False, seed: int = 1
) -> Comparison:
    """Set the kernels side by side on each shape that their contracts allow; with `cores`, their cycles there too.

    The first kernel is what the others are held against.  Raises InputError for a core without a pipeline model.
    """
    plan = plan_comparison([(kernel, shapes) for kernel in kernels], cores)
    sides = [look(k, shape, cores=cores, loop=loop, warm=warm, seed=seed) for k, shape, loop in plan]
    return fold_sides(plan, sides, cores, seed)
