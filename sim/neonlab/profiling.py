"""What a kernel costs: profile it, compare it with others.  All in this process.

`neonlab.workers` runs the same in processes of their own, where hostile code can do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.checking import check_cases
from neonlab.comparison import Comparison, Side, fold_sides, plan_comparison
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.errors import InputError
from neonlab.kernel_code import compiler_of, kernel_program
from neonlab.library import Kernel
from neonlab.measure.core import load_core
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop_report import LoopReport, report_hot_loops
from neonlab.measure.options import MemoryOptions
from neonlab.measure.pipeline_core import load_pipeline, pipeline_names
from neonlab.measure.profile import Profile
from neonlab.measure.traffic import TrafficProbe
from neonlab.plan import CaseName, draw_case
from neonlab.verify.case import Depth, Shape
from neonlab.verify.check_case import run_case
from neonlab.verify.verdict import Failure

#: Patterns under which a comparison tries whether results are right.
_TRIED = ("random", "extremes")


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
    loops: tuple[LoopReport, ...] = ()
    if cycles is not None and memory is not None and memory.core is not None and memory.loop:
        loops = report_hot_loops(program, load_pipeline(memory.core), counts, cycles, moved, kernel.contract.features)
    compiler = compiler_of(kernel)
    return Profile(kernel.title, kernel.isa.value, shape, macs, counts, moved, caches, cycles, loops, compiler)


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
