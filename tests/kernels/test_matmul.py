"""The matmul kernels: right on tails and real layers, exact to the edge of their range and not beyond."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from neonlab.lab import check_cases, kernel_program
from neonlab.library import Kernel, open_library
from neonlab.plan import CaseName, plan_cases
from neonlab.verify.case import Case, Depth, Shape
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.operator and kernel.operator.name == "matmul"]
SUMS = [kernel for kernel in KERNELS if kernel.contract.argument("c").dtype == np.int32]
every_kernel_of_sums = pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


@every_kernel
def test_tails_come_out_right(kernel: Kernel) -> None:
    assert [failure for failure in check_cases(kernel, plan_cases(kernel)) if failure is not None] == []


@every_kernel
@pytest.mark.parametrize("layer", ["12544x64x32", "196x512x256", "49x1024x1024"])
def test_layers_of_mobilenet_come_out_right(kernel: Kernel, layer: str) -> None:
    assert kernel.operator is not None
    shape = Shape.parse(layer, kernel.operator.dimensions)
    assert list(check_cases(kernel, [CaseName(shape, "extremes", 3, Depth.WATCHED)])) == [None]


@every_kernel_of_sums
def test_the_reference_is_the_sum_written_out(kernel: Kernel) -> None:
    assert kernel.operator is not None
    rows, cols, depth = 9, 13, 17
    case = kernel.operator.case(kernel.contract, Shape(("rows", "cols", "depth"), (rows, cols, depth)), "random", 5)

    def element(name: str, vector: int, at: int) -> int:
        """One element out of the panels, whose sizes the layout's name tells."""
        width, group = (int("".join(c for c in part if c.isdigit())) for part in layouts[name].split("_"))
        groups = -(-depth // group)
        index = ((vector // width * groups + at // group) * width + vector % width) * group + at % group
        return int(case.inputs[name][index])

    layouts = {name: kernel.contract.argument(name).layout for name in "ab"}
    for m in range(rows):
        for n in range(cols):
            total = sum(element("a", m, k) * element("b", n, k) for k in range(depth))
            assert total == case.expected["c"].array[m, n]


def worst_case(kernel: Kernel, left: int, right: int) -> Case:
    """32 deep, every element of a and every element of b alike."""
    assert kernel.operator is not None
    shape = Shape(("rows", "cols", "depth"), (8, 12, 32))
    case = kernel.operator.case(kernel.contract, shape, "lowest", 1)
    inputs = {"a": np.full_like(case.inputs["a"], left), "b": np.full_like(case.inputs["b"], right)}
    return dataclasses.replace(case, inputs=inputs, expected=kernel.operator.expected(kernel.contract, shape, inputs))


def is_right(kernel: Kernel, case: Case) -> bool:
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        return checker.check(case) is None


@every_kernel_of_sums
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    low, high = (int(bound) for bound in kernel.contract.argument("b").value_range or (-128, 127))
    for left in (-128, 127):
        for right in (low, high):
            assert is_right(kernel, worst_case(kernel, left, right)), (left, right)
    if kernel.contract.argument("b").value_range is not None:
        assert (low, high) == (-127, 127)
        assert not is_right(kernel, worst_case(kernel, -128, -128))
