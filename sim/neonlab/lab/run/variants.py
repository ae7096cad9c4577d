"""Model warm calls of a kernel on many variants of a core, in one run of the emulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.profile import case_and_call, refuse_core
from neonlab.lab.run.settling import Settling
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.memory_probe import TrafficProbe
from neonlab.measure.pipeline.parts import Parts
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure

#: Variants in one run, at most: each keeps the states of its pipeline.
_TOGETHER = 16


def cycles_on_variants(
    kernel: Kernel, name: CaseName, core: ModelledCore, variants: Sequence[PipelineCore]
) -> list[float] | Failure:
    """Return the cycles of one of many calls back to back, on `core` with each of the pipelines `variants`.

    They are those that `profile_case` finds for the variant.  Returns the Failure if the kernel faults.
    """
    refuse_core(kernel, core)
    found: list[float] = []
    parts = Parts()
    for first in range(0, len(variants), _TOGETHER):
        some = _together(kernel, name, core, variants[first : first + _TOGETHER], parts)
        if isinstance(some, Failure):
            return some
        found += some
    return found


def _together(
    kernel: Kernel, name: CaseName, core: ModelledCore, variants: Sequence[PipelineCore], parts: Parts
) -> list[float] | Failure:
    case, call = case_and_call(kernel, name)
    program = kernel_program(kernel)
    for stepwise in (None, True):
        probe = TrafficProbe(program, core.chip, variants=variants, stepwise=stepwise, parts=parts)
        with Machine(program, probes=(probe,)) as machine:
            outcome = call(machine)
            if isinstance(outcome, Fault):
                return Failure(case.name, fault=outcome)
            if probe.unplanned is None or stepwise:
                return _settled(probe, lambda: call(machine), len(variants))
    raise AssertionError("the stepwise plan has all places")


def _settled(probe: TrafficProbe, call: Callable[[], Run | Fault], number: int) -> list[float]:
    """Make calls until the cycles of each variant have settled; where they differ in turn, take the mean of a turn."""
    probe.warm = True
    settling = [Settling() for _ in range(number)]
    figures: list[float | None] = [None] * number
    turns: list[list[int]] = [[] for _ in range(number)]
    while None in figures:
        call()
        for at, cycles in enumerate(probe.cycles_of_variants):
            one = settling[at]
            if not one.over:
                one.add(cycles)
                if one.over and not one.turn:
                    figures[at] = float(cycles)
            elif figures[at] is None:
                turns[at].append(cycles)
                if len(turns[at]) == one.turn:
                    figures[at] = sum(turns[at]) / one.turn
    return [figure for figure in figures if figure is not None]
