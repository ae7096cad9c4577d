"""The pipeline model against what can be counted by hand, and against itself."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.measure.pipeline.loops import CORES, code, random_loop
from tests.tools import require

from neonlab.errors import InputError
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import PipelineCore, Use, load_pipeline
from neonlab.measure.pipeline.cost import loop_cycles, loop_schedule, steady_cycles, trace_cycles
from neonlab.measure.pipeline.machine import PipelineMachine
from neonlab.measure.silicon.mca import cycles_of


@pytest.mark.parametrize("core", CORES)
def test_every_core_names_its_sources_and_times_everything(core: str) -> None:
    loaded = load_pipeline(core)
    assert loaded.sources
    assert {"@integer", "@vector", "@multiply", "@load", "@store", "b"} <= set(loaded.timings)


def test_a_core_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InputError, match="cortex-a53"):
        load_pipeline("../cortex-a53")


@pytest.mark.parametrize(
    ("core", "lines", "cycles"),
    [
        ("cortex-a53", ["smlal v0.8h, v1.8b, v2.8b"] * 4, 4),  # the accumulator is forwarded
        ("cortex-a53", ["smlal v0.8h, v0.8b, v2.8b"] * 4, 16),  # an operand is not
        (
            "cortex-a53",
            ["smlal v0.8h, v4.8b, v5.8b", "add x0, x0, #1", "smlal v1.8h, v4.8b, v5.8b", "add x1, x1, #1"],
            2,
        ),
        ("cortex-a53", ["add v0.16b, v1.16b, v2.16b", "add v3.16b, v1.16b, v2.16b"], 2),  # both halves each
        ("cortex-a53", ["add v0.8b, v1.8b, v2.8b", "add v3.8b, v1.8b, v2.8b"], 1),
        ("cortex-a53", ["ldr x0, [x0]"], 3),
        ("cortex-a72", ["smlal v0.8h, v1.8b, v2.8b"] * 4, 4),
        ("cortex-a72", ["ldr x0, [x0]"], 4),
        ("neoverse-n1", ["mul v0.8h, v1.8h, v2.8h", "mul v3.8h, v1.8h, v2.8h"], 4),
        ("neoverse-n1", ["add x0, x0, #1", "add x1, x1, #1", "add x2, x2, #1"], 1),
    ],
)
def test_small_loops_cost_what_counting_by_hand_gives(core: str, lines: list[str], cycles: float) -> None:
    assert loop_cycles(code(*lines), load_pipeline(core)).total == pytest.approx(cycles, abs=0.05)


def test_queued_neon_work_does_not_hold_up_later_integers_but_does_without_a_queue() -> None:
    loop = code("fmla v0.4s, v0.4s, v1.4s", *(f"add x{n}, x{n}, #1" for n in range(8)))
    behind_queue = loop_cycles(loop, load_pipeline("cortex-a53"))
    assert behind_queue.total == pytest.approx(8, abs=0.1)  # the chain alone
    chain = loop_cycles(code("fmla v0.4s, v0.4s, v1.4s"), load_pipeline("cortex-a53"))
    assert chain.total == pytest.approx(8, abs=0.1)


FMLA = [f"fmla v{number}.4s, v16.4s, v24.s[0]" for number in range(8)]


@pytest.mark.parametrize(
    ("core", "beside", "more"),
    [
        # github.com/Tencent/ncnn, docs/developer-guide/arm-a53-a55-dual-issue.md
        ("cortex-a53", ["ldr d20, [x0]"], 1),
        ("cortex-a53", ["ldr q20, [x0]"], 2),
        ("cortex-a53", ["ldr x20, [x0]"], 0),
        ("cortex-a53", ["add x0, x0, #16"], 0),
        ("cortex-a53", ["ldr d20, [x0]", "ins v21.d[1], x3"], 1),
        ("cortex-a55", ["ldr d20, [x0]"], 0),
        ("cortex-a55", ["ldr q20, [x0]"], 2),
        ("cortex-a55", ["ldr x20, [x0]"], 0),
        ("cortex-a55", ["add x0, x0, #16"], 0),
    ],
)
def test_what_issues_beside_neon_is_what_people_found(core: str, beside: list[str], more: int) -> None:
    alone = loop_cycles(code(*FMLA), load_pipeline(core)).total
    both = loop_cycles(code(FMLA[0], *beside, *FMLA[1:]), load_pipeline(core)).total
    assert both - alone == more


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        (["add x0, x0, x1"], 1),
        (["add x0, x1, x0, lsl #2"], 2),  # what is to be shifted is wanted a cycle earlier
        (["ldr x0, [x0]"], 3),
        (["ldr x0, [x0]", "add x0, x0, x1"], 5),  # load to sum 2, sum to address 3
        (["ldrb w0, [x0]", "add x0, x0, x1"], 5),
        (["ldr x1, [x0], #8"], 3),  # the pointer does not wait for what is loaded, but for address generation
        (["ldr x1, [x0], #8", "sub x0, x0, #8"], 4),  # to a sum 1, sum to address 3
        (["mul w0, w0, w1"], 3),
    ],
)
def test_operands_are_looked_at_in_their_stage_on_cortex_a53(lines: list[str], cycles: float) -> None:
    assert loop_cycles(code(*lines), load_pipeline("cortex-a53")).total == cycles


@pytest.mark.parametrize("core", CORES)
def test_a_store_does_not_hold_up_its_pointer_where_issue_is_out_of_order(core: str) -> None:
    loop = code("fmla v0.4s, v1.4s, v2.4s", "str q0, [x0], #16", "movi v0.4s, #1")
    cycles = loop_cycles(loop, load_pipeline(core))
    pipeline = load_pipeline(core)
    if not pipeline.in_order and not pipeline.vectors_in_order:  # there the store waits for its data in its turn
        assert cycles.total <= 8


@pytest.mark.parametrize(("core", "seed"), [*itertools.product(CORES, range(6))])
@pytest.mark.sweep(keep=30)
def test_no_loop_beats_its_bounds(core: str, seed: int) -> None:
    cycles = loop_cycles(random_loop(seed), load_pipeline(core))
    bounds = cycles.bounds
    assert cycles.total >= max(bounds.ports, bounds.dispatch) * 0.97 - 0.1
    assert cycles.total >= bounds.dependencies * 0.97 - 0.1
    assert all(share <= 1.01 for share in cycles.occupancy.values())
    assert 0 < cycles.ipc <= load_pipeline(core).width


@pytest.mark.parametrize("core", CORES)
def test_a_trace_of_a_loop_costs_what_the_loop_does(core: str) -> None:
    loop = random_loop(77)
    count = 400
    whole = trace_cycles(loop, np.tile(np.arange(len(loop), dtype=np.int64), count), load_pipeline(core))
    once = loop_cycles(loop, load_pipeline(core)).total
    assert whole.total / count == pytest.approx(once, rel=0.02, abs=0.3)


@pytest.mark.parametrize("core", CORES)
def test_the_same_loop_costs_the_same_every_time(core: str) -> None:
    loop = random_loop(5)
    assert loop_cycles(loop, load_pipeline(core)) == loop_cycles(loop, load_pipeline(core))


def random_trace(loop: tuple[Instruction, ...], seed: int) -> np.ndarray:
    """Pieces of the loop, some of them often."""
    chooser = random.Random(seed)
    pieces = []
    for _ in range(12):
        first = chooser.randrange(len(loop))
        piece = np.arange(first, chooser.randrange(first, len(loop)) + 1, dtype=np.int64)
        pieces.append(np.tile(piece, chooser.choice((1, 2, 7, 60))))
    return np.concatenate(pieces)


@pytest.mark.parametrize(("core", "seed"), [*itertools.product(CORES, range(4))])
@pytest.mark.sweep(keep=20)
def test_what_is_remembered_costs_to_the_cycle_what_it_did(core: str, seed: int) -> None:
    loop = random_loop(seed)
    trace = random_trace(loop, seed)
    quick = trace_cycles(loop, trace, load_pipeline(core))
    assert quick == trace_cycles(loop, trace, load_pipeline(core), remembers=False)
    assert 0 <= quick.total - sum(stall.cycles for stall in quick.stalls) <= 1  # the last cycle of issue


@pytest.mark.parametrize(("core", "size"), [*itertools.product(("cortex-a53", "cortex-a72", "neoverse-v1"), (0, 2, 6))])
def test_a_memory_that_is_full_begins_anew_and_loses_nothing(core: str, size: int) -> None:
    loop = random_loop(3)
    rows = np.sort(np.random.default_rng(3).integers(0, len(loop), (3000, 2)), axis=1)
    machines = [PipelineMachine(loop, load_pipeline(core), remembers=way, size=size) for way in (True, False)]
    for machine in machines:
        machine.run(rows)
        machine.finish()
    assert machines[0].forgotten > 10 and machines[1].forgotten == 0
    assert machines[0].end == machines[1].end
    assert np.array_equal(machines[0].tally(), machines[1].tally())


@pytest.mark.parametrize(("core", "seed"), [*itertools.product(CORES, range(3))])
def test_a_schedule_is_as_long_as_its_loop_and_waits_for_what_it_names(core: str, seed: int) -> None:
    loop = random_loop(seed)
    schedule = loop_schedule(loop, load_pipeline(core), 3)
    assert len(schedule.rows) == 3 * len(loop)
    for place, row in enumerate(schedule.rows):
        assert row.dispatched <= row.issued <= row.ready <= row.retired
        if row.producer is not None:
            assert row.producer < place
            if row.producer >= 0:
                producer = loop[schedule.rows[row.producer].instruction]
                assert set(producer.writes) & set(loop[row.instruction].reads)


def with_figures(core: str, **figures: int) -> PipelineCore:
    return replace(load_pipeline(core), **figures)  # type: ignore[arg-type]


def test_a_taken_branch_ends_what_is_fetched_but_not_what_is_dispatched() -> None:
    loop = code(*(f"add x{n}, x{n}, #1" for n in range(1, 4)), "sub x0, x0, #1", "nop", "nop", "cbnz x0, 0")
    wide = with_figures("neoverse-v1", width=3, retire=3, fetch=7)
    assert loop_cycles(loop, wide).total == pytest.approx(7 / 3, abs=0.01)  # three a cycle, across the branch
    assert loop_cycles(loop, with_figures("neoverse-v1", width=3, retire=3, fetch=4)).total == pytest.approx(
        7 / 3, abs=0.01
    )
    assert loop_cycles(loop, with_figures("neoverse-v1", width=3, retire=3, fetch=2)).total == 4
    assert loop_cycles(loop, with_figures("neoverse-v1", width=8, retire=8, fetch=8)).total == 1


def test_a_taken_branch_costs_what_fetch_rests_where_nothing_hides_it() -> None:
    tiny = code("cbnz x0, 0")
    for bubble in (0, 1, 2):
        for core in ("cortex-a55", "cortex-a72"):
            figures = {"taken_bubble": bubble, "loop_bubble": bubble}
            assert loop_cycles(tiny, with_figures(core, **figures)).total == 1 + bubble
    slow = code(*["mul v0.8h, v0.8h, v1.8h"] * 4, "cbnz x0, 0")  # fetch has time to rest
    resting = loop_cycles(slow, with_figures("cortex-a72", taken_bubble=3, loop_bubble=3))
    assert resting.total == loop_cycles(slow, with_figures("cortex-a72", taken_bubble=0, loop_bubble=0)).total
    two = code("cbnz x0, 8", "nop", "cbnz x0, 0")
    trace = np.tile(np.array([0, 2]), 1000)
    resting = trace_cycles(two, trace, with_figures("cortex-a55", taken_bubble=2, loop_bubble=0))
    assert resting.total == pytest.approx(2 * 3 * 1000, rel=0.01)  # each time the other was taken last


@pytest.mark.parametrize(("core", "apart"), [("cortex-a53", 3.03), ("neoverse-v1", 1.01)])
def test_branches_over_one_instruction_are_as_far_apart_as_was_measured(core: str, apart: float) -> None:
    """Figures of insn_bench_aarch64, `b (pc+8)`: a long stream of branches, each over the instruction behind it.

    Cortex-A72 and Neoverse N1 take a cycle less for as few branches as their small tables hold, which is modelled.
    """
    branches = code(*(line for at in range(400) for line in (f"b {8 * at + 8}", "nop")))
    trace = np.tile(np.arange(0, len(branches), 2), 10)
    assert trace_cycles(branches, trace, load_pipeline(core)).total / len(trace) == pytest.approx(apart, rel=0.1)


def test_a_small_queue_at_a_port_holds_back_what_other_ports_could_do() -> None:
    chain = ("fmul v0.4s, v1.4s, v2.4s", *("fmul v0.4s, v0.4s, v0.4s",) * 7)
    loop = code(*chain, *(f"add x{n}, x{n}, #1" for n in range(4, 28)))
    totals = [
        loop_cycles(loop, with_figures("neoverse-n1", scheduler=0, port_queue=size)).total for size in (2, 4, 16, 0)
    ]
    assert totals == sorted(totals, reverse=True) and totals[0] > totals[2] + 2 and totals[2] >= totals[3]


def test_a_small_scheduler_holds_back_what_a_large_one_lets_pass() -> None:
    chain = ("fmul v0.4s, v1.4s, v2.4s", *("fmul v0.4s, v0.4s, v0.4s",) * 7)
    loop = code(*chain, *(f"add x{n}, x{n}, #1" for n in range(4, 28)))
    figures = {"window": 128, "retire": 0}
    small, large = (with_figures("neoverse-n1", scheduler=size, **figures) for size in (4, 0))
    assert loop_cycles(loop, small).total > loop_cycles(loop, large).total + 1
    assert (
        loop_cycles(loop, with_figures("neoverse-n1", scheduler=128, **figures)).total == loop_cycles(loop, large).total
    )


@pytest.mark.parametrize(
    ("core", "shifted", "rotated", "added"),
    [("cortex-a53", 2, 2, 2), ("cortex-a72", 2, 2, 2), ("neoverse-n1", 1, 1, 2)],
)
def test_a_shifted_operand_costs_what_it_does_in_the_table_whatever_is_done_with_it(
    core: str, shifted: int, rotated: int, added: int
) -> None:
    """The table has `and` and `add` with all shifts, and other logic and sums with one."""
    for line, cycles in (
        ("eor x0, x0, x0, lsr #17", shifted), ("orr w0, w0, w0, ror #7", rotated), ("sub x0, x0, x0, lsl #9", added),
        ("add x0, x0, w0, uxtb", added),
    ):  # fmt: skip
        assert loop_cycles(code(*[line] * 16), load_pipeline(core)).total == pytest.approx(16 * cycles, abs=1)


@pytest.mark.parametrize("core", [name for name in CORES if Isa.A64 in load_core(name).instruction_sets])
def test_what_compilers_make_of_ordinary_code_is_known(core: str) -> None:
    lines = (
        "ldur x0, [x1, #-8]", "stur w0, [x1, #-4]", "ldurb w0, [x1, #-1]", "strb w0, [x1], #1", "strh w0, [x1, #2]!",
        "fmov d0, d1", "fmov s0, #1.0", "fmov x0, d0", "fdiv s0, s1, s2", "fdiv v0.4s, v1.4s, v2.4s", "fdiv d0, d1, d2",
        "scvtf s0, w0", "scvtf s0, s1", "ucvtf v0.4s, v0.4s", "fcvtzs w0, s0", "fcvtzs v0.4s, v0.4s", "addp d0, v1.2d",
        "uaddlv h1, v0.16b", "ccmp w0, #1, #0, eq", "adcs x0, x1, x2", "mul w0, w1, w2", "madd x0, x1, x2, x3",
        "udiv w0, w1, w2", "umulh x0, x1, x2", "adrp x0, 0x1000", "eor w0, w1, w2, ror #3", "cmp w0, w1, uxtb",
        "mov v0.d[1], v1.d[0]", "dup v0.4s, v1.s[2]", "movi d0, #0", "mvni v0.4s, #3", "shl d0, d1, #3",
        "lsl x0, x1, x2",
    )  # fmt: skip
    assert [one for one in code(*lines) if not load_pipeline(core).knows(one)] == []


@pytest.mark.parametrize(
    ("core", "word", "double"), [("cortex-a72", 3, 5), ("neoverse-n1", 2, 4), ("neoverse-v1", 2, 2)]
)
def test_multiplies_of_words_are_not_those_of_double_words(core: str, word: int, double: int) -> None:
    for line, cycles in (("mul w0, w0, w1", word), ("mul x0, x0, x1", double)):
        assert loop_cycles(code(*[line] * 8), load_pipeline(core)).total == 8 * cycles


@pytest.mark.parametrize(("cycles", "times"), [(2.0, 1), (2.5, 1), (2.4375, 1), (3.0625, 3)])
def test_a_figure_between_whole_cycles_is_met_in_turn(cycles: float, times: int) -> None:
    whole, part = divmod(round(cycles * 16), 16)
    core = load_pipeline("neoverse-n1")
    add, multiply = core.timings["add"], core.timings["mla.8h"]
    chain = code(*["add x0, x0, x1"] * times)
    late = replace(core, timings={**core.timings, "add": replace(add, latency=whole, latency_part=part)}, _found={})
    assert loop_cycles(chain, late).total == times * cycles
    stream = code(*[f"add x{n}, x28, x29" for n in range(5)])
    use = (Use(1, whole, part),)
    narrow = replace(core, timings={**core.timings, "add": replace(add, uses=use)}, _found={})
    found = loop_cycles(stream, narrow)
    assert found.total == found.bounds.ports == 5 * cycles
    sums = code(*["mla v0.8h, v1.8h, v2.8h"] * times)
    early = replace(multiply, latency=5, late=5 - whole, late_part=part, uses=(Use(1 << 6, 1),))
    forwarded = replace(core, timings={**core.timings, "mla.8h": early}, _found={})
    assert loop_cycles(sums, forwarded).total == times * cycles


def test_a_store_to_the_address_of_the_store_before_it_is_taken_for_one_only_when_asked() -> None:
    core = load_pipeline("neoverse-n1")
    stream = code(*[f"str q{n}, [x{n}]" for n in range(8)])
    assert loop_cycles(stream, core).total == 8
    assert loop_cycles(stream, core.storing_again()).total == 24
    assert core.storing_again().timings["add"] == core.timings["add"]


@pytest.mark.parametrize("core", ["cortex-a72", "neoverse-n1", "neoverse-v1"])
def test_forms_that_no_table_has_come_as_often_as_in_llvm_mca(core: str) -> None:
    lines: tuple[str, ...] = (
        "ld1 {v0.8b, v1.8b, v2.8b}, [x0]", "ld1 {v0.4h, v1.4h, v2.4h, v3.4h}, [x0]", "ld1 {v0.8b, v1.8b}, [x0]",
        "st1 {v0.8b, v1.8b}, [x0]", "st1 {v0.2s, v1.2s, v2.2s, v3.2s}, [x0]", "ldp d0, d1, [x0]",
        "tbl v0.8b, {v1.16b}, v2.8b", "mla vN.4h, v28.4h, v29.4h", "extr x0, x1, x2, #7", "zip2 v0.8b, v1.8b, v2.8b",
    )  # fmt: skip
    if core == "neoverse-v1":  # the table has another rate for tbl of 128 bits, and its ldp of words is one access
        lines = tuple(line for line in lines if not line.startswith(("tbl", "ldp")))
    if core == "neoverse-n1":
        lines = tuple(line for line in lines if not line.startswith(("st1 {v0.2s", "ldp")))
    loops = [code(*[line.replace("vN", f"v{number}") for number in range(8)]) for line in lines]
    ours = [loop_cycles(loop, load_pipeline(core)).bounds.ports for loop in loops]
    theirs = cycles_of(require("llvm-mca-19"), core, loops)
    assert ours == pytest.approx(theirs, rel=0.15, abs=1)


@pytest.mark.parametrize(("core", "cycles"), [("cortex-a53", 2), ("cortex-a55", 1), ("cortex-a7", 2)])
def test_only_a_core_with_a_pipe_for_each_loads_and_stores_in_one_cycle(core: str, cycles: int) -> None:
    pair = ("ldr x1, [x0]", "str x3, [x2]") if core != "cortex-a7" else ("ldr r1, [r0]", "str r3, [r2]")
    isa = Isa.A64 if core != "cortex-a7" else Isa.A32
    assert steady_cycles(code(*pair, isa=isa), load_pipeline(core)) == cycles


def test_cortex_a53_issues_work_beside_the_second_half_of_a_pair_and_none_during_a_long_multiplication() -> None:
    core = load_pipeline("cortex-a53")
    work = [f"add x{number}, x{number}, #1" for number in range(4, 8)]
    assert steady_cycles(code("ldp x0, x1, [x2]", *work[:2]), core) == 2
    assert steady_cycles(code("ldp x0, x1, [x2]", *work), core) == 3
    assert steady_cycles(code("umulh x0, x1, x2", *work), core) == 4 + 2
    assert steady_cycles(code("mul x0, x1, x2", *work[:3]), core) == 2


def test_the_update_of_an_address_takes_a_place_of_dispatch_where_the_core_says_so() -> None:
    lines = ["ldr x1, [x0], #8", "eor v1.8b, v8.8b, v9.8b", "eor v2.8b, v8.8b, v9.8b"] * 3
    cycles = [steady_cycles(code(*lines), load_pipeline(core)) for core in ("cortex-a57", "cortex-a72", "cortex-x1")]
    assert cycles == [4, 4, 3]


@pytest.mark.parametrize(
    ("loads", "arithmetic", "measured"),
    [
        (1, None, 8.01),  # a = b
        (1, "fmul v{a}.2d, v{a}.2d, v31.2d", 8.32),  # a = s·a
        (2, "fadd v{a}.2d, v{a}.2d, v{b}.2d", 12.01),  # a = b + c
        (2, "fmla v{a}.2d, v{b}.2d, v31.2d", 12.02),  # a = a + s·b
        (3, "fmla v{a}.2d, v{b}.2d, v{c}.2d", 16.02),  # a = b + c·d
    ],
)
def test_streams_take_neoverse_n1_as_long_as_osaca_measured(
    loads: int, arithmetic: str | None, measured: float
) -> None:
    # github.com/RRZE-HPC/OSACA, pull request 48: 8 vectors of two doubles an iteration.
    lines = []
    for at in range(8):
        registers = {"a": at, "b": at + 8, "c": at + 16}
        named = list(registers.values())[:loads]
        lines += [f"ldr q{register}, [x{number}, #{16 * at}]" for number, register in enumerate(named)]
        lines += [arithmetic.format(**registers)] if arithmetic else []
        lines.append(f"str q{at}, [x4, #{16 * at}]")
    lines += ["add x5, x5, #128", "cmp x5, x6"]
    assert steady_cycles(code(*lines), load_pipeline("neoverse-n1")) == pytest.approx(measured, rel=0.05)
