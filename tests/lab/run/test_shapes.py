"""The shapes that a kernel with an operator is tried in."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.kernel_sources import file_of, standing_alone
from tests.sample import KERNELS, ONE_OF_EACH

from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check, check_cases
from neonlab.lab.run.plan import draw_case, plan_cases
from neonlab.lab.run.shapes import integers_of, planned_shapes
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Depth
from neonlab.verify.cases.sizes import Role
from neonlab.verify.cases.space import Space

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
    return replace(kernel, code=replace(kernel.code, contract=replace(kernel.contract, arguments=arguments)))


def kernel_called(title: str) -> Kernel:
    (found,) = (kernel for kernel in KERNELS if kernel.title == title)
    return found


@pytest.mark.slow(keep=3)
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


@pytest.mark.slow
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
        if highest > wraps:  # one wrap so deep takes half a minute to be explained
            names = [max(names, key=lambda name: max(name.shape.sizes))]
        faults = {failure.identifier for failure in check_cases(allowing, names) if failure is not None}
        assert faults == expected


#: One element less at one size, without a branch that would not run elsewhere.
FALLS_SHORT = "{}\n    cmp x2, x9\n    cset x9, eq\n    sub x2, x2, x9"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "cut", "noticed"),
    [
        ("armv7/clip_s8s8_flat_64", "uxth r2, r2", "65543"),
        ("armv8/clip_s8s8_flat_64", "uxth w2, w2", "65543"),
        ("armv8/clip_s8s8_flat_64", "sxth x2, w2", "65543"),
        ("armv8/globalpool_s8s8_hwc_4x16", "uxth w2, w2", "65536x1"),
        ("armv8/clip_s8s8_flat_64", FALLS_SHORT.format("mov x9, #20001"), "20001"),
        ("armv8/clip_s8s8_flat_64", FALLS_SHORT.format("movz x9, #0xde31\n    movk x9, #0xb, lsl #16"), "777777"),
    ],
)
@pytest.mark.sweep(keep=3)
def test_a_size_cut_to_16_bits_or_compared_with_a_large_constant_is_noticed(
    title: str, cut: str, noticed: str, tmp_path: Path
) -> None:
    isa, name = title.split("/")
    text, begins = standing_alone(file_of(title)), f"\nfunction {name}\n"
    assert begins in text
    for spoilt in (False, True):
        path = tmp_path / isa / f"{name}.S"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(begins, f"{begins}    {cut}\n") if spoilt else text)
        failures = check(open_kernel(path)).failures
        assert [str(failure.shape) for failure in failures] == ([noticed] if spoilt else [])


@pytest.mark.slow
def test_all_lengths_are_once_far_larger() -> None:
    far = {kernel.title: [str(shape) for shape in planned_shapes(kernel, 1).far] for kernel in ONE_OF_EACH}
    two = ["65543x2x2", "2x65543x2", "2x2x65543"]  # with two of everything else, as far as that is cheap
    assert far["armv8/matmul_s8s32_packed_8x12_dotprod"] == ["65543x1x1", "1x65543x1", "1x1x65543", *two]
    assert far["armv8/dwconv5x5_s8s32_hwc_5x8"] == ["65536x1x1", "1x65536x1", "1x1x65536"]
    lengths = ["65536x1x1x1x1x1", "1x65543x1x1x1x1", "1x1x1x1x65543x1", "1x1x1x1x1x65543"]
    assert far["armv8/pad_s8s8_rows_64"][:4] == lengths
    assert "2x2x2x2x131079x2" in far["armv8/pad_s8s8_rows_64"]


def test_as_much_is_0_as_may_be() -> None:
    alone = {str(shape) for shape in planned_shapes(kernel_called("armv8/pad_s8s8_rows_64"), 1).alone}
    assert {"2x3x0x0x0x0", "2x3x4x0x0x0", "2x3x0x0x6x7"} <= alone, alone


def test_the_longest_sums_keep_to_the_step_of_the_contract() -> None:
    kernel = of_depth(kernel_called("armv8/conv1x1_s8s32_hwc_4x4"), 65_539, step=8)
    longest = planned_shapes(kernel, 1).longest
    assert {shape["in_channels"] for shape in longest} == {65_536} and kernel.operator is not None
    assert all(kernel.operator.accepts(kernel.contract, shape) for shape in longest)


LENGTHS = {
    kernel.title: [
        d
        for d in Space(kernel.contract, kernel.operator).dimensions
        if d.role is Role.LENGTH and d.step == 1 and d.count > 64
    ]
    for kernel in KERNELS
}
every_kind = pytest.mark.parametrize("kernel", ONE_OF_EACH, ids=lambda kernel: kernel.title)


def shapes_of(kernel: Kernel) -> list[Shape]:
    return list(dict.fromkeys(name.shape for name in plan_cases(kernel)))


def pixels_go_in_steps(kernel: Kernel) -> bool:
    """Tell whether the product of height and width has a step, so that either alone cannot take any value."""
    return any(argument.name == "pixels" and argument.step > 1 for argument in kernel.contract.integers)


@pytest.mark.slow
@every_kind
@pytest.mark.sweep
def test_every_length_takes_what_the_rule_says(kernel: Kernel) -> None:
    shapes = shapes_of(kernel)
    tile = KernelName.parse(kernel.name).tile
    if pixels_go_in_steps(kernel):
        pixels = kernel.contract.argument("pixels")
        assert pixels.value_range is not None
        low = int(pixels.value_range[0])
        taken = {integers_of(kernel, shape)["pixels"] for shape in shapes}
        assert {low + number * pixels.step for number in range(9)} <= taken
    for dimension in LENGTHS[kernel.title]:
        if dimension.name == "width" and pixels_go_in_steps(kernel):
            continue
        sizes = {shape[dimension.name] for shape in shapes}
        allowed = range(dimension.low, dimension.high + 1, dimension.step)
        assert {size for size in range(10) if size in allowed} <= sizes, dimension
        assert dimension.low in sizes
        for modulus in (16, *(2 * part for part in tile)):
            possible = {size % modulus for size in allowed[: 4 * modulus]}
            assert {size % modulus for size in sizes} == possible, (dimension, modulus)
        assert max(sizes) >= min(dimension.high, 65_535), dimension
        for power in (32, 64, 128):
            assert {size for size in (power - 1, power, power + 1) if size in allowed} <= sizes, (dimension, power)


@pytest.mark.slow(keep=3)
@every_kind
@pytest.mark.sweep
def test_every_two_lengths_meet_with_every_remainder_and_with_every_small_size(kernel: Kernel) -> None:
    shapes = planned_shapes(kernel, 1).small
    for first, second in itertools.combinations(LENGTHS[kernel.title], 2):
        if "width" in (first.name, second.name) and pixels_go_in_steps(kernel):
            continue
        # A convolution's work grows with all four of its sizes, so some pairs are too dear.
        part = 0.6 if kernel.operator is not None and kernel.operator.name.startswith("conv3x3") else 0.95
        met = {(shape[first.name] % 16, shape[second.name] % 16) for shape in shapes}
        assert len(met) >= part * 256, (first.name, second.name)
        small = {(shape[first.name], shape[second.name]) for shape in shapes}
        assert len(small & set(itertools.product(range(1, 10), repeat=2))) >= part * 81, (first.name, second.name)
        loops = {tuple((size % 8, size > 16) for size in (shape[first.name], shape[second.name])) for shape in shapes}
        assert len(loops) >= part * 256, (first.name, second.name)


@pytest.mark.parametrize(
    ("title", "dimension", "constant"),
    [
        ("armv7/dwconv3x3_s8s8_hwc_3x8_fp32", "width", 60),  # pixels of a strip
        ("armv8/globalpool_s8s8_hwc_4x16", "pixels", 252),  # pixels whose sum fits int16
        ("armv8/conv1x1_s8s32_chw_8x4", "width", 128),  # pixels of a strip
    ],
)
def test_sizes_lie_around_the_constants_of_the_code(title: str, dimension: str, constant: int) -> None:
    sizes = {shape[dimension] for shape in shapes_of(kernel_called(title))}
    assert {constant - 1, constant, constant + 1, 2 * constant, 2 * constant + 1} <= sizes


def test_other_seeds_give_other_shapes_and_the_same_seed_the_same() -> None:
    kernel = kernel_called("armv8/matmul_s8s32_packed_4x4")
    one, same, other = (planned_shapes(kernel, seed).small for seed in (1, 1, 2))
    assert one == same and set(one) != set(other)


@pytest.mark.slow
def test_every_small_shape_is_every_combination_of_small_sizes() -> None:
    kernel = kernel_called("armv8/maxpool2x2s2_s8s8_hwc_1x16")
    every = set(planned_shapes(kernel, 1, every_tail=True).small)
    assert {
        Shape(("height", "width", "channels"), sizes) for sizes in itertools.product(range(1, 18), repeat=3)
    } <= every
    assert set(planned_shapes(kernel, 1).small) <= every


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "mistake", "shape"),
    [
        # One remainder, one pair of remainders, one constant that the code compares with.
        (
            "armv8/conv1x1_s8s32_hwc_2x8_ic32",
            "and x9, x5, #15; cmp x9, #13; b.ne 1f; ret; 1:",
            r"\d+x\d+x\d+x(13|29|45)",
        ),
        (
            "armv8/matmul_f32f32_packed_8x12",
            "and x9, x3, #15; and x10, x4, #15; cmp x9, #11; ccmp x10, #14, #0, eq; b.ne 1f; ret; 1:",
            r"(11|27)x(14|30)x\d+",
        ),
        ("armv8/clip_s8s8_flat_64", "cmp x2, #1000; b.ne 1f; ret; 1:", "1000"),
        # Beyond 20 bits, by the constant and without one; a number of 0; a size of 0.
        ("armv8/clip_s8s8_flat_64", "and x2, x2, #0xfffff", "1048581"),
        ("armv8/clip_s8s8_flat_64", "bfi x2, xzr, #20, #12", "1048581"),
        ("armv8/clip_s8s8_flat_64", "mov x9, #44; lsl x2, x2, x9; lsr x2, x2, x9", "1048583"),
        ("armv8/pad_s8s8_rows_64", "ldr w9, [sp, #8]; cbnz w9, 1f; ret; 1:", r"[\dx]+"),
        ("armv8/clip_s8s8_flat_64", "cbnz x2, 1f; mov x19, #0; 1:", "0"),
        # Blocks of zeros in long vectors.
        (
            "armv8/clip_s8s8_flat_64",
            "cmp x2, #1024; b.lo 1f; ldr x9, [x0, #512]; cbnz x9, 1f; ret; 1:",
            r"\d+",
        ),
    ],
)
@pytest.mark.sweep(keep=3)
def test_a_mistake_at_one_size_or_number_is_noticed(title: str, mistake: str, shape: str, tmp_path: Path) -> None:
    isa, name = title.split("/")
    text, begins = standing_alone(file_of(title)), f"\nfunction {name}\n"
    assert begins in text
    path = tmp_path / isa / f"{name}.S"
    path.parent.mkdir()
    path.write_text(text.replace(begins, begins + "".join(f"    {line.strip()}\n" for line in mistake.split(";"))))
    failures = check(open_kernel(path)).failures
    assert failures
    for failure in failures:
        assert re.fullmatch(shape, str(failure.shape)), failure.shape


def test_a_padding_value_is_zero_at_its_ends_and_of_both_signs() -> None:
    kernel = kernel_called("armv8/pad_s8s8_rows_64")
    values = {draw_case(kernel, name).integers["value"] for name in plan_cases(kernel) if name.shape.work < 100_000}
    assert {-128, -127, -1, 0, 1, 126, 127} <= values
    assert len(values) > 40


@pytest.mark.parametrize(
    ("title", "name", "points", "ends"),
    [
        ("armv8/relu_s8s8_flat_64", "zero", 1, {-128, 0, 127}),
        ("armv8/clip_s8s8_flat_64", "limits", 0, {-128, 0, 127}),
        ("armv8/requantize_s32s8_rows_1x16_ruy", "range", 1, {-128, 0, 127}),
        ("armv7/mul_s8s8_flat_8_gemmlowp", "points", 3, {-128, 0, 127}),
        ("armv7/mul_s8s8_flat_8_gemmlowp", "multiplier", 1, {1 << 30, (1 << 31) - 1}),
    ],
)
@pytest.mark.sweep(keep=2)
def test_numbers_of_a_tensor_take_their_ends_zero_and_both_signs(
    title: str, name: str, points: int, ends: set[int]
) -> None:
    # Zero points and multipliers come first, each of which takes all; of limits, the lower one is the lower.
    kernel = kernel_called(title)
    cases = [draw_case(kernel, one) for one in plan_cases(kernel) if one.shape.work < 1000]
    drawn = np.array([case.inputs[name].reshape(-1) for case in cases])
    assert ends <= set(drawn.reshape(-1).tolist())
    for at in range(points):
        assert ends <= set(drawn[:, at].tolist()), at
    for limits in drawn[:, points:].T:
        assert {0} <= set(limits.tolist()) and len(set(limits.tolist())) > 20
