"""The 3x3 kernels: right on tails and real layers, exact to the edge of their range and not beyond."""

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
from neonlab.verify.cases.case import Array, Case, CaseName, Depth
from neonlab.verify.cases.operator import Operator
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.name.startswith("conv3x3")]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)


def operator_of(kernel: Kernel) -> Operator:
    assert kernel.operator is not None
    return kernel.operator


def channels_of(kernel: Kernel, channels: int) -> int:
    """So many input channels, or as many as the kernel takes."""
    return min(channels, int((kernel.contract.argument("in_channels").value_range or (1, 1))[1]))


@every_kernel
@pytest.mark.sweep
def test_some_tails_and_a_layer_come_out_right(kernel: Kernel) -> None:
    layer = CaseName(
        Shape(operator_of(kernel).dimensions, (7, 7, channels_of(kernel, 64), 96)), "random", 3, Depth.WATCHED
    )
    assert [failure for failure in check_cases(kernel, [*some_cases(kernel), layer]) if failure is not None] == []


@every_kernel
@pytest.mark.sweep
def test_data_of_a_case_tell_right_from_wrong(kernel: Kernel) -> None:
    shape = Shape(operator_of(kernel).dimensions, (8, 8, channels_of(kernel, 32), 128))
    seen = [draw_case(kernel, CaseName(shape, "random", seed)).expected["output"].array for seed in range(8)]
    assert sorted(len(np.unique(array)) for array in seen)[4] > 50  # in some, the clamp leaves little


def weight(kernel: Kernel, packed: Array, ins: int, *where: int) -> int:
    """One weight, of output channel, row, column and input channel `where`, from where the layout has it."""
    layout = kernel.contract.argument("weights").layout
    o, i, j, k = where
    if layout == "oc_kh_kw_ic":
        return int(packed[((o * 3 + i) * 3 + j) * ins + k])
    if "taps" in layout:  # the first 8 bytes of a row's 9 lie together, then the ninths
        tap = 8 * i + 3 * j + k if 3 * j + k < 8 else 24 + i
        width, group = int(layout.removeprefix("oc").split("_")[0]), 32 if layout.endswith("taps32") else 4
        depth = -(-27 // group) * group
        at = (tap // group * width + o % width) * group + tap % group
        return int(packed[o // width * width * depth + at])
    width, run = int(layout.removeprefix("oc").split("_")[0]), 3 * ins
    group, within = divmod(j * ins + k, 4)
    groups = -(-run // 4)
    return int(packed[(((o // width * 3 + i) * groups + group) * width + o % width) * 4 + within])


@every_kernel
def test_the_reference_is_the_sum_written_out(kernel: Kernel) -> None:
    operator, stride = operator_of(kernel), 2 if operator_of(kernel).name.endswith("s2") else 1
    ins, outs = 3, 18
    case = draw_case(kernel, CaseName(Shape(operator.dimensions, (2, 3, ins, outs)), "random", 5))
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    # A scale that leaves sums as they are, and weights so small that none is clamped.
    inputs["weights"] //= 32
    inputs["input"] //= 32
    if "bias" in inputs:
        inputs["bias"][:], inputs["multipliers"][:], inputs["shifts"][:] = 0, 1 << 30, 1
        inputs["range"][:] = (0, -128, 127)
    output = operator.expected(kernel.contract, case.shape, inputs)["output"].array
    image = inputs["input"].astype(int)
    for y, x, o in np.ndindex(2, 3, outs):
        total = sum(
            weight(kernel, inputs["weights"], ins, o, i, j, k) * image[stride * y + i, stride * x + j, k]
            for i, j, k in np.ndindex(3, 3, ins)
        )
        assert (total if output.dtype == np.int32 else min(max(total, -128), 127)) == output[y, x, o]


def worst_case(kernel: Kernel, pixel: int, every_weight: int) -> Case:
    """Every pixel and every weight alike."""
    operator = operator_of(kernel)
    case = draw_case(kernel, CaseName(Shape(operator.dimensions, (2, 4, channels_of(kernel, 32), 4)), "random", 1))
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    inputs["input"][:], inputs["weights"][:] = pixel, every_weight
    if "bias" in inputs:  # so that the sum's sign can be seen in what leaves
        inputs["bias"][:], inputs["range"][:] = 0, (0, -128, 127)
    return dataclasses.replace(case, inputs=inputs, expected=operator.expected(kernel.contract, case.shape, inputs))


def is_right(kernel: Kernel, case: Case) -> bool:
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        return checker.check(case) is None


@every_kernel
@pytest.mark.sweep
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    low, high = (int(bound) for bound in kernel.contract.argument("weights").value_range or (-128, 127))
    assert all(is_right(kernel, worst_case(kernel, pixel, end)) for pixel in (-128, 127) for end in (low, high))
    if low > -128:
        assert not is_right(kernel, worst_case(kernel, -128, -128))
