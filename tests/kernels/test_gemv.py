"""The gemv kernels: right on tails and a real layer, exact to the edge of their range and not beyond."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.sample import some_cases

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import draw_case
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName, Depth
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.name.startswith("gemv")]
SUMS = [kernel for kernel in KERNELS if kernel.contract.argument("output").dtype == np.int32]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


def shape_of(rows: int, depth: int) -> Shape:
    return Shape(("rows", "depth"), (rows, depth))


@every_kernel
@pytest.mark.sweep
def test_some_tails_and_a_layer_come_out_right(kernel: Kernel) -> None:
    layer = CaseName(shape_of(1000, 1024), "random", 3, Depth.WATCHED)
    assert [failure for failure in check_cases(kernel, [*some_cases(kernel), layer]) if failure is not None] == []


@pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)
def test_the_reference_is_the_sum_written_out(kernel: Kernel) -> None:
    case = draw_case(kernel, CaseName(shape_of(9, 37), "random", 5))
    weights, vector = case.inputs["weights"].reshape(-1), case.inputs["input"]
    for row in range(9):
        total = sum(int(weights[37 * row + k]) * int(vector[k]) for k in range(37))
        assert total == case.expected["output"].array[row]


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in SUMS], ids=lambda kernel: kernel.title)
def test_data_of_a_case_tell_right_from_wrong(kernel: Kernel) -> None:
    seen = [
        draw_case(kernel, CaseName(shape_of(999, 64), "random", seed)).expected["output"].array for seed in range(8)
    ]
    assert sorted(len(np.unique(array)) for array in seen)[4] > 50  # in some, the clamp leaves little


def worst_case(kernel: Kernel, element: int, weight: int) -> Case:
    """Every element of the input and every weight alike."""
    case = draw_case(kernel, CaseName(shape_of(8, 64), "random", 1))
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    inputs["input"][:], inputs["weights"][:] = element, weight
    if "bias" in inputs:  # so that the sum's sign can be seen in what leaves
        inputs["bias"][:], inputs["range"][:] = 0, (0, -128, 127)
    assert kernel.operator is not None
    expected = kernel.operator.expected(kernel.contract, case.shape, inputs)
    return dataclasses.replace(case, inputs=inputs, expected=expected)


def is_right(kernel: Kernel, case: Case) -> bool:
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        return checker.check(case) is None


@pytest.mark.slow(keep=1)
@every_kernel
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    low, high = (int(bound) for bound in kernel.contract.argument("weights").value_range or (-128, 127))
    assert all(is_right(kernel, worst_case(kernel, element, end)) for element in (-128, 127) for end in (low, high))
    if low > -128:
        assert not is_right(kernel, worst_case(kernel, -128, -128))
