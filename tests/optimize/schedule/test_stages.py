"""Orders in several stages compute what the loop does in registers that are free, and none is called impossible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.optimize.loops import code_of_text
from tests.tools import require_module

from neonlab.isa.model.isa import Isa, general, vector
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.provenance import ANYWHERE
from neonlab.optimize.schedule.fewest import fewest_in_stages
from neonlab.optimize.schedule.limits import fewest_cycles
from neonlab.optimize.schedule.renaming import pool_of
from neonlab.optimize.schedule.stages import StagedModel, in_registers, limits_renamed, lives_of, straightened
from neonlab.optimize.schedule.steady import Answer
from neonlab.optimize.schedule.values import values_of

#: Scales and narrows, each step waiting for the one before.
_SCALED = """\
    sqrdmulh v1.4s, v0.4s, v16.4s
    srshl v1.4s, v1.4s, v17.4s
    sqxtn v1.4h, v1.4s
    sqadd v1.4h, v1.4h, v17.4h
    str d1, [x1], #8
    subs x2, x2, #4
    b.ne loop
"""
CHAIN = f"""
    ldr d0, [x0], #8
    sshll v0.4s, v0.4h, #0
{_SCALED}"""
CHAIN_OF_A32 = """
    vld1.32 {d24, d25}, [r0]!
    vqshl.s32 q12, q12, q8
    vqrdmulh.s32 q12, q12, q9
    vrshl.s32 q12, q12, q8
    vqmovn.s32 d24, q12
    vst1.16 {d24}, [r1]!
    subs r2, r2, #4
    bne loop
"""
#: The same as CHAIN, which loads for its next iteration already.
AHEAD = f"""
    sshll v0.4s, v2.4h, #0
    ldr d2, [x0], #8
{_SCALED}"""
CORE = load_pipeline("cortex-a55")
CASES = {
    "a64": (code_of_text(CHAIN, Isa.A64, free=(3, 4)), 3),
    "a64 in two": (code_of_text(CHAIN, Isa.A64, free=(3,)), 2),
    "a32": (code_of_text(CHAIN_OF_A32, Isa.A32, kept=(16, 17, 18, 19), free=(26, 27, 28, 29)), 3),
}


def made_from(code: LoopCode, sequence: list[tuple[int, int]], rounds: int) -> dict[tuple[int, int], frozenset[object]]:
    """Return what each instruction reads of vector registers, by place in the straight loop and iteration.

    `sequence` has for each instruction of the round its place there and its stage.
    """
    written: dict[object, tuple[int, int]] = {}
    found: dict[tuple[int, int], frozenset[object]] = {}
    for number in range(rounds):
        for step, (at, stage) in zip(code.body, sequence, strict=True):
            one = at, number - stage
            if one[1] < 0:
                continue
            found[one] = frozenset(
                written.get(register, register) for register in step.instruction.reads if register.file == "vector"
            )
            written.update((register, one) for register in step.instruction.writes if register.file == "vector")
    return found


@pytest.mark.parametrize("name", CASES)
def test_an_order_in_stages_gives_each_instruction_the_operands_of_its_iteration(name: str) -> None:
    require_module("ortools.sat.python.cp_model")
    code, stages = CASES[name]
    limits = limits_renamed(code, CORE)
    assert limits is not None
    room = len(pool_of(code, values_of(code)))
    lives = lives_of(values_of(code))
    orders = 0
    for cycles in range(int(fewest_cycles(code, CORE)), 40):
        found = StagedModel(limits, cycles, stages, lives, room).staged(5.0, 1, lambda: True)
        made = in_registers(code, found.sequence, found.stages) if found.answer is Answer.FOUND else None
        if made is None:
            continue
        orders += 1
        assert max(found.stages) < stages
        used = {one for step in made.body for one in step.instruction.writes if one.file == "vector"}
        assert used <= {vector(one) for one in pool_of(code, values_of(code))}
        straight = made_from(code, [(at, 0) for at in range(len(code.body))], 6)
        piped = made_from(made, [(at, found.stages[at]) for at in found.sequence], 6 + stages)
        assert {key: piped[key] for key in straight} == straight
        if orders == 4:
            break
    assert orders == 4


def test_more_stages_take_fewer_cycles_and_the_model_takes_those_of_the_order() -> None:
    require_module("ortools.sat.python.cp_model")
    code, _ = CASES["a64"]
    one, two, three = (fewest_in_stages(code, CORE, stages, 60, 5.0) for stages in (1, 2, 3))
    assert one is not None and two is not None and three is not None
    assert one.least > two.least >= three.least >= fewest_cycles(code, CORE)
    for found in (one, two, three):
        assert found.least <= found.cycles
        text = "\n".join((*found.body, "b.ne loop"))
        again = code_of_text(text, Isa.A64)
        assert len(again.body) == len(code.body) and steady_cycles(again.instructions, CORE) == found.cycles


def test_what_wants_registers_is_told_from_what_waits() -> None:
    require_module("ortools.sat.python.cp_model")
    few = fewest_in_stages(code_of_text(CHAIN, Isa.A64), CORE, 3, 60, 5.0)
    more = fewest_in_stages(code_of_text(CHAIN, Isa.A64, free=(3, 4, 5, 6)), CORE, 3, 60, 5.0)
    assert few is not None and more is not None
    assert few.least > more.least and few.by_registers and not more.by_registers


def test_a_loop_that_loads_ahead_is_made_straight() -> None:
    ahead = code_of_text(AHEAD, Isa.A64)
    ahead = LoopCode(ahead.isa, ahead.body, ahead.branch, ahead.kept | {vector(2)}, ahead.free, ahead.buffers)
    made = straightened(ahead)
    assert [step.instruction.mnemonic for step in made.body][:2] == ["ldr", "sshll"]
    assert vector(2) not in made.kept and vector(16) in made.kept
    assert len(values_of(made)) == len(values_of(code_of_text(CHAIN, Isa.A64)))
    assert straightened(made) == made


def test_stores_to_nobody_knows_where_keep_nothing_behind_them_that_is_of_the_frame() -> None:
    text = "vst1.8 {d2}, [r3], r4\nvldr d0, [sb]\nvadd.i8 d2, d0, d16\nadd sb, sb, #8\nsubs r5, r5, #2\nbgt loop"
    code = code_of_text(text, Isa.A32, kept=(2, 16))
    unknown = {general(3): frozenset({ANYWHERE})}
    frame = replace(code, buffers={**unknown, general(9): frozenset({"stack"})})
    image = replace(code, buffers={**unknown, general(9): frozenset({"input"})})
    assert not straightened(frame).buffers[general(3)] & {ANYWHERE, "stack"}
    assert straightened(image).buffers == image.buffers
