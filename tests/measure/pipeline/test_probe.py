"""Cycles of whole calls: the same however they are come by, and what small programs must cost."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from tests.emulate.guest_programs import assembled
from tests.measure.traffic.test_block_addresses import LONG, RETURNS, both, call_with_pointers, random_function
from tests.sample import CONV1X1, ONE_OF_EACH

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case, parse_shape, plan_cases
from neonlab.measure.cores.caches import Core, load_core
from neonlab.measure.cores.pipeline import PipelineCore, load_pipeline
from neonlab.measure.counts import CountsProbe
from neonlab.measure.memory_probe import TrafficProbe
from neonlab.measure.run_cycles import RunCycles
from neonlab.verify.cases.case import CaseName
from neonlab.verify.check_case import run_case

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
    probe = TrafficProbe(program, of, pipeline=pipeline, remembers=remembers, prefetcher=prefetcher, stepwise=stepwise)
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
        quick, plain = (cycles_of(program, call, core, calls=calls, remembers=way, **options) for way in (True, False))
        assert quick == plain


@pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: f"{kernel.isa.value} {kernel.name}")
@pytest.mark.thorough("random programs show the same on less")
def test_remembering_changes_no_cycle_of_any_kernel(kernel: Kernel) -> None:
    names = plan_cases(kernel, patterns=("random",))
    chooser = np.random.default_rng(len(kernel.name))
    for core, index in zip(CORES, chooser.choice(len(names), min(4, len(names)), replace=False), strict=False):
        case = draw_case(kernel, names[index])
        print(core, names[index].shape)
        agree(kernel_program(kernel), lambda machine, case=case: run_case(machine, kernel.contract, case), core)  # type: ignore[misc]


@pytest.mark.slow
@both
@pytest.mark.parametrize("core", [*CORES, "apple-m1"])
@pytest.mark.sweep(keep=4)
def test_remembering_changes_no_cycle_of_random_programs(isa: Isa, core: str) -> None:
    seed = random.Random().randrange(1 << 30)
    print(f"seed {seed}")
    chooser = random.Random(seed)
    names = ["kernel", *(f"f{number}" for number in range(9))]
    program = assembled(isa, "\n".join(random_function(isa, chooser, name, 30) for name in names))
    for name in names:
        agree(program, call_with_pointers(isa, seed, 5, name), core)


@pytest.mark.slow(keep=3)
@both
@pytest.mark.parametrize("core", CORES)
def test_remembering_changes_no_cycle_of_a_long_run_or_an_odd_return(isa: Isa, core: str) -> None:
    agree(assembled(isa, LONG[isa]), call_with_pointers(isa, 2), core)
    agree(assembled(isa, RETURNS[isa]), call_with_pointers(isa, 3), core, stepwise=True)


SIGNATURE = parse_prototype("void f(size_t n, uint8_t *a)", Isa.A64)
LINE = 64


def walk(text: str, n: int, core: str = "cortex-a72", **options: int) -> RunCycles:
    """Cycles of a loop over n lines of zeros, the prefetcher off unless asked for."""
    zeros = Buffer("a", np.zeros(n * LINE, np.uint8), writable=True, alignment=LINE)
    program = assembled(Isa.A64, f"mov x6, #0\n1:\n{text}\nsubs x0, x0, #1\nb.ne 1b\nret")

    def call(machine: Machine) -> Run | Fault:
        return machine.call("kernel", [n, zeros], SIGNATURE)

    return cycles_of(program, call, core, **{"prefetcher": False, **options})  # type: ignore[arg-type]


CHASE = "ldr x6, [x1, x6]\nadd x1, x1, #64"  # each address depends on what was loaded before
STREAM = "ldr x6, [x1], #64"
STORES = "str x6, [x1], #64"


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "cortex-a76", "neoverse-v1"])
def test_dependent_loads_take_the_latency_of_where_they_hit(core: str) -> None:
    latency = load_core(core).memory.latency
    near = walk(CHASE, 400, core, calls=2)
    assert near.cycles / 400 == pytest.approx(latency.l1, abs=1.5)
    far = walk(CHASE, 2000, core)
    assert far.cycles / 2000 == pytest.approx(latency.memory, rel=0.02)
    assert far.causes["cache miss"] > 0.9 * far.cycles


@pytest.mark.parametrize("core", ["cortex-a72", "cortex-a76"])
def test_dependent_loads_from_the_second_level_take_its_latency(core: str) -> None:
    lines = 3 * load_core(core).memory.l1d.size // LINE
    assert walk(CHASE, lines, core, calls=2).cycles / lines == pytest.approx(load_core(core).memory.latency.l2, rel=0.1)


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "cortex-a76"])
@pytest.mark.parametrize("text", [STREAM, STORES])
def test_independent_misses_overlap_as_far_as_lines_can_be_outstanding(core: str, text: str) -> None:
    latency = load_core(core).memory.latency
    each = walk(text, 3000, core).cycles / 3000
    at_once = min(latency.outstanding, latency.stores) if text is STORES else latency.outstanding
    if text is STREAM and latency.behind_miss:  # nothing that goes to memory passes a load that missed
        at_once = 1
    least = max((latency.memory - latency.l1) / at_once, latency.memory_interval)
    assert least * 0.96 <= each <= least * 1.1


def test_in_order_a_few_instructions_pass_a_load_that_missed_and_no_access_does() -> None:
    latency = load_core("cortex-a53").memory.latency
    alone = walk(STREAM, 1000, "cortex-a53").cycles
    few, many = (walk(STREAM + "\nadd x7, x7, #1" * count, 1000, "cortex-a53").cycles for count in (2, 200))
    assert few == pytest.approx(alone, rel=0.01)
    wide = "\nadd v0.16b, v1.16b, v2.16b"
    assert walk(STREAM + wide, 1000, "cortex-a53").cycles >= alone
    # Two hundred additions one upon another; but for the first few they come behind the line.
    assert many / 1000 == pytest.approx(latency.memory + 200, rel=0.03)


ACCESSES = {
    "q aligned": "ldr q{}, [x1]",
    "q unaligned": "ldur q{}, [x1, #1]",
    "x unaligned": "ldur x1{}, [x1, #1]",
    "x across a line": "ldur x1{}, [x1, #60]",
    "store across a line": "stur x1{}, [x1, #60]",
}


@pytest.mark.parametrize(
    ("what", "measured"),
    [
        ("q aligned", {"cortex-a53": 0.5, "cortex-a72": 1.0, "neoverse-n1": 2.0, "neoverse-v1": 3.0}),
        ("q unaligned", {"cortex-a53": 0.33, "cortex-a72": 0.5, "neoverse-n1": 1.0, "neoverse-v1": 1.9}),
        ("x unaligned", {"cortex-a53": 0.5, "cortex-a72": 1.0, "neoverse-n1": 2.0, "neoverse-v1": 3.0}),
        ("x across a line", {"cortex-a53": 0.5, "cortex-a72": 0.5, "neoverse-n1": 1.0, "neoverse-v1": 1.5}),
        ("store across a line", {"cortex-a53": 0.5, "cortex-a72": 0.49, "neoverse-n1": 1.0, "neoverse-v1": 1.0}),
    ],
)
def test_accesses_across_units_of_memory_come_as_often_as_measured(what: str, measured: dict[str, float]) -> None:
    """As github.com/ocxtal/insn_bench_aarch64 measured it."""
    text = "\n".join(ACCESSES[what].format(number % 8) for number in range(16))
    for core, rate in measured.items():
        one, two = (walk(text, times, core, calls=2).cycles for times in (100, 200))
        assert 1600 / (two - one) == pytest.approx(rate, rel=0.09), core


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        ("str x6, [x1]\nldr x6, [x1]",
         {"cortex-a53": 3.01, "cortex-a72": 6.53, "neoverse-n1": 5.5, "neoverse-v1": 4.55, "cortex-x1": 4.89}),
        ("str x6, [x1]\nldur x6, [x1, #1]", {"neoverse-n1": 10.56, "neoverse-v1": 11.0, "cortex-x1": 11.48}),
        ("stp x6, x6, [x1]\nldp x6, x7, [x1]", {"cortex-a72": 6.98, "neoverse-v1": 4.24}),
        ("str q6, [x1]\nldr q6, [x1]",
         {"cortex-a72": 6.93, "neoverse-n1": 6.73, "neoverse-v1": 7.87, "cortex-x1": 8.54}),
        ("st1 {v6.b}[0], [x1]\nldr q6, [x1]", {"cortex-a72": 13.0, "neoverse-n1": 11.77, "neoverse-v1": 14.46}),
    ],
)  # fmt: skip
def test_a_load_of_what_was_just_stored_waits_as_measured(text: str, measured: dict[str, float]) -> None:
    """As github.com/ocxtal/insn_bench_aarch64 measured it, to a cycle or so; stores elsewhere are not waited for."""
    for core, latency in measured.items():
        one, two = (walk(text, times, core, calls=2).cycles for times in (100, 200))
        assert (two - one) / 100 == pytest.approx(latency, rel=0.1, abs=0.8), core
        aside = text.replace("[x1]", "[x1, #128]", 1) if "st1" not in text and "stp" not in text else "add x8, x8, #1"
        one, two = (walk(aside.split("\n")[0] + "\nldr q7, [x1]", times, core, calls=2).cycles for times in (100, 200))
        assert (two - one) / 100 <= 4 or core == "cortex-a53", core


def test_a_store_is_taken_over_from_in_a_later_block_and_not_when_it_is_long_past() -> None:
    near = "str x6, [x1]\ncbz x2, 3f\n3:\nldr x6, [x1]"
    far = near.replace("3:", "3:\n" + "add x7, x7, #1\n" * 20)
    for core in ("cortex-a72", "neoverse-v1"):
        passing = load_pipeline(core).passing[0]
        one, two = (walk(near, times, core, calls=2).cycles for times in (100, 200))
        assert (two - one) / 100 == passing
        program = assembled(Isa.A64, f"mov x6, #0\n1:\n{near}\nsubs x0, x0, #1\nb.ne 1b\nret")
        zeros = Buffer("a", np.zeros(LINE, np.uint8), writable=True, alignment=LINE)
        agree(program, lambda machine, zeros=zeros: machine.call("kernel", [300, zeros], SIGNATURE), core)  # type: ignore[misc]
        one, two = (walk(far, times, core, calls=2).cycles for times in (100, 200))
        assert (two - one) / 100 == pytest.approx(20, rel=0.02)


def test_a_prefetch_in_time_saves_what_one_too_late_does_not() -> None:
    without = walk(STREAM + "\nmul x7, x6, x6\nmul x7, x7, x7\nmul x7, x7, x7", 2000, "cortex-a53")
    early = walk("prfm pldl1keep, [x1, #1024]\n" + STREAM + "\nmul x7, x6, x6", 2000, "cortex-a53")
    late = walk("prfm pldl1keep, [x1, #64]\n" + STREAM + "\nmul x7, x6, x6", 2000, "cortex-a53")
    assert early.cycles < 0.5 * late.cycles <= 0.6 * without.cycles
    by_core = walk(STREAM + "\nmul x7, x6, x6", 2000, "cortex-a53", prefetcher=True)
    assert by_core.cycles < 0.5 * without.cycles


def test_waiting_for_code_is_told_and_a_second_call_does_not_wait() -> None:
    cold, warm = walk(STREAM, 4), walk(STREAM, 4, calls=2)
    assert cold.causes["instruction fetch"] > 100 > warm.causes["instruction fetch"] == 0
    assert warm.cycles < 0.2 * cold.cycles


def test_only_the_way_out_of_a_long_loop_is_not_foreseen() -> None:
    found = walk("nop", 1000, "cortex-a53")
    assert (found.events["BR_PRED"], found.events["BR_MIS_PRED"]) == (1000, 1)
    assert found.causes["branch"] >= load_pipeline("cortex-a53").mispredict


@pytest.mark.parametrize(("inner", "foreseen"), [(4, True), (40, False)])
def test_ways_out_of_short_loops_are_learnt(inner: int, foreseen: bool) -> None:
    found = walk(f"mov x3, #{inner}\n2: subs x3, x3, #1\nb.ne 2b", 200, "cortex-a53")
    assert (found.events["BR_MIS_PRED"] < 20) == foreseen
    assert foreseen or found.events["BR_MIS_PRED"] >= 195


def test_forms_that_the_core_does_not_know_are_named_with_how_often_they_ran() -> None:
    found = walk("smmla v0.4s, v1.16b, v2.16b", 10, "cortex-a53")
    assert sum(found.unknown.values()) == 10 and "smmla" in next(iter(found.unknown))


@pytest.mark.parametrize("core", CORES)
def test_no_call_beats_its_bounds(core: str) -> None:
    kernel = next(kernel for kernel in CONV1X1 if kernel.isa is Isa.A64 and kernel.name == "conv1x1_s8s32_chw_8x4")
    case = draw_case(kernel, CaseName(parse_shape(kernel, "7x7x64x64"), "random", 1))
    found = cycles_of(kernel_program(kernel), lambda machine: run_case(machine, kernel.contract, case), core)
    bounds = found.bounds
    assert max(bounds.ports, bounds.dispatch, bounds.dependencies, bounds.memory) <= found.cycles
    assert min(bounds.ports, bounds.dispatch, bounds.dependencies) > 0
    assert max(found.occupancy.values()) <= 1
    assert sum(line.cycles for line in found.lines) == pytest.approx(found.cycles, abs=1)
    assert all(sum(line.causes.values()) == line.cycles for line in found.lines)
    assert 7 * 7 * 64 * 64 / found.cycles < found.peak
