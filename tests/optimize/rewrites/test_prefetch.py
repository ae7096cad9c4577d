"""Prefetches at other distances ask for the same lines earlier or later, and change nothing else."""

from __future__ import annotations

import re

import pytest
from tests.optimize.loops import code_of_text

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import exact_cycles
from neonlab.optimize.loop.code import LoopCode, Step
from neonlab.optimize.rewrites.prefetch import other_distances

_OFFSET = r", #(0x[0-9a-f]+|\d+)"
_A64 = """\
ldr q0, [x0], #16
{asked}
add v16.4s, v16.4s, v0.4s
subs x3, x3, #1
b.ne loop"""
_A32 = """\
vld1.8 {{d0, d1}}, [r0]!
{asked}
vadd.i32 q8, q8, q0
subs r3, r3, #1
bne loop"""


def loop_of(isa: Isa, asked: str) -> LoopCode:
    return code_of_text((_A64 if isa is Isa.A64 else _A32).format(asked=asked), isa, kept=(16, 17), free=())


def without_offset(step: Step) -> str:
    return re.sub(rf"{_OFFSET}]", "]", step.text)


def offset_of(step: Step) -> int:
    found = re.search(rf"{_OFFSET}]", step.text)
    return int(found[1], 0) if found else 0


@pytest.mark.parametrize(
    ("isa", "asked"),
    [
        (Isa.A64, "prfm pldl1keep, [x0, #128]\nprfm pldl1keep, [x0, #192]"),
        (Isa.A64, "prfm pldl1strm, [x0]\nprfm pldl1strm, [x0, #64]\nprfm pldl2keep, [x1, #1024]"),
        (Isa.A32, "pld [r0, #128]\npld [r0, #192]"),
    ],
)
def test_all_prefetches_of_a_pointer_move_by_the_same(isa: Isa, asked: str) -> None:
    code = loop_of(isa, asked)
    changed = list(other_distances(code))
    assert len(changed) >= 5 and len({one.body for one in changed} | {code.body}) == len(changed) + 1
    for one in changed:
        for old, new in zip(code.body, one.body, strict=True):
            assert without_offset(new) == without_offset(old)
            assert new.text == old.text or new.text.startswith(("prfm", "pld"))
        first, second = [offset_of(step) for step in one.body if step.text.startswith(("prfm", "pld"))][:2]
        assert second - first == 64, "what lies between them"


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_a_distance_costs_nothing_where_all_data_are_near(core: str) -> None:
    code, pipeline = loop_of(Isa.A64, "prfm pldl1keep, [x0, #128]"), load_pipeline(core)
    assert pipeline is not None
    cycles = {exact_cycles(one, range(len(one.body)), pipeline) for one in (code, *other_distances(code))}
    assert len(cycles) == 1


def test_a_loop_without_prefetches_has_no_other_distance() -> None:
    assert list(other_distances(loop_of(Isa.A64, "add x1, x1, #64"))) == []


def test_distances_beyond_what_the_instruction_reaches_are_left_out() -> None:
    far = loop_of(Isa.A32, "pld [r0]\npld [r0, #3968]")
    reached = [max(map(offset_of, one.body)) for one in other_distances(far)]
    assert reached == [4032]
