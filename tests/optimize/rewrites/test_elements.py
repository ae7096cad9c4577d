"""Products by an element are those by a register that has it in all lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.optimize.loops import CONTRACT, code_of_text
from tests.optimize.running import left_behind, written

from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.rewrites.elements import by_dup, by_element

_LOADS = {
    Isa.A64: "ldr q0, [x0], #16\nldr q1, [x1], #16\n",
    Isa.A32: "vld1.8 {d0, d1}, [r0]!\nvld1.8 {d2, d3}, [r1]!\n",
}
_END = {Isa.A64: "\nsubs x3, x3, #1\nb.ne loop", Isa.A32: "\nsubs r3, r3, #1\nbne loop"}
PRODUCTS = [
    (Isa.A64, "smlal v16.4s, v0.4h, v1.h[3]\nsmlal2 v17.4s, v0.8h, v1.h[3]"),
    (Isa.A64, "mla v16.4s, v0.4s, v1.s[2]\nmls v17.4s, v0.4s, v1.s[0]"),
    (
        Isa.A64,
        "umull v2.4s, v0.4h, v1.h[7]\nadd v16.4s, v16.4s, v2.4s\nmul v2.8h, v0.8h, v1.h[1]\nadd v17.4s, v17.4s, v2.4s",
    ),
    (Isa.A64, "mla v16.8h, v0.8h, v1.h[1]\nldr q1, [x1], #16\nmla v17.8h, v0.8h, v1.h[1]"),
    (Isa.A64, "sdot v16.4s, v0.16b, v1.4b[1]\nsdot v17.4s, v1.16b, v0.4b[3]"),
    (Isa.A32, "vmlal.s16 q8, d0, d2[3]\nvmlal.u16 q9, d1, d2[3]"),
    (Isa.A32, "vmla.i32 q8, q0, d3[1]\nvmls.i16 q9, q0, d3[2]"),
]


def loop_of(isa: Isa, products: str, free: tuple[int, ...] = (4, 5, 6, 7)) -> tuple[str, LoopCode]:
    text = _LOADS[isa] + products + _END[isa]
    return text, code_of_text(text, isa, kept=(16, 17, 18, 19), free=free)


def same(text: str, code: LoopCode, changed: LoopCode) -> None:
    before = left_behind(f"loop:\n{text}", code.isa, range(1, 9))
    assert left_behind(written(text, code, changed), code.isa, range(1, 9)) == before
    assert len(set(before)) == len(before)


@pytest.mark.parametrize(("isa", "products"), PRODUCTS)
def test_a_register_with_an_element_in_all_lanes_gives_the_same_products_and_back(isa: Isa, products: str) -> None:
    text, code = loop_of(isa, products)
    spread = by_dup(code, CONTRACT)
    assert spread is not None and not any("[" in step.text and "ml" in step.text for step in spread.body)
    same(text, code, spread)
    back = by_element(spread, CONTRACT)
    assert back is not None and [step.text for step in back.body] == [step.text for step in code.body]


def test_a_dup_serves_all_products_of_the_same_value() -> None:
    _, code = loop_of(Isa.A64, PRODUCTS[0][1])
    spread = by_dup(code, CONTRACT)
    assert spread is not None and len(spread.body) == len(code.body) + 1


def test_without_a_free_register_products_stay_by_element() -> None:
    assert by_dup(loop_of(Isa.A64, PRODUCTS[0][1], free=())[1], CONTRACT) is None


@pytest.mark.parametrize(
    "products",
    [
        "dup v2.8h, v1.h[3]\nldr q1, [x1], #16\nsmlal v16.4s, v0.4h, v2.4h",
        "dup v2.8h, v1.h[3]\nsmlal v16.4s, v0.4h, v2.4h\nadd v17.4s, v17.4s, v2.4s",
        "dup v2.8h, v1.h[3]\nsmlal v16.4s, v2.4h, v2.4h",
        "dup v2.8h, v1.h[3]\nadd v16.4s, v16.4s, v2.4s",
    ],
)
def test_a_dup_that_something_else_needs_stays(products: str) -> None:
    assert by_element(loop_of(Isa.A64, products)[1], CONTRACT) is None


def test_a_result_that_matters_behind_the_loop_stays() -> None:
    _, code = loop_of(Isa.A64, "dup v2.8h, v1.h[3]\nsmlal v16.4s, v0.4h, v2.4h")
    assert by_element(code, CONTRACT) is not None
    kept = {register for step in code.body for register in step.instruction.writes}
    assert by_element(replace(code, kept=code.kept | kept), CONTRACT) is None
