"""The matmul kernels: right on tails and real layers, exact to the edge of their range and not beyond."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.sample import some_cases

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.check import check_cases
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName, Depth
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.operator and kernel.operator.name == "matmul"]
SUMS = [kernel for kernel in KERNELS if kernel.contract.argument("c").dtype == np.int32]
every_kernel_of_sums = pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)
INT8 = [kernel for kernel in SUMS if kernel.contract.argument("b").dtype == np.int8]
every_kernel_of_int8 = pytest.mark.parametrize("kernel", INT8, ids=lambda kernel: kernel.title)
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


@pytest.mark.slow
@every_kernel
@pytest.mark.sweep
def test_some_tails_come_out_right(kernel: Kernel) -> None:
    assert [failure for failure in check_cases(kernel, some_cases(kernel)) if failure is not None] == []


@pytest.mark.slow(keep=1)
@every_kernel
@pytest.mark.parametrize("layer", ["12544x64x32", "196x512x256", "49x1024x1024"])
@pytest.mark.sweep
def test_layers_of_mobilenet_come_out_right(kernel: Kernel, layer: str) -> None:
    assert kernel.operator is not None
    shape = Shape.parse(layer, kernel.operator.dimensions)
    if not kernel.operator.accepts(kernel.contract, shape):
        assert shape["depth"] > (kernel.contract.argument("depth").value_range or (0, 0))[1]
        return
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


@pytest.mark.slow(keep=1)
@every_kernel_of_int8
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    low, high = (int(bound) for bound in kernel.contract.argument("b").value_range or (-128, 127))
    for left in (-128, 127):
        for right in (low, high):
            assert is_right(kernel, worst_case(kernel, left, right)), (left, right)
    if kernel.contract.argument("b").value_range is not None:
        assert (low, high) == (-127, 127)
        assert not is_right(kernel, worst_case(kernel, -128, -128))


def extreme(kernel: Kernel, depth: int) -> Case:
    """Every product the largest that there is."""
    assert kernel.operator is not None
    shape = Shape(("rows", "cols", "depth"), (8, 12, depth))
    case = kernel.operator.case(kernel.contract, Shape(shape.names, (8, 12, 1)), "random", 1)
    inputs = {
        name: np.full(len(case.inputs[name]) * depth, np.iinfo(case.inputs[name].dtype).min, case.inputs[name].dtype)
        for name in "ab"
    }
    integers = kernel.operator.values(kernel.contract, shape)
    case = dataclasses.replace(case, inputs=inputs, integers=integers)
    return dataclasses.replace(case, expected=kernel.operator.expected(kernel.contract, shape, inputs))


@pytest.mark.parametrize("kernel", [k for k in SUMS if "s8s16s32" in k.name], ids=lambda kernel: kernel.title)
def test_int8_by_int16_is_exact_as_deep_as_declared_and_no_deeper(kernel: Kernel) -> None:
    _, deepest = kernel.contract.argument("depth").value_range or (0, 0)
    assert is_right(kernel, extreme(kernel, int(deepest)))
    assert int(deepest) * 2**22 < 2**31 <= (int(deepest) + 1) * 2**22
