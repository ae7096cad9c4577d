"""Every order that the model runs keeps the limits that are stated for all orders."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.optimize.loops import SAFE, SAFE_A32, SAFE_A64, SAFE_OF_A32, code_of_text, longest_loop
from tests.optimize.schedule.orders import Times, every_order, times_of
from tests.tools import require_module

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import exact_cycles, order_of
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.find import code_of
from neonlab.optimize.schedule.limits import Limits, fewest_cycles, limits_of
from neonlab.optimize.schedule.order import Order
from neonlab.optimize.schedule.steady import SteadyModel

#: Loads of several registers, a store, results of unlike latency, an instruction that transfers, one that accumulates.
MIXED = """
    ld1 {v0.16b, v1.16b}, [x0], #32
    ldr d2, [x1], #8
    smull v3.8h, v0.8b, v2.8b
    smlal2 v3.8h, v0.16b, v1.16b
    addp v16.4s, v16.4s, v17.4s
    sadalp v16.4s, v3.8h
    ldr x9, [x3, #8]
    ins v17.d[1], x9
    sqxtn v4.8b, v3.8h
    str d4, [x4], #8
    mul x9, x9, x9
    subs x2, x2, #16
    b.ne loop
"""
CORES = {Isa.A64: ("cortex-a53", "cortex-a55", "cortex-a510"), Isa.A32: ("cortex-a7", "cortex-a8", "cortex-a53")}


def loops() -> Iterator[tuple[str, LoopCode]]:
    yield "safe", code_of_text(SAFE, Isa.A64)
    yield "mixed", code_of_text(MIXED, Isa.A64)
    yield "safe of a32", code_of_text(SAFE_OF_A32, Isa.A32)
    for path in (SAFE_A64, SAFE_A32):
        kernel = open_kernel(path)
        yield path.stem, code_of(kernel_program(kernel), kernel.contract, [longest_loop(kernel)])


def shuffled(code: LoopCode, chance: random.Random) -> Order:
    """Return a legal order that is some moves away from that of the loop."""
    order = order_of(code)
    for _ in range(chance.choice((3, 200))):
        one, stage = chance.randrange(len(code.body)), chance.randrange(2)
        low, high = order.room(one, stage)
        if low <= high:
            back = order.move(one, chance.randint(low, high), stage)
            if not order.is_legal:
                order.move(*back)
    return order


def admits(limits: Limits, order: Order, times: Times) -> bool:
    """Tell whether limits admit these times of an order."""
    cp_model = require_module("ortools.sat.python.cp_model")
    steady = SteadyModel(limits, sorted(order.control), times.cycles)
    for at, (start, work) in enumerate(zip(times.starts, times.works, strict=True)):
        steady.model.add(steady.starts[at] == start)
        steady.model.add(steady.works[at] == work)
        steady.model.add(steady.late[at] == order.stage[at])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return bool(solver.solve(steady.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE))


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("code", "core"), [(code, core) for _, code in loops() for core in CORES[code.isa]],
    ids=[f"{name} {core}" for name, code in loops() for core in CORES[code.isa]],
)  # fmt: skip
def test_every_order_as_the_model_runs_it_is_admitted(code: LoopCode, core: str) -> None:
    require_module("ortools")
    pipeline, chance = load_pipeline(core), random.Random(4)
    limits = limits_of(code, pipeline)
    assert limits is not None
    seen = 0
    for _ in range(12):
        order = shuffled(code, chance)
        times = times_of(code, order.sequence, pipeline)
        if times is not None:
            assert admits(limits, order, times), order.sequence
            seen += 1
    assert seen >= 6


def _longer_waits(limits: Limits) -> Limits:
    return replace(limits, waits=tuple(replace(one, cycles=one.cycles + 2) for one in limits.waits))


def _less_room(limits: Limits) -> Limits:
    return replace(limits, limits=tuple(replace(one, most=max(1, one.most - 1)) for one in limits.limits))


def _a_shorter_queue(limits: Limits) -> Limits:
    return replace(limits, queue=limits.queue - 1)


@pytest.mark.parametrize("wrong", [_longer_waits, _less_room, _a_shorter_queue])
def test_a_limit_that_the_model_does_not_have_is_noticed(wrong: object) -> None:
    require_module("ortools")
    assert callable(wrong)
    code, pipeline, chance = code_of_text(MIXED, Isa.A64), load_pipeline("cortex-a53"), random.Random(4)
    limits = limits_of(code, pipeline)
    assert limits is not None
    found = []
    for _ in range(12):
        order = shuffled(code, chance)
        times = times_of(code, order.sequence, pipeline)
        if times is not None:
            found.append(admits(wrong(limits), order, times))
    assert not all(found)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("text", "isa", "core"),
    [(SAFE, Isa.A64, "cortex-a53"), (SAFE, Isa.A64, "cortex-a55"), (SAFE_OF_A32, Isa.A32, "cortex-a7")],
)
def test_no_order_takes_fewer_than_the_fewest_cycles(text: str, isa: Isa, core: str) -> None:
    code, pipeline = code_of_text(text, isa), load_pipeline(core)
    least = min(exact_cycles(code, one, pipeline) for one in {sequence for sequence, _ in every_order(code)})
    assert 0 < fewest_cycles(code, pipeline) <= least


def test_loads_that_fill_their_cycles_are_counted_whole() -> None:
    text = "\n".join(
        [*(f"ldr q{at}, [x{at + 6}]" for at in range(4)), "add x5, x5, #1", "subs x2, x2, #1", "b.ne loop"]
    )
    code, pipeline = code_of_text(text, Isa.A64, kept=()), load_pipeline("cortex-a53")
    assert fewest_cycles(code, pipeline) == 10 == exact_cycles(code, range(len(code.body)), pipeline)


@pytest.mark.parametrize("core", ["cortex-a72", "apple-m1"])
def test_nothing_is_said_of_cores_that_issue_out_of_order(core: str) -> None:
    code = code_of_text(SAFE, Isa.A64)
    assert limits_of(code, load_pipeline(core)) is None and fewest_cycles(code, load_pipeline(core)) == 0


def test_nothing_is_said_where_what_stands_before_an_instruction_changes_it() -> None:
    code = code_of_text(
        "aese v0.16b, v1.16b\naesmc v0.16b, v0.16b\nadd x5, x5, #1\nsubs x2, x2, #1\nb.ne loop", Isa.A64
    )
    assert limits_of(code, load_pipeline("cortex-a53")) is None
    assert fewest_cycles(code, load_pipeline("cortex-a53")) == 0
