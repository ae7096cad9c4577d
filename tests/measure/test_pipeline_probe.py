"""Cycles of whole calls: the same however they are come by, and what small programs must cost."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.measure.test_block_addresses import LONG, RETURNS, both, call_with_pointers, random_function

from neonlab.assemble.program import Program
from neonlab.emulate.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.isa import Isa
from neonlab.isa.prototype import parse_prototype
from neonlab.lab import kernel_program
from neonlab.library import Kernel, open_library
from neonlab.measure.core import Core, load_core
from neonlab.measure.counts import CountsProbe
from neonlab.measure.pipeline_core import PipelineCore, load_pipeline
from neonlab.measure.run_cycles import RunCycles
from neonlab.measure.traffic import TrafficProbe
from neonlab.plan import CaseName, draw_case, parse_shape, plan_cases
from neonlab.verify.check_case import run_case

KERNELS = open_library(Path(__file__).parents[2]).kernels
CORES = ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76")
Call = Callable[[Machine], Run | Fault]


def cycles_of(
    program: Program,
    call: Call,
    core: str | tuple[Core, PipelineCore] = "cortex-a53",
    *,
    calls: int = 1,
    remembers: bool = True,
    prefetcher: bool = True,
    stepwise: bool | None = None,
) -> RunCycles:
    """Cycles of the last of so many calls, the caches and the pipeline as the one before left them."""
    of, pipeline = (load_core(core), load_pipeline(core)) if isinstance(core, str) else core
    counts = CountsProbe(program)
    probe = TrafficProbe(
        program, of, pipeline=pipeline, remembers=remembers, prefetcher=prefetcher, stepwise=stepwise
    )
    with Machine(program, probes=(counts, probe)) as machine:
        for number in range(calls):
            probe.warm = number > 0
            outcome = call(machine)
            assert isinstance(outcome, Run), outcome
        found = probe.collect_cycles(counts.collect().executions)
    assert found is not None
    assert sum(found.causes.values()) == found.cycles
    assert all(cycles >= 0 for cycles in found.causes.values())
    return found


def agree(program: Program, call: Call, core: str, **options: bool) -> None:
    """Remembering changes nothing, in a first call or a second."""
    for calls in (1, 2):
        quick, plain = (cycles_of(program, call, core, calls=calls, remembers=way, **options) for way in (True, False))  # type: ignore[arg-type]
        assert quick == plain


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.isa.value} {kernel.name}")
def test_remembering_changes_no_cycle_of_any_kernel(kernel: Kernel) -> None:
    names = plan_cases(kernel, patterns=("random",))
    chooser = np.random.default_rng(len(kernel.name))
    for core, index in zip(CORES, chooser.choice(len(names), min(4, len(names)), replace=False), strict=False):
        case = draw_case(kernel, names[index])
        print(core, names[index].shape)
        agree(kernel_program(kernel), lambda machine, case=case: run_case(machine, kernel.contract, case), core)  # type: ignore[misc]


@both
@pytest.mark.parametrize("core", [*CORES, "apple-m1"])
def test_remembering_changes_no_cycle_of_random_programs(isa: Isa, core: str) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    chooser = random.Random(seed)
    names = ["kernel", *(f"f{number}" for number in range(9))]
    program = assembled(isa, "\n".join(random_function(isa, chooser, name, 30) for name in names))
    for name in names:
        agree(program, call_with_pointers(isa, seed, 5, name), core)


@both
@pytest.mark.parametrize("core", CORES)
def test_remembering_changes_no_cycle_of_a_long_run_or_an_odd_return(isa: Isa, core: str) -> None:
    agree(assembled(isa, LONG[isa]), call_with_pointers(isa, 2), core)
    agree(assembled(isa, RETURNS[isa]), call_with_pointers(isa, 3), core, stepwise=True)
