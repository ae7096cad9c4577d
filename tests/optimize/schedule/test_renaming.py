"""Values with other registers, in any order that keeps them apart, are the same values."""

from __future__ import annotations

import random

import pytest
from tests.optimize.loops import SAFE_A32, SAFE_A64, code_of_text, longest_loop
from tests.optimize.running import left_behind, written

from neonlab.isa.model.isa import Isa, vector
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.loop.dependence import edges_of, places_of
from neonlab.optimize.loop.find import code_of
from neonlab.optimize.schedule.delays import delays_of, work_of
from neonlab.optimize.schedule.list_schedule import listed
from neonlab.optimize.schedule.renaming import allocated, renamed
from neonlab.optimize.schedule.values import apart_of, registers_apart, values_of

LOOPS = {
    Isa.A64: """
    ld1 {v0.16b, v1.16b}, [x0], #32
    ldr q2, [x1], #16
    add v0.16b, v0.16b, v2.16b
    sub v1.16b, v1.16b, v2.16b
    smull v2.8h, v0.8b, v1.8b
    smlal2 v2.8h, v0.16b, v1.16b
    sadalp v16.4s, v2.8h
    zip1 v0.4s, v0.4s, v1.4s
    mla v17.4s, v0.4s, v1.4s
    uzp1 v3.8h, v0.8h, v0.8h
    mul v0.8h, v1.8h, v3.h[5]
    saddw v17.4s, v17.4s, v0.4h
    subs x3, x3, #1
    b.ne loop""",
    Isa.A32: """
    vld1.8 {d0, d1, d2, d3}, [r0]!
    vld1.8 {d4, d5}, [r1]!
    vadd.i8 q0, q0, q2
    vsub.i8 q1, q1, q2
    vtrn.16 d0, d1
    vmull.s8 q2, d0, d2
    vmlal.s8 q2, d1, d3
    vpadal.s16 q8, q2
    vmla.i32 q9, q0, q1
    vmull.s16 q2, d0, d3[2]
    vadd.i32 q9, q9, q2
    subs r3, r3, #1
    bne loop""",
}


@pytest.mark.parametrize("isa", list(Isa))
def test_any_order_that_keeps_values_apart_leaves_the_same(isa: Isa) -> None:
    code = code_of_text(LOOPS[isa], isa, kept=(16, 17, 18, 19), free=(4, 5, 6, 7, 20, 21, 22, 23))
    edges = [one for one in edges_of([step.instruction for step in code.body], places_of(code), registers_apart(code))
             if one.distance == 0]  # fmt: skip
    plain = left_behind(f"loop:\n{LOOPS[isa]}", isa, [1, 2, 5])
    chance = random.Random(7)
    differ = 0
    for _ in range(12):
        waiting, order = set(range(len(code.body))), []
        while waiting:
            ready = sorted(at for at in waiting if not any(one.later == at and one.earlier in waiting for one in edges))
            order.append(chance.choice(ready))
            waiting.remove(order[-1])
        made = allocated(code, order)
        assert made is not None, f"seed 7: {order}"
        differ += [step.text for step in made.body] != [code.body[at].text for at in order]
        assert left_behind(written(LOOPS[isa], code, made), isa, [1, 2, 5]) == plain, f"seed 7: {order}"
    assert differ > 6, "registers did change"


def test_a_value_ends_where_an_instruction_makes_another_of_it() -> None:
    code = code_of_text(LOOPS[Isa.A64], Isa.A64, kept=(16, 17))
    names = {code.body[at].instruction.mnemonic for at in apart_of(code)}
    assert {"add", "sub", "smull", "zip1", "uzp1", "mul"} <= names
    assert not names & {"smlal2", "sadalp", "mla", "ld1"}
    assert {value.registers for value in values_of(code)} == {(0, 1), (0,), (1,), (2,), (3,)}


def test_an_order_that_needs_too_many_registers_is_none() -> None:
    text = "ldr q0, [x0], #16\nadd v16.4s, v16.4s, v0.4s\nldr q0, [x0], #16\nadd v16.4s, v16.4s, v0.4s\n"
    text += "subs x3, x3, #1\nb.ne loop"
    code = code_of_text(text, Isa.A64)
    assert allocated(code, [0, 2, 1, 3, 4]) is None
    roomy = allocated(code_of_text(text, Isa.A64, free=(5,)), [0, 2, 1, 3, 4])
    assert roomy is not None and [step.text.split()[1] for step in roomy.body[:2]] == ["q0,", "q5,"]
    assert renamed(code).body == code.body


@pytest.mark.parametrize(("isa", "register"), [(Isa.A64, 15), (Isa.A32, 7)])
def test_an_element_stays_where_it_can_be_named(isa: Isa, register: int) -> None:
    code = code_of_text(LOOPS[isa], isa, kept=(16, 17, 18, 19), free=tuple(range(20, 32)))
    made = renamed(code)
    element = next(step for step in made.body if "[2]" in step.text or ".h[" in step.text)
    number = int(element.text.rpartition("[")[0].rpartition(" ")[2].lstrip("vd").partition(".")[0])
    assert number <= register


@pytest.mark.parametrize(("path", "core"), [(SAFE_A64, "cortex-a53"), (SAFE_A32, "cortex-a7")], ids=["a64", "a32"])
def test_list_schedules_are_whole_and_keep_all_delays_in_order(path: object, core: str) -> None:
    kernel = open_kernel(path)  # type: ignore[arg-type]
    code = code_of(kernel_program(kernel), kernel.contract, [longest_loop(kernel)])
    pipeline = load_pipeline(core)
    found = list(listed(code, pipeline))
    assert found and all(len(one.body) == len(code.body) for one in found)
    for one in found:
        written_to = {
            register for step in one.body for register in step.instruction.writes if register.file == "vector"
        }
        assert written_to <= code.kept | code.free | {vector(number) for number in range(32)}
        edges = edges_of([step.instruction for step in one.body], places_of(one))
        assert all(edge.earlier < edge.later for edge in edges if edge.distance == 0)
    delays = delays_of(code, pipeline, registers_apart(code))
    assert any(one.cycles >= 3 for one in delays) and all(one.cycles >= 0 for one in delays)
    assert len(work_of(code, pipeline)) == len(code.body) + 1
