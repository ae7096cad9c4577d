"""Measure the cost of a kernel and compare kernels, in this process.

`neonlab.lab.parallel.pool` does the same in separate processes, where hostile code can do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neonlab.assemble.program import Program
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.errors import InputError
from neonlab.host.closing import Closing
from neonlab.lab.compare.comparison import Comparison, Side, fold_sides, plan_comparison
from neonlab.lab.repository.kernel_code import compiler_of, kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.lookup import AskedKernel, AskedShape, one_kernel, one_shape, some_kernels, some_shapes
from neonlab.lab.run.plan import draw_case, layers_of, layers_or_largest
from neonlab.lab.run.settling import Settling
from neonlab.measure.cores.modelled import AskedCore, ModelledCore, cores_named
from neonlab.measure.counts import Counts, CountsProbe
from neonlab.measure.loop.report import LoopReport, report_hot_loops
from neonlab.measure.memory_probe import TrafficProbe
from neonlab.measure.options import COUNTS_ALONE, NOTHING_FOUND, Found, MemoryOptions, on_each
from neonlab.measure.profile import Profile
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName, Depth
from neonlab.verify.cases.stated_data import with_stated_data
from neonlab.verify.check_case import call_arguments, call_case
from neonlab.verify.memory.placement import place_measured
from neonlab.verify.verdict import Failure, JudgedBy

#: Patterns under which a comparison checks results.
_TRIED = ("random", "extremes")


def profile(
    kernel: AskedKernel,
    shape: AskedShape = "",
    *,
    core: AskedCore | None = None,
    warm: bool = False,
    seed: int = 1,
    memory: MemoryOptions | None = None,
) -> Profile | Failure:
    """Count what one call of a kernel does on random data, and estimate what it costs on a core.

    `kernel` is a Kernel, a name of the library such as "armv8/conv1x1_s8s32_hwc_4x4", or the path of a file; `shape` is
    a Shape, or its sizes joined by x such as "14x14x256x512".  Only a kernel without sizes needs no shape.

    With `core` ("cortex-a53"), the Profile also has the traffic in bytes by buffer, the cache events, the cycles and
    the hot loops of the core's models, which are estimates.  `warm` models one of many calls back to
    back, until their cycles settle; the default is a first call on empty caches.  `memory` states the same options, and
    more, as MemoryOptions; give either `memory` or `core`.  `seed` (0 or more) fixes the data.

    Returns a Failure, not a Profile, where the kernel faults.  Raises InputError for a kernel, a shape or a core that
    is not known, for a shape that the contract does not allow, and for a core that cannot run the kernel.
    """
    kernel = one_kernel(kernel)
    shape, options = one_shape(kernel, shape), _options(core, warm, memory)
    return profile_case(kernel, CaseName(shape, "random", seed), options)


def profile_case(kernel: Kernel, name: CaseName, memory: MemoryOptions = COUNTS_ALONE) -> Profile | Failure:
    """Profile the call of one case, as `profile` does, with buffers and data as the contract says to measure them."""
    refuse_core(kernel, memory.core)
    if memory.cold_weights:
        cold_buffers(kernel)  # refuses before anything runs
    case, call = case_and_call(kernel, name)
    macs = kernel.contract.macs.evaluate(case.integers) if kernel.contract.macs else 0
    return profile_call(kernel, kernel_program(kernel), call, case.name, macs=macs, memory=memory)


def case_and_call(kernel: Kernel, name: CaseName) -> tuple[Case, Callable[[Machine], Run | Fault]]:
    """Return the case, and what calls it with buffers and data as the contract says to measure them."""
    case = draw_case(kernel, name)
    measured = with_stated_data(kernel.contract, case)
    arguments = place_measured(kernel.contract, call_arguments(kernel.contract, measured))
    return case, lambda machine: call_case(machine, kernel.contract, measured, arguments)


def _options(core: AskedCore | None, warm: bool, memory: MemoryOptions | None) -> MemoryOptions:
    """Return the options that are given in one of two ways.  Raises InputError for both, or for an incomplete one."""
    if memory is not None and (core is not None or warm):
        raise InputError("give either `memory` or `core` and `warm`: MemoryOptions has a core and `warm` of its own")
    if core is None and warm:
        raise InputError("`warm` says how to model a core: give `core` too")
    return MemoryOptions(core, warm, loop=True) if core is not None else memory or COUNTS_ALONE


def refuse_core(kernel: Kernel, core: ModelledCore | None) -> None:
    """Raise InputError for a core that cannot run the kernel."""
    refusal = core.refusal(kernel.isa, kernel.contract.features) if core is not None else None
    if refusal is not None:
        raise InputError(f"{kernel.title}: {refusal}")


def profile_call(
    kernel: Kernel,
    program: Program,
    call: Callable[[Machine], Run | Fault],
    case: CaseName,
    *,
    macs: int = 0,
    memory: MemoryOptions = COUNTS_ALONE,
) -> Profile | Failure:
    """Profile one call of the kernel: `call` makes it on a given machine, the same each time.

    `case` is its name in a failure; `macs` is its number of multiply-accumulates.  Return the Failure if it faults.
    """
    with CallProfiler(kernel, program, memory) as profiler:
        return profiler.profile(call, case, macs)


class CallProfiler(Closing):
    """Profile calls of one kernel, one after another, on one machine; `profile_call` is for a single one.

    What a profile finds does not depend on the calls before.  A context manager; `close` frees the machine.
    """

    def __init__(self, kernel: Kernel, program: Program, memory: MemoryOptions) -> None:
        self._kernel, self._program, self._memory = kernel, program, memory
        self._set_up(stepwise=None)

    def _set_up(self, stepwise: bool | None) -> None:
        self._counts = CountsProbe(self._program)
        self._traffic = _traffic_probe(self._program, self._memory, stepwise=stepwise) if self._memory.traffic else None
        probes = (self._counts,) if self._traffic is None else (self._counts, self._traffic)
        self._machine = Machine(self._program, probes=probes)

    def profile(self, call: Callable[[Machine], Run | Fault], case: CaseName, macs: int) -> Profile | Failure:
        """Return the profile of one call, as `profile_call` does."""
        memory, kernel = self._memory, self._kernel
        if self._traffic is not None:
            self._traffic.warm, self._traffic.calls, self._traffic.cold = False, 0, ()
        outcome = call(self._machine)
        if isinstance(outcome, Fault):
            return Failure(case, fault=outcome)
        counts = self._counts.collect()
        if (unknown := _unknown_word(counts)) is not None:
            return Failure(case, fault=unknown)
        if self._traffic is not None and self._traffic.unplanned is not None:
            self.close()
            self._set_up(stepwise=True)
            call(self._machine)
        traffic = self._traffic
        if traffic is not None and memory.core is not None and memory.warm:
            traffic.warm, traffic.calls = True, memory.calls
            traffic.cold = cold_buffers(kernel) if memory.cold_weights else ()
            _repeat(traffic, lambda: call(self._machine))
        moved, caches, cycles = None, None, None
        if traffic is not None:
            moved, caches = traffic.collect(), traffic.collect_caches()
            cycles = traffic.collect_cycles(counts.executions)
        loops: tuple[LoopReport, ...] = ()
        pipeline = memory.core.pipeline if memory.core is not None else None
        if traffic is not None and cycles is not None and pipeline is not None and memory.loop:
            spent = traffic.cycles_of_instructions()
            loops = report_hot_loops(self._program, pipeline, counts, cycles, spent, moved, kernel.contract.features)
        compiler = compiler_of(kernel)
        return Profile(kernel.title, kernel.isa.value, case.shape, macs, counts, moved, caches, cycles, loops, compiler)

    def close(self) -> None:
        """Free the machine."""
        self._machine.close()


def cold_buffers(kernel: Kernel) -> tuple[str, ...]:
    """Return the buffers that hold weights: those that the contract marks, else those that the operator names.

    Raises InputError if there are none.
    """
    contract = kernel.contract
    names = [one.name for one in contract.pointers if one.conditions.cold]
    if not names and kernel.operator is not None:
        names = [name for name in kernel.operator.weights if name in contract.by_name]
    if not names:
        raise InputError(f"{kernel.title}: no buffer is known to hold weights: mark those with `cold = true`")
    return tuple(dict.fromkeys(contract.buffer_of(name) for name in names))


def _repeat(traffic: TrafficProbe, call: Callable[[], object]) -> None:
    """Make calls back to back until their cycles settle: stores back up, and predictors learn, over several calls.

    Where the probe takes several calls together, these are repeated.  Where the cycles of calls differ in turn, it
    counts one turn in the end.
    """
    settling = Settling(traffic.calls)
    while not settling.over:
        for _ in range(max(1, traffic.calls)):
            call()
        settling.add(traffic.cycles)
    if turn := settling.turn:
        traffic.average(turn)
        for _ in range(turn):
            call()


def counted_profile(kernel: Kernel, case: Case, counts: Counts) -> Profile | Failure:
    """Return what `profile` returns without `memory`, from a call on the case that was already counted."""
    if (unknown := _unknown_word(counts)) is not None:
        return Failure(case.name, fault=unknown)
    macs = kernel.contract.macs.evaluate(case.integers) if kernel.contract.macs else 0
    return Profile(kernel.title, kernel.isa.value, case.shape, macs, counts, compiler=compiler_of(kernel))


def _unknown_word(counts: Counts) -> Fault | None:
    """Return the fault of a call that executed words that cannot be counted, else None."""
    if sum(counts.by_class.values()) == counts.instructions:
        return None
    return Fault(FaultKind.UNDEFINED_INSTRUCTION, "executes a word that is not a known instruction", 0)


def _traffic_probe(program: Program, memory: MemoryOptions, *, stepwise: bool | None = None) -> TrafficProbe:
    chip, pipeline = (memory.core.chip, memory.core.pipeline) if memory.core is not None else (None, None)
    return TrafficProbe(program, chip, pipeline=pipeline, prefetcher=memory.prefetcher, stepwise=stepwise)


def look(
    kernel: Kernel,
    shape: Shape,
    *,
    cores: Sequence[ModelledCore] = (),
    loop: bool = False,
    finds: Found = NOTHING_FOUND,
    seed: int = 1,
    revision: str | None = None,
) -> Side:
    """Return the kernel as one side of a comparison: quick cases on `shape`, and a profile on each core.

    With `loop`, the hot loop is examined too.  Raises InputError for a shape that the contract does not allow.
    """
    side = Side(kernel.title, kernel.isa.value, revision, unchecked=kernel.judged_by is JudgedBy.NOTHING)
    names = [CaseName(shape, pattern, seed, Depth.QUICK) for pattern in _TRIED]
    failure = next(filter(None, check_cases(kernel, names)), None)
    profiles = []
    if failure is None or failure.mismatch is not None:
        for memory in on_each(cores, finds=finds, loop=loop):
            outcome = profile_case(kernel, CaseName(shape, "random", seed), memory)
            if isinstance(outcome, Failure):
                return replace(side, failure=outcome, exact=False)
            profiles.append(outcome)
    exact = failure is None if kernel.operator is not None or failure is not None else None
    return replace(side, profiles=tuple(profiles), failure=failure, exact=exact)


def compare(
    kernels: AskedKernel | Sequence[AskedKernel],
    shapes: AskedShape | Sequence[AskedShape] = (),
    *,
    core: AskedCore | None = None,
    cores: AskedCore | Sequence[AskedCore] = (),
    warm: bool = False,
    seed: int = 1,
) -> Comparison:
    """Set kernels side by side on each shape that their contracts allow.

    `kernels` and `shapes` are given as to `profile`, one or several; the others are compared with the first kernel.
    Without shapes, the layers of real networks that the kernels' operators name are taken, or else the largest shape
    that `check` tries of the first kernel.  With `cores` (or one `core`), the Comparison also has estimates of cycles
    there, and differences between the hot loops; `warm` models one of many calls back to back.  `seed` fixes the data.

    Raises InputError for a kernel, a shape or a core that is not known, for a core without a pipeline model or that
    cannot run a kernel, and where no kernel allows any of the shapes.
    """
    asked = [core] if core is not None else []
    modelled = cores_named([*asked, *([cores] if isinstance(cores, AskedCore) else cores)])
    if warm and not modelled:
        raise InputError("`warm` says how to model a core: give `core` too")
    chosen = some_kernels(kernels)
    if not chosen:
        raise InputError("no kernels to compare: name one at least")
    work = [(kernel, some_shapes(kernel, shapes) or layers_of(kernel)) for kernel in chosen]
    if not any(taken for _, taken in work):
        largest = layers_or_largest(chosen[0])[:1]
        work = [(kernel, largest) for kernel in chosen]
    plan = plan_comparison(work, modelled)
    if not plan:
        raise InputError(f"{chosen[0].title}: its contract allows none of the shapes")
    sides = [look(k, shape, cores=modelled, loop=loop, finds=Found(warm), seed=seed) for k, shape, loop in plan]
    return fold_sides(plan, sides, modelled, seed)
