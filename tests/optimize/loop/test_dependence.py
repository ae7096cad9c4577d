"""What must stay in order in a loop: registers, flags and memory, within an iteration and over its end."""

from __future__ import annotations

import pytest
from tests.optimize.loops import code_of_text

from neonlab.isa.model.isa import Isa
from neonlab.optimize.exploration import control_of
from neonlab.optimize.loop.dependence import Edge, edges_of, places_of


def edges(text: str, isa: Isa = Isa.A64) -> set[Edge]:
    code = code_of_text(text, isa)
    return set(edges_of([step.instruction for step in code.body], places_of(code)))


@pytest.mark.parametrize(
    ("isa", "first", "second"),
    [
        (Isa.A64, "movi v0.4s, #1", "add v1.4s, v0.4s, v2.4s"),
        (Isa.A64, "add v1.4s, v0.4s, v2.4s", "movi v0.4s, #1"),
        (Isa.A64, "movi v0.4s, #1", "movi v0.4s, #2"),
        (Isa.A64, "ldr d0, [x0]", "smull v1.8h, v0.8b, v0.8b"),
        (Isa.A64, "ldr q0, [x0], #16", "ldr q1, [x0], #16"),
        (Isa.A64, "cmp x0, x1", "csel x2, x3, x4, eq"),
        (Isa.A64, "str q0, [x0]", "ldr q1, [x0, #16]"),
        (Isa.A32, "vmov.i32 d3, #1", "vadd.i32 q2, q1, q0"),
        (Isa.A32, "vmov.i32 q1, #1", "vadd.i32 d4, d2, d0"),
    ],
)
def test_what_one_needs_of_the_other_keeps_both_in_order(isa: Isa, first: str, second: str) -> None:
    end = "subs x9, x9, #1\nb.ne loop" if isa is Isa.A64 else "subs r9, r9, #1\nbne loop"
    found = edges(f"{first}\n{second}\n{end}", isa)
    assert Edge(0, 1, 0) in found and Edge(1, 0, 1) in found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ldr q0, [x0]", "ldr q1, [x0]"),
        ("str q0, [x0]", "ldr q1, [x1]"),
        ("add v0.4s, v1.4s, v2.4s", "add v3.4s, v1.4s, v2.4s"),
        ("sqadd v0.4s, v1.4s, v2.4s", "sqadd v3.4s, v1.4s, v2.4s"),
    ],
)
def test_what_shares_nothing_may_change_places(first: str, second: str) -> None:
    found = edges(f"{first}\n{second}\nsubs x9, x9, #1\nb.ne loop")
    assert not {Edge(0, 1, 0), Edge(0, 1, 1), Edge(1, 0, 1)} & found


def test_control_is_all_that_decides_about_another_iteration() -> None:
    code = code_of_text("ldr q0, [x0], #16\nadd x3, x3, x4\nadd v16.4s, v16.4s, v0.4s\ncmp x3, x5\nb.lo loop", Isa.A64)
    assert control_of(code) == [1, 3]
