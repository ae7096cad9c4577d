"""The depthwise kernels: right on tails and real layers, exact to the edge of their range and not beyond."""

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
from neonlab.verify.cases.operator import Operator
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.name.startswith("dwconv")]
SUMS = [kernel for kernel in KERNELS if kernel.contract.argument("output").dtype == np.int32]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)
every_kernel_of_sums = pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)


def operator_of(kernel: Kernel) -> Operator:
    assert kernel.operator is not None
    return kernel.operator


@pytest.mark.slow
@every_kernel
@pytest.mark.sweep
def test_some_tails_and_a_layer_come_out_right(kernel: Kernel) -> None:
    layer = list(operator_of(kernel).layers.values())[-1]
    names = [*some_cases(kernel), CaseName(layer, "random", 3, Depth.WATCHED)]
    assert [failure for failure in check_cases(kernel, names) if failure is not None] == []


@every_kernel_of_sums
def test_the_reference_is_the_sum_written_out(kernel: Kernel) -> None:
    operator, layout = operator_of(kernel), kernel.contract.argument("weights").layout
    window, stride = int(operator.name.removeprefix("dwconv")[0]), 2 if operator.name.endswith("s2") else 1
    width, pairs = (int("".join(filter(str.isdigit, part))) for part in layout.split("_"))
    # Which taps a channel's weights are, in the order in which they lie: pairs of rows, then of columns, then the rest.
    order = [(row + side, column) for row in range(0, window - 1, 2) for column in range(window) for side in (0, 1)]
    order += [(window - 1, column) for column in range(window)]
    case = draw_case(kernel, CaseName(Shape(operator.dimensions, (2, 3, width + 3)), "random", 5))
    image, packed = case.inputs["input"].astype(int), case.inputs["weights"].astype(int)
    for y, x, c in np.ndindex(2, 3, width + 3):
        total = 0
        for number, (i, j) in enumerate(order):
            within = number // 2 * 2 * width + 2 * (c % width) + number % 2 if number < 2 * pairs else 0
            at = within if number < 2 * pairs else number * width + c % width
            total += packed[c // width * window * window * width + at] * image[stride * y + i, stride * x + j, c]
        assert total == case.expected["output"].array[y, x, c]


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in SUMS], ids=lambda kernel: kernel.title)
def test_data_of_a_case_tell_right_from_wrong(kernel: Kernel) -> None:
    shape = Shape(operator_of(kernel).dimensions, (6, 6, 128))
    seen = [draw_case(kernel, CaseName(shape, "random", seed)).expected["output"].array for seed in range(8)]
    # In some the clamp leaves little, and half of the channels are brought to few values.
    assert sorted(len(np.unique(array)) for array in seen)[4] > 50


def worst_case(kernel: Kernel, pixel: int, weight: int) -> Case:
    """Every pixel and every weight alike."""
    operator = operator_of(kernel)
    case = draw_case(kernel, CaseName(Shape(operator.dimensions, (2, 4, 16)), "random", 1))
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    inputs["input"][:], inputs["weights"][:] = pixel, weight
    if "bias" in inputs:  # so that the sum's sign can be seen in what leaves
        inputs["bias"][:], inputs["range"][:] = 0, (0, -128, 127)
    return dataclasses.replace(case, inputs=inputs, expected=operator.expected(kernel.contract, case.shape, inputs))


def is_right(kernel: Kernel, case: Case) -> bool:
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        return checker.check(case) is None


@pytest.mark.slow
@every_kernel
@pytest.mark.sweep
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    assert kernel.contract.argument("weights").value_range == (-127, 127)
    assert all(is_right(kernel, worst_case(kernel, pixel, weight)) for pixel in (-128, 127) for weight in (-127, 127))
    assert not is_right(kernel, worst_case(kernel, -128, -128))
