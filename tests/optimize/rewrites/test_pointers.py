"""Pointers that are stepped otherwise lead to the same bytes, and end at the same place."""

from __future__ import annotations

import pytest
from tests.optimize.loops import CONTRACT, code_of_text
from tests.optimize.running import left_behind, written

from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.optimize.exploration import exact_cycles
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.rewrites.addressing import Accessed, read
from neonlab.optimize.rewrites.pointers import by_offsets, by_post_index
from neonlab.optimize.rewrites.unroll import unrolled

_ADD = {
    Isa.A64: "add v16.4s, v16.4s, v0.4s\nadd v17.4s, v17.4s, v1.4s",
    Isa.A32: "vadd.i32 q8, q8, q0\nvadd.i32 q9, q9, q1",
}
_END = {Isa.A64: "subs x3, x3, #1\nb.ne loop", Isa.A32: "subs r3, r3, #1\nbne loop"}
COUNTS = range(1, 12)


def loop_of(isa: Isa, loads: str) -> tuple[str, LoopCode]:
    text = f"{loads}\n{_ADD[isa]}\n{_END[isa]}"
    return text, code_of_text(text, isa, kept=(16, 17, 18, 19), free=(4, 5))


def same(text: str, code: LoopCode, changed: LoopCode) -> None:
    before = left_behind(f"loop:\n{text}", code.isa, COUNTS)
    assert left_behind(written(text, code, changed), code.isa, COUNTS) == before
    assert len(set(before)) == len(before)


STEPPED = [
    (Isa.A64, "ldr q0, [x0], #16\nldr q1, [x0], #16"),
    (Isa.A64, "ld1 {v0.16b, v1.16b}, [x0], #32\nldr d1, [x0], #8"),
    (Isa.A64, "ldr q0, [x0, #16]\nadd x0, x0, #40\nldur q1, [x0, #-8]\nsub x0, x0, #8"),
    (Isa.A64, "ldp q0, q1, [x0], #32\nldr d1, [x0], #8\nldr q0, [x1], #16\nldr s1, [x1], #4"),
    (Isa.A32, "vld1.8 {d0, d1}, [r0]!\nvld1.8 {d2, d3}, [r0]!"),
    (Isa.A32, "vld1.32 {d0, d1, d2}, [r0]!\nvldr d3, [r0, #8]\nadd r0, r0, #12"),
]


@pytest.mark.parametrize(("isa", "loads"), STEPPED)
@pytest.mark.parametrize("times", [1, 4])
def test_one_instruction_steps_a_pointer_for_all_accesses(isa: Isa, loads: str, times: int) -> None:
    text, code = loop_of(isa, loads)
    plain = unrolled(code, times) if times > 1 else code
    assert plain is not None
    changed = by_offsets(plain, CONTRACT)
    assert changed is not None
    same(text, code, changed)
    steps = [one for step in changed.body if (one := read(step.text, isa)) is not None and one.step]
    assert len(steps) == len({one.base for one in steps}) and not any(isinstance(one, Accessed) for one in steps)


@pytest.mark.parametrize(
    ("isa", "loads"),
    [
        (Isa.A64, "ldr q0, [x0]\nldr q1, [x0, #16]\nadd x0, x0, #32"),
        (Isa.A64, "ldr q1, [x0, #48]\nldr q0, [x0]\nadd x0, x0, #20"),
        (Isa.A64, "ldp q0, q1, [x0]\nadd x0, x0, #64\nldr d1, [x0, #8]"),
        (Isa.A32, "vld1.8 {d0, d1}, [r0]\nvldr d2, [r0, #16]\nadd r0, r0, #16\nvmov.i32 d3, #1"),
    ],
)
def test_an_access_steps_its_pointer(isa: Isa, loads: str) -> None:
    text, code = loop_of(isa, loads)
    changed = by_post_index(code, CONTRACT)
    assert changed is not None and len(changed.body) == len(code.body) - 1
    same(text, code, changed)


@pytest.mark.parametrize(
    "loads",
    [
        "ldr q0, [x0], #16\nldr q1, [x0], x1",
        "ldr q0, [x0], #16\nldr q1, [x0], #16\nadd x5, x0, #1",
        "ld3 {v0.16b, v1.16b, v2.16b}, [x0], #48\nldr q1, [x0], #16",
        "ldr q0, [x0], #16\nldr q1, [x0, #16]!",
        "ldr q0, [x0], #16\nldr x0, [x0]",
    ],
)
def test_a_pointer_that_is_used_otherwise_stays(loads: str) -> None:
    if "], x1" in loads:
        loads = loads.replace("ldr q1, [x0], x1", "ld1 {v1.16b}, [x0], x1")
    assert by_offsets(loop_of(Isa.A64, loads)[1], CONTRACT) is None


def test_an_offset_out_of_reach_is_left_alone() -> None:
    _, code = loop_of(Isa.A64, "add x0, x0, #2047\nldr q0, [x0, #1]\nldr q1, [x0], #16")
    assert by_offsets(code, CONTRACT) is None


def test_offsets_pay_where_a_step_is_an_operation_more() -> None:
    loads = "\n".join(f"ldr q{at % 2}, [x0], #16" for at in range(8))
    _, code = loop_of(Isa.A64, loads)
    changed = by_offsets(code, CONTRACT)
    assert changed is not None
    core = load_pipeline("cortex-a72")
    assert exact_cycles(changed, range(len(changed.body)), core) < exact_cycles(code, range(len(code.body)), core)
