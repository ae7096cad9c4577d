"""Rules that whole functions showed: queues at ports, results that meet, operands beside shifted ones, calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.measure.pipeline.loops import code

from neonlab.isa.model.isa import Isa
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import loop_cycles, steady_cycles
from neonlab.measure.profile import Profile

ROOT = Path(__file__).resolve().parents[3]
#: Products and, behind them, sums of shorter latency that end in the same cycles.
UNLIKE = [
    line
    for n in range(4)
    for line in (
        f"mul v{n}.8h, v16.8h, v17.8h",
        f"urshr v{4 + n}.8h, v18.8h, #2",
        f"add v{8 + n}.8h, v18.8h, v19.8h",
    )
]
#: A chain of products on whole registers, and sums that need none of them.
CHAIN_AND_SUMS = ["mul v0.8h, v0.8h, v1.8h"] * 12 + [f"add x{n}, x{n}, #1" for n in range(12)]


def test_operations_of_unlike_latency_wait_for_room_for_their_results_on_cortex_a53() -> None:
    core = load_pipeline("cortex-a53")
    assert core.results == 2
    assert steady_cycles(code(*UNLIKE), replace(core, _found={}, results=0)) == 12  # one a cycle
    assert steady_cycles(code(*UNLIKE), core) > 12
    alike = [line for line in UNLIKE if line.startswith("add")]
    assert steady_cycles(code(*alike), core) == 4


def test_what_comes_from_a_general_register_has_a_way_of_its_own() -> None:
    loop = [*(f"mul v{n}.8h, v16.8h, v17.8h" for n in range(4)), "ins v20.d[0], x3"]
    core = load_pipeline("cortex-a53")
    assert steady_cycles(code(*loop), core) == steady_cycles(code(*loop), replace(core, _found={}, results=0))


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
@pytest.mark.parametrize(
    ("line", "cycles"),
    [
        ("eor x0, x0, x1, ror #7", 1),
        ("eor x0, x1, x0, ror #7", 2),
        ("add x0, x0, w1, uxtw #2", 1),
        ("eor x0, x0, x0, ror #7", 2),
    ],
)
def test_an_operand_beside_a_shifted_one_is_read_a_cycle_later(core: str, line: str, cycles: int) -> None:
    assert steady_cycles(code(line), load_pipeline(core)) == cycles


def test_operations_that_wait_hold_up_dispatch_where_they_fill_their_queue() -> None:
    core = load_pipeline("cortex-a72")
    assert (core.port_queue, core.wide_places, core.queue_hold) == (8, 2, 3)
    loop = code(*CHAIN_AND_SUMS)
    endless = loop_cycles(loop, replace(core, _found={}, port_queue=0)).total
    one_place = loop_cycles(loop, replace(core, _found={}, wide_places=1)).total
    told = loop_cycles(loop, core).total
    held = loop_cycles(loop, replace(core, _found={}, queue_hold=6)).total
    assert endless <= one_place <= told <= held
    assert loop_cycles(code(*["mul v0.4h, v0.4h, v1.4h"] * 4), core).total == pytest.approx(16, abs=1)


def test_an_operation_is_bound_to_its_port_before_it_is_known_which_will_be_free() -> None:
    # Products go to F0 alone; sums, which either port takes, are spread over both although F1 is free.
    loop = code(
        *(f"mul v{n}.8h, v16.8h, v17.8h" for n in range(6)), *(f"add v{n}.8h, v18.8h, v19.8h" for n in range(6, 12))
    )
    busy = loop_cycles(loop, load_pipeline("cortex-a72")).occupancy
    assert busy["F0"] > busy["F1"] > 0


def test_a_load_of_vectors_waits_for_the_turn_of_a_store_on_cortex_a9() -> None:
    loop = code("vld1.8 {d0}, [r0]", "vmul.i8 d1, d0, d0", "vst1.8 {d1}, [r1]", isa=Isa.A32)
    core = load_pipeline("cortex-a9")
    in_turn = steady_cycles(loop, core)
    assert in_turn > steady_cycles(loop, replace(core, _found={}, vectors_in_order=False))


def test_a_warm_call_takes_as_long_as_one_of_many_and_is_made_by_a_caller() -> None:
    kernel = ROOT / "asm" / "armv8" / "relu" / "relu_s8s8_flat_64.S"
    found = [profile(str(kernel), "256", core="cortex-a72", warm=warm) for warm in (True, True, False)]
    first, again, cold = (one.cycles for one in found if isinstance(one, Profile))
    assert first is not None and again is not None and cold is not None
    assert first == again
    assert 0 < first.cycles < cold.cycles
    assert any(line.text == "(the caller)" for line in first.lines)


def test_loads_and_stores_of_vectors_wait_in_the_queue_on_cortex_a8_while_integers_go_on() -> None:
    # A store waits for the end of a chain; sums behind it need nothing of that.
    chain = [f"vmul.i16 d0, d0, d{n}" for n in range(1, 5)]
    loop = code(*chain, "vst1.16 {d0}, [r0]", *["add r2, r2, #1"] * 10, isa=Isa.A32)
    core = load_pipeline("cortex-a8")
    assert core.queue_moves and core.queue == 16
    in_queue = steady_cycles(loop, core)
    assert in_queue == 4 * 5 + 1  # the chain, and the store before the next one
    assert in_queue < steady_cycles(loop, replace(core, _found={}, queue_moves=False))


@pytest.mark.parametrize(
    ("line", "cycles"),
    [
        ("eor3 v0.16b, v0.16b, v1.16b, v2.16b", 3),  # LLVM, AArch64SchedA510.td
        ("mla v0.8h, v1.8h, v2.8h", 4),
        ("sri v0.2d, v0.2d, #3", 3),
        ("rax1 v0.2d, v0.2d, v1.2d", 9),
        ("eor x0, x0, x1, ror #7", 1),
        ("eor x0, x1, x0, ror #7", 2),
        ("ldr x0, [x0]", 2),
    ],
)
def test_results_of_cortex_a510_come_as_late_as_its_guide_says(line: str, cycles: int) -> None:
    assert steady_cycles(code(line), load_pipeline("cortex-a510")) == cycles


def test_vectors_of_cortex_a510_wait_in_a_queue_that_scalars_pass() -> None:
    loop = code(*["add v0.4s, v0.4s, v1.4s"] * 3, *["add x1, x1, #1"] * 8)
    core = load_pipeline("cortex-a510")
    assert steady_cycles(loop, core) == 9  # the three sums of vectors alone
    assert steady_cycles(loop, replace(core, _found={}, queue=0)) > 9


@pytest.mark.parametrize(("core", "cycles"), [("cortex-a710", 2), ("cortex-x2", 1), ("neoverse-n2", 2)])
def test_cortex_x2_has_twice_the_vector_pipes_of_cortex_a710(core: str, cycles: int) -> None:
    four = [f"add v{n}.4s, v16.4s, v17.4s" for n in range(4)]
    assert steady_cycles(code(*four), load_pipeline(core)) == cycles
    three = [f"eor3 v{n}.16b, v16.16b, v17.16b, v18.16b" for n in range(3)]
    assert steady_cycles(code(*three), load_pipeline(core)) == 3  # one pipe alone has them


def test_cortex_a75_is_one_wider_than_cortex_a73() -> None:
    loop = code("add x0, x8, #1", "add x1, x9, #1", "ldr x2, [x10]")
    assert steady_cycles(loop, load_pipeline("cortex-a75")) < steady_cycles(loop, load_pipeline("cortex-a73"))
