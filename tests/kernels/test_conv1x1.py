"""The conv1x1 kernels: right on every tail and every real layer, exact to the edge of their range and not beyond."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from tests.sample import some_cases
from tests.tiers import kind_of

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.check import check_cases
from neonlab.lab.run.plan import plan_cases
from neonlab.lab.run.shapes import planned_shapes
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName, Depth
from neonlab.verify.checker import Checker

ROOT = Path(__file__).resolve().parents[2]
KERNELS = [kernel for kernel in open_library(ROOT).kernels if kernel.operator and kernel.operator.name == "conv1x1"]
SUMS = [kernel for kernel in KERNELS if kernel.contract.argument("output").dtype != np.int8]
REQUANTIZED = [kernel for kernel in KERNELS if kernel not in SUMS]
#: Every kernel is proved at the small sizes of its plan; all others are tried with one kernel of each kind.
ONE_OF_EACH_KIND = list({kind_of(kernel): kernel for kernel in SUMS}.values())
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.title)
every_kernel_of_sums = pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)
every_requantizing_kernel = pytest.mark.parametrize("kernel", REQUANTIZED, ids=lambda kernel: kernel.title)


@pytest.mark.parametrize("kernel", ONE_OF_EACH_KIND, ids=lambda kernel: kernel.title)
@pytest.mark.thorough("the covering choice of small sizes is tried of every kind of kernel")
def test_every_combination_of_small_sizes_comes_out_right(kernel: Kernel) -> None:
    # What `check` plans is checked there; every other shape once, for its results and what it may touch.
    shapes = planned_shapes(kernel, 1, every_tail=True).small
    rest = sorted(set(shapes) - {name.shape for name in plan_cases(kernel)}, key=lambda shape: shape.sizes)
    assert len(rest) > 1000
    names = [CaseName(shape, "random", 2, Depth.WATCHED) for shape in rest]
    assert [failure for failure in check_cases(kernel, names) if failure is not None] == []


@pytest.mark.slow
@every_requantizing_kernel
@pytest.mark.sweep
def test_some_requantized_tails_and_a_layer_come_out_right(kernel: Kernel) -> None:
    # The loops are those of the kernels that give sums; what is done with the sums has the tails of output channels.
    layer = CaseName(Shape(("height", "width", "in_channels", "out_channels"), (7, 7, 512, 1024)), "random", 3)
    names = [*some_cases(kernel), dataclasses.replace(layer, depth=Depth.WATCHED)]
    assert [failure for failure in check_cases(kernel, names) if failure is not None] == []


@every_requantizing_kernel
def test_data_of_a_case_tell_right_from_wrong(kernel: Kernel) -> None:
    assert kernel.operator is not None
    shape = Shape(kernel.operator.dimensions, (4, 4, 64, 64))
    seen = [kernel.operator.case(kernel.contract, shape, "random", seed) for seed in range(8)]
    different = [len(np.unique(case.expected["output"].array)) for case in seen]
    assert sorted(different)[4] > 50, different  # in some, the clamp leaves little


@every_kernel_of_sums
@pytest.mark.parametrize("layer", ["112x112x32x64", "56x56x64x128", "28x28x128x256", "14x14x256x512", "7x7x1024x1024"])
@pytest.mark.sweep
def test_layers_of_mobilenet_come_out_right(kernel: Kernel, layer: str) -> None:
    assert kernel.operator is not None
    shape = Shape.parse(layer, kernel.operator.dimensions)
    if not kernel.operator.accepts(kernel.contract, shape):
        pixels = shape["height"] * shape["width"]
        deep = shape["in_channels"] > (kernel.contract.argument("in_channels").value_range or (0, 0))[1]
        assert deep or (kernel.name.endswith("left4") and pixels % 8 != 4)
        return
    assert list(check_cases(kernel, [CaseName(shape, "extremes", 3, Depth.WATCHED)])) == [None]


def unpacked(panels: np.ndarray, width: int, group: int, whole: int, outs: int, ins: int) -> np.ndarray:
    """Weights [output channel][input channel], element by element out of panels with so many inputs in a group.

    The inputs are filled up to a multiple of `whole`.
    """
    groups = -(-ins // whole) * whole // group
    weights = np.empty((outs, ins), np.int8)
    for o in range(outs):
        for i in range(ins):
            weights[o, i] = panels[((o // width * groups + i // group) * width + o % width) * group + i % group]
    return weights


@pytest.mark.parametrize("pixels", [4, 8, 12, 17])
def test_the_reference_is_the_sum_written_out(pixels: int) -> None:
    rng = np.random.default_rng(pixels)
    for kernel in SUMS:
        assert kernel.operator is not None
        shape = Shape(kernel.operator.dimensions, (1, pixels, 5, 3))
        if not kernel.operator.accepts(kernel.contract, shape):
            continue
        case = kernel.operator.case(kernel.contract, shape, "random", int(rng.integers(99)))
        chw = kernel.contract.argument("input").layout == "chw"
        output = case.expected["output"].array
        panels = re.fullmatch(r"oc(\d+)_ic(\d+)(?:_of(\d+))?", kernel.contract.argument("weights").layout)
        weights = case.inputs["weights"]
        if panels is not None:
            weights = unpacked(weights, int(panels[1]), int(panels[2]), int(panels[3] or panels[2]), 3, 5)
        for p in range(pixels):
            for o in range(3):
                image = case.inputs["input"][:, 0, p] if chw else case.inputs["input"][0, p, :]
                total = sum(int(w) * int(x) for w, x in zip(weights[o], image, strict=True))
                assert total == (output[o, 0, p] if chw else output[0, p, o])


def worst_case(kernel: Kernel, input_value: int, weight: int) -> Case:
    """As many input channels as the kernel takes, 256 at most, every input and every weight alike."""
    assert kernel.operator is not None
    _, most = kernel.contract.argument("in_channels").value_range or (1, 1)
    shape = Shape(kernel.operator.dimensions, (1, 12, min(int(most), 256), 4))
    case = kernel.operator.case(kernel.contract, shape, "random", 1)
    inputs = {
        **case.inputs,
        "input": np.full_like(case.inputs["input"], input_value),
        "weights": np.full_like(case.inputs["weights"], weight),
    }
    if "bias" in inputs:  # so that the sum's sign can be seen in what leaves
        inputs |= {"bias": np.zeros_like(inputs["bias"]), "range": np.array([0, -128, 127], np.int16)}
    return dataclasses.replace(case, inputs=inputs, expected=kernel.operator.expected(kernel.contract, shape, inputs))


def is_right(kernel: Kernel, case: Case) -> bool:
    with Checker(kernel_program(kernel), kernel.contract) as checker:
        return checker.check(case) is None


@every_kernel
@pytest.mark.sweep
def test_the_declared_range_is_exact_at_its_edge_and_wrong_one_step_outside(kernel: Kernel) -> None:
    low, high = (int(bound) for bound in kernel.contract.argument("weights").value_range or (-128, 127))
    input_low, input_high = (int(bound) for bound in kernel.contract.argument("input").value_range or (-128, 127))
    for image in (input_low, input_high):
        for weight in (low, high):
            assert is_right(kernel, worst_case(kernel, image, weight)), (image, weight)
    # Outside int8 there is nothing to be wrong with; inside, each end of the range is the last that is exact.
    outside = [weight for weight in (low - 1, high + 1) if -128 <= weight <= 127]
    assert outside or kernel.contract.argument("weights").value_range is None
    for weight in outside:
        assert not all(is_right(kernel, worst_case(kernel, image, weight)) for image in (input_low, input_high)), weight
