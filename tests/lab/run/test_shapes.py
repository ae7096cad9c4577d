"""The shapes that a kernel with an operator is tried in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.kernel_sources import file_of, standing_alone
from tests.sample import KERNELS, ONE_OF_EACH

from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check, check_cases
from neonlab.lab.run.plan import plan_cases
from neonlab.lab.run.shapes import integers_of, planned_shapes
from neonlab.verify.cases.case import Depth

ROOT = Path(__file__).resolve().parents[3]
SUMS = tuple(kernel for kernel in ONE_OF_EACH if kernel.contract.macs is not None)


def of_depth(kernel: Kernel, highest: int, step: int = 1) -> Kernel:
    """The kernel with a contract that allows sums of so many products, from `step` on."""
    arguments = tuple(
        replace(argument, value_range=(step, highest), step=step)
        if argument.name in ("in_channels", "depth")
        else argument
        for argument in kernel.contract.arguments
    )
    return replace(kernel, contract=replace(kernel.contract, arguments=arguments))


def kernel_called(title: str) -> Kernel:
    (found,) = (kernel for kernel in KERNELS if kernel.title == title)
    return found


@pytest.mark.parametrize("kernel", SUMS, ids=lambda kernel: kernel.title)
@pytest.mark.sweep(keep=6)
def test_sums_are_made_as_long_as_the_contract_allows(kernel: Kernel) -> None:
    longest = planned_shapes(kernel, 1).longest
    summed = {"in_channels", "depth"} & {argument.name for argument in kernel.contract.integers}
    assert bool(longest) == bool(summed)
    for shape in longest:
        (name,) = summed
        assert integers_of(kernel, shape)[name] == kernel.contract.argument(name).value_range[1]  # type: ignore[index]
    watched = [name for name in plan_cases(kernel) if name.shape in longest and name.depth is Depth.LARGE]
    assert {name.pattern for name in watched} == ({"lowest", "opposed"} if longest else set())


@pytest.mark.parametrize(
    ("title", "shapes"),
    [
        ("armv8/matmul_s8s8_packed_8x12_dotprod_ruy", "8x12x65536 4x12x65536 12x9x65536 12x7x65536 12x3x65536"),
        ("armv8/conv1x1_s8s8_hwc_4x16_dotprod_ruy", "1x4x65536x16 1x2x65536x16 1x6x65536x12 1x6x65536x9 1x6x65536x4"),
        ("armv7/gemv_s8s32_rows_8", "8x65536 7x65536 6x65536 5x65536 2x65536"),
    ],
)
def test_the_shapes_of_the_longest_sums_run_a_tile_and_the_parts_of_one(title: str, shapes: str) -> None:
    assert " ".join(map(str, planned_shapes(kernel_called(title), 1).longest)) == shapes


@pytest.mark.parametrize(
    ("title", "right", "wraps"),
    [
        # Weights are -127 at least: 2^31 / (128 * 127) is 132,104 and a bit.
        ("armv7/conv1x1_s8s32_hwc_2x4", 132_104, 132_105),
        ("armv8/conv1x1_s8s32_hwc_4x4", 132_104, 132_105),
        # Less their zero points, operands are -255 to 255: 2^31 / (255 * 255) is 33,025 and a bit, and there is a bias.
        ("armv7/matmul_u8u8_packed_4x8_bylane_zp_ruy", 24_768, 33_026),
        ("armv8/matmul_u8u8_packed_8x8_bylane_zp_ruy", 24_768, 33_026),
    ],
)
@pytest.mark.sweep(keep=2)
def test_sums_that_wrap_only_at_the_end_of_the_range_are_found(title: str, right: int, wraps: int) -> None:
    kernel = kernel_called(title)
    for highest, expected in ((right, set()), (wraps, {"lane-wrap"}), (1 << 30, {"lane-wrap"})):
        allowing = of_depth(kernel, highest)
        names = [name for name in plan_cases(allowing) if name.depth is Depth.LARGE]
        faults = {failure.identifier for failure in check_cases(allowing, names) if failure is not None}
        assert faults == expected


@pytest.mark.parametrize(
    ("title", "cut", "noticed"),
    [
        ("armv7/clip_s8s8_flat_64", "uxth r2, r2", "65543"),
        ("armv8/clip_s8s8_flat_64", "uxth w2, w2", "65543"),
        ("armv8/clip_s8s8_flat_64", "sxth x2, w2", "65543"),
        ("armv8/globalpool_s8s8_hwc_4x16", "uxth w2, w2", "65536x1"),
    ],
)
@pytest.mark.sweep(keep=2)
def test_a_size_cut_to_16_bits_is_noticed(title: str, cut: str, noticed: str, tmp_path: Path) -> None:
    isa, name = title.split("/")
    text, begins = standing_alone(file_of(title)), f"\nfunction {name}\n"
    assert begins in text
    for spoilt in (False, True):
        path = tmp_path / isa / f"{name}.S"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(begins, f"{begins}    {cut}\n") if spoilt else text)
        failures = check(open_kernel(path)).failures
        assert [failure.shape for failure in failures] == ([noticed] if spoilt else [])


def test_all_lengths_but_no_paddings_are_once_far_larger() -> None:
    far = {kernel.title: [str(shape) for shape in planned_shapes(kernel, 1).far] for kernel in ONE_OF_EACH}
    assert far["armv8/matmul_s8s32_packed_8x12_dotprod"] == ["65543x1x1", "1x65543x1", "1x1x65543"]
    assert far["armv8/dwconv5x5_s8s32_hwc_5x8"] == ["1x65536x1", "1x1x65536"]
    assert far["armv8/pad_s8s8_rows_64"] == ["1x65543x1x1x1x1"]


def test_the_longest_sums_keep_to_the_step_of_the_contract() -> None:
    kernel = of_depth(kernel_called("armv8/conv1x1_s8s32_hwc_4x4"), 65_539, step=8)
    longest = planned_shapes(kernel, 1).longest
    assert {shape["in_channels"] for shape in longest} == {65_536} and kernel.operator is not None
    assert all(kernel.operator.accepts(kernel.contract, shape) for shape in longest)
