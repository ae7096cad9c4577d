"""A failing case becomes the smallest and sparsest that fails alike, the same every time, within its budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from tests.kernel_sources import file_of, inlined

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.contract.header import Contract, parse_contract
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.plan import draw_case, parse_shape
from neonlab.verify.cases.case import Array, Case, CaseName
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.operator import Operator
from neonlab.verify.cases.space import Space
from neonlab.verify.checker import Checker
from neonlab.verify.explain.shrink import MOST_TRIALS, describe_inputs, shrink, shrink_case

KERNEL = file_of("armv8/conv1x1_s8s32_chw_8x4")
STEPPED = """/*toml
summary   = "a test"
prototype = "void k(const int8_t *x, int32_t *out, size_t n, size_t rows)"
isa       = ["armv8.0-a", "neon"]
[args]
x    = { reg = "x0", read = "n*rows", range = [3, 9] }
out  = { reg = "x1", write = "4*rows" }
n    = { reg = "x2", range = [16, 4096], step = 16 }
rows = { reg = "x3", range = [2, 64] }
*/
"""


def _case(shape: str, pattern: str = "random") -> tuple[Case, Contract, Operator | None]:
    opened = open_kernel(KERNEL)
    return (
        draw_case(opened, CaseName(parse_shape(opened, shape), pattern, 1)),
        opened.contract,
        opened.operator,
    )


def _stepped(*sizes: int) -> tuple[Case, Contract]:
    """A case of STEPPED of these sizes, or of the smallest."""
    contract = parse_contract(STEPPED, "k.S")
    assert contract is not None
    least = Space(contract).least_shape
    assert least is not None
    return generated_case(contract, replace(least, sizes=sizes or least.sizes), "random", 1), contract


def _counted(fails: Callable[[Case], bool]) -> tuple[Callable[[Case], bool], list[Case]]:
    tried: list[Case] = []

    def counting(case: Case) -> bool:
        tried.append(case)
        return fails(case)

    return counting, tried


@pytest.mark.parametrize("least", [(1, 1, 1, 1), (1, 5, 3, 2), (3, 1, 9, 1), (2, 4, 8, 7)])
def test_every_size_ends_at_the_least_that_fails(least: tuple[int, ...]) -> None:
    case, contract, operator = _case("5x7x16x9")
    fails, tried = _counted(lambda other: all(a >= b for a, b in zip(other.shape.sizes, least, strict=True)))
    assert shrink_case(case, contract, operator, fails).shape.sizes == least
    assert len(tried) <= MOST_TRIALS


def test_a_size_that_moves_in_steps_is_lowered_by_them() -> None:
    case, contract = _stepped(160, 40)
    small = shrink_case(case, contract, None, lambda other: other.shape["n"] >= 33 and other.shape["rows"] >= 5)
    assert small.shape.sizes == (48, 5)


def test_data_ends_with_what_the_failure_needs() -> None:
    case, contract, operator = _case("1x5x6x3")

    def fails(other: Case) -> bool:
        if other.shape.sizes != case.shape.sizes:
            return False
        return bool(other.inputs["input"].reshape(-1)[17]) and bool(other.inputs["weights"].reshape(-1)[4])

    small = shrink_case(case, contract, operator, fails)
    assert np.flatnonzero(small.inputs["input"]).tolist() == [17]
    assert np.flatnonzero(small.inputs["weights"]).tolist() == [4]
    expected = small.inputs["weights"].astype(np.int64) @ small.inputs["input"].reshape(6, 5).astype(np.int64)
    np.testing.assert_array_equal(small.expected["output"].array.reshape(3, 5), expected)
    assert describe_inputs(small)[0] == f"input: [17] = {small.inputs['input'].reshape(-1)[17]}, 0 elsewhere"


def test_a_float_below_zero_by_its_sign_alone_is_no_zero() -> None:
    case, _, _ = _case("1x5x6x3")
    floats = replace(case, inputs={"x": np.array([0.0, -0.0, 0.0, 1.5], np.float32), "y": np.zeros(3, np.float32)})
    assert describe_inputs(floats) == ("x: [1] = -0.0, [3] = 1.5, 0 elsewhere", "y: all 0")


def test_zero_gives_way_to_what_the_contract_allows() -> None:
    case, contract = _stepped()
    small = shrink_case(case, contract, None, lambda other: True)
    assert set(small.inputs["x"].tolist()) == {3}


def test_data_that_the_operator_refuses_are_not_tried() -> None:
    opened = open_kernel(file_of("armv8/clip_s8s8_flat_64"))
    case = draw_case(opened, CaseName(parse_shape(opened, "8"), "highest", 1))
    # From limits of 127 and 127 the next to try are 0 and 127, and 127 and 0, which is no range.
    found = shrink_case(case, opened.contract, opened.operator, lambda other: int(other.inputs["limits"][0]) == 127)
    assert found.inputs["limits"].tolist() == [127, 127]
    assert not found.inputs["input"].any()


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_large_case_does_not_go_from_element_to_element(is_refused: bool) -> None:
    case, contract = _stepped(4096, 64)
    refilled = []

    def refill(old: Case, inputs: Mapping[str, Array]) -> Case | None:
        refilled.append(old)
        return None if is_refused else replace(old, inputs=inputs)

    small = shrink(case, contract, lambda other: other.shape == case.shape, lambda shape: None, refill)
    assert len(refilled) == (16 if is_refused else 1)
    assert set(small.inputs["x"].tolist()) == (set(case.inputs["x"].tolist()) if is_refused else {3})


def test_it_is_the_same_every_time_and_keeps_to_its_budget() -> None:
    case, contract, operator = _case("9x9x17x9")
    found = []
    for _ in range(2):
        fails, tried = _counted(lambda other: int(np.abs(other.inputs["input"].astype(int)).sum()) > 300)
        small = shrink_case(case, contract, operator, fails, most_trials=40)
        assert len(tried) <= 40
        found.append((small.title, small.inputs["input"].tobytes(), len(tried)))
    assert found[0] == found[1]


def test_a_case_that_cannot_be_made_smaller_stays() -> None:
    case, contract, operator = _case("1x2x3x4")
    assert shrink_case(case, contract, operator, lambda other: False) is case


def test_a_wrong_kernel_shrinks_to_the_tail_that_is_wrong() -> None:
    text = inlined(KERNEL).replace("ld1     {v0.b}[7], [in], in_next", "ld1     {v0.b}[6], [in], in_next")
    contract = parse_contract(text, str(KERNEL))
    assert contract is not None
    opened = open_kernel(KERNEL)
    case = draw_case(opened, CaseName(parse_shape(opened, "1x13x17x6"), "random", 1))
    with Checker(link(assemble_text(text, isa=opened.isa, path=str(KERNEL))), contract) as checker:
        first = checker.check(case)
        assert first is not None

        def fails(other: Case) -> bool:
            failure = checker.check(other)
            return failure is not None and failure.identifier == first.identifier

        small = shrink_case(case, contract, opened.operator, fails)
    # One pixel, the eight input channels of a pass, one row.
    assert small.shape.sizes == (1, 1, 8, 1)
    assert np.count_nonzero(small.inputs["weights"]) == 1
    assert np.count_nonzero(small.inputs["input"]) == 1
